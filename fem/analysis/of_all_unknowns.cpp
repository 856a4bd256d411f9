#include "fem/analysis/of_all_unknowns.hpp"

#include <utility>

namespace ritz {
namespace {

Vector on_device(const FieldsOfRank& rank, const std::vector<double>& numbers) {
  return {rank.equations().device(), std::span<const double>(numbers), "vectors"};
}

template <class Change>
State changed(State state, const Change& change) {
  for (std::vector<double>* const each : {&state.u, &state.r, &state.v, &state.a, &state.change})
    if (!each->empty()) *each = change(*each);
  return state;
}

}  // namespace

std::vector<double> gathered(const FieldsOfRank& rank, const std::vector<double>& own) {
  return own.empty() ? own : rank.gathered(on_device(rank, own)).host();
}

State own_state(const FieldsOfRank& rank, State of_all) {
  if (!of_all.points.empty()) {
    rank.equations_of_all().states().set(of_all.points);
    rank.take_states();
    of_all.points = rank.equations().states().values();
  }
  return changed(std::move(of_all),
                 [&](const std::vector<double>& all) { return rank.own(on_device(rank, all)).host(); });
}

State state_of_all(const FieldsOfRank& rank, State own) {
  if (!own.points.empty()) {
    rank.bring_states();
    own.points = rank.equations_of_all().states().values();
  }
  return changed(std::move(own), [&](const std::vector<double>& mine) { return gathered(rank, mine); });
}

Observer of_all_unknowns(const FieldsOfRank& rank, const Observer& observer) {
  Observer result = observer;
  if (observer.show)
    result.show = [&rank, show = observer.show](const SolutionView& s) {
      rank.bring_states();  // for derived fields
      const Vector u = rank.gathered(s.u);
      const Vector velocity = s.velocity != nullptr ? rank.gathered(*s.velocity) : Vector(),
                   acceleration = s.acceleration != nullptr ? rank.gathered(*s.acceleration) : Vector();
      const std::vector<double> reaction = gathered(rank, s.reaction);
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
    result.keep = [&rank, keep = observer.keep](const State& state) { keep(state_of_all(rank, state)); };
  return result;
}

}  // namespace ritz
