// for_each and reduce on a CPU: threads over contiguous ranges, vector instructions inside.
#pragma once

#include "device/array.hpp"

#include <algorithm>

namespace ritz::RITZ_BACKEND {

template <class F>
void run_range(const F& f, Index first, Index last) {
#pragma GCC ivdep
  for (Index i = first; i < last; ++i) f(i);
}

template <class F>
void for_each(const Device& device, const char* name, Index count, const F& f) {
  const LaunchScope launch(device, name);
  constexpr Index grain = 2048;  // fewer entries than this are not worth a second thread
  const Index parts = std::min<Index>(device.threads(), (count + grain - 1) / grain);
  if (parts <= 1) return run_range(f, 0, count);
#pragma omp parallel for num_threads(device.team(parts)) schedule(static)
  for (Index part = 0; part < parts; ++part) run_range(f, count * part / parts, count * (part + 1) / parts);
}

// Sum over one block in eight independent lanes: one serial sum would wait for the adder at every entry.
template <int K, class F>
Sums<K> sum_range(const F& f, Index first, Index last) {
  constexpr int lanes = 8;
  double lane_sum[K][lanes] = {};
  Index i = first;
  for (; i + lanes <= last; i += lanes) {
    double values[K][lanes];
#pragma GCC ivdep
    for (int l = 0; l < lanes; ++l) {
      const Sums<K> value = f(i + l);
      for (int k = 0; k < K; ++k) values[k][l] = value.value[k];
    }
    for (int k = 0; k < K; ++k)
      for (int l = 0; l < lanes; ++l) lane_sum[k][l] += values[k][l];
  }
  for (; i < last; ++i) {
    const Sums<K> value = f(i);
    for (int k = 0; k < K; ++k) lane_sum[k][i % lanes] += value.value[k];
  }
  Sums<K> sum;
  for (int k = 0; k < K; ++k)
    for (int l = 0; l < lanes; ++l) sum.value[k] += lane_sum[k][l];
  return sum;
}

template <int K, class F>
void reduce(const Device& device, const char* name, Index count, const F& f, double* result) {
  const Index blocks = (count + reduction_block - 1) / reduction_block;
  Array<Sums<K>> partial(device, std::max<Index>(blocks, 1), "reductions");
  const LaunchScope launch(device, name);
  Sums<K>* const parts = partial.data();
#pragma omp parallel for num_threads(device.team(blocks)) schedule(static)
  for (Index block = 0; block < blocks; ++block)
    parts[block] = sum_range<K>(f, block * reduction_block, std::min(count, (block + 1) * reduction_block));
  Sums<K> sum;
  for (Index block = 0; block < blocks; ++block) sum.add(parts[block]);
  for (int k = 0; k < K; ++k) result[k] = sum.value[k];
}

}  // namespace ritz::RITZ_BACKEND
