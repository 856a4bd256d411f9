// How cells see the unknowns of facets and edges. A facet's flux is positive out of the cell with the lowest number
// that has it. An edge's circulation of order 1 is positive from the end with the lower number in the mesh to the
// other; those of order 2 run from the middle to the ends, and so does every cell see them. Of the two unknowns of a
// triangular face the first is along the side from the corner with the lowest number to the next higher, the second to
// the highest: a cell, whose functions follow its own first corner, takes both for each of them.
#pragma once

#include "fem/forms/mixed_form.hpp"
#include "fem/space/function_space.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ritz {

// The function of unknown a in a cell: `own` times the cell's function a, and `partner` times that of a ^ 1.
struct SeenUnknown {
  std::int8_t own = 1, partner = 0;
};

class EntitySigns {
 public:
  EntitySigns() = default;
  // The space numbers the unknowns of the family (fem/cells/vector_element.hpp). met_before: facets of a part of a mesh
  // whose cell with the lowest number is not in the part.
  EntitySigns(const FunctionSpace& space, Family family, std::span<const Node> met_before = {});
  SeenUnknown of(Index cell, int a) const { return seen_[static_cast<std::size_t>(cell * most_ + a)]; }
  bool partners() const { return partners_; }  // any unknown with a part of its partner
  // Unknowns of a cell [unknown]: factors of its own functions, from those of the space, and back.
  void to_cell(Index cell, std::span<double> u) const;
  void from_cell(Index cell, std::span<double> u) const;

 private:
  Index most_ = 0;                 // unknowns of a cell
  std::vector<SeenUnknown> seen_;  // [cell][unknown]
  bool partners_ = false;
};

}  // namespace ritz
