#include "apps/cases/vibration_case.hpp"

#include "apps/cases/elastic_case.hpp"
#include "apps/cases/plugins.hpp"
#include "apps/cases/structure_model.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace ritz {
namespace {

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
  return run.input().tables("section", about).empty() ? read_elastic_vibration(run) : read_frames(run);
}

}  // namespace ritz
