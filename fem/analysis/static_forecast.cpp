#include "fem/analysis/static_forecast.hpp"

#include "device/error.hpp"
#include "fem/analysis/system_share.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "mesh/quality/quality.hpp"
#include "solvers/krylov/block_conjugate_gradient.hpp"
#include "solvers/linear/method_choice.hpp"
#include "solvers/linear/projected_guess.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ritz {
namespace {

using Task = Operator::Task;

// Number of Newton steps in an increment, for the estimate of the time.
constexpr double newton_steps = 6;
constexpr Index newton_vectors = 12;

// Follows fem/analysis/static_solution.cpp, or fem/analysis/nonlinear_solution.cpp, moment by moment: of one process,
// or of the part of a rank.
class StaticForecaster {
 public:
  StaticForecaster(SystemShare share, const LinearSolverOptions& linear, const AnalysisNeeds& analysis)
      : share_(std::move(share)),
        equations_(share_.equations()),
        space_(equations_.space()),
        linear_(linear),
        analysis_(analysis),
        columns_(analysis.columns),
        n_(share_.unknowns()),
        block_(space_.components()),
        needs_(share_.needs()) {
    needs_.standing += share_.part_of(analysis.beside);
    residual_ = needs_of_task(Task::residual);
    evaluate_ = needs_of_task(Task::evaluate);
    shown_ = needs_of_results(space_, equations_.integrals());
  }

  ForecastPath by(SolverPath path) const {
    switch (path) {
      case SolverPath::direct: return direct();
      case SolverPath::p_multigrid:
      case SolverPath::without_matrix: return without_matrix(path);
      default: return with_matrix(path);
    }
  }

  ForecastPath with_matrix(SolverPath path) const {
    const MemoryNeeds assembly = at_assembly(), kept = kept_with_matrix();
    const MemoryNeeds solve = kept + needs_.coordinates + staying_lists() + lists_of_shown() + solved_together();
    const bool cycle = path == SolverPath::multigrid_single || path == SolverPath::multigrid_double,
               diagonal = path == SolverPath::diagonal || path == SolverPath::diagonal_unsymmetric;
    const MemoryNeeds iteration = krylov_vectors(diagonal);
    ForecastPath result = begun(path, assembly);
    MemoryNeeds preconditioner = vectors(path == SolverPath::chebyshev ? 5 : 1), refreshed;
    if (cycle) {
      const HierarchyNeeds hierarchy = share_.hierarchy(linear_.multigrid, path == SolverPath::multigrid_single);
      // The hierarchy of a matrix that is not symmetric is that of its symmetric part, which stays.
      const MemoryNeeds part = symmetric() ? MemoryNeeds() : share_.matrix().apart();
      raise(result, solve + part + hierarchy.set_up, "set-up");
      refreshed = part + hierarchy.refresh;
      preconditioner = part + hierarchy.live;
      if (in_step()) preconditioner += lanes_of_cycle(n_, path == SolverPath::multigrid_single);
      // Tangents of a state that yields differ from each other by so much that a hierarchy does not serve for all;
      // others may.
      if (newton() && equations_.facts().has_states) raise(result, solve + refreshed, "refresh");
      else if (newton()) result.refresh = (solve + refreshed).total();
    }
    raise(result, solve + preconditioner + iteration, "iteration");
    if (analysis_.reuses) {  // by the members after the first
      const MemoryNeeds left = preconditioner + earlier_solutions();
      raise(result, assembly + left, "assembly");
      raise(result, solve + left + iteration, "iteration");
      // Their products with the matrix, a column and the residual.
      if (earlier_solutions().total() > 0)
        raise(result, solve + left + earlier_solutions() + vectors(2), "start from earlier solutions");
      raise(result, kept + staying_lists() + left + results(), "results");
      if (columns_ == 1) result.refresh = (solve + refreshed + earlier_solutions()).total();
    }
    raise_last(result, solve + preconditioner, left_by_matrix());
    const double matrix_bytes = 8.0 * double(needs_.size.pairs) * block_ * block_ + 4.0 * double(needs_.size.pairs),
                 vector_bytes = 8.0 * double(n_) * columns_;
    // Assembly; and per iteration a product in double precision and, with multigrid, a cycle of five products in its
    // precision.
    const double product = groups_of_columns() * matrix_bytes + 12 * vector_bytes,
                 width = path == SolverPath::multigrid_single ? 0.5 : 1;
    const double iterations = cycle ? (block_ == 1 ? 18 : 40) : diagonal_iterations();
    result.bytes_moved = tangents() * (6 * matrix_bytes + (cycle ? 12 * matrix_bytes : 0)) +
                         solves() * iterations * (product + (cycle ? 5 * 1.3 * width * product : 0));
    count_slabs(result,
                newton() || analysis_.reuses ? std::vector{Task::residual, Task::matrix} : std::vector{Task::residual});
    result.host_lists = host_of_lists(lists_at_assembly()) + needs_.host_of_pattern;
    return result;
  }

  // Throws where there is no direct solver, or no memory for its analysis.
  ForecastPath direct() const {
    const MemoryNeeds kept = kept_with_matrix();
    ForecastPath result = begun(SolverPath::direct, at_assembly());
    const DirectSolver::Needs factor = share_.factor(direct_kind());
    result.factor = factor.memory;
    MemoryNeeds solve = kept + needs_.coordinates + staying_lists() + lists_of_shown() + solved_together() + blocks(1) +
                        vectors(2 + (columns_ > 1 ? 2 * columns_ : 0));  // residual and correction; packed columns
    if (space_.device().is_gpu() && !share_.is_divided()) solve.bytes("factor", result.factor);
    else result.host_factor = share_.host_of_factor(result.factor, direct_kind());
    raise(result, solve, "factorisation");
    // Assembly; two substitutions for each column, of which eight read the factor together. Its analysis counts
    // megabytes, so that a small factor may be nothing: it is no smaller than the matrix.
    const double matrix_bytes = 8.0 * double(needs_.size.pairs) * block_ * block_;
    result.bytes_moved = tangents() * 6 * matrix_bytes +
                         solves() * 4 * std::max(double(result.factor), matrix_bytes) * groups_of_columns();
    result.operations = tangents() * factor_operations(factor.operations, n_);
    if (analysis_.reuses) raise(result, kept + staying_lists() + results(), "results");
    raise_last(result, solve, left_by_matrix());
    count_slabs(result,
                newton() || analysis_.reuses ? std::vector{Task::residual, Task::matrix} : std::vector{Task::residual});
    result.host_lists = host_of_lists(lists_at_assembly()) + needs_.host_of_pattern;
    return result;
  }

  // Preconditioned by p-multigrid where the order allows it, or by Chebyshev.
  ForecastPath without_matrix(SolverPath path) const {
    std::vector tasks{Task::diagonal, Task::action};
    if (!share_.is_divided() || !residuals_are_few()) tasks.insert(tasks.begin(), Task::residual);
    const MemoryNeeds actions = lists_of(tasks);
    const MemoryNeeds kept =
        needs_.standing + actions + share_.marked_nodes(equations_) + MatrixFree::point_needs(equations_);
    // One right-hand side after the other; the operator's diagonal, and where that is not zero its state and the one
    // that its preconditioner was made at; those of conjugate gradients or GMRES; Chebyshev's four.
    const Index operators = newton() ? 3 : 1, first = newton() ? newton_vectors : right_sides() + 1,
                last = newton() ? newton_vectors : right_sides() + columns_;
    const MemoryNeeds points = share_.with_ghosts(operators) + (share_.is_divided() ? vectors(1) : MemoryNeeds());
    const MemoryNeeds loop = kept + points + vectors(last) + lists_of_shown();
    std::optional<PMultigridNeeds> cycle;
    if (path == SolverPath::p_multigrid) cycle = share_.p_multigrid(linear_.multigrid, false);
    const MemoryNeeds preconditioner = cycle ? cycle->live : share_.with_ghosts(4);
    const MemoryNeeds assembly =
        kept + MemoryNeeds().bytes("assembly lists", OperatorNeeds(equations_).making_lists(tasks));
    ForecastPath result{.path = path, .peak = assembly, .moment = "assembly", .at_assembly = assembly.total()};
    const MemoryNeeds krylov = symmetric() ? vectors(4) : krylov_vectors(false);
    raise(result, loop + krylov + preconditioner, "iteration");
    if (cycle) raise(result, kept + points + vectors(first) + cycle->set_up, "set-up");
    raise_last(result, loop + preconditioner + (analysis_.afterwards ? krylov : MemoryNeeds()),
               needs_.standing + actions);
    const double product = 40.0 * double(needs_.standing.of("connectivity")) + 24.0 * double(n_);
    // Chebyshev of degree 4; or some thirty cycles, whose arithmetic a CPU does in four times the time of the moves.
    result.bytes_moved = solves() * columns_ *
                         (cycle ? (space_.device().is_gpu() ? 30 : 120) * (product + cycle->cycle)
                                : 4 * 0.28 * diagonal_iterations() * product);
    result.more_on_a_gpu =
        OperatorNeeds(equations_).slabs_on_a_gpu({Task::residual, Task::diagonal, Task::action, Task::evaluate}) +
        (cycle ? cycle->lists_on_a_gpu : 0);
    result.host_lists = host_of_lists(lists_of({Task::action}));
    return result;
  }

  // The method that `automatic` takes by the size alone: a factorisation, perhaps after a trial with the diagonal.
  // nullopt: another one, or it depends on how residuals fall.
  std::optional<ForecastPath> factorised_by_choice() const {
    const std::vector<MethodChoice> plan = automatic_plan();
    if (plan.empty()) return std::nullopt;
    const MethodChoice& choice = plan.front().trial ? plan[1] : plan.front();
    if (choice.method != LinearMethod::direct) return std::nullopt;
    try {
      ForecastPath path = direct();
      if (choice.operations_limit > 0 && path.operations > choice.operations_limit * tangents()) return std::nullopt;
      if (plan.front().trial) {
        const ForecastPath before = with_matrix(SolverPath::diagonal);
        path.peak = larger(path.peak, before.peak);
        path.at_solve = std::max(path.at_solve, before.at_solve);
      }
      return path;
    } catch (const Error& error) {  // no direct solver, or no memory for its analysis
      if (error.exit() != Exit::resources && error.exit() != Exit::environment) throw;
      return std::nullopt;
    }
  }
  // A trial with the diagonal comes before multigrid, and may be enough.
  bool may_end_with_the_diagonal() const {
    const std::vector<MethodChoice> plan = automatic_plan();
    return !plan.empty() && plan.front().trial && columns_ == 1 && diagonal_may_be_enough(size());
  }

  bool symmetric() const { return equations_.facts().symmetric; }
  bool is_factorised() const { return linear_.method == LinearMethod::direct; }
  // The default choice of the run.
  bool needs_no_matrix() const {
    const bool asks_for_none = linear_.operator_kind == OperatorKind::matrix_free;
    if (asks_for_none || asks_for_matrix(space_, linear_)) return asks_for_none;
    return ritz::needs_no_matrix(equations_, linear_.one_of_many || (!newton() && analysis_.reuses));
  }

 private:
  // Methods for a matrix that is symmetric and positive definite, as promised; empty: the method is another choice.
  std::vector<MethodChoice> automatic_plan() const {
    const bool chooses = linear_.method == LinearMethod::automatic && symmetric() && definite() && !needs_no_matrix();
    return chooses ? plan_methods(size(), {}, linear_) : std::vector<MethodChoice>();
  }
  SystemSize size() const {
    const BoundingBox box = bounding_box(space_.mesh());
    return {n_,
            needs_.size.pairs * block_ * block_,
            space_.mesh().dimension(),
            block_,
            {box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]},
            static_cast<int>(columns_)};
  }
  MemoryNeeds kept_with_matrix() const { return needs_.standing + needs_.pattern + share_.matrix().kept() + residual_; }
  // Without the matrix. Over ranks the tangent's point has ghosts.
  MemoryNeeds before_matrix() const {
    return needs_.standing + needs_.pattern + residual_ + vectors(assembly_vectors()) + share_.copies_with_ghosts(1);
  }
  MemoryNeeds at_assembly() const {
    return before_matrix() + share_.matrix().of_part + lists_at_assembly() + making_lists();
  }
  ForecastPath begun(SolverPath path, const MemoryNeeds& assembly) const {
    ForecastPath result{.path = path,
                        .peak = assembly,
                        .moment = "assembly",
                        .at_assembly = assembly.total(),
                        .untouched = lists_at_assembly().of("assembly buffers")};
    raise(result, before_matrix() + share_.matrix().at_most(), "constraints");
    return result;
  }
  // `standing`: tasks whose buffers stay after the assembly.
  void count_slabs(ForecastPath& path, std::vector<Task> standing) const {
    if (share_.is_divided()) return;
    const Index residual = lists_of({Task::residual}).total() - residual_.total(),
                evaluate = lists_of({Task::evaluate}).total() - evaluate_.total();
    const Index assembly = path.at_assembly + OperatorNeeds(equations_).slabs_on_a_gpu({Task::residual, Task::matrix}) +
                           residual +
                           (assembles_again() ? 0 : OperatorNeeds(equations_).lists_on_a_gpu(needs_.size.pairs));
    if (path.moment == "results") standing.push_back(Task::evaluate);
    const Index later = path.moment == "assembly"
                            ? 0
                            : path.peak.total() + OperatorNeeds(equations_).slabs_on_a_gpu(standing) + residual +
                                  (path.moment == "results" ? evaluate : 0);
    path.more_on_a_gpu = std::max({Index{0}, assembly - path.peak.total(), later - path.peak.total()});
  }
  DirectKind direct_kind() const { return ritz::direct_kind(symmetric(), linear_.promise); }
  bool newton() const { return analysis_.stages > 0; }
  bool definite() const { return linear_.promise == MatrixPromise::positive_definite; }
  double tangents() const { return analysis_.tangents > 0 ? analysis_.tangents : newton_tangents(); }
  double solves() const { return analysis_.solves > 0 ? analysis_.solves : newton_tangents(); }
  double newton_tangents() const { return newton() ? newton_steps * analysis_.stages : 1; }
  double groups_of_columns() const { return double(in_lanes(columns_)) / MultiVector::lanes; }
  // b of each column, and the residual of its own loads.
  Index right_sides() const { return columns_ + analysis_.own_loads; }
  // Beside the prescribed values.
  Index assembly_vectors() const { return newton() ? newton_vectors : right_sides() + 1; }
  // While the system is solved: b and u; of several columns in two multi-vectors.
  MemoryNeeds solved_together() const {
    if (newton()) return vectors(newton_vectors);
    return columns_ < 2 ? vectors(right_sides() + 1) : vectors(analysis_.own_loads + 1) + blocks(2);
  }
  bool assembles_again() const { return newton() || analysis_.reuses || analysis_.afterwards; }
  // One solution takes a residual for its loads, one for its reactions, and one evaluation.
  bool residuals_are_few() const {
    if (share_.is_divided()) return !newton();
    return !assembles_again() && columns_ == 1 && !analysis_.combines && !analysis_.shows_stages;
  }
  MemoryNeeds needs_of_task(Task task) const {
    return residuals_are_few() ? OperatorNeeds(equations_).without_lists(task) : lists_of({task});
  }
  // Ranks assemble without lists.
  bool keeps_lists() const { return assembles_again() && !share_.is_divided(); }
  MemoryNeeds staying_lists() const { return keeps_lists() ? matrix_lists() : MemoryNeeds(); }
  MemoryNeeds lists_at_assembly() const {
    return keeps_lists() ? matrix_lists() : OperatorNeeds(equations_).assembled_once(needs_.size.pairs);
  }
  MemoryNeeds making_lists() const {
    return MemoryNeeds().bytes("assembly lists",
                               OperatorNeeds(equations_).making_lists({Task::matrix}, needs_.size.pairs));
  }
  MemoryNeeds lists_of_shown() const { return analysis_.shows_stages ? evaluate_ : MemoryNeeds(); }
  // Those that the iterations of a sweep's members start from, where they are solved one after the other
  // (solvers/linear/projected_guess.hpp).
  MemoryNeeds earlier_solutions() const {
    if (!analysis_.reuses || columns_ > 1 || !symmetric() || !definite() || share_.is_divided()) return {};
    return MemoryNeeds().array<double>("vectors", n_ * ProjectedGuess::most);
  }
  bool in_step() const { return columns_ >= BlockConjugateGradient::fewest_at_once; }
  // Conjugate gradients; GMRES with its two bases (solvers/krylov/gmres.cpp); BiCGSTAB with the diagonal.
  MemoryNeeds krylov_vectors(bool diagonal) const {
    // a group after the other
    if (symmetric() && in_step()) return vectors(1).array<double>("vectors", n_ * MultiVector::lanes, 6);
    if (symmetric()) return vectors(columns_ > 1 ? 6 : 4);  // one column in single vectors
    if (diagonal) return vectors(7);
    return vectors(4)
        .array<double>("vectors", n_ * in_lanes(linear_.restart + 1))
        .array<double>("vectors", n_ * in_lanes(linear_.restart));
  }
  static Index in_lanes(Index columns) { return 8 * ((columns + 7) / 8); }
  void raise(ForecastPath& path, const MemoryNeeds& needs, const std::string& moment) const {
    if (moment == "results") path.at_results = std::max(path.at_results, needs.total() - shown_.total());
    else path.at_solve = std::max(path.at_solve, needs.total());
    if (needs.total() <= path.peak.total()) return;
    path.peak = needs;
    path.moment = moment;
  }
  // After the solution matrix and solver go before results are shown, or stay beside what is computed with it. They
  // stay while results of stages are shown.
  void raise_last(ForecastPath& path, const MemoryNeeds& solved, const MemoryNeeds& left) const {
    if (analysis_.afterwards) return raise(path, solved + *analysis_.afterwards, "work");
    if (analysis_.shows_stages) return raise(path, solved + shown_vectors() + shown_, "results");
    raise(path, left + results(), "results");
  }
  MemoryNeeds left_by_matrix() const {
    return needs_.standing + needs_.pattern + residual_ + needs_.coordinates + staying_lists();
  }
  // Iterations for a compact body; they grow with the number of nodes along its side (`ritz-bench --only auto-table`).
  double diagonal_iterations() const {
    const bool solid = space_.mesh().dimension() == 3;
    return (block_ == 1 ? (solid ? 2.5 : 1.8) : 25) * std::pow(double(n_), solid ? 1.0 / 3 : 0.5);
  }
  MemoryNeeds vectors(Index count) const { return share_.vectors(count); }
  // Multi-vectors, in groups of eight columns.
  MemoryNeeds blocks(Index count) const {
    return columns_ < 2 ? MemoryNeeds() : MemoryNeeds().array<double>("vectors", n_ * in_lanes(columns_), count);
  }
  MemoryNeeds results() const { return shown_vectors() + evaluate_ + shown_; }
  MemoryNeeds shown_vectors() const {
    const MemoryNeeds of_columns =
        analysis_.combines ? vectors(right_sides()) + share_.of_model(columns_ + 1) : share_.of_model(columns_);
    return of_columns + share_.copies_with_ghosts(1);
  }
  MemoryNeeds lists_of(const std::vector<Task>& tasks) const {
    auto phase = space_.device().profile().phase("lists");
    return OperatorNeeds(equations_).of(tasks);
  }
  const MemoryNeeds& matrix_lists() const {
    auto phase = space_.device().profile().phase("lists");
    if (!matrix_lists_) matrix_lists_ = OperatorNeeds(equations_).of(Task::matrix, needs_.size.pairs);
    return *matrix_lists_;
  }
  SystemShare share_;
  const Operator& equations_;
  const FunctionSpace& space_;
  LinearSolverOptions linear_;
  AnalysisNeeds analysis_;
  Index columns_, n_;  // right-hand sides; unknowns of the share
  int block_;
  SpaceNeeds needs_;
  MemoryNeeds residual_, evaluate_, shown_;
  mutable std::optional<MemoryNeeds> matrix_lists_;
};

// How ranks solve a system together.
SolverPath path_over_ranks(const LinearSolverOptions& linear, const Operator& equations, bool no_matrix) {
  if (linear.method == LinearMethod::direct) return SolverPath::direct;
  switch (linear.preconditioner) {
    case PreconditionerKind::none: return SolverPath::no_preconditioner;
    case PreconditionerKind::jacobi:
      return equations.facts().symmetric ? SolverPath::diagonal : SolverPath::diagonal_unsymmetric;
    case PreconditionerKind::chebyshev: return no_matrix ? SolverPath::without_matrix : SolverPath::chebyshev;
    default: break;
  }
  if (no_matrix) return can_coarsen(equations) ? SolverPath::p_multigrid : SolverPath::without_matrix;
  return linear.multigrid.single_precision ? SolverPath::multigrid_single : SolverPath::multigrid_double;
}

// Follows solvers/multigrid/smoothed_aggregation.cpp, fem/multigrid/p_multigrid.cpp and solvers/smoothers/chebyshev.
void count_messages(SolverPath path, const FunctionSpace& space, const SmoothedAggregationOptions& multigrid,
                    RanksForecast& result) {
  constexpr int chebyshev_degree = 4;
  if (path == SolverPath::direct) result.products = 0;
  if (path == SolverPath::diagonal_unsymmetric) result.products = 2;
  if (path == SolverPath::chebyshev || path == SolverPath::without_matrix) result.products += chebyshev_degree - 1;
  // A step of the smoother from zero needs no product, and the residual needs one.
  const bool no_matrix = path == SolverPath::p_multigrid,
             cycle = no_matrix || path == SolverPath::multigrid_single || path == SolverPath::multigrid_double;
  const Index inverted = no_matrix ? 0 : std::min(replicated_unknowns(), multigrid.coarsest_size);  // by each rank
  if (cycle && space.unknown_count() > inverted) result.products_of_cycle = 2 * multigrid.smoothing_degree;
  const Index of_cycle = multigrid.single_precision ? sizeof(float) : sizeof(double);
  result.bytes_per_node =
      space.components() * (result.products * Index{sizeof(double)} + result.products_of_cycle * of_cycle);
}

}  // namespace

double factor_operations(double of_factorisation, Index unknowns) {
  constexpr double analysis = 3e4;  // for each unknown (solvers/linear/method_choice.cpp)
  return of_factorisation > 0 ? of_factorisation + analysis * double(unknowns) : 0;
}

Index resident_factor(Index needed, DirectKind kind) {
  return kind == DirectKind::positive_definite ? 87 * needed / 100 : needed;
}

std::string name_of(SolverPath path) {
  switch (path) {
    case SolverPath::direct: return "direct";
    case SolverPath::multigrid_single: return "multigrid, single precision";
    case SolverPath::multigrid_double: return "multigrid, double precision";
    case SolverPath::diagonal: return "conjugate gradients with the diagonal";
    case SolverPath::chebyshev: return "conjugate gradients with Chebyshev";
    case SolverPath::no_preconditioner: return "conjugate gradients";
    case SolverPath::diagonal_unsymmetric: return "BiCGSTAB with the diagonal";
    case SolverPath::lanczos: return "Lanczos with a factor";
    case SolverPath::lobpcg: return "LOBPCG with multigrid";
    case SolverPath::lobpcg_without_matrix: return "LOBPCG without a matrix, p-multigrid";
    case SolverPath::p_multigrid: return "without a matrix, p-multigrid";
    case SolverPath::explicit_steps: return "explicit steps, without a system";
    default: return "without a matrix";
  }
}

std::vector<ForecastPath> forecast_static(const Operator& equations, const LinearSolverOptions& linear,
                                          const AnalysisNeeds& needs) {
  const bool counted = linear.method == LinearMethod::direct || equations.space().mesh().structural();
  const StaticForecaster forecaster({{&equations}, needs.supports, counted}, linear, needs);
  if (forecaster.is_factorised()) return {forecaster.direct()};
  const SolverPath diagonal = forecaster.symmetric() ? SolverPath::diagonal : SolverPath::diagonal_unsymmetric;
  std::vector<ForecastPath> paths;
  try {
    for (const SolverPath path : {SolverPath::multigrid_single, SolverPath::multigrid_double, diagonal})
      paths.push_back(forecaster.with_matrix(path));
  } catch (const Error& error) {  // elements of too many nodes have no matrix
    if (error.exit() != Exit::resources) throw;
  }
  if (!paths.empty()) {
    if (std::optional<ForecastPath> chosen = forecaster.factorised_by_choice())
      paths.insert(paths.begin(), std::move(*chosen));
    else paths.front().may_end_with_the_diagonal = forecaster.may_end_with_the_diagonal();
  }
  if (!forecaster.symmetric() && can_assemble(equations)) return paths;
  if (can_coarsen(equations)) {
    const auto place = forecaster.needs_no_matrix() ? paths.begin() : paths.end();
    paths.insert(place, forecaster.without_matrix(SolverPath::p_multigrid));
  }
  paths.push_back(forecaster.without_matrix(SolverPath::without_matrix));
  return paths;
}

RanksForecast forecast_ranks(const Operator& equations, const LinearSolverOptions& linear, const AnalysisNeeds& needs,
                             const RanksQuestion& question) {
  const FunctionSpace& space = equations.space();
  auto phase = space.device().profile().phase("ranks");
  const bool no_matrix = without_matrix(equations, linear) && space.couplings() == nullptr;
  const SolverPath path = path_over_ranks(linear, equations, no_matrix);
  SharesOfRanks shares({&equations}, linear.multigrid, no_matrix, needs.supports, question);
  RanksForecast result =
      shares.forecast([&](const SystemShare& share) { return StaticForecaster(share, linear, needs).by(path); });
  result.path = name_of(path);
  count_messages(path, space, linear.multigrid, result);
  return result;
}

}  // namespace ritz
