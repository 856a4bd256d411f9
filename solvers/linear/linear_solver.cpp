#include "solvers/linear/linear_solver.hpp"

#include "device/communicator.hpp"
#include "device/ranks/ranks.hpp"
#include "solvers/algebra/box_around.hpp"
#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/block_conjugate_gradient.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "solvers/linear/solver_cache.hpp"
#include "solvers/linear/solver_plan.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace ritz {
namespace {

void add_remark(SolveReport& report, const std::string& remark) {
  report.where += (report.where.empty() ? "" : "; ") + remark;
}

// Facts of the matrix of one process, or of the rows of each rank.
MatrixTraits traits_of(const SparseMatrix& A, MatrixPromise promise) {
  if (promise == MatrixPromise::none) return inspect(A);
  MatrixTraits traits;
  traits.finite = first_not_finite(A.values()) < 0;
  if (promise == MatrixPromise::symmetric) traits.positive_diagonal = all_positive(A.diagonal());
  return traits;
}

// Over ranks nothing is inspected: a matrix is symmetric where it is promised.
MatrixTraits traits_of(const DividedMatrix& A, MatrixPromise promise) {
  MatrixTraits traits{.symmetric = promise != MatrixPromise::none};
  if (promise != MatrixPromise::positive_definite) traits.positive_diagonal = all_positive(A.diagonal());
  return traits;
}

Index block_entries(const SparseMatrix& A) { return A.pattern().nonzeros(); }
Index block_entries(const DividedMatrix& A) { return Communicator(A.device()).total(A.nonzeros()); }

Ranks* ranks_of(const SparseMatrix&) { return nullptr; }
Ranks* ranks_of(const DividedMatrix& A) { return &A.ghosts().ranks(); }

// Checks the memory of multigrid before any of it is taken. The model may be a quarter too high: a hierarchy closer to
// the limit is tried, and so is one that costs little to try.
void check_room(const SparseMatrix& A, const SmoothedAggregationOptions& multigrid, const SolverGeometry& geometry) {
  const SparsityPattern& pattern = A.pattern();
  const MemoryPool& pool = A.device().memory();
  const HierarchyShape shape{pattern.rows(),     pattern.nonzeros(), A.block_size(),
                             geometry.dimension, Nesting::none,      multigrid.half_storage};
  const double needed = 0.75 * double(hierarchy_needs(shape, multigrid.single_precision).set_up.total());
  if (needed <= std::max(25e6, double(pool.available()))) return;
  throw Error(ErrorKind::device_memory,
              fmt::format("multigrid needs more than {:.1f} MB, and {:.1f} MB are available", 1e-6 * needed,
                          1e-6 * double(pool.available())),
              "predicted from the size of the matrix", "use a cheaper preconditioner, or a device with more memory");
}

// A rank that lacks memory in the midst of the set-up would end the job: what one of them predicts, all throw.
void check_room(const DividedMatrix& A, const SmoothedAggregationOptions& multigrid, const SolverGeometry& geometry) {
  const MemoryPool& pool = A.device().memory();
  A.ghosts().ranks().agree([&] {
    if (pool.available() > 4 * pool.statistics().live) return;
    const HierarchyShape shape{.rows = A.ghosts().size(),
                               .nonzeros = A.nonzeros_with_ghost_rows(),
                               .block = A.block_size(),
                               .dimension = geometry.dimension,
                               .nesting = geometry.nested && geometry.nested() ? Nesting::mesh : Nesting::none};
    const Index needed =
        hierarchy_needs(shape, A.ghosts().total(), multigrid).set_up.total() + geometry.more_for_products;
    if (needed <= pool.available()) return;
    throw Error(ErrorKind::device_memory,
                fmt::format("multigrid needs {:.1f} MB, and {:.1f} MB are available", 1e-6 * double(needed),
                            1e-6 * double(pool.available())),
                "predicted from the rows of this rank", "start more ranks, or give them more memory");
  });
}

SolveReport matrix_not_finite(const SparseMatrix& A) {
  const MatrixEntry bad = first_not_finite(A);
  SolveReport report;
  report.method = "none";
  report.true_relative_residual = std::numeric_limits<double>::quiet_NaN();
  report.entry = bad.row;
  report.where = fmt::format("row {}, column {} of the matrix is {}", bad.row, bad.column, bad.value);
  return report;
}

SolveReport zero_solution() {
  SolveReport report;
  report.method = "none";
  report.choice = "the right-hand side is zero";
  report.reason = StopReason::converged;
  report.error_estimate = 0;
  return report;
}

// Several columns pay for a set-up together: trials without one have nothing to save. Over ranks conjugate gradients
// come first, where they may suit, as their bits repeat themselves.
void suit_to_columns_and_ranks(std::vector<MethodChoice>& plan, bool automatic, bool together, const Ranks* ranks) {
  if (together || (ranks != nullptr && automatic))
    std::erase_if(plan, [](const MethodChoice& choice) { return choice.trial; });
  if (ranks == nullptr) return;
  const auto first = std::ranges::find(plan, LinearMethod::conjugate_gradient, &MethodChoice::method);
  if (automatic && first != plan.end()) std::rotate(plan.begin(), first, first + 1);
  for (MethodChoice& choice : plan)
    choice.why = choice.method == LinearMethod::direct
                     ? fmt::format("{}; factorised by {} ranks together, whose last digits differ from run to run",
                                   choice.why, ranks->count())
                     : fmt::format("divided among {} ranks", ranks->count());
}

void add_memory_of_ranks(const Communicator& all, Reports& reports) {
  for (SolveReport& report : reports) {
    report.memory_needed = all.total(report.memory_needed);
    report.memory_used = all.total(report.memory_used);
  }
}

void remark_negative_pivots(const DirectSolver& solver, Reports& reports) {
  if (!solver.knows_inertia() || solver.negative_pivots() == 0) return;
  for (SolveReport& report : reports)
    add_remark(report, fmt::format("the matrix has {} negative eigenvalue{}", solver.negative_pivots(),
                                   solver.negative_pivots() == 1 ? "" : "s"));
}

// Conjugate gradients take them together, other methods one by one.
Reports iterate_columns(LinearMethod method, const LinearOperator& A, const Columns& columns, const LinearOperator* M,
                        const KrylovOptions& krylov, const LinearSolverOptions& options) {
  const MultiVector& B = columns.B();
  MultiVector& X = columns.X();
  if (method == LinearMethod::conjugate_gradient)
    return BlockConjugateGradient{
        .relative = krylov.relative, .max_iterations = krylov.max_iterations, .after_columns = options.after_columns}
        .solve(A, B, X, M);
  Vector b(A.device(), A.rows(), "vectors"), x(A.device(), A.rows(), "vectors");
  Reports reports;
  for (int j = 0; j < columns.count(); ++j) {
    B.get_column(j, b);
    X.get_column(j, x);
    reports.push_back(solve_by(method, A, b, x, M, krylov));
    X.set_column(j, x);
    if (options.after_columns) options.after_columns(j, {reports.back()});
  }
  return reports;
}

// The bounding box of the nodes is only needed to choose a method.
template <class Matrix>
SystemSize size_of(const Matrix& A, int columns, const SolverGeometry& geometry, bool automatic) {
  const int block = A.block_size();
  SystemSize size{A.total_rows(), block_entries(A) * block * block, geometry.dimension, block, {}, columns};
  if (automatic && geometry.coordinates != nullptr)
    size.extent = box_around(*geometry.coordinates, geometry.dimension).extent;
  return size;
}

// One matrix and its columns: of one process, or the rows of each rank.
template <class Matrix>
class MatrixSystem final : public PlannedSystem {
 public:
  MatrixSystem(const Matrix& A, const Columns& columns, const LinearSolverOptions& options,
               const SolverGeometry& geometry)
      : A_(A), ranks_(ranks_of(A)), columns_(columns), options_(options), geometry_(geometry), kept_(options.cache) {
    columns.check_sizes(A);
    if (const auto wrong = mismatch(options.method, options.preconditioner))
      throw Error(ErrorKind::solver_options, wrong->what, wrong->why, wrong->fix);
  }

  Reports solve() {
    const std::vector<double> loads = columns_.load_norms();
    traits_ = traits_of(A_, options_.promise);
    if constexpr (std::same_as<Matrix, SparseMatrix>) {
      if (!traits_.finite) return Reports(loads.size(), matrix_not_finite(A_));
      check_method_suits(options_.method, traits_);
    }
    if (std::ranges::all_of(loads, [](double load) { return load == 0; })) {  // also of a singular matrix
      columns_.clear();
      return Reports(loads.size(), zero_solution());
    }
    return solve_by_plan(
        *this,
        {.promise = options_.promise, .ends_when_indefinite = options_.ends_when_indefinite, .report = options_.say});
  }

  const LinearOperator& matrix() const override { return A_; }
  const Columns& columns() const override { return columns_; }
  bool over_ranks() const override { return ranks_ != nullptr; }

  std::vector<MethodChoice> plan(bool indefinite) override {
    traits_.indefinite = indefinite;
    const bool automatic = options_.method == LinearMethod::automatic;
    std::vector<MethodChoice> plan =
        plan_methods(size_of(A_, columns_.count(), geometry_, automatic), traits_, options_);
    suit_to_columns_and_ranks(plan, automatic, columns_.together(), ranks_);
    if (kept_ != nullptr) kept_->put_first(plan);
    return plan;
  }

  Reports factorise(const MethodChoice& choice) override {
    const DirectKind kind = direct_kind(traits_.symmetric, options_.promise);
    Profile& profile = A_.device().profile();
    SolverCache passing;
    DirectSolver* solver = nullptr;
    if (over_ranks()) {  // no iteration follows
      free_preconditioners();
      A_.device().memory().trim();
      if (options_.say && !cache().holds_factor())
        options_.say(
            fmt::format("{} ranks factorise together: the last digits differ from run to run", ranks_->count()));
    }
    {
      auto phase = profile.phase("factorisation");
      solver = &(kept_ != nullptr ? *kept_ : passing)
                    .direct(A_, kind,
                            DirectOptions{.coordinates = geometry_.coordinates,
                                          .dimension = geometry_.dimension,
                                          .memory_limit = options_.direct_memory,
                                          .operations_limit = choice.operations_limit,
                                          .say = options_.say});
      solver->relative = options_.relative;
      solver->rounding_error = options_.rounding_error;
      solver->estimate_error = true;
    }
    auto phase = profile.phase("substitution");
    Reports reports = columns_.together() ? solver->solve(columns_.B(), columns_.X())
                                          : Reports{solver->solve(columns_.b(), columns_.x())};
    if (over_ranks()) add_memory_of_ranks(Communicator(A_.device()), reports);
    if (kind == DirectKind::symmetric) remark_negative_pivots(*solver, reports);
    return reports;
  }

  Cycle cycle(const MethodChoice& choice) const override {
    Cycle cycle{.memory = {.preconditioner = choice.preconditioner,
                           .single_precision = options_.multigrid.single_precision,
                           .half_storage = options_.multigrid.half_storage,
                           .matrix = !over_ranks()}};
    if (over_ranks() && kept_ != nullptr && kept_->cycle()) {
      cycle.memory.single_precision = kept_->cycle()->memory.single_precision;
      cycle.sure_bounds = kept_->cycle()->sure_bounds;
    }
    return cycle;
  }
  void keep(const Cycle& cycle) override {
    if (!over_ranks()) return;
    cache().keep(cycle);
    cache().forget_preconditioners();
  }

  std::vector<PreconditionerBasis> bases(const MethodChoice& choice, bool) const override {
    return preconditioner_bases(choice.method, choice.preconditioner, traits_, options_.promise);
  }

  void prepare(const MethodChoice& choice, PreconditionerBasis basis, const Cycle& cycle) override {
    SmoothedAggregationOptions multigrid = options_.multigrid;
    multigrid.single_precision = cycle.memory.single_precision;
    multigrid.half_storage = cycle.memory.half_storage;
    multigrid.sure_bounds = multigrid.sure_bounds || cycle.sure_bounds;
    multigrid.coordinates = geometry_.coordinates;
    multigrid.dimension = geometry_.dimension;
    multigrid.nested = geometry_.nested;
    const bool is_kept = kept_ != nullptr && kept_->holds(PreconditionerKind::multigrid);
    if (choice.preconditioner == PreconditionerKind::multigrid && !is_kept) check_room(A_, multigrid, geometry_);
    auto phase = A_.device().profile().phase("set-up");
    passing_.clear();
    M_ = &cache().preconditioner(A_, choice.preconditioner, basis, multigrid);
  }

  Iteration iterate(const MethodChoice& choice) override {
    auto phase = A_.device().profile().phase("iteration");
    const int patience = cache().patience(*M_, -std::log10(options_.relative));
    int limit = options_.max_iterations;
    for (const int other : {choice.max_iterations, patience})
      if (other > 0) limit = std::min(limit, other);
    const KrylovOptions krylov{options_.relative, limit, options_.restart, choice.give_up};
    Reports reports = columns_.together()
                          ? iterate_columns(choice.method, A_, columns_, M_->get(), krylov, options_)
                          : Reports{solve_by(choice.method, A_, columns_.b(), columns_.x(), M_->get(), krylov)};
    for (SolveReport& report : reports) report.preconditioner = M_->name();
    const bool of_this_matrix = cache().judge(*M_, reports);
    passing_.clear();
    return {std::move(reports), of_this_matrix};
  }

  void free_preconditioners() override {
    if (over_ranks()) cache().forget_preconditioners();
    else cache().clear();
  }
  void remember(const MethodChoice& choice) override {
    if (kept_ != nullptr) kept_->remember(choice);
  }

 private:
  // Owner of preconditioners: that of the matrix, or one attempt only.
  SolverCache& cache() { return kept_ != nullptr ? *kept_ : passing_; }

  const Matrix& A_;
  Ranks* const ranks_;  // null: one process
  const Columns columns_;
  const LinearSolverOptions& options_;
  const SolverGeometry& geometry_;
  MatrixTraits traits_;
  SolverCache* const kept_;
  SolverCache passing_;
  const ChosenPreconditioner* M_ = nullptr;  // in one of these
};

}  // namespace

SolveReport solve_by(LinearMethod method, const LinearOperator& A, const Vector& b, Vector& x, const LinearOperator* M,
                     const KrylovOptions& options) {
  const auto& [relative, limit, restart, give_up] = options;
  switch (method) {
    case LinearMethod::minres:
      return Minres{.relative = relative, .max_iterations = limit, .give_up = give_up}.solve(A, b, x, M);
    case LinearMethod::gmres:
      return Gmres{.relative = relative, .max_iterations = limit, .restart = restart, .give_up = give_up}.solve(A, b, x,
                                                                                                                M);
    case LinearMethod::bicgstab:
      return Bicgstab{.relative = relative, .max_iterations = limit, .give_up = give_up}.solve(A, b, x, M);
    default:
      return ConjugateGradient{.relative = relative,
                               .max_iterations = limit,
                               .flexible = method == LinearMethod::flexible_conjugate_gradient,
                               .give_up = give_up}
          .solve(A, b, x, M);
  }
}

SolveReport solve_linear(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry) {
  return MatrixSystem(A, {b, x}, options, geometry).solve().front();
}

std::vector<SolveReport> solve_linear(const SparseMatrix& A, const MultiVector& B, MultiVector& X,
                                      const LinearSolverOptions& options, const SolverGeometry& geometry) {
  return MatrixSystem(A, {B, X}, options, geometry).solve();
}

SolveReport solve_linear(const DividedMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry) {
  return MatrixSystem(A, {b, x}, options, geometry).solve().front();
}

std::vector<SolveReport> solve_linear(const DividedMatrix& A, const MultiVector& B, MultiVector& X,
                                      const LinearSolverOptions& options, const SolverGeometry& geometry) {
  return MatrixSystem(A, {B, X}, options, geometry).solve();
}

}  // namespace ritz
