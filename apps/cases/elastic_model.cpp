#include "apps/cases/elastic_model.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

// Largest value in a region; formulas at the centres of cells, 0 without a value there (check_formulas reports it).
double largest(const Formula& poisson, const Mesh& mesh, const Region& region) try {
  if (poisson.is_number()) return poisson.number();
  const std::vector<double> values = at_centres(poisson, mesh, region);
  return values.empty() ? 0 : *std::ranges::max_element(values);
} catch (const Error&) { return 0; }

// Non-affine quadrilaterals, hexahedra and prisms of order >= 2 lock volumetrically: their mapped shape functions
// cannot represent incompressible fields.
bool locks_where_bent(CellKind kind) {
  const CellKind shape = traits(kind).linear;
  return shape == CellKind::quad4 || shape == CellKind::hex8 || shape == CellKind::prism6;
}

}  // namespace

void tell_locking(Run& run, const FunctionSpace& space, const PlaneModel& plane,
                  const std::vector<ElasticMaterial>& materials) {
  if (plane.type == "plane_stress") return;  // the thickness gives way
  const Mesh& mesh = space.mesh();
  for (const ElasticMaterial& m : materials) {
    const double poisson = largest(m.poisson, mesh, *m.region);
    if (poisson <= 0.49) continue;
    if (space.order() == 1) {
      run.log().notice(
          "Poisson's ratio above 0.49: linear cells become too stiff (volumetric locking); use [space] order = 2, or "
          "quadratic cells");
      return;
    }
    const Index bent = std::ranges::count_if(
        m.region->cells, [&](Index cell) { return locks_where_bent(mesh.kind_of(cell)) && !space.is_straight(cell); });
    if (bent > 0)
      run.log().notice(fmt::format(
          "Poisson's ratio {:g} in '{}': its {} bent quadrilaterals, hexahedra and prisms become too stiff near 0.5 "
          "(volumetric locking, "
          "docs/convergence.md says how much); "
          "compare with a finer mesh or a higher [space] order; triangles and tetrahedra of order 2 hardly do",
          poisson, m.region->name, bent));
  }
}

std::vector<ElasticMaterial> elastic_materials(Run& run, const Mesh& mesh, const std::string& about_density,
                                               std::optional<double> density_fallback) {
  Case& input = run.input();
  std::vector<ElasticMaterial> materials;
  std::vector<MaterialRegion> regions;
  for (const Case::Table& t : input.tables("material", "material of the cells")) {
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    const Formula young = t.formula("young", "Young's modulus [Pa]", {.above = 0, .out_of_bounds = Exit::model});
    const Formula poisson =
        t.formula("poisson", "Poisson's ratio; at 0.5 nothing can be compressed, which these elements cannot follow",
                  {.above = -1, .below = 0.5, .out_of_bounds = Exit::model});
    if (density_fallback) t.has("density");  // without weight not giving it is no value, in the resolved case either
    const Formula density =
        t.formula("density", about_density, {.fallback = density_fallback, .above = 0, .out_of_bounds = Exit::model});
    if (region == nullptr) continue;
    regions.push_back({region, t.where()});
    check_formulas(input, mesh, *region, std::array{young, poisson, density});
    materials.push_back({region, young, poisson, density});
  }
  add_material_errors(input, mesh, regions);
  return materials;
}

FormValue stiffness_form(const PlaneModel& plane, const ElasticMaterial& material) {
  if (!material.young.is_number() || !material.poisson.is_number()) {
    const std::vector<PointFunction> given = {material.young, material.poisson};
    if (plane.type == "solid") return {VaryingElasticity{}, given};
    if (plane.type == "plane_strain") return {VaryingPlaneElasticity<PlaneKind::strain>{plane.weight}, given};
    if (plane.type == "plane_stress") return {VaryingPlaneElasticity<PlaneKind::stress>{plane.weight}, given};
    return {VaryingPlaneElasticity<PlaneKind::axisymmetric>{}, given};
  }
  const Lame l = Lame::from(material.young.number(), material.poisson.number());
  if (plane.type == "solid") return Elasticity{l.lambda, l.mu};
  if (plane.type == "plane_strain") return PlaneElasticity::plane_strain(l, plane.weight);
  if (plane.type == "plane_stress") return PlaneElasticity::plane_stress(l, plane.weight);
  return AxisymmetricElasticity{l.lambda, l.mu};
}

std::vector<PrescribedValue> read_displacements(const Case::Table& from, const Mesh& mesh, bool only_zero) {
  const char* names[] = {"x", "y", "z"};
  std::vector<PrescribedValue> prescribed;
  for (const Case::Table& t : from.tables("displacement", "prescribed displacements")) {
    const Region* region =
        t.region("region", "facets, nodes or cells", mesh, {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
    const bool all = t.flag("fixed", "all components are zero", false);
    bool any = all;
    for (int c = 0; c < mesh.dimension(); ++c) {
      if (!t.has(names[c]) && !all) continue;
      const Formula value = t.formula(
          names[c], only_zero ? "0: this component is held; not given: free" : "this component [m]; not given: free",
          {.fallback = 0});
      if (only_zero && (!value.is_number() || value.number() != 0))
        t.error(names[c], fmt::format("the support moves by {}", value.text()),
                "modes vibrate about the state of rest: their supports do not move",
                fmt::format("write {} = 0, or omit it", names[c]));
      any = true;
      if (region != nullptr) prescribed.push_back({region, c, coefficient(value), t.where()});
    }
    if (!any) t.error("fixed", "this displacement prescribes nothing", {}, "give fixed = true, or one of x, y, z");
  }
  return prescribed;
}

std::vector<Node> nodes_on_axis(const PlaneModel& plane, const FunctionSpace& space) {
  if (!plane.axisymmetric) return {};
  const double tolerance = axis_tolerance(space.mesh());
  std::vector<Node> axis;
  for (Index node = 0; node < space.node_count(); ++node)
    if (space.point(static_cast<Node>(node))[0] <= tolerance) axis.push_back(static_cast<Node>(node));
  return axis;
}

RigidModes rigid_modes(const Mesh& mesh, const PlaneModel& plane) {
  return mesh.dimension() == 3 ? RigidModes::solid : plane.axisymmetric ? RigidModes::axisymmetric : RigidModes::plane;
}

}  // namespace ritz
