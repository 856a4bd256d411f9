// From the text of an instruction to its handler: files of operations (arithmetic.cpp, ...) ask a Statement for its
// modifiers and operands, and return a handler, or nullptr when the instruction is not theirs.
#pragma once

#include "tests/ptx/machine.hpp"
#include "tests/ptx/text.hpp"

#include <initializer_list>

namespace ritz::ptx {

inline constexpr std::int32_t register_alignment = 64;

std::uint64_t bits_of_float(std::uint64_t bits_of_double);

struct Register {
  std::int32_t at = 0;
  std::uint8_t bytes = 0;
};

struct Term {  // an operand as it is written
  enum class Kind { reg, number, symbol, special, vector, address, sink, list } kind = Kind::sink;
  Register reg;
  Text::Number value;
  std::string_view name;    // of a symbol or a special register
  std::vector<Term> items;  // of a vector or a list; of an address: its base
  std::int64_t offset = 0;
  bool is_negated = false;
};

class Decoder;

// One instruction: a name, modifiers that are taken one by one, operands.
class Statement {
 public:
  std::string_view name;
  std::vector<std::string_view> modifiers;
  std::vector<Term> terms;
  Instruction i;

  void read_name(std::string_view word);  // with its modifiers
  bool take(std::string_view modifier);   // true once when it is there
  bool take_prefix(std::string_view prefix);
  int take_one_of(std::initializer_list<std::string_view> words);  // its number, or -1
  Type take_type();                                                // the last modifier; throws Unsupported
  bool has_type() const { return !modifiers.empty() && is_type(modifiers.back()); }
  void operands(std::initializer_list<Type> out, std::initializer_list<Type> in);
  Operand target(const Term& term, std::uint8_t bytes);  // bytes 0: a predicate
  Operand source(const Term& term, std::uint8_t bytes);
  Operand target_of_any_size(const Term& term);
  Operand source_of_any_size(const Term& term, std::uint8_t bytes_of_numbers);
  void address(const Term& term, Space space);  // in[4], offset, slot
  void jump_to(const Term& label);              // target
  void jump_by_table(const Term& table);        // table
  Slot slot_of(const Term& variable);           // of the .param space
  Call& call();                                 // one of the function's own
  const Function* callee(std::string_view name);
  [[noreturn]] void fail(const std::string& what) const;

  Decoder* decoder = nullptr;
};

// Makes an instruction that reads a register that the GPU sets into out[0]; false: there is none of this name.
bool special_register(std::string_view name, Instruction& i);

// +-a b +- c of in[0] to in[2], rounded once.
Handler fused_sum(bool negates_product, bool negates_addend, bool is_double);

Handler arithmetic(Statement& s);
Handler rounded_arithmetic(Statement& s);
Handler logic(Statement& s);
Handler conversion(Statement& s);
Handler memory_access(Statement& s);
Handler of_warps(Statement& s);
Handler control(Statement& s);

}  // namespace ritz::ptx
