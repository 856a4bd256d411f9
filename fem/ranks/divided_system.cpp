#include "fem/ranks/divided_system.hpp"

#include "device/error.hpp"
#include "device/ranks/planned_ranks.hpp"
#include "fem/ranks/rank_orders.hpp"
#include "fem/ranks/rank_plugins.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/nested_nodes.hpp"
#include "mesh/refinement/looks_refined.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {

void throw_not_over_ranks(const Ranks& ranks, const std::string& what, const std::string& fix) {
  const bool planned = dynamic_cast<const PlannedRanks*>(&ranks) != nullptr;
  throw Error(Exit::environment,
              fmt::format("{} {} ranks, and {} is not divided among them", planned ? "planned for" : "started as",
                          ranks.count(), what),
              "what is divided: statics, evolutions, Newton's method, modes, gradients, and factors and iterations of "
              "several fields",
              fix);
}

namespace {

std::int32_t systems_made = 0;  // by the first rank

}  // namespace

void check_divisible(const Operator& equations, const LinearSolverOptions& options, const Ranks& ranks) {
  const FunctionSpace& space = equations.space();
  if (space.node_count() < ranks.count())
    throw_not_over_ranks(ranks, fmt::format("a mesh of {} nodes", space.node_count()), "start fewer ranks");
  for (const ElementGroup& group : equations.groups())
    for (const int integral : group.integrals)
      if (group.elements.empty() && !equations.integrals()[static_cast<std::size_t>(integral)].form.state_start.empty())
        throw_not_over_ranks(ranks, "a form with internal variables on facets", "start one process");
  const bool no_matrix = options.operator_kind == OperatorKind::matrix_free || !equations.can_assemble();
  if (no_matrix && options.method == LinearMethod::direct)
    throw_not_over_ranks(ranks, "a factorisation of elements without a matrix", "take method = \"cg\", or one process");
  if (without_matrix(equations, options) && !parts_of_whole_cells(space, ranks.count()).all_have)
    throw_not_over_ranks(ranks, fmt::format("a mesh of {} cells without a matrix", space.mesh().cell_count()),
                         "start fewer ranks");
  for (const Integral& each : equations.integrals())
    if (each.form.module != "ritz_fem_kernels" && !is_of_plugin(each.form.module))
      throw_not_over_ranks(ranks, fmt::format("a form of the module '{}'", each.form.module), "start one process");
  if (without_matrix(equations, options) && !elements_of_plugins(space).empty())
    throw_not_over_ranks(ranks, "a reference element of a plugin without a matrix",
                         "take operator = \"matrix\", or one process");
  if (const auto wrong = mismatch(options.method, options.preconditioner))
    throw Error(Exit::input, wrong->what, wrong->why, wrong->fix);
  check_method_suits(options.method, {.symmetric = equations.symmetric()});
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
    : equations_(equations), ranks_(ranks), options_(options), number_(systems_made++) {
  const bool related = constraints.dependent() != nullptr;
  check_divisible(equations, options, ranks);
  divided_ = divide_among_ranks(equations, options, ranks);
  options_.cache = nullptr;
  if (options_.promise == MatrixPromise::none && equations.symmetric()) options_.promise = MatrixPromise::symmetric;
  const bool no_matrix = without_matrix(equations, options);  // as one process
  if (no_matrix && related) coarser_ = std::make_unique<WholeCoarserFields>(constraints);
  options_.operator_kind = no_matrix ? OperatorKind::matrix_free : OperatorKind::matrix;
  nests_ = !no_matrix && may_nest(options) && !related;
  linear_ = std::ranges::all_of(equations.integrals(), [](const Integral& i) { return i.form.linear; });
  std::optional<PartCouplings> couplings;
  if (related && !no_matrix) couplings.emplace(equations.space());
  const auto supports = [&](int rank) {
    return divided_->space()->supports(rank, constraints, couplings ? &*couplings : nullptr);
  };
  for (int rank = 1; rank < ranks.count(); ++rank) {
    Packed to;
    to.add(Order::make_system).add(number_).add(divided_->number());
    add(to, options_);
    add(to, supports(rank));
    ranks.send(rank, to.take());
  }
  own_ = std::make_unique<RankSystem>(
      divided_->own(), supports(0), options_,
      RankCalls{[this] { answer_questions(); },
                [this](int order, const Ghosts& nodes) { return coarser_->deal_relations(order, nodes); },
                [this](const std::vector<Index>& first) { return send_nesting_of_corners(first); }});
  say(own_->description());
  if (const std::string& how = ranks.device_transport(); !how.empty())
    say(fmt::format("messages between GPUs {}", how));
}

DividedSystem::~DividedSystem() {
  try {
    if (std::uncaught_exceptions() == unwinding_) {
      order_all(ranks_, Packed().add(Order::end_system).add(number_).take());
      own_->end();
    }
    order_all(ranks_, Packed().add(Order::forget_system).add(number_).take());
  } catch (const Error&) {  // the job ends
  }
}

void DividedSystem::say(const std::string& line) const {
  if (options_.say) options_.say(line);
}

void DividedSystem::linearise(const Vector& u, Tangent kind) {
  if (kind == Tangent::transposed && options_.operator_kind == OperatorKind::matrix_free)
    throw Error(Exit::internal, "a transposed tangent without a matrix");
  divided_->follow(equations_);
  divided_->time_has_moved(equations_.time().t);
  const TangentPlace place{
      .at = place_of(equations_), .at_zero = linear_ || u.empty(), .anew = std::exchange(anew_, false), .kind = kind};
  Packed to;
  to.add(Order::linearise).add(number_).add(place.at_zero).add(place.anew).add(place.kind);
  add(to, place.at);
  order_all(ranks_, to.take());
  point_ = {};
  if (!place.at_zero) {
    point_ = equations_.space().zeros();
    point_.copy_from(u);
  }
  own_->assemble(place, point_, [this] {
    answer_questions();
    if (std::exchange(nests_, false)) send_nesting();
  });
}

// Runs while the others assemble.
void DividedSystem::send_nesting() {
  auto phase = equations_.space().device().profile().phase("nested levels");
  const NestedLevels levels = nested_levels_of(equations_.space());
  if (levels == nullptr) return;
  std::vector<NestedLevels> parts = divide(*levels, own_->first(), own_->components(), replicated_unknowns());
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    Packed to;
    to.add(Order::nest).add(number_);
    add(to, parts[static_cast<std::size_t>(rank)]);
    ranks_.send(rank, to.take());
  }
  own_->set_nested(std::move(parts.front()));
}

// The coarsest field without a matrix has the corners of the cells as nodes. The others wait for its levels. Equations
// between unknowns join its nodes.
NestedLevels DividedSystem::send_nesting_of_corners(const std::vector<Index>& first) const {
  auto phase = equations_.space().device().profile().phase("nested levels");
  const FunctionSpace& space = equations_.space();
  std::vector<NestedLevels> parts(static_cast<std::size_t>(ranks_.count()));
  if (may_nest(options_)) {
    std::optional<FunctionSpace> made;
    if (!coarser_)
      made.emplace(space.mesh(), space.components(), space.device(), SpaceOptions{.order = 1, .beside = &space});
    const FunctionSpace& corners = coarser_ ? coarser_->coarsest() : *made;
    if (corners.node_count() != first.back())
      throw Error(Exit::internal, "the ranks' nodes of order 1 are not those of the whole mesh");
    if (const NestedLevels levels = nested_levels_of(corners))
      parts = divide(*levels, first, space.components(), replicated_unknowns());
  }
  if (coarser_) coarser_->forget();
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    Packed to;
    add(to, parts[static_cast<std::size_t>(rank)]);
    ranks_.send(rank, to.take());
  }
  return std::move(parts.front());
}

void DividedSystem::answer_questions() const { ritz::answer_questions(ranks_, equations_); }

SolveReport DividedSystem::solve(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  return solve(b, x, tolerance, [] {});
}

SolveReport DividedSystem::solve(Vector&& b, Vector& x, const LinearTolerance& tolerance) {
  return solve(b, x, tolerance, [&b] { b = {}; });
}

// x goes meanwhile, too.
SolveReport DividedSystem::solve(const Vector& b, Vector& x, const LinearTolerance& tolerance,
                                 const std::function<void()>& dealt) {
  order_all(ranks_, Packed().add(Order::solve).add(number_).add(tolerance).add(!told_).take());
  const Index size = own_->owned() * own_->components();
  Vector mine(own_->device(), size, "vectors"), solution(own_->device(), size, "vectors");
  own_->rows().deal(b, mine);
  own_->rows().deal(x, solution);
  x = {};
  dealt();
  SolveReport report;
  try {
    report = own_->solve(mine, solution, tolerance);
  } catch (const Error&) {
    x = equations_.space().zeros();  // for a caller that goes on
    throw;
  }
  x = equations_.space().zeros();
  own_->rows().collect(solution, x);
  report_once();
  return report;
}

std::vector<SolveReport> DividedSystem::solve(const MultiVector& B, MultiVector& X, const LinearTolerance& tolerance) {
  order_all(ranks_, Packed().add(Order::solve_columns).add(number_).add(tolerance).add(!told_).add(B.columns()).take());
  const Index size = own_->owned() * own_->components();
  MultiVector right(own_->device(), size, B.columns()), left(own_->device(), size, B.columns());
  Vector whole(B.device(), B.rows(), "vectors"), mine(own_->device(), size, "vectors");
  for (int column = 0; column < B.columns(); ++column) {
    B.get_column(column, whole);
    own_->rows().deal(whole, mine);
    right.set_column(column, mine);
  }
  std::vector<SolveReport> reports = own_->solve(right, left, tolerance);
  for (int column = 0; column < B.columns(); ++column) {
    left.get_column(column, mine);
    own_->rows().collect(mine, whole);
    X.set_column(column, whole);
  }
  report_once();
  return reports;
}

void DividedSystem::report_once() {
  if (std::exchange(told_, true)) return;
  say(own_->exchanges());
  say(own_->memory());
  say(own_->seconds());
}

EigenSolution DividedSystem::modes(std::size_t stiffness, const EigenOptions& options, const AttachedMotions& motions) {
  ModesWanted wanted{.options = options};
  for (std::size_t i = 0; i < equations_.integrals().size(); ++i) {
    const double factor = equations_.integrals()[i].factor;
    wanted.stiffness.push_back(i < stiffness ? factor : 0);
    wanted.masses.push_back(i < stiffness ? 0 : factor);
  }
  wanted.motions.mass = motions.mass;
  wanted.motions.stiffness = motions.stiffness;
  if (options.method != EigenMethod::lanczos && std::exchange(nests_, false)) send_nesting();
  Packed to;
  to.add(Order::modes).add(number_);
  add(to, wanted);
  order_all(ranks_, to.take());
  divided_->time_has_moved(0);
  Vector whole = equations_.space().zeros();
  if (motions.count() > 0) own_->deal(&motions, wanted.motions);
  EigenSolution found = own_->modes(wanted, [this] { answer_questions(); });
  if (found.vectors) {
    MultiVector vectors(whole.device(), whole.size(), found.vectors->columns(), "eigenvectors");
    Vector mine(own_->device(), own_->owned() * own_->components(), "vectors");
    for (int mode = 0; mode < vectors.columns(); ++mode) {
      found.vectors->get_column(mode, mine);
      own_->rows().collect(mine, whole);
      vectors.set_column(mode, whole);
    }
    found.vectors = std::move(vectors);
  }
  found.choice =
      options.method == EigenMethod::lanczos
          ? fmt::format("factorised by {} ranks together, whose last digits differ from run to run", ranks_.count())
          : fmt::format("divided among {} ranks", ranks_.count());
  report_once();
  return found;
}

}  // namespace ritz
