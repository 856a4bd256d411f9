#include "fem/physics/periodic_region.hpp"

#include "fem/physics/place.hpp"
#include "fem/physics/surface_projection.hpp"
#include "mesh/direction.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

constexpr double facet_share = 0.05;  // as of ties

Point middle_of(const Mesh& mesh, const Region& region) {
  constexpr double far = std::numeric_limits<double>::infinity();
  Point low{far, far, far}, high{-far, -far, -far};
  for (const Node node : nodes_in(mesh, region))
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], mesh.point(node)[d]);
      high[d] = std::max(high[d], mesh.point(node)[d]);
    }
  return {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
}

// The equations of one pair of regions.
class PeriodicEquations {
 public:
  PeriodicEquations(const FunctionSpace& space, const Region& region, const Region& onto,
                    const PeriodicOptions& options)
      : space_(space), region_(region), onto_(onto), options_(options) {
    check();
    result_.equations.origin = options.origin;
    const Mesh& mesh = space.mesh();
    if (!options.rotation)
      result_.translation = options.translation.value_or(minus(middle_of(mesh, region), middle_of(mesh, onto)));
    turns_ = options.rotation && space.components() >= mesh.dimension() && space.components() > 1;
  }

  Periodic make() {
    const std::vector<Node> nodes = space_.nodes_in(region_);
    std::vector<Point> images;
    for (const Node node : nodes) images.push_back(image_of(space_.point(node)));
    const SurfaceProjection surface(space_, onto_);
    const std::vector<SurfaceProjection::Foot> feet = surface.feet_of(images);
    Index far = 0;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double distance = feet[i].place.distance;
      if (!(distance <= options_.tolerance.value_or(facet_share * feet[i].size))) {
        if (far++ == 0 || distance > feet[worst].place.distance) worst = i;
        continue;
      }
      result_.largest_gap = std::max(result_.largest_gap, distance);
      if (is_fixed_point(space_.point(nodes[i]), feet[i].size)) result_.on_axis.push_back(nodes[i]);
      else add(nodes[i], surface.weights(feet[i]));
    }
    for (const Node node : result_.on_axis) add_on_axis(node);
    if (far > 0) refuse(far, nodes[worst], feet[worst].place.distance, static_cast<Index>(nodes.size()));
    return std::move(result_);
  }

 private:
  void check() const {
    if (options_.rotation && (options_.translation || options_.strain))
      throw Error(ErrorKind::relation, "a rotation together with a translation or a strain", {}, "give one of them")
          .at(options_.origin);
    if (options_.rotation && !(length(direction_of(options_.rotation->axis)) > 0))
      throw Error(ErrorKind::relation, "the axis of a periodic region has no length", {},
                  "give a direction such as [0, 0, 1]")
          .at(options_.origin);
    if (!options_.jump.empty() && static_cast<int>(options_.jump.size()) != space_.components())
      throw Error(ErrorKind::model_options, fmt::format("the jump has {} numbers", options_.jump.size()), {},
                  fmt::format("give {}, one for each component of the unknown", space_.components()))
          .at(options_.origin);
  }

  // The place of the point on the other side.
  Point image_of(const Point& x) const {
    if (!options_.rotation) return minus(x, result_.translation);
    const Point turned = options_.rotation->turned(minus(x, options_.rotation->origin), -1);
    Point image = options_.rotation->origin;
    for (std::size_t d = 0; d < 3; ++d) image[d] += turned[d];
    return image;
  }

  bool is_fixed_point(const Point& x, double size) const { return distance(image_of(x), x) < 1e-9 * size; }

  // [i][j] of the rotation of vectors.
  std::array<Point, 3> columns() const {
    const RotationAbout& r = *options_.rotation;
    return {r.turned({1, 0, 0}), r.turned({0, 1, 0}), r.turned({0, 0, 1})};
  }

  double jump_of(int component) const {
    const auto c = static_cast<std::size_t>(component);
    double jump = options_.jump.empty() ? 0 : options_.jump[c];
    if (options_.strain && c < 3) jump += dot((*options_.strain)[c], result_.translation);
    return jump;
  }

  void add(Node node, const PointWeights& at) {
    ++result_.bound;
    const auto turn = turns_ ? columns() : std::array<Point, 3>{};
    const int dimension = space_.mesh().dimension();
    std::vector<UnknownTerm> row;
    for (int c = 0; c < space_.components(); ++c) {
      row.assign({{node, c, 1.0}});
      const int first = c - c % 3;  // displacements, then rotations
      for (std::size_t a = 0; a < at.nodes.size(); ++a) {
        if (!turns_) {
          row.push_back({at.nodes[a], c, -at.weights[a]});
          continue;
        }
        for (int d = 0; d < std::min(dimension, 3); ++d)
          if (const double r = turn[static_cast<std::size_t>(d)][static_cast<std::size_t>(c % 3)]; std::abs(r) > 1e-15)
            row.push_back({at.nodes[a], first + d, -at.weights[a] * r});
      }
      result_.equations.add(row, jump_of(c));
    }
  }

  // A vector that a rotation leaves as it is points along the axis.
  void add_on_axis(Node node) {
    if (!turns_) return;
    const std::array<Point, 3> frame = options_.rotation->frame();
    for (int first = 0; first < space_.components(); first += 3)
      for (const Point& direction : {frame[1], frame[2]}) {
        std::vector<UnknownTerm> row;
        for (int d = 0; d < space_.mesh().dimension(); ++d)
          if (const double factor = direction[static_cast<std::size_t>(d)]; std::abs(factor) > 1e-14)
            row.push_back({node, first + d, factor});
        std::ranges::stable_sort(row, std::ranges::greater{}, [](const UnknownTerm& t) { return std::abs(t.factor); });
        if (!row.empty()) result_.equations.add(row);
      }
  }

  [[noreturn]] void refuse(Index far, Node worst, double distance, Index count) const {
    throw Error(ErrorKind::not_joined,
                fmt::format("{} of {} nodes of '{}' have no image on '{}'", far, count, region_.name, onto_.name),
                fmt::format("the farthest is {}, whose image lies {:.4g} m off", space_.name_of(worst), distance),
                options_.rotation
                    ? "check the axis and the sign of the angle: the rotation moves 'onto' to the region"
                    : fmt::format("the translation is ({:.9g}, {:.9g}, {:.9g}); give another one, or a tolerance",
                                  result_.translation[0], result_.translation[1], result_.translation[2]))
        .at(options_.origin);
  }

  const FunctionSpace& space_;
  const Region &region_, &onto_;
  const PeriodicOptions& options_;
  bool turns_ = false;
  Periodic result_;
};

}  // namespace

// Rodrigues' formula.
Point RotationAbout::turned(const Point& v, double sign) const {
  const Point a = direction_of(axis);
  const double size = length(a), c = std::cos(angle), s = sign * std::sin(angle);
  const Point k{a[0] / size, a[1] / size, a[2] / size}, across = cross(k, v);
  const double along = dot(k, v);
  Point result;
  for (std::size_t d = 0; d < 3; ++d) result[d] = c * v[d] + s * across[d] + (1 - c) * along * k[d];
  return result;
}

std::array<Point, 3> RotationAbout::frame() const {
  const auto unit = [](const Point& a) {
    const double size = length(a);
    return Point{a[0] / size, a[1] / size, a[2] / size};
  };
  const Point along = unit(direction_of(axis));
  const Point across = unit(cross(along, std::abs(along[0]) < 0.7 ? Point{1, 0, 0} : Point{0, 1, 0}));
  return {along, across, cross(along, across)};
}

Periodic periodic(const FunctionSpace& space, const Region& region, const Region& onto,
                  const PeriodicOptions& options) {
  return PeriodicEquations(space, region, onto, options).make();
}

}  // namespace ritz
