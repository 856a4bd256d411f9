// How cells see the unknowns of facets and edges. A facet's flux is positive out of the cell with the lowest number
// that has it; an edge's circulation is positive from the end with the lower number in the mesh to the other.
#pragma once

#include "fem/forms/mixed_form.hpp"
#include "fem/space/function_space.hpp"

#include <cstdint>
#include <vector>

namespace ritz {

class EntitySigns {
 public:
  EntitySigns() = default;
  // The space numbers the middles of the family's entities (fem/cells/vector_element.hpp).
  EntitySigns(const FunctionSpace& space, Family family);
  // 1 where the cell sees unknown a as it is, -1 where it sees it the other way round.
  int of(Index cell, int a) const { return signs_[static_cast<std::size_t>(cell * most + a)]; }

 private:
  static constexpr int most = 36;   // unknowns of a hexahedron of order 2
  std::vector<std::int8_t> signs_;  // [cell][unknown]
};

}  // namespace ritz
