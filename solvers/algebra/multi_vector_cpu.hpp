// Products and combinations of lanes on a CPU. One register holds a row of Y.
#pragma once

#include "solvers/algebra/lane_rows.hpp"
#include "solvers/algebra/multi_vector_kernels.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

struct LaneGram {
  LaneRow<double> row[lane_count] = {};
};

// Columns of x whose sums fit the registers together with y.
inline constexpr int gram_columns = register_bytes >= 64 ? 8 : 4;

inline void add_products(const double* x, const double* y, Index rows, int first, LaneGram& sum) {
  LaneRow<double> part[gram_columns] = {};
  for (Index row = 0; row < rows; ++row)
    for (int i = 0; i < gram_columns; ++i) part[i] += x[row * lane_count + first + i] * at(y, LanePlace{row});
  for (int i = 0; i < gram_columns; ++i) sum.row[first + i] += part[i];
}

// A block of y stays in the first-level cache for all x.
void grams(const Device& device, Index rows, const double* const* x, int count, const double* y, double* result) {
  constexpr Index piece = 64;  // rows of x that stay there for all columns
  constexpr int entries = lane_count * lane_count;
  const Index blocks = (rows + lane_block - 1) / lane_block;
  Array<double> partial(device, std::max<Index>(blocks, 1) * count * entries, "reductions");
  const LaunchScope launch(device, "gram");
  double* const parts = partial.data();
#pragma omp parallel for num_threads(device.team(blocks)) schedule(static)
  for (Index block = 0; block < blocks; ++block)
    for (int g = 0; g < count; ++g) {
      LaneGram sum;
      const Index end = std::min(rows, (block + 1) * lane_block);
      for (Index row = block * lane_block; row < end; row += piece)
        for (int first = 0; first < lane_count; first += gram_columns)
          add_products(x[g] + row * lane_count, y + row * lane_count, std::min(piece, end - row), first, sum);
      for (int i = 0; i < lane_count; ++i) sum.row[i].store(parts + (block * count + g) * entries + i * lane_count);
    }
  for (int g = 0; g < count; ++g) {
    LaneGram sum;
    for (Index block = 0; block < blocks; ++block)
      for (int i = 0; i < lane_count; ++i)
        sum.row[i] += LaneRow<double>::load(parts + (block * count + g) * entries + i * lane_count);
    for (int i = 0; i < lane_count; ++i) sum.row[i].store(result + g * entries + i * lane_count);
  }
}

void gram(const Device& device, Index rows, const double* x, const double* y, double* result) {
  grams(device, rows, &x, 1, y, result);
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

// Rows of a target; coefficients are read once for all of them.
template <int Rows>
void add_up(const GroupSums& sums, int target, Index row, double* y) {
  LaneRow<double> sum[Rows] = {};
  for (int s = 0; s < sums.sources; ++s) {
    const double* const x = sums.x[s] + row * lane_count;
    const double* const C = sums.C + Index{target * sums.sources + s} * lane_count * lane_count;
    for (int i = 0; i < lane_count; ++i) {
      const auto c = LaneRow<double>::load(C + i * lane_count);
      for (int k = 0; k < Rows; ++k) sum[k] += x[k * lane_count + i] * c;
    }
  }
  for (int k = 0; k < Rows; ++k) sum[k].store(y + k * lane_count);
}

// Slabs of all groups stay in the second-level cache; a slab of the targets is written when it is complete, since they
// may be among the sources.
void group_sums(const Device& device, Index rows, const GroupSums& sums) {
  constexpr Index slab = 256;
  constexpr int at_once = register_bytes >= 64 ? 8 : 4;
  const Index slabs = (rows + slab - 1) / slab, parts = std::min<Index>(device.threads(), slabs);
  const Index size = sums.targets * slab * lane_count;
  Array<double> fresh(device, std::max<Index>(parts, 1) * size, "reductions");
  const LaunchScope launch(device, "combine");
#pragma omp parallel for num_threads(device.team(parts)) schedule(static)
  for (Index part = 0; part < parts; ++part) {
    double* const mine = fresh.data() + part * size;
    for (Index s = slabs * part / parts; s < slabs * (part + 1) / parts; ++s) {
      const Index first = s * slab, count = std::min(slab, rows - first);
      for (int t = 0; t < sums.targets; ++t) {
        double* const y = mine + t * slab * lane_count;
        Index row = 0;
        for (; row + at_once <= count; row += at_once) add_up<at_once>(sums, t, first + row, y + row * lane_count);
        for (; row < count; ++row) add_up<1>(sums, t, first + row, y + row * lane_count);
      }
      for (int t = 0; t < sums.targets; ++t)
        std::copy_n(mine + t * slab * lane_count, count * lane_count, sums.y[t] + first * lane_count);
    }
  }
}

}  // namespace
}  // namespace ritz::RITZ_BACKEND
