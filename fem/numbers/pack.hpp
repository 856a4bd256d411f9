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
struct PackRegister {
  typedef double type __attribute__((vector_size(lane_count * sizeof(double))));
};

struct Pack {
  using Register = PackRegister::type;
  Register v;

  Pack() = default;
  Pack(double x) : v{x, x, x, x, x, x, x, x} {}  // NOLINT: numbers mix with packs as they do in formulas
  explicit Pack(Register r, int) : v(r) {}
  static Pack of(Register r) { return Pack(r, 0); }

  friend Pack operator+(Pack a, Pack b) { return of(a.v + b.v); }
  friend Pack operator-(Pack a, Pack b) { return of(a.v - b.v); }
  friend Pack operator*(Pack a, Pack b) { return of(a.v * b.v); }
  friend Pack operator/(Pack a, Pack b) { return of(a.v / b.v); }
  friend Pack operator-(Pack a) { return of(-a.v); }
  Pack& operator+=(Pack b) { v += b.v; return *this; }
  Pack& operator-=(Pack b) { v -= b.v; return *this; }
  Pack& operator*=(Pack b) { v *= b.v; return *this; }
};

template <class F>
inline Pack map_lanes(Pack a, F f) {
  Pack result;
  for (int l = 0; l < lane_count; ++l) result.v[l] = f(a.v[l]);
  return result;
}
inline Pack sqrt(Pack a) { return map_lanes(a, [](double x) { return __builtin_sqrt(x); }); }
inline Pack exp(Pack a) { return map_lanes(a, [](double x) { return std::exp(x); }); }
inline Pack log(Pack a) { return map_lanes(a, [](double x) { return std::log(x); }); }
inline Pack sin(Pack a) { return map_lanes(a, [](double x) { return std::sin(x); }); }
inline Pack cos(Pack a) { return map_lanes(a, [](double x) { return std::cos(x); }); }
inline Pack pow(Pack a, double b) { return map_lanes(a, [b](double x) { return std::pow(x, b); }); }

}  // namespace ritz::RITZ_BACKEND
#endif
