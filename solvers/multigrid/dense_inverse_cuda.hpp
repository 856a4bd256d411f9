// A step of the inversion on a GPU: the block of pivots by each block of threads for itself, in shared memory, and all
// that is beside it by tiles.
#pragma once

#include "device/launch.hpp"
#include "solvers/multigrid/dense_inverse_kernels.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

constexpr int step = inverse_step;

constexpr int tile = 64;
static_assert(step == 32 && block_threads == 256);

// Inverts [step][step] numbers in place; dependent rows become zero. 8 threads have a row. diagonal: of the first
// `rows`
__device__ void invert_pivots(double (*D)[step + 1], Index rows, const double* diagonal) {
  const int r = static_cast<int>(threadIdx.x) / 8, first = static_cast<int>(threadIdx.x) % 8;
  for (int p = 0; p < step; ++p) {
    const double smallest = p < rows ? dependent_row * diagonal[p] : 0.0;
    const double inverse = D[p][p] > smallest ? 1 / D[p][p] : 0.0, left = D[r][p];
    double next[step / 8];
    for (int k = 0; k < step / 8; ++k) {
      const int c = first + 8 * k;
      const double above = D[p][c];
      next[k] =
          r == p ? (c == p ? inverse : above * inverse) : (c == p ? -left * inverse : D[r][c] - left * inverse * above);
    }
    __syncthreads();
    for (int k = 0; k < step / 8; ++k) D[r][first + 8 * k] = next[k];
    __syncthreads();
  }
}

// block = `tile` columns of the row panel, and as many rows of the column panel
__global__ void panels_kernel(Index n, Index first, const double* diagonal, const double* matrix, double* row_panel,
                              double* column_panel) {
  __shared__ double D[step][step + 1], A[step][tile];
  const int thread = static_cast<int>(threadIdx.x);
  const Index begin = Index{blockIdx.x} * tile;
  for (int k = thread; k < step * step; k += block_threads) {
    const int r = k / step, c = k % step;
    D[r][c] = first + r < n && first + c < n ? matrix[(first + r) * n + first + c] : r == c ? 1.0 : 0.0;
  }
  for (int k = thread; k < step * tile; k += block_threads) {
    const int r = k / tile, c = k % tile;
    const Index j = begin + c;
    const bool inside = j >= first && j < first + step;
    A[r][c] = inside ? (j - first == r ? 1.0 : 0.0) : first + r < n && j < n ? matrix[(first + r) * n + j] : 0.0;
  }
  __syncthreads();
  invert_pivots(D, n - first, diagonal + first);
  for (int k = thread; k < step * tile; k += block_threads) {
    const int r = k / tile, c = k % tile;
    double sum = 0;
    for (int m = 0; m < step; ++m) sum += D[r][m] * A[m][c];
    if (begin + c < n) row_panel[r * n + begin + c] = sum;
  }
  for (int k = thread; k < step * tile; k += block_threads) {
    const Index i = begin + k / step, c = k % step;
    if (i < n) column_panel[i * step + c] = first + c < n ? matrix[i * n + first + c] : 0.0;
  }
}

// block = tile of the matrix, thread = 4 x 4 of its numbers
__global__ void eliminate_kernel(Index n, Index first, const double* row_panel, const double* column_panel,
                                 double* matrix) {
  __shared__ double C[tile][step + 1], R[step][tile];
  const int thread = static_cast<int>(threadIdx.x);
  const Index tiles = (n + tile - 1) / tile, rows = blockIdx.x / tiles * tile, columns = blockIdx.x % tiles * tile;
  for (int k = thread; k < step * tile; k += block_threads) {
    const Index i = rows + k / step, j = columns + k % tile;
    C[k / step][k % step] = i < n ? column_panel[i * step + k % step] : 0.0;
    R[k / tile][k % tile] = j < n ? row_panel[k / tile * n + j] : 0.0;
  }
  __syncthreads();
  constexpr int across = 16, each = tile / across;
  const int x = thread % across, y = thread / across;
  double value[each][each];
  for (int a = 0; a < each; ++a)
    for (int b = 0; b < each; ++b) {
      const Index i = rows + y + a * across, j = columns + x + b * across;
      value[a][b] = i < n && j < n && (j < first || j >= first + step) ? matrix[i * n + j] : 0.0;
    }
  for (int m = 0; m < step; ++m) {
    double r[each];
    for (int b = 0; b < each; ++b) r[b] = R[m][x + b * across];
    for (int a = 0; a < each; ++a) {
      const double c = C[y + a * across][m];
      for (int b = 0; b < each; ++b) value[a][b] -= c * r[b];
    }
  }
  for (int a = 0; a < each; ++a)
    for (int b = 0; b < each; ++b) {
      const Index i = rows + y + a * across, j = columns + x + b * across;
      if (i >= n || j >= n) continue;
      matrix[i * n + j] = i >= first && i < first + step ? row_panel[(i - first) * n + j] : value[a][b];
    }
}

void eliminate(const Device& device, Index n, Index first, const double* diagonal, double* matrix, double* row_panel,
               double* column_panel) {
  const Index tiles = (n + tile - 1) / tile;
  {
    const LaunchScope launch(device, "inverse: panels");
    start(device, {tiles}, panels_kernel, n, first, diagonal, matrix, row_panel, column_panel);
  }
  const LaunchScope launch(device, "inverse: elimination");
  start(device, {tiles * tiles}, eliminate_kernel, n, first, row_panel, column_panel, matrix);
}

}  // namespace
}  // namespace ritz::RITZ_BACKEND
