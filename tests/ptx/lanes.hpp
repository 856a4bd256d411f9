// Applies an operation to the lanes of a warp: loops that the compiler turns into vector instructions.
#pragma once

#include "tests/ptx/decode.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ritz::ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

template <class Op>
Op made(const Instruction& i) {
  if constexpr (std::is_constructible_v<Op, const Instruction&>) return Op(i);
  else return Op{};
}

template <class R, class Op, class... A, std::size_t... K>
void each_at(Warp& w, const Instruction& i, std::index_sequence<K...>) {
  R* const d = w.out<R>(i.out[0]);
  const std::tuple<const A*...> a(w.in<A>(i.in[K])...);
  const Op op = made<Op>(i);
  if (w.exec == all_lanes) {
#pragma GCC ivdep
    for (int lane = 0; lane < lanes; ++lane) d[lane] = static_cast<R>(op(std::get<K>(a)[lane]...));
    return;
  }
  for_lanes(w.exec, [&](int lane) { d[lane] = static_cast<R>(op(std::get<K>(a)[lane]...)); });
}

// out[0] of type R = Op(in[0], in[1], ...) of types A
template <class R, class Op, class... A>
void each(Warp& w, const Instruction& i) {
  each_at<R, Op, A...>(w, i, std::index_sequence_for<A...>{});
}

// Chooses the handler each<T, Op, T...> (N sources) for a type by its name.
template <class Op, int N, class T>
constexpr Handler same_type() {
  if constexpr (N == 1) return &each<T, Op, T>;
  else if constexpr (N == 2) return &each<T, Op, T, T>;
  else return &each<T, Op, T, T, T>;
}

template <class Op, int N>
Handler of_unsigned(Type t) {  // for operations that do not care about the sign
  switch (size_of(t)) {
    case 2: return same_type<Op, N, std::uint16_t>();
    case 4: return same_type<Op, N, std::uint32_t>();
    case 8: return same_type<Op, N, std::uint64_t>();
    default: return nullptr;
  }
}
template <class Op, int N>
Handler of_integers(Type t) {
  switch (t) {
    case Type::s16: return same_type<Op, N, std::int16_t>();
    case Type::s32: return same_type<Op, N, std::int32_t>();
    case Type::s64: return same_type<Op, N, std::int64_t>();
    default: return of_unsigned<Op, N>(t);
  }
}
template <class Op, int N>
Handler of_floats(Type t) {
  return t == Type::f64 ? same_type<Op, N, double>() : t == Type::f32 ? same_type<Op, N, float>() : nullptr;
}

// NVIDIA's GPUs return one not-a-number of 4 bytes (PTX ISA, "Floating Point Instructions").
inline float canonical(float x) { return x != x ? __builtin_bit_cast(float, 0x7fffffffu) : x; }
inline double canonical(double x) { return x; }

inline float flushed(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; }
inline double flushed(double x) { return x; }

// Op with .ftz and .sat as the instruction says.
template <class Op>
struct Modified {
  bool flush, saturates;
  explicit Modified(const Instruction& i)
      : flush((i.flags & flush_subnormals) != 0), saturates((i.flags & saturate) != 0) {}
  template <class... T>
  auto operator()(T... x) const {
    auto r = flush ? flushed(Op{}(flushed(x)...)) : Op{}(x...);
    if (saturates) r = r > 0 ? r < 1 ? r : 1 : 0;  // also of not-a-numbers and of -0
    return r;
  }
};

// f32 and f64, with the flags that the statement has.
template <class Op, int N>
Handler floats(Statement& s, Type t) {
  if (s.take("ftz")) s.i.flags |= flush_subnormals;
  if (s.take("sat")) s.i.flags |= saturate;
  return s.i.flags != 0 ? of_floats<Modified<Op>, N>(t) : of_floats<Op, N>(t);
}

}  // namespace ritz::ptx
