#include "apps/cases/modal_input.hpp"

#include "apps/cases/elastic_model.hpp"
#include "apps/cases/plugins.hpp"
#include "apps/cases/structure_model.hpp"
#include "apps/results/region_integral.hpp"
#include "apps/sweep/shared_model.hpp"
#include "fem/forms/mass.hpp"
#include "fem/operator/untouched_unknowns.hpp"

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

int rigid_motions_of(const Constraints& held, RigidModes modes) {
  int count = 0;
  for (const FreePart& part : free_parts(held, modes)) count += static_cast<int>(part.motions.size());
  return count;
}

}  // namespace

ModalInput read_bodies(Run& run) {
  const Mesh& mesh = run.mesh();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const PlaneModel plane = plane_model(run, mesh, {"plane_strain", "plane_stress", "axisymmetric"}, "");
  const std::vector<ElasticMaterial> materials = elastic_materials(run, mesh, "[kg/m^3]", {});
  std::vector<Integral> elastic, inertial;
  for (const ElasticMaterial& m : materials) {
    elastic.push_back(Integral::over(stiffness_form(plane, m), *m.region));
    inertial.push_back(Integral::over(mass_form(plane, mesh, m.density), *m.region));
  }
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, mesh.dimension());
  phase.emplace(run.device().profile(), "model");
  tell_locking(run, space, plane, materials);
  Constraints fixed(space);
  read_supports(run, mesh, plane, fixed, true);
  const int rigid_motions = rigid_motions_of(fixed, rigid_modes(mesh, plane));
  return {&space,
          std::move(elastic),
          std::move(inertial),
          std::move(fixed),
          {.rigid_motions = rigid_motions, .axisymmetric = plane.axisymmetric},
          [&mesh, plane, materials](const VibrationModes& modes) {
            const bool uniform =
                std::ranges::all_of(materials, [](const ElasticMaterial& m) { return m.density.is_number(); });
            return uniform ? mass_of_the_mesh(mesh, plane, materials) : modes.total_mass.front();
          }};
}

ModalInput read_frames(Run& run) {
  const Mesh& mesh = run.mesh(true);
  const FormCatalogue catalogue(run.device(), load_plugins(run));
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  StructureModel model = read_structure(run, mesh, catalogue, true);
  const std::vector<Prescription> supports = read_structure_supports(run.input().root(), mesh, model.components, true);
  phase.reset();
  const FunctionSpace& space = structure_space(run, mesh, model);
  phase.emplace(run.device().profile(), "model");
  Constraints fixed(space);
  for (const Prescription& p : supports) prescribe(fixed, *p.region, p.component, p.value, p.source);
  hold_untouched(touched_unknowns(space, model.stiffness), fixed);
  std::vector<Integral> inertial = inertia_of(run.input(), model);
  const int rigid_motions =
      model.sections.empty() ? 0 : rigid_motions_of(held_by(space, supports, model), RigidModes::solid);
  return {&space,
          std::move(model.stiffness),
          std::move(inertial),
          std::move(fixed),
          {.rigid_motions = rigid_motions},
          [](const VibrationModes& modes) { return modes.total_mass.front(); }};
}

}  // namespace ritz
