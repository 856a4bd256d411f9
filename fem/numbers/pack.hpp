// Eight doubles that are computed with at once: the number type of element kernels on a CPU, one lane per element.
// Eight everywhere (one AVX-512 register, two AVX2 registers), so that data layouts and the order of sums do not depend
// on the processor. For kernel sources compiled by g++ only; nvcc never sees it.
#pragma once

#include <cmath>
#include <cstdint>

namespace ritz {
inline constexpr int lane_count = 8;  // elements of a batch, on every device
}

#ifndef __CUDACC__
namespace ritz::RITZ_BACKEND {

// In a struct of its own: g++ 12 mixes up Pack(T) and Pack(Register) when the vector type is declared inside Pack.
template <class Real, int Lanes>
struct PackRegister {
  typedef Real type __attribute__((vector_size(Lanes * sizeof(Real))));
};

template <class R, int Lanes>
struct PackOf {
  using Real = R;
  using Register = typename PackRegister<Real, Lanes>::type;
  static constexpr int lanes = Lanes;
  Register v;

  PackOf() = default;
  PackOf(double x) : v(Register{} + static_cast<Real>(x)) {}  // NOLINT: numbers mix with packs as they do in formulas
  explicit PackOf(Register r, int) : v(r) {}
  static PackOf of(Register r) { return PackOf(r, 0); }

  friend PackOf operator+(PackOf a, PackOf b) { return of(a.v + b.v); }
  friend PackOf operator-(PackOf a, PackOf b) { return of(a.v - b.v); }
  friend PackOf operator*(PackOf a, PackOf b) { return of(a.v * b.v); }
  friend PackOf operator/(PackOf a, PackOf b) { return of(a.v / b.v); }
  friend PackOf operator-(PackOf a) { return of(-a.v); }
  PackOf& operator+=(PackOf b) { v += b.v; return *this; }
  PackOf& operator-=(PackOf b) { v -= b.v; return *this; }
  PackOf& operator*=(PackOf b) { v *= b.v; return *this; }
};
using Pack = PackOf<double, lane_count>;
using SinglePack = PackOf<float, 2 * lane_count>;  // two batches of elements in single precision

template <class Real, int Lanes, class F>
inline PackOf<Real, Lanes> map_lanes(PackOf<Real, Lanes> a, F f) {
  PackOf<Real, Lanes> result;
  for (int l = 0; l < Lanes; ++l) result.v[l] = static_cast<Real>(f(a.v[l]));
  return result;
}
template <class R, int L>
inline PackOf<R, L> select(PackOf<R, L> condition, PackOf<R, L> a, PackOf<R, L> b) {
  return PackOf<R, L>::of(condition.v > 0 ? a.v : b.v);
}

template <class R, int L>
inline PackOf<R, L> sqrt(PackOf<R, L> a) { return map_lanes(a, [](R x) { return std::sqrt(x); }); }
template <class R, int L>
inline PackOf<R, L> exp(PackOf<R, L> a) { return map_lanes(a, [](R x) { return std::exp(x); }); }
template <class R, int L>
inline PackOf<R, L> log(PackOf<R, L> a) { return map_lanes(a, [](R x) { return std::log(x); }); }
template <class R, int L>
inline PackOf<R, L> sin(PackOf<R, L> a) { return map_lanes(a, [](R x) { return std::sin(x); }); }
template <class R, int L>
inline PackOf<R, L> cos(PackOf<R, L> a) { return map_lanes(a, [](R x) { return std::cos(x); }); }
template <class R, int L>
inline PackOf<R, L> pow(PackOf<R, L> a, double b) { return map_lanes(a, [b](R x) { return std::pow(x, static_cast<R>(b)); }); }

}  // namespace ritz::RITZ_BACKEND
#endif
