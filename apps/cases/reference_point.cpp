#include "apps/cases/reference_point.hpp"

#include "apps/cases/point_inputs.hpp"
#include "fem/physics/mean_motion.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace ritz {

std::optional<double> motion_of(const Case::Table& t, int c) {
  const char* name = motion_names[static_cast<std::size_t>(c)];
  const bool given = t.has(name);
  const double value = t.number(name,
                                c < 3 ? "displacement of the reference point [m]; not given: free"
                                      : "rotation of the region about this axis [rad]; not given: free",
                                given ? NumberRule{} : NumberRule{.fallback = 0});
  return given ? std::optional(value) : std::nullopt;
}

bool takes_loads(const RelationInput& in) { return !in.kinds().at_rest || in.kinds().loaded; }

std::pair<Point, Point> loads_of(const Case::Table& t, const RelationInput& in) {
  if (in.mesh().dimension() == 2) {
    const Point plane = padded(t.vector("force", "force at the reference point [N], for the whole thickness or ring",
                                        {.size = 2, .fallback = zeros_of(2)}));
    const double moment =
        t.number("moment", "moment about z on the region [N m], for the whole thickness", {.fallback = 0});
    if (in.kinds().of_revolution && (plane[0] != 0 || moment != 0))
      t.error(ErrorKind::relation, plane[0] != 0 ? "force" : "moment",
              "a radial force or a moment at a reference point of a body of revolution", "it has no resultant",
              "give a traction or a pressure");
    return {plane, {0, 0, moment}};
  }
  const Point force =
      padded(t.vector("force", "force at the reference point [N]", {.size = 3, .fallback = zeros_of(3)}));
  return {force, padded(t.vector("moment", "moment on the region [N m]", {.size = 3, .fallback = zeros_of(3)}))};
}

bool acts(const Point& v) {
  return std::ranges::any_of(v, [](double each) { return each != 0; });
}

PointMass mass_of(const Case::Table& t, const RelationInput& in) {
  if (!in.kinds().masses) return {};
  PointMass result{t.number("mass", "mass at the reference point [kg]: its weight, and inertia of vibration and motion",
                            {.fallback = 0, .minimum = 0, .out_of_bounds = ErrorKind::material_value})};
  if (in.mesh().dimension() == 2) {
    result.inertia[2] = t.number("inertia", "moment of inertia about z through the reference point [kg m^2]",
                                 {.fallback = 0, .minimum = 0, .out_of_bounds = ErrorKind::material_value});
    if (in.kinds().of_revolution && result.inertia[2] > 0)
      t.error(ErrorKind::relation, "inertia", "a moment of inertia in a body of revolution",
              "its rigid regions move along the axis alone", "omit it, or model the body in three dimensions");
    return result;
  }
  result.inertia = padded(t.vector("inertia", "moments of inertia about x, y, z through the reference point [kg m^2]",
                                   {.size = 3, .fallback = zeros_of(3)}));
  for (const double each : result.inertia)
    if (each < 0)
      t.error(ErrorKind::material_value, "inertia", fmt::format("a moment of inertia is {:g}", each), {},
              "give numbers from 0");
  return result;
}

void weigh(const PointMass& mass, RelationInput& in,
           FunctionRef<void(const Point& force, std::vector<Integral>& loads)> weight) {
  for (std::size_t i = 0; mass.mass > 0 && i < in.kinds().gravity.size(); ++i) {
    Point force = in.kinds().gravity[i];
    for (double& each : force) each *= mass.mass;
    if (acts(force)) weight(force, i == 0 ? in.model().equations : in.model().load_cases[i - 1].loads);
  }
}

void attach(const Case::Table& t, RelationInput& in, const PointMass& mass,
            const std::array<std::optional<double>, 6>& held, const std::array<double, 6>& compliances,
            FunctionRef<std::vector<UnknownTerm>(std::size_t motion)> terms) {
  if (!in.kinds().at_rest && !in.read().time) return;
  in.read().attached_mass += mass.mass;
  for (std::size_t c = 0; c < 6; ++c) {
    if (!has_mean_motion(c, in.mesh().dimension(), in.kinds().of_revolution)) continue;
    AttachedMotion motion{.terms = terms(c), .mass = mass.of(c), .field = in.field()};
    if (held[c] && in.kinds().at_rest)
      motion.stiffness = compliances[c] > 0 ? 1 / compliances[c] : std::numeric_limits<double>::infinity();
    if (motion.stiffness == 0 && motion.mass == 0) continue;
    if (motion.terms.empty())
      throw Error(ErrorKind::not_joined,
                  fmt::format("the reference point has inertia about {}, and its region does not turn", "xyz"[c % 3]),
                  "its nodes lie on one line, or it is one node", "omit this moment of inertia")
          .at(t.where());
    in.model().attached.push_back(std::move(motion));
  }
}

std::array<double, 6> springs_of(const Case::Table& t, const RelationInput& in,
                                 std::array<std::optional<double>, 6>& prescribed) {
  std::array<double, 6> compliances{};
  const Case::Table springs = t.table("springs", "between the reference point and the ground");
  for (std::size_t c = 0; c < compliances.size(); ++c) {
    if (!has_mean_motion(c, in.mesh().dimension(), in.kinds().of_revolution)) continue;
    if (!springs.present() || !springs.has(motion_names[c])) continue;
    compliances[c] = 1 / springs.number(motion_names[c],
                                        c < 3 ? "stiffness along this axis [N/m]; not given: none"
                                              : "stiffness against turning about this axis [N m/rad]; not given: none",
                                        {.above = 0, .out_of_bounds = ErrorKind::material_value});
    if (prescribed[c])
      t.error(ErrorKind::model_options, motion_names[c], fmt::format("'{}' was given with a spring", motion_names[c]),
              "the motion is prescribed, or a spring holds it", "omit one of them");
    prescribed[c] = 0;
  }
  return compliances;
}

Integral traction_on(const RelationInput& in, const Region& facets, const RemoteForce& load) {
  return traction_on(in.space(), facets, load, in.kinds().of_revolution).of_field(in.field());
}

}  // namespace ritz
