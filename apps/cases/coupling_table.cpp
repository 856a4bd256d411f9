#include "apps/cases/point_inputs.hpp"
#include "apps/cases/reference_point.hpp"
#include "fem/physics/mean_motion.hpp"

#include <fmt/format.h>
#include <memory>
#include <tuple>

namespace ritz {

// The surface stays free to deform: forces and prescribed motions act through the equivalent traction.
void read_coupling(const Case::Table& t, RelationInput& in) {
  if (in.is_of_parts() && t.has("nodes")) return;  // a joint with sections (body_case.cpp)
  const Region* region = t.region("region", "facets", in.mesh(), {RegionKind::facets});
  const int dimension = in.mesh().dimension();
  const bool of_revolution = in.kinds().of_revolution;
  const std::optional<Point> reference =
      optional_point(t, "reference", "the reference point [m]; not given: the centre of the surface", dimension);
  std::array<std::optional<double>, 6> prescribed;
  for (int c = 0; c < 6; ++c) {
    if (!has_mean_motion(static_cast<std::size_t>(c), dimension, of_revolution)) continue;
    const std::optional<double> value = motion_of(t, c);
    if (value && in.kinds().at_rest && !in.run().step().continues() && *value != 0)
      in.refuse_motion(t, motion_names[static_cast<std::size_t>(c)], *value);
    prescribed[static_cast<std::size_t>(c)] = value;
  }
  const std::array<double, 6> compliances = springs_of(t, in, prescribed);
  Point force{}, moment{};
  if (takes_loads(in)) std::tie(force, moment) = loads_of(t, in);
  const PointMass mass = mass_of(t, in);
  if (!in.moves(t, "a coupling") || region == nullptr) return;
  in.attempt([&] {
    const auto mean = std::make_shared<const MeanMotion>(in.space(), *region, reference, t.where(), of_revolution);
    if (acts(force) || acts(moment))
      in.model().equations.push_back(traction_on(in, *region, {.force = force, .moment = moment, .at = reference}));
    MovedRegion told{.kind = "coupling",
                     .sentence = fmt::format("coupling '{}': in the mean it moves by", region->name),
                     .region = region->name,
                     .motion = [mean](std::span<const double> u) { return mean->of(u); },
                     .field = in.field()};
    weigh(mass, in, [&](const Point& weight, std::vector<Integral>& loads) {
      loads.push_back(traction_on(in, *region, {.force = weight, .at = reference}));
    });
    attach(t, in, mass, prescribed, compliances, [&](std::size_t c) { return mean->terms(c); });
    for (std::size_t c = 0; c < 6; ++c) {
      const bool of_preload = in.kinds().at_rest;  // of modes: attach() has them
      if (!prescribed[c] || (of_preload && !in.read().preloaded)) continue;
      RemoteForce unit{.at = reference};
      (c < 3 ? unit.force : unit.moment)[c % 3] = 1;
      std::vector<PrescribedMean>& means = of_preload ? in.read().preload_means : in.model().means;
      if (!of_preload) told.loads[c] = static_cast<int>(means.size());
      means.push_back({.load = traction_on(in, *region, unit),
                       .terms = mean->terms(c),
                       .prescribed = *prescribed[c],
                       .compliance = compliances[c],
                       .origin = t.where(compliances[c] > 0 ? "springs" : motion_names[c])});
    }
    in.add_moved(std::move(told));
  });
}

}  // namespace ritz
