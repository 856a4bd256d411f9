#include "solvers/linear/projected_guess.hpp"

#include "device/memory_shortage.hpp"
#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ritz {
namespace {

// c with G c = g in the span of the eigenvectors that are more than rounding; G: [size][size], positive semi-definite.
std::vector<double> solved(std::vector<double> G, const std::vector<double>& g) {
  const std::size_t n = g.size();
  std::vector<double> scale(n), c(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) scale[i] = G[i * n + i] > 0 ? 1 / std::sqrt(G[i * n + i]) : 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) G[i * n + j] *= scale[i] * scale[j];
  const SymmetricEigen eigen = symmetric_eigen(std::move(G), static_cast<int>(n));
  for (std::size_t k = 0; k < n; ++k) {
    if (!(eigen.values[k] > 1e-13 * static_cast<double>(n))) continue;
    double part = 0;
    for (std::size_t i = 0; i < n; ++i) part += eigen.vectors[k * n + i] * scale[i] * g[i];
    for (std::size_t i = 0; i < n; ++i) c[i] += part / eigen.values[k] * eigen.vectors[k * n + i] * scale[i];
  }
  return c;
}

}  // namespace

double ProjectedGuess::start(const LinearOperator& A, const Vector& b, Vector& x) {
  double left = 1;
  if (count_ > 0 && solutions_->rows() == b.size()) try {
      if (memory_shortage([&] { left = combine(A, b, x); })) clear();
    } catch (const Error& error) {  // the products are not finite: the solver reports it
      if (error.exit() != Exit::not_converged) throw;
      clear();
    }
  if (left < 1) return left;
  x.fill_zero();
  return 1;
}

double ProjectedGuess::combine(const LinearOperator& A, const Vector& b, Vector& x) const {
  MultiVector products(b.device(), b.size(), most);
  A.apply_block(*solutions_, products);
  const std::vector<double> all = gram(*solutions_, products);
  const auto n = static_cast<std::size_t>(count_);
  std::vector<double> G(n * n), g(n);
  Vector column(b.device(), b.size(), "vectors"), residual(b.device(), b.size(), "vectors");
  for (std::size_t i = 0; i < n; ++i) {
    solutions_->get_column(static_cast<int>(i), column);
    g[i] = dot(column, b);
    for (std::size_t j = 0; j < n; ++j) G[i * n + j] = 0.5 * (all[i * most + j] + all[j * most + i]);
  }
  const std::vector<double> c = solved(std::move(G), g);
  x.fill_zero();
  copy(b, residual);
  for (std::size_t i = 0; i < n; ++i) {
    solutions_->get_column(static_cast<int>(i), column);
    axpy(c[i], column, x);
    products.get_column(static_cast<int>(i), column);
    axpy(-c[i], column, residual);
  }
  const double load = norm2(b), left = norm2(residual);
  return load > 0 && std::isfinite(left) ? left / load : 1;
}

void ProjectedGuess::add(const Vector& x) {
  if (!solutions_ || solutions_->rows() != x.size()) {
    clear();
    if (memory_shortage([&] { solutions_.emplace(x.device(), x.size(), most); })) return;
  }
  solutions_->set_column(next_, x);
  next_ = (next_ + 1) % most;
  count_ = std::min(count_ + 1, most);
}

void ProjectedGuess::clear() noexcept {
  solutions_.reset();
  count_ = next_ = 0;
}

}  // namespace ritz
