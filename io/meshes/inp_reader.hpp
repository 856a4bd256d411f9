// Abaqus and CalculiX input decks, read by our own parser: nodes, elements of all solid, plane, axisymmetric, shell,
// membrane, beam and truss types, sets and surfaces, *INCLUDE, parts and instances. The rest of the deck (materials,
// loads, steps) is ignored with a notice. docs/formats.md lists what becomes what. Throws Error: Exit::mesh with file
// and line.
#pragma once

#include "mesh/mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

MeshData read_inp(const std::string& path, std::vector<std::string>* notices = nullptr, bool structural = false);

}  // namespace ritz
