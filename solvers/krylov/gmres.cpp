#include "solvers/krylov/gmres.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/krylov/krylov_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <fmt/format.h>

namespace ritz {
namespace {

// min || |r| e_1 - H y || over y, column by column of the Hessenberg matrix, by rotations.
class LeastSquares {
 public:
  explicit LeastSquares(double norm) : right_{norm} {}

  // Entries 0 .. k + 1 of column k.
  void add_column(std::vector<double> h) {
    const std::size_t k = columns_.size();
    for (std::size_t i = 0; i < k; ++i) {
      const double low = c_[i] * h[i + 1] - s_[i] * h[i];
      h[i] = c_[i] * h[i] + s_[i] * h[i + 1];
      h[i + 1] = low;
    }
    const double size = std::hypot(h[k], h[k + 1]);
    c_.push_back(size == 0 ? 1 : h[k] / size);
    s_.push_back(size == 0 ? 0 : h[k + 1] / size);
    h[k] = size;
    columns_.push_back(std::move(h));
    right_.push_back(-s_[k] * right_[k]);
    right_[k] *= c_[k];
  }
  double residual() const { return std::abs(right_.back()); }
  bool singular() const { return !columns_.empty() && columns_.back()[columns_.size() - 1] == 0; }

  // A zero pivot can only be the last: its unknown stays zero.
  std::vector<double> solution() const {
    std::vector<double> y(columns_.size(), 0.0);
    for (std::size_t i = columns_.size(); i-- > 0;) {
      double sum = right_[i];
      for (std::size_t j = i + 1; j < columns_.size(); ++j) sum -= columns_[j][i] * y[j];
      y[i] = columns_[i][i] == 0 ? 0 : sum / columns_[i][i];
    }
    return y;
  }

 private:
  std::vector<std::vector<double>> columns_;
  std::vector<double> right_, c_, s_;
};

// The residual falls so slowly over several cycles that ten times the iterations that are left would not do.
class Pace {
 public:
  Pace(double target, int max_iterations) : target_(target), max_iterations_(max_iterations) {}

  // After each cycle, with the true residual.
  bool is_too_slow(double residual, int iterations) {
    ends_.push_back({residual, iterations});
    if (ends_.size() <= watched || residual <= target_) return false;
    const End& before = ends_[ends_.size() - 1 - watched];
    const double fallen = std::log(before.residual / residual), to_fall = std::log(residual / target_);
    needed_ =
        fallen > 0 ? to_fall / fallen * (iterations - before.iterations) : std::numeric_limits<double>::infinity();
    return needed_ > margin * (max_iterations_ - iterations);
  }
  std::string text() const {
    return fmt::format("at the pace of the last {} cycles, the tolerance takes {:.0e} more iterations", watched,
                       needed_);
  }

 private:
  static constexpr std::size_t watched = 10;
  static constexpr double margin = 10;
  struct End {
    double residual;
    int iterations;
  };
  double target_, needed_ = 0;
  int max_iterations_;
  std::vector<End> ends_;
};

class GmresIteration {
 public:
  GmresIteration(const KrylovRun& run, int restart, int max_iterations)
      : restart_(restart),
        pace_(run.target(), max_iterations),
        kernels_(kernels<KrylovKernels>(run.device, solver_kernels, "krylov")),
        V_(run.device, run.size, restart + 1),
        v_(run.device, run.size, "vectors"),
        z_(run.device, run.M == nullptr ? 0 : run.size, "vectors"),
        numbers_(run.device, 2 * width(restart) + 1, "vectors"),
        host_(static_cast<std::size_t>(numbers_.size())),
        read_(run.device, static_cast<int>(numbers_.size())) {
    if (run.M != nullptr) Z_ = MultiVector(run.device, run.size, restart);
  }

  // Cycle after cycle, each from the true residual.
  StopReason iterate(KrylovRun& run) {
    double norm = norm2(run.r);
    while (true) {
      if (const auto reason = cycle(run, norm)) return *reason;
      const double before = norm;
      norm = run.true_residual();
      if (!(norm < (1 - 1e-8) * before)) return std::isfinite(norm) ? StopReason::stagnated : StopReason::not_finite;
      if (!pace_.is_too_slow(norm, run.report.iterations)) continue;
      run.report.where = pace_.text();
      return StopReason::iteration_limit;
    }
  }

 private:
  static int width(int columns) {
    return MultiVector::lanes * ((columns + MultiVector::lanes - 1) / MultiVector::lanes);
  }

  // nullopt: the basis is full. On a device of its own the next column and its product are launched before the host
  // looks at the numbers of this one: they change neither the solution nor the columns before.
  std::optional<StopReason> cycle(KrylovRun& run, double norm) {
    V_.values().fill_zero();
    run.count(width(restart_ + 1));
    LeastSquares system(norm);
    axpby(1 / norm, run.r, 0.0, v_);
    V_.set_column(0, v_);
    multiply(run, 0);
    std::optional<StopReason> reason;
    int k = 0;
    for (; k < restart_ && !reason; ++k) {
      orthogonalise(run, k);
      const bool launched = k + 1 < restart_ && run.launches_ahead();
      if (launched) next_column(run, k + 1);
      std::vector<double> h = column_of(k);
      const double rest = h.back();
      if (!std::isfinite(rest)) {
        reason = StopReason::not_finite;
        break;
      }
      double size = 0;
      for (const double value : h) size = std::hypot(size, value);
      const bool exhausted = rest <= 1e-15 * size;
      system.add_column(std::move(h));
      reason = run.after_iteration(system.residual());
      if (!reason && exhausted) reason = system.singular() ? StopReason::breakdown : StopReason::converged;
      if (!reason && !launched && k + 1 < restart_) next_column(run, k + 1);
    }
    add_to_solution(run, system.solution());
    return reason;
  }

  // v = q / |q| is column k, and q = A M v; |q|^2 stands after the dots with the columns before.
  void next_column(KrylovRun& run, int k) {
    run.count(3);
    kernels_.basis_column(run.device, run.size, numbers_.data() + 2 * width(k), run.q.data(), k % MultiVector::lanes,
                          V_.group(k / MultiVector::lanes), v_.data());
    multiply(run, k);
  }
  void multiply(KrylovRun& run, int k) {
    const Vector& z = run.preconditioned(v_, z_);
    if (run.M != nullptr) Z_.set_column(k, z);
    run.A.apply(z, run.q);
  }

  // q -= V V^T q, twice.
  void orthogonalise(KrylovRun& run, int k) {
    const int columns = width(k + 1), groups = columns / MultiVector::lanes;
    double* const h = numbers_.data();
    double* const square = h + 2 * columns;
    const Communicator all(run.device);
    for (const int pass : {0, 1}) {
      run.count(columns + groups);  // w once for each group of eight
      kernels_.basis_dots(run.device, run.size, groups, V_.group(0), run.q.data(), h + pass * columns);
      all.complete(h + pass * columns, columns);
      run.count(columns + 2);
      kernels_.basis_add(run.device, run.size, groups, -1, V_.group(0), h + pass * columns, run.q.data(), square);
    }
    all.complete(square, 1);
    read_.begin(h, 2 * columns + 1);
  }

  // V^T q, and the norm of what is left of q.
  std::vector<double> column_of(int k) {
    const int columns = width(k + 1);
    read_.finish(std::span(host_).first(static_cast<std::size_t>(2 * columns + 1)));
    std::vector<double> result;
    for (int i = 0; i <= k; ++i) result.push_back(host_[i] + host_[columns + i]);
    result.push_back(std::sqrt(host_[2 * columns]));
    return result;
  }

  void add_to_solution(KrylovRun& run, std::vector<double> y) {
    if (y.empty() || !std::all_of(y.begin(), y.end(), [](double value) { return std::isfinite(value); })) return;
    const int columns = width(static_cast<int>(y.size()));
    y.resize(static_cast<std::size_t>(numbers_.size()), 0.0);
    numbers_.upload(y);
    run.count(columns + 2);
    const MultiVector& basis = run.M == nullptr ? V_ : Z_;
    kernels_.basis_add(run.device, run.size, columns / MultiVector::lanes, 1, basis.group(0), numbers_.data(),
                       run.x.data(), numbers_.data() + numbers_.size() - 1);
  }

  const int restart_;
  Pace pace_;
  const KrylovKernels& kernels_;
  MultiVector V_, Z_;
  Vector v_, z_, numbers_;
  std::vector<double> host_;
  PendingSum read_;
};

}  // namespace

SolveReport Gmres::solve(const LinearOperator& A, const Vector& b, Vector& x,
                         const LinearOperator* preconditioner) const {
  if (restart < 1 || restart > 1000)
    throw Error(ErrorKind::solver_options, fmt::format("GMRES was asked to restart after {} iterations", restart), {},
                "use 1 to 1000, such as 30");
  const int columns = static_cast<int>(std::max<Index>(1, std::min<Index>(restart, A.total_rows())));
  KrylovRun run({relative, absolute, max_iterations, give_up}, A, b, x, preconditioner);
  std::optional<GmresIteration> iteration;
  while (run.goes_on()) {
    if (!iteration) iteration.emplace(run, columns, max_iterations);
    run.judge(iteration->iterate(run));
  }
  return run.finish(fmt::format("{}GMRES({})", preconditioner == nullptr ? "" : "flexible ", restart));
}

}  // namespace ritz
