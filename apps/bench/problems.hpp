// The problems of the benchmark: unit cubes for the Laplacian and a cantilever for elasticity, in the definitions that
// the programs against other codes use, so that figures can be compared.
#pragma once

#include "fem/operator/integral.hpp"
#include "mesh/mesh.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ritz {

struct Problem {
  std::string name;  // "tet-P1"; tasks put their own name in front
  CellKind kind;
  Index n;         // cubes per unit length at size 1
  int components;  // 1: Laplacian on the unit cube; 3: elasticity on [0,4] x [0,1] x [0,1], E = 1000, nu = 0.3
  bool deformed;   // x += s, y += s, z += s with s = 0.1 sin(pi x) sin(pi y) sin(pi z), edges straight
};

const std::vector<Problem>& problems();
Index scaled_count(Index n, double size);                 // at least 2
MeshData mesh_data(const Problem& problem, double size);  // 6 tetrahedra per cube
FormValue form_of(const Problem& problem);
std::vector<Node> fixed_nodes(const Problem& problem, const Mesh& mesh);  // the whole boundary, or x = 0

}  // namespace ritz
