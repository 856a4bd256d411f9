// Which elements of order 2 have straight edges: theirs is the geometry of the corners, which is cheaper to read and to
// differentiate.
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/mesh.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ritz {

// Tests whether the nodes between the corners of an element lie where the (multi)linear map of the corners puts them.
// To a millionth of the element's width, in reference coordinates: files have few digits. Such a shift d changes
// strains by |J^-1 d| at most, and |J^-1| <= |J|^(D-1) / det J in Frobenius' norm.
class Straightness {
 public:
  Straightness(const Mesh& mesh, CellKind kind);
  bool operator()(std::span<const Node> nodes) const;  // in the kind's order

 private:
  Mesh mesh_;
  int dimension_;
  std::size_t corners_;
  // A corner's share of the place of a node between corners.
  struct Part {
    std::size_t corner;
    double part;
  };
  std::vector<std::vector<Part>> parts_;  // [node between corners]
  std::vector<Point> slopes_;             // [corner], at the centre
};

// [cell]; linear cells count as straight.
std::vector<std::uint8_t> straight_cells(const Mesh& mesh, int threads);

}  // namespace ritz
