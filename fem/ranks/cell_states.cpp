#include "fem/ranks/cell_states.hpp"

#include "device/ranks/packed.hpp"
#include "fem/operator/cells_apart.hpp"

#include <map>

namespace ritz {

CellStates::CellStates(const ElementTerms& terms) : cells_(terms.space().mesh().cell_count()) {
  std::map<int, std::vector<Place>> of_integral;
  for (const ElementGroup& group : terms.groups())
    for (const int integral : group.integrals) {
      if (terms.integral(integral).form.state_start.empty()) continue;
      const auto list = static_cast<int>(numbers_.size());
      const Vector& state = terms.points().state(group, terms.integral(integral));
      numbers_.push_back(state.size() / (group.batch_count() * lane_count));
      std::vector<Place>& places = of_integral[integral];
      places.resize(static_cast<std::size_t>(cells_));
      for (std::size_t e = 0; e < group.elements.size(); ++e)
        places[static_cast<std::size_t>(group.elements[e])] = {list, static_cast<Index>(e)};
    }
  for (auto& [integral, places] : of_integral) places_.push_back(std::move(places));
}

template <class Visit>
void CellStates::each_number(Index cell, const Visit& visit) const {
  for (const std::vector<Place>& places : places_) {
    const auto [list, element] = places[static_cast<std::size_t>(cell)];
    if (list < 0) continue;
    const auto l = static_cast<std::size_t>(list);
    const Index first = element / lane_count * numbers_[l] * lane_count + element % lane_count;
    for (Index k = 0; k < numbers_[l]; ++k) visit(l, static_cast<std::size_t>(first + k * lane_count));
  }
}

std::vector<double> CellStates::of(const PointStates::Values& states, std::span<const Index> cells) const {
  std::vector<double> result;
  for (const Index cell : cells)
    each_number(cell, [&](std::size_t list, std::size_t at) { result.push_back(states[list][at]); });
  return result;
}

void CellStates::place(std::span<const Index> cells, std::span<const double> numbers,
                       PointStates::Values& states) const {
  auto next = numbers.begin();
  for (const Index cell : cells)
    each_number(cell, [&](std::size_t list, std::size_t at) { states[list][at] = *next++; });
}

PointStates::Values CellStates::placed(std::span<const double> numbers, PointStates::Values states) const {
  auto next = numbers.begin();
  for (Index cell = 0; cell < cells_; ++cell)
    each_number(cell, [&](std::size_t list, std::size_t at) { states[list][at] = *next++; });
  return states;
}

void take_states(const Operator& whole, const std::vector<Index>& cells, const Operator& part) {
  part.states().set(own_states(whole, whole.states().values(), cells, part));
}

void bring_states(const Operator& part, const std::vector<Index>& cells, const ElementTerms& whole, PointStates& states,
                  Ranks& ranks) {
  states.set(states_of_all(part, part.states().values(), cells, whole, states.values(), ranks));
}

PointStates::Values own_states(const Operator& whole, const PointStates::Values& of_all,
                               const std::vector<Index>& cells, const Operator& part) {
  return CellStates(part).placed(CellStates(whole).of(of_all, cells), part.states().values());
}

PointStates::Values states_of_all(const Operator& part, const PointStates::Values& own, const std::vector<Index>& cells,
                                  const ElementTerms& whole, PointStates::Values all, Ranks& ranks) {
  const CellStates places(whole);
  const std::vector<double> mine = CellStates(part).of(own, all_cells_of(part.space().mesh()));
  each_text(ranks, Packed().add(cells).add(mine).take(), Receivers::all, [&](int, std::string_view text) {
    Unpacked from(text);
    const std::vector<Index> of_rank = from.list<Index>();
    places.place(of_rank, from.list<double>(), all);
  });
  return all;
}

}  // namespace ritz
