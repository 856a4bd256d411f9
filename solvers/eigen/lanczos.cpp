// Block Lanczos with shift-invert, full reorthogonalisation and thick restart, in the inner product of M: Ericsson and
// Ruhe, Math. Comp. 35, 1980; Grimes, Lewis, Simon, SIAM J. Matrix Anal. Appl. 15, 1994; Wu and Simon, SIAM J. Matrix
// Anal. Appl. 22, 2000. Eigenvalues theta of (K - shift M)^-1 M give lambda = shift + 1 / theta.
#include "device/error.hpp"
#include "device/process/stop_request.hpp"
#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/algebra/solver_progress.hpp"
#include "solvers/eigen/eigen_needs.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/shift_invert.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace ritz {
namespace {

constexpr int block_width = MultiVector::lanes;

struct RitzValue {
  double theta, error;  // error: ||(K - shift M)^-1 M x - theta x||_M
  double lambda;
};

// The subspace and the projection of the operator onto it: OP V = V H + Q S.
class Subspace {
 public:
  Subspace(const EigenProblem& problem, ShiftInvert& inverse) : problem_(&problem), inverse_(&inverse) {}

  int size() const { return size_; }
  bool is_everything() const { return size_ >= problem_->mass_count; }

  // Joins the next block: the start, or a search for what was missed.
  void add_block(const MultiVector& X) {
    std::vector<const MultiVector*> known = basis();
    if (next_.columns() > 0) known.push_back(&next_);
    MultiVector more = orthonormalise(problem_->M, known, inverted(X)).Q;
    if (more.columns() > 0) next_ = joined(next_, std::move(more));
    S_.resize(static_cast<std::size_t>(next_.columns() * size_), 0.0);
  }

  // One application of the operator: the block Q joins the basis, and what its image adds is the next Q.
  void step() {
    // an invariant subspace: look elsewhere
    for (int seed = 1000 + size_; next_.columns() == 0 && !is_everything(); ++seed)
      add_block(problem_->random_block(block_width, seed));
    if (next_.columns() == 0) return;
    const int p = next_.columns();
    MultiVector W = inverted(next_);
    blocks_.push_back(std::move(next_));
    size_ += p;
    OrthonormalBlock more = orthonormalise(problem_->M, basis(), std::move(W));
    grow(more.inside, p);
    next_ = std::move(more.Q);
    S_.assign(static_cast<std::size_t>(next_.columns() * size_), 0.0);
    for (int i = 0; i < next_.columns(); ++i)
      for (int j = 0; j < p; ++j)
        S_[static_cast<std::size_t>(i * size_ + size_ - p + j)] = more.outside[static_cast<std::size_t>(i * p + j)];
  }

  // Largest |theta| first.
  std::vector<RitzValue> ritz() {
    eigen_ = symmetric_eigen(H_, size_);
    order_.resize(static_cast<std::size_t>(size_));
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::stable_sort(order_, [&](int a, int b) { return std::abs(theta(a)) > std::abs(theta(b)); });
    std::vector<RitzValue> values;
    for (const int k : order_) {
      double square = 0;
      for (int i = 0; i < next_.columns(); ++i) {
        double sum = 0;
        for (int j = 0; j < size_; ++j) sum += S_[static_cast<std::size_t>(i * size_ + j)] * component(k, j);
        square += sum * sum;
      }
      values.push_back({theta(k), std::sqrt(square), inverse_->shift() + 1 / theta(k)});
    }
    return values;
  }

  // The Ritz vectors of the first `count` values, and one more step of the operator on them without a solve (Ericsson
  // and Ruhe 1980): V y + Q S y / theta.
  MultiVector vectors(int count) const {
    MultiVector X = combination(count);
    if (next_.columns() == 0) return X;
    SmallMatrix C = residual_coefficients(count);
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < next_.columns(); ++i)
        C[static_cast<std::size_t>(i * count + k)] /= theta(order_[static_cast<std::size_t>(k)]);
    combine(next_, C, 1.0, X);
    return X;
  }

  // Keeps the Ritz vectors of the first `count` values.
  void restart(int count) {
    std::vector<MultiVector> kept;
    const MultiVector X = combination(count);
    blocks_.clear();
    for (int first = 0; first < count; first += block_width)
      kept.push_back(columns_of(X, first, std::min(block_width, count - first)));
    SmallMatrix S = residual_coefficients(count);
    H_.assign(static_cast<std::size_t>(count * count), 0.0);
    for (int k = 0; k < count; ++k)
      H_[static_cast<std::size_t>(k * count + k)] = theta(order_[static_cast<std::size_t>(k)]);
    blocks_ = std::move(kept);
    S_ = std::move(S);
    size_ = count;
  }

 private:
  double theta(int k) const { return eigen_.values[static_cast<std::size_t>(k)]; }
  double component(int k, int j) const { return eigen_.vectors[static_cast<std::size_t>(k * size_ + j)]; }
  std::vector<const MultiVector*> basis() const {
    std::vector<const MultiVector*> list;
    for (const MultiVector& block : blocks_) list.push_back(&block);
    return list;
  }
  MultiVector inverted(const MultiVector& X) {
    MultiVector MX(X.device(), X.rows(), X.columns(), "eigenvectors"),
        Y(X.device(), X.rows(), X.columns(), "eigenvectors");
    problem_->M.apply_block(X, MX);
    inverse_->apply(MX, Y);
    return Y;
  }
  void grow(const SmallMatrix& inside, int p) {
    const auto n = static_cast<std::size_t>(size_), old = n - static_cast<std::size_t>(p),
               columns = static_cast<std::size_t>(p);
    SmallMatrix H(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (i < old && j < old) H[i * n + j] = H_[i * old + j];
        else if (j >= old && i < old) H[i * n + j] = inside[i * columns + j - old];
        else if (i >= old && j < old) H[i * n + j] = inside[j * columns + i - old];
        else H[i * n + j] = 0.5 * (inside[i * columns + j - old] + inside[j * columns + i - old]);
      }
    H_ = std::move(H);
  }
  MultiVector combination(int count) const {
    MultiVector X(problem_->K.device(), problem_->K.rows(), count, "eigenvectors");
    int row = 0;
    for (const MultiVector& block : blocks_) {
      SmallMatrix C(static_cast<std::size_t>(block.columns() * count));
      for (int i = 0; i < block.columns(); ++i)
        for (int k = 0; k < count; ++k)
          C[static_cast<std::size_t>(i * count + k)] = component(order_[static_cast<std::size_t>(k)], row + i);
      combine(block, C, row == 0 ? 0.0 : 1.0, X);
      row += block.columns();
    }
    return X;
  }
  // S Y, [columns of Q][count]
  SmallMatrix residual_coefficients(int count) const {
    SmallMatrix result(static_cast<std::size_t>(next_.columns() * count), 0.0);
    for (int i = 0; i < next_.columns(); ++i)
      for (int k = 0; k < count; ++k)
        for (int j = 0; j < size_; ++j)
          result[static_cast<std::size_t>(i * count + k)] +=
              S_[static_cast<std::size_t>(i * size_ + j)] * component(order_[static_cast<std::size_t>(k)], j);
    return result;
  }

  const EigenProblem* problem_;
  ShiftInvert* inverse_;
  std::vector<MultiVector> blocks_;  // V
  MultiVector next_;                 // Q
  SmallMatrix H_, S_;                // [size][size], [columns of Q][size]
  int size_ = 0;
  SymmetricEigen eigen_;
  std::vector<int> order_;
};

class Lanczos {
 public:
  Lanczos(const EigenProblem& problem, const ShiftedMatrix& shifted, const SolverGeometry& geometry,
          const AttachedMotions& motions)
      : problem_(problem), options_(problem.options), inverse_(shifted, geometry, motions) {}

  EigenSolution solve() {
    solution_.method = "shift-invert block Lanczos";
    if (options_.band) count_band();
    else wanted_ = options_.count;
    if (wanted_ > 0) search();
    else solution_.reason = StopReason::converged, solution_.verified = true, solution_.verification = counted_;
    solution_.factorisations = inverse_.factorisations();
    solution_.factor_foreseen = inverse_.memory_needed();
    solution_.preconditioner = inverse_.name();
    inverse_.end();
    return std::move(solution_);
  }

 private:
  void search() {
    nearby_ = static_cast<int>(std::min<Index>(problem_.mass_count, wanted_ + 4));
    factorise();
    Subspace space(problem_, inverse_);
    space.add_block(problem_.random_block(block_width, 0));
    double tolerance = std::clamp(0.01 * options_.relative, 1e-13, 1e-8);
    for (int round = 0; round < 4; ++round) {
      solution_.reason = iterate(space, tolerance);
      solution_.reference = std::max(0.0, -shift_) * (options_.below ? negligible : 1);
      problem_.measure(in_pieces(space.vectors(std::min(wanted_, space.size()))), solution_);
      while (solution_.converged() && !is_accurate()) {
        tolerance *= 0.01;
        solution_.reason = tolerance < 1e-15 ? StopReason::stagnated : iterate(space, tolerance);
        problem_.measure(in_pieces(space.vectors(std::min(wanted_, space.size()))), solution_);
      }
      if (!solution_.converged() || !options_.verify || verify()) return;
      throw_if_stop_requested();
      report_progress("an eigenvalue is missing: searching on");
      inverse_.move_to(shift_);
      space.add_block(problem_.random_block(block_width, round + 1));
      if (space.size() < nearby_)
        report_progress(fmt::format("modes: 0 of {} converged, {} vectors of {} before the first look", wanted_,
                                    space.size(), nearby_));
      space.step();
      ++solution_.iterations;
    }
    solution_.reason = StopReason::stagnated;
  }

  // The whole band is [low, high]; with low <= 0 it is the lowest eigenvalues up to high.
  void count_band() {
    const auto count_below = [&](double value) {
      report_progress("counting the eigenvalues of the band");
      inverse_.move_to(value);
      return inverse_.count_below();
    };
    const EigenBand& band = *options_.band;
    const Index above = count_below(band.high), below = band.low > 0 ? count_below(band.low) : 0;
    wanted_ = static_cast<int>(above - below);
    counted_ = fmt::format("{} eigenvalues in the band by the inertia of {}", wanted_,
                           band.low > 0 ? "two factors" : "a factor");
    report_progress(counted_);
    if (band.low > 0) shift_ = 0.5 * (band.low + band.high);
  }

  void factorise() {
    report_progress("factorising");
    if (options_.below) shift_ = *options_.below;
    else if (shift_ == 0 && options_.zero_count > 0) shift_ = -problem_.low_guess;
    try {
      inverse_.move_to(shift_);
    } catch (const Error& error) {
      if (error.exit() != Exit::model || shift_ != 0) throw;
      shift_ = -problem_.low_guess;  // K alone is singular, although not declared so
      inverse_.move_to(shift_);
    }
    shift_ = inverse_.shift();
  }

  // A shift far below the wanted eigenvalues makes them look alike: start again nearer to them.
  bool move_shift(const std::vector<RitzValue>& ritz) {
    const double highest = ritz[static_cast<std::size_t>(nearby_ - 1)].lambda;
    if (options_.below || !(shift_ < 0) || !(highest > 0) || -shift_ < 10 * highest || inverse_.factorisations() > 6)
      return false;
    shift_ = -0.3 * highest;
    return true;
  }

  StopReason iterate(Subspace& space, double tolerance) {
    auto phase = problem_.K.device().profile().phase("iteration");
    const int largest = lanczos_basis(nearby_, problem_.mass_count);
    const int kept = nearby_ + (largest - nearby_) / 3;
    while (true) {
      if (space.size() >= nearby_) {
        ritz_ = space.ritz();
        if (move_shift(ritz_)) {
          const MultiVector start = space.vectors(std::min(block_width, space.size()));
          factorise();
          space = Subspace(problem_, inverse_);
          space.add_block(start);
          continue;
        }
        const int good = converged_count(tolerance);
        problem_.tell(std::min(good, wanted_), wanted_, solution_.iterations, worst_error(good), tolerance);
        if (good >= wanted_ && nearby_are_known()) return StopReason::converged;
        if (space.is_everything()) return StopReason::converged;
        if (space.size() + block_width > largest) space.restart(kept);
      }
      if (solution_.iterations >= options_.max_iterations) {
        ritz_ = space.ritz();
        return StopReason::iteration_limit;
      }
      throw_if_stop_requested();
      if (space.size() < nearby_)
        report_progress(fmt::format("modes: 0 of {} converged, {} vectors of {} before the first look", wanted_,
                                    space.size(), nearby_));
      space.step();
      ++solution_.iterations;
    }
  }

  int converged_count(double tolerance) const {
    int good = 0;
    while (good < static_cast<int>(ritz_.size()) &&
           ritz_[static_cast<std::size_t>(good)].error <=
               tolerance * std::abs(ritz_[static_cast<std::size_t>(good)].theta))
      ++good;
    return good;
  }
  // The largest relative error of wanted ones, the first `converged` left out.
  double worst_error(int converged) const {
    double worst = 0;
    for (int k = converged; k < wanted_; ++k) {
      const RitzValue& r = ritz_[static_cast<std::size_t>(k)];
      worst = std::max(worst, r.error / std::abs(r.theta));
    }
    return worst;
  }
  // The eigenvalues next to the wanted ones, roughly: where to count needs them.
  bool nearby_are_known() const {
    return std::all_of(ritz_.begin(), ritz_.begin() + nearby_,
                       [](const RitzValue& r) { return r.error <= 1e-3 * std::abs(r.theta); });
  }
  bool is_accurate() const {
    for (std::size_t mode = 0; mode < solution_.values.size(); ++mode)
      if (!problem_.is_accurate(solution_, mode)) return false;
    return true;
  }

  bool verify() {
    if (options_.band) {
      const auto& values = solution_.values;
      const double slack = 1e-8 * options_.band->high;
      solution_.verified = values.front() >= options_.band->low - slack - solution_.reference &&
                           values.back() <= options_.band->high + slack;
      solution_.verification = counted_ + (solution_.verified ? ", all found" : ", but others were found");
      return solution_.verified;
    }
    // Count between the wanted eigenvalues and the next; when they are one cluster, below the cluster.
    std::vector<double> known;
    for (int k = 0; k < nearby_; ++k) known.push_back(ritz_[static_cast<std::size_t>(k)].lambda);
    std::ranges::sort(known);
    const auto size_of = [&](int k) {
      return std::max(std::abs(known[static_cast<std::size_t>(k)]), std::abs(shift_));
    };
    const auto is_gap = [&](int k) {
      return known[static_cast<std::size_t>(k)] - known[static_cast<std::size_t>(k - 1)] > 1e-5 * size_of(k);
    };
    int cut = wanted_;
    while (cut < nearby_ && !is_gap(cut)) ++cut;
    const bool all_found = cut == nearby_ && nearby_ == problem_.mass_count;
    if (cut == nearby_ && !all_found)
      for (cut = wanted_; cut > 0 && !is_gap(cut);) --cut;
    const double last = cut > 0 ? known[static_cast<std::size_t>(cut - 1)] : 0;
    const double mark = all_found  ? 1.01 * last
                        : cut == 0 ? known.front() - 1e-3 * size_of(0)
                                   : 0.5 * (last + known[static_cast<std::size_t>(cut)]);
    report_progress("counting the eigenvalues by inertia");
    inverse_.move_to(mark);
    Index count = 0;
    try {
      count = inverse_.count_below();
    } catch (const Error& error) {
      if (error.exit() != Exit::environment) throw;
      solution_.verification = "not counted: " + error.message();
      return true;
    }
    solution_.verified = count == cut;
    solution_.counted = count, solution_.counted_to = mark;
    solution_.verification =
        fmt::format("{} eigenvalues below {:.6g} by the inertia of a factor, {} found", count, mark, cut);
    if (count < cut)
      throw Error(ErrorKind::modes_not_converged,
                  "more eigenvalues were found than there are: " + solution_.verification,
                  "rounding has spoiled the subspace or the factor",
                  "check the model for extreme ratios of stiffness, and ask for fewer modes");
    return solution_.verified;
  }

  const EigenProblem& problem_;
  const EigenOptions& options_;
  EigenSolution solution_;
  ShiftInvert inverse_;
  std::vector<RitzValue> ritz_;
  std::string counted_;
  double shift_ = 0;
  int wanted_ = 0, nearby_ = 0;  // nearby: and a few more, to know where to count
};

}  // namespace

EigenSolution solve_by_lanczos(const EigenProblem& problem, const ShiftedMatrix& shifted,
                               const SolverGeometry& geometry, const AttachedMotions& motions) {
  return Lanczos(problem, shifted, geometry, motions).solve();
}

}  // namespace ritz
