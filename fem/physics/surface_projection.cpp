#include "fem/physics/surface_projection.hpp"

#include "device/parallel_errors.hpp"
#include "mesh/search/nearest_point.hpp"
#include "mesh/point_algebra.hpp"

#include <cmath>
#include <fmt/format.h>

namespace ritz {

std::vector<FacetOfCell> surface_of(const Region& region) {
  std::vector<FacetOfCell> facets = region.facets;
  for (const Index cell : region.cells) facets.push_back({cell, -1});
  return facets;
}

SurfaceProjection::SurfaceProjection(const FunctionSpace& space, const Region& surface) : space_(space) {
  const std::vector<FacetOfCell> facets = surface_of(surface);
  if (facets.empty())
    throw Error(ErrorKind::region_empty, fmt::format("the region '{}' holds no facets", surface.name),
                "nodes are projected onto facets", "name a region of facets");
  facets_ = std::make_unique<NearestFacet>(space.mesh(), facets);
}

SurfaceProjection::Foot SurfaceProjection::foot_of(const Point& x) const {
  const NearestFacet::Place place = facets_->to(x);
  return {place, minus(x, place.at), facets_->size_of(place.facet)};
}

std::vector<SurfaceProjection::Foot> SurfaceProjection::feet_of(std::span<const Point> points) const {
  std::vector<Foot> feet(points.size());
  ParallelErrors errors;
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t i = 0; i < points.size(); ++i) errors.run([&] { feet[i] = foot_of(points[i]); });
  errors.rethrow();
  return feet;
}

PointWeights SurfaceProjection::weights(const Foot& foot, double rounding) const {
  constexpr double nothing = 1e-13;
  const Index cell = foot.place.facet.cell;
  const ReferenceElement& element = space_.element(space_.mesh().kind_of(cell));
  std::vector<double> values(element.nodes.size());
  std::vector<Point> slopes(element.nodes.size());
  element.evaluate(foot.place.xi, values, slopes);
  PointWeights result;
  if (length(foot.gap) > rounding * foot.size) {
    const CellMap map(space_.mesh(), cell);
    const std::array<Point, 3> t = map.tangents(foot.place.xi);
    const int dimension = element.dimension();
    const Point step = step_towards(foot.gap, t, dimension);
    result.lever = foot.gap;
    for (std::size_t k = 0; k < static_cast<std::size_t>(dimension); ++k)
      for (std::size_t d = 0; d < 3; ++d) result.lever[d] -= step[k] * t[k][d];
    if (dimension == space_.mesh().dimension()) result.lever = {};
    for (std::size_t a = 0; a < values.size(); ++a) values[a] += dot(slopes[a], step);
  }
  std::vector<Node> nodes;
  space_.nodes_of(cell, nodes);
  for (std::size_t a = 0; a < values.size(); ++a)
    if (std::abs(values[a]) > nothing) {
      result.nodes.push_back(nodes[a]);
      result.weights.push_back(values[a]);
    }
  return result;
}

}  // namespace ritz
