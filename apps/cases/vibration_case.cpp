#include "apps/cases/vibration_case.hpp"

#include "apps/cases/elastic_model.hpp"
#include "apps/cases/plugins.hpp"
#include "apps/cases/structure_model.hpp"
#include "apps/results/region_integral.hpp"
#include "fem/forms/mass.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace ritz {
namespace {

FormValue mass_form(const PlaneModel& plane, const Mesh& mesh, const Formula& given) {
  if (!given.is_number()) {
    if (mesh.dimension() == 3) return {VaryingMass<3>{}, {given}};
    if (plane.axisymmetric) return {VaryingMass<2, true>{plane.weight}, {given}};
    return {VaryingMass<2>{plane.weight}, {given}};
  }
  const double density = given.number();
  if (mesh.dimension() == 3) return Mass<3, 3>{density};
  if (plane.axisymmetric) return Mass<2, 2, true>{density, plane.weight};
  return Mass<2, 2>{density, plane.weight};
}

// Density times volume by quadrature over the mesh alone; for a body of revolution 2 pi times the integral of the
// radius.
double mass_of_the_mesh(const Mesh& mesh, const PlaneModel& plane, const std::vector<ElasticMaterial>& materials) {
  Field radius{"radius", 1, std::vector<double>(static_cast<std::size_t>(mesh.node_count()), 1.0)};
  if (plane.axisymmetric)
    for (Index node = 0; node < mesh.node_count(); ++node)
      radius.values[static_cast<std::size_t>(node)] = mesh.point(node)[0];
  double sum = 0;
  for (const ElasticMaterial& m : materials)
    sum += m.density.number() * plane.weight * integrate(mesh, *m.region, radius, FieldComponent{1, 0}).integrals[0];
  return sum;
}

CaseModel read_bodies(Run& run) {
  const Mesh& mesh = run.mesh();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const PlaneModel plane = plane_model(run, mesh, {"plane_strain", "plane_stress", "axisymmetric"}, "");
  const std::vector<ElasticMaterial> materials = elastic_materials(run, mesh, "[kg/m^3]", {});
  CaseModel read;
  Model& model = read.model;
  for (const ElasticMaterial& m : materials) {
    model.equations.push_back(Integral::over(stiffness_form(plane, m), *m.region));
    model.inertia.push_back(Integral::over(mass_form(plane, mesh, m.density), *m.region));
  }
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, mesh.dimension());
  phase.emplace(run.device().profile(), "model");
  tell_locking(run, space, plane, materials);
  model.space = borrowed(space);
  model.supports = read_displacements(run.input().root(), mesh, true);
  model.held_on_axis = nodes_on_axis(plane, space);
  model.rigid = rigid_modes(mesh, plane);
  make_supports(run.input(), read);
  if (std::ranges::all_of(materials, [](const ElasticMaterial& m) { return m.density.is_number(); }))
    read.mass = [&mesh, plane, materials] { return mass_of_the_mesh(mesh, plane, materials); };
  return read;
}

CaseModel read_frames(Run& run) {
  const Mesh& mesh = run.mesh(true);
  const FormCatalogue catalogue(run.device(), load_plugins(run));
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const StructureModel structure = read_sections(run, mesh, catalogue, true);
  CaseModel read;
  Model& model = read.model;
  model.supports = read_structure_supports(run.input().root(), mesh, structure.components, true);
  phase.reset();
  const FunctionSpace& space = structure_space(run, mesh, structure);
  phase.emplace(run.device().profile(), "model");
  fill_model(space, structure, model);
  model.inertia = inertia_of(run.input(), structure);
  make_supports(run.input(), read);
  return read;
}

}  // namespace

CaseModel read_vibration(Run& run) {
  const char* about = "sections of a structure: beams, bars, springs, shells; without any, bodies with materials";
  return run.input().tables("section", about).empty() ? read_bodies(run) : read_frames(run);
}

}  // namespace ritz
