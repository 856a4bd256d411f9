// Every cell needs exactly one material.
#pragma once

#include "mesh/mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

struct MaterialRegion {
  const Region* region;  // cells
  std::string where;     // "[[material]] #1 at case.toml:5"
};

// Adds Error(Exit::model) for cells without a material and for cells with two.
void check_materials(const Mesh& mesh, const std::vector<MaterialRegion>& materials, ErrorList& errors);

}  // namespace ritz
