// The part of a space that a rank works on: nodes that it owns, which are contiguous as the space numbers them, along
// the curve; and all cells around them, so that the rows of a matrix for these nodes are complete without the cells of
// others.
//
//   const SpacePart part(space, first, last);          // nodes of the space from first to last - 1
//   const Operator equations(part.space(), part.restricted(integrals));
#pragma once

#include "fem/operator/integral.hpp"
#include "fem/space/function_space.hpp"

#include <memory>
#include <vector>

namespace ritz {

class SpacePart {
 public:
  // The whole space must live as long as integrals that were restricted.
  SpacePart(const FunctionSpace& whole, Index first, Index last);

  const Mesh& mesh() const { return *mesh_; }
  const FunctionSpace& space() const { return *space_; }
  Index cell_count() const { return static_cast<Index>(cells_.size()); }
  const std::vector<Node>& nodes() const { return nodes_; }  // [node of the part's space] node of the whole space

  // Those with a matrix, on the cells, facets and nodes that are in this part.
  std::vector<Integral> restricted(const std::vector<Integral>& integrals) const;

 private:
  Mesh cut(const std::vector<bool>& taken);
  const FunctionSpace& whole_;
  std::vector<Index> cells_;      // [cell of the part] cell of the whole mesh, ascending
  std::vector<Node> mesh_nodes_;  // [mesh node of the part] likewise
  std::unique_ptr<Mesh> mesh_;
  std::unique_ptr<FunctionSpace> space_;
  std::vector<Node> nodes_;
};

}  // namespace ritz
