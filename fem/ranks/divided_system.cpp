#include "fem/ranks/divided_system.hpp"

#include "device/error.hpp"
#include "device/ranks/planned_ranks.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/space/nested_nodes.hpp"
#include "mesh/refinement/looks_refined.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {

void throw_not_over_ranks(const Ranks& ranks, const std::string& what, const std::string& fix) {
  const bool planned = dynamic_cast<const PlannedRanks*>(&ranks) != nullptr;
  throw Error(ErrorKind::environment,
              fmt::format("{} {} ranks, and {} is not divided among them", planned ? "planned for" : "started as",
                          ranks.count(), what),
              "what is divided: statics, evolutions, Newton's method, modes, gradients, and factors and iterations of "
              "several fields",
              fix);
}

void check_divisible(const Operator& equations, const LinearSolverOptions& options, const Ranks& ranks) {
  const FunctionSpace& space = equations.space();
  if (space.node_count() < ranks.count())
    throw_not_over_ranks(ranks, fmt::format("a mesh of {} nodes", space.node_count()), "start fewer ranks");
  for (const ElementGroup& group : equations.terms().groups())
    for (const int integral : group.integrals)
      if (group.elements.empty() && !equations.integrals()[static_cast<std::size_t>(integral)].form.state_start.empty())
        throw_not_over_ranks(ranks, "a form with internal variables on facets", "start one process");
  const bool no_matrix = options.operator_kind == OperatorKind::matrix_free || !can_assemble(equations);
  if (no_matrix && options.method == LinearMethod::direct)
    throw_not_over_ranks(ranks, "a factorisation of elements without a matrix", "take method = \"cg\", or one process");
  if (without_matrix(equations, options) && !parts_of_whole_cells(space, ranks.count()).all_have)
    throw_not_over_ranks(ranks, fmt::format("a mesh of {} cells without a matrix", space.mesh().cell_count()),
                         "start fewer ranks");
  if (without_matrix(equations, options) && !elements_of_plugins(space).empty())
    throw_not_over_ranks(ranks, "a reference element of a plugin without a matrix",
                         "take operator = \"matrix\", or one process");
  if (const auto wrong = mismatch(options.method, options.preconditioner))
    throw Error(ErrorKind::solver_options, wrong->what, wrong->why, wrong->fix);
  check_method_suits(options.method, {.symmetric = equations.facts().symmetric});
}

namespace {

bool may_nest(const LinearSolverOptions& options) {
  const bool multigrid = options.preconditioner == PreconditionerKind::automatic ||
                         options.preconditioner == PreconditionerKind::multigrid;
  return multigrid && options.multigrid.levels != MultigridLevels::aggregation;
}

}  // namespace

NestedLevels nested_levels_of(const FunctionSpace& space) {
  const bool for_simplices = !space.has_pattern() && space.order() <= 2 && looks_refined(space.mesh()) &&
                             std::ranges::all_of(space.mesh().blocks(), [](const CellBlock& block) {
                               const CellKind kind = traits(block.kind).linear;
                               return kind == CellKind::tet4 || kind == CellKind::tri3;
                             });
  if (for_simplices) space.pattern();
  NestedLevels levels = nested_nodes(space);
  if (for_simplices) space.forget_pattern();
  return levels;
}

DividedSystem::DividedSystem(const Operator& equations, const Constraints& constraints,
                             const LinearSolverOptions& options, Ranks& ranks)
    : equations_(equations), ranks_(ranks), options_(options) {
  const bool related = constraints.dependent() != nullptr;
  check_divisible(equations, options, ranks);
  divided_ = divide_among_ranks(equations, options, ranks);
  options_.cache = nullptr;
  if (options_.promise == MatrixPromise::none && equations.facts().symmetric)
    options_.promise = MatrixPromise::symmetric;
  const bool no_matrix = without_matrix(equations, options);  // as one process
  if (no_matrix && related) coarser_ = std::make_unique<WholeCoarserFields>(constraints);
  options_.operator_kind = no_matrix ? OperatorKind::matrix_free : OperatorKind::matrix;
  nests_ = !no_matrix && may_nest(options) && !related;
  linear_ = std::ranges::all_of(equations.integrals(), [](const Integral& i) { return i.form.linear; });
  std::optional<PartCouplings> couplings;
  if (related && !no_matrix) couplings.emplace(equations.space());
  own_ = std::make_unique<RankSystem>(
      divided_->own(), divided_->space()->supports(constraints, couplings ? &*couplings : nullptr), options_,
      RankCalls{[this](int order, const Ghosts& nodes) { return coarser_->relations(order, nodes); },
                [this](const std::vector<Index>& first) { return nesting_of_corners(first); }});
  say(own_->description());
  if (const std::string& how = ranks.device_transport(); !how.empty())
    say(fmt::format("messages between GPUs {}", how));
}

// A factor goes by all ranks together, unless one is lost.
DividedSystem::~DividedSystem() {
  try {
    if (std::uncaught_exceptions() == unwinding_) own_->end();
  } catch (const Error&) {  // the job ends
  }
}

void DividedSystem::say(const std::string& line) const {
  if (options_.say) options_.say(line);
}

void DividedSystem::linearise(const Vector& u, Tangent kind) {
  if (kind == Tangent::transposed && options_.operator_kind == OperatorKind::matrix_free)
    throw Error(ErrorKind::internal, "a transposed tangent without a matrix");
  divided_->follow(equations_);
  if (std::exchange(nests_, false)) own_->set_nested(nesting());
  const TangentPlace place{.at = place_of(equations_), .anew = std::exchange(anew_, false), .kind = kind};
  point_ = {};
  if (!linear_ && !u.empty()) {
    point_ = equations_.space().zeros();
    point_.copy_from(u);
  }
  own_->assemble(place, point_);
}

Vector DividedSystem::own(const Vector& all) const {
  Vector mine(own_->device(), own_->rows().count(), "vectors");
  own_->rows().take(all, mine);
  return mine;
}

NestedLevels DividedSystem::nesting() const { return own_levels(equations_.space(), own_->first()); }

NestedLevels DividedSystem::own_levels(const FunctionSpace& space, const std::vector<Index>& first) const {
  auto phase = space.device().profile().phase("nested levels");
  const NestedLevels levels = nested_levels_of(space);
  if (levels == nullptr) return nullptr;
  return std::move(
      divide(*levels, first, space.components(), replicated_unknowns())[static_cast<std::size_t>(ranks_.rank())]);
}

// The coarsest field without a matrix has the corners of the cells as nodes. Equations between unknowns join its nodes.
NestedLevels DividedSystem::nesting_of_corners(const std::vector<Index>& first) const {
  NestedLevels levels;
  if (may_nest(options_)) {
    const FunctionSpace& space = equations_.space();
    std::optional<FunctionSpace> made;
    if (!coarser_)
      made.emplace(space.mesh(), space.components(), space.device(), SpaceOptions{.order = 1, .beside = &space});
    const FunctionSpace& corners = coarser_ ? coarser_->coarsest() : *made;
    if (corners.node_count() != first.back())
      throw Error(ErrorKind::internal, "the ranks' nodes of order 1 are not those of the whole mesh");
    levels = own_levels(corners, first);
  }
  if (coarser_) coarser_->forget();
  return levels;
}

SolveReport DividedSystem::solve(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  return solve(b, x, tolerance, [] {});
}

SolveReport DividedSystem::solve(Vector&& b, Vector& x, const LinearTolerance& tolerance) {
  return solve(b, x, tolerance, [&b] { b = {}; });
}

// x goes meanwhile, too.
SolveReport DividedSystem::solve(const Vector& b, Vector& x, const LinearTolerance& tolerance,
                                 const std::function<void()>& taken) {
  const Vector mine = own(b);
  Vector solution = own(x);
  x = {};
  taken();
  SolveReport report;
  try {
    report = own_->solve(mine, solution, tolerance);
  } catch (const Error&) {
    x = equations_.space().zeros();  // for a caller that goes on
    throw;
  }
  x = equations_.space().zeros();
  own_->rows().gather(solution, x);
  report_once();
  return report;
}

std::vector<SolveReport> DividedSystem::solve(const MultiVector& B, MultiVector& X, const LinearTolerance& tolerance) {
  const Index size = own_->owned() * own_->components();
  MultiVector right(own_->device(), size, B.columns()), left(own_->device(), size, B.columns());
  Vector whole(B.device(), B.rows(), "vectors"), mine(own_->device(), size, "vectors");
  for (int column = 0; column < B.columns(); ++column) {
    B.get_column(column, whole);
    right.set_column(column, own(whole));
  }
  std::vector<SolveReport> reports = own_->solve(right, left, tolerance);
  for (int column = 0; column < B.columns(); ++column) {
    left.get_column(column, mine);
    own_->rows().gather(mine, whole);
    X.set_column(column, whole);
  }
  report_once();
  return reports;
}

void DividedSystem::report_once() {
  if (std::exchange(told_, true)) return;
  for (const std::string& line : {own_->exchanges(), own_->memory(), own_->seconds()}) say(line);
}

std::vector<double> DividedSystem::factors_of(std::size_t begin, std::size_t end) const {
  std::vector<double> factors(equations_.integrals().size(), 0.0);
  for (std::size_t i = begin; i < end; ++i) factors[i] = equations_.integrals()[i].factor;
  return factors;
}

void DividedSystem::gather_vectors(EigenSolution& found) const {
  if (!found.vectors) return;
  Vector whole = equations_.space().zeros(), mine(own_->device(), own_->rows().count(), "vectors");
  MultiVector vectors(whole.device(), whole.size(), found.vectors->columns(), "eigenvectors");
  for (int column = 0; column < vectors.columns(); ++column) {
    found.vectors->get_column(column, mine);
    own_->rows().gather(mine, whole);
    vectors.set_column(column, whole);
  }
  found.vectors = std::move(vectors);
}

CriticalFactors DividedSystem::critical_factors(std::size_t stiffness, const Vector& state,
                                                const EigenOptions& options) {
  if (options.method != EigenMethod::lanczos && std::exchange(nests_, false)) own_->set_nested(nesting());
  CriticalFactors found = own_->critical_factors({.stiffness = factors_of(0, stiffness),
                                                  .geometric = factors_of(stiffness, equations_.integrals().size()),
                                                  .state = state,
                                                  .options = options});
  gather_vectors(found.eigen);
  report_once();
  return found;
}

EigenSolution DividedSystem::modes(std::size_t stiffness, const EigenOptions& options, const AttachedMotions& motions,
                                   const Vector* state) {
  ModesWanted wanted{.state = state, .options = options};
  wanted.stiffness = factors_of(0, stiffness);
  wanted.masses = factors_of(stiffness, equations_.integrals().size());
  wanted.motions.mass = motions.mass;
  wanted.motions.stiffness = motions.stiffness;
  if (options.method != EigenMethod::lanczos && std::exchange(nests_, false)) own_->set_nested(nesting());
  Vector whole = equations_.space().zeros();
  wanted.motions.U = MultiVector(own_->device(), own_->rows().count(), motions.count(), "eigenvectors");
  for (int motion = 0; motion < motions.count(); ++motion) {
    motions.U.get_column(motion, whole);
    wanted.motions.U.set_column(motion, own(whole));
  }
  EigenSolution found = own_->modes(wanted);
  gather_vectors(found);
  found.choice =
      options.method == EigenMethod::lanczos
          ? fmt::format("factorised by {} ranks together, whose last digits differ from run to run", ranks_.count())
          : fmt::format("divided among {} ranks", ranks_.count());
  report_once();
  return found;
}

}  // namespace ritz
