// Loads, stores, atomics and fences.
#include "tests/ptx/lanes.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace ritz::ptx {
namespace {

using Kind = Watch::Kind;

std::string hexadecimal(u64 value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

[[noreturn]] void fail_access(const Warp& w, int lane, Kind kind, unsigned bytes, const char* where, u64 at) {
  w.fail("memcheck",
         std::string(kind == Kind::read || kind == Kind::read_only ? "reads "
                     : kind == Kind::write                         ? "writes "
                                                                   : "changes ") +
             std::to_string(bytes) + " bytes at " + hexadecimal(at) + ": " + where,
         lane);
}

u64 address_of(const Warp& w, const Instruction& i, int lane) {
  const u64 base = i.in[4].bytes == 4 ? w.in<u32>(i.in[4])[lane] : w.in<u64>(i.in[4])[lane];
  const u64 at = base + static_cast<u64>(i.offset);
  return i.in[4].bytes == 4 ? at & 0xffffffffu : at;
}

// Returns the place in the host's memory; a fault when the lane may not touch it.
char* locate(Warp& w, const Instruction& i, int lane, unsigned bytes, Kind kind) {
  Block& b = *w.block;
  u64 at = address_of(w, i, lane);
  Space space = i.space;
  char* const local = w.local + static_cast<std::size_t>(lane) * local_stride;
  if (space == Space::generic || space == Space::param) {  // generic addresses are those of the host
    const u64 parameters = reinterpret_cast<u64>(b.launch->parameters.data());
    if (b.is_shared(at)) space = Space::shared, at -= reinterpret_cast<u64>(b.shared);
    else if (at - reinterpret_cast<u64>(local) < local_stride) space = Space::local, at -= reinterpret_cast<u64>(local);
    else if (at - parameters < b.launch->parameters.size() && kind != Kind::write && kind != Kind::atomic_write)
      space = Space::constant;
    else if (i.space == Space::param) space = Space::constant;
  }
  if ((at & (bytes - 1)) != 0) fail_access(w, lane, kind, bytes, "misaligned", at);
  switch (space) {
    case Space::shared: {
      if (at > b.shared_bytes || b.shared_bytes - at < bytes)
        fail_access(w, lane, kind, bytes,
                    ("beyond the " + std::to_string(b.shared_bytes) + " bytes of shared memory").c_str(), at);
      for (const auto& [first, end] : b.launch->kernel->red_zones)
        if (at < end && at + bytes > first)
          fail_access(w, lane, kind, bytes, "between two arrays of shared memory", at);
      char* const p = b.shared + at;
      if (b.launch->watch != nullptr) b.launch->watch->access(w.place(lane), p, bytes, kind);
      return p;
    }
    case Space::local:
      if (at > w.used_local || w.used_local - at < bytes)
        fail_access(w, lane, kind, bytes, "beyond the thread's local memory", at);
      return local + at;
    case Space::constant: return reinterpret_cast<char*>(at);
    default: {
      char* const p = reinterpret_cast<char*>(at);
      if (b.launch->watch != nullptr) b.launch->watch->access(w.place(lane), p, bytes, kind);
      else if (at < 4096) fail_access(w, lane, kind, bytes, "a null pointer", at);
      return p;
    }
  }
}

u64 read_element(const char* p, unsigned bytes, bool is_sign) {
  switch (bytes) {
    case 1: return is_sign ? static_cast<u64>(static_cast<s64>(static_cast<std::int8_t>(*p))) : static_cast<u8>(*p);
    case 2: {
      u16 value = 0;
      std::memcpy(&value, p, 2);
      return is_sign ? static_cast<u64>(static_cast<s64>(static_cast<std::int16_t>(value))) : value;
    }
    case 4: {
      u32 value = 0;
      std::memcpy(&value, p, 4);
      return is_sign ? static_cast<u64>(static_cast<s64>(static_cast<s32>(value))) : value;
    }
    default: {
      u64 value = 0;
      std::memcpy(&value, p, 8);
      return value;
    }
  }
}

void before_write(Warp& w, const Instruction& i, int lane) {
  Watch* const watch = w.block->launch->watch;
  if (watch == nullptr) return;
  if ((i.flags & release) != 0) watch->release(w.place(lane));
  else if ((i.flags & strong) != 0) watch->strong_write(w.place(lane));
}
void after_read(Warp& w, const Instruction& i, int lane) {
  Watch* const watch = w.block->launch->watch;
  if (watch == nullptr) return;
  if ((i.flags & acquire) != 0) watch->acquire(w.place(lane));
  else if ((i.flags & strong) != 0) watch->strong_read(w.place(lane));
}
void after_write(Warp& w) {
  if (w.block->launch->watch != nullptr) w.block->launch->watch->end_access();
}

Kind kind_of_load(const Instruction& i) {
  return (i.flags & strong) != 0 ? Kind::atomic_read : (i.flags & read_only) != 0 ? Kind::read_only : Kind::read;
}

template <class T>
void load_whole(Warp& w, const Instruction& i) {  // registers of the elements' size
  const unsigned bytes = sizeof(T) * i.count;
  const Kind kind = kind_of_load(i);
  for_lanes(w.exec, [&](int lane) {
    const char* const p = locate(w, i, lane, bytes, kind);
    for (int k = 0; k < i.count; ++k)
      std::memcpy(w.out<T>(i.out[k]) + lane, p + sizeof(T) * static_cast<unsigned>(k), sizeof(T));
    if (kind == Kind::atomic_read) after_read(w, i, lane);
  });
}

void load_extended(Warp& w, const Instruction& i) {
  const Kind kind = kind_of_load(i);
  for_lanes(w.exec, [&](int lane) {
    const char* const p = locate(w, i, lane, static_cast<unsigned>(i.bytes * i.count), kind);
    for (int k = 0; k < i.count; ++k)
      w.set_lane_bits(i.out[k], lane, read_element(p + i.bytes * k, i.bytes, i.is_signed));
    if (kind == Kind::atomic_read) after_read(w, i, lane);
  });
}

void store(Warp& w, const Instruction& i) {
  const Kind kind = (i.flags & strong) != 0 ? Kind::atomic_write : Kind::write;
  for_lanes(w.exec, [&](int lane) {
    if (kind == Kind::atomic_write) before_write(w, i, lane);
    char* const p = locate(w, i, lane, static_cast<unsigned>(i.bytes * i.count), kind);
    for (int k = 0; k < i.count; ++k) {
      const u64 bits = w.lane_bits(i.in[k], lane);
      std::memcpy(p + i.bytes * k, &bits, i.bytes);
    }
    after_write(w);
  });
}

// Variables of calls, in registers of the frame; mode 1: by name, mode 2: a kernel's parameter by name.
const char* parameter(const Warp& w, const Instruction& i, int lane) {
  if (i.mode == 2) return w.block->launch->parameters.data() + i.offset;
  return w.registers + i.slot.at + static_cast<u32>(lane) * i.slot.bytes + i.offset;
}
void load_parameter(Warp& w, const Instruction& i) {
  for_lanes(w.exec, [&](int lane) {
    const char* const p = parameter(w, i, lane);
    for (int k = 0; k < i.count; ++k)
      w.set_lane_bits(i.out[k], lane, read_element(p + i.bytes * k, i.bytes, i.is_signed));
  });
}
void store_parameter(Warp& w, const Instruction& i) {
  for_lanes(w.exec, [&](int lane) {
    char* const p = w.registers + i.slot.at + static_cast<u32>(lane) * i.slot.bytes + i.offset;
    for (int k = 0; k < i.count; ++k) {
      const u64 bits = w.lane_bits(i.in[k], lane);
      std::memcpy(p + i.bytes * k, &bits, i.bytes);
    }
  });
}

Space take_space(Statement& s) {
  for (const auto& [name, space] : {std::pair{"global", Space::global},
                                    {"shared", Space::shared},
                                    {"shared::cta", Space::shared},
                                    {"local", Space::local},
                                    {"const", Space::constant},
                                    {"param", Space::param},
                                    {"param::entry", Space::param},
                                    {"param::func", Space::param}})
    if (s.take(name)) return space;
  return Space::generic;
}

// Order among threads, and words about caches, which change no value.
void take_order(Statement& s) {
  if (s.take("volatile") || s.take("relaxed") || s.take("mmio")) s.i.flags |= strong;
  if (s.take("acquire")) s.i.flags |= strong | acquire;
  if (s.take("release")) s.i.flags |= strong | release;
  if (s.take("acq_rel")) s.i.flags |= strong | acquire | release;
  s.take("weak");
  s.take_one_of({"cta", "gpu", "sys", "cluster"});
  s.take_one_of({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  if (s.take("nc")) s.i.flags |= read_only;
  while (s.take_prefix("L1::") || s.take_prefix("L2::")) {}
}

std::vector<Term> elements(Statement& s, const Term& term) {
  const int vector = s.take_one_of({"v2", "v4"});
  const std::size_t expected = vector < 0 ? 1 : vector == 0 ? 2 : 4;
  std::vector<Term> found = term.kind == Term::Kind::vector ? term.items : std::vector<Term>{term};
  if (found.size() != expected) s.fail("a vector of another size");
  s.i.count = static_cast<std::uint8_t>(expected);
  return found;
}

// Type, order and space of a load or a store; nothing: not a type of memory.
std::optional<Space> take_access(Statement& s) {
  const Type t = s.take_type();
  if (size_of(t) == 0 || size_of(t) > 8) return std::nullopt;
  take_order(s);
  if (s.terms.size() != 2) s.fail("the number of operands");
  s.i.bytes = size_of(t);
  s.i.is_signed = is_signed(t);
  return take_space(s);
}

Handler load(Statement& s) {
  const std::optional<Space> space = take_access(s);
  if (!space) return nullptr;
  bool is_whole = true;
  const std::vector<Term> to = elements(s, s.terms[0]);
  for (std::size_t k = 0; k < to.size(); ++k) {
    s.i.out[k] = to[k].kind == Term::Kind::sink ? s.target(to[k], s.i.bytes) : s.target_of_any_size(to[k]);
    if (s.i.out[k].bytes < s.i.bytes) s.fail("a register too small");
    is_whole = is_whole && s.i.out[k].bytes == s.i.bytes;
  }
  s.address(s.terms[1], *space);
  if (*space == Space::param && s.i.mode != 0) return &load_parameter;
  if (!is_whole || s.i.bytes == 1) return &load_extended;
  return s.i.bytes == 2 ? &load_whole<u16> : s.i.bytes == 4 ? &load_whole<u32> : &load_whole<u64>;
}

Handler store_of(Statement& s) {
  const std::optional<Space> space = take_access(s);
  if (!space) return nullptr;
  const std::vector<Term> from = elements(s, s.terms[1]);
  for (std::size_t k = 0; k < from.size(); ++k) {
    s.i.in[k] = s.source_of_any_size(from[k], s.i.bytes);
    if (s.i.in[k].bytes < s.i.bytes) s.fail("a register too small");
  }
  s.address(s.terms[0], *space);
  if (*space != Space::param) return &store;
  return s.i.mode == 1 ? &store_parameter : nullptr;
}

// ---- atomics: lane by lane ----

enum Change : std::uint8_t { add, minimum, maximum, increment, decrement, bit_and, bit_or, bit_xor, exchange, compare };

template <class T>
T changed(Change change, T old, T b, T c) {
  if constexpr (std::is_floating_point_v<T>) {
    return change == add ? canonical(old + b) : change == exchange ? b : old;
  } else {
    switch (change) {
      case add: return static_cast<T>(static_cast<u64>(old) + static_cast<u64>(b));
      case minimum: return std::min(old, b);
      case maximum: return std::max(old, b);
      case increment: return old >= b ? T{0} : static_cast<T>(old + 1);
      case decrement: return old == 0 || old > b ? b : static_cast<T>(old - 1);
      case bit_and: return old & b;
      case bit_or: return old | b;
      case bit_xor: return old ^ b;
      case exchange: return b;
      default: return old == b ? c : old;
    }
  }
}

template <class T>
void atomic(Warp& w, const Instruction& i) {
  for_lanes(w.exec, [&](int lane) {
    before_write(w, i, lane);
    locate(w, i, lane, sizeof(T), Kind::atomic_read);  // it must be initialised
    char* const p = locate(w, i, lane, sizeof(T), Kind::atomic_write);
    T old{};
    std::memcpy(&old, p, sizeof(T));
    const T b = w.in<T>(i.in[0])[lane], c = i.in[1].is_given ? w.in<T>(i.in[1])[lane] : T{};
    // A register of the address may be the one that gets the old value.
    const T now = changed(static_cast<Change>(i.count), old, b, c);
    std::memcpy(p, &now, sizeof(T));
    if (i.out[0].is_given) w.out<T>(i.out[0])[lane] = old;
    after_write(w);
    after_read(w, i, lane);
  });
}

Handler atomic_of(Statement& s, bool is_reduction) {
  const Type t = s.take_type();
  take_order(s);
  s.i.flags |= strong;
  const Space space = take_space(s);
  const int change = s.take_one_of({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"});
  s.take("noftz");
  if (change < 0) return nullptr;
  s.i.count = static_cast<std::uint8_t>(change);
  s.i.bytes = size_of(t);
  std::size_t k = 0;
  if (!is_reduction) s.i.out[0] = s.target(s.terms.at(k++), size_of(t));
  const Term place = s.terms.at(k++);
  if (s.terms.size() != k + (change == compare ? 2 : 1)) s.fail("the number of operands");
  s.i.in[0] = s.source(s.terms[k], size_of(t));
  if (change == compare) s.i.in[1] = s.source(s.terms[k + 1], size_of(t));
  s.address(place, space);
  switch (t) {
    case Type::f64: return change == add || change == exchange ? &atomic<double> : nullptr;
    case Type::f32: return change == add || change == exchange ? &atomic<float> : nullptr;
    case Type::s32: return &atomic<s32>;
    case Type::s64: return &atomic<s64>;
    case Type::u32:
    case Type::b32: return &atomic<u32>;
    case Type::u64:
    case Type::b64: return &atomic<u64>;
    case Type::b16:
    case Type::u16: return change == compare ? &atomic<u16> : nullptr;
    default: return nullptr;
  }
}

void fence(Warp& w, const Instruction&) {
  if (Watch* const watch = w.block->launch->watch) for_lanes(w.exec, [&](int lane) { watch->fence(w.place(lane)); });
}
void nothing(Warp&, const Instruction&) {}

// cp.async: done at once, which is one of the times it may be done at.
void copy_asynchronously(Warp& w, const Instruction& i) {
  Instruction source = i;
  source.space = Space::global;
  source.in[4] = i.in[0];
  source.offset = i.slot.at;
  for_lanes(w.exec, [&](int lane) {
    const char* const from = locate(w, source, lane, i.bytes, Kind::read);
    char value[16];
    std::memcpy(value, from, i.bytes);
    char* const to = locate(w, i, lane, i.bytes, Kind::write);
    std::memcpy(to, value, i.bytes);
    after_write(w);
  });
}

Handler asynchronous_copy(Statement& s) {
  if (s.take("commit_group") || s.take("wait_group") || s.take("wait_all")) return s.take("async"), &nothing;
  if (!s.take("async") || !(s.take("ca") || s.take("cg"))) return nullptr;
  while (s.take_prefix("L2::")) {}
  if (!(s.take("shared") || s.take("shared::cta")) || !s.take("global")) return nullptr;
  if (s.terms.size() != 3 || s.terms[2].kind != Term::Kind::number || s.terms[1].kind != Term::Kind::address)
    return nullptr;
  s.i.bytes = static_cast<std::uint8_t>(s.terms[2].value.bits);
  s.i.in[0] = s.source(s.terms[1].items[0], 8);
  s.i.slot.at = static_cast<std::int32_t>(s.terms[1].offset);
  s.address(s.terms[0], Space::shared);
  return &copy_asynchronously;
}

}  // namespace

Handler memory_access(Statement& s) {
  if (s.name == "ld" || s.name == "ldu") return load(s);
  if (s.name == "st") return store_of(s);
  if (s.name == "atom") return atomic_of(s, false);
  if (s.name == "red" && !s.take("async")) return atomic_of(s, true);
  if (s.name == "membar" || s.name == "fence") {
    s.take_one_of({"gl", "cta", "sys", "gpu", "cluster"});
    s.take_one_of({"sc", "acq_rel", "acquire", "release"});
    return s.take("proxy") ? nullptr : &fence;
  }
  if (s.name == "prefetch" || s.name == "prefetchu" || s.name == "discard" || s.name == "applypriority") {
    s.modifiers.clear();
    return &nothing;
  }
  if (s.name == "cp") return asynchronous_copy(s);
  return nullptr;
}

}  // namespace ritz::ptx
