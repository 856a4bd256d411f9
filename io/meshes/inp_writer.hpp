// A mesh as an Abaqus and CalculiX deck: nodes, elements, and all regions as *ELSET, *SURFACE and *NSET, for a model to
// be written around it. A coordinate has at most 20 characters, which is what CalculiX reads: 13 digits or more. Throws
// Error: Exit::output when the file cannot be written, and Error: Exit::mesh for cells that decks do not have: quad9,
// hex27, prism18, pyramid13 and pyramid14.
#pragma once

#include "mesh/mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

// `plane_type`: "CPS" (plane stress), "CPE" (plane strain) or "CAX" (axisymmetric). Names are made fit for decks
// (blanks and commas become "_", 80 characters); what was changed is said in `notices`.
void write_inp(const std::string& path, const Mesh& mesh, const std::string& plane_type = "CPS",
               std::vector<std::string>* notices = nullptr);

}  // namespace ritz
