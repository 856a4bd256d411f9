// Internal variables of equations cell by cell, as they travel from a whole space to its parts: the layout of
// PointStates::values() depends on groups and lanes, which differ between both. Private to fem/analysis.
//
//   numbers = CellStates(whole).of(whole.states().values(), part.cells);    // for a part
//   PointStates& own = here.states();                                       // there, where these are all cells
//   own.set(CellStates(here).placed(numbers, own.values()));
//   CellStates(whole).place(part.cells, numbers, states);                   // the way back
#pragma once

#include "fem/operator/operator.hpp"

#include <span>
#include <vector>

namespace ritz {

class CellStates {
 public:
  // All states are on cells. The equations may go.
  explicit CellStates(const Operator& equations);

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
