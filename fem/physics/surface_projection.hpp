// The field of a space at points beside a surface: the nearest point of the surface (its foot), and weights of the
// space's nodes whose sum with their values is the field there. Across the gap between a point and its foot the field
// goes on linearly, with its gradient in the cell at the foot: fields linear in space are met exactly, and forces keep
// their resultant and their moment.
//
//   const SurfaceProjection hub(space, mesh.region("hub"));
//   const auto foot = hub.foot_of(x);   PointWeights w = hub.weights(foot);
#pragma once

#include "fem/space/function_space.hpp"
#include "mesh/search/nearest_facet.hpp"

#include <memory>
#include <vector>

namespace ritz {

// field = sum of weights times values
struct PointWeights {
  std::vector<Node> nodes;
  std::vector<double> weights;  // they sum to one
  Point lever{};                // the gap where no gradient is known: across shells and beams, by their rotations
};

class SurfaceProjection {
 public:
  // Facets, or cells that are surfaces or lines in space. Throws Error: Exit::input when the region has none.
  SurfaceProjection(const FunctionSpace& space, const Region& surface);

  const NearestFacet& facets() const { return *facets_; }

  struct Foot {
    NearestFacet::Place place;
    Point gap;    // from the foot to the point
    double size;  // of the facet: mean length of its edges
  };
  Foot foot_of(const Point& x) const;
  // Gaps below `rounding` times the size of the facet count as none, so that only nodes of the facet take part.
  PointWeights weights(const Foot& foot, double rounding = 1e-8) const;
  // Feet of many nodes of the space, or of the points that `image` makes of theirs; on all processors.
  std::vector<Foot> feet_of(std::span<const Point> points) const;

 private:
  FunctionSpace space_;
  std::unique_ptr<NearestFacet> facets_;
};

// The facets of a region, or its cells as facets -1.
std::vector<FacetOfCell> surface_of(const Region& region);

}  // namespace ritz
