// `ritz new MESH`: a case file with the regions of a mesh. Values that only its author knows are "FILL IN", which every
// program refuses with the names that are valid there.
#pragma once

#include <string>
#include <vector>

namespace ritz {

struct NewCase {
  std::string mesh, to;  // to: empty for the mesh's name with .toml, beside it
  std::string program;   // "elasticity", "heat", "modal", "structure"; empty: by the cells of the mesh
  std::string material;  // of the library; empty: to be filled in
  double scale = 0;      // of [mesh]; 0: said in a comment
  bool overwrite = false;
};

std::vector<std::string> programs_of_new_cases();

// Writes the case and returns a line of what was written. Throws Error for a mesh that cannot be read, an unknown
// material and a file that exists.
std::string new_case(const NewCase& question);

}  // namespace ritz
