// The words of PTX text: what Module and Decoder read it by.
#pragma once

#include "tests/ptx/module.hpp"

namespace ritz::ptx {

class Text {
 public:
  explicit Text(std::string_view text, std::uint32_t line = 1) : text_(text), line_(line) {}

  bool ends();                       // after white space and comments
  char peek();                       // the next character, '\0' at the end
  bool take(std::string_view word);  // when it comes next
  void require(char c);
  std::string_view identifier();  // letters, digits, _ $ % .
  std::string_view opcode();      // an identifier with ::
  std::string_view until_end_of_line();
  std::string_view quoted();
  std::string_view braces();  // what is in { }, without them
  void skip_statement();      // up to and with the next semicolon
  // A number: integer, or the bits of a floating-point number of 4 or 8 bytes.
  struct Number {
    std::uint64_t bits = 0;
    std::uint8_t float_bytes = 0;  // 0: an integer
    bool is_decimal = false;       // a floating-point number that takes the size it is needed in
  };
  Number number();
  bool at_number();
  std::uint32_t line() const { return line_; }
  std::string_view rest() const { return text_; }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void advance(std::size_t count);
  std::string_view text_;
  std::uint32_t line_;
};

// Types by their names: "u32", "f64". Throws Unsupported for others.
enum class Type : std::uint8_t {
  b8,
  u8,
  s8,
  b16,
  u16,
  s16,
  f16,
  bf16,
  b32,
  u32,
  s32,
  f32,
  f16x2,
  bf16x2,
  b64,
  u64,
  s64,
  f64,
  pred,
  b128
};
bool is_type(std::string_view name);
Type type_of(std::string_view name);
std::uint8_t size_of(Type type);  // 0: a predicate
inline bool is_float(Type t) { return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64; }
inline bool is_signed(Type t) { return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64; }

}  // namespace ritz::ptx
