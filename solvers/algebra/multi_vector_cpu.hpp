// Products and combinations of lanes on a CPU. One register holds a row of Y.
#pragma once

#include "solvers/algebra/lane_rows.hpp"
#include "solvers/algebra/multi_vector_kernels.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

struct LaneGram {
  LaneRow<double> row[lane_count] = {};
};

// Columns first .. first + 3 of x against all of y: four sums fit the registers of AVX2 as well.
inline void add_products(const double* x, const double* y, Index rows, int first, LaneGram& sum) {
  LaneRow<double> part[4] = {};
  for (Index row = 0; row < rows; ++row)
    for (int i = 0; i < 4; ++i) part[i] += x[row * lane_count + first + i] * at(y, LanePlace{row});
  for (int i = 0; i < 4; ++i) sum.row[first + i] += part[i];
}

void gram(const Device& device, Index rows, const double* x, const double* y, double* result) {
  constexpr Index piece = 64;  // rows of x and y that stay in the first-level cache for both halves
  const Index blocks = (rows + lane_block - 1) / lane_block;
  constexpr int entries = lane_count * lane_count;
  Array<double> partial(device, std::max<Index>(blocks, 1) * entries, "reductions");
  const LaunchScope launch(device, "gram");
  double* const parts = partial.data();
#pragma omp parallel for num_threads(device.team(blocks)) schedule(static)
  for (Index block = 0; block < blocks; ++block) {
    LaneGram sum;
    const Index end = std::min(rows, (block + 1) * lane_block);
    for (Index first = block * lane_block; first < end; first += piece)
      for (const int half : {0, 4})
        add_products(x + first * lane_count, y + first * lane_count, std::min(piece, end - first), half, sum);
    for (int i = 0; i < lane_count; ++i) sum.row[i].store(parts + block * entries + i * lane_count);
  }
  LaneGram sum;
  for (Index block = 0; block < blocks; ++block)
    for (int i = 0; i < lane_count; ++i) sum.row[i] += LaneRow<double>::load(parts + block * entries + i * lane_count);
  for (int i = 0; i < lane_count; ++i) sum.row[i].store(result + i * lane_count);
}

struct Combine {
  Index rows;
  const double* x;
  const LaneMatrices* C;
  double beta, *y;
  template <class Place>
  constexpr void operator()(Place p) const {
    LaneRow<double> sum{}, other{};
    if (beta != 0) sum = beta * at(y, p);
    for (int g = 0; g < C->count; ++g) {
      const double* xg = x + (g * rows + p.row) * lane_count;
      for (int i = 0; i < lane_count; i += 2) {
        sum += xg[i] * at(C->value[g * lane_count], LanePlace{i});
        other += xg[i + 1] * at(C->value[g * lane_count], LanePlace{i + 1});
      }
    }
    at(y, p) = sum + other;
  }
};

void combine(const Device& device, Index rows, const double* x, const LaneMatrices& C, double beta, double* y) {
  for_each_lane(device, "combine", rows, Combine{rows, x, &C, beta, y});
}

}  // namespace
}  // namespace ritz::RITZ_BACKEND
