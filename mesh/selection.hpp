// Selects regions by geometry: cells by their centre, facets by all their corners, nodes by their own place, with a
// test of a point. Also unions, intersections and differences of regions.
//
//   Region tip = select(mesh, "tip", RegionKind::facets, near_plane({1, 0, 0}, {1, 0, 0}, 1e-6));
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/mesh.hpp"

#include <functional>

namespace ritz {

using PlaceTest = std::function<bool(const Point&)>;

// `tolerance` [length]: how far outside still counts.
PlaceTest in_box(const Point& low, const Point& high, double tolerance);
PlaceTest near_plane(const Point& point, const Point& normal, double tolerance);
PlaceTest in_sphere(const Point& centre, double radius, double tolerance);
PlaceTest near_sphere(const Point& centre, double radius, double tolerance);  // its surface
// Around the line through `point` along `axis`; no ends.
PlaceTest in_cylinder(const Point& point, const Point& axis, double radius, double tolerance);
PlaceTest near_cylinder(const Point& point, const Point& axis, double radius, double tolerance);

// Facets are those of the boundary; or, of all kinds, those of `among`, a region of the same kind (of nodes: of any
// kind).
Region select(const Mesh& mesh, const std::string& name, RegionKind kind, const PlaceTest& test,
              const Region* among = nullptr);
// Facets whose outward normal at their middle is within `angle` [radian] of a direction.
Region select_by_normal(const Mesh& mesh, const std::string& name, const Region& among, const Point& direction,
                        double angle);

enum class SetOperation { together, common, without };  // of the first and all others
// Regions of one kind.
Region combine(const std::string& name, SetOperation operation, std::span<const Region* const> regions);

}  // namespace ritz
