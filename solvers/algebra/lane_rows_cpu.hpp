// Lanes on a CPU: one register (or two) per row, threads over ranges of rows.
#pragma once

#include <algorithm>

namespace ritz::RITZ_BACKEND {

template <class Real>
using LaneRow = PackOf<Real, lane_count>;

struct LanePlace {
  Index row;
};

template <class Real>
constexpr LaneRow<Real>& at(Real* x, LanePlace p) {
  return reinterpret_cast<LaneRow<Real>*>(x)[p.row];
}
template <class Real>
constexpr const LaneRow<Real>& at(const Real* x, LanePlace p) {
  return reinterpret_cast<const LaneRow<Real>*>(x)[p.row];
}
template <class Real>
constexpr Real of_row(const Real* x, LanePlace p) {
  return x[p.row];
}

// Lanes in single or double precision, to compute with in double.
template <class Real>
LaneRow<double> in_double(const Real* x, LanePlace p) {
  return LaneRow<double>::load(x + p.row * lane_count);
}
template <class Real>
void store_double(const LaneRow<double>& value, Real* x, LanePlace p) {
  value.store(x + p.row * lane_count);
}

template <int K>
struct LaneSums {
  LaneRow<double> value[K] = {};
};

template <class F>
void for_each_lane(const Device& device, const char* name, Index rows, const F& f) {
  const LaunchScope launch(device, name);
  const Index parts = std::min<Index>(device.threads(), (rows + lane_block - 1) / lane_block);
#pragma omp parallel for num_threads(device.team(parts)) schedule(static)
  for (Index part = 0; part < parts; ++part) {
    const Index end = rows * (part + 1) / parts;
#pragma GCC ivdep
    for (Index row = rows * part / parts; row < end; ++row) f(LanePlace{row});
  }
}

template <int K, class F>
void reduce_lanes(const Device& device, const char* name, Index rows, const F& f, double* result) {
  const Index blocks = (rows + lane_block - 1) / lane_block;
  Array<double> partial(device, std::max<Index>(blocks, 1) * K * lane_count, "reductions");
  const LaunchScope launch(device, name);
  double* const parts = partial.data();  // [block][k][lane]
#pragma omp parallel for num_threads(device.team(blocks)) schedule(static)
  for (Index block = 0; block < blocks; ++block) {
    const Index end = std::min(rows, (block + 1) * lane_block);
    LaneSums<K> sum[2];  // one serial sum would wait for the adder at every row
    Index row = block * lane_block;
    for (; row + 2 <= end; row += 2)
      for (int s = 0; s < 2; ++s) {
        const LaneSums<K> value = f(LanePlace{row + s});
        for (int k = 0; k < K; ++k) sum[s].value[k] += value.value[k];
      }
    if (row < end) {
      const LaneSums<K> value = f(LanePlace{row});
      for (int k = 0; k < K; ++k) sum[0].value[k] += value.value[k];
    }
    for (int k = 0; k < K; ++k) (sum[0].value[k] + sum[1].value[k]).store(parts + (block * K + k) * lane_count);
  }
  LaneSums<K> sum;
  for (Index block = 0; block < blocks; ++block)
    for (int k = 0; k < K; ++k) sum.value[k] += LaneRow<double>::load(parts + (block * K + k) * lane_count);
  for (int k = 0; k < K; ++k) sum.value[k].store(result + k * lane_count);
}

// Eight quotients of numbers on the device, as an argument of kernels: 0 unless the denominator is positive and the bit
// of the lane is set.
class LaneRatio {
 public:
  LaneRatio(const Device& device, const double* numerator, const double* denominator, unsigned lanes) {
    const LaunchScope launch(device, "ratio");
    double value[lane_count];
    for (int lane = 0; lane < lane_count; ++lane)
      value[lane] = (lanes >> lane & 1) != 0 && denominator[lane] > 0 ? numerator[lane] / denominator[lane] : 0.0;
    value_ = LaneRow<double>::load(value);
  }
  const LaneRow<double>& at(LanePlace) const { return value_; }

 private:
  LaneRow<double> value_;
};

}  // namespace ritz::RITZ_BACKEND
