// Lanes on a GPU: thread = (row, lane), lanes fastest: 8 numbers of a row are one 64-byte piece.
#pragma once

#include <algorithm>

namespace ritz::RITZ_BACKEND {

template <class Real>
using LaneRow = Real;

struct LanePlace {
  Index row;
  int lane;
};

template <class Real>
constexpr Real& at(Real* x, LanePlace p) {
  return x[p.row * lane_count + p.lane];
}
template <class Real>
constexpr Real of_row(const Real* x, LanePlace p) {
  return x[p.row];
}

template <int K>
using LaneSums = Sums<K>;

template <class F>
struct LaneTask {
  F f;
  constexpr void operator()(Index i) const { f(LanePlace{i / lane_count, static_cast<int>(i % lane_count)}); }
};

template <class F>
void for_each_lane(const Device& device, const char* name, Index rows, const F& f) {
  for_each(device, name, rows * lane_count, LaneTask<F>{f});
}

// The sums over the threads of a block that have the same lane; in the threads of the first row.
template <int K>
__device__ Sums<K> sum_lanes_of_block(Sums<K> mine) {
  __shared__ Sums<K> shared[block_threads];
  shared[threadIdx.x] = mine;
  for (int half = block_threads / 2; half >= lane_count; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x].add(shared[threadIdx.x + half]);
  }
  return shared[threadIdx.x];
}

// block = lane_block rows, thread = one lane of every 32nd of them
template <int K, class F>
__global__ void reduce_lanes_kernel(Index rows, const __grid_constant__ F f, Sums<K>* partial) {
  constexpr int rows_at_once = block_threads / lane_count;
  const int lane = threadIdx.x % lane_count;
  const Index first = Index{blockIdx.x} * lane_block;
  const Index last = first + lane_block < rows ? first + lane_block : rows;
  Sums<K> mine;
  for (Index row = first + threadIdx.x / lane_count; row < last; row += rows_at_once) mine.add(f(LanePlace{row, lane}));
  const Sums<K> sum = sum_lanes_of_block(mine);
  if (threadIdx.x < lane_count) partial[Index{blockIdx.x} * lane_count + lane] = sum;
}

// one block: thread = one lane of every 32nd partial sum
template <int K>
__global__ void reduce_lanes_partial_kernel(Index blocks, const Sums<K>* partial, double* result) {
  const int lane = threadIdx.x % lane_count;
  Sums<K> mine;
  for (Index block = threadIdx.x / lane_count; block < blocks; block += block_threads / lane_count)
    mine.add(partial[block * lane_count + lane]);
  const Sums<K> sum = sum_lanes_of_block(mine);
  if (threadIdx.x < lane_count)
    for (int k = 0; k < K; ++k) result[k * lane_count + lane] = sum.value[k];
}

template <int K, class F>
void reduce_lanes(const Device& device, const char* name, Index rows, const F& f, double* result) {
  const Index blocks = (rows + lane_block - 1) / lane_block;
  Array<Sums<K>> partial(device, std::max<Index>(blocks, 1) * lane_count, "reductions");
  const LaunchScope launch(device, name);
  if (blocks > 0) start(device, {blocks}, reduce_lanes_kernel<K, F>, rows, f, partial.data());
  start(device, {1}, reduce_lanes_partial_kernel<K>, blocks, partial.data(), result);
}

// Eight quotients that may still have to be computed when the launch is queued: every thread reads its lane's.
class LaneRatio {
 public:
  LaneRatio(const Device&, const double* numerator, const double* denominator, unsigned lanes)
      : numerator_(numerator), denominator_(denominator), lanes_(lanes) {}
  constexpr double at(LanePlace p) const {
    return (lanes_ >> p.lane & 1) != 0 && denominator_[p.lane] > 0 ? numerator_[p.lane] / denominator_[p.lane] : 0.0;
  }

 private:
  const double *numerator_, *denominator_;
  unsigned lanes_;
};

}  // namespace ritz::RITZ_BACKEND
