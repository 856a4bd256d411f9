#include "fem/cells/facet_rule.hpp"

#include "mesh/curved_cells.hpp"
#include "mesh/point_algebra.hpp"

namespace ritz {

FacetRule facet_rule(CellKind cell, int facet, int degree) {
  const CellTraits& t = traits(cell);
  const CellKind shape = traits(t.facets[static_cast<std::size_t>(facet)].kind).linear;
  const FacetMap map(cell, facet);
  FacetRule result{quadrature(shape, degree), {}};
  const auto axes = map.axes(reference_centroid(shape));  // the same everywhere: facets of reference cells are flat
  result.normal = cross(axes[0], t.dimension == 3 ? axes[1] : Point{0, 0, 1});
  for (auto& point : result.rule.points) point = map.place(point);
  return result;
}

}  // namespace ritz
