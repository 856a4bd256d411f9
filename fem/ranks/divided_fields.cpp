#include "fem/ranks/divided_fields.hpp"

#include "device/ranks/packed.hpp"
#include "fem/ranks/divided_system.hpp"
#include "fem/ranks/rank_orders.hpp"
#include "fem/ranks/rank_plugins.hpp"
#include "fem/space/nested_nodes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

enum class FieldsOrder : std::uint8_t { residual, solve };

std::int32_t fields_made = 0;  // by the first rank

void compute_residual(const MixedOperator& equations, const Vector& u, Vector& r) {
  const Layout& layout = equations.layout();
  Vector own = equations.zeros(), result = equations.zeros();
  layout.deal(u, own);
  equations.residual(own, result);
  layout.collect(result, r);
}

// r and du of the whole on the first rank, where each motion has its values, too.
SolveReport solve_together(const LocalFields& part, const std::vector<PartSupports>& of_part,
                           const LinearSolverOptions& options, WholeProblem whole, const Vector& r, Vector& du) {
  const MixedOperator& equations = part.equations();
  const Layout& layout = equations.layout();
  const MixedConstraints supports = part.supports(of_part);
  for (FieldMotion& motion : whole.motions)
    motion.values = [&layout, &equations, field = motion.field, all = std::move(motion.values)] {
      Vector own(equations.device(), layout.size(field), "vectors");
      layout.rows(field).deal(all ? all() : Vector(), own);
      return own;
    };
  Vector b = equations.zeros(), x = equations.zeros();
  layout.deal(r, b);
  FieldsSystem system(equations, supports, options, whole);
  const SolveReport report = system.solve(b, x, {options.relative, options.rounding_error});
  layout.collect(x, du);
  return report;
}

void add(Packed& to, const WholeProblem& whole) {
  to.add(whole.size).add(whole.singular).add(whole.motions.size());
  for (const FieldMotion& motion : whole.motions) to.add(motion.field).add(motion.constant).add(motion.what);
}

WholeProblem whole_problem(Unpacked& from) {
  WholeProblem whole{.size = from.get<SystemSize>()};
  from.get(whole.singular);
  for (auto motions = from.get<std::size_t>(); motions > 0; --motions) {
    FieldMotion& motion = whole.motions.emplace_back();
    from.get(motion.field);
    from.get(motion.constant);
    motion.what = from.text();
  }
  return whole;
}

}  // namespace

void check_enough_nodes(const MixedOperator& equations, const Ranks& ranks) {
  for (int k = 0; k < equations.field_count(); ++k)
    if (equations.space(k).node_count() < ranks.count())
      throw_not_over_ranks(
          ranks, fmt::format("a field '{}' of {} nodes", equations.field_name(k), equations.space(k).node_count()),
          "start fewer ranks");
}

void check_divisible(const MixedOperator& equations, const Ranks& ranks) {
  check_enough_nodes(equations, ranks);
  const auto check_module = [&](const std::string& module) {
    if (module != "ritz_fem_kernels" && !is_of_plugin(module))
      throw_not_over_ranks(ranks, fmt::format("a form of the module '{}'", module), "start one process");
  };
  for (const MixedIntegral& each : equations.integrals()) check_module(each.form.numbers.module);
  for (int k = 0; k < equations.field_count(); ++k)
    for (const Integral& each : equations.integrals_of(k)) check_module(each.form.module);
}

DividedFields::DividedFields(const MixedOperator& equations, Ranks& ranks)
    : equations_(equations), ranks_(ranks), number_(fields_made++), reached_(at(ranks.count())) {
  check_divisible(equations, ranks);
  auto phase = equations.device().profile().phase("cut");
  for (const auto& space : equations.spaces()) couplings_.push_back(space->couplings());
  own_ = std::make_unique<const LocalFields>(send_parts(), equations.time(), equations.device(), ranks);
  own_->equations().take_numbers();
  if (own_->asks())
    answer_questions(
        ranks, equations.space(0).mesh(), [&equations](std::size_t integral) -> const auto& {
          return given_of(equations, integral);
        });
}

// Returns that of this rank.
LocalFieldsData DividedFields::send_parts() {
  FieldsCutter cut(equations_, ranks_.count());
  for (int k = 0; k < equations_.field_count(); ++k) first_.push_back(cut.first(k));
  const auto part_of = [&](int rank) {
    LocalFieldsData part = cut.part(rank);
    for (const LocalFieldsData::Space& each : part.spaces) reached_[at(rank)].push_back(each.nodes.reached);
    return part;
  };
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    Packed to;
    to.add(Order::make_fields).add(number_);
    add_plugins(to);
    to.add(equations_.time());
    add(to, part_of(rank));
    ranks_.send(rank, to.take());
  }
  return part_of(0);
}

DividedFields::~DividedFields() {
  try {
    order_all(ranks_, Packed().add(Order::forget_fields).add(number_).take());
  } catch (const Error&) {  // the job ends
  }
}

void DividedFields::order(Packed what) const {
  order_all(ranks_, Packed().add(Order::help_fields).add(number_).take() + what.take());
}

void DividedFields::residual(const Vector& u, Vector& r) {
  order(Packed().add(FieldsOrder::residual));
  compute_residual(own_->equations(), u, r);
}

bool DividedFields::suits(const MixedOperator& equations) const {
  return std::ranges::equal(equations.spaces(), couplings_, {}, [](const auto& space) { return space->couplings(); });
}

DividedFields& divide_among_ranks(const MixedOperator& equations, Ranks& ranks) {
  if (auto* const divided = dynamic_cast<DividedFields*>(equations.over_ranks()))
    if (divided->suits(equations)) return *divided;
  const auto made = std::make_shared<DividedFields>(equations, ranks);
  equations.divide(made);
  return *made;
}

SolveReport DividedFields::solve(const MixedConstraints& supports, const LinearSolverOptions& options,
                                 const WholeProblem& whole, const Vector& r, Vector& du) const {
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    Packed to;
    to.add(Order::help_fields).add(number_).add(FieldsOrder::solve);
    for (const PartSupports& each : supports_of_rank(rank, supports)) add(to, each);
    add(to, options);
    to.add(options.relative).add(options.rounding_error);
    add(to, whole);
    ranks_.send(rank, to.take());
  }
  WholeProblem mine = whole;
  mine.calls = {[this](int field) { return send_nesting(field); },
                [this, &supports](int field) { return send_corners(field, supports); }};
  return solve_together(*own_, supports_of_rank(0, supports), options, std::move(mine), r, du);
}

std::vector<PartSupports> DividedFields::supports_of_rank(int rank, const MixedConstraints& supports) const {
  std::vector<PartSupports> result;
  for (int k = 0; k < equations_.field_count(); ++k) {
    const std::vector<Index>& first = first_[at(k)];
    result.push_back(supports_of(supports[k], equations_.space(k).components(), first[at(rank)], first[at(rank) + 1],
                                 reached_[at(rank)][at(k)]));
  }
  return result;
}

// Nested levels of a field that has multigrid of nodes.
NestedLevels DividedFields::send_nesting(int field) const {
  const FunctionSpace& space = equations_.space(field);
  auto phase = space.device().profile().phase("nested levels");
  std::vector<NestedLevels> nestings(at(ranks_.count()));
  if (const NestedLevels levels = nested_levels_of(space))
    nestings = divide(*levels, first_[at(field)], space.components(), replicated_unknowns());
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    Packed to;
    add(to, nestings[at(rank)]);
    ranks_.send(rank, to.take());
  }
  return std::move(nestings.front());
}

CornersOfPart DividedFields::send_corners(int field, const MixedConstraints& supports) const {
  const EdgeCorners all = edge_corners(equations_.space(field), supports[field]);
  if (std::ssize(all.held) < ranks_.count())
    throw_not_over_ranks(ranks_, fmt::format("an iteration over the edges between {} corners", all.held.size()),
                         "start fewer ranks");
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    const std::string text = ranks_.wait(rank);
    Unpacked from(text);
    Packed to;
    add(to, corners_at(all, from.list<Node>()));
    ranks_.send(rank, to.take());
  }
  return corners_at(all, own_->mesh_nodes());
}

namespace {

LocalFields fields_part(Unpacked& from, const FunctionElsewhere& functions, const Device& device, Ranks& ranks) {
  const auto time = from.get<Time>();
  return {fields_part_data(from, functions), time, device, ranks};
}

}  // namespace

FieldsHelper::FieldsHelper(Unpacked& from, const FunctionElsewhere& functions, const Device& device, Ranks& ranks)
    : ranks_(ranks), part_(fields_part(from, functions, device, ranks)) {
  part_.equations().take_numbers();
  if (part_.asks()) end_questions(ranks);
}

void FieldsHelper::solve(Unpacked& from) const {
  std::vector<PartSupports> supports;
  for (int k = 0; k < part_.equations().field_count(); ++k) supports.push_back(part_supports(from));
  LinearSolverOptions options = solver_options(from);
  from.get(options.relative);
  from.get(options.rounding_error);
  WholeProblem whole = whole_problem(from);
  whole.calls = {[this](int) {
                   const std::string text = ranks_.wait(0);
                   Unpacked nesting(text);
                   return unpacked_nested_levels(nesting);
                 },
                 [this](int) {
                   ranks_.send(0, Packed().add(part_.mesh_nodes()).take());
                   const std::string text = ranks_.wait(0);
                   Unpacked corners(text);
                   return corners_of_part(corners);
                 }};
  Vector none;
  solve_together(part_, supports, options, std::move(whole), none, none);
}

void FieldsHelper::help(Unpacked& from) {
  Vector none;
  try {
    if (from.get<FieldsOrder>() == FieldsOrder::solve) return solve(from);
    compute_residual(part_.equations(), none, none);
  } catch (const AgreedError&) {  // the first rank goes on as it decides
  }
}

}  // namespace ritz
