// Eight doubles that are computed with at once: the number type of element kernels on a CPU, one lane per element, and
// of solvers' kernels for several right-hand sides, one lane per column. Eight everywhere (one AVX-512 register, two
// AVX2 registers), so that data layouts and the order of sums do not depend on the processor. For kernel sources
// compiled by g++ only; nvcc never sees it.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

namespace ritz {
inline constexpr int lane_count = 8;  // elements of a batch or columns of a group, on every device
}

#ifndef __CUDACC__
namespace ritz::RITZ_BACKEND {

#ifdef __AVX512F__
inline constexpr int register_bytes = 64;
#else
inline constexpr int register_bytes = 32;
#endif

// In a struct of its own: g++ 12 mixes up Pack(T) and Pack(Register) when the vector type is declared inside Pack.
template <class Real, int Lanes>
struct PackRegister {
  typedef Real type __attribute__((vector_size(Lanes * sizeof(Real))));
  typedef Real in_memory __attribute__((vector_size(Lanes * sizeof(Real)), aligned(sizeof(Real)), may_alias));
};

// In two registers. One vector type wider than a register would do the same, but g++ keeps such vectors in memory:
// kernels were up to fourteen times slower (AVX2, g++ 12.2, `ritz-bench`, 22 November 2026).
template <class R, int Lanes, bool OneRegister = Lanes * sizeof(R) <= register_bytes>
struct PackOf {
  using Half = PackOf<R, Lanes / 2>;
  using Real = R;
  static constexpr int lanes = Lanes;
  Half low, high;

  PackOf() = default;
  // Spelled out: as a block of bytes g++ copies halves of registers, for which whole ones then have to wait.
  PackOf(const PackOf& p) : low(p.low), high(p.high) {}
  PackOf& operator=(const PackOf& p) {
    low = p.low;
    high = p.high;
    return *this;
  }
  PackOf(double x) : low(x), high(x) {}  // NOLINT: numbers mix with packs as they do in formulas
  static PackOf joined(Half low, Half high) {
    PackOf p;
    p.low = low;
    p.high = high;
    return p;
  }
  Half low_half() const { return low; }
  Half high_half() const { return high; }

  // From and to Lanes numbers in a row, of this or of the other precision.
  template <class S>
  static PackOf load(const S* from) {
    return joined(Half::load(from), Half::load(from + Lanes / 2));
  }
  template <class S>
  void store(S* to) const {
    low.store(to);
    high.store(to + Lanes / 2);
  }
  // of_lane(l) for each lane l from First on.
  template <int First = 0, class F>
  static PackOf gathered(const F& of_lane) {
    return joined(Half::template gathered<First>(of_lane), Half::template gathered<First + Lanes / 2>(of_lane));
  }
  static PackOf chosen(PackOf condition, PackOf a, PackOf b) {
    return joined(Half::chosen(condition.low, a.low, b.low), Half::chosen(condition.high, a.high, b.high));
  }

  friend PackOf operator+(PackOf a, PackOf b) { return joined(a.low + b.low, a.high + b.high); }
  friend PackOf operator-(PackOf a, PackOf b) { return joined(a.low - b.low, a.high - b.high); }
  friend PackOf operator*(PackOf a, PackOf b) { return joined(a.low * b.low, a.high * b.high); }
  friend PackOf operator/(PackOf a, PackOf b) { return joined(a.low / b.low, a.high / b.high); }
  friend PackOf operator-(PackOf a) { return joined(-a.low, -a.high); }
  PackOf& operator+=(PackOf b) { return *this = *this + b; }
  PackOf& operator-=(PackOf b) { return *this = *this - b; }
  PackOf& operator*=(PackOf b) { return *this = *this * b; }
};

// In one register, or in a part of one.
template <class R, int Lanes>
struct PackOf<R, Lanes, true> {
  using Half = PackOf<R, Lanes / 2>;
  using Real = R;
  using Register = typename PackRegister<Real, Lanes>::type;
  static constexpr int lanes = Lanes;
  Register v;

  PackOf() = default;
  PackOf(double x) : v(Register{} + static_cast<Real>(x)) {}  // NOLINT: numbers mix with packs as they do in formulas
  explicit PackOf(Register r, int) : v(r) {}
  static PackOf of(Register r) { return PackOf(r, 0); }
  static PackOf joined(Half low, Half high) { return of(join(low, high, std::make_integer_sequence<int, Lanes>())); }
  Half low_half() const { return part<0>(std::make_integer_sequence<int, Lanes / 2>()); }
  Half high_half() const { return part<Lanes / 2>(std::make_integer_sequence<int, Lanes / 2>()); }

  template <class S>
  static PackOf load(const S* from) {
    using Source = typename PackRegister<S, Lanes>::in_memory;
    if constexpr (Lanes * sizeof(S) <= register_bytes)
      return of(__builtin_convertvector(*reinterpret_cast<const Source*>(from), Register));
    else return joined(Half::load(from), Half::load(from + Lanes / 2));
  }
  template <class S>
  void store(S* to) const {
    using Target = typename PackRegister<S, Lanes>::in_memory;
    if constexpr (Lanes * sizeof(S) <= register_bytes) {
      *reinterpret_cast<Target*>(to) = __builtin_convertvector(v, Target);
    } else {
      low_half().store(to);
      high_half().store(to + Lanes / 2);
    }
  }
  // Spelled out: assigned lane by lane, g++ builds the register with masked broadcasts.
  template <int First = 0, class F>
  static PackOf gathered(const F& of_lane) {
    return of(gather<First>(of_lane, std::make_integer_sequence<int, Lanes>()));
  }
  static PackOf chosen(PackOf condition, PackOf a, PackOf b) { return of(condition.v > 0 ? a.v : b.v); }

  friend PackOf operator+(PackOf a, PackOf b) { return of(a.v + b.v); }
  friend PackOf operator-(PackOf a, PackOf b) { return of(a.v - b.v); }
  friend PackOf operator*(PackOf a, PackOf b) { return of(a.v * b.v); }
  friend PackOf operator/(PackOf a, PackOf b) { return of(a.v / b.v); }
  friend PackOf operator-(PackOf a) { return of(-a.v); }
  // clang-format off
  PackOf& operator+=(PackOf b) { v += b.v; return *this; }
  PackOf& operator-=(PackOf b) { v -= b.v; return *this; }
  PackOf& operator*=(PackOf b) { v *= b.v; return *this; }
  // clang-format on

 private:
  template <int... L>
  static Register join(Half low, Half high, std::integer_sequence<int, L...>) {
    return __builtin_shufflevector(low.v, high.v, L...);
  }
  template <int First, int... L>
  Half part(std::integer_sequence<int, L...>) const {
    return Half::of(__builtin_shufflevector(v, v, (First + L)...));
  }
  template <int First, class F, int... L>
  static Register gather(const F& of_lane, std::integer_sequence<int, L...>) {
    return Register{static_cast<Real>(of_lane(First + L))...};
  }
};
using Pack = PackOf<double, lane_count>;
using SinglePack = PackOf<float, 2 * lane_count>;  // two batches of elements in single precision

template <class Real, int Lanes, class F>
inline PackOf<Real, Lanes> map_lanes(PackOf<Real, Lanes> a, F f) {
  Real x[Lanes];
  a.store(x);
  for (int l = 0; l < Lanes; ++l) x[l] = static_cast<Real>(f(x[l]));
  return PackOf<Real, Lanes>::load(x);
}
template <class R, int L>
inline PackOf<R, L> select(PackOf<R, L> condition, PackOf<R, L> a, PackOf<R, L> b) {
  return PackOf<R, L>::chosen(condition, a, b);
}

template <class R, int L>
inline PackOf<R, L> sqrt(PackOf<R, L> a) {
  return map_lanes(a, [](R x) { return std::sqrt(x); });
}
template <class R, int L>
inline PackOf<R, L> exp(PackOf<R, L> a) {
  return map_lanes(a, [](R x) { return std::exp(x); });
}
template <class R, int L>
inline PackOf<R, L> log(PackOf<R, L> a) {
  return map_lanes(a, [](R x) { return std::log(x); });
}
template <class R, int L>
inline PackOf<R, L> sin(PackOf<R, L> a) {
  return map_lanes(a, [](R x) { return std::sin(x); });
}
template <class R, int L>
inline PackOf<R, L> cos(PackOf<R, L> a) {
  return map_lanes(a, [](R x) { return std::cos(x); });
}
template <class R, int L>
inline PackOf<R, L> pow(PackOf<R, L> a, double b) {
  return map_lanes(a, [b](R x) { return std::pow(x, static_cast<R>(b)); });
}

}  // namespace ritz::RITZ_BACKEND
#endif
