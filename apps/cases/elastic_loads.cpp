#include "apps/cases/elastic_loads.hpp"

#include "apps/cases/formulas.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace ritz {
namespace {

// A total force: its components may depend on time, and not on the position.
std::vector<Formula> read_total_force(const Case::Table& t, int dimension) {
  const std::vector<Formula> value = t.formulas("value", "[N]; on facets formulas of t with [time]", dimension);
  for (const Formula& each : value)
    if (each.depends_on_position())
      t.error(ErrorKind::wrong_value, "value", fmt::format("'{}' depends on the position", each.text()),
              "it is the force in total", "give numbers or formulas of t, or a [[traction]]");
  return value;
}

}  // namespace

void read_displacements(const Case::Table& from, const Mesh& mesh, int components, bool only_zero, ElasticLoads& loads,
                        std::vector<ObliqueSupport>* oblique) {
  const char* names[] = {"x", "y", "z"};
  for (const Case::Table& t : from.tables("displacement", "prescribed displacements")) {
    const Region* region =
        t.region("region", "facets, nodes or cells", mesh, {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
    const bool all = t.flag("fixed", "all components are zero, but for those given", false);
    bool any = all;
    for (int c = 0; c < components; ++c) {
      if (!t.has(names[c]) && !all) continue;
      const Formula value = t.formula(
          names[c], only_zero ? "0: this component is held; not given: free" : "this component [m]; not given: free",
          {.fallback = 0});
      if ((only_zero || c >= mesh.dimension()) && (!value.is_number() || value.number() != 0))
        t.error(ErrorKind::modal_options, names[c], fmt::format("the support moves by {}", value.text()),
                "modes vibrate about the state of rest: their supports do not move",
                fmt::format("write {} = 0, or omit it", names[c]));
      any = true;
      loads.displacement(region, c, coefficient(value), t.where());
    }
    any = read_oblique_supports(t, region, mesh, only_zero, oblique) || any;
    if (!any)
      t.error(ErrorKind::prescribes_nothing, "fixed", "this displacement prescribes nothing", {},
              oblique == nullptr ? "give fixed = true, or one of x, y, z"
                                 : "give fixed = true, or one of x, y, z, normal, direction, cylindrical");
  }
}

bool read_gravity(const Case::Table& from, int dimension, ElasticLoads& loads) {
  const Case::Table table = from.table("gravity", "weight of the body; needs densities");
  if (!table.present()) return false;
  loads.gravity(table.vector("acceleration", "gravitational acceleration [m/s^2]", {.size = dimension}),
                table.where("acceleration"));
  return true;
}

void read_force_on_body(const Case::Table& t, const Mesh& mesh, ElasticLoads& loads) {
  if (mesh.dimension() < 3) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    return loads.force(region, coefficients(read_total_force(t, mesh.dimension())), t.where("value"));
  }
  const Region* region =
      t.region("region", "facets, or nodes in equal parts", mesh, {RegionKind::facets, RegionKind::nodes});
  const std::vector<Formula> formulas = read_total_force(t, 3);
  const auto varying = std::ranges::find_if(formulas, [](const Formula& f) { return !f.is_number(); });
  const std::vector<Coefficient> value = coefficients(formulas);
  const bool each = t.flag("each", "at each node of a region of nodes, instead of in total", false);
  VectorRule point{.size = 3};
  const bool has_point = t.has("at");
  if (!has_point) point.fallback = std::vector<double>(3, 0.0);
  const std::vector<double> at = t.vector(
      "at",
      "point at which the force acts [m]; not given: the centre of the facets. The traction is linear over the "
      "facets, and has this force and moment",
      point);
  const std::vector<double> moment =
      t.vector("moment", "moment in total, likewise [N m]", {.size = 3, .fallback = std::vector<double>(3, 0.0)});
  const bool is_remote = has_point || std::ranges::any_of(moment, [](double each_part) { return each_part != 0; });
  if (each && region != nullptr && region->kind == RegionKind::facets)
    t.error(ErrorKind::model_options, "each", fmt::format("'each' on '{}', a region of facets", region->name),
            "it counts nodes", "name a region of nodes, or omit it");
  else if ((is_remote || (region != nullptr && region->kind == RegionKind::nodes)) && varying != formulas.end())
    t.error(ErrorKind::wrong_value, "value", fmt::format("'{}' depends on t", varying->text()),
            "a force at nodes or at a point is constant",
            "let it act on facets without 'at' and 'moment', or give numbers");
  else if (is_remote) {
    RemoteForce remote{.force = {value[0].number(), value[1].number(), value[2].number()},
                       .moment = {moment[0], moment[1], moment[2]}};
    if (has_point) remote.at = {at[0], at[1], at[2]};
    loads.remote_force(region, remote, t.where("value"));
  } else if (each) loads.force_at_each(region, value, t.where("value"));
  else loads.force(region, value, t.where("value"));
}

void read_densities_on_body(const Case::Table& from, const Mesh& mesh, ElasticLoads& loads) {
  const int dimension = mesh.dimension();
  for (const Case::Table& t : from.tables("body_force", "force per volume")) {
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    loads.body_force(region, coefficients(t.formulas("value", "[N/m^3]", dimension)), t.where("region"));
  }
  for (const Case::Table& t : from.tables("traction", "force per area")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    loads.traction(region, coefficients(t.formulas("value", "[Pa]", dimension)), t.where("region"));
  }
}

void read_pressure_on_body(const Case::Table& t, const Mesh& mesh, ElasticLoads& loads) {
  const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
  const Coefficient value = coefficient(t.formula("value", "[Pa]"));
  const bool follows = t.flag(
      "follows",
      "the surface, with large_displacement: it turns with it and acts on its deformed area; false: it keeps the "
      "direction and the area of the undeformed one",
      true);
  loads.pressure(region, value, t.where("region"), t.has("follows") ? std::optional(follows) : std::nullopt);
}

void read_loads_on_body(const Case::Table& from, const Mesh& mesh, ElasticLoads& loads) {
  read_densities_on_body(from, mesh, loads);
  for (const Case::Table& t : from.tables("force", "force in total: spread over facets, or at nodes of solids"))
    read_force_on_body(t, mesh, loads);
  for (const Case::Table& t : from.tables("pressure", "pressure, positive into the body"))
    read_pressure_on_body(t, mesh, loads);
}

}  // namespace ritz
