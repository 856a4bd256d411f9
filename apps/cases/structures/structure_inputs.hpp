// Sections, springs, masses, supports and loads of frames and shells, as a case says them.
#pragma once

#include "apps/cases/run.hpp"
#include "device/function_ref.hpp"
#include "fem/physics/frames.hpp"
#include "fem/plugins/form_catalogue.hpp"

#include <functional>
#include <vector>

namespace ritz {

// Cells with one element and one set of its parameters: what results are named after.
struct StructureSection {
  const Region* region;
  FormValue element;
  std::shared_ptr<const FormRecord> record;  // with its catalogue
};

// [[section]], [[spring]] and [[mass]]. Errors are added to the case.
std::vector<StructureSection> read_sections(Run& run, const Mesh& mesh,
                                            const std::shared_ptr<const FormCatalogue>& catalogue, bool needs_density,
                                            Frames& frames);

// [[support]] of the case or of a load case. With `only_zero`, other values are errors.
void read_structure_supports(const Case::Table& from, const Mesh& mesh, bool only_zero, int components,
                             FrameLoads& loads);

// One [[support]]: hold(component, value) for each that it prescribes. A rotation of fewer than six components is an
// error, for this reason.
void read_support(const Case::Table& t, bool only_zero, int components, const char* why_no_rotations,
                  FunctionRef<void(int component, const Coefficient& value)> hold);

void read_force_on_structure(const Case::Table& t, const Mesh& mesh, FrameLoads& loads);  // one [[force]]
void read_pressure_on_shells(const Case::Table& t, const Mesh& mesh, FrameLoads& loads);  // one [[pressure]]
void read_densities_on_structure(const Case::Table& from, const Mesh& mesh,
                                 FrameLoads& loads);           // on lines, on surfaces
void read_weight(const Case::Table& from, FrameLoads& loads);  // [gravity]
// All loads of the case or of a load case.
void read_structure_loads(const Case::Table& from, const Mesh& mesh, FrameLoads& loads);
bool has_gravity(const Case::Table& from);

}  // namespace ritz
