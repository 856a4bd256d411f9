// Locally optimal block preconditioned conjugate gradients: Knyazev, SIAM J. Sci. Comput. 23, 2001. The basis
// [X, W, P] is kept orthonormal in the inner product of M, and P is made orthogonal to the new X in coefficients
// (Hetmaniuk and Lehoucq, J. Comput. Phys. 218, 2006; Duersch, Shao, Yang, Gu, SIAM J. Sci. Comput. 40, 2018), so the
// projected problem is an ordinary symmetric one and nothing breaks down when residuals get small. X, P and W are all
// that is stored: products with K and M are made for eight vectors at a time and dropped, what K gives to X and P is
// known from the projection, and the new X and P replace the old row by row.
#include "device/error.hpp"
#include "solvers/algebra/solver_progress.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/eigen_needs.hpp"
#include "solvers/eigen/eigen_problem.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <optional>

namespace ritz {
namespace {

struct Residuals {
  VectorPieces R;                             // K X - M X diag(values)
  std::vector<double> lengths, mass_lengths;  // of its columns, and of those of M X
};

Residuals residuals_of(const EigenProblem& problem, const VectorPieces& X, const std::vector<double>& values) {
  Residuals result;
  const auto append = [](std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  std::size_t mode = 0;
  for (const MultiVector& piece : X) {
    MultiVector R = applied(problem.K, piece);
    const MultiVector MX = applied(problem.M, piece);
    const auto n = static_cast<std::size_t>(piece.columns());
    SmallMatrix minus(n * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) minus[k * n + k] = -values[mode++];
    combine(MX, minus, 1.0, R);
    append(result.lengths, column_norms(R));
    append(result.mass_lengths, column_norms(MX));
    result.R.push_back(std::move(R));
  }
  return result;
}

SmallMatrix selection(int columns, const std::vector<int>& chosen) {
  SmallMatrix C(static_cast<std::size_t>(columns) * chosen.size(), 0.0);
  for (std::size_t j = 0; j < chosen.size(); ++j) C[static_cast<std::size_t>(chosen[j]) * chosen.size() + j] = 1;
  return C;
}

SmallMatrix first_columns(int columns, int count) {
  std::vector<int> chosen(static_cast<std::size_t>(count));
  std::iota(chosen.begin(), chosen.end(), 0);
  return selection(columns, chosen);
}

// S^T K S for S = [X, P, W], from that of [X, P] and from of_W = S^T K W.
SmallMatrix extended(const SmallMatrix& energies, const SmallMatrix& of_W, int size) {
  const auto n = static_cast<std::size_t>(size), more = of_W.size() / n, known = n - more;
  SmallMatrix H(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      H[i * n + j] = i < known && j < known ? energies[i * known + j]
                     : j >= known           ? of_W[i * more + j - known]
                                            : of_W[j * more + i - known];
  return H;
}

// [I, C]: the first `known` columns of `rows` are unit vectors.
SmallMatrix beside_unit_columns(const SmallMatrix& C, int known, int rows) {
  const auto n = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(known), more = C.size() / n;
  SmallMatrix result(n * (k + more), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (i < k) result[i * (k + more) + i] = 1;
    for (std::size_t j = 0; j < more; ++j) result[i * (k + more) + k + j] = C[i * more + j];
  }
  return result;
}

// A B, B with `inner` rows
SmallMatrix multiplied(const SmallMatrix& A, const SmallMatrix& B, int inner) {
  const auto m = static_cast<std::size_t>(inner), n = A.size() / m, columns = B.size() / m;
  SmallMatrix result(n * columns, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t j = 0; j < columns; ++j) result[i * columns + j] += A[i * m + k] * B[k * columns + j];
  return result;
}

// C^T H C
SmallMatrix transformed(const SmallMatrix& H, const SmallMatrix& C, int size, int columns) {
  const auto n = static_cast<std::size_t>(size), m = static_cast<std::size_t>(columns);
  SmallMatrix HC(n * m, 0.0), result(m * m, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < m; ++j) HC[i * m + j] += H[i * n + k] * C[k * m + j];
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) result[i * m + j] += C[k * m + i] * HC[k * m + j];
  return result;
}

// Y, and next to it coefficients of the new P: what the active columns of Y take from P and W, orthogonal to Y and to
// each other.
SmallMatrix with_directions(const SmallMatrix& Y, int size, int width, const std::vector<int>& active) {
  const auto n = static_cast<std::size_t>(size), k = static_cast<std::size_t>(width);
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
  const std::size_t columns = k + kept.size();
  SmallMatrix C(n * columns);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < columns; ++j) C[i * columns + j] = j < k ? Y[i * k + j] : kept[j - k][i];
  return C;
}

class Lobpcg {
 public:
  Lobpcg(const EigenProblem& problem, const ShiftedPreconditioner& preconditioner)
      : problem_(problem), options_(problem.options), make_(preconditioner) {}

  EigenSolution solve() {
    solution_.method = "LOBPCG";
    solution_.verification = "not counted: this method has no factor to count with";
    const int n = options_.count;
    // A few more vectors than requested: the rate depends on the gap to the first that is omitted.
    width_ = lobpcg_width(n, problem_.mass_count, problem_.in_lanes);
    if (options_.below) solution_.reference = -negligible * *options_.below;
    else if (options_.zero_count > 0) solution_.reference = 0.1 * problem_.low_guess;
    set_up();
    start();
    solution_.reason = iterate();
    preconditioner_.reset();
    P_.clear();
    replace({&X_}, first_columns(width_, n), {{&X_, n}});
    problem_.measure(std::move(X_), solution_);
    for (std::size_t mode = 0; mode < solution_.values.size() && solution_.converged(); ++mode)
      if (!problem_.is_accurate(solution_, mode)) solution_.reason = StopReason::stagnated;
    return std::move(solution_);
  }

 private:
  // Multigrid of K, or of K + shift M where K is singular or indefinite.
  void set_up() {
    report_progress("multigrid set-up");
    auto phase = problem_.K.device().profile().phase("set-up");
    preconditioner_.reset();
    preconditioner_ = make_(options_.below ? -*options_.below : solution_.reference);
    solution_.preconditioner = preconditioner_->name();
  }

  void start() {
    for (int first = 0; first < width_; first += MultiVector::lanes)
      X_.push_back(problem_.random_block(std::min(MultiVector::lanes, width_ - first), first));
    apply_to_pieces(problem_.M, X_);
    apply_to_pieces(*preconditioner_, X_);
    make_orthonormal(problem_.M, {}, X_);
    // Ties and springs may leave fewer motions with mass than unknowns with mass.
    width_ = column_count(X_);
    if (width_ < options_.count)
      throw Error(
          ErrorKind::modes_not_converged,
          fmt::format("{} modes were asked for, and start vectors span {} dimensions only", options_.count, width_),
          "the model has no more motions with mass, or the preconditioner is singular",
          "ask for fewer modes, or use method = \"lanczos\"");
    begin_anew();
  }

  // From the Ritz vectors of X alone.
  void begin_anew() {
    P_.clear();
    values_ = to_ritz_vectors(problem_.K, X_);
    energies_.assign(static_cast<std::size_t>(width_ * width_), 0.0);
    for (int k = 0; k < width_; ++k)
      energies_[static_cast<std::size_t>(k * width_ + k)] = values_[static_cast<std::size_t>(k)];
  }

  StopReason iterate() {
    auto phase = problem_.K.device().profile().phase("iteration");
    for (int rebuilt = 0;; ++solution_.iterations) {
      Residuals residuals = residuals_of(problem_, X_, values_);
      double worst = 0;
      const std::vector<int> active = active_columns(residuals, worst);
      // wanted and not converged
      const int good = static_cast<int>(std::ranges::lower_bound(active, options_.count) - active.begin());
      problem_.tell(options_.count - good, options_.count, solution_.iterations, worst, 0.9 * options_.relative);
      if (good == 0) return StopReason::converged;
      if (solution_.iterations >= options_.max_iterations) return StopReason::iteration_limit;
      if (rebuilt < 4 && solution_.iterations % 8 == 7 && move_reference()) {
        ++rebuilt;
        set_up();
      }
      if (!improve(std::move(residuals.R), active)) return StopReason::stagnated;
    }
  }

  // A preconditioner that is shifted far more than the wanted eigenvalues hardly distinguishes them.
  bool move_reference() {
    const double highest = values_[static_cast<std::size_t>(options_.count - 1)];
    if (options_.below || !(solution_.reference > 0) || !(highest > 0) || solution_.reference < 10 * highest)
      return false;
    solution_.reference = 0.3 * highest;
    return true;
  }

  // Those whose residual is neither below the tolerance nor at the level of rounding, and the largest relative residual
  // of the wanted ones among them.
  std::vector<int> active_columns(const Residuals& residuals, double& worst) const {
    const auto& [R, lengths, mass_lengths] = residuals;
    std::vector<int> active;
    const LinearOperator& K = problem_.K;
    Vector x(K.device(), K.rows(), "vectors"), y(K.device(), K.rows(), "vectors");
    for (int k = 0; k < width_; ++k) {
      const auto c = static_cast<std::size_t>(k);
      const double size = std::max(std::abs(values_[c]), solution_.reference) * mass_lengths[c];
      if (lengths[c] <= 0.9 * options_.relative * size) continue;
      if (k < options_.count) {
        X_[c / MultiVector::lanes].get_column(k % MultiVector::lanes, x);
        if (lengths[c] <= 16 * problem_.rounding(x, values_[c], y)) continue;
        worst = std::max(worst, lengths[c] / size);
      }
      active.push_back(k);
    }
    return active;
  }

  // One step: the lowest Ritz vectors in span [X, P, W]; false when W adds nothing any more. W: the residuals.
  bool improve(VectorPieces W, const std::vector<int>& active) {
    const auto count = static_cast<int>(active.size());
    if (count < width_) replace({&W}, selection(width_, active), {{&W, count}});
    apply_to_pieces(*preconditioner_, W);
    const PieceBlocks known{&X_, &P_}, all{&X_, &P_, &W};
    std::optional<SmallMatrix> sums = orthonormal_sums(problem_.M, known, W);
    if (!sums) make_orthonormal(problem_.M, known, W);
    if (W.empty()) return false;
    SmallMatrix H = extended(energies_, projected(problem_.K, all, W), column_count(all));
    int size = column_count(all);
    if (sums) {
      *sums = beside_unit_columns(*sums, column_count(known), size);
      const int rank = static_cast<int>(sums->size()) / size;
      H = transformed(H, *sums, size, rank);
      size = rank;
    }
    const SymmetricEigen eigen = symmetric_eigen(H, size);
    values_.assign(eigen.values.begin(), eigen.values.begin() + width_);
    const SmallMatrix Y = lowest_vectors(eigen, size, width_);
    const SmallMatrix C = with_directions(Y, size, width_, active);
    const int columns = static_cast<int>(C.size()) / size;
    replace(all, sums ? multiplied(*sums, C, size) : C, {{&X_, width_}, {&P_, columns - width_}});
    energies_ = transformed(H, C, size, columns);
    // Products of products lose orthogonality slowly.
    if (solution_.iterations % 20 == 19) {
      P_.clear();
      make_orthonormal(problem_.M, {}, X_);
      begin_anew();
    }
    return true;
  }

  const EigenProblem& problem_;
  const EigenOptions& options_;
  const ShiftedPreconditioner& make_;
  int width_ = 0;
  EigenSolution solution_;
  std::unique_ptr<LinearOperator> preconditioner_;
  VectorPieces X_, P_;
  SmallMatrix energies_;  // [X, P]^T K [X, P]
  std::vector<double> values_;
};

}  // namespace

EigenSolution solve_by_lobpcg(const EigenProblem& problem, const ShiftedPreconditioner& preconditioner) {
  return Lobpcg(problem, preconditioner).solve();
}

}  // namespace ritz
