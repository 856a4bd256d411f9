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

enum class FieldsOrder : std::uint8_t { residual, linearise, product, factorise, iterate, end_tangent };

std::int32_t fields_made = 0;  // by the first rank

void compute_residual(const LocalFields& part, const Vector& u, Vector& r) {
  Vector own(part.device(), part.owned().total(), "vectors");
  part.deal(u, own);
  Vector result = part.equations().zeros();
  part.equations().residual(part.with_ghosts(own), result);
  part.collect(part.without_ghosts(result), r);
}

void multiply(const LocalFields& part, const FieldsSystem& system, const Vector& x, Vector& y) {
  Vector own(part.device(), part.owned().total(), "vectors"), result(part.device(), part.owned().total(), "vectors");
  part.deal(x, own);
  system.product(own, result);
  part.collect(result, y);
}

}  // namespace

void check_divisible(const MixedOperator& equations, const Ranks& ranks) {
  for (int k = 0; k < equations.field_count(); ++k)
    if (equations.space(k).node_count() < ranks.count())
      throw_not_over_ranks(
          ranks, fmt::format("a field '{}' of {} nodes", equations.field_name(k), equations.space(k).node_count()),
          "start fewer ranks");
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
  compute_residual(*own_, u, r);
}

DividedFields& divide_among_ranks(const MixedOperator& equations, Ranks& ranks) {
  if (auto* const divided = dynamic_cast<DividedFields*>(equations.over_ranks())) return *divided;
  const auto made = std::make_shared<DividedFields>(equations, ranks);
  equations.divide(made);
  return *made;
}

FieldsTangent::FieldsTangent(DividedFields& parts, const MixedConstraints& supports, const FieldsPlan& plan,
                             const Say& say)
    : parts_(parts), plan_(plan), say_(say) {
  for (int rank = 1; rank < parts_.ranks_.count(); ++rank) {
    Packed to;
    to.add(Order::help_fields).add(parts_.number_).add(FieldsOrder::linearise);
    for (const std::vector<std::uint8_t>& held : held_by(rank, supports)) to.add(held);
    to.add(plan.shape.has_value()).add(plan.shape.value_or(MixedShape::diagonal));
    add(to, plan.multigrid);
    parts_.ranks_.send(rank, to.take());
  }
  own_ = std::make_unique<FieldsSystem>(
      *parts_.own_, held_by(0, supports), plan,
      FieldsCalls{[this](int field) { return send_nesting(field); },
                  [this, &supports](int field) { return send_corners(field, supports); }});
  const std::string text = own_->description();
  if (say_) say_(text);
}

FieldsTangent::~FieldsTangent() {
  try {
    parts_.order(Packed().add(FieldsOrder::end_tangent));
  } catch (const Error&) {  // the job ends
  }
}

std::vector<std::vector<std::uint8_t>> FieldsTangent::held_by(int rank, const MixedConstraints& supports) const {
  std::vector<std::vector<std::uint8_t>> held;
  for (int k = 0; k < parts_.equations_.field_count(); ++k) {
    const std::vector<Index>& first = parts_.first_[at(k)];
    held.push_back(supports_of(supports[k], parts_.equations_.space(k).components(), first[at(rank)],
                               first[at(rank) + 1], parts_.reached_[at(rank)][at(k)])
                       .held);
  }
  return held;
}

// Nested levels of a field that has multigrid of nodes.
NestedLevels FieldsTangent::send_nesting(int field) const {
  const FunctionSpace& space = parts_.equations_.space(field);
  auto phase = space.device().profile().phase("nested levels");
  std::vector<NestedLevels> nestings(at(parts_.ranks_.count()));
  if (const NestedLevels levels = nested_levels_of(space))
    nestings = divide(*levels, parts_.first_[at(field)], space.components(), replicated_unknowns());
  for (int rank = 1; rank < parts_.ranks_.count(); ++rank) {
    Packed to;
    add(to, nestings[at(rank)]);
    parts_.ranks_.send(rank, to.take());
  }
  return std::move(nestings.front());
}

CornersOfPart FieldsTangent::send_corners(int field, const MixedConstraints& supports) const {
  const EdgeCorners all = edge_corners(parts_.equations_.space(field), supports[field]);
  if (std::ssize(all.held) < parts_.ranks_.count())
    throw_not_over_ranks(parts_.ranks_, fmt::format("an iteration over the edges between {} corners", all.held.size()),
                         "start fewer ranks");
  for (int rank = 1; rank < parts_.ranks_.count(); ++rank) {
    const std::string text = parts_.ranks_.wait(rank);
    Unpacked from(text);
    Packed to;
    add(to, corners_at(all, from.list<Node>()));
    parts_.ranks_.send(rank, to.take());
  }
  return corners_at(all, parts_.own_->mesh_nodes());
}

void FieldsTangent::apply(const Vector& x, Vector& y) const {
  parts_.order(Packed().add(FieldsOrder::product));
  multiply(*parts_.own_, *own_, x, y);
}

SolveReport FieldsTangent::solve(const Vector& b, Vector& x,
                                 const std::function<SolveReport(const Vector& b, Vector& x)>& by_all) const {
  const LocalFields& part = *parts_.own_;
  Vector mine(part.device(), part.owned().total(), "vectors"), solution(part.device(), part.owned().total(), "vectors");
  part.deal(b, mine);
  part.deal(x, solution);
  const SolveReport report = by_all(mine, solution);
  part.collect(solution, x);
  const std::string memory = own_->memory();
  if (say_ && !std::exchange(told_, true)) say_(memory);
  return report;
}

SolveReport FieldsTangent::factorise(const Vector& b, Vector& x, const FieldsFactorisation& how) const {
  if (say_)
    say_(fmt::format("{} ranks factorise together: the last digits differ from run to run", parts_.ranks_.count()));
  parts_.order(Packed().add(FieldsOrder::factorise).add(how));
  return solve(b, x, [&](const Vector& mine, Vector& y) { return own_->factorise(mine, y, how, say_); });
}

SolveReport FieldsTangent::iterate(LinearMethod method, const Vector& b, Vector& x,
                                   const KrylovOptions& options) const {
  parts_.order(Packed()
                   .add(FieldsOrder::iterate)
                   .add(method)
                   .add(options.relative)
                   .add(options.max_iterations)
                   .add(options.restart));
  return solve(b, x, [&](const Vector& mine, Vector& y) { return own_->iterate(method, mine, y, options); });
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

void FieldsHelper::linearise(Unpacked& from) {
  std::vector<std::vector<std::uint8_t>> held;
  for (int k = 0; k < part_.equations().field_count(); ++k) held.push_back(from.list<std::uint8_t>());
  const auto has_shape = from.get<bool>();
  const auto shape = from.get<MixedShape>();
  FieldsPlan plan{.shape = has_shape ? std::optional(shape) : std::nullopt};
  get(from, plan.multigrid);
  const FieldsCalls calls{[this](int) {
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
  system_ = std::make_unique<FieldsSystem>(part_, held, plan, calls);
  system_->description();
}

void FieldsHelper::solve(Unpacked& from, bool by_factor) {
  const auto factorisation = by_factor ? from.get<FieldsFactorisation>() : FieldsFactorisation{};
  LinearMethod method{};
  KrylovOptions options{};
  if (!by_factor) {
    from.get(method);
    from.get(options.relative);
    from.get(options.max_iterations);
    from.get(options.restart);
  }
  Vector none, b(part_.device(), part_.owned().total(), "vectors"), x(part_.device(), b.size(), "vectors");
  part_.deal(none, b);
  part_.deal(none, x);
  if (by_factor) system_->factorise(b, x, factorisation, {});
  else system_->iterate(method, b, x, options);
  part_.collect(x, none);
  system_->memory();
}

void FieldsHelper::help(Unpacked& from) {
  Vector none;
  try {
    switch (const auto what = from.get<FieldsOrder>()) {
      case FieldsOrder::residual: return compute_residual(part_, none, none);
      case FieldsOrder::linearise: return linearise(from);
      case FieldsOrder::product: return multiply(part_, *system_, none, none);
      case FieldsOrder::factorise:
      case FieldsOrder::iterate: return solve(from, what == FieldsOrder::factorise);
      case FieldsOrder::end_tangent: system_.reset();
    }
  } catch (const AgreedError&) {  // the first rank goes on as it decides
  }
}

}  // namespace ritz
