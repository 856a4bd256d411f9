// Sections, springs, masses, supports and loads of frames and shells, as a case says them.
#pragma once

#include "apps/cases/run.hpp"
#include "fem/physics/frames.hpp"
#include "fem/plugins/form_catalogue.hpp"

#include <vector>

namespace ritz {

// Cells with one element and one set of its parameters: what results are named after.
struct StructureSection {
  const Region* region;
  FormValue element;
  const FormRecord* record;
};

// [[section]], [[spring]] and [[mass]]. Errors are added to the case. The catalogue must outlive the sections.
std::vector<StructureSection> read_sections(Run& run, const Mesh& mesh, const FormCatalogue& catalogue,
                                            bool needs_density, Frames& frames);

// [[support]] of the case or of a load case. With `only_zero`, other values are errors.
void read_structure_supports(const Case::Table& from, const Mesh& mesh, bool only_zero, int components,
                             FrameLoads& loads);

// All loads of the case or of a load case.
void read_structure_loads(const Case::Table& from, const Mesh& mesh, FrameLoads& loads);
bool has_gravity(const Case::Table& from);

}  // namespace ritz
