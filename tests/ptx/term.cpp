// The operands of an instruction, as they are written.
#include "tests/ptx/scopes.hpp"

#include <utility>

namespace ritz::ptx {
namespace {

Term read_list(Text& text, const Scopes& scopes, Term t, char open, char close, Term::Kind kind) {
  t.kind = kind;
  text.require(open);
  while (text.peek() != close) {
    t.items.push_back(read_term(text, scopes));
    if (text.peek() == ',') text.require(',');
  }
  text.require(close);
  return t;
}

Term read_address(Text& text, const Scopes& scopes, Term t) {
  t.kind = Term::Kind::address;
  text.require('[');
  t.items.push_back(read_term(text, scopes));
  if (t.items[0].kind == Term::Kind::symbol) t.offset = std::exchange(t.items[0].offset, 0);
  if (text.peek() == '+') {
    text.require('+');
    t.offset += static_cast<std::int64_t>(text.number().bits);
  } else if (text.at_number()) {  // [%r1-4]
    t.offset += static_cast<std::int64_t>(text.number().bits);
  }
  text.require(']');
  return t;
}

}  // namespace

Term read_term(Text& text, const Scopes& scopes) {
  Term t;
  if (text.take("!")) t.is_negated = true;
  const char c = text.peek();
  if (c == '{') return read_list(text, scopes, t, '{', '}', Term::Kind::vector);
  if (c == '(') return read_list(text, scopes, t, '(', ')', Term::Kind::list);
  if (c == '[') return read_address(text, scopes, t);
  if (text.at_number()) {
    t.kind = Term::Kind::number;
    t.value = text.number();
    return t;
  }
  const std::string_view name = text.identifier();
  if (name == "_") return t;
  if (const auto r = scopes.find_register(name)) {
    t.kind = Term::Kind::reg;
    t.reg = *r;
    return t;
  }
  t.name = name;
  t.kind = name.starts_with('%') ? Term::Kind::special : Term::Kind::symbol;
  if (t.kind == Term::Kind::symbol && text.peek() == '+') {
    text.require('+');
    t.offset = static_cast<std::int64_t>(text.number().bits);
  }
  return t;
}

}  // namespace ritz::ptx
