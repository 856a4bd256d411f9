#include "tests/ptx/decode.hpp"

#include "tests/ptx/fusion.hpp"
#include "tests/ptx/scopes.hpp"
#include "tests/ptx/shared_layout.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace ritz::ptx {

std::uint64_t bits_of_float(std::uint64_t bits_of_double) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits_of_double)));
}

namespace {

[[noreturn]] void unsupported(Warp& w, const Instruction&) {
  w.fail("unsupported", "the interpreter lacks this instruction");
}

}  // namespace

class Decoder {
 public:
  Decoder(Module& module, Function& function, std::uint32_t line)
      : m_(module),
        f_(function),
        text_(function.body, line),
        shared_(function, module.fixed_shared_, module.fixed_shared_bytes_) {}

  void decode() {
    f_.is_decoded = true;  // now, as functions may call themselves
    if (!f_.is_entry) {
      for (auto* list : {&f_.results, &f_.parameters})
        for (Parameter& p : *list) {
          p.slot = {room(p.bytes * lanes), p.bytes};
          scopes_.here().slots[p.name] = p.slot;
        }
    }
    if (f_.is_entry) decode_functions_of_body();
    while (!text_.ends()) read();
    for (const Jump& j : jumps_) f_.code[j.instruction].target = find_label(j.label, j.path);
    for (const auto& [name, labels] : tables_) {
      std::vector<std::uint32_t>& table = f_.tables[name];
      for (const std::string& l : labels) table.push_back(find_label(l, {0}));
    }
    for (Instruction& i : f_.code)
      if (const auto found = table_users_.find(&i - f_.code.data()); found != table_users_.end())
        i.table = &f_.tables.at(found->second);
    shared_.finish(!dynamic_.empty() || !dynamic_long_.empty());
    for (const std::size_t slot : dynamic_) set_constant(slot, 4, f_.shared_room + constant_bits(slot, 4));
    for (const std::size_t slot : dynamic_long_) set_constant(slot, 8, f_.shared_room + constant_bits(slot, 8));
    f_.register_bytes = static_cast<std::uint32_t>(register_bytes_);
    find_unwritten();
    f_.contractible = fusion_.apply(f_.code, blocks());
  }

  // ---- for statements ----

  Operand constant(std::uint64_t bits, std::uint8_t bytes, bool is_shared = true) {
    if (bytes == 0) bits = bits != 0 ? all_lanes : 0;
    if (const auto known = constants_.find({bits, bytes}); is_shared && known != constants_.end())
      return {.at = ~known->second, .bytes = bytes, .is_given = true};
    const auto at = static_cast<std::int32_t>(f_.constants.size() * sizeof(std::uint64_t));
    f_.constants.resize(f_.constants.size() +
                        (bytes == 0 ? 1 : static_cast<std::size_t>(std::max<int>(bytes, 2) * lanes / 8)));
    set_constant(static_cast<std::size_t>(at), bytes, bits);
    if (is_shared) constants_[{bits, bytes}] = at;
    return {.at = ~at, .bytes = bytes, .is_given = true};
  }

  Operand temporary(std::uint8_t bytes) {
    return {.at = room(bytes == 0 ? static_cast<std::uint32_t>(sizeof(Mask)) : bytes * std::uint32_t{lanes}),
            .bytes = bytes,
            .is_given = true};
  }

  // The value of a name: a constant, or a register that instructions before this one set.
  Operand symbol(std::string_view name, std::uint8_t bytes, std::int64_t offset, Statement& s) {
    if (const auto local = scopes_.find(&Scopes::Names::locals, name, scopes_.path()))
      return computed(s, bytes, 1, *local + offset);
    if (const auto slot = scopes_.find(&Scopes::Names::slots, name, scopes_.path())) {
      const Operand o = computed(s, bytes, 2, offset);
      f_.code.back().slot = *slot;
      return o;
    }
    if (f_.is_entry)
      for (const Parameter& p : f_.parameters)
        if (p.name == name) return computed(s, bytes, 3, p.offset + offset);
    const Variable* v = nullptr;
    if (const auto own = own_shared_.find(name); own != own_shared_.end()) v = &own->second;
    else v = m_.variable(name);
    if (v != nullptr && v->space == Space::shared) return shared(name, *v, bytes, offset);
    if (v != nullptr)
      return constant(reinterpret_cast<std::uint64_t>(v->memory) + static_cast<std::uint64_t>(offset), bytes);
    if (const Function* f = m_.function(name))
      return constant(reinterpret_cast<std::uint64_t>(f) + static_cast<std::uint64_t>(offset), bytes);
    s.fail("an unknown name '" + std::string(name) + "'");
  }

  Operand special(std::string_view name, std::uint8_t bytes, Statement& s);

  std::optional<Slot> slot(std::string_view name) const {
    return scopes_.find(&Scopes::Names::slots, name, scopes_.path());
  }
  const Parameter* entry_parameter(std::string_view name) const {
    if (!f_.is_entry) return nullptr;
    const auto found = std::ranges::find_if(f_.parameters, [&](const Parameter& p) { return p.name == name; });
    return found == f_.parameters.end() ? nullptr : &*found;
  }

  void jump_to(std::string_view label) { jumps_.push_back({f_.code.size(), std::string(label), scopes_.path()}); }
  void jump_by_table(std::string_view table) { pending_table_ = table; }
  Function& function() { return f_; }
  const Function* callee(std::string_view name) { return m_.function(name); }

 private:
  struct Jump {
    std::size_t instruction;
    std::string label;
    Scopes::Path path;
  };

  // Those that a kernel may call, before its own arrays get their places in shared memory.
  void decode_functions_of_body() {
    if (f_.body.find("call") == std::string_view::npos) return;
    for (const auto& [name, function] : m_.functions_)
      if (!function->is_entry && f_.body.find(name) != std::string_view::npos) {
        m_.function(name);
        shared_.call_functions();
      }
  }

  std::int32_t room(std::uint32_t bytes) {
    const std::int32_t at = register_bytes_;
    register_bytes_ +=
        static_cast<std::int32_t>((bytes + register_alignment - 1) / register_alignment * register_alignment);
    return at;
  }

  std::uint32_t find_label(const std::string& label, const Scopes::Path& path) const {
    if (const auto found = scopes_.find(&Scopes::Names::labels, label, path)) return *found;
    throw Unsupported("PTX: label '" + label + "' is missing in " + f_.name);
  }

  void set_constant(std::size_t at, std::uint8_t bytes, std::uint64_t bits) {
    char* const place = reinterpret_cast<char*>(f_.constants.data()) + at;
    if (bytes == 0) {
      std::memcpy(place, &bits, sizeof(Mask));
      return;
    }
    for (int lane = 0; lane < lanes; ++lane) std::memcpy(place + lane * bytes, &bits, bytes);
  }
  std::uint64_t constant_bits(std::size_t at, std::uint8_t bytes) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const char*>(f_.constants.data()) + at, bytes);
    return bits;
  }

  // An instruction that gives an address known at run time: 1 local, 2 of a slot, 3 of a kernel's parameter.
  Operand computed(Statement& s, std::uint8_t bytes, std::uint8_t mode, std::int64_t offset);

  Operand shared(std::string_view name, const Variable& v, std::uint8_t bytes, std::int64_t offset) {
    if (v.is_dynamic) {
      const Operand o = constant(static_cast<std::uint64_t>(offset), bytes, false);
      (bytes == 4 ? dynamic_ : dynamic_long_).push_back(static_cast<std::size_t>(~o.at));
      return o;
    }
    return constant(shared_.offset(name, v) + static_cast<std::uint64_t>(offset), bytes);
  }

  void read() {
    if (text_.take("{")) return scopes_.open();
    if (text_.take("}")) {
      if (!scopes_.close()) text_.fail("a brace too many");
      return;
    }
    if (text_.take(";")) return;
    if (text_.peek() == '.') return read_directive();
    const std::uint32_t line = text_.line();
    Operand guard;
    if (text_.take("@")) {
      const bool is_negated = text_.take("!");
      const std::string_view name = text_.identifier();
      const auto r = scopes_.find_register(name);
      if (!r || r->bytes != 0) text_.fail("an unknown predicate");
      guard = {.at = r->at, .bytes = 0, .is_given = true, .is_negated = is_negated};
    }
    const std::string_view word = text_.opcode();
    if (word.ends_with(':')) return read_label(word.substr(0, word.size() - 1));
    if (text_.peek() == ':') {
      text_.require(':');
      return read_label(word);
    }
    read_instruction(word, guard, line);
  }

  void read_label(std::string_view name) {
    if (text_.take(".branchtargets")) {
      std::vector<std::string>& targets = tables_[std::string(name)];
      while (text_.peek() != ';') {
        targets.emplace_back(text_.identifier());
        if (text_.peek() == ',') text_.require(',');
      }
      return text_.require(';');
    }
    if (text_.take(".callprototype")) return text_.skip_statement();
    scopes_.here().labels[std::string(name)] = static_cast<std::uint32_t>(f_.code.size());
  }

  void read_directive() {
    if (text_.take(".reg")) return read_registers();
    if (text_.take(".loc")) {
      file_ = static_cast<std::uint32_t>(text_.number().bits);
      source_line_ = static_cast<std::uint32_t>(text_.number().bits);
      text_.until_end_of_line();
      return;
    }
    if (text_.take(".pragma")) return text_.skip_statement();
    if (text_.take(".local")) return read_locals();
    if (text_.take(".param")) return read_slots();
    if (text_.take(".shared")) return read_shared();
    text_.fail("an unknown directive");
  }

  struct Declaration {
    std::string name;
    std::uint32_t bytes = 1, alignment = 1;
  };
  Declaration read_declaration() {
    Declaration d;
    while (text_.peek() == '.') {
      if (text_.take(".align")) d.alignment = static_cast<std::uint32_t>(text_.number().bits);
      else d.bytes = std::max<std::uint32_t>(size_of(type_of(text_.identifier().substr(1))), 1);
    }
    d.alignment = std::max(d.alignment, d.bytes);
    d.name = text_.identifier();
    while (text_.take("[")) {
      d.bytes *= static_cast<std::uint32_t>(text_.number().bits);
      text_.require(']');
    }
    return d;
  }

  void read_registers() {
    const std::uint8_t bytes = [&] {
      const Type t = type_of(text_.identifier().substr(1));
      return size_of(t);
    }();
    const std::uint8_t room_bytes = bytes;
    for (;;) {
      const std::string name(text_.identifier());
      Scopes::Names& v = scopes_.here();
      if (text_.take("<")) {
        const auto count = static_cast<std::uint32_t>(text_.number().bits);
        text_.require('>');
        v.ranges[name] = {room(count * static_cast<std::uint32_t>(Scopes::step(room_bytes))), count, bytes};
      } else {
        v.registers[name] = {room(static_cast<std::uint32_t>(Scopes::step(room_bytes))), bytes};
      }
      if (text_.peek() != ',') break;
      text_.require(',');
    }
    text_.require(';');
  }

  void read_locals() {
    const Declaration d = read_declaration();
    f_.local_bytes = (f_.local_bytes + d.alignment - 1) / d.alignment * d.alignment;
    scopes_.here().locals[d.name] = f_.local_bytes;
    f_.local_bytes += d.bytes;
    text_.require(';');
  }

  void read_slots() {
    const Declaration d = read_declaration();
    scopes_.here().slots[d.name] = {room(d.bytes * lanes), d.bytes};
    text_.require(';');
  }

  void read_shared() {
    const Declaration d = read_declaration();
    own_shared_[d.name] = {.space = Space::shared, .bytes = d.bytes, .alignment = d.alignment};
    shared_.offset(d.name, own_shared_[d.name]);
    text_.require(';');
  }

  // ---- instructions ----

  void read_instruction(std::string_view word, const Operand& guard, std::uint32_t line) {
    Statement s;
    s.decoder = this;
    s.i.text_line = line;
    s.i.source_line = source_line_;
    s.i.source_file = file_;
    s.read_name(word);
    while (text_.peek() != ';') {
      s.terms.push_back(read_term(text_, scopes_));
      const char c = text_.peek();
      if (c == ',' || c == '|') text_.require(c);
    }
    text_.require(';');
    s.i.guard = guard;
    const std::size_t jumps = jumps_.size(), first = f_.code.size();
    try {
      for (const auto& family : {arithmetic, logic, conversion, memory_access, of_warps, control, rounded_arithmetic}) {
        Statement attempt = s;
        f_.code.resize(first);
        jumps_.resize(jumps);
        if (const Handler handler = family(attempt)) {
          if (!attempt.modifiers.empty()) break;  // one that nobody has looked at
          attempt.i.run = handler;
          s = attempt;
          break;
        }
      }
    } catch (const Unsupported&) {}
    if (s.i.run == nullptr) {
      f_.code.resize(first);
      jumps_.resize(jumps);
      pending_table_.reset();
      ++f_.unsupported[std::string(word)];
      s.i.run = unsupported;
    }
    if (pending_table_)
      table_users_[static_cast<std::ptrdiff_t>(f_.code.size())] = *std::exchange(pending_table_, std::nullopt);
    f_.code.push_back(s.i);
    if (is_inexact(word)) ++f_.inexact[std::string(word)];
    fusion_.add(word, f_.code.size() - 1);
  }

  // Approximations, and sums of numbers by atomics, whose order is that of a card.
  static bool is_inexact(std::string_view word) {
    const bool is_atomic = word.starts_with("atom") || word.starts_with("red.");
    const bool is_sum = word.find(".add.") != std::string_view::npos;
    return word.find(".approx") != std::string_view::npos || word.find(".full") != std::string_view::npos ||
           (is_atomic && is_sum && (word.ends_with(".f32") || word.ends_with(".f64")));
  }

  void find_unwritten() {
    std::set<std::int32_t> written;
    for (const Instruction& i : f_.code)
      for (const Operand& o : i.out)
        if (o.is_given) written.insert(o.at);
    const auto is_unwritten = [&](const Operand& o) { return o.is_given && o.at >= 0 && !written.contains(o.at); };
    for (const Instruction& i : f_.code)
      if (is_unwritten(i.guard) || std::ranges::any_of(i.in, is_unwritten)) f_.unwritten.push_back(i.text_line);
  }

  // The basic block of each instruction.
  std::vector<std::uint32_t> blocks() const {
    std::vector<bool> begins(f_.code.size() + 1, false);
    for (const Scopes::Names& names : scopes_.all())
      for (const auto& [label, at] : names.labels) begins[at] = true;
    for (const Jump& j : jumps_) begins[j.instruction + 1] = true;
    std::vector<std::uint32_t> block(f_.code.size());
    for (std::size_t k = 0, number = 0; k < block.size(); ++k)
      block[k] = static_cast<std::uint32_t>(number += begins[k]);
    return block;
  }

  Module& m_;
  Function& f_;
  Text text_;
  Scopes scopes_;
  std::int32_t register_bytes_ = 0;
  std::map<std::pair<std::uint64_t, std::uint8_t>, std::int32_t> constants_;
  std::vector<Jump> jumps_;
  std::map<std::string, std::vector<std::string>> tables_;
  std::map<std::ptrdiff_t, std::string> table_users_;
  std::optional<std::string> pending_table_;
  std::map<std::string, Variable, std::less<>> own_shared_;
  SharedLayout shared_;
  std::vector<std::size_t> dynamic_, dynamic_long_;
  std::uint32_t file_ = 0, source_line_ = 0;
  Fusion fusion_;
};

namespace {

void address_at_run_time(Warp& w, const Instruction& i) {
  const Frame& f = w.frames.back();
  for_lanes(w.exec, [&](int lane) {
    std::uint64_t value = static_cast<std::uint64_t>(i.offset);
    if (i.mode == 1) value += f.local_base;
    else if (i.mode == 2)
      value +=
          reinterpret_cast<std::uint64_t>(f.registers + i.slot.at + static_cast<std::uint32_t>(lane) * i.slot.bytes);
    else value += reinterpret_cast<std::uint64_t>(w.block->launch->parameters.data());
    w.set_lane_bits(i.out[0], lane, value);
  });
}

}  // namespace

Operand Decoder::computed(Statement& s, std::uint8_t bytes, std::uint8_t mode, std::int64_t offset) {
  Instruction i;
  i.run = address_at_run_time;
  i.guard = s.i.guard;
  i.text_line = s.i.text_line;
  i.mode = mode;
  i.offset = offset;
  i.out[0] = temporary(bytes);
  f_.code.push_back(i);
  return i.out[0];
}

Operand Decoder::special(std::string_view name, std::uint8_t bytes, Statement& s) {
  Instruction i;
  if (!special_register(name, i)) s.fail("register " + std::string(name));
  i.guard = s.i.guard;
  i.text_line = s.i.text_line;
  i.out[0] = temporary(bytes);
  f_.code.push_back(i);
  return i.out[0];
}

// ---- statements ----

void Statement::fail(const std::string& what) const { throw Unsupported(std::string(name) + ": " + what); }

void Statement::read_name(std::string_view word) {
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t dot = std::min(word.find('.', at + 1), word.size());
    if (at == 0) name = word.substr(0, dot);
    else modifiers.push_back(word.substr(at + 1, dot - at - 1));
    at = dot;
  }
}

bool Statement::take(std::string_view modifier) {
  const auto found = std::ranges::find(modifiers, modifier);
  if (found == modifiers.end()) return false;
  modifiers.erase(found);
  return true;
}
bool Statement::take_prefix(std::string_view prefix) {
  const auto found = std::ranges::find_if(modifiers, [&](std::string_view m) { return m.starts_with(prefix); });
  if (found == modifiers.end()) return false;
  modifiers.erase(found);
  return true;
}
int Statement::take_one_of(std::initializer_list<std::string_view> words) {
  int number = 0;
  for (const std::string_view word : words) {
    if (take(word)) return number;
    ++number;
  }
  return -1;
}
Type Statement::take_type() {
  if (modifiers.empty()) fail("no type");
  const Type t = type_of(modifiers.back());
  modifiers.pop_back();
  return t;
}

Operand Statement::target(const Term& term, std::uint8_t bytes) {
  if (term.kind == Term::Kind::sink) return decoder->temporary(bytes);
  const Operand o = target_of_any_size(term);
  if (o.bytes != bytes) fail("a register of another size");
  return o;
}
Operand Statement::target_of_any_size(const Term& term) {
  if (term.kind == Term::Kind::sink) return decoder->temporary(8);
  if (term.kind != Term::Kind::reg) fail("a register is needed");
  return {.at = term.reg.at, .bytes = term.reg.bytes, .is_given = true};
}
Operand Statement::source(const Term& term, std::uint8_t bytes) {
  const Operand o = source_of_any_size(term, bytes);
  if (o.bytes != bytes) fail("a register of another size");
  return o;
}
Operand Statement::source_of_any_size(const Term& term, std::uint8_t bytes) {
  switch (term.kind) {
    case Term::Kind::reg:
      return {.at = term.reg.at, .bytes = term.reg.bytes, .is_given = true, .is_negated = term.is_negated};
    case Term::Kind::number:
      return decoder->constant(term.value.is_decimal && bytes == 4 ? bits_of_float(term.value.bits) : term.value.bits,
                               bytes);
    case Term::Kind::special: return decoder->special(term.name, bytes, *this);
    case Term::Kind::symbol: return decoder->symbol(term.name, bytes, term.offset, *this);
    default: fail("an operand that is no value");
  }
}

void Statement::operands(std::initializer_list<Type> out, std::initializer_list<Type> in) {
  if (terms.size() != out.size() + in.size()) fail("the number of operands");
  std::size_t k = 0;
  for (const Type t : out) {
    i.out[k] = target(terms[k], size_of(t));
    ++k;
  }
  std::size_t n = 0;
  for (const Type t : in) i.in[n++] = source(terms[k++], size_of(t));
}

void Statement::address(const Term& term, Space space) {
  if (term.kind != Term::Kind::address) fail("an address is needed");
  const Term& base = term.items[0];
  i.space = space;
  i.offset = term.offset;
  if (space == Space::param && base.kind == Term::Kind::symbol) {
    if (const auto slot = decoder->slot(base.name)) {
      i.slot = *slot;
      i.mode = 1;
      return;
    }
    if (const Parameter* p = decoder->entry_parameter(base.name)) {
      i.offset += p->offset;
      i.mode = 2;
      return;
    }
  }
  i.mode = 0;
  i.in[4] = source_of_any_size(base, 8);
  if (i.in[4].bytes != 4 && i.in[4].bytes != 8) fail("an address of another size");
}

void Statement::jump_to(const Term& label) {
  if (label.kind != Term::Kind::symbol) fail("a label is needed");
  decoder->jump_to(label.name);
}
void Statement::jump_by_table(const Term& table) { decoder->jump_by_table(table.name); }
Slot Statement::slot_of(const Term& variable) {
  const auto slot = decoder->slot(variable.name);
  if (!slot) fail("an unknown variable of the .param space");
  return *slot;
}
Call& Statement::call() {
  std::vector<std::unique_ptr<Call>>& calls = decoder->function().calls;
  calls.push_back(std::make_unique<Call>());
  i.call = calls.back().get();
  return *calls.back();
}
const Function* Statement::callee(std::string_view called) { return decoder->callee(called); }

void Module::decode(Function& function) {
  const auto line = 1 + std::count(text_.c_str(), function.body.data(), '\n');
  Decoder(*this, function, static_cast<std::uint32_t>(line)).decode();
}

}  // namespace ritz::ptx
