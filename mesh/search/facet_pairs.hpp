// The parts in which facets of two surfaces lie opposite each other, with points for integrals over both. Ties take
// them. A facet is cut by the facets of the other surface in the plane of its own normal at the centre. Each polygon
// becomes triangles with a rule of quadrature, whose points are mapped onto both facets along that normal. Thus no edge
// of either side passes between the points of a rule, where functions of that side have a kink.
//
//   const NearestFacet hub(mesh, mesh.region("hub").facets);
//   const FacetPairs pairs(mesh, hub, 4);
//   for (const FacetPair& pair : pairs.of(facet, 1e-3).pairs) ...      // pair.points[0].weight
#pragma once

#include "mesh/quadrature.hpp"
#include "mesh/search/nearest_facet.hpp"

#include <array>
#include <vector>

namespace ritz {

struct PairPoint {
  Point own, other;               // in the reference coordinates of the two facets
  Point at;                       // on the own facet, in space
  Point gap;                      // from the other facet to the own one [length]
  std::array<Point, 3> tangents;  // of the other facet: d x / d xi_k
  double weight;                  // of the own facet's area [length^2]; of lines [length]
};

struct FacetPair {
  FacetOfCell other;
  std::vector<PairPoint> points;
};

struct FacetCover {
  std::vector<FacetPair> pairs;  // ascending by the other facet
  double share = 0;              // of the own facet's area that the pairs cover
};

class FacetPairs {
 public:
  // On flat facets polynomials of the degree are integrated exactly; others have more points. The other surface
  // is one of this mesh.
  FacetPairs(const Mesh& mesh, const NearestFacet& others, int degree);

  // The part of a facet from which others are no farther than `reach` [length]. Those that face away, or are turned by
  // more than 60 degrees, take no part. Safe to call from several threads.
  FacetCover of(const FacetOfCell& own, double reach) const;

 private:
  struct Rules {
    QuadratureRule flat, curved;
  };
  Mesh mesh_;
  NearestFacet others_;
  Rules lines_, triangles_;
};

}  // namespace ritz
