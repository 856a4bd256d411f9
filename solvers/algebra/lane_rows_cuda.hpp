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

// A lane in single or double precision, to compute with in double.
template <class Real>
constexpr double in_double(const Real* x, LanePlace p) {
  return static_cast<double>(at(x, p));
}
template <class Real>
constexpr void store_double(double value, Real* x, LanePlace p) {
  at(x, p) = static_cast<Real>(value);
}

template <int K>
using LaneSums = Sums<K>;

// Like made_ready(), for a thread that has one lane of all its rows.
template <class F>
constexpr decltype(auto) made_ready(const F& f, int lane) {
  if constexpr (requires { f.ready(lane); }) return f.ready(lane);
  else return (f);
}

// thread = lane of a row, with a stride of the whole grid
template <class F>
__global__ void for_each_lane_kernel(Index rows, const __grid_constant__ F f) {
  constexpr int rows_at_once = block_threads / lane_count;
  const int lane = threadIdx.x % lane_count;
  const auto& now = made_ready(f, lane);
  const Index stride = Index{gridDim.x} * rows_at_once;
  for (Index row = Index{blockIdx.x} * rows_at_once + threadIdx.x / lane_count; row < rows; row += stride)
    now(LanePlace{row, lane});
}

template <class F>
void for_each_lane(const Device& device, const char* name, Index rows, const F& f) {
  if (rows == 0) return;
  const LaunchScope launch(device, name);
  const Index blocks = std::min<Index>((rows * lane_count + block_threads - 1) / block_threads, Index{1} << 30);
  start(device, {blocks}, for_each_lane_kernel<F>, rows, f);
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

// block = `share` rows, thread = one lane of every 32nd of them; the last block adds those of all blocks, in their
// order
template <int K, class F>
__global__ void reduce_lanes_kernel(Index rows, Index share, const __grid_constant__ F f, Sums<K>* partial,
                                    unsigned* ticket, double* result) {
  constexpr int rows_at_once = block_threads / lane_count;
  const int lane = threadIdx.x % lane_count;
  const auto& now = made_ready(f, lane);
  const Index first = Index{blockIdx.x} * share;
  const Index last = first + share < rows ? first + share : rows;
  Sums<K> mine;
  for (Index row = first + threadIdx.x / lane_count; row < last; row += rows_at_once)
    mine.add(now(LanePlace{row, lane}));
  const Sums<K> of_block = sum_lanes_of_block(mine);
  if (threadIdx.x < lane_count) partial[Index{blockIdx.x} * lane_count + lane] = of_block;
  if (!is_last_block(ticket)) return;
  mine = {};
  for (unsigned block = threadIdx.x / lane_count; block < gridDim.x; block += rows_at_once)
    mine.add(partial[Index{block} * lane_count + lane]);
  const Sums<K> sum = sum_lanes_of_block(mine);
  if (threadIdx.x < lane_count)
    for (int k = 0; k < K; ++k) result[k * lane_count + lane] = sum.value[k];
}

template <int K, class F>
void reduce_lanes(const Device& device, const char* name, Index rows, const F& f, double* result) {
  const Index share = share_of_block(rows, block_threads / lane_count),
              blocks = std::max<Index>((rows + share - 1) / share, 1);
  Array<Sums<K>> partial(device, blocks * lane_count, "reductions");
  const LaunchScope launch(device, name);
  start(device, {blocks}, reduce_lanes_kernel<K, F>, rows, share, f, partial.data(), device.machine().ticket(), result);
}

// Eight quotients that may still have to be computed when the launch is queued: every thread reads its lane's, once.
class LaneRatio {
 public:
  struct OfLane {
    double known;
    constexpr double at(LanePlace) const { return known; }
  };
  LaneRatio(const Device&, const double* numerator, const double* denominator, unsigned lanes)
      : numerator_(numerator), denominator_(denominator), lanes_(lanes) {}
  constexpr double at(LanePlace p) const {
    return (lanes_ >> p.lane & 1) != 0 && denominator_[p.lane] > 0 ? numerator_[p.lane] / denominator_[p.lane] : 0.0;
  }
  constexpr OfLane ready(int lane) const { return {at(LanePlace{0, lane})}; }

 private:
  const double *numerator_, *denominator_;
  unsigned lanes_;
};

}  // namespace ritz::RITZ_BACKEND
