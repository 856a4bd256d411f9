// Matrices that the tests of the solvers share, and plain loops to judge results by.
#pragma once

#include "device/error.hpp"
#include "solvers/algebra/sparse_matrix.hpp"
#include "tests/device/back_ends.hpp"

#include <cmath>
#include <cstdlib>
#include <random>

namespace ritz::testing {

using test::back_ends;

struct Blocks {
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;  // [block][b][b]
  int block_size = 1;
};

inline SparseMatrix on(const Device& device, const Blocks& blocks) {
  SparseMatrix A(std::make_shared<SparsityPattern>(device, blocks.offsets, blocks.columns), blocks.block_size);
  A.values().upload(blocks.values);
  return A;
}

inline std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(generator);
  return values;
}

// n x n x n points, each coupled to its 6 or 26 neighbours. Off-diagonal blocks are random with B_ij = B_ji^T, diagonal
// blocks dominate: symmetric positive definite.
inline Blocks grid_matrix(int n, int b, bool all_neighbours = true) {
  Blocks A;
  A.block_size = b;
  const auto entry = [](Index row, Index column) {
    const Index low = std::min(row, column), high = std::max(row, column);
    return std::sin(0.7 * double(low) + 1.3 * double(high)) - 0.2;
  };
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const Index node = (Index{z} * n + y) * n + x;
        for (int dz = -1; dz <= 1; ++dz)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
              if (!all_neighbours && std::abs(dx) + std::abs(dy) + std::abs(dz) > 1) continue;
              const int X = x + dx, Y = y + dy, Z = z + dz;
              if (X < 0 || Y < 0 || Z < 0 || X >= n || Y >= n || Z >= n) continue;
              const Index other = (Index{Z} * n + Y) * n + X;
              A.columns.push_back(static_cast<std::int32_t>(other));
              for (int i = 0; i < b; ++i)
                for (int j = 0; j < b; ++j)
                  A.values.push_back(entry(node * b + i, other * b + j) + (node == other && i == j ? 36.0 * b : 0.0));
            }
        A.offsets.push_back(static_cast<Index>(A.columns.size()));
      }
  return A;
}

// The 7-point Laplacian on n x n x n points with fixed surroundings.
inline Blocks poisson_matrix(int n) {
  Blocks A = grid_matrix(n, 1, false);
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) A.values[k] = A.columns[k] == Index(row) ? 6 : -1;
  return A;
}

inline Blocks dense_matrix(const std::vector<std::vector<double>>& rows) {
  Blocks A;
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      A.columns.push_back(static_cast<std::int32_t>(j));
      A.values.push_back(row[j]);
    }
    A.offsets.push_back(static_cast<Index>(A.columns.size()));
  }
  return A;
}

inline Blocks diagonal_matrix(const std::vector<double>& diagonal) {
  Blocks A;
  A.values = diagonal;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    A.columns.push_back(static_cast<std::int32_t>(i));
    A.offsets.push_back(static_cast<Index>(i) + 1);
  }
  return A;
}

// y = A x and |A| |x| in long double, and the entries of each row.
struct Product {
  std::vector<long double> y, size;
  std::vector<Index> entries;
};
inline Product product(const HostMatrix& A, const std::vector<double>& x) {
  Product result;
  for (Index row = 0; row < A.rows(); ++row) {
    long double sum = 0, size = 0;
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
      const long double term = static_cast<long double>(A.values[k]) * x[A.columns[k]];
      sum += term;
      size += std::abs(term);
    }
    result.y.push_back(sum);
    result.size.push_back(size);
    result.entries.push_back(A.offsets[row + 1] - A.offsets[row]);
  }
  return result;
}

using Dense = std::vector<std::vector<long double>>;

inline Dense dense(const SparseMatrix& A) {
  const HostMatrix host = host_matrix(A);
  Dense rows(static_cast<std::size_t>(host.rows()),
             std::vector<long double>(static_cast<std::size_t>(host.rows()), 0.0L));
  for (Index i = 0; i < host.rows(); ++i)
    for (Index k = host.offsets[i]; k < host.offsets[i + 1]; ++k) rows[i][host.columns[k]] = host.values[k];
  return rows;
}

// Gaussian elimination with row exchanges.
inline std::vector<long double> solve_dense(Dense A, std::vector<long double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
    std::swap(A[k], A[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return b;
}

// ||b - A x|| / ||b||, by a second path
inline double relative_residual(const SparseMatrix& A, const std::vector<double>& x, const std::vector<double>& b) {
  const Product Ax = product(host_matrix(A), x);
  long double r = 0, norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    r += (b[i] - Ax.y[i]) * (b[i] - Ax.y[i]);
    norm += static_cast<long double>(b[i]) * b[i];
  }
  return static_cast<double>(std::sqrt(r / norm));
}

// ||x - A^-1 b|| / ||A^-1 b||, from an elimination in extended precision.
inline double relative_error(const SparseMatrix& A, const std::vector<double>& x, const std::vector<double>& b) {
  const std::vector<long double> exact = solve_dense(dense(A), std::vector<long double>(b.begin(), b.end()));
  long double error = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error += (x[i] - exact[i]) * (x[i] - exact[i]);
    size += exact[i] * exact[i];
  }
  return static_cast<double>(std::sqrt(error / size));
}

}  // namespace ritz::testing
