// Nodes of a space on a region, as points at which functions are evaluated: each in the first of the region's cells
// that has it, of facets in the first of their cells, of nodes in the first of all cells.
//
//   const RegionNodes at(space, region);   value(at.points(), t, values);      // values [i] at at.nodes()[i]
#pragma once

#include "fem/space/function_space.hpp"
#include "mesh/evaluation_points.hpp"

#include <vector>

namespace ritz {

class RegionNodes {
 public:
  RegionNodes(const FunctionSpace& space, const Region& region);

  const std::vector<Node>& nodes() const { return nodes_; }  // ascending
  EvaluationPoints points() const { return {x_, mesh_, cells_}; }

 private:
  Mesh mesh_;  // of the space
  std::vector<Node> nodes_;
  std::vector<double> x_;  // [node][3]
  std::vector<Index> cells_;
};

}  // namespace ritz
