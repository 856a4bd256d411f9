// Branches, calls, barriers, and what the lanes of a warp do together.
#include "tests/ptx/lanes.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace ritz::ptx {
namespace {

void nothing(Warp&, const Instruction&) {}
void branch(Warp& w, const Instruction& i) { w.branch(i.target); }
void end_thread(Warp& w, const Instruction&) { w.end_lanes(); }
void return_from(Warp& w, const Instruction&) { w.return_lanes(); }
void trap(Warp& w, const Instruction&) { w.fail("trap", "the kernel gives up", std::countr_zero(w.exec)); }

// Lanes of one target each; the highest ones first, so that the lowest is run first.
void branch_by_table(Warp& w, const Instruction& i) {
  const u32* const index = w.in<u32>(i.in[0]);
  const Mask all = w.exec;
  for_lanes(all, [&](int lane) {
    if (index[lane] >= i.table->size()) w.fail("memcheck", "an indexed branch beyond its table", lane);
  });
  const u32 from = w.pc;
  Mask left = all;
  while (left != 0) {
    const u32 target = (*i.table)[index[std::countr_zero(left)]];
    Mask same = 0;
    for_lanes(left, [&](int lane) { same |= static_cast<Mask>((*i.table)[index[lane]] == target) << lane; });
    left &= ~same;
    w.exec = same;
    if (same == w.active) w.branch(target);
    else w.leave({.mask = same, .pc = target});
  }
  (void)from;
}

// ---- calls ----

std::string text_at(u64 address) { return reinterpret_cast<const char*>(address); }

// printf: the arguments lie one after the other, each at a multiple of its size.
std::string formatted(const std::string& format, const char* arguments) {
  std::string text;
  std::size_t offset = 0;
  const auto take = [&](std::size_t bytes) {
    offset = (offset + bytes - 1) / bytes * bytes;
    u64 bits = 0;
    std::memcpy(&bits, arguments + offset, bytes);
    offset += bytes;
    return bits;
  };
  for (std::size_t k = 0; k < format.size(); ++k) {
    if (format[k] != '%') {
      text += format[k];
      continue;
    }
    std::size_t end = k + 1;
    while (end < format.size() && std::string_view("diouxXeEfFgGaAcsp%").find(format[end]) == std::string_view::npos)
      ++end;
    if (end >= format.size()) break;
    const std::string one = format.substr(k, end - k + 1);
    const char c = format[end];
    char room[512];
    k = end;
    if (c == '%') text += '%';
    else if (c == 's') text += text_at(take(8));
    else {
      if (std::string_view("eEfFgGaA").find(c) != std::string_view::npos)
        std::snprintf(room, sizeof room, one.c_str(), __builtin_bit_cast(double, take(8)));
      else if (c == 'p' || one.find('l') != std::string::npos) std::snprintf(room, sizeof room, one.c_str(), take(8));
      else std::snprintf(room, sizeof room, one.c_str(), static_cast<u32>(take(4)));
      text += room;
    }
  }
  return text;
}

u64 argument(const Warp& w, const Instruction& i, std::size_t number, int lane) {
  const Slot& slot = i.call->arguments.at(number);
  u64 bits = 0;
  std::memcpy(&bits, w.registers + slot.at + static_cast<u32>(lane) * slot.bytes, std::min<u32>(slot.bytes, 8));
  return bits;
}

void print(Warp& w, const Instruction& i) {
  for_lanes(w.exec, [&](int lane) {
    const std::string text =
        formatted(text_at(argument(w, i, 0, lane)), reinterpret_cast<const char*>(argument(w, i, 1, lane)));
    if (w.block->launch->print) w.block->launch->print(text);
    else std::fputs(text.c_str(), stdout);
    if (!i.call->results.empty()) {
      const Slot& slot = i.call->results[0];
      const s32 count = 1;
      std::memcpy(w.registers + slot.at + static_cast<u32>(lane) * slot.bytes, &count, sizeof count);
    }
  });
}

void fail_assertion(Warp& w, const Instruction& i) {
  const int lane = std::countr_zero(w.exec);
  w.fail("assert",
         text_at(argument(w, i, 1, lane)) + ":" + std::to_string(static_cast<u32>(argument(w, i, 2, lane))) + ": '" +
             text_at(argument(w, i, 0, lane)) + "' does not hold",
         lane);
}

void call_function(Warp& w, const Instruction& i) { w.call(i, *i.call->function); }

// Lanes that call the same function go together; the others call theirs when those are back.
void call_by_address(Warp& w, const Instruction& i) {
  const u64* const address = w.in<u64>(i.in[0]);
  const u64 first = address[std::countr_zero(w.exec)];
  Mask same = 0;
  for_lanes(w.exec, [&](int lane) { same |= static_cast<Mask>(address[lane] == first) << lane; });
  const Mask others = w.exec & ~same;
  if (others != 0) w.leave({.mask = others, .pc = w.pc - 1});
  w.exec = same;
  const auto* const function = reinterpret_cast<const Function*>(first);
  Module* const module = w.block->launch->module;
  if (module == nullptr || !module->owns(function))
    w.fail("memcheck", "a call of what is no function", std::countr_zero(same));
  w.call(i, *module->function(function->name));
}

Handler call(Statement& s) {
  s.take("uni");
  std::size_t k = 0;
  const Term none;
  const Term* results = &none;
  if (s.terms.size() > 1 && s.terms[0].kind == Term::Kind::list) results = &s.terms[k++];
  if (k >= s.terms.size()) return nullptr;
  const Term& called = s.terms[k++];
  Call& call = s.call();
  for (const Term& t : results->items) call.results.push_back(s.slot_of(t));
  if (k < s.terms.size() && s.terms[k].kind == Term::Kind::list)
    for (const Term& t : s.terms[k].items) call.arguments.push_back(s.slot_of(t));
  if (called.kind == Term::Kind::reg) {
    s.i.in[0] = s.source(called, 8);
    return &call_by_address;
  }
  call.name = called.name;
  if (call.name == "vprintf") return &print;
  if (call.name == "__assertfail") return &fail_assertion;
  call.function = s.callee(called.name);
  return call.function == nullptr || call.function->body.data() == nullptr ? nullptr : &call_function;
}

// ---- barriers of the block ----

void wait_at_barrier(Warp& w, const Instruction& i) {
  const int lane = std::countr_zero(w.exec);
  Group g{.mask = w.exec, .pc = w.pc, .wait = Wait::block, .instruction = &i};
  g.barrier = static_cast<std::uint8_t>(w.in<u32>(i.in[0])[lane] & 15);
  if (i.mode != 0) g.vote = w.predicate(i.in[2]);
  w.leave(g);
}
void arrive_at_barrier(Warp& w, const Instruction& i) {
  const int lane = std::countr_zero(w.exec);
  w.block->arrived[w.in<u32>(i.in[0])[lane] & 15] += static_cast<u32>(std::popcount(w.exec));
}

// bar.sync a{, b}; bar.red.op.type d, a{, b}, p; barrier.sync{.aligned}
Handler barrier(Statement& s) {
  const bool is_aligned = s.take("aligned");
  s.take("cta");
  if (s.name == "bar" || is_aligned) s.i.flags |= aligned;
  const int kind = s.take_one_of({"sync", "arrive", "red"});
  if (kind < 0) return nullptr;
  std::size_t k = 0;
  std::size_t last = s.terms.size();
  if (kind == 2) {
    s.i.mode = static_cast<std::uint8_t>(s.take_one_of({"and", "or", "popc"}) + 1);
    const Type t = s.take_type();
    s.i.out[0] = s.target(s.terms.at(k++), size_of(t));
    s.i.in[2] = s.source(s.terms.at(--last), 0);
    if (s.i.mode == 0) return nullptr;
  }
  s.i.in[0] = s.source(s.terms.at(k++), 4);
  if (k < last) {
    if (s.terms[k].kind != Term::Kind::number) return nullptr;
    s.i.offset = static_cast<std::int64_t>(s.terms[k].value.bits);
  }
  return kind == 1 ? &arrive_at_barrier : &wait_at_barrier;
}

// ---- shuffles, votes and their like ----

Mask members(const Warp& w, const Operand& o) { return w.in<Mask>(o)[std::countr_zero(w.exec)]; }

// bar.warp.sync; mode 1: lanes may wait in several places
void warp_barrier(Warp& w, const Instruction& i) {
  if (w.gather(members(w, i.in[0]))) ++w.epoch;
}

// mode: 0 up, 1 down, 2 bfly, 3 idx (PTX ISA, "shfl.sync")
void shuffle(Warp& w, const Instruction& i) {
  if (!w.gather(members(w, i.in[3]))) return;
  const u32 *a = w.in<u32>(i.in[0]), *b = w.in<u32>(i.in[1]), *c = w.in<u32>(i.in[2]);
  u32 result[lanes] = {};
  Mask valid = 0;
  const int kind = i.count;
  for_lanes(w.exec, [&](int lane) {
    const int distance = static_cast<int>(b[lane] & 31), clamp = static_cast<int>(c[lane] & 31),
              segment = static_cast<int>(c[lane] >> 8 & 31);
    const int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    int from = lane;
    bool is_valid = false;
    switch (kind) {
      case 0:
        from = lane - distance;
        is_valid = from >= last;
        break;
      case 1:
        from = lane + distance;
        is_valid = from <= last;
        break;
      case 2:
        from = lane ^ distance;
        is_valid = from <= last;
        break;
      default: from = first | (distance & ~segment); is_valid = from <= last;
    }
    if (!is_valid) from = lane;
    if ((w.exec >> from & 1) == 0)
      w.fail("synccheck", "a shuffle reads lane " + std::to_string(from) + ", which does not take part", lane);
    result[lane] = a[from];
    valid |= static_cast<Mask>(is_valid) << lane;
  });
  for_lanes(w.exec, [&](int lane) { w.out<u32>(i.out[0])[lane] = result[lane]; });
  if (i.out[1].is_given) w.set_predicate(i.out[1], valid);
}

Handler shuffle_of(Statement& s) {
  if (!s.take("sync")) return nullptr;
  const int kind = s.take_one_of({"up", "down", "bfly", "idx"});
  const Type t = s.take_type();
  if (kind < 0 || size_of(t) != 4 || s.terms.size() < 5) return nullptr;
  s.i.count = static_cast<std::uint8_t>(kind);
  std::size_t k = 0;
  s.i.out[0] = s.target(s.terms[k++], 4);
  if (s.terms.size() == 6) s.i.out[1] = s.target(s.terms[k++], 0);
  for (int n = 0; n < 4; ++n) s.i.in[n] = s.source(s.terms[k++], 4);
  return &shuffle;
}

// count: 0 all, 1 any, 2 uni, 3 ballot
void vote(Warp& w, const Instruction& i) {
  const Mask member = members(w, i.in[1]);
  if (!w.gather(member)) return;
  const Mask here = w.exec & member, yes = w.predicate(i.in[0]) & here;
  switch (i.count) {
    case 0: return w.set_predicate(i.out[0], yes == here ? all_lanes : 0);
    case 1: return w.set_predicate(i.out[0], yes != 0 ? all_lanes : 0);
    case 2: return w.set_predicate(i.out[0], yes == here || yes == 0 ? all_lanes : 0);
    default: for_lanes(w.exec, [&](int lane) { w.out<Mask>(i.out[0])[lane] = yes; });
  }
}
Handler vote_of(Statement& s) {
  if (!s.take("sync")) return nullptr;
  const int kind = s.take_one_of({"all", "any", "uni", "ballot"});
  const Type t = s.take_type();
  if (kind < 0) return nullptr;
  s.i.count = static_cast<std::uint8_t>(kind);
  s.operands({t}, {Type::pred, Type::b32});
  return &vote;
}

// count: 0 any, 1 all
template <class T>
void match(Warp& w, const Instruction& i) {
  const Mask member = members(w, i.in[1]);
  if (!w.gather(member)) return;
  const T* const a = w.in<T>(i.in[0]);
  const Mask here = w.exec & member;
  Mask result[lanes] = {};
  Mask all = all_lanes;
  for_lanes(here, [&](int lane) {
    for_lanes(here, [&](int other) { result[lane] |= static_cast<Mask>(a[other] == a[lane]) << other; });
    if (result[lane] != here) all = 0;
  });
  for_lanes(w.exec, [&](int lane) { w.out<Mask>(i.out[0])[lane] = i.count == 0 ? result[lane] : all & here; });
  if (i.out[1].is_given) w.set_predicate(i.out[1], all);
}
Handler match_of(Statement& s) {
  if (!s.take("sync")) return nullptr;
  s.i.count = static_cast<std::uint8_t>(s.take_one_of({"any", "all"}));
  const Type t = s.take_type();
  std::size_t k = 0;
  s.i.out[0] = s.target(s.terms.at(k++), 4);
  if (s.terms.size() == 4) s.i.out[1] = s.target(s.terms[k++], 0);
  s.i.in[0] = s.source(s.terms.at(k), size_of(t));
  s.i.in[1] = s.source(s.terms.at(k + 1), 4);
  return size_of(t) == 4 ? &match<u32> : size_of(t) == 8 ? &match<u64> : nullptr;
}

// count: 0 add, 1 min, 2 max, 3 and, 4 or, 5 xor
void reduce(Warp& w, const Instruction& i) {
  if (!w.gather(members(w, i.in[1]))) return;
  const u32* const a = w.in<u32>(i.in[0]);
  std::optional<u32> sum;
  for_lanes(w.exec, [&](int lane) {
    const u32 x = a[lane];
    if (!sum) {
      sum = x;
      return;
    }
    const bool is_less = i.is_signed ? static_cast<s32>(x) < static_cast<s32>(*sum) : x < *sum;
    switch (i.count) {
      case 0: *sum += x; break;
      case 1:
        if (is_less) sum = x;
        break;
      case 2:
        if (!is_less) sum = x;
        break;
      case 3: *sum &= x; break;
      case 4: *sum |= x; break;
      default: *sum ^= x;
    }
  });
  for_lanes(w.exec, [&](int lane) { w.out<u32>(i.out[0])[lane] = *sum; });
}
Handler reduce_of(Statement& s) {
  if (!s.take("sync")) return nullptr;
  const int kind = s.take_one_of({"add", "min", "max", "and", "or", "xor"});
  const Type t = s.take_type();
  if (kind < 0 || is_float(t)) return nullptr;
  s.i.count = static_cast<std::uint8_t>(kind);
  s.i.is_signed = is_signed(t);
  s.operands({t}, {t, Type::b32});
  return &reduce;
}

void active_lanes(Warp& w, const Instruction& i) {
  for_lanes(w.exec, [&](int lane) { w.out<Mask>(i.out[0])[lane] = w.exec; });
}

// One of the lanes, and whether it is this one.
void elect(Warp& w, const Instruction& i) {
  const Mask member = members(w, i.in[0]);
  if (!w.gather(member)) return;
  const int chosen = std::countr_zero(w.exec & member);
  for_lanes(w.exec, [&](int lane) { w.out<u32>(i.out[0])[lane] = static_cast<u32>(chosen); });
  if (i.out[1].is_given) w.set_predicate(i.out[1], Mask{1} << chosen);
}

}  // namespace

Handler of_warps(Statement& s) {
  if (s.name == "bar" && s.take("warp")) {
    if (!s.take("sync")) return nullptr;
    s.i.mode = 1;
    s.operands({}, {Type::b32});
    return &warp_barrier;
  }
  if (s.name == "bar" || s.name == "barrier") return barrier(s);
  if (s.name == "shfl") return shuffle_of(s);
  if (s.name == "vote") return vote_of(s);
  if (s.name == "match") return match_of(s);
  if (s.name == "redux") return reduce_of(s);
  if (s.name == "activemask") {
    s.take("b32");
    s.operands({Type::b32}, {});
    return &active_lanes;
  }
  if (s.name == "elect" && s.take("sync")) {
    std::size_t k = 0;
    s.i.out[0] = s.target(s.terms.at(k++), 4);
    if (s.terms.size() == 3) s.i.out[1] = s.target(s.terms[k++], 0);
    s.i.in[0] = s.source(s.terms.at(k), 4);
    return &elect;
  }
  return nullptr;
}

Handler control(Statement& s) {
  if (s.name == "bra") {
    s.take("uni");
    s.jump_to(s.terms.at(0));
    return &branch;
  }
  if (s.name == "brx" && s.take("idx")) {
    s.take("uni");
    s.i.in[0] = s.source(s.terms.at(0), 4);
    s.jump_by_table(s.terms.at(1));
    return &branch_by_table;
  }
  if (s.name == "call") return call(s);
  if (s.name == "ret") return s.take("uni"), &return_from;
  if (s.name == "exit") return &end_thread;
  if (s.name == "trap" || s.name == "brkpt") return &trap;
  if (s.name == "nanosleep" || s.name == "pmevent" || s.name == "griddepcontrol" || s.name == "setmaxnreg") {
    s.modifiers.clear();
    return &nothing;
  }
  return nullptr;
}

}  // namespace ritz::ptx
