// cvt, cvta and isspacep.
#include "tests/ptx/lanes.hpp"

#include <algorithm>
#include <cfenv>

namespace ritz::ptx {

std::uint16_t to_half(double x);
std::uint16_t to_bfloat(double x);
float from_half(std::uint16_t bits);
float from_bfloat(std::uint16_t bits);

namespace {

constexpr std::uint8_t not_negative = 4;  // .relu

enum Rounding : std::uint8_t { nearest, toward_zero, down, up };

// A conversion as the instruction says: types in count and bytes, the rounding in mode.
struct Conversion {
  Type to, from;
  Rounding rounding;
  bool to_integer_value;  // .rni and its like, of a floating-point number
};

double integer_value(double x, Rounding r) {
  switch (r) {
    case nearest: return std::nearbyint(x);
    case toward_zero: return std::trunc(x);
    case down: return std::floor(x);
    default: return std::ceil(x);
  }
}

double float_of_bits(u64 bits, Type t) {
  switch (t) {
    case Type::f64: return __builtin_bit_cast(double, bits);
    case Type::f32: return __builtin_bit_cast(float, static_cast<u32>(bits));
    case Type::f16: return from_half(static_cast<u16>(bits));
    default: return from_bfloat(static_cast<u16>(bits));
  }
}

s64 integer_of_bits(u64 bits, Type t) {  // unsigned ones of 8 bytes: the same bits
  switch (t) {
    case Type::s8: return static_cast<std::int8_t>(bits);
    case Type::s16: return static_cast<s16>(bits);
    case Type::s32: return static_cast<s32>(bits);
    case Type::u8:
    case Type::b8: return static_cast<std::uint8_t>(bits);
    case Type::u16:
    case Type::b16: return static_cast<u16>(bits);
    case Type::u32:
    case Type::b32: return static_cast<u32>(bits);
    default: return static_cast<s64>(bits);
  }
}

// PTX ISA, "cvt": out of range is the nearest end; a not-a-number is zero, or the sign bit alone where one of the two
// has 8 bytes.
u64 to_integer(double x, Type to, Type from) {
  const int size = 8 * size_of(to);
  if (x != x) return from == Type::f64 || size == 64 ? u64{1} << (size - 1) : 0;
  if (is_signed(to)) {
    const double end = std::ldexp(1.0, size - 1);
    if (x >= end) return (u64{1} << (size - 1)) - 1;
    if (x < -end) return ~u64{0} << (size - 1);
    return static_cast<u64>(static_cast<s64>(x));
  }
  const double end = std::ldexp(1.0, size);
  if (x >= end) return size == 64 ? ~u64{0} : (u64{1} << size) - 1;
  return x <= 0 ? 0 : static_cast<u64>(x);
}

u64 saturated_integer(s64 value, Type to, Type from) {
  const bool is_large = from == Type::u64 && value < 0;
  const int size = 8 * size_of(to);
  if (is_signed(to)) {
    const s64 most = size == 64 ? INT64_MAX : (s64{1} << (size - 1)) - 1;
    return static_cast<u64>(is_large ? most : std::clamp(value, -most - 1, most));
  }
  const u64 most = size == 64 ? ~u64{0} : (u64{1} << size) - 1;
  if (is_large) return most;
  return value < 0 ? 0 : std::min(static_cast<u64>(value), most);
}

int cpu_mode(Rounding r) {
  return r == toward_zero ? FE_TOWARDZERO : r == down ? FE_DOWNWARD : r == up ? FE_UPWARD : FE_TONEAREST;
}

template <class To, class From>
To rounded(From value, Rounding r) {
  if (r == nearest) return static_cast<To>(value);
  const int before = std::fegetround();
  std::fesetround(cpu_mode(r));
  volatile From from = value;
  volatile To to = static_cast<To>(from);
  std::fesetround(before);
  return to;
}

// Toward zero: the bits that do not fit are cut off.
u16 short_float(double x, Type t, Rounding r) {
  if (r == toward_zero && x == x) {
    const float f = rounded<float>(x, toward_zero);
    if (t == Type::bf16) return static_cast<u16>(__builtin_bit_cast(u32, f) >> 16);
    u16 bits = to_half(f);
    if (std::fabs(static_cast<double>(from_half(bits))) > std::fabs(x)) --bits;
    return bits;
  }
  return t == Type::f16 ? to_half(x) : to_bfloat(x);
}

u64 float_bits(double x, Type to, Rounding r) {
  switch (to) {
    case Type::f64: return __builtin_bit_cast(u64, x);
    case Type::f32: return __builtin_bit_cast(u32, canonical(rounded<float>(x, r)));
    default: return short_float(x, to, r);
  }
}

u64 converted(u64 bits, const Conversion& c, std::uint8_t flags) {
  if (is_float(c.from)) {
    double x = float_of_bits(bits, c.from);
    if ((flags & flush_subnormals) != 0 && c.from == Type::f32) x = flushed(static_cast<float>(x));
    if (!is_float(c.to)) return to_integer(integer_value(x, c.rounding), c.to, c.from);
    if (c.to_integer_value) x = integer_value(x, c.rounding);
    if ((flags & saturate) != 0) x = x > 0 ? x < 1 ? x : 1 : 0;
    if ((flags & not_negative) != 0) x = x < 0 ? 0 : x;
    const u64 result = float_bits(x, c.to, c.to_integer_value ? nearest : c.rounding);
    if ((flags & flush_subnormals) == 0 || c.to != Type::f32) return result;
    return __builtin_bit_cast(u32, flushed(__builtin_bit_cast(float, static_cast<u32>(result))));
  }
  const s64 value = integer_of_bits(bits, c.from);
  if (!is_float(c.to))
    return (flags & saturate) != 0 ? saturated_integer(value, c.to, c.from) : static_cast<u64>(value);
  const bool is_unsigned = c.from == Type::u64;
  if (c.to == Type::f64)
    return __builtin_bit_cast(
        u64, is_unsigned ? rounded<double>(static_cast<u64>(value), c.rounding) : rounded<double>(value, c.rounding));
  if (c.to == Type::f32)
    return __builtin_bit_cast(
        u32, is_unsigned ? rounded<float>(static_cast<u64>(value), c.rounding) : rounded<float>(value, c.rounding));
  return short_float(is_unsigned ? static_cast<double>(static_cast<u64>(value)) : static_cast<double>(value), c.to,
                     c.rounding);
}

// A register may be larger than the type: results are extended as the type says.
u64 extended(u64 bits, Type t) { return is_float(t) ? bits : static_cast<u64>(integer_of_bits(bits, t)); }

void convert(Warp& w, const Instruction& i) {
  const Conversion c{static_cast<Type>(i.count), static_cast<Type>(i.bytes), static_cast<Rounding>(i.mode & 3),
                     (i.mode & 4) != 0};
  for_lanes(w.exec, [&](int lane) {
    w.set_lane_bits(i.out[0], lane, extended(converted(w.lane_bits(i.in[0], lane), c, i.flags), c.to));
  });
}

// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
void convert_pair(Warp& w, const Instruction& i) {
  const Type to = static_cast<Type>(i.count) == Type::f16x2 ? Type::f16 : Type::bf16;
  const Conversion c{to, Type::f32, static_cast<Rounding>(i.mode & 3), false};
  for_lanes(w.exec, [&](int lane) {
    const u64 high = converted(w.lane_bits(i.in[0], lane), c, i.flags),
              low = converted(w.lane_bits(i.in[1], lane), c, i.flags);
    w.set_lane_bits(i.out[0], lane, high << 16 | low);
  });
}

struct Cast {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

Handler fast(Type to, Type from) {
  const auto is = [&](Type t, Type f) { return to == t && from == f; };
  if (is(Type::s64, Type::s32)) return &each<s64, Cast, s32>;
  if (is(Type::u64, Type::u32)) return &each<u64, Cast, u32>;
  if (is(Type::u32, Type::u64)) return &each<u32, Cast, u64>;
  if (is(Type::f64, Type::s32)) return &each<double, Cast, s32>;
  if (is(Type::f64, Type::u32)) return &each<double, Cast, u32>;
  if (is(Type::f64, Type::f32)) return &each<double, Cast, float>;
  return nullptr;
}

Handler cvt(Statement& s) {
  const Type from = s.take_type(), to = s.take_type();
  const int to_value = s.take_one_of({"rni", "rzi", "rmi", "rpi"});
  const int rounding = s.take_one_of({"rn", "rz", "rm", "rp"});
  s.i.mode = static_cast<std::uint8_t>(to_value >= 0 ? 4 | to_value : std::max(rounding, 0));
  if (s.take("ftz")) s.i.flags |= flush_subnormals;
  if (s.take("sat")) s.i.flags |= saturate;
  if (s.take("relu")) s.i.flags |= not_negative;
  s.i.count = static_cast<std::uint8_t>(to);
  s.i.bytes = static_cast<std::uint8_t>(from);
  if (to == Type::f16x2 || to == Type::bf16x2) {
    s.operands({to}, {from, from});
    return from == Type::f32 ? &convert_pair : nullptr;
  }
  if (s.terms.size() != 2) s.fail("the number of operands");
  s.i.out[0] = s.target_of_any_size(s.terms[0]);
  s.i.in[0] = s.source_of_any_size(s.terms[1], size_of(from));
  if (s.i.out[0].bytes < size_of(to) || s.i.in[0].bytes < size_of(from)) s.fail("a register too small");
  const bool is_plain = s.i.flags == 0 && (rounding <= 0) && to_value < 0 && s.i.out[0].bytes == size_of(to) &&
                        s.i.in[0].bytes == size_of(from);
  const Handler handler = is_plain ? fast(to, from) : nullptr;
  return handler != nullptr ? handler : &convert;
}

// ---- addresses: generic ones are those of the host ----

char* lane_memory(const Warp& w, int lane) { return w.local + static_cast<std::size_t>(lane) * local_stride; }

void convert_address(Warp& w, const Instruction& i) {
  const bool to_space = i.mode != 0;
  for_lanes(w.exec, [&](int lane) {
    u64 a = w.lane_bits(i.in[0], lane);
    u64 base = 0;
    if (i.space == Space::shared) base = reinterpret_cast<u64>(w.block->shared);
    if (i.space == Space::local) base = reinterpret_cast<u64>(lane_memory(w, lane));
    a = to_space ? a - base : a + base;
    w.set_lane_bits(i.out[0], lane, a);
  });
}

void is_in_space(Warp& w, const Instruction& i) {
  Mask m = 0;
  for_lanes(w.exec, [&](int lane) {
    const u64 a = w.lane_bits(i.in[0], lane);
    const bool shared = w.block->is_shared(a), local = a - reinterpret_cast<u64>(lane_memory(w, lane)) < local_stride;
    const bool is_in = i.space == Space::shared ? shared : i.space == Space::local ? local : !shared && !local;
    m |= static_cast<Mask>(is_in) << lane;
  });
  w.set_predicate(i.out[0], m);
}

std::optional<Space> space_of(Statement& s) {
  for (const auto& [name, space] : {std::pair{"global", Space::global},
                                    {"shared", Space::shared},
                                    {"shared::cta", Space::shared},
                                    {"local", Space::local},
                                    {"const", Space::constant},
                                    {"param", Space::param}})
    if (s.take(name)) return space;
  return std::nullopt;
}

}  // namespace

Handler conversion(Statement& s) {
  if (s.name == "cvt") return cvt(s);
  if (s.name == "cvta") {
    s.i.mode = s.take("to") ? 1 : 0;
    const auto space = space_of(s);
    if (!space) return nullptr;
    s.i.space = *space;
    const Type t = s.take_type();
    s.operands({t}, {t});
    return *space == Space::shared || *space == Space::local ? &convert_address : &each<u64, Cast, u64>;
  }
  if (s.name == "isspacep") {
    const auto space = space_of(s);
    if (!space) return nullptr;
    s.i.space = *space;
    s.operands({Type::pred}, {Type::u64});
    return &is_in_space;
  }
  return nullptr;
}

}  // namespace ritz::ptx
