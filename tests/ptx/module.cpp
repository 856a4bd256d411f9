// The outer level of PTX text: variables with their values, and where functions begin and end.
#include "tests/ptx/module.hpp"

#include "tests/ptx/decode.hpp"
#include "tests/ptx/text.hpp"

#include <algorithm>
#include <cstring>

namespace ritz::ptx {
namespace {

struct Declared {
  std::string name;
  std::uint64_t bytes = 0, alignment = 1, element_bytes = 1;
  bool is_open = false;  // name[]
};

// .align 8 .b8 name[16]
Declared read_declaration(Text& text) {
  Declared d;
  std::uint64_t vector = 1;
  while (text.peek() == '.') {
    if (text.take(".align")) {
      d.alignment = text.number().bits;
      continue;
    }
    const std::string_view word = text.identifier().substr(1);
    if (word == "v2") vector = 2;
    else if (word == "v4") vector = 4;
    else if (is_type(word)) d.element_bytes = std::max<std::uint64_t>(size_of(type_of(word)), 1);
    else if (word != "ptr" && word != "global" && word != "shared" && word != "local" && word != "const" &&
             word != "param" && word != "managed")
      text.fail("an unknown word ." + std::string(word));
  }
  d.name = text.identifier();
  d.bytes = d.element_bytes * vector;
  d.alignment = std::max(d.alignment, d.bytes);
  while (text.take("[")) {
    if (text.peek() == ']') d.is_open = true;
    else d.bytes *= text.number().bits;
    text.require(']');
  }
  return d;
}

std::vector<Parameter> read_parameters(Text& text) {
  std::vector<Parameter> found;
  std::uint32_t offset = 0;
  text.require('(');
  while (text.peek() != ')') {
    if (text.take(".reg")) text.fail("parameters in registers are not supported");
    if (!text.take(".param")) text.fail("'.param' is missing");
    const Declared d = read_declaration(text);
    Parameter p;
    p.name = d.name;
    p.bytes = static_cast<std::uint32_t>(d.bytes);
    const auto alignment = static_cast<std::uint32_t>(d.alignment);
    p.offset = offset = (offset + alignment - 1) / alignment * alignment;
    offset += p.bytes;
    found.push_back(p);
    if (text.peek() == ',') text.require(',');
  }
  text.require(')');
  return found;
}

}  // namespace

class ModuleReader {
 public:
  ModuleReader(Module& module, const Module::Allocate& allocate)
      : m_(module), text_(module.text_), allocate_(allocate) {}

  void read() {
    while (!text_.ends()) read_item();
    for (const Initial& i : initial_) set_value(i);
  }

 private:
  struct Initial {
    std::string name, value;
    std::uint64_t element_bytes;
    std::uint32_t line;
  };

  void read_item() {
    if (text_.take(".version") || text_.take(".target") || text_.take(".address_size")) {
      text_.until_end_of_line();
      return;
    }
    if (text_.take(".file")) {
      const auto number = static_cast<std::uint32_t>(text_.number().bits);
      m_.files_[number] = text_.quoted();
      text_.until_end_of_line();
      return;
    }
    if (text_.take(".section")) {
      text_.identifier();
      text_.braces();
      return;
    }
    if (text_.take(".alias") || text_.take(".pragma")) return text_.skip_statement();
    bool is_extern = false;
    for (;;) {
      if (text_.take(".extern")) is_extern = true;
      else if (!text_.take(".visible") && !text_.take(".weak") && !text_.take(".common")) break;
    }
    if (text_.take(".entry")) return read_function(true);
    if (text_.take(".func")) return read_function(false);
    if (text_.take(".global")) return read_variable(Space::global);
    if (text_.take(".const")) return read_variable(Space::constant);
    if (text_.take(".shared")) return read_variable(Space::shared, is_extern);
    text_.fail("an unknown declaration");
  }

  void read_function(bool is_entry) {
    auto f = std::make_unique<Function>();
    f->is_entry = is_entry;
    const std::uint32_t line = text_.line();
    if (text_.peek() == '(') f->results = read_parameters(text_);
    f->name = text_.identifier();
    if (text_.peek() == '(') f->parameters = read_parameters(text_);
    while (text_.peek() == '.') {  // .maxntid 256, 1, 1 and its like
      const std::string_view word = text_.identifier();
      std::uint64_t product = 1;
      while (text_.at_number()) {
        product *= text_.number().bits;
        if (text_.peek() == ',') text_.require(',');
      }
      if (word == ".maxntid" || word == ".reqntid") f->most_threads = static_cast<std::uint32_t>(product);
    }
    if (!f->parameters.empty()) f->parameter_bytes = f->parameters.back().offset + f->parameters.back().bytes;
    if (text_.peek() == ';') {
      text_.require(';');
    } else {
      body_line_[f->name] = text_.line();
      f->body = text_.braces();
    }
    (void)line;
    std::unique_ptr<Function>& place = m_.functions_[f->name];
    if (place == nullptr || place->body.data() == nullptr) place = std::move(f);
  }

  void read_variable(Space space, bool is_extern = false) {
    const std::uint32_t line = text_.line();
    const Declared d = read_declaration(text_);
    Variable v;
    v.space = space;
    v.bytes = d.bytes;
    v.alignment = d.alignment;
    v.is_dynamic = space == Space::shared && d.is_open && is_extern;
    std::string value;
    std::uint64_t count = 0;
    if (text_.peek() == '=') {
      text_.require('=');
      if (text_.peek() == '{') value = text_.braces();
      else value = text_.rest().substr(0, text_.rest().find(';'));
      count = static_cast<std::uint64_t>(std::count(value.begin(), value.end(), ',')) + 1;
    }
    text_.skip_statement();
    if (d.is_open && space != Space::shared) v.bytes = count * d.element_bytes;
    if (space != Space::shared) {
      v.memory = allocate_ ? allocate_(v.bytes, v.alignment) : own(v.bytes);
      if (v.memory == nullptr) text_.fail("no memory for " + d.name);
      std::memset(v.memory, 0, v.bytes);
      if (!value.empty()) initial_.push_back({d.name, value, d.element_bytes, line});
    }
    m_.variables_[d.name] = v;
  }

  char* own(std::uint64_t bytes) {
    m_.memory_.push_back(std::make_unique<char[]>(bytes + 256));
    const auto at = reinterpret_cast<std::uint64_t>(m_.memory_.back().get());
    return reinterpret_cast<char*>((at + 255) / 256 * 256);
  }

  // {1, generic(name), name+4, {..}}: nested braces are of rows.
  void set_value(const Initial& initial) {
    const Variable& v = m_.variables_.at(initial.name);
    Text text(initial.value, initial.line);
    std::uint64_t offset = 0;
    while (!text.ends()) {
      const char c = text.peek();
      if (c == '{' || c == '}' || c == ',') {
        text.require(c);
        continue;
      }
      const std::uint64_t bits = text.at_number() ? number(text, initial.element_bytes) : address(text);
      if (offset + initial.element_bytes > v.bytes) text.fail("too many values of " + initial.name);
      std::memcpy(v.memory + offset, &bits, initial.element_bytes);
      offset += initial.element_bytes;
    }
  }

  static std::uint64_t number(Text& text, std::uint64_t bytes) {
    const Text::Number n = text.number();
    return n.is_decimal && bytes == 4 ? bits_of_float(n.bits) : n.bits;
  }

  std::uint64_t address(Text& text) {
    const bool is_generic = text.take("generic");
    if (is_generic) text.require('(');
    const std::string_view name = text.identifier();
    std::uint64_t value = 0;
    if (const auto v = m_.variables_.find(name); v != m_.variables_.end() && v->second.memory != nullptr)
      value = reinterpret_cast<std::uint64_t>(v->second.memory);
    else if (const Function* f = m_.find(name)) value = reinterpret_cast<std::uint64_t>(f);
    else text.fail("an unknown name in a value");
    if (is_generic) text.require(')');
    if (text.peek() == '+') {
      text.require('+');
      value += text.number().bits;
    }
    return value;
  }

  Module& m_;
  Text text_;
  const Module::Allocate& allocate_;
  std::vector<Initial> initial_;

 public:
  std::map<std::string, std::uint32_t> body_line_;
};

Module::Module(std::string text, std::string name, const Allocate& allocate)
    : text_(std::move(text)), name_(std::move(name)) {
  ModuleReader reader(*this, allocate);
  reader.read();
}
Module::~Module() = default;

Function* Module::find(std::string_view name) {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second.get();
}

const Function* Module::function(std::string_view name) {
  Function* const f = find(name);
  if (f != nullptr && !f->is_decoded && f->body.data() != nullptr) decode(*f);
  return f;
}
const Function* Module::entry(std::string_view name) {
  const Function* const f = function(name);
  return f != nullptr && f->is_entry ? f : nullptr;
}

std::vector<std::string> Module::entries() const {
  std::vector<std::string> names;
  for (const auto& [name, f] : functions_)
    if (f->is_entry) names.push_back(name);
  return names;
}

const Variable* Module::variable(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

std::string Module::source_file(std::uint32_t number) const {
  const auto found = files_.find(number);
  return found == files_.end() ? "" : found->second;
}

std::string Module::line_of_text(std::uint32_t line) const {
  std::string_view rest = text_;
  for (std::uint32_t k = 1; k < line && !rest.empty(); ++k)
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  rest = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return std::string(rest);
}

bool Module::owns(const Function* function) const {
  return std::ranges::any_of(functions_, [&](const auto& f) { return f.second.get() == function; });
}

}  // namespace ritz::ptx
