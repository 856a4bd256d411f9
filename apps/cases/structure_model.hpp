// Beams, bars, shells, springs and loads of a case of ritz-structure.
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/elements/beam.hpp"
#include "fem/space/constraints.hpp"
#include "fem/plugins/form_catalogue.hpp"

#include <array>
#include <string>
#include <vector>

namespace ritz {

// Cells with one element and one set of its parameters.
struct StructureSection {
  const Region* region;
  FormValue element;
  const FormRecord* record;
  double density = 0, mass = 0;  // [kg/m^3]; per length or area: density times area or thickness
  std::string where;
};

struct PointMass {
  std::vector<Node> nodes;        // of the mesh
  double mass;                    // of each [kg]
  std::array<double, 3> inertia;  // of each, about the axes [kg m^2]
};

struct StructureModel {
  std::vector<StructureSection> sections;
  std::vector<int> section_of;                         // [cell] -1: carries nothing, names a place
  std::vector<int> components_at;                      // [mesh node] unknowns that its elements know; 0: none
  bool linear = true;                                  // are all of its elements?
  bool lacks_elements = false;                         // a section names one that there is not
  int components = 3;                                  // of the space: 3, or 6 with rotations
  std::vector<Integral> stiffness;                     // sections, and springs to the ground
  std::vector<Integral> ground;                        // the springs of these
  std::vector<std::pair<const Region*, int>> springs;  // held elastically: region, component
  std::vector<PointMass> masses;
};

// The beam of a section whose element is one.
Beam beam_of(const StructureSection& section);

// [[section]], [[spring]] and [[mass]]. What is wrong is added to the case. Cells of surfaces must have a section;
// lines without one name places.
StructureModel read_sections(Run& run, const Mesh& mesh, const FormCatalogue& catalogue, bool needs_density);

// [[support]] of the case or of a load case. With `only_zero`, other values are errors.
std::vector<PrescribedValue> read_structure_supports(const Case::Table& from, const Mesh& mesh, int components,
                                                     bool only_zero = false);

const FunctionSpace& structure_space(Run& run, const Mesh& mesh, const StructureModel& model);

// The stiffness, what springs hold, and the facts of structures.
void fill_model(const FunctionSpace& space, const StructureModel& structure, Model& model);

// Kinetic energies of the sections and point masses. What is wrong is added to the case.
std::vector<Integral> inertia_of(Case& input, const StructureModel& model);

// Loads of the root or of a load case, and their parts along beams: the section forces of a beam are those of its nodes
// and of the load between.
struct StructureLoads {
  std::vector<Integral> integrals;
  std::vector<std::array<double, 3>> along;  // [cell] force per length; empty: none
};
StructureLoads read_structure_loads(const Case::Table& from, const Mesh& mesh, const StructureModel& model);
bool has_gravity(const Case::Table& from);

}  // namespace ritz
