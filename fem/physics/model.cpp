#include "fem/physics/model.hpp"

#include "fem/operator/untouched_unknowns.hpp"
#include "fem/physics/free_body.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <numeric>

namespace ritz {
namespace {

// Those that are zero on an axis of revolution. With one wave the axis moves across itself: with_waves() relates r and
// hoop.
std::vector<int> components_on_axis(const std::optional<int>& waves) {
  if (!waves) return {0};
  if (*waves == 0) return {0, 2};
  return *waves == 1 ? std::vector<int>{1} : std::vector<int>{0, 1, 2};
}

// Prescribes what the supports, the axis and the elements of a model say in a load case, or without one.
Index prescribe_all(const Model& model, const std::vector<std::uint8_t>& touched,
                    const std::vector<PrescribedValue>& own, Constraints& result) {
  const auto add = [&](const PrescribedValue& p) {
    if (p.value.is_number()) result.prescribe(*p.region, p.component, p.value.number(), p.origin);
    else result.prescribe(*p.region, p.component, p.value.function(), p.origin);
  };
  const auto is_replaced = [&](const PrescribedValue& p) {
    return std::ranges::any_of(
        own, [&](const PrescribedValue& q) { return q.region == p.region && q.component == p.component; });
  };
  for (const PrescribedValue& p : model.supports)
    if (!is_replaced(p)) add(p);
  std::ranges::for_each(own, add);
  for (const int component : components_on_axis(model.waves))
    result.prescribe_nodes(model.held_on_axis, component, 0.0, "the axis of revolution");
  for (const LinearEquations& each : model.relations)
    if (!each.at_most) result.relate(each);
  return model.sparse ? hold_untouched(touched, result) : 0;
}

// Values of zero where only load cases prescribe some: without any load case they are not there, but the unknowns are
// the same.
void add_zeros(const std::vector<PrescribedValue>& own, Constraints& constraints) {
  for (const PrescribedValue& p : own) {
    std::vector<Node> nodes;
    for (const Node node : constraints.space().nodes_in(*p.region))
      if (!constraints.is_prescribed(node, p.component)) nodes.push_back(node);
    constraints.prescribe_nodes(nodes, p.component, 0, p.origin);
  }
}

// [unknown] 1: prescribed, or held by the equations. An unknown on which no element acts holds nothing.
std::vector<std::uint8_t> held_unknowns(const Model& model, const Constraints& constraints) {
  std::vector<std::uint8_t> held = constraints.host_mask();
  const int components = model.space.components();
  for (const HeldNodes& each : model.held)
    for (const Node node : each.nodes)
      for (int c = 0; c < components; ++c)
        if (each.component < 0 || each.component == c)
          held[static_cast<std::size_t>(node) * static_cast<std::size_t>(components) + static_cast<std::size_t>(c)] = 1;
  const std::vector<std::uint8_t> touched = touched_in(model);
  for (std::size_t i = 0; i < touched.size(); ++i)
    if (touched[i] == 0) held[i] = 0;
  return held;
}

// Relations, and what the equations hold along directions of their own.
std::vector<LinearEquations> holding_rows(const Model& model, const Constraints& constraints) {
  std::vector<LinearEquations> rows = constraints.equations();
  rows.insert(rows.end(), model.held_along.begin(), model.held_along.end());
  LinearEquations& references = rows.emplace_back();
  for (const AttachedMotion& each : model.attached)
    if (each.stiffness > 0) references.add(each.terms);
  for (const PrescribedMean& each : model.means) references.add(each.terms);
  return rows;
}

// [unknown] 1: prescribed, or a term of equations.
std::vector<std::uint8_t> taken_unknowns(const Constraints& constraints) {
  const auto components = static_cast<std::size_t>(constraints.space().components());
  std::vector<std::uint8_t> taken = constraints.host_mask();
  for (const LinearEquations& each : constraints.equations())
    for (const UnknownTerm& term : each.terms)
      taken[static_cast<std::size_t>(term.node) * components + static_cast<std::size_t>(term.component)] = 1;
  return taken;
}

// An unknown for each motion that is not taken: held at zero, they stop the motions. By elimination with pivots.
std::vector<std::size_t> stops_of(std::vector<std::vector<double>> motions, std::vector<std::uint8_t> taken) {
  std::vector<std::size_t> stops;
  for (std::size_t m = 0; m < motions.size(); ++m) {
    std::size_t best = taken.size(), row = m;
    double largest = 1e-6;
    for (std::size_t k = m; k < motions.size(); ++k)
      for (std::size_t i = 0; i < taken.size(); ++i)
        if (taken[i] == 0 && std::abs(motions[k][i]) > largest) largest = std::abs(motions[k][i]), best = i, row = k;
    if (best == taken.size()) return {};  // equations take all
    std::swap(motions[m], motions[row]);
    taken[best] = 1;
    stops.push_back(best);
    for (std::size_t k = m + 1; k < motions.size(); ++k) {
      const double factor = motions[k][best] / motions[m][best];
      for (std::size_t i = 0; i < taken.size(); ++i) motions[k][i] -= factor * motions[m][i];
    }
  }
  return stops;
}

}  // namespace

std::vector<Integral> of_field(const std::vector<Integral>& integrals, int field) {
  std::vector<Integral> result;
  std::ranges::copy_if(integrals, std::back_inserter(result),
                       [&](const Integral& each) { return each.field == field; });
  return result;
}

std::vector<std::uint8_t> touched_in(const Model& model, int field) {
  if (!model.sparse) return {};
  const Spaces spaces = model.spaces();
  const FunctionSpace& space = spaces.at(static_cast<std::size_t>(field));
  std::vector<std::uint8_t> touched = touched_unknowns(space, of_field(model.equations, field));
  for (const MixedIntegral& each : model.of_fields.equations)
    if (each.position_of(field) >= 0) touch(space, each, touched);
  for (const LinearEquations& each : model.relations)
    for (const UnknownTerm& term : each.terms)
      if (each.field_of(term) == field)
        touched[static_cast<std::size_t>(Index{term.node} * space.components() + term.component)] = 1;
  return touched;
}

namespace {

template <class Part>
void append(std::vector<Part> from, std::vector<Part>& to) {
  std::ranges::move(from, std::back_inserter(to));
}

// Parts of a model whose fields are counted from another first one.
void move_fields(int by, Model& model) {
  const auto in = [by](auto&... lists) {
    const auto move = [by](auto& list) {
      for (auto& each : list) each.field += by;
    };
    (move(lists), ...);
  };
  in(model.equations, model.capacity, model.inertia, model.supports, model.held, model.relations, model.held_along,
     model.attached);
  if (model.turning) in(model.turning->softening, model.turning->gyroscopic);
  for (LinearEquations& each : model.relations)
    for (UnknownTerm& term : each.terms)
      if (term.field >= 0) term.field += by;
  for (ModelLoadCase& each : model.load_cases) in(each.loads, each.prescribed);
  for (Exchange& each : model.exchanges) each.integral.field += by;
  for (PrescribedMean& each : model.means) each.load.field += by;
}

ModelLoadCase& load_case_named(const std::string& name, Model& model) {
  const auto found = std::ranges::find(model.load_cases, name, &ModelLoadCase::name);
  return found != model.load_cases.end() ? *found : model.load_cases.emplace_back(ModelLoadCase{name});
}

}  // namespace

Model joined(Model first, Model second) {
  for (const Model* each : {&first, &second})
    if (each->of_fields.equations.size() + each->held_on_axis.size() > 0)
      throw Error(ErrorKind::internal, "models with forms of several fields or an axis were to be joined");
  move_fields(static_cast<int>(first.spaces().size()), second);
  append(second.spaces(), first.others);
  append(std::move(second.equations), first.equations);
  append(std::move(second.capacity), first.capacity);
  append(std::move(second.inertia), first.inertia);
  if (first.turning && second.turning) {
    append(std::move(second.turning->softening), first.turning->softening);
    append(std::move(second.turning->gyroscopic), first.turning->gyroscopic);
  }
  append(std::move(second.supports), first.supports);
  append(std::move(second.relations), first.relations);
  append(std::move(second.held), first.held);
  append(std::move(second.held_along), first.held_along);
  append(std::move(second.attached), first.attached);
  append(std::move(second.means), first.means);
  append(std::move(second.exchanges), first.exchanges);
  append(std::move(second.notices), first.notices);
  for (ModelLoadCase& each : second.load_cases) {
    ModelLoadCase& own = load_case_named(each.name, first);
    append(std::move(each.loads), own.loads);
    append(std::move(each.prescribed), own.prescribed);
  }
  first.sparse = first.sparse || second.sparse;
  first.linear = first.linear && second.linear;
  first.definite = first.definite && second.definite;
  first.ill_conditioned = first.ill_conditioned || second.ill_conditioned;
  first.structural = first.structural || second.structural;
  first.tolerance = std::max(first.tolerance, second.tolerance);
  return first;
}

FunctionSpace own_space(const FunctionSpace& space, int components) {
  SpaceOptions options{.beside = space};
  if (!space.isoparametric()) {
    options.order = space.order();
    for (const CellBlock& block : space.mesh().blocks()) options.elements.push_back(space.element(block.kind));
  }
  return FunctionSpace(space.mesh(), components, space.device(), options);
}

Spaces Model::spaces() const {
  Spaces all{space};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

double value_of(std::span<const UnknownTerm> terms, std::span<const double> u, int components) {
  double sum = 0;
  for (const UnknownTerm& term : terms)
    sum += term.factor * u[static_cast<std::size_t>(Index{term.node} * components + term.component)];
  return sum;
}

Constraints make_constraints(const Model& model, const ModelLoadCase* load_case) {
  Constraints result(model.space);
  prescribe_all(model, touched_in(model), load_case != nullptr ? load_case->prescribed : std::vector<PrescribedValue>{},
                result);
  result.finish();
  check_held(model, result);
  return result;
}

std::vector<FreePart> free_parts(const Model& model, const Constraints& constraints) {
  if (!model.rigid) return {};
  return free_parts(model.space, held_unknowns(model, constraints), holding_rows(model, constraints), *model.rigid,
                    model.gone);
}

void check_held(const Model& model, const Constraints& constraints) {
  if (model.rigid)
    check_held(model.space, held_unknowns(model, constraints), holding_rows(model, constraints), *model.rigid,
               model.gone);
}

GroundMotions motions_held_by_ground(const Model& model, const Constraints& constraints) {
  constexpr std::size_t most = 60;  // each is as long as a solution
  if (!model.rigid || (model.held.empty() && model.held_along.empty())) return {};
  std::size_t count = 0;
  const std::vector<std::uint8_t> held = constraints.host_mask();
  for (const FreePart& part : free_parts(model.space, held, constraints.equations(), *model.rigid, model.gone))
    count += part.motions.size();
  if (count == 0 || count > most) return {};
  return std::make_shared<const std::vector<std::vector<double>>>(
      free_motions(model.space, held, constraints.equations(), *model.rigid, model.gone));
}

ModelSupports::ModelSupports(const Model& model) {
  const std::vector<std::uint8_t> touched = touched_in(model);
  const auto make = [&](const std::vector<PrescribedValue>& own) {
    sets_.push_back(std::make_unique<Constraints>(model.space));
    untouched_ = prescribe_all(model, touched, own, *sets_.back());
  };
  make({});
  bool all_have_own = !model.load_cases.empty();
  for (const ModelLoadCase& each : model.load_cases) {
    all_have_own = all_have_own && !each.prescribed.empty();
    set_of_.push_back(each.prescribed.empty() ? 0 : sets_.size());
    if (!each.prescribed.empty()) make(each.prescribed);
  }
  if (all_have_own) add_zeros(model.load_cases.front().prescribed, *sets_.front());
  find_floating(model);
  on_ground_ = motions_held_by_ground(model, common());
}

void ModelSupports::find_floating(const Model& model) {
  if (model.means.empty() || !model.rigid || !free_parts(model, common()).empty()) return;
  Model without_means = model;
  without_means.means.clear();
  floating_ = free_motions(model.space, held_unknowns(without_means, common()), holding_rows(without_means, common()),
                           *model.rigid, model.gone);
  const auto components = static_cast<std::size_t>(model.space.components());
  for (const std::size_t unknown : stops_of(floating_, taken_unknowns(common()))) {
    stops_.push_back(static_cast<Index>(unknown));
    for (const auto& set : sets_) {
      const auto node = static_cast<Node>(unknown / components);
      set->prescribe_nodes({&node, 1}, static_cast<int>(unknown % components), 0.0, "prescribed mean motions");
    }
  }
}

std::vector<std::size_t> stops_of_free_body(const std::vector<std::vector<double>>& motions,
                                            std::vector<std::uint8_t> taken) {
  std::vector<std::size_t> stops = stops_of(motions, std::move(taken));
  if (stops.size() < motions.size())
    throw Error(ErrorKind::inertia_relief, "a free body whose unknowns all take part in equations",
                "none of them can be held while it is solved", "support it where it does not matter");
  return stops;
}

std::vector<std::vector<double>> stop_free_motions(const Model& model, ModelSupports& supports) {
  if (!model.rigid) return {};
  const Constraints& common = supports.common();
  std::vector<std::vector<double>> motions =
      free_motions(model.space, held_unknowns(model, common), holding_rows(model, common), *model.rigid, model.gone);
  const std::vector<std::size_t> stops = stops_of_free_body(motions, taken_unknowns(common));
  const auto components = static_cast<std::size_t>(model.space.components());
  for (const std::size_t unknown : stops)
    for (Constraints* set : supports.all()) {
      const auto node = static_cast<Node>(unknown / components);
      set->prescribe_nodes({&node, 1}, static_cast<int>(unknown % components), 0.0, "stops of a free body");
    }
  return motions;
}

Vector ModelSupports::prescribed(std::span<const double> factors) const {
  Vector sum = common().space().zeros(), one = common().space().zeros();
  const auto add = [&](double factor, const Constraints& supports) {
    if (factor == 0) return;
    one.fill_zero();
    supports.set_values(one);
    axpy(factor, one, sum);
  };
  for (std::size_t j = 0; j < factors.size(); ++j) add(factors[j], of(j));
  add(std::accumulate(factors.begin(), factors.end(), 1.0, std::minus<>{}), common());
  return sum;
}

std::vector<Constraints*> ModelSupports::all() const {
  std::vector<Constraints*> result;
  for (const auto& set : sets_) result.push_back(set.get());
  return result;
}

void check_ranges(const Model& model, const Vector& u) {
  if (model.ranges.empty()) return;
  const std::vector<double> values = u.host();
  const auto components = static_cast<std::size_t>(model.space.components());
  std::vector<Node> nodes;
  for (const ValidRange& range : model.ranges) {
    const double room = 1e-9 * std::max(std::abs(range.lowest), std::abs(range.highest));
    for (const Index cell : range.region->cells) {
      model.space.nodes_of(cell, nodes);
      for (const Node node : nodes) {
        const double value = values[static_cast<std::size_t>(node) * components];
        if (value >= range.lowest - room && value <= range.highest + room) continue;
        throw Error(ErrorKind::formula_value,
                    fmt::format("the solution {:g} at {} lies outside of the table of '{}'", value,
                                model.space.name_of(node), range.region->name),
                    fmt::format("the table has rows from {:g} to {:g}", range.lowest, range.highest),
                    "add rows, or let the table be constant outside of its rows (outside = \"constant\")")
            .at(range.origin);
      }
    }
  }
}

}  // namespace ritz
