#include "fem/analysis/rank_system.hpp"

#include "device/communicator.hpp"
#include "device/environment_variable.hpp"
#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/memory_needs.hpp"
#include "fem/analysis/rank_needs.hpp"
#include "fem/analysis/transposed_tangent.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/pattern_size.hpp"
#include "solvers/algebra/box_around.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/memory_steps.hpp"
#include "solvers/multigrid/divided_needs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <utility>

namespace ritz {

Index replicated_unknowns() {
  Index number = DividedAggregationOptions().replicated;
  const std::string text = environment("RITZ_REPLICATED_UNKNOWNS");  // for tests of small cases
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

RankSystem::RankSystem(std::shared_ptr<PartEquations> equations, PartSupports supports,
                       const LinearSolverOptions& options, RankCalls calls)
    : equations_(std::move(equations)),
      ranks_(equations_->part().ranks()),
      options_(options),
      supports_(std::move(supports)),
      ghosts_(equations_->part().ghosts()),
      held_(equations_->part().part().constraints(supports_, acts_on_related() ? ghosts_.get() : nullptr)),
      field_{.ghosts = ghosts_,
             .cells = equations_->part().part().cells(),
             .along_curve = equations_->part().part().along_curve(),
             .evaluated = std::move(calls.evaluated),
             .relations = std::move(calls.relations),
             .nesting = std::move(calls.nesting),
             .replicated = replicated_unknowns()},
      single_(options.multigrid.single_precision) {
  supports_.held = {};
  if (acts_on_related()) supports_.relations = {};
}

RankRows RankSystem::rows() const { return equations_->part().rows(components()); }

void RankSystem::end() {
  if (factor_) factor_->end();
  factor_.reset();
}

void RankSystem::assemble(const TangentPlace& at, const Vector& u, const std::function<void()>& evaluated) {
  made_.clear();
  A_.reset();
  factor_is_current_ = false;
  const Vector point = equations_->point(at.at_zero, u);
  if (options_.operator_kind == OperatorKind::matrix_free) linearise_without_matrix(at, point, evaluated);
  else {
    if (!room_is_checked_) check_room();
    room_is_checked_ = true;
    A_ = matrix(at, point, Pivot::of_diagonal, evaluated);
  }
  device().memory().trim();
  return_freed_host_memory();
}

void RankSystem::linearise_without_matrix(const TangentPlace& at, const Vector& point,
                                          const std::function<void()>& evaluated) {
  auto phase = device().profile().phase("assembly");
  equations_->take(at.at);
  equations_->equations().take_numbers(Operator::Task::action);
  equations_->equations().take_numbers(Operator::Task::diagonal);
  evaluated();
  const WorkTogether together(&ranks_);
  if (at.anew) without_matrix_.reset();
  if (without_matrix_) without_matrix_->move_to(point);
  else without_matrix_.emplace(equations_->equations(), held_, point, &field_);
}

// A rank that lacks the room for its matrix, and what an iteration surely needs beside it, ends all before long work.
void RankSystem::check_room() {
  ranks_.agree([this] {
    const FunctionSpace& space = this->space();
    const Index b = components(), available = device().memory().available();
    const Index pairs =
        space.has_pattern()
            ? space.pattern()->nonzeros()
            : pattern_size(entity_counts(space.mesh()), space.isoparametric() ? 0 : space.order()).pairs;
    // With equations between unknowns, rows of another pattern are made of these.
    const Index own = std::llround(double(pairs) * double(owned()) / double(ghosts_->size())),
                related = supports_.related ? own + supports_.coupled.entries + supports_.coupled.to_others : 0;
    const Index needed = MemoryNeeds()
                             .array<double>("matrix", (pairs + related) * b * b)
                             .array<std::int32_t>("pattern", pairs + related, 2)
                             .array<double>("vectors", owned() * b, 6)
                             .total();
    if (needed <= available) return;
    throw Error(Exit::resources,
                fmt::format("{}its part of the matrix needs {:.1f} MB, and {:.1f} MB are available",
                            ranks_.rank() == 0 ? "rank 0: " : "", 1e-6 * double(needed), 1e-6 * double(available)),
                fmt::format("{} nodes are its own, and {} it reaches", owned(), ghosts_->count()),
                "start more ranks on more machines, or raise --memory-limit; --estimate says what each takes");
  });
}

std::unique_ptr<DividedMatrix> RankSystem::matrix(const TangentPlace& at, const Vector& point, Pivot pivot,
                                                  const std::function<void()>& evaluated) {
  BlockMatrix rows;
  double value = 0;
  {
    SparseMatrix K = part_matrix(at, point, evaluated);
    auto phase = device().profile().phase("constraints");
    const WorkTogether together(&ranks_);  // the same on all ranks
    if (pivot == Pivot::of_diagonal) value = std::max(max_abs(K.diagonal()), 1e-300);
    held_.eliminate(K, value);
    rows = owned_rows_of(std::move(K), owned());
  }
  if (!supports_.related) return std::make_unique<DividedMatrix>(ghosts_, std::move(rows));
  auto phase = device().profile().phase("constraints");
  DividedRows whole = transformed(*ghosts_, rows, supports_.relations, value);
  return std::make_unique<DividedMatrix>(std::move(whole.ghosts), std::move(whole.matrix));
}

SparseMatrix RankSystem::part_matrix(const TangentPlace& at, const Vector& point,
                                     const std::function<void()>& evaluated) {
  auto phase = device().profile().phase("assembly");
  equations_->take(at.at);
  equations_->equations().take_numbers(Operator::Task::matrix);
  evaluated();
  SparseMatrix K = equations_->equations().make_matrix();
  equations_->equations().assemble_once(point, K);
  if (at.kind == Tangent::transposed) transpose(K);  // columns of owned nodes are complete, too
  return K;
}

std::string RankSystem::description() const {
  const auto range = [&](Index mine) {
    const std::vector<Index> all = ranks_.of_all(mine);
    const auto [low, high] = std::ranges::minmax(all);
    return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  };
  return fmt::format("{} ranks by {}: {} nodes, {} ghosts, {} cells and {} neighbours each", ranks_.count(),
                     ranks_.transport(), range(ghosts_->owned()), range(ghosts_->count()),
                     range(equations_->part().part().cell_count()), range(std::ssize(ghosts_->neighbours())));
}

std::string RankSystem::exchanges() const {
  const Ghosts& ghosts = A_ ? A_->ghosts() : *ghosts_;
  std::string text = fmt::format("rank {} sent {} nodes to {} neighbours in {} exchanges: {} messages, {} bytes",
                                 ranks_.rank(), ghosts.sent(), ghosts.neighbours().size(), ghosts.exchanges(),
                                 ghosts.counts().messages, ghosts.counts().bytes);
  if (first_solution_.messages > 0)
    text += fmt::format("; with coarser levels, set-up and sums {} messages, {} bytes", first_solution_.messages,
                        first_solution_.bytes);
  return text;
}

namespace {

std::string megabytes_of_ranks(Ranks& ranks, Index mine) {
  std::vector<std::string> texts;
  for (const Index bytes : ranks.of_all(mine)) texts.push_back(fmt::format("{:.1f}", 1e-6 * double(bytes)));
  return fmt::format("{} MB", fmt::join(texts, ", "));
}

}  // namespace

std::string arrays_of_ranks(Ranks& ranks, const Device& device) {
  const MemoryPool& pool = device.memory();
  const std::string peaks = megabytes_of_ranks(ranks, pool.statistics().peak);
  return fmt::format("arrays of ranks at their peaks: {}; now: {}", peaks, megabytes_of_ranks(ranks, pool.live()));
}

std::string RankSystem::memory() const {
  const std::string arrays = arrays_of_ranks(ranks_, device());
  return factor_ ? fmt::format("{}; factors of ranks: {}", arrays, megabytes_of_ranks(ranks_, factor_->memory_bytes()))
                 : arrays;
}

namespace {

// Seconds in phases of that name, inside others or not; of two within each other the inner one counts.
double seconds_in(const Profile& profile, const std::string& phase) {
  double inner = 0, outer = 0;
  for (const PhaseRecord& record : profile.phases()) {
    if (record.name.ends_with("/" + phase)) inner += record.seconds;
    if (record.name == phase) outer += record.seconds;
  }
  return inner > 0 ? inner : outer;
}

}  // namespace

std::string RankSystem::seconds() const {
  std::vector<std::string> texts;
  for (const char* const phase : {"assembly", "set-up", "iteration"}) {
    const double seconds = seconds_in(device().profile(), phase);
    std::vector<std::string> of_ranks;
    for (const Index milliseconds : ranks_.of_all(static_cast<Index>(1e3 * seconds)))
      of_ranks.push_back(fmt::format("{:.2f}", 1e-3 * double(milliseconds)));
    texts.push_back(fmt::format("{} {}", phase, fmt::join(of_ranks, ", ")));
  }
  return fmt::format("seconds of ranks: {}", fmt::join(texts, "; "));
}

DividedAggregationOptions RankSystem::multigrid_options() const {
  DividedAggregationOptions options{.multigrid = options_.multigrid};
  options.multigrid.coordinates = &space().coordinates();
  options.multigrid.dimension = space().mesh().dimension();
  options.multigrid.single_precision = single_;
  options.multigrid.sure_bounds = sure_bounds_;
  options.multigrid.half_storage = false;
  options.nesting = &nesting_;
  options.replicated = replicated_unknowns();
  return options;
}

std::unique_ptr<LinearOperator> RankSystem::preconditioner(const DividedMatrix& A, PreconditionerKind kind,
                                                           PreconditionerBasis basis) const {
  auto phase = device().profile().phase("set-up");
  return divided_preconditioner(A, kind, basis, multigrid_options());
}

// Foretold, since a rank that lacks memory in the midst of the set-up ends the job.
std::optional<Error> RankSystem::shortage_of(const Room& room) const {
  try {
    ranks_.agree([&] {
      const Index available = device().memory().available();
      if (available > room.plenty) return;
      const Index needed = room.needed();
      if (needed <= available) return;
      throw Error(Exit::resources,
                  fmt::format("{} {:.1f} MB, and {:.1f} MB are available", room.what, 1e-6 * double(needed),
                              1e-6 * double(available)),
                  room.from, "start more ranks, or give them more memory");
    });
  } catch (const AgreedError& shortage) {
    if (shortage.exit() != Exit::resources) throw;
    return shortage;
  }
  return std::nullopt;
}

HierarchyNeeds RankSystem::multigrid_needs() const {
  const HierarchyShape shape{.rows = A_->ghosts().size(),
                             .nonzeros = A_->nonzeros_with_ghost_rows(),
                             .block = components(),
                             .dimension = space().mesh().dimension(),
                             .nesting = nesting_.empty() ? Nesting::none : Nesting::mesh};
  HierarchyNeeds needs = divided_needs(shape, A_->ghosts().total(), multigrid_options());
  if (supports_.related) needs.set_up += long_products_of(supports_.coupled, components(), shape.dimension);
  return needs;
}

std::optional<Error> RankSystem::no_room_for_multigrid() const {
  return shortage_of({.what = "multigrid needs",
                      .from = "predicted from the rows of this rank",
                      .plenty = 4 * device().memory().statistics().live,
                      .needed = [this] { return multigrid_needs().set_up.total(); }});
}

MatrixTraits RankSystem::traits() const {
  MatrixTraits traits{.symmetric = options_.promise != MatrixPromise::none, .indefinite = indefinite_};
  if (options_.promise != MatrixPromise::positive_definite) traits.positive_diagonal = all_positive(A_->diagonal());
  return traits;
}

// The methods that one process takes, without its trials: conjugate gradients first, where they may suit.
std::vector<MethodChoice> RankSystem::plan(double relative) const {
  LinearSolverOptions options = options_;
  options.relative = relative;
  const Index C = components();
  const Communicator all(device());
  const SystemSize size{.unknowns = A_->total_rows(),
                        .nonzeros = all.total(A_->nonzeros() * C * C),
                        .dimension = space().mesh().dimension(),
                        .block = static_cast<int>(C),
                        .extent = box_around(space().coordinates(), space().mesh().dimension()).extent};
  std::vector<MethodChoice> choices = plan_methods(size, traits(), options);
  if (options.method != LinearMethod::automatic) return choices;
  const auto iterates = [](const MethodChoice& choice) { return choice.method == LinearMethod::conjugate_gradient; };
  std::erase_if(choices, [](const MethodChoice& choice) { return choice.trial; });
  const auto factorises = [](const MethodChoice& choice) { return choice.method == LinearMethod::direct; };
  if (factor_is_current_)  // what an iteration could not do before
    std::ranges::stable_partition(choices, factorises);
  else if (const auto first = std::ranges::find_if(choices, iterates); first != choices.end())
    std::rotate(choices.begin(), first, first + 1);
  return choices;
}

SolveReport RankSystem::solve_without_matrix(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  LinearSolverOptions options = options_;
  options.relative = tolerance.relative;
  options.rounding_error = tolerance.rounding_error;
  SolveReport report = without_matrix_->solve(b, x, options);
  report.choice =
      fmt::format("divided among {} ranks; elements of order {} need no matrix", ranks_.count(), space().order());
  return report;
}

SolveReport RankSystem::solve(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  const WorkTogether together(&ranks_);
  const ExchangeCounts before = ranks_.counts();
  SolveReport report = without_matrix_ ? solve_without_matrix(b, x, tolerance) : solve_with_matrix(b, x, tolerance);
  if (first_solution_.messages == 0)
    first_solution_ = {ranks_.counts().messages - before.messages, ranks_.counts().bytes - before.bytes};
  return report;
}

SolveReport RankSystem::solve_with_matrix(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  SolveReport report;
  std::vector<std::string> given_up;
  bool tried = false;
  std::vector<MethodChoice> choices = plan(tolerance.relative);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const MethodChoice choice = choices[i];
    SolveReport next;
    if (choice.method == LinearMethod::direct) {
      made_.clear();  // no iteration goes on
      device().memory().trim();
      try {
        next = factor(choice, tolerance).solve(b, x);
        complete(choice, next);
      } catch (const AgreedError& error) {
        const bool short_of_something = error.exit() == Exit::resources || error.exit() == Exit::environment;
        if (!short_of_something || (!tried && i + 1 == choices.size())) throw;
        given_up.push_back("not factorised: " + error.message());
        continue;
      }
    } else {
      next = iterate(choice, b, x, tolerance.relative);
      next.iterations += report.iterations;
    }
    given_up.insert(given_up.end(), next.fallbacks.begin(), next.fallbacks.end());
    report = std::move(next);
    tried = true;
    if (!may_go_on({&report, 1}, options_.promise) || i + 1 == choices.size()) break;
    given_up.push_back(failure_of(report));
    if (!(report.true_relative_residual <= 1)) x.fill_zero();
    if (report.reason != StopReason::indefinite_matrix || std::exchange(indefinite_, true)) continue;
    choices = plan(tolerance.relative);
    i = static_cast<std::size_t>(-1);
  }
  report.fallbacks = std::move(given_up);
  return report;
}

std::vector<SolveReport> RankSystem::solve(const MultiVector& B, MultiVector& X, const LinearTolerance& tolerance) {
  const WorkTogether together(&ranks_);
  const MethodChoice choice = plan(tolerance.relative).front();
  std::vector<SolveReport> reports = factor(choice, tolerance).solve(B, X);
  for (SolveReport& report : reports) complete(choice, report);
  return reports;
}

// With preconditioners of this matrix, and of relatives that are definite, where it is not.
SolveReport RankSystem::iterate(const MethodChoice& choice, const Vector& b, Vector& x, double relative) {
  const int most =
      choice.max_iterations > 0 ? std::min(choice.max_iterations, options_.max_iterations) : options_.max_iterations;
  const KrylovOptions options{relative, most, options_.restart, choice.give_up};
  SolveReport report;
  const std::vector<PreconditionerBasis> bases =
      preconditioner_bases(choice.method, choice.preconditioner, traits(), options_.promise);
  for (const PreconditionerBasis basis : bases) {
    SolveReport next = iterate(choice, basis, b, x, options);
    next.iterations += report.iterations;
    next.fallbacks.insert(next.fallbacks.begin(), report.fallbacks.begin(), report.fallbacks.end());
    report = std::move(next);
    if (report.converged() || report.reason == StopReason::iteration_limit || report.entry >= 0 ||
        basis == bases.back())
      break;
    report.fallbacks.push_back(fmt::format("{}: {}", report.preconditioner, name_of(report.reason)));
    if (!(report.true_relative_residual <= 1)) x.fill_zero();
  }
  estimate_error(report, dot(x, b));
  report.choice = fmt::format("divided among {} ranks", ranks_.count());
  return report;
}

// In double precision and with sure bounds of eigenvalues, where rounding or a bound has spoilt multigrid.
SolveReport RankSystem::iterate(const MethodChoice& choice, PreconditionerBasis basis, const Vector& b, Vector& x,
                                const KrylovOptions& options) {
  MemorySavings memory{.preconditioner = choice.preconditioner, .half_storage = true, .needs_matrix = true};
  PreconditionerKind& kind = memory.preconditioner;
  SolveReport report;
  if (kind == PreconditionerKind::multigrid && !made_.contains({kind, basis}))
    if (const std::optional<Error> shortage = no_room_for_multigrid()) {
      report.fallbacks.push_back(*step_down(MemoryLevel::cycle, memory, *shortage));
      if (options_.say) options_.say(report.fallbacks.back());
    }
  const bool is_multigrid = kind == PreconditionerKind::multigrid;
  while (true) {
    const auto key = std::pair(kind, basis);
    try {
      if (!made_.contains(key)) made_[key] = preconditioner(*A_, kind, basis);
    } catch (const LostRank&) { throw; } catch (const Error& error) {
      made_.erase(key);
      if (error.exit() != Exit::model && error.exit() != Exit::not_converged) throw;
      return refused(choice, error, b, x);
    }
    const LinearOperator* const M = made_[key].get();
    auto phase = device().profile().phase("iteration");
    SolveReport next = solve_by(choice.method, *A_, b, x, M, options);
    next.iterations += report.iterations;
    next.fallbacks = std::move(report.fallbacks);
    report = std::move(next);
    report.preconditioner = M == nullptr ? "none" : M->name();
    if (is_multigrid && !sure_bounds_ && report.reason == StopReason::indefinite_preconditioner) {
      sure_bounds_ = true;
      report.fallbacks.push_back(
          "the bounds of the smoother's eigenvalues were too low: repeated with those of more steps");
    } else if (is_multigrid && single_ && may_be_rounding(report)) {
      single_ = false;
      report.fallbacks.push_back("single precision was not enough for the multigrid cycle: repeated in double");
    } else {
      return report;
    }
    made_.clear();
    if (!(report.true_relative_residual <= 1)) x.fill_zero();
  }
}

// All ranks have met the same error: a preconditioner that needs a positive definite matrix refuses this one.
SolveReport RankSystem::refused(const MethodChoice& choice, const Error& error, const Vector& b,
                                const Vector& x) const {
  Vector r(device(), b.size(), "vectors");
  A_->apply(x, r);
  axpby(1.0, b, -1.0, r);
  const bool cg =
      choice.method == LinearMethod::conjugate_gradient || choice.method == LinearMethod::flexible_conjugate_gradient;
  SolveReport report;
  report.method = cg ? "conjugate gradients" : name_of(choice.method);
  report.preconditioner = name_of(choice.preconditioner);
  report.reason = cg ? StopReason::indefinite_matrix : StopReason::indefinite_preconditioner;
  report.where = error.message();
  const double size = norm2(b), rest = norm2(r);
  report.true_relative_residual = rest > 0 ? rest / size : 0;
  return report;
}

// The factor of the present matrix, by the analysis of an earlier one.
DirectSolver& RankSystem::factor(const MethodChoice& choice, const LinearTolerance& tolerance) {
  auto phase = device().profile().phase("factorisation");
  if (!factor_) {
    if (options_.say)
      options_.say(fmt::format("{} ranks factorise together: the last digits differ from run to run", ranks_.count()));
    factor_ =
        std::make_unique<DirectSolver>(*A_, direct_kind(options_.promise != MatrixPromise::none, options_.promise),
                                       DirectOptions{.coordinates = &space().coordinates(),
                                                     .dimension = space().mesh().dimension(),
                                                     .memory_limit = options_.direct_memory,
                                                     .operations_limit = choice.operations_limit,
                                                     .say = options_.say});
  } else if (!factor_is_current_) {
    try {
      factor_->refactorise(*A_);
    } catch (const AgreedError&) {
      end();
      throw;
    }
  }
  factor_is_current_ = true;
  factor_->relative = tolerance.relative;
  factor_->rounding_error = tolerance.rounding_error;
  factor_->estimate_error = true;
  return *factor_;
}

void RankSystem::complete(const MethodChoice& choice, SolveReport& report) const {
  const Communicator all(device());
  report.memory_needed = all.total(report.memory_needed);
  report.memory_used = all.total(report.memory_used);
  report.choice = fmt::format("{}; factorised by {} ranks together, whose last digits differ from run to run",
                              choice.why, ranks_.count());
  const Index negative = options_.promise == MatrixPromise::symmetric ? factor_->negative_pivots() : 0;
  if (negative > 0)
    report.where += fmt::format("{}the matrix has {} negative eigenvalue{}", report.where.empty() ? "" : "; ", negative,
                                negative == 1 ? "" : "s");
}

}  // namespace ritz
