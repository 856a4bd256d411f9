#include "tests/fem/dense.hpp"

#include <algorithm>
#include <cmath>

namespace ritz::test {

Dense dense_on_mesh(const DiscreteProblem& model, const SparseMatrix& matrix) {
  const HostMatrix K = host_matrix(matrix);
  const Index c = model.space.components();
  const auto place = [&](Index unknown) {
    return static_cast<std::size_t>(model.space.mesh_node_of(static_cast<Node>(unknown / c)) * c + unknown % c);
  };
  Dense A(static_cast<std::size_t>(model.mesh.node_count() * c));
  for (Index i = 0; i < K.rows(); ++i)
    for (auto k = static_cast<std::size_t>(K.offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(K.offsets[static_cast<std::size_t>(i) + 1]); ++k)
      A(place(i), place(K.columns[k])) = K.values[k];
  return A;
}

Dense dense(const HostMatrix& host) {
  Dense A(static_cast<std::size_t>(host.rows()));
  for (std::size_t i = 0; i < A.n; ++i)
    for (auto k = static_cast<std::size_t>(host.offsets[i]); k < static_cast<std::size_t>(host.offsets[i + 1]); ++k)
      A(i, static_cast<std::size_t>(host.columns[k])) = host.values[k];
  return A;
}

Dense transformation(const Constraints& fixed) {
  const auto n = static_cast<std::size_t>(fixed.space().unknown_count());
  Dense T(n);
  for (std::size_t i = 0; i < n; ++i) T(i, i) = fixed.host_mask()[i] != 0 ? 0 : 1;
  const DependentRows& rows = fixed.dependent_rows();
  for (std::size_t row = 0; row < rows.unknown.size(); ++row) {
    const auto i = static_cast<std::size_t>(rows.unknown[row]);
    T(i, i) = 0;
    for (auto k = static_cast<std::size_t>(rows.begin[row]); k < static_cast<std::size_t>(rows.begin[row + 1]); ++k)
      if (const auto j = static_cast<std::size_t>(rows.followed[k]); fixed.host_mask()[j] == 0)
        T(i, j) = rows.factor[k];
  }
  return T;
}

double largest_entry(const Dense& A) {
  double largest = 0;
  for (const double a : A.entries) largest = std::max(largest, std::abs(a));
  return largest;
}

double largest_difference(const Dense& A, const Dense& B) {
  double largest = A.n == B.n ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(A.entries.size(), B.entries.size()); ++i)
    largest = std::max(largest, std::abs(A.entries[i] - B.entries[i]));
  return largest;
}

std::vector<double> product(const Dense& A, std::span<const double> x) {
  std::vector<double> y(A.n, 0.0);
  for (std::size_t i = 0; i < A.n; ++i)
    for (std::size_t j = 0; j < A.n; ++j) y[i] += A(i, j) * x[j];
  return y;
}

Dense product(const Dense& A, const Dense& B, bool transposed) {
  Dense C(A.n);
  for (std::size_t i = 0; i < A.n; ++i)
    for (std::size_t k = 0; k < A.n; ++k)
      if (const double a = transposed ? A(k, i) : A(i, k); a != 0)
        for (std::size_t j = 0; j < A.n; ++j) C(i, j) += a * B(k, j);
  return C;
}

int eigenvalues_below(const Dense& matrix, double shift) {
  Dense A = matrix;
  int negative = 0;
  for (std::size_t k = 0; k < A.n; ++k) A(k, k) -= shift;
  for (std::size_t k = 0; k < A.n; ++k) {
    const double pivot = A(k, k);
    negative += pivot < 0;
    for (std::size_t i = k + 1; i < A.n; ++i) {
      const double factor = A(i, k) / pivot;
      if (factor == 0) continue;
      for (std::size_t j = k + 1; j < A.n; ++j) A(i, j) -= factor * A(k, j);
    }
  }
  return negative;
}

std::vector<double> solve(Dense A, std::vector<double> b) {
  for (std::size_t k = 0; k < A.n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < A.n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    for (std::size_t j = 0; j < A.n; ++j) std::swap(A(k, j), A(pivot, j));
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < A.n; ++i) {
      const double factor = A(i, k) / A(k, k);
      if (factor == 0) continue;
      for (std::size_t j = k; j < A.n; ++j) A(i, j) -= factor * A(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = A.n; k-- > 0;) {
    for (std::size_t j = k + 1; j < A.n; ++j) b[k] -= A(k, j) * b[j];
    b[k] /= A(k, k);
  }
  return b;
}

}  // namespace ritz::test
