// Locally optimal block preconditioned conjugate gradients: Knyazev, SIAM J. Sci. Comput. 23, 2001. The basis
// [X, W, P] is kept orthonormal in the inner product of M, and P is made orthogonal to the new X in coefficients
// (Hetmaniuk and Lehoucq, J. Comput. Phys. 218, 2006; Duersch, Shao, Yang, Gu, SIAM J. Sci. Comput. 40, 2018), so the
// projected problem is an ordinary symmetric one and nothing breaks down when residuals get small.
#include "device/error.hpp"
#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/algebra/solver_progress.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/eigen_needs.hpp"
#include "solvers/eigen/eigen_problem.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

class Lobpcg {
 public:
  explicit Lobpcg(const EigenProblem& problem)
      : problem_(problem), options_(problem.options), device_(problem.K.device()), rows_(problem.K.rows()) {}

  EigenSolution solve() {
    solution_.method = "LOBPCG";
    solution_.verification = "not counted: this method has no factor to count with";
    const int n = options_.count;
    // A few more vectors than requested: the rate depends on the gap to the first that is omitted.
    width_ = lobpcg_width(n, problem_.mass_count);
    if (options_.zero_count > 0) solution_.reference = 0.1 * problem_.low_guess;
    set_up();
    start();
    solution_.reason = iterate();
    P_ = {};
    KP_ = {};
    X_ = columns_of(X_, 0, n);
    problem_.measure(std::move(X_), solution_);
    for (std::size_t mode = 0; mode < solution_.values.size() && solution_.converged(); ++mode)
      if (!problem_.is_accurate(solution_, mode)) solution_.reason = StopReason::stagnated;
    return std::move(solution_);
  }

 private:
  MultiVector block(int columns) const { return MultiVector(device_, rows_, columns, "eigenvectors"); }
  MultiVector applied(const LinearOperator& A, const MultiVector& X) const {
    MultiVector Y = block(X.columns());
    A.apply_block(X, Y);
    return Y;
  }

  // Multigrid of K, or of K + reference M where K is singular.
  void set_up() {
    tell_progress("multigrid set-up");
    auto phase = device_.profile().phase("set-up");
    SmoothedAggregationOptions options = options_.multigrid;
    options.coordinates = problem_.geometry.coordinates;
    options.dimension = problem_.geometry.dimension;
    options.nested = problem_.geometry.nested;
    multigrid_.reset();
    const SparseMatrix* A = &problem_.K;
    if (solution_.reference > 0) {
      shifted_.emplace(problem_.K.shared_pattern(), problem_.K.block_size());
      shifted_->values().copy_from(problem_.K.values());
      axpy(solution_.reference, problem_.M.values(), shifted_->values());
      A = &*shifted_;
    }
    multigrid_ = std::make_unique<SmoothedAggregation>(*A, options);
    solution_.preconditioner = multigrid_->name();
  }

  void start() {
    X_ = orthonormalise(problem_.M, {}, applied(*multigrid_, applied(problem_.M, problem_.random_block(width_, 0)))).Q;
    if (X_.columns() < width_)
      throw Error(Exit::not_converged, fmt::format("{} start vectors span {} dimensions only", width_, X_.columns()),
                  "the preconditioner is singular", "use method = \"lanczos\"");
    const MultiVector KX = applied(problem_.K, X_);
    SmallMatrix Y = lowest(gram(X_, KX), width_, width_);
    X_ = product(X_, Y, width_);
  }

  // Sets values_ and returns the coefficients of the lowest Ritz vectors, [size][count].
  SmallMatrix lowest(SmallMatrix projected, int size, int count) {
    const SymmetricEigen eigen = symmetric_eigen(std::move(projected), size);
    values_.assign(eigen.values.begin(), eigen.values.begin() + count);
    SmallMatrix Y(static_cast<std::size_t>(size * count));
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < size; ++i)
        Y[static_cast<std::size_t>(i * count + k)] = eigen.vectors[static_cast<std::size_t>(k * size + i)];
    return Y;
  }

  StopReason iterate() {
    auto phase = device_.profile().phase("iteration");
    for (int rebuilt = 0;; ++solution_.iterations) {
      MultiVector KX = applied(problem_.K, X_);
      std::vector<double> mass_lengths;
      MultiVector residual = residual_of(KX, mass_lengths);
      double worst = 0;
      const std::vector<int> active = active_columns(column_norms(residual), mass_lengths, worst);
      // wanted and not converged
      const int good = static_cast<int>(std::ranges::lower_bound(active, options_.count) - active.begin());
      problem_.tell(options_.count - good, options_.count, solution_.iterations, worst, 0.9 * options_.relative);
      if (good == 0) return StopReason::converged;
      if (solution_.iterations >= options_.max_iterations) return StopReason::iteration_limit;
      if (rebuilt < 4 && solution_.iterations % 8 == 7 && move_reference()) {
        ++rebuilt;
        set_up();
      }
      if (!improve(KX, std::move(residual), active)) return StopReason::stagnated;
    }
  }

  // K X - M X diag(values), and the lengths of M X's columns.
  MultiVector residual_of(const MultiVector& KX, std::vector<double>& mass_lengths) const {
    const MultiVector MX = applied(problem_.M, X_);
    mass_lengths = column_norms(MX);
    SmallMatrix minus(static_cast<std::size_t>(width_ * width_), 0.0);
    for (int k = 0; k < width_; ++k)
      minus[static_cast<std::size_t>(k * width_ + k)] = -values_[static_cast<std::size_t>(k)];
    MultiVector residual = block(width_);
    residual.values().copy_from(KX.values());
    combine(MX, minus, 1.0, residual);
    return residual;
  }

  // A preconditioner that is shifted far more than the wanted eigenvalues hardly distinguishes them.
  bool move_reference() {
    const double highest = values_[static_cast<std::size_t>(options_.count - 1)];
    if (!(solution_.reference > 0) || !(highest > 0) || solution_.reference < 10 * highest) return false;
    solution_.reference = 0.3 * highest;
    return true;
  }

  // Those whose residual is neither below the tolerance nor at the level of rounding, and the largest relative residual
  // of the wanted ones among them.
  std::vector<int> active_columns(const std::vector<double>& lengths, const std::vector<double>& mass_lengths,
                                  double& worst) const {
    std::vector<int> active;
    Vector x(device_, rows_, "vectors"), y(device_, rows_, "vectors");
    for (int k = 0; k < width_; ++k) {
      const auto c = static_cast<std::size_t>(k);
      const double size = std::max(std::abs(values_[c]), solution_.reference) * mass_lengths[c];
      if (lengths[c] <= 0.9 * options_.relative * size) continue;
      if (k < options_.count) {
        X_.get_column(k, x);
        multiply(x, problem_.stiffness, y);
        if (lengths[c] <= 16 * std::numeric_limits<double>::epsilon() * norm2(y)) continue;
        worst = std::max(worst, lengths[c] / size);
      }
      active.push_back(k);
    }
    return active;
  }

  static MultiVector chosen(MultiVector X, const std::vector<int>& columns) {
    const auto count = columns.size();
    if (static_cast<int>(count) == X.columns()) return X;
    SmallMatrix C(static_cast<std::size_t>(X.columns()) * count, 0.0);
    for (std::size_t j = 0; j < count; ++j) C[static_cast<std::size_t>(columns[j]) * count + j] = 1;
    return product(X, C, static_cast<int>(count));
  }

  // One step: the lowest Ritz vectors in span [X, W, P]; false when W adds nothing any more.
  bool improve(const MultiVector& KX, MultiVector residual, const std::vector<int>& active) {
    std::vector<const MultiVector*> basis{&X_};
    if (P_.columns() > 0) basis.push_back(&P_);
    MultiVector W = chosen(std::move(residual), active);
    W = applied(*multigrid_, W);
    W = orthonormalise(problem_.M, basis, std::move(W)).Q;
    if (W.columns() == 0) return false;
    MultiVector KW = applied(problem_.K, W);
    const std::vector<const MultiVector*> S =
        P_.columns() > 0 ? std::vector<const MultiVector*>{&X_, &W, &P_} : std::vector<const MultiVector*>{&X_, &W};
    const std::vector<const MultiVector*> KS =
        P_.columns() > 0 ? std::vector<const MultiVector*>{&KX, &KW, &KP_} : std::vector<const MultiVector*>{&KX, &KW};
    int size = 0;
    const SmallMatrix projected = projection(S, KS, size);
    const SmallMatrix Y = lowest(projected, size, width_);
    const auto [C, directions] = directions_beside(Y, size, active);
    MultiVector X = combination(S, Y, width_);
    if (directions > 0) {
      MultiVector P = combination(S, C, directions), KP = combination(KS, C, directions);
      P_ = std::move(P);
      KP_ = std::move(KP);
    } else {
      P_ = MultiVector();
      KP_ = MultiVector();
    }
    X_ = std::move(X);
    // Products of products lose orthogonality slowly.
    if (solution_.iterations % 20 == 19) {
      X_ = orthonormalise(problem_.M, {}, std::move(X_)).Q;
      P_ = MultiVector();
      KP_ = MultiVector();
      const SmallMatrix again = lowest(gram(X_, applied(problem_.K, X_)), width_, width_);
      X_ = product(X_, again, width_);
    }
    return true;
  }

  // S^T K S, its lower triangle
  static SmallMatrix projection(const std::vector<const MultiVector*>& S, const std::vector<const MultiVector*>& KS,
                                int& size) {
    std::vector<std::pair<const MultiVector*, const MultiVector*>> pairs;
    std::vector<int> first;
    for (std::size_t a = 0; a < S.size(); ++a) {
      first.push_back(size);
      size += S[a]->columns();
      for (std::size_t b = 0; b <= a; ++b) pairs.emplace_back(S[a], KS[b]);
    }
    const std::vector<SmallMatrix> parts = grams(pairs);
    SmallMatrix result(static_cast<std::size_t>(size * size), 0.0);
    std::size_t pair = 0;
    for (std::size_t a = 0; a < S.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b, ++pair)
        for (int i = 0; i < S[a]->columns(); ++i)
          for (int j = 0; j < S[b]->columns(); ++j)
            result[static_cast<std::size_t>((first[a] + i) * size + first[b] + j)] =
                parts[pair][static_cast<std::size_t>(i * S[b]->columns() + j)];
    return result;
  }

  static MultiVector combination(const std::vector<const MultiVector*>& S, const SmallMatrix& C, int columns) {
    MultiVector result(S.front()->device(), S.front()->rows(), columns, "eigenvectors");
    std::ptrdiff_t row = 0;
    for (const MultiVector* part : S) {
      const auto next = row + std::ptrdiff_t{part->columns()} * columns;
      combine(*part, SmallMatrix(C.begin() + row, C.begin() + next), row == 0 ? 0.0 : 1.0, result);
      row = next;
    }
    return result;
  }

  // Coefficients of the new P: what the active columns of Y take from W and P, orthogonal to Y and to each other.
  std::pair<SmallMatrix, int> directions_beside(const SmallMatrix& Y, int size, const std::vector<int>& active) const {
    const auto n = static_cast<std::size_t>(size), k = static_cast<std::size_t>(width_);
    std::vector<std::vector<double>> kept;
    for (const int column : active) {
      std::vector<double> c(n, 0.0);
      for (std::size_t i = k; i < n; ++i) c[i] = Y[i * k + static_cast<std::size_t>(column)];
      double before = 0;
      for (const double value : c) before += value * value;
      for (int pass = 0; pass < 2; ++pass) {
        const auto remove = [&](const auto& entry) {
          double overlap = 0;
          for (std::size_t i = 0; i < n; ++i) overlap += entry(i) * c[i];
          for (std::size_t i = 0; i < n; ++i) c[i] -= overlap * entry(i);
        };
        for (std::size_t j = 0; j < k; ++j) remove([&](std::size_t i) { return Y[i * k + j]; });
        for (const auto& other : kept) remove([&](std::size_t i) { return other[i]; });
      }
      double square = 0;
      for (const double value : c) square += value * value;
      if (!(square > 1e-20 * before) || square == 0) continue;
      for (double& value : c) value /= std::sqrt(square);
      kept.push_back(std::move(c));
    }
    SmallMatrix C(n * kept.size());
    for (std::size_t j = 0; j < kept.size(); ++j)
      for (std::size_t i = 0; i < n; ++i) C[i * kept.size() + j] = kept[j][i];
    return {std::move(C), static_cast<int>(kept.size())};
  }

  const EigenProblem& problem_;
  const EigenOptions& options_;
  Device device_;
  Index rows_;
  int width_ = 0;
  EigenSolution solution_;
  std::optional<SparseMatrix> shifted_;
  std::unique_ptr<SmoothedAggregation> multigrid_;
  MultiVector X_, P_, KP_;
  std::vector<double> values_;
};

}  // namespace

EigenSolution solve_by_lobpcg(const EigenProblem& problem) { return Lobpcg(problem).solve(); }

}  // namespace ritz
