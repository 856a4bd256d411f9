// Selects regions by geometry: cells by their centre, facets by all their corners, nodes by their own place, with a
// test of a point. Also unions, intersections and differences of regions.
//
//   Region tip = select(mesh, "tip", RegionKind::facets, near_plane({1, 0, 0}, {1, 0, 0}, 1e-6));
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/mesh.hpp"

#include <functional>
#include <span>

namespace ritz {

using PlaceTest = std::function<bool(const Point&)>;

// `tolerance` [length]: how far outside still counts.
PlaceTest in_box(const Point& low, const Point& high, double tolerance);
PlaceTest near_plane(const Point& point, const Point& normal, double tolerance);

// A sphere, or a cylinder without ends when it has an axis.
struct RoundSurface {
  Point centre;  // of a cylinder: a point on its axis
  double radius;
  Point axis = {};                               // any length; 0: a sphere
  Point outward(const Point& x) const;           // from the centre or the axis to x
  double signed_distance(const Point& x) const;  // from the surface; negative inside
};
PlaceTest within(const RoundSurface& surface, double tolerance);
PlaceTest on(const RoundSurface& surface, double tolerance);

// Facets are those of the boundary; or, of all kinds, those of `among`, a region of the same kind (of nodes: of any
// kind).
Region select(const Mesh& mesh, const std::string& name, RegionKind kind, const PlaceTest& test,
              const Region* among = nullptr);
// Facets whose outward normal at their middle is within `angle` [radian] of a direction.
Region select_by_normal(const Mesh& mesh, const std::string& name, const Region& among, const Point& direction,
                        double angle);
// Facets whose normal at their middle is within 60 degrees of that of the surface, outward or inward: without flat ends
// whose corners all lie on the rim.
Region select_along(const Mesh& mesh, const std::string& name, const Region& among, const RoundSurface& surface);

// Nodes that quadratic cells with straight edges have beside a round surface: those between nodes of `found`, a region
// of nodes, on facets of `among` that run along the surface and have all corners within `tolerance` of it. `others` is
// what else a node must pass. Edges that cross the body are not taken.
std::vector<Node> nodes_on_chords(const Mesh& mesh, const Region& found, std::span<const FacetOfCell> among,
                                  const RoundSurface& surface, double tolerance, const PlaceTest& others);
// Nodes of the edges of quadratic cells whose ends are in `found`, a region of nodes, and that are not in it
// themselves.
std::vector<Node> nodes_between(const Mesh& mesh, const Region& found);

// Facets of `among` next to those of `found` (facets or nodes), and next to these, that run along the surface within a
// twentieth of its radius and whose corners pass `others`: what `found` lacks when nodes lie on chords.
struct Continuation {
  Index facet_count = 0;
  double distance = 0;  // largest of a corner from the surface
};
Continuation continuation_of(const Mesh& mesh, const Region& found, std::span<const FacetOfCell> among,
                             const RoundSurface& surface, const PlaceTest& others);

enum class SetOperation { together, common, without };  // of the first and all others
// Regions of one kind.
Region combine(const std::string& name, SetOperation operation, std::span<const Region* const> regions);

}  // namespace ritz
