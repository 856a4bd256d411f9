#include "tests/ptx/text.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <iterator>

namespace ritz::ptx {
namespace {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

constexpr struct {
  std::string_view name;
  Type type;
  std::uint8_t bytes;
} types[] = {{"b8", Type::b8, 1},       {"u8", Type::u8, 1},         {"s8", Type::s8, 1},     {"b16", Type::b16, 2},
             {"u16", Type::u16, 2},     {"s16", Type::s16, 2},       {"f16", Type::f16, 2},   {"bf16", Type::bf16, 2},
             {"b32", Type::b32, 4},     {"u32", Type::u32, 4},       {"s32", Type::s32, 4},   {"f32", Type::f32, 4},
             {"f16x2", Type::f16x2, 4}, {"bf16x2", Type::bf16x2, 4}, {"b64", Type::b64, 8},   {"u64", Type::u64, 8},
             {"s64", Type::s64, 8},     {"f64", Type::f64, 8},       {"pred", Type::pred, 0}, {"b128", Type::b128, 16}};

}  // namespace

bool is_type(std::string_view name) {
  return std::ranges::any_of(types, [&](const auto& t) { return t.name == name; });
}
Type type_of(std::string_view name) {
  const auto found = std::ranges::find_if(types, [&](const auto& t) { return t.name == name; });
  if (found == std::end(types)) throw Unsupported("type " + std::string(name));
  return found->type;
}
std::uint8_t size_of(Type type) {
  return std::ranges::find_if(types, [&](const auto& t) { return t.type == type; })->bytes;
}

void Text::advance(std::size_t count) {
  line_ +=
      static_cast<std::uint32_t>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(count), '\n'));
  text_.remove_prefix(count);
}

bool Text::ends() {
  for (;;) {
    std::size_t n = 0;
    while (n < text_.size() && std::isspace(static_cast<unsigned char>(text_[n])) != 0) ++n;
    advance(n);
    if (text_.starts_with("//")) advance(std::min(text_.find('\n'), text_.size()));
    else if (text_.starts_with("/*")) advance(std::min(text_.find("*/"), text_.size() - 2) + 2);
    else return text_.empty();
  }
}

char Text::peek() { return ends() ? '\0' : text_.front(); }

bool Text::take(std::string_view word) {
  if (ends() || !text_.starts_with(word)) return false;
  const bool in_a_name = is_name(word.back()) && word.size() < text_.size() && is_name(text_[word.size()]);
  if (in_a_name) return false;
  advance(word.size());
  return true;
}

void Text::require(char c) {
  if (peek() != c) fail(std::string("'") + c + "' is missing");
  advance(1);
}

std::string_view Text::identifier() {
  ends();
  std::size_t n = 0;
  while (n < text_.size() && is_name(text_[n])) ++n;
  if (n == 0) fail("a name is missing");
  const std::string_view found = text_.substr(0, n);
  advance(n);
  return found;
}

std::string_view Text::opcode() {
  ends();
  std::size_t n = 0;
  while (n < text_.size() && (is_name(text_[n]) || text_[n] == ':')) ++n;
  if (n == 0) fail("an instruction is missing");
  const std::string_view found = text_.substr(0, n);
  advance(n);
  return found;
}

std::string_view Text::until_end_of_line() {
  const std::string_view found = text_.substr(0, text_.find('\n'));
  advance(found.size());
  return found;
}

std::string_view Text::quoted() {
  require('"');
  const std::string_view found = text_.substr(0, text_.find('"'));
  advance(found.size());
  require('"');
  return found;
}

std::string_view Text::braces() {
  require('{');
  int depth = 1;
  std::size_t n = 0;
  for (; n < text_.size(); ++n) {
    if (text_[n] == '"') n = text_.find('"', n + 1);
    else if (text_[n] == '/' && n + 1 < text_.size() && text_[n + 1] == '/') n = text_.find('\n', n);
    else if (text_[n] == '{') ++depth;
    else if (text_[n] == '}' && --depth == 0) break;
    if (n == std::string_view::npos) break;
  }
  if (depth != 0) fail("a brace is not closed");
  const std::string_view found = text_.substr(0, n);
  advance(n + 1);
  return found;
}

void Text::skip_statement() { advance(std::min(text_.find(';'), text_.size() - 1) + 1); }

bool Text::at_number() {
  const char c = peek();
  return std::isdigit(static_cast<unsigned char>(c)) != 0 ||
         (c == '-' && text_.size() > 1 && std::isdigit(static_cast<unsigned char>(text_[1])) != 0);
}

Text::Number Text::number() {
  ends();
  const bool is_negative = text_.starts_with('-');
  if (is_negative) advance(1);
  const auto hexadecimal = [&](std::size_t digits) {
    const std::string word(text_.substr(2, digits));
    advance(2 + digits);
    return std::strtoull(word.c_str(), nullptr, 16);
  };
  Number n;
  if (text_.starts_with("0f") || text_.starts_with("0F")) {
    n.bits = hexadecimal(8) ^ (is_negative ? 0x80000000u : 0u);
    n.float_bytes = 4;
    return n;
  }
  if (text_.starts_with("0d") || text_.starts_with("0D")) {
    n.bits = hexadecimal(16) ^ (is_negative ? std::uint64_t{1} << 63 : 0u);
    n.float_bytes = 8;
    return n;
  }
  std::size_t length = 0;
  while (length < text_.size() &&
         (std::isalnum(static_cast<unsigned char>(text_[length])) != 0 || text_[length] == '.' ||
          ((text_[length] == '-' || text_[length] == '+') && length > 0 && text_[1] != 'x' &&
           (text_[length - 1] == 'e' || text_[length - 1] == 'E'))))
    ++length;
  const std::string word(text_.substr(0, length));
  const bool is_hexadecimal = word.starts_with("0x") || word.starts_with("0X");
  if (!is_hexadecimal && word.find_first_of(".eE") != std::string::npos) {
    const double value = std::strtod(word.c_str(), nullptr);
    n.bits = std::bit_cast<std::uint64_t>(is_negative ? -value : value);
    n.float_bytes = 8;
    n.is_decimal = true;
  } else if (word.starts_with("0b") || word.starts_with("0B")) {
    n.bits = std::strtoull(word.c_str() + 2, nullptr, 2);
  } else {
    n.bits = std::strtoull(word.c_str(), nullptr, 0);
  }
  if (n.float_bytes == 0 && is_negative) n.bits = 0 - n.bits;
  advance(length);
  return n;
}

void Text::fail(const std::string& what) const {
  throw Unsupported("PTX line " + std::to_string(line_) + ": " + what + " at '" +
                    std::string(text_.substr(0, std::min<std::size_t>(text_.find('\n'), 60))) + "'");
}

}  // namespace ritz::ptx
