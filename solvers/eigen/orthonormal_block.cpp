#include "solvers/eigen/orthonormal_block.hpp"

#include "solvers/algebra/dense_symmetric.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// C such that W C is orthonormal, from the Gram matrix G of W: [columns of W][rank]. Columns are scaled to length one
// first; those shorter than `least` are left out, and of the eigenvectors those whose eigenvalue is rounding, and all
// but the first `most`.
SmallMatrix orthonormal_coefficients(const SmallMatrix& G, std::size_t n, double least, std::size_t most) {
  std::vector<double> length(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double square = G[i * n + i];
    length[i] = square > least * least ? std::sqrt(square) : 0;
  }
  SmallMatrix scaled(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (length[i] > 0 && length[j] > 0)
        scaled[i * n + j] = 0.5 * (G[i * n + j] + G[j * n + i]) / (length[i] * length[j]);
  const SymmetricEigen eigen = symmetric_eigen(std::move(scaled), static_cast<int>(n));
  std::vector<std::size_t> kept;
  for (std::size_t k = n; k-- > 0 && kept.size() < most;)
    if (eigen.values[k] > 1e-14 * static_cast<double>(n)) kept.push_back(k);
  SmallMatrix C(n * kept.size(), 0.0);
  for (std::size_t k = 0; k < kept.size(); ++k)
    for (std::size_t i = 0; i < n; ++i)
      if (length[i] > 0)
        C[i * kept.size() + k] = eigen.vectors[kept[k] * n + i] / (std::sqrt(eigen.values[kept[k]]) * length[i]);
  return C;
}

MultiVector applied(const LinearOperator& M, const MultiVector& X) {
  MultiVector Y(X.device(), X.rows(), X.columns(), "eigenvectors");
  M.apply_block(X, Y);
  return Y;
}

// W -= block (block^T M W), MW = M W given; what was taken out.
SmallMatrix project(const MultiVector& block, const MultiVector& MW, MultiVector& W) {
  SmallMatrix part = gram(block, MW);
  SmallMatrix minus(part);
  for (double& value : minus) value = -value;
  combine(block, minus, 1.0, W);
  return part;
}

SmallMatrix project(const std::vector<const MultiVector*>& basis, const MultiVector& MW, MultiVector& W) {
  SmallMatrix inside;
  for (const MultiVector* block : basis) {
    const SmallMatrix part = project(*block, MW, W);
    inside.insert(inside.end(), part.begin(), part.end());
  }
  return inside;
}

double longest(const SmallMatrix& G, std::size_t n) {
  double square = 0;
  for (std::size_t i = 0; i < n; ++i) square = std::max(square, G[i * n + i]);
  return std::sqrt(square);
}

}  // namespace

MultiVector product(const MultiVector& X, const SmallMatrix& C, int columns) {
  MultiVector Y(X.device(), X.rows(), columns, "eigenvectors");
  combine(X, C, 0.0, Y);
  return Y;
}

MultiVector columns_of(const MultiVector& X, int first, int count) {
  SmallMatrix C(static_cast<std::size_t>(X.columns()) * static_cast<std::size_t>(count), 0.0);
  for (int j = 0; j < count; ++j) C[static_cast<std::size_t>((first + j) * count + j)] = 1;
  return product(X, C, count);
}

MultiVector joined(const MultiVector& A, MultiVector B) {
  if (A.columns() == 0) return B;
  const int columns = A.columns() + B.columns();
  MultiVector result(B.device(), B.rows(), columns, "eigenvectors");
  const auto place = [&](const MultiVector& X, int first) {
    SmallMatrix C(static_cast<std::size_t>(X.columns() * columns), 0.0);
    for (int j = 0; j < X.columns(); ++j) C[static_cast<std::size_t>(j * columns + first + j)] = 1;
    combine(X, C, first == 0 ? 0.0 : 1.0, result);
  };
  place(A, 0);
  place(B, A.columns());
  return result;
}

OrthonormalBlock orthonormalise(const LinearOperator& M, const std::vector<const MultiVector*>& basis, MultiVector W) {
  const auto p = static_cast<std::size_t>(W.columns());
  MultiVector MW = applied(M, W);
  const double least = 1e-14 * longest(gram(W, MW), p);
  SmallMatrix inside = project(basis, MW, W);
  MW = applied(M, W);
  if (!basis.empty()) {
    const SmallMatrix again = project(basis, MW, W);
    for (std::size_t i = 0; i < inside.size(); ++i) inside[i] += again[i];
    MW = applied(M, W);
  }
  // Gram matrices resolve eight digits of nearly dependent directions. The small remainder is treated once more.
  MultiVector Q, left = std::move(W), M_left = columns_of(MW, 0, MW.columns());
  for (int round = 0; round < 3; ++round) {
    const auto most = p - static_cast<std::size_t>(Q.columns());
    const SmallMatrix C = orthonormal_coefficients(gram(left, M_left), p, least, most);
    const std::size_t rank = C.size() / p;
    if (rank == 0) break;
    MultiVector more = product(left, C, static_cast<int>(rank)), M_more = applied(M, more);
    // The division by small lengths has brought back some of the basis.
    project(basis, M_more, more);
    if (Q.columns() > 0) project(Q, M_more, more);
    M.apply_block(more, M_more);
    const SmallMatrix D = orthonormal_coefficients(gram(more, M_more), rank, 0.1, rank);
    M_more = {};
    if (D.empty()) break;
    Q = joined(Q, product(more, D, static_cast<int>(D.size() / rank)));
    if (rank >= most) break;
    project(Q, M_left, left);
    M.apply_block(left, M_left);
  }
  if (Q.columns() == 0) return {{}, {}, std::move(inside), {}};
  SmallMatrix outside = gram(Q, MW);
  MultiVector MQ = applied(M, Q);
  return {std::move(Q), std::move(MQ), std::move(inside), std::move(outside)};
}

}  // namespace ritz
