#include "apps/cases/point_inputs.hpp"
#include "apps/cases/relation_input.hpp"
#include "fem/physics/periodic_region.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

void read_jump(const Case::Table& t, const RelationInput& in, PeriodicOptions& options) {
  const int dimension = in.mesh().dimension();
  const int components = in.space().components();
  if (t.has("jump")) options.jump = t.vector("jump", "", {.size = components});
  else
    t.vector("jump", "value on the region less that on 'onto', for each component; not given: 0",
             {.size = components, .fallback = zeros_of(components)});
  const char* key = in.kinds().displacements ? "strain" : "gradient";
  const int size = in.kinds().displacements ? (dimension == 3 ? 6 : 3) : dimension;
  if (!in.kinds().displacements && components > 1) return;
  const bool given = t.has(key);
  VectorRule rule{.size = size};
  if (!given) rule.fallback = zeros_of(size);
  const std::vector<double> v =
      t.vector(key,
               in.kinds().displacements
                   ? (dimension == 3 ? "mean strain xx, yy, zz, xy, yz, xz (shear of the tensor): its jump is added"
                                     : "mean strain xx, yy, xy (shear of the tensor): its jump is added")
                   : "mean gradient: its jump is added",
               rule);
  if (!given || v.size() != static_cast<std::size_t>(size)) return;
  if (!in.kinds().displacements) options.strain = {{{padded(v)}, {}, {}}};
  else if (dimension == 3) options.strain = {{{v[0], v[3], v[5]}, {v[3], v[1], v[4]}, {v[5], v[4], v[2]}}};
  else options.strain = {{{v[0], v[2], 0}, {v[2], v[1], 0}, {}}};
}

}  // namespace

void read_periodic(const Case::Table& t, RelationInput& in) {
  const int dimension = in.mesh().dimension();
  const Region* region =
      t.region("region", "facets or nodes, which follow", in.mesh(), {RegionKind::facets, RegionKind::nodes});
  const Region* onto = in.surface(t, "onto", "facets of the other side");
  PeriodicOptions options{.tolerance = read_tie_tolerance(t), .origin = t.where()};
  options.translation = optional_point(
      t, "translation", "from 'onto' to the region [m]; not given: that between their middles", dimension);
  const Case::Table turn = t.table("rotation", "in place of a translation: that moves 'onto' to the region");
  if (turn.present()) {
    const CylindricalAxes axes = read_axes(turn, dimension);
    const double degrees = turn.number("angle", "by the right-hand rule [deg]", {.minimum = -360, .maximum = 360});
    options.rotation = RotationAbout{axes.origin, axes.axis, degrees * std::numbers::pi / 180};
  }
  if (!in.kinds().at_rest) read_jump(t, in, options);
  if (region == nullptr || onto == nullptr) return;
  in.attempt([&] {
    Periodic pair = periodic(in.space(), *region, *onto, options);
    const Point& by = pair.translation;
    if (in.kinds().of_revolution && (options.rotation || std::abs(by[0]) > 1e-6 * std::abs(by[1])))
      throw Error(
          ErrorKind::relation, "a body of revolution is not periodic across its axis",
          fmt::format("the translation is ({:.4g}, {:.4g}): circles of other radii are other circles", by[0], by[1]),
          "name two sides with a translation along y")
          .at(options.origin);
    in.run().log().line("periodic '{}' onto '{}': {} nodes, at most {:.3g}{} off", region->name, onto->name,
                        pair.bound + std::ssize(pair.on_axis), pair.largest_gap, in.metre());
    if (options.rotation && !in.model().has_fields())
      in.model().cyclic.push_back({in.model().relations.size(), std::move(pair.on_axis), *options.rotation});
    in.keep(std::move(pair.equations));
  });
}

}  // namespace ritz
