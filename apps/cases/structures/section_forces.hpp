// Forces in beams, bars and shells, and what elements keep, as fields of cells.
#pragma once

#include "apps/cases/fields_of_motion.hpp"
#include "apps/cases/structures/structure_inputs.hpp"
#include "fem/operator/operator.hpp"
#include "io/vtk/vtu_writer.hpp"

namespace ritz {

// One field for each kind of element that has such results (FormRecord::derives), zero in the cells of others. `along`:
// force per length [cell] of loads on beams. Their largest magnitudes are printed and recorded.
std::vector<Field> section_forces(Run& run, const Operator& equations, const std::vector<StructureSection>& sections,
                                  const std::vector<Vector3>& along, const Vector& u);

// The same, which prints and records nothing.
std::vector<Field> section_forces_of(Run& run, const Operator& equations, const std::vector<StructureSection>& sections,
                                     const std::vector<Vector3>& along, const Vector& u);

// Those of motions about a state, by these forms of the stiffness.
FieldsOfMotion section_forces_of_motion(const FunctionSpace& space, const std::vector<Integral>& equations,
                                        std::vector<StructureSection> sections);

// Their names, numbers of components, and the cells that have them.
std::vector<Field> section_force_names(const std::vector<StructureSection>& sections, Index cell_count);

}  // namespace ritz
