#include "fem/analysis/of_all_unknowns.hpp"

#include "device/communicator.hpp"

#include <utility>

namespace ritz {
namespace {

Vector on_device(const Equations& equations, const std::vector<double>& numbers) {
  return {equations.device(), std::span<const double>(numbers), "vectors"};
}

// A part may have none of what the model has.
template <class OfUnknowns, class OfStates>
State changed(const PartOfModel& part, State state, const OfUnknowns& of_unknowns, const OfStates& of_states) {
  const Communicator all(part.equations().device());
  const auto is_given = [&](const auto& list) { return all.largest_of(list.empty() ? 0 : 1) > 0; };
  for (std::vector<double>* const each : {&state.u, &state.r, &state.v, &state.a, &state.change})
    if (is_given(*each)) *each = of_unknowns(*each);
  for (PointStates::Values* const each : {&state.rates, &state.points})
    if (is_given(*each)) *each = of_states(*each);
  return state;
}

}  // namespace

std::vector<double> forces_of_all(const PartOfModel& part, const std::vector<double>& own) {
  if (Communicator(part.equations().device()).total(std::ssize(own)) == 0) return own;
  return part.equations_of_all().forces_for_results(part.gathered(on_device(part.equations(), own)));
}

State own_state(const PartOfModel& part, State of_all) {
  return changed(
      part, std::move(of_all),
      [&](const std::vector<double>& all) { return part.own(on_device(part.equations_of_all(), all)).host(); },
      [&](const PointStates::Values& all) { return part.own_states(all); });
}

State state_of_all(const PartOfModel& part, State own) {
  return changed(
      part, std::move(own),
      [&](const std::vector<double>& mine) { return part.gathered(on_device(part.equations(), mine)).host(); },
      [&](const PointStates::Values& mine) { return part.states_of_all(mine); });
}

Observer of_all_unknowns(const PartOfModel& part, const Observer& observer) {
  Observer result = observer;
  if (observer.show)
    result.show = [&part, show = observer.show](const SolutionView& s) {
      part.bring_to_all();  // for derived fields
      const Vector u = part.gathered(s.u);
      const Vector velocity = s.velocity != nullptr ? part.gathered(*s.velocity) : Vector(),
                   acceleration = s.acceleration != nullptr ? part.gathered(*s.acceleration) : Vector();
      const std::vector<double> reaction = forces_of_all(part, s.reaction);
      show({.u = u,
            .reaction = reaction,
            .residual = s.residual,
            .tolerance = s.tolerance,
            .applied = s.applied,
            .load_size = s.load_size,
            .factors = s.factors,
            .mean_loads = s.mean_loads,
            .notice = s.notice,
            .part = s.part,
            .time = s.time,
            .velocity = s.velocity != nullptr ? &velocity : nullptr,
            .acceleration = s.acceleration != nullptr ? &acceleration : nullptr,
            .energy = s.energy});
    };
  if (observer.keep)
    result.keep = [&part, keep = observer.keep](const State& state) { keep(state_of_all(part, state)); };
  return result;
}

}  // namespace ritz
