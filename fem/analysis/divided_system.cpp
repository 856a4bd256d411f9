#include "fem/analysis/divided_system.hpp"

#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/host_view.hpp"
#include "device/ranks/packed.hpp"
#include "fem/analysis/rank_plugins.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/nested_nodes.hpp"
#include "mesh/refinement/looks_refined.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace ritz {

void refuse_ranks(const Ranks& ranks, const std::string& what, const std::string& fix) {
  throw Error(Exit::environment,
              fmt::format("started as {} ranks, and {} is not divided among them", ranks.count(), what),
              "what is divided: linear systems of statics, evolutions and Newton's method, and modes", fix);
}

namespace {

enum class Order : std::uint8_t { make, linearise, nest, solve, solve_columns, modes, end, forget };

std::int32_t systems_made = 0;  // by the first rank

}  // namespace

void check_divisible(const Operator& equations, bool related, const LinearSolverOptions& options, const Ranks& ranks) {
  const FunctionSpace& space = equations.space();
  if (space.node_count() < ranks.count())
    refuse_ranks(ranks, fmt::format("a mesh of {} nodes", space.node_count()), "start fewer ranks");
  for (const ElementGroup& group : equations.groups())
    for (const int integral : group.integrals)
      if (group.elements.empty() && !equations.integrals()[static_cast<std::size_t>(integral)].form.state_start.empty())
        refuse_ranks(ranks, "a form with internal variables on facets", "start one process");
  const bool no_matrix = options.operator_kind == OperatorKind::matrix_free || !equations.can_assemble();
  if (no_matrix && options.method == LinearMethod::direct)
    refuse_ranks(ranks, "a factorisation of elements without a matrix", "take method = \"cg\", or one process");
  if (no_matrix && related)
    refuse_ranks(ranks, "an operator without a matrix whose unknowns are joined by equations",
                 "take operator = \"matrix\" and elements of an order below 4, or one process");
  if (!related && without_matrix(equations, options) && !parts_of_whole_cells(space, ranks.count()).all_have)
    refuse_ranks(ranks, fmt::format("a mesh of {} cells without a matrix", space.mesh().cell_count()),
                 "start fewer ranks");
  for (const Integral& each : equations.integrals())
    if (each.form.module != "ritz_fem_kernels" && !is_of_plugin(each.form.module))
      refuse_ranks(ranks, fmt::format("a form of the module '{}'", each.form.module), "start one process");
  if (without_matrix(equations, options) && !elements_of_plugins(space).empty())
    refuse_ranks(ranks, "a reference element of a plugin without a matrix",
                 "take operator = \"matrix\", or one process");
  if (const auto wrong = mismatch(options.method, options.preconditioner))
    throw Error(Exit::input, wrong->what, wrong->why, wrong->fix);
  check_method_suits(options.method, {.symmetric = equations.symmetric()});
}

namespace {

// Parts of a space: of whole cells without a matrix, whose coarser fields are divided like the finest.
SpaceCutter cutter(const FunctionSpace& space, OperatorKind kind, const Ranks& ranks) {
  if (kind != OperatorKind::matrix_free) return {space, equal_parts(space, ranks.count())};
  return {space, parts_of_whole_cells(space, ranks.count()).first, SpaceCutter::Cells::inner_first};
}

// The options that other ranks need.
void add(Packed& to, const LinearSolverOptions& options) {
  const SmoothedAggregationOptions& m = options.multigrid;
  to.add(options.method).add(options.promise).add(options.slow_multigrid);
  to.add(options.direct_memory).add(options.direct_operations).add(options.operator_kind);
  to.add(options.preconditioner)
      .add(options.max_iterations)
      .add(options.restart)
      .add(m.single_precision)
      .add(m.strength);
  to.add(m.smoothing_degree).add(m.smoothing_ratio).add(m.coarsest_size).add(m.max_levels).add(m.levels);
}

LinearSolverOptions solver_options(Unpacked& from) {
  LinearSolverOptions options;
  SmoothedAggregationOptions& m = options.multigrid;
  from.get(options.method);
  from.get(options.promise);
  from.get(options.slow_multigrid);
  from.get(options.direct_memory);
  from.get(options.direct_operations);
  from.get(options.operator_kind);
  from.get(options.preconditioner);
  from.get(options.max_iterations);
  from.get(options.restart);
  from.get(m.single_precision);
  from.get(m.strength);
  from.get(m.smoothing_degree);
  from.get(m.smoothing_ratio);
  from.get(m.coarsest_size);
  from.get(m.max_levels);
  from.get(m.levels);
  return options;
}

bool may_nest(const LinearSolverOptions& options) {
  const bool multigrid = options.preconditioner == PreconditionerKind::automatic ||
                         options.preconditioner == PreconditionerKind::multigrid;
  return multigrid && options.multigrid.levels != MultigridLevels::aggregation;
}

// Levels of simplices come from the pattern, which is made for them alone.
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

void add(Packed& to, const DividedNesting& nesting) {
  to.add(nesting.parts.size());
  for (const NestedPart& part : nesting.parts)
    to.add(part.first).add(part.parents).add(part.weights).add(part.same).add(part.same_cells);
  to.add(nesting.whole.size());
  for (const NestedNodes& level : nesting.whole)
    to.add(level.first).add(level.parents).add(level.weights).add(level.same).add(level.same_cells);
}

template <class Level>
void get(Unpacked& from, Level& level) {
  level.first = from.list<Index>();
  level.parents = from.list<std::int32_t>();
  level.weights = from.list<double>();
  level.same = from.list<std::int32_t>();
  from.get(level.same_cells);
}

DividedNesting nesting(Unpacked& from) {
  DividedNesting result;
  result.parts.resize(from.get<std::size_t>());
  for (NestedPart& part : result.parts) get(from, part);
  result.whole.resize(from.get<std::size_t>());
  for (NestedNodes& level : result.whole) get(from, level);
  return result;
}

std::string packed(const ModesWanted& wanted, std::int32_t system) {
  const EigenOptions& options = wanted.options;
  Packed to;
  to.add(Order::modes).add(system).add(wanted.stiffness).add(wanted.masses).add(wanted.motions.mass);
  to.add(wanted.motions.stiffness);
  to.add(options.count).add(options.relative).add(options.max_iterations).add(options.zero_count);
  to.add(options.method).add(options.verify).add(options.band.has_value()).add(options.band.value_or(EigenBand{}));
  return to.take();
}

ModesWanted modes_wanted(Unpacked& from) {
  ModesWanted wanted{.stiffness = from.list<double>(), .masses = from.list<double>()};
  wanted.motions.mass = from.list<double>();
  wanted.motions.stiffness = from.list<double>();
  from.get(wanted.options.count);
  from.get(wanted.options.relative);
  from.get(wanted.options.max_iterations);
  from.get(wanted.options.zero_count);
  from.get(wanted.options.method);
  from.get(wanted.options.verify);
  const auto has_band = from.get<bool>();
  const auto band = from.get<EigenBand>();
  if (has_band) wanted.options.band = band;
  return wanted;
}

// The owned unknowns of motions, which the first rank has as `all`. whole: memory of one there, empty elsewhere.
void take_motions(const RankSystem& system, const AttachedMotions* all, Vector& whole, AttachedMotions& mine) {
  const int count = static_cast<int>(mine.mass.size());
  Vector own(system.device(), system.owned() * system.components(), "vectors");
  mine.U = MultiVector(system.device(), own.size(), count, "eigenvectors");
  for (int motion = 0; motion < count; ++motion) {
    if (all != nullptr) all->U.get_column(motion, whole);
    system.rows().deal(whole, own);
    mine.U.set_column(motion, own);
  }
}

// Values of a function at points, which a rank asks of the first one.
struct Question {
  std::int64_t points = -1;  // -1: it has no more questions
  std::uint64_t integral = 0, function = 0;
  double t = 0;
  std::uint8_t in_cells = 0, on_reference_cells = 0;
};

// The positions, cells and places in them, in one message each; the answer comes back.
template <class Bytes>
std::vector<Parcel> parcels_of(int other, Bytes x, Bytes cells, Bytes xi) {
  std::vector<Parcel> parcels;
  for (const auto& each : {x, cells, xi})
    if constexpr (std::is_const_v<typename Bytes::element_type>) parcels.push_back({other, each, {}});
    else parcels.push_back({other, {}, each});
  return parcels;
}

void answer(Ranks& ranks, int rank, const Question& question, const Operator& equations) {
  const auto count = static_cast<std::size_t>(question.points);
  std::vector<double> x(3 * count), values(count);
  std::vector<Index> cells(question.in_cells != 0 ? count : 0);
  std::vector<Point> xi(question.on_reference_cells != 0 ? count : 0);
  ranks.exchange(parcels_of(rank, std::as_writable_bytes(std::span(x)), std::as_writable_bytes(std::span(cells)),
                            std::as_writable_bytes(std::span(xi))));
  const EvaluationPoints points =
      cells.empty() ? EvaluationPoints(x) : EvaluationPoints(x, equations.space().mesh(), cells, xi);
  equations.integrals()[question.integral].form.given[question.function](points, question.t, values);
  ranks.exchange(std::vector<Parcel>{{rank, std::as_bytes(std::span(values)), {}}});
}

}  // namespace

DividedSystem::DividedSystem(const Operator& equations, const Constraints& constraints,
                             const LinearSolverOptions& options, Ranks& ranks)
    : equations_(equations), ranks_(ranks), options_(options), number_(systems_made++) {
  const bool related = constraints.dependent() != nullptr;
  check_divisible(equations, related, options, ranks);
  options_.cache = nullptr;
  if (options_.promise == MatrixPromise::none && equations.symmetric()) options_.promise = MatrixPromise::symmetric;
  const bool no_matrix = !related && without_matrix(equations, options);  // as one process, but for the equations
  options_.operator_kind = no_matrix ? OperatorKind::matrix_free : OperatorKind::matrix;
  nests_ = !no_matrix && may_nest(options) && !related;
  const std::vector<Integral>& integrals = equations.integrals();
  linear_ = std::ranges::all_of(integrals, [](const Integral& i) { return i.form.linear; });
  asks_ = std::ranges::any_of(integrals, [](const Integral& i) { return i.form.has_matrix && !i.form.given.empty(); });
  std::optional<Profile::Phase> phase(std::in_place, equations.space().device().profile(), "cut");
  SpaceCutter cut = cutter(equations.space(), options_.operator_kind, ranks);
  if (equations.has_state()) states_.emplace(equations);
  cells_.resize(static_cast<std::size_t>(ranks.count()));
  const auto part_of = [&](int rank) {
    PartData part = cut.part(rank, integrals, constraints);
    if (states_) cells_[static_cast<std::size_t>(rank)] = part.cells;
    return part;
  };
  for (int rank = 1; rank < ranks.count(); ++rank) {
    Packed to;
    to.add(Order::make).add(number_).add(asks_);
    add_plugins(to);
    add(to, options_);
    add(to, part_of(rank));
    ranks.send(rank, to.take());
  }
  own_ = std::make_unique<RankSystem>(
      part_of(0), equations.space().device(), options_, ranks,
      RankCalls{[this] { answer_questions(); },
                [this](const std::vector<Index>& first) { return send_nesting_of_corners(first); }});
  say(own_->description());
  if (const std::string& how = ranks.device_transport(); !how.empty())
    say(fmt::format("messages between GPUs {}", how));
}

DividedSystem::~DividedSystem() {
  try {
    if (std::uncaught_exceptions() == unwinding_) {
      order(Packed().add(Order::end).add(number_).take());
      own_->end();
    }
    order(Packed().add(Order::forget).add(number_).take());
  } catch (const Error&) {  // the job ends
  }
}

void DividedSystem::order(std::string text) const {
  for (int rank = 1; rank < ranks_.count(); ++rank) ranks_.send(rank, text);
}

void DividedSystem::say(const std::string& line) const {
  if (options_.say) options_.say(line);
}

void DividedSystem::linearise(const Vector& u) {
  TangentPlace place{.time = equations_.time(), .at_zero = linear_ || u.empty(), .anew = std::exchange(anew_, false)};
  for (const Integral& each : equations_.integrals()) place.factors.push_back(each.factor);
  Packed to;
  to.add(Order::linearise).add(number_).add(place.time).add(place.factors).add(place.at_zero).add(place.anew);
  order(to.take());
  std::vector<double> mine;
  point_ = {};
  if (!place.at_zero) {
    point_ = equations_.space().zeros();
    point_.copy_from(u);
    mine.resize(static_cast<std::size_t>(own_->owned() * own_->components()));
    own_->rows().deal(HostView<double>(u).span(), mine);
  }
  if (states_) send_states();
  own_->assemble(place, mine, [this] {
    answer_questions();
    if (std::exchange(nests_, false)) send_nesting();
  });
}

// Runs while the others assemble.
void DividedSystem::send_nesting() {
  auto phase = equations_.space().device().profile().phase("nested levels");
  const NestedLevels levels = nested_levels_of(equations_.space());
  if (levels == nullptr) return;
  std::vector<DividedNesting> parts = divide(*levels, own_->first(), own_->components(), replicated_unknowns());
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    Packed to;
    to.add(Order::nest).add(number_);
    add(to, parts[static_cast<std::size_t>(rank)]);
    ranks_.send(rank, to.take());
  }
  own_->set_nesting(std::move(parts.front()));
}

// The coarsest field without a matrix has the corners of the cells as nodes. The others wait for its levels.
DividedNesting DividedSystem::send_nesting_of_corners(const std::vector<Index>& first) const {
  auto phase = equations_.space().device().profile().phase("nested levels");
  const FunctionSpace& space = equations_.space();
  std::vector<DividedNesting> parts(static_cast<std::size_t>(ranks_.count()));
  if (may_nest(options_)) {
    const FunctionSpace corners(space.mesh(), space.components(), space.device(), {.order = 1, .beside = &space});
    if (corners.node_count() != first.back())
      throw Error(Exit::internal, "the ranks' nodes of order 1 are not those of the whole mesh");
    if (const NestedLevels levels = nested_levels_of(corners))
      parts = divide(*levels, first, space.components(), replicated_unknowns());
  }
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    Packed to;
    add(to, parts[static_cast<std::size_t>(rank)]);
    ranks_.send(rank, to.take());
  }
  return std::move(parts.front());
}

void DividedSystem::send_states() const {
  const Operator::PointStates all = equations_.state();
  std::vector<std::vector<double>> numbers;
  for (const std::vector<Index>& cells : cells_) numbers.push_back(states_->of(all, cells));
  std::vector<Parcel> parcels;
  for (int rank = 1; rank < ranks_.count(); ++rank)
    parcels.push_back({rank, std::as_bytes(std::span(numbers[static_cast<std::size_t>(rank)])), {}});
  ranks_.exchange(parcels);
  own_->set_states(numbers.front());
}

// One rank after the other. A rank asks while it prepares its assembly.
void DividedSystem::answer_questions() const {
  if (!asks_) return;
  for (int rank = 1; rank < ranks_.count(); ++rank)
    while (true) {
      Question question;
      ranks_.exchange(std::vector<Parcel>{{rank, {}, std::as_writable_bytes(std::span(&question, 1))}});
      if (question.points < 0) break;
      answer(ranks_, rank, question, equations_);
    }
}

SolveReport DividedSystem::solve(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  order(Packed().add(Order::solve).add(number_).add(tolerance).add(!told_).take());
  const Index size = own_->owned() * own_->components();
  Vector mine(own_->device(), size, "vectors"), solution(own_->device(), size, "vectors");
  own_->rows().deal(b, mine);
  own_->rows().deal(x, solution);
  SolveReport report = own_->solve(mine, solution, tolerance);
  own_->rows().collect(solution, x);
  tell_once();
  return report;
}

std::vector<SolveReport> DividedSystem::solve(const MultiVector& B, MultiVector& X, const LinearTolerance& tolerance) {
  order(Packed().add(Order::solve_columns).add(number_).add(tolerance).add(!told_).add(B.columns()).take());
  const Index size = own_->owned() * own_->components();
  MultiVector right(own_->device(), size, B.columns()), left(own_->device(), size, B.columns());
  Vector whole(own_->device(), B.rows(), "vectors"), mine(own_->device(), size, "vectors");
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
  tell_once();
  return reports;
}

void DividedSystem::tell_once() {
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
  order(packed(wanted, number_));
  Vector whole = equations_.space().zeros();
  if (motions.count() > 0) take_motions(*own_, &motions, whole, wanted.motions);
  EigenSolution found = own_->modes(wanted, [this] { answer_questions(); });
  if (found.vectors) {
    MultiVector vectors(whole.device(), whole.size(), found.vectors->columns(), "eigenvectors");
    Vector mine(whole.device(), own_->owned() * own_->components(), "vectors");
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
  tell_once();
  return found;
}

namespace {

void take_states(Ranks& ranks, RankSystem& system) {
  std::vector<double> states(static_cast<std::size_t>(system.state_count()));
  if (states.empty()) return;
  ranks.exchange(std::vector<Parcel>{{0, {}, std::as_writable_bytes(std::span(states))}});
  system.set_states(states);
}

void help_with_tangent(Ranks& ranks, RankSystem& system, Unpacked& from, const std::function<void()>& evaluated) {
  TangentPlace place;
  from.get(place.time);
  place.factors = from.list<double>();
  from.get(place.at_zero);
  from.get(place.anew);
  std::vector<double> mine;
  if (!place.at_zero) {
    mine.resize(static_cast<std::size_t>(system.owned() * system.components()));
    system.rows().deal({}, mine);
  }
  take_states(ranks, system);
  system.assemble(place, mine, evaluated);
}

void help_with_solution(RankSystem& system, Order what, Unpacked& from) {
  const auto tolerance = from.get<LinearTolerance>();
  const bool tells = from.get<bool>();
  Vector mine(system.device(), system.owned() * system.components(), "vectors"), none;
  if (what == Order::solve) {
    Vector x(system.device(), mine.size(), "vectors");
    system.rows().deal(none, mine);
    system.rows().deal(none, x);
    system.solve(mine, x, tolerance);
    system.rows().collect(x, none);
  } else {
    const auto columns = from.get<int>();
    MultiVector B(system.device(), mine.size(), columns), X(system.device(), mine.size(), columns);
    for (int column = 0; column < columns; ++column) {
      system.rows().deal(none, mine);
      B.set_column(column, mine);
    }
    system.solve(B, X, tolerance);
    for (int column = 0; column < columns; ++column) {
      X.get_column(column, mine);
      system.rows().collect(mine, none);
    }
  }
  if (!tells) return;
  system.memory();
  system.seconds();
}

void help_with_modes(RankSystem& system, Unpacked& from, const std::function<void()>& evaluated) {
  ModesWanted wanted = modes_wanted(from);
  Vector nothing;
  if (!wanted.motions.mass.empty()) take_motions(system, nullptr, nothing, wanted.motions);
  const EigenSolution found = system.modes(wanted, evaluated);
  Vector mine(system.device(), system.owned() * system.components(), "vectors"), none;
  for (int mode = 0; found.vectors && mode < found.vectors->columns(); ++mode) {
    found.vectors->get_column(mode, mine);
    system.rows().collect(mine, none);
  }
  system.memory();
  system.seconds();
}

}  // namespace

void RankHelper::ask(std::size_t integral, std::size_t function, const EvaluationPoints& points, double t,
                     std::span<double> values) const {
  const Question question{.points = static_cast<std::int64_t>(points.size()),
                          .integral = integral,
                          .function = function,
                          .t = t,
                          .in_cells = static_cast<std::uint8_t>(points.cells.empty() ? 0 : 1),
                          .on_reference_cells = static_cast<std::uint8_t>(points.xi.empty() ? 0 : 1)};
  ranks_.exchange(std::vector<Parcel>{{0, std::as_bytes(std::span(&question, 1)), {}}});
  ranks_.exchange(parcels_of(0, std::as_bytes(points.x), std::as_bytes(points.cells), std::as_bytes(points.xi)));
  ranks_.exchange(std::vector<Parcel>{{0, {}, std::as_writable_bytes(values)}});
}

void RankHelper::end_questions(bool asks) const {
  const Question no_more;
  if (asks) ranks_.exchange(std::vector<Parcel>{{0, std::as_bytes(std::span(&no_more, 1)), {}}});
}

void RankHelper::carry_out(std::string order) {
  Unpacked from(order);
  const auto what = from.get<Order>();
  const auto number = from.get<std::int32_t>();
  if (what == Order::forget) {
    systems_.erase(number);
    device_.memory().trim();
    return_freed_host_memory();
    return;
  }
  if (what == Order::make) {
    const bool asks = from.get<bool>();
    load_plugins_of_first(from, device_);
    const LinearSolverOptions options = solver_options(from);
    Helped& helped = systems_[number];
    helped.asks = asks;
    PartData data = unpacked(from, [this](auto&&... question) { ask(question...); });
    order = {};
    const RankCalls calls{[this, asks] { end_questions(asks); },
                          [this](const std::vector<Index>&) {
                            const std::string text = ranks_.wait(0);
                            Unpacked nested(text);
                            return nesting(nested);
                          }};
    helped.system = std::make_unique<RankSystem>(std::move(data), device_, options, ranks_, calls);
    helped.system->description();
    return;
  }
  Helped& helped = systems_.at(number);
  RankSystem& system = *helped.system;
  if (what == Order::nest) return system.set_nesting(nesting(from));
  if (what == Order::end) return system.end();
  const auto no_more_questions = [&] { end_questions(helped.asks); };
  try {
    if (what == Order::linearise) help_with_tangent(ranks_, system, from, no_more_questions);
    else if (what == Order::modes) help_with_modes(system, from, no_more_questions);
    else help_with_solution(system, what, from);
  } catch (const AgreedError&) {  // the first rank goes on as it decides
  }
}

}  // namespace ritz
