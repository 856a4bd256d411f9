#include "fem/ranks/rank_helper.hpp"

#include "device/host_memory.hpp"
#include "fem/ranks/coarser_fields.hpp"
#include "fem/ranks/rank_plugins.hpp"

#include <utility>
#include <vector>

namespace ritz {
namespace {

const Vector none;  // the first rank has the whole vectors

void help_with_tangent(RankSystem& system, Unpacked& from, const std::function<void()>& evaluated) {
  TangentPlace place;
  from.get(place.at_zero);
  from.get(place.anew);
  from.get(place.kind);
  place.at = equations_place(from);
  system.assemble(place, none, evaluated);
}

void collect(const RankSystem& system, const MultiVector& columns) {
  Vector mine(system.device(), columns.rows(), "vectors"), nothing;
  for (int column = 0; column < columns.columns(); ++column) {
    columns.get_column(column, mine);
    system.rows().collect(mine, nothing);
  }
}

void help_with_solution(RankSystem& system, Order what, Unpacked& from) {
  const auto tolerance = from.get<LinearTolerance>();
  const bool tells = from.get<bool>();
  Vector mine(system.device(), system.owned() * system.components(), "vectors"), nothing;
  if (what == Order::solve) {
    Vector x(system.device(), mine.size(), "vectors");
    system.rows().deal(none, mine);
    system.rows().deal(none, x);
    system.solve(mine, x, tolerance);
    system.rows().collect(x, nothing);
  } else {
    const auto columns = from.get<int>();
    MultiVector B(system.device(), mine.size(), columns), X(system.device(), mine.size(), columns);
    for (int column = 0; column < columns; ++column) {
      system.rows().deal(none, mine);
      B.set_column(column, mine);
    }
    system.solve(B, X, tolerance);
    collect(system, X);
  }
  if (!tells) return;
  system.memory();
  system.seconds();
}

void help_with_modes(RankSystem& system, Unpacked& from, const std::function<void()>& evaluated) {
  ModesWanted wanted = modes_wanted(from);
  if (!wanted.motions.mass.empty()) system.deal(nullptr, wanted.motions);
  const EigenSolution found = system.modes(wanted, evaluated);
  if (found.vectors) collect(system, *found.vectors);
  system.memory();
  system.seconds();
}

}  // namespace

FunctionElsewhere RankHelper::functions() const {
  return [&ranks = ranks_](std::size_t integral, std::size_t function, const EvaluationPoints& points, double t,
                           std::span<double> values) { ask(ranks, integral, function, points, t, values); };
}

void RankHelper::make_part(Unpacked& from, std::int32_t number) {
  load_plugins_of_first(from, device_);
  parts_[number] = std::make_shared<const RankPart>(part_data(from), device_, ranks_);
}

void RankHelper::make_equations(Unpacked& from, std::int32_t number) {
  const std::shared_ptr<const RankPart>& part = parts_.at(from.get<std::int32_t>());
  load_plugins_of_first(from, device_);
  equations_[number] = std::make_shared<PartEquations>(part, part_integrals(from, part->part().cells(), functions()));
}

void RankHelper::make_system(Unpacked& from, std::int32_t number) {
  const std::shared_ptr<PartEquations>& equations = equations_.at(from.get<std::int32_t>());
  const LinearSolverOptions options = solver_options(from);
  PartSupports supports = part_supports(from);
  const RankCalls calls{[&ranks = ranks_] { end_questions(ranks); },
                        [](int, const Ghosts& nodes) { return ask_for_relations(nodes); },
                        [&ranks = ranks_](const std::vector<Index>&) {
                          const std::string text = ranks.wait(0);
                          Unpacked nested(text);
                          return unpacked_nested_levels(nested);
                        }};
  systems_[number] = std::make_unique<RankSystem>(equations, std::move(supports), options, calls);
  systems_[number]->description();
}

void RankHelper::make_fields(Unpacked& from, std::int32_t number) {
  load_plugins_of_first(from, device_);
  fields_[number] = std::make_unique<FieldsHelper>(from, functions(), device_, ranks_);
}

void RankHelper::help(PartEquations& equations, Order what, Unpacked& from) const {
  const auto evaluated = [this](bool asks) {
    return [&ranks = ranks_, asks] {
      if (asks) end_questions(ranks);
    };
  };
  const std::vector<Index>& cells = equations.part().part().cells();
  if (what == Order::reset_states) return equations.equations().reset_state();
  if (what == Order::give_states) return ranks_.send(0, Packed().add(cells).add(equations.states()).take());
  if (what == Order::take_states) {
    ranks_.send(0, Packed().add(cells).take());
    const std::string text = ranks_.wait(0);
    Unpacked states(text);
    return equations.set_states(states.list<double>());
  }
  if (what == Order::set_numbers) {
    const bool asks = from.get<bool>();
    equations.set_numbers(part_integrals(from, cells, functions()));
    return evaluated(asks)();
  }
  if (what == Order::compute) {
    const auto task = from.get<PartTask>();
    const bool at_zero = from.get<bool>(), asks = from.get<bool>();
    equations.take(equations_place(from));
    Vector nothing;
    return equations.compute(task, at_zero, none, none, nothing, evaluated(asks));
  }
  const std::string form = from.text();
  const bool asks = from.get<bool>();
  equations.take(equations_place(from));
  const DerivedFields fields = equations.evaluate(none, form, evaluated(asks));
  ranks_.send(0, Packed().add(cells).add(fields.at_nodes).add(fields.at_cells).take());
}

void RankHelper::help(RankSystem& system, Order what, Unpacked& from) const {
  if (what == Order::nest) return system.set_nested(unpacked_nested_levels(from));
  if (what == Order::end_system) return system.end();
  const auto no_more_questions = [&] { end_questions(ranks_); };
  try {
    if (what == Order::linearise) help_with_tangent(system, from, no_more_questions);
    else if (what == Order::modes) help_with_modes(system, from, no_more_questions);
    else help_with_solution(system, what, from);
  } catch (const AgreedError&) {  // the first rank goes on as it decides
  }
}

void RankHelper::forget_freed_memory() const {
  device_.memory().trim();
  return_freed_host_memory();
}

void RankHelper::carry_out(std::string order) {
  Unpacked from(order);
  const auto what = from.get<Order>();
  const auto number = from.get<std::int32_t>();
  switch (what) {
    case Order::make_part: return make_part(from, number);
    case Order::make_equations: return make_equations(from, number);
    case Order::make_system: return make_system(from, number);
    case Order::forget_part: parts_.erase(number); return forget_freed_memory();
    case Order::forget_equations: equations_.erase(number); return forget_freed_memory();
    case Order::forget_system: systems_.erase(number); return forget_freed_memory();
    case Order::make_fields: return make_fields(from, number);
    case Order::help_fields: return fields_.at(number)->help(from);
    case Order::forget_fields: fields_.erase(number); return forget_freed_memory();
    case Order::set_numbers:
    case Order::compute:
    case Order::evaluate:
    case Order::give_states:
    case Order::take_states:
    case Order::reset_states: return help(*equations_.at(number), what, from);
    default: return help(*systems_.at(number), what, from);
  }
}

}  // namespace ritz
