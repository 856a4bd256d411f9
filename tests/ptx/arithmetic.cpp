// Sums, products, quotients and functions of numbers, rounded to the nearest.
#include "tests/ptx/lanes.hpp"

#include <algorithm>

namespace ritz::ptx {
namespace {

template <class T>
inline constexpr bool is_number = std::is_floating_point_v<T>;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (is_number<T>) return canonical(a + b);
    else return static_cast<T>(a + b);
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (is_number<T>) return canonical(a - b);
    else return static_cast<T>(a - b);
  }
};
struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (is_number<T>) return canonical(a * b);
    else return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
  }
};
struct MultiplyAdd {
  template <class T>
  T operator()(T a, T b, T c) const {
    if constexpr (is_number<T>) return canonical(std::fma(a, b, c));
    else return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b) + static_cast<u64>(c));
  }
};
struct MultiplyHigh {
  u32 operator()(u32 a, u32 b) const { return static_cast<u32>(u64{a} * b >> 32); }
  s32 operator()(s32 a, s32 b) const { return static_cast<s32>(s64{a} * b >> 32); }
  u16 operator()(u16 a, u16 b) const { return static_cast<u16>(u32{a} * b >> 16); }
  s16 operator()(s16 a, s16 b) const { return static_cast<s16>(s32{a} * b >> 16); }
  u64 operator()(u64 a, u64 b) const { return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64); }
  s64 operator()(s64 a, s64 b) const { return static_cast<s64>(static_cast<__int128>(a) * b >> 64); }
};
struct MultiplyAddHigh {
  template <class T>
  T operator()(T a, T b, T c) const {
    return static_cast<T>(static_cast<u64>(MultiplyHigh{}(a, b)) + static_cast<u64>(c));
  }
};
template <class R>
struct Wide {  // R: of twice the size
  template <class T>
  R operator()(T a, T b) const {
    return static_cast<R>(static_cast<R>(a) * static_cast<R>(b));
  }
  template <class T>
  R operator()(T a, T b, R c) const {
    using U = std::make_unsigned_t<R>;
    return static_cast<R>(static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(c));
  }
};
// A GPU does not trap: x / 0 has all bits, x % 0 is x.
struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (is_number<T>) return canonical(a / b);
    else if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - static_cast<u64>(a));
    else return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (is_number<T>) {
      if (a != a) return canonical(b);
      if (b != b) return a;
      if (a == b) return std::signbit(a) ? a : b;  // -0 below +0
    }
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (is_number<T>) {
      if (a != a) return canonical(b);
      if (b != b) return a;
      if (a == b) return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
  }
};
template <class Extreme>
struct OrNan {  // .NaN: a not-a-number wins
  template <class T>
  T operator()(T a, T b) const {
    return a != a ? canonical(a) : b != b ? canonical(b) : Extreme{}(a, b);
  }
};
struct Absolute {
  template <class T>
  T operator()(T a) const {
    if constexpr (is_number<T>) return std::fabs(a);
    else return static_cast<T>(a < 0 ? 0 - static_cast<u64>(a) : static_cast<u64>(a));
  }
};
struct Negate {
  template <class T>
  T operator()(T a) const {
    if constexpr (is_number<T>) return -a;
    else return static_cast<T>(0 - static_cast<u64>(a));
  }
};
struct SquareRoot {
  template <class T>
  T operator()(T a) const {
    return canonical(std::sqrt(a));
  }
};
struct Reciprocal {
  template <class T>
  T operator()(T a) const {
    return canonical(T{1} / a);
  }
};
// No standard says their bits, and a GPU's differ: the closest number stands for them.
struct InverseRoot {
  template <class T>
  T operator()(T a) const {
    return canonical(static_cast<T>(1 / std::sqrt(static_cast<long double>(a))));
  }
};
struct Exponential {
  float operator()(float a) const { return canonical(static_cast<float>(std::exp2(static_cast<double>(a)))); }
};
struct Logarithm {
  float operator()(float a) const { return canonical(static_cast<float>(std::log2(static_cast<double>(a)))); }
};
struct Sine {
  float operator()(float a) const { return canonical(static_cast<float>(std::sin(static_cast<double>(a)))); }
};
struct Cosine {
  float operator()(float a) const { return canonical(static_cast<float>(std::cos(static_cast<double>(a)))); }
};
struct Tangent {
  float operator()(float a) const { return canonical(static_cast<float>(std::tanh(static_cast<double>(a)))); }
};
// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: the low word is zero.
template <class Op>
struct HighWord {
  double operator()(double a) const {
    return __builtin_bit_cast(double, __builtin_bit_cast(u64, Op{}(a)) & 0xffffffff00000000u);
  }
};

struct SaturatedAdd {
  s32 operator()(s32 a, s32 b) const { return static_cast<s32>(std::clamp<s64>(s64{a} + b, INT32_MIN, INT32_MAX)); }
};
struct SaturatedSubtract {
  s32 operator()(s32 a, s32 b) const { return static_cast<s32>(std::clamp<s64>(s64{a} - b, INT32_MIN, INT32_MAX)); }
};
struct AbsoluteDifference {
  template <class T>
  T operator()(T a, T b, T c) const {
    return static_cast<T>(static_cast<u64>(c) + (a < b ? static_cast<u64>(b) - static_cast<u64>(a)
                                                       : static_cast<u64>(a) - static_cast<u64>(b)));
  }
};

// ---- sums with a carry ----

// mode: 0 add, 1 sub, 2 mad.lo, 3 mad.hi; bit 2: takes the carry; bit 3: gives one
template <class T>
void with_carry(Warp& w, const Instruction& i) {
  const T *a = w.in<T>(i.in[0]), *b = w.in<T>(i.in[1]), *c = w.in<T>(i.in[2]);
  T* const d = w.out<T>(i.out[0]);
  const int kind = i.mode & 3;
  const bool takes = (i.mode & 4) != 0, gives = (i.mode & 8) != 0;
  Mask carry = w.carry;
  for_lanes(w.exec, [&](int lane) {
    const unsigned __int128 in = takes ? w.carry >> lane & 1 : 0;
    unsigned __int128 sum = 0;
    if (kind == 0) sum = static_cast<unsigned __int128>(a[lane]) + b[lane] + in;
    else if (kind == 1) sum = static_cast<unsigned __int128>(a[lane]) - b[lane] - in;
    else {
      const unsigned __int128 product = static_cast<unsigned __int128>(a[lane]) * b[lane];
      sum = (kind == 2 ? static_cast<T>(product) : static_cast<T>(product >> (8 * sizeof(T)))) +
            static_cast<unsigned __int128>(c[lane]) + in;
    }
    d[lane] = static_cast<T>(sum);
    const Mask out = static_cast<Mask>(sum >> (8 * sizeof(T)) & 1);
    carry = (carry & ~(Mask{1} << lane)) | out << lane;
  });
  if (gives) w.carry = carry;
}

Handler carried(Statement& s, int kind, bool takes) {
  s.i.mode = static_cast<std::uint8_t>(kind | (takes ? 4 : 0) | (s.take("cc") ? 8 : 0));
  const Type t = s.take_type();
  if (kind >= 2) {
    s.operands({t}, {t, t, t});
  } else {
    s.operands({t}, {t, t});
    s.i.in[2] = s.i.in[1];
  }
  return size_of(t) == 8 ? &with_carry<u64> : &with_carry<u32>;
}

// ---- numbers of two bytes: products and sums in double, rounded once ----

float half_to_float(u16 bits) {
  const u32 sign = static_cast<u32>(bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000u | fraction << 13);
  const float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                    : std::ldexp(static_cast<float>(1024 + fraction), static_cast<int>(exponent) - 25);
  return sign != 0 ? -value : value;
}
float bfloat_to_float(u16 bits) { return __builtin_bit_cast(float, static_cast<u32>(bits) << 16); }

// To `digits` binary digits, not below `lowest` as exponent of the last one, ties to even.
double rounded_to(double x, int digits, int lowest) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  std::frexp(x, &exponent);
  const int last = std::max(exponent - digits, lowest);
  return std::ldexp(std::nearbyint(std::ldexp(x, -last)), last);
}

}  // namespace

u16 to_half(double x) {
  const u16 sign = std::signbit(x) ? 0x8000 : 0;
  if (x != x) return 0x7fff;
  const double r = std::fabs(rounded_to(x, 11, -24));
  if (r > 65504) return sign | 0x7c00;
  if (r < std::ldexp(1.0, -14)) return static_cast<u16>(sign | static_cast<u16>(std::ldexp(r, 24)));
  const int exponent = std::ilogb(r);
  return static_cast<u16>(sign | (exponent + 15) << 10 | (static_cast<int>(std::ldexp(r, 10 - exponent)) & 1023));
}
u16 to_bfloat(double x) {
  if (x != x) return 0x7fff;
  const double r = rounded_to(x, 8, -133);
  return static_cast<u16>(__builtin_bit_cast(u32, static_cast<float>(r)) >> 16);
}
float from_half(u16 bits) { return half_to_float(bits); }
float from_bfloat(u16 bits) { return bfloat_to_float(bits); }

namespace {

template <class Op, bool IsBfloat>
struct Short {
  template <class... T>
  u16 operator()(T... x) const {
    const double r =
        Op{}((IsBfloat ? static_cast<double>(bfloat_to_float(x)) : static_cast<double>(half_to_float(x)))...);
    return IsBfloat ? to_bfloat(r) : to_half(r);
  }
};
template <class Op, bool IsBfloat>
struct ShortPair {
  template <class... T>
  u32 operator()(T... x) const {
    const Short<Op, IsBfloat> op{};
    return op(static_cast<u16>(x)...) | static_cast<u32>(op(static_cast<u16>(x >> 16)...)) << 16;
  }
};
template <class Op, int N>
Handler of_short_floats(Type t) {
  switch (t) {
    case Type::f16: return same_type<Short<Op, false>, N, u16>();
    case Type::bf16: return same_type<Short<Op, true>, N, u16>();
    case Type::f16x2: return same_type<ShortPair<Op, false>, N, u32>();
    case Type::bf16x2: return same_type<ShortPair<Op, true>, N, u32>();
    default: return nullptr;
  }
}
bool is_short_float(Type t) { return t == Type::f16 || t == Type::bf16 || t == Type::f16x2 || t == Type::bf16x2; }

bool is_rounded_otherwise(const Statement& s) {
  return std::ranges::any_of(s.modifiers, [](std::string_view m) { return m == "rz" || m == "rm" || m == "rp"; });
}

template <class Op>
Handler sum_or_difference(Statement& s, int kind) {
  if (std::ranges::find(s.modifiers, "cc") != s.modifiers.end()) return carried(s, kind, false);
  s.take("rn");
  const Type t = s.take_type();
  s.operands({t}, {t, t});
  if (is_short_float(t)) return s.take("ftz"), of_short_floats<Op, 2>(t);
  if (is_float(t)) return floats<Op, 2>(s, t);
  if (t == Type::s32 && s.take("sat"))
    return kind == 0 ? &each<s32, SaturatedAdd, s32, s32> : &each<s32, SaturatedSubtract, s32, s32>;
  return of_unsigned<Op, 2>(t);
}

template <int N>
Handler wide(Statement& s, Type t) {
  const bool is_sign = is_signed(t);
  const auto choose = [&]<class S, class U, class SR, class UR>(S, U, SR, UR) -> Handler {
    if constexpr (N == 2) return is_sign ? Handler{&each<SR, Wide<SR>, S, S>} : Handler{&each<UR, Wide<UR>, U, U>};
    else return is_sign ? Handler{&each<SR, Wide<SR>, S, S, SR>} : Handler{&each<UR, Wide<UR>, U, U, UR>};
  };
  const Type r = size_of(t) == 2 ? Type::b32 : Type::b64;
  if (N == 2) s.operands({r}, {t, t});
  else s.operands({r}, {t, t, r});
  return size_of(t) == 2   ? choose(s16{}, u16{}, s32{}, u32{})
         : size_of(t) == 4 ? choose(s32{}, u32{}, s64{}, u64{})
                           : nullptr;
}

Handler product(Statement& s) {
  s.take("rn");
  const Type t = s.take_type();
  if (s.take("wide")) return wide<2>(s, t);
  s.operands({t}, {t, t});
  if (is_short_float(t)) return s.take("ftz"), of_short_floats<Multiply, 2>(t);
  if (is_float(t)) return floats<Multiply, 2>(s, t);
  if (s.take("hi")) return of_integers<MultiplyHigh, 2>(t);
  s.take("lo");
  return of_unsigned<Multiply, 2>(t);
}

Handler multiply_add(Statement& s) {
  if (s.name == "madc" || std::ranges::find(s.modifiers, "cc") != s.modifiers.end()) {
    const bool high = s.take("hi");
    s.take("lo");
    return carried(s, high ? 3 : 2, s.name == "madc");
  }
  s.take("rn");
  const Type t = s.take_type();
  if (s.take("wide")) return wide<3>(s, t);
  s.operands({t}, {t, t, t});
  if (is_short_float(t)) return s.take("ftz"), of_short_floats<MultiplyAdd, 3>(t);
  if (is_float(t)) return floats<MultiplyAdd, 3>(s, t);
  if (s.take("hi")) return of_integers<MultiplyAddHigh, 3>(t);
  s.take("lo");
  return of_unsigned<MultiplyAdd, 3>(t);
}

// A GPU's quotient by zero is any number (PTX ISA, "div", "rem").
template <class T, class Op>
void divided(Warp& w, const Instruction& i) {
  const T* const b = w.in<T>(i.in[1]);
  for_lanes(w.exec, [&](int lane) {
    if (b[lane] == 0) w.fail("arithmetic", "an integer is divided by zero", lane);
  });
  each<T, Op, T, T>(w, i);
}
template <class Op>
Handler quotient_of_integers(Type t) {
  switch (t) {
    case Type::s16: return &divided<s16, Op>;
    case Type::s32: return &divided<s32, Op>;
    case Type::s64: return &divided<s64, Op>;
    case Type::u16: return &divided<u16, Op>;
    case Type::u32: return &divided<u32, Op>;
    case Type::u64: return &divided<u64, Op>;
    default: return nullptr;
  }
}
Handler quotient(Statement& s) {
  s.take_one_of({"rn", "approx", "full"});
  const Type t = s.take_type();
  s.operands({t}, {t, t});
  return is_float(t) ? floats<Divide, 2>(s, t) : quotient_of_integers<Divide>(t);
}

template <class Extreme>
Handler extreme(Statement& s) {
  const bool or_nan = s.take("NaN");
  const Type t = s.take_type();
  s.operands({t}, {t, t});
  if (is_short_float(t)) return of_short_floats<Extreme, 2>(t);
  if (is_float(t)) return or_nan ? floats<OrNan<Extreme>, 2>(s, t) : floats<Extreme, 2>(s, t);
  return of_integers<Extreme, 2>(t);
}

template <class Op>
Handler sign(Statement& s) {
  const Type t = s.take_type();
  s.operands({t}, {t});
  if (is_short_float(t)) return s.take("ftz"), of_short_floats<Op, 1>(t);
  if (is_float(t)) return floats<Op, 1>(s, t);
  return of_integers<Op, 1>(t);
}

template <class Op>
Handler function_of_float(Statement& s) {
  s.take("approx");
  const Type t = s.take_type();
  s.operands({t}, {t});
  if (s.take("ftz")) s.i.flags |= flush_subnormals;
  return t == Type::f32 ? (s.i.flags != 0 ? &each<float, Modified<Op>, float> : &each<float, Op, float>) : nullptr;
}

template <class Op>
Handler root_or_reciprocal(Statement& s) {
  const bool is_rough = s.take("approx");
  s.take("rn");
  const Type t = s.take_type();
  s.operands({t}, {t});
  if (is_rough && t == Type::f64) {
    s.take("ftz");
    return &each<double, HighWord<Op>, double>;
  }
  return floats<Op, 1>(s, t);
}

struct Dot4 {
  bool a_signed, b_signed;
  explicit Dot4(const Instruction& i) : a_signed((i.mode & 1) != 0), b_signed((i.mode & 2) != 0) {}
  static s32 byte(u32 x, int k, bool is_signed) {
    const u32 bits = x >> (8 * k) & 255;
    return is_signed ? static_cast<std::int8_t>(bits) : static_cast<s32>(bits);
  }
  u32 operator()(u32 a, u32 b, u32 c) const {
    for (int k = 0; k < 4; ++k) c += static_cast<u32>(byte(a, k, a_signed) * byte(b, k, b_signed));
    return c;
  }
};

Handler dot(Statement& s) {
  const Type b = s.take_type(), a = s.take_type();
  s.i.mode = static_cast<std::uint8_t>((is_signed(a) ? 1 : 0) | (is_signed(b) ? 2 : 0));
  s.operands({a}, {a, b, a});
  return &each<u32, Dot4, u32, u32, u32>;
}

template <bool NegatesProduct, bool NegatesAddend>
struct FusedSum {
  template <class T>
  T operator()(T a, T b, T c) const {
    return canonical(std::fma(NegatesProduct ? -a : a, b, NegatesAddend ? -c : c));
  }
};

template <bool NegatesProduct, bool NegatesAddend>
Handler fused(bool is_double) {
  using Op = FusedSum<NegatesProduct, NegatesAddend>;
  return is_double ? same_type<Op, 3, double>() : same_type<Op, 3, float>();
}

}  // namespace

Handler fused_sum(bool negates_product, bool negates_addend, bool is_double) {
  if (negates_product) return negates_addend ? fused<true, true>(is_double) : fused<true, false>(is_double);
  return negates_addend ? fused<false, true>(is_double) : fused<false, false>(is_double);
}

Handler arithmetic(Statement& s) {
  if (is_rounded_otherwise(s)) return nullptr;
  if (s.name == "add") return sum_or_difference<Add>(s, 0);
  if (s.name == "sub") return sum_or_difference<Subtract>(s, 1);
  if (s.name == "addc") return carried(s, 0, true);
  if (s.name == "subc") return carried(s, 1, true);
  if (s.name == "mul") return product(s);
  if (s.name == "mad" || s.name == "fma" || s.name == "madc") return multiply_add(s);
  if (s.name == "div") return quotient(s);
  if (s.name == "rem") {
    const Type t = s.take_type();
    s.operands({t}, {t, t});
    return quotient_of_integers<Remainder>(t);
  }
  if (s.name == "min") return extreme<Minimum>(s);
  if (s.name == "max") return extreme<Maximum>(s);
  if (s.name == "abs") return sign<Absolute>(s);
  if (s.name == "neg") return sign<Negate>(s);
  if (s.name == "sqrt") return root_or_reciprocal<SquareRoot>(s);
  if (s.name == "rcp") return root_or_reciprocal<Reciprocal>(s);
  if (s.name == "rsqrt") return root_or_reciprocal<InverseRoot>(s);
  if (s.name == "ex2") return function_of_float<Exponential>(s);
  if (s.name == "lg2") return function_of_float<Logarithm>(s);
  if (s.name == "sin") return function_of_float<Sine>(s);
  if (s.name == "cos") return function_of_float<Cosine>(s);
  if (s.name == "tanh") return function_of_float<Tangent>(s);
  if (s.name == "dp4a") return dot(s);
  if (s.name == "sad") {
    const Type t = s.take_type();
    s.operands({t}, {t, t, t});
    return of_integers<AbsoluteDifference, 3>(t);
  }
  return nullptr;
}

}  // namespace ritz::ptx
