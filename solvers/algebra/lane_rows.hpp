// Kernel sources over groups of 8 lanes ([row][8], see multi_vector.hpp), written once: a functor is called with a
// place and reads and writes through at(). On a CPU a place is a row and at() is its 8 lanes in a register; on a GPU a
// place is a row and a lane, at() is one number, and neighbouring threads have neighbouring lanes.
//
//   template <class Real> struct Axpy { Real a; const Real* x; Real* y;
//     template <class Place> constexpr void operator()(Place p) const { at(y, p) += a * at(x, p); } };
//   for_each_lane(device, "axpy", rows, Axpy<double>{a, x, y});
//   reduce_lanes<2>(device, "dots", rows, f, result);    // result[k][lane]; f returns LaneSums<2> for a place
//
// A plain Index is a place too, of arrays without lanes: kernels of single vectors and of lanes can share their
// functors.
#pragma once

#include "device/launch.hpp"
#include "device/pack.hpp"

#include <type_traits>

namespace ritz::RITZ_BACKEND {

inline constexpr Index lane_block = 512;  // rows that are summed together

template <class Real>
constexpr Real& at(Real* x, Index i) {
  return x[i];
}
template <class Real>
constexpr Real of_row(const Real* x, Index i) {
  return x[i];
}  // the same number for all lanes of a row

}  // namespace ritz::RITZ_BACKEND

#ifdef __CUDACC__
#include "solvers/algebra/lane_rows_cuda.hpp"
#else
#include "solvers/algebra/lane_rows_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {

// Result type of a functor for reduce (places are indices) and reduce_lanes.
template <int K, class Place>
using SumsAt = std::conditional_t<std::is_same_v<Place, Index>, Sums<K>, LaneSums<K>>;

}  // namespace ritz::RITZ_BACKEND
