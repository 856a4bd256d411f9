// Internal variables of equations cell by cell, as they travel from a whole space to its parts and back: the layout of
// PointStates::values() depends on groups and lanes, which differ between both. All states are on cells.
//
//   take_states(whole, cells, part);                   // cells: of the part, as the whole mesh numbers them
//   bring_states(part, cells, whole, ranks);           // all ranks together; each has those of all afterwards
#pragma once

#include "fem/operator/operator.hpp"

#include <span>
#include <vector>

namespace ritz {

class Ranks;  // device/ranks/ranks.hpp

void take_states(const Operator& whole, const std::vector<Index>& cells, const Operator& part);
void bring_states(const Operator& part, const std::vector<Index>& cells, const ElementTerms& whole, PointStates& states,
                  Ranks& ranks);
// The same of any values, for states of these operators.
PointStates::Values own_states(const Operator& whole, const PointStates::Values& of_all,
                               const std::vector<Index>& cells, const Operator& part);
PointStates::Values states_of_all(const Operator& part, const PointStates::Values& own, const std::vector<Index>& cells,
                                  const ElementTerms& whole, PointStates::Values all, Ranks& ranks);

class CellStates {
 public:
  // The equations may go.
  explicit CellStates(const Operator& equations) : CellStates(equations.terms()) {}
  explicit CellStates(const ElementTerms& terms);

  std::size_t lists() const { return numbers_.size(); }  // of PointStates::values()
  // [cell of these][integral with states on it][point][number]
  std::vector<double> of(const PointStates::Values& states, std::span<const Index> cells) const;
  void place(std::span<const Index> cells, std::span<const double> numbers, PointStates::Values& states) const;
  // numbers: of all cells of the mesh, in order; what lanes without a cell have comes from `states`.
  PointStates::Values placed(std::span<const double> numbers, PointStates::Values states) const;

 private:
  struct Place {
    int list = -1;  // of state(); -1: no states there
    Index element = 0;
  };
  // visit(list, position): all numbers of a cell
  template <class Visit>
  void each_number(Index cell, const Visit& visit) const;

  Index cells_;
  std::vector<std::vector<Place>> places_;  // [integral with states][cell]
  std::vector<Index> numbers_;              // [list] of one cell
};

}  // namespace ritz
