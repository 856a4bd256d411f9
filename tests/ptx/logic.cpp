// Bits, comparisons, selections and moves.
#include "tests/ptx/lanes.hpp"

#include <algorithm>
#include <bit>

namespace ritz::ptx {
namespace {

struct And {
  template <class T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct IsZero {
  template <class T>
  T operator()(T a) const {
    return a == 0 ? 1 : 0;
  }
};
// Amounts beyond the size give what shifting one by one would.
struct ShiftLeft {
  template <class T>
  T operator()(T a, u32 n) const {
    return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(static_cast<u64>(a) << n);
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T a, u32 n) const {
    constexpr u32 last = 8 * sizeof(T) - 1;
    if (n > last) return std::is_signed_v<T> ? static_cast<T>(a >> last) : T{0};
    return static_cast<T>(a >> n);
  }
};
struct CountOnes {
  template <class T>
  u32 operator()(T a) const {
    return static_cast<u32>(std::popcount(a));
  }
};
struct CountLeadingZeros {
  template <class T>
  u32 operator()(T a) const {
    return static_cast<u32>(std::countl_zero(a));
  }
};
struct Reverse {
  template <class T>
  T operator()(T a) const {
    T r = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k) r |= static_cast<T>((a >> k & 1) << (8 * sizeof(T) - 1 - k));
    return r;
  }
};
struct FindLeading {  // the most significant one that is no sign; with .shiftamt the shift that brings it to the top
  bool as_shift;
  explicit FindLeading(const Instruction& i) : as_shift(i.mode != 0) {}
  template <class T>
  u32 operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(a < 0 ? ~a : a);
    if (bits == 0) return 0xffffffffu;
    const u32 position = static_cast<u32>(8 * sizeof(T) - 1 - static_cast<unsigned>(std::countl_zero(bits)));
    return as_shift ? static_cast<u32>(8 * sizeof(T) - 1) - position : position;
  }
};
struct ExtractBits {  // beyond the last bit: its sign
  template <class T>
  T operator()(T a, u32 b, u32 c) const {
    constexpr u32 size = 8 * sizeof(T);
    const u32 position = b & 255, length = c & 255;
    if (length == 0) return 0;
    // The wanted bits at the top, with as many signs as are missing, then down again.
    const T down =
        position >= size ? static_cast<T>(std::is_signed_v<T> ? a >> (size - 1) : T{0}) : static_cast<T>(a >> position);
    if (length >= size) return down;
    const u32 spare = size - length;
    const bool within = position + length <= size;
    if (!within) return down;
    return static_cast<T>(static_cast<T>(static_cast<std::make_unsigned_t<T>>(down) << spare) >> spare);
  }
};
struct InsertBits {  // a into b
  template <class T>
  T operator()(T a, T b, u32 c, u32 d) const {
    constexpr u32 size = 8 * sizeof(T);
    const u32 position = c & 255, length = d & 255;
    if (position >= size || length == 0) return b;
    const T mask = static_cast<T>((length >= size ? ~T{0} : static_cast<T>((T{1} << length) - 1)) << position);
    return static_cast<T>((b & ~mask) | (static_cast<T>(a << position) & mask));
  }
};
struct BitMask {  // ones from bit a, b of them
  bool wraps;
  explicit BitMask(const Instruction& i) : wraps(i.mode != 0) {}
  u32 operator()(u32 a, u32 b) const {
    if (wraps) a &= 31, b &= 31;
    if (a >= 32 || b == 0) return 0;
    const u32 ones = b >= 32 ? ~0u : (1u << b) - 1;
    return ones << a;
  }
};
struct Extend {  // szext
  bool wraps, is_sign;
  explicit Extend(const Instruction& i) : wraps(i.mode != 0), is_sign(i.is_signed) {}
  u32 operator()(u32 a, u32 b) const {
    const u32 n = wraps ? b & 31 : std::min(b, 32u);
    if (n >= 32) return a;
    if (n == 0) return 0;
    const u32 low = a & ((1u << n) - 1);
    return is_sign && (low >> (n - 1) & 1) != 0 ? low | ~((1u << n) - 1) : low;
  }
};
struct Permute {
  int mode;
  explicit Permute(const Instruction& i) : mode(i.mode) {}
  u32 operator()(u32 a, u32 b, u32 c) const {
    const u64 bytes = a | u64{b} << 32;
    u32 r = 0;
    for (unsigned k = 0; k < 4; ++k) {
      u32 byte = 0;
      if (mode == 0) {
        const u32 which = c >> (4 * k) & 15;
        byte = static_cast<u32>(bytes >> (8 * (which & 7)) & 255);
        if ((which & 8) != 0) byte = (byte & 0x80) != 0 ? 255 : 0;
      } else {
        byte = static_cast<u32>(bytes >> (8 * place(c & 3, k)) & 255);
      }
      r |= byte << (8 * k);
    }
    return r;
  }
  unsigned place(u32 c, unsigned k) const {
    switch (mode) {
      case 1: return c + k;                   // f4e
      case 2: return (8 + c - k) & 7;         // b4e
      case 3: return c;                       // rc8
      case 4: return std::max(c, k);          // ecl
      case 5: return std::min(c, k);          // ecr
      default: return (c & 1) * 2 + (k & 1);  // rc16
    }
  }
};
struct FunnelShift {  // of b:a
  bool left, clamps;
  explicit FunnelShift(const Instruction& i) : left((i.mode & 1) != 0), clamps((i.mode & 2) != 0) {}
  u32 operator()(u32 a, u32 b, u32 c) const {
    const u32 n = clamps ? std::min(c, 32u) : c & 31;
    const u64 both = u64{b} << 32 | a;
    return left ? static_cast<u32>(both << n >> 32) : static_cast<u32>(both >> n);
  }
};
struct Table3 {  // lop3: any function of three bits
  unsigned table;
  explicit Table3(const Instruction& i) : table(static_cast<unsigned>(i.offset)) {}
  u32 operator()(u32 a, u32 b, u32 c) const {
    u32 r = 0;
    for (unsigned k = 0; k < 8; ++k)
      if ((table >> k & 1) != 0) r |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
    return r;
  }
};
struct CopySign {  // a's sign, b's size
  template <class T>
  T operator()(T a, T b) const {
    return std::copysign(b, a);
  }
};
struct SelectBySign {
  template <class T, class C>
  T operator()(T a, T b, C c) const {
    return c >= 0 ? a : b;
  }
};

// ---- comparisons ----

enum Relation { eq, ne, lt, le, gt, ge };

template <Relation R, bool OrUnordered>
struct Compare {
  template <class T>
  bool operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a || b != b) return OrUnordered;
    }
    switch (R) {
      case eq: return a == b;
      case ne: return a != b;
      case lt: return a < b;
      case le: return a <= b;
      case gt: return a > b;
      default: return a >= b;
    }
  }
};
template <bool Wanted>
struct BothNumbers {
  template <class T>
  bool operator()(T a, T b) const {
    return (a == a && b == b) == Wanted;
  }
};

// mode: how another predicate is combined (0 not at all, 1 and, 2 or, 3 xor)
template <class T, class C>
void set_predicate(Warp& w, const Instruction& i) {
  const T *a = w.in<T>(i.in[0]), *b = w.in<T>(i.in[1]);
  Mask m = 0;
  for (int lane = 0; lane < lanes; ++lane) m |= static_cast<Mask>(C{}(a[lane], b[lane])) << lane;
  Mask other = ~m;
  if (i.mode != 0) {
    const Mask p = w.predicate(i.in[2]);
    const auto combined = [&](Mask x) { return i.mode == 1 ? x & p : i.mode == 2 ? x | p : x ^ p; };
    m = combined(m);
    other = combined(other);
  }
  w.set_predicate(i.out[0], m);
  if (i.out[1].is_given) w.set_predicate(i.out[1], other);
}

template <class C>
Handler predicate_of(Type t, bool is_sign) {
  if (t == Type::f64) return &set_predicate<double, C>;
  if (t == Type::f32) return &set_predicate<float, C>;
  switch (size_of(t)) {
    case 2: return is_sign ? &set_predicate<s16, C> : &set_predicate<u16, C>;
    case 4: return is_sign ? &set_predicate<s32, C> : &set_predicate<u32, C>;
    case 8: return is_sign ? &set_predicate<s64, C> : &set_predicate<u64, C>;
    default: return nullptr;
  }
}

Handler comparison(Statement& s, Type t) {
  const bool sign = is_signed(t);
  if (is_float(t)) {
    switch (
        s.take_one_of({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"})) {
      case 0: return predicate_of<Compare<eq, false>>(t, false);
      case 1: return predicate_of<Compare<ne, false>>(t, false);
      case 2: return predicate_of<Compare<lt, false>>(t, false);
      case 3: return predicate_of<Compare<le, false>>(t, false);
      case 4: return predicate_of<Compare<gt, false>>(t, false);
      case 5: return predicate_of<Compare<ge, false>>(t, false);
      case 6: return predicate_of<Compare<eq, true>>(t, false);
      case 7: return predicate_of<Compare<ne, true>>(t, false);
      case 8: return predicate_of<Compare<lt, true>>(t, false);
      case 9: return predicate_of<Compare<le, true>>(t, false);
      case 10: return predicate_of<Compare<gt, true>>(t, false);
      case 11: return predicate_of<Compare<ge, true>>(t, false);
      case 12: return predicate_of<BothNumbers<true>>(t, false);
      case 13: return predicate_of<BothNumbers<false>>(t, false);
      default: return nullptr;
    }
  }
  switch (s.take_one_of({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"})) {
    case 0: return predicate_of<Compare<eq, false>>(t, false);
    case 1: return predicate_of<Compare<ne, false>>(t, false);
    case 2: return predicate_of<Compare<lt, false>>(t, sign);
    case 3: return predicate_of<Compare<le, false>>(t, sign);
    case 4: return predicate_of<Compare<gt, false>>(t, sign);
    case 5: return predicate_of<Compare<ge, false>>(t, sign);
    case 6: return predicate_of<Compare<lt, false>>(t, false);
    case 7: return predicate_of<Compare<le, false>>(t, false);
    case 8: return predicate_of<Compare<gt, false>>(t, false);
    case 9: return predicate_of<Compare<ge, false>>(t, false);
    default: return nullptr;
  }
}

// setp.CmpOp{.BoolOp}{.ftz}.type p[|q], a, b{, c};
Handler setp(Statement& s) {
  const Type t = s.take_type();
  s.take("ftz");
  const Handler handler = comparison(s, t);
  if (handler == nullptr || (is_float(t) && size_of(t) == 2)) return nullptr;
  s.i.mode = static_cast<std::uint8_t>(s.take_one_of({"and", "or", "xor"}) + 1);
  const std::size_t sources = s.i.mode != 0 ? 3 : 2;
  if (s.terms.size() != sources + 1 && s.terms.size() != sources + 2) s.fail("the number of operands");
  const std::size_t first = s.terms.size() - sources;
  s.i.out[0] = s.target(s.terms[0], 0);
  if (first == 2) s.i.out[1] = s.target(s.terms[1], 0);
  s.i.in[0] = s.source(s.terms[first], size_of(t));
  s.i.in[1] = s.source(s.terms[first + 1], size_of(t));
  if (s.i.mode != 0) s.i.in[2] = s.source(s.terms[first + 2], 0);
  return handler;
}

// ---- selections and moves ----

template <class T>
void select(Warp& w, const Instruction& i) {
  const Mask p = w.predicate(i.in[2]);
  const T *a = w.in<T>(i.in[0]), *b = w.in<T>(i.in[1]);
  T* const d = w.out<T>(i.out[0]);
  for_lanes(w.exec, [&](int lane) { d[lane] = (p >> lane & 1) != 0 ? a[lane] : b[lane]; });
}

struct Same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

void move_predicate(Warp& w, const Instruction& i) { w.set_predicate(i.out[0], w.predicate(i.in[0])); }

// mode: 0 and, 1 or, 2 xor, 3 not
void combine_predicates(Warp& w, const Instruction& i) {
  const Mask a = w.predicate(i.in[0]), b = i.in[1].is_given ? w.predicate(i.in[1]) : 0;
  w.set_predicate(i.out[0], i.mode == 0 ? a & b : i.mode == 1 ? a | b : i.mode == 2 ? a ^ b : ~a);
}

// Elements side by side in one register, and apart.
void pack(Warp& w, const Instruction& i) {
  for_lanes(w.exec, [&](int lane) {
    std::uint64_t bits = 0;
    for (int k = i.count - 1; k >= 0; --k) bits = bits << (8 * i.bytes) | w.lane_bits(i.in[k], lane);
    w.set_lane_bits(i.out[0], lane, bits);
  });
}
void unpack(Warp& w, const Instruction& i) {
  for_lanes(w.exec, [&](int lane) {
    std::uint64_t bits = w.lane_bits(i.in[0], lane);
    for (int k = 0; k < i.count; ++k, bits >>= 8 * i.bytes) w.set_lane_bits(i.out[k], lane, bits);
  });
}

Handler move(Statement& s) {
  const Type t = s.take_type();
  const std::uint8_t bytes = size_of(t);
  if (s.terms.size() != 2) s.fail("the number of operands");
  const Term &to = s.terms[0], &from = s.terms[1];
  if (to.kind == Term::Kind::vector || from.kind == Term::Kind::vector) {
    if (bytes > 8 || (to.kind == Term::Kind::vector && from.kind == Term::Kind::vector)) return nullptr;
    const bool packs = from.kind == Term::Kind::vector;
    const std::vector<Term>& items = packs ? from.items : to.items;
    if (items.empty() || items.size() > 4) return nullptr;
    s.i.count = static_cast<std::uint8_t>(items.size());
    s.i.bytes = static_cast<std::uint8_t>(bytes / items.size());
    for (std::size_t k = 0; k < items.size(); ++k)
      if (packs) s.i.in[k] = s.source(items[k], s.i.bytes);
      else s.i.out[k] = s.target(items[k], s.i.bytes);
    if (packs) s.i.out[0] = s.target(to, bytes);
    else s.i.in[0] = s.source(from, bytes);
    return packs ? &pack : &unpack;
  }
  s.operands({t}, {t});
  if (t == Type::pred) return &move_predicate;
  return bytes == 1 ? &each<std::uint8_t, Same, std::uint8_t> : of_unsigned<Same, 1>(t);
}

template <class Op>
Handler bitwise(Statement& s, int mode, int sources) {
  const Type t = s.take_type();
  if (sources == 1) s.operands({t}, {t});
  else s.operands({t}, {t, t});
  if (t == Type::pred) {
    s.i.mode = static_cast<std::uint8_t>(mode);
    return &combine_predicates;
  }
  if constexpr (std::is_same_v<Op, Not>) return of_unsigned<Op, 1>(t);
  else return of_unsigned<Op, 2>(t);
}

template <class Op>
Handler shift(Statement& s) {
  const Type t = s.take_type();
  s.operands({t}, {t, Type::u32});
  switch (size_of(t)) {
    case 2: return is_signed(t) ? &each<s16, Op, s16, u32> : &each<u16, Op, u16, u32>;
    case 4: return is_signed(t) ? &each<s32, Op, s32, u32> : &each<u32, Op, u32, u32>;
    case 8: return is_signed(t) ? &each<s64, Op, s64, u32> : &each<u64, Op, u64, u32>;
    default: return nullptr;
  }
}

Handler selection(Statement& s) {
  const Type t = s.take_type();
  s.operands({t}, {t, t, Type::pred});
  return size_of(t) == 2 ? &select<u16> : size_of(t) == 4 ? &select<u32> : size_of(t) == 8 ? &select<u64> : nullptr;
}

Handler selection_by_sign(Statement& s) {
  const Type c = s.take_type();
  s.take("ftz");
  const Type t = s.take_type();
  s.operands({t}, {t, t, c});
  const bool by_float = c == Type::f32;
  return size_of(t) == 4
             ? (by_float ? &each<u32, SelectBySign, u32, u32, float> : &each<u32, SelectBySign, u32, u32, s32>)
         : size_of(t) == 8
             ? (by_float ? &each<u64, SelectBySign, u64, u64, float> : &each<u64, SelectBySign, u64, u64, s32>)
             : nullptr;
}

Handler logical_not(Statement& s) {
  const Type t = s.take_type();
  s.operands({t}, {t});
  return of_unsigned<IsZero, 1>(t);
}

Handler count_of_bits(Statement& s) {
  const Type t = s.take_type();
  s.operands({Type::u32}, {t});
  if (s.name == "popc") return size_of(t) == 4 ? &each<u32, CountOnes, u32> : &each<u32, CountOnes, u64>;
  return size_of(t) == 4 ? &each<u32, CountLeadingZeros, u32> : &each<u32, CountLeadingZeros, u64>;
}

Handler reversal(Statement& s) {
  const Type t = s.take_type();
  s.operands({t}, {t});
  return of_unsigned<Reverse, 1>(t);
}

Handler leading_bit(Statement& s) {
  const Type t = s.take_type();
  s.i.mode = s.take("shiftamt") ? 1 : 0;
  s.operands({Type::u32}, {t});
  switch (t) {
    case Type::u32: return &each<u32, FindLeading, u32>;
    case Type::s32: return &each<u32, FindLeading, s32>;
    case Type::u64: return &each<u32, FindLeading, u64>;
    case Type::s64: return &each<u32, FindLeading, s64>;
    default: return nullptr;
  }
}

Handler extraction(Statement& s) {
  const Type t = s.take_type();
  s.operands({t}, {t, Type::u32, Type::u32});
  switch (t) {
    case Type::u32: return &each<u32, ExtractBits, u32, u32, u32>;
    case Type::s32: return &each<s32, ExtractBits, s32, u32, u32>;
    case Type::u64: return &each<u64, ExtractBits, u64, u32, u32>;
    case Type::s64: return &each<s64, ExtractBits, s64, u32, u32>;
    default: return nullptr;
  }
}

Handler insertion(Statement& s) {
  const Type t = s.take_type();
  s.operands({t}, {t, t, Type::u32, Type::u32});
  return size_of(t) == 4 ? &each<u32, InsertBits, u32, u32, u32, u32> : &each<u64, InsertBits, u64, u64, u32, u32>;
}

Handler mask_of_bits(Statement& s) {
  s.i.mode = s.take("wrap") ? 1 : 0;
  s.take("clamp");
  const Type t = s.take_type();
  s.operands({t}, {t, t});
  return &each<u32, BitMask, u32, u32>;
}

Handler extension(Statement& s) {
  s.i.mode = s.take("wrap") ? 1 : 0;
  s.take("clamp");
  const Type t = s.take_type();
  s.i.is_signed = is_signed(t);
  s.operands({t}, {t, Type::u32});
  return &each<u32, Extend, u32, u32>;
}

Handler permutation(Statement& s) {
  s.i.mode = static_cast<std::uint8_t>(s.take_one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}) + 1);
  const Type t = s.take_type();
  s.operands({t}, {t, t, t});
  return &each<u32, Permute, u32, u32, u32>;
}

Handler funnel_shift(Statement& s) {
  s.i.mode = static_cast<std::uint8_t>((s.take_one_of({"r", "l"}) == 1 ? 1 : 0) | (s.take("clamp") ? 2 : 0));
  s.take("wrap");
  const Type t = s.take_type();
  s.operands({t}, {t, t, Type::u32});
  return &each<u32, FunnelShift, u32, u32, u32>;
}

Handler table_of_three(Statement& s) {
  const Type t = s.take_type();
  if (s.terms.size() != 5 || s.terms[4].kind != Term::Kind::number) return nullptr;
  s.i.offset = static_cast<std::int64_t>(s.terms[4].value.bits);
  s.terms.pop_back();
  s.operands({t}, {t, t, t});
  return &each<u32, Table3, u32, u32, u32>;
}

Handler copied_sign(Statement& s) {
  const Type t = s.take_type();
  s.operands({t}, {t, t});
  return of_floats<CopySign, 2>(t);
}

constexpr struct {
  std::string_view name;
  Handler (*decode)(Statement& s);
} operations[] = {{"mov", move},
                  {"and", [](Statement& s) { return bitwise<And>(s, 0, 2); }},
                  {"or", [](Statement& s) { return bitwise<Or>(s, 1, 2); }},
                  {"xor", [](Statement& s) { return bitwise<Xor>(s, 2, 2); }},
                  {"not", [](Statement& s) { return bitwise<Not>(s, 3, 1); }},
                  {"shl", shift<ShiftLeft>},
                  {"shr", shift<ShiftRight>},
                  {"setp", setp},
                  {"selp", selection},
                  {"slct", selection_by_sign},
                  {"cnot", logical_not},
                  {"popc", count_of_bits},
                  {"clz", count_of_bits},
                  {"brev", reversal},
                  {"bfind", leading_bit},
                  {"bfe", extraction},
                  {"bfi", insertion},
                  {"bmsk", mask_of_bits},
                  {"szext", extension},
                  {"prmt", permutation},
                  {"shf", funnel_shift},
                  {"lop3", table_of_three},
                  {"copysign", copied_sign}};

}  // namespace

Handler logic(Statement& s) {
  for (const auto& operation : operations)
    if (s.name == operation.name) return operation.decode(s);
  return nullptr;
}

}  // namespace ritz::ptx
