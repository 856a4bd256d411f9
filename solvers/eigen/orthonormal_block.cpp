#include "solvers/eigen/orthonormal_block.hpp"

#include "solvers/algebra/dense_symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ritz {
namespace {

struct OrthonormalCoefficients {
  SmallMatrix C;  // [columns of W][rank]
  std::size_t rank;
  double condition;  // of the Gram matrix of what is kept
};

// C such that W C is orthonormal, from the Gram matrix G of W. Columns are scaled to length one first; those shorter
// than `least` are left out, and of the eigenvectors those whose eigenvalue is rounding, and all but the first `most`.
OrthonormalCoefficients orthonormal_coefficients(const SmallMatrix& G, std::size_t n, double least, std::size_t most) {
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
  return {std::move(C), kept.size(),
          kept.empty() ? 1 : eigen.values[kept.front()] / std::max(1e-300, eigen.values[kept.back()])};
}

SmallMatrix identity(std::size_t n) {
  SmallMatrix I(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) I[i * n + i] = 1;
  return I;
}

struct MassProducts {
  SmallMatrix inside, own;  // basis^T M W, W^T M W
};

MassProducts mass_products(const LinearOperator& M, const PieceBlocks& basis, const VectorPieces& W) {
  PieceBlocks all(basis);
  all.push_back(&W);
  SmallMatrix inside = projected(M, all, W);
  const auto own = inside.begin() + std::ptrdiff_t{column_count(basis)} * column_count(W);
  MassProducts result{{}, SmallMatrix(own, inside.end())};
  inside.erase(own, inside.end());
  result.inside = std::move(inside);
  return result;
}

// The Gram matrix of W - basis inside, and the least part of a squared length that is left of a column.
struct Remainder {
  SmallMatrix gram;
  double shortened = 1;
};

Remainder remainder_of(const MassProducts& products, std::size_t n) {
  Remainder left{products.own};
  for (std::size_t k = 0; k < products.inside.size() / n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        left.gram[i * n + j] -= products.inside[k * n + i] * products.inside[k * n + j];
  for (std::size_t i = 0; i < n; ++i)
    if (products.own[i * n + i] > 0)
      left.shortened = std::min(left.shortened, std::max(0.0, left.gram[i * n + i]) / products.own[i * n + i]);
  return left;
}

// Coefficients of (W - basis inside) C: of the basis, and below them of W.
SmallMatrix after_basis(const OrthonormalCoefficients& Q, const SmallMatrix& inside, std::size_t n) {
  SmallMatrix result;
  for (std::size_t k = 0; k < inside.size() / n; ++k)
    for (std::size_t c = 0; c < Q.rank; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += inside[k * n + i] * Q.C[i * Q.rank + c];
      result.push_back(-sum);
    }
  result.insert(result.end(), Q.C.begin(), Q.C.end());
  return result;
}

// Products of vectors made from these are off by what rounding does to both Gram matrices.
bool is_accurate(const OrthonormalCoefficients& Q, const Remainder& left) {
  return std::numeric_limits<double>::epsilon() * Q.condition < 1e-12 * left.shortened;
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
    const auto [C, rank, condition] = orthonormal_coefficients(gram(left, M_left), p, least, most);
    if (rank == 0) break;
    MultiVector more = product(left, C, static_cast<int>(rank)), M_more = applied(M, more);
    // The division by small lengths has brought back some of the basis.
    project(basis, M_more, more);
    if (Q.columns() > 0) project(Q, M_more, more);
    M.apply_block(more, M_more);
    const OrthonormalCoefficients D = orthonormal_coefficients(gram(more, M_more), rank, 0.1, rank);
    M_more = {};
    if (D.rank == 0) break;
    Q = joined(Q, product(more, D.C, static_cast<int>(D.rank)));
    if (rank >= most) break;
    project(Q, M_left, left);
    M.apply_block(left, M_left);
  }
  if (Q.columns() == 0) return {{}, std::move(inside), {}};
  SmallMatrix outside = gram(Q, MW);
  return {std::move(Q), std::move(inside), std::move(outside)};
}

void make_orthonormal(const LinearOperator& M, const PieceBlocks& basis, VectorPieces& W) {
  double least = 0;  // length below which a vector is rounding
  int made = 0;
  for (int round = 0; round < 5 && !W.empty(); ++round) {
    const MassProducts products = mass_products(M, basis, W);
    const auto n = static_cast<std::size_t>(column_count(W));
    if (round == 0) least = 1e-14 * longest(products.own, n);
    const Remainder left = remainder_of(products, n);
    const bool only_project = left.shortened < 1e-4;
    const OrthonormalCoefficients Q = only_project ? OrthonormalCoefficients{identity(n), n, 1}
                                                   : orthonormal_coefficients(left.gram, n, made > 0 ? 0.1 : least, n);
    if (Q.rank == 0) {
      W.clear();
      return;
    }
    PieceBlocks all(basis);
    all.push_back(&W);
    replace(all, after_basis(Q, products.inside, n), {{&W, static_cast<int>(Q.rank)}});
    if (only_project) continue;
    ++made;
    if (is_accurate(Q, left)) return;
  }
  if (made == 0) W.clear();
}

std::optional<SmallMatrix> orthonormal_sums(const LinearOperator& M, const PieceBlocks& basis, const VectorPieces& W) {
  const MassProducts products = mass_products(M, basis, W);
  const auto n = static_cast<std::size_t>(column_count(W));
  const Remainder left = remainder_of(products, n);
  const OrthonormalCoefficients Q = orthonormal_coefficients(left.gram, n, 1e-14 * longest(products.own, n), n);
  if (Q.rank == 0 || !is_accurate(Q, left)) return std::nullopt;
  return after_basis(Q, products.inside, n);
}

}  // namespace ritz
