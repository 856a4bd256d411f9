#include "apps/cases/point_inputs.hpp"
#include "apps/cases/reference_point.hpp"
#include "fem/elements/loads.hpp"
#include "fem/elements/plane_node.hpp"

#include <fmt/format.h>
#include <memory>
#include <tuple>

namespace ritz {
namespace {

void add_nodal_force(const RelationInput& in, const NodalForce& f, std::vector<Integral>& equations) {
  const auto add = [&](FormValue form) {
    equations.push_back(Integral::at_nodes(std::move(form), {f.mesh_node}).of_field(in.field()));
  };
  if (in.space().components() == 2) add(PlaneNodeLoad{{f.force[0], f.force[1]}});
  else if (in.space().components() == 3) add(NodeLoad<3>{{f.force[0], f.force[1], f.force[2]}, {}});
  else add(NodeLoad<6>{{f.force[0], f.force[1], f.force[2]}, {f.moment[0], f.moment[1], f.moment[2]}});
}

// On facets as a traction with this force and moment, for fields of any order; else at nodes.
void add_force(const RelationInput& in, const Region& region, const RigidRegion& rigid,
               const std::array<double, 3>& force, const std::array<double, 3>& moment,
               std::vector<Integral>& equations) {
  if (region.kind != RegionKind::facets || in.mesh().structural() || in.mesh().dimension() == 2) {
    for (const NodalForce& each : rigid.forces(force, moment)) add_nodal_force(in, each, equations);
    return;
  }
  equations.push_back(traction_on(in, region, {.force = force, .moment = moment, .at = rigid.reference()}));
}

}  // namespace

void read_rigid(const Case::Table& t, RelationInput& in) {
  const Region* region = t.region("region", "facets, nodes or cells", in.mesh(),
                                  {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
  const int dimension = in.mesh().dimension();
  RigidOptions options{.acting = in.acting(), .of_revolution = in.kinds().of_revolution, .origin = t.where()};
  options.reference =
      optional_point(t, "reference", "the reference point [m]; not given: the mean of the nodes", dimension);
  for (int c = 0; c < 6; ++c) {
    if (dimension == 2 && c != 0 && c != 1 && c != 5) continue;
    std::optional<double> value = motion_of(t, c);
    if (in.kinds().of_revolution && c != 1) {
      if (value && *value != 0)
        t.error(ErrorKind::relation, motion_names[static_cast<std::size_t>(c)],
                "a rigid region of a body of revolution moves along its axis",
                "a radial motion or a tilt strains a ring", "give y, or omit it");
      value = std::nullopt;
    }
    if (value && in.kinds().at_rest && !in.run().step().continues() && *value != 0)
      in.refuse_motion(t, motion_names[static_cast<std::size_t>(c)], *value);
    (c < 3 ? options.displacement : options.rotation)[static_cast<std::size_t>(c % 3)] = value;
  }
  const auto holds = [&](std::size_t c) { return options.rotation[c] == 0.0; };
  if (in.kinds().large && !in.kinds().of_revolution && !(holds(2) && (dimension == 2 || (holds(0) && holds(1)))))
    t.error(ErrorKind::law_kinematics, "rz", "a rigid region that may turn, with large displacements",
            "its equations are those of small rotations, which would stretch it",
            dimension == 2 ? "hold its rotation, rz = 0" : "hold its rotations, rx = 0, ry = 0, rz = 0");
  Point force{}, moment{};
  if (dimension == 3 && takes_loads(in)) std::tie(force, moment) = loads_of(t, in);
  const PointMass mass = mass_of(t, in);
  if (!in.moves(t, "a rigid region") || region == nullptr) return;
  in.attempt([&] {
    auto rigid = std::make_shared<const RigidRegion>(in.space(), *region, options);
    in.run().log().line("rigid region '{}': {} unknowns follow {}", region->name, rigid->equations().size(),
                        rigid->parameter_count());
    if (acts(force) || acts(moment)) add_force(in, *region, *rigid, force, moment, in.model().equations);
    weigh(mass, in, [&](const Point& weight, std::vector<Integral>& loads) {
      add_force(in, *region, *rigid, weight, {}, loads);
    });
    attach(t, in, mass, {}, {}, [&](std::size_t c) { return rigid->terms(c); });
    in.keep(rigid->equations());
    in.add_moved({.kind = "rigid",
                  .sentence = fmt::format("rigid region '{}': its reference point moves by", region->name),
                  .region = region->name,
                  .motion = [rigid](std::span<const double> u) { return rigid->motion(u); },
                  .field = in.field()});
  });
}

}  // namespace ritz
