#include "fem/analysis/step.hpp"

#include "fem/analysis/setup.hpp"
#include "fem/operator/element_groups.hpp"
#include "fem/ranks/cell_states.hpp"

#include <algorithm>
#include <utility>

namespace ritz {

Nonlinear begun_at(State begin, Nonlinear analysis) {
  analysis.from = std::move(begin);
  return analysis;
}

Transient begun_at(State begin, Transient analysis) {
  analysis.shows_begin = begin.u.empty();
  analysis.begin = {.time = begin.time,
                    .u = std::move(begin.u),
                    .points = std::move(begin.points),
                    .turned = std::move(begin.turned),
                    .v = std::move(begin.v)};
  return analysis;
}

State state_at_rest(const Equations& equations, const Vector& u) {
  Vector r = equations.zeros();
  equations.residual(u, r);
  return {.u = u.host(), .r = r.host()};
}

State state_at_rest(const Prepared& prepared, const Vector& u) {
  if (prepared.fields != nullptr) return state_at_rest(*prepared.fields->equations, u);
  return state_at_rest(*prepared.equations, u);
}

PointStates::Values carried(const Operator& before, const PointStates::Values& points, const Operator& now) {
  const CellStates from(before), to(now);
  std::vector<std::uint8_t> there(static_cast<std::size_t>(now.space().mesh().cell_count()), 0);
  for (const ElementGroup& group : now.terms().groups())
    for (const int integral : group.integrals)
      if (!now.integrals()[static_cast<std::size_t>(integral)].form.state_start.empty())
        for (std::size_t e = 0; e < group.elements.size(); ++e) there[static_cast<std::size_t>(group.elements[e])] = 1;
  std::vector<Index> cells;
  for (std::size_t cell = 0; cell < there.size(); ++cell)
    if (there[cell] != 0) cells.push_back(static_cast<Index>(cell));
  PointStates::Values result = now.states().values();
  to.place(cells, from.of(points, cells), result);
  return result;
}

namespace {

State run(const Model& model, const Static& analysis, State begin, const Observer& observer, VibrationModes*) {
  const Setup setup(model, {}, Setup::Held::required);
  const StaticSolution s = solve(model, analysis, observer, setup.prepared());
  State end = state_at_rest(setup.any_equations(), s.u);
  end.time = begin.time;
  return end;
}

State run(const Model& model, Nonlinear analysis, State begin, const Observer& observer, VibrationModes*) {
  analysis.time.begin = begin.time;
  const double time = analysis.time.end();
  analysis = begun_at(std::move(begin), std::move(analysis));
  analysis.continues = true;
  State end = solve(model, std::move(analysis), observer).end;
  end.time = time;
  return end;
}

State run(const Model& model, Transient analysis, State begin, const Observer& observer, VibrationModes*) {
  return solve(model, begun_at(std::move(begin), std::move(analysis)), observer).state;
}

State run(const Model& model, Modal analysis, State begin, const Observer& observer, VibrationModes* modes) {
  analysis.begin = begin;
  VibrationModes found = solve(model, std::move(analysis), observer);
  if (modes != nullptr) *modes = std::move(found);
  return begin;
}

}  // namespace

State solve(const Step& step, State begin, const Observer& observer, VibrationModes* modes) {
  return std::visit([&](const auto& analysis) { return run(step.model, analysis, std::move(begin), observer, modes); },
                    step.analysis);
}

}  // namespace ritz
