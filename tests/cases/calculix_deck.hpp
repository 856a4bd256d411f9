// A mesh of ours as an input deck of CalculiX, solved by its executable ccx: an oracle that shares no code with Ritz.
// Node orders of VTK and of CalculiX agree for these cells. Results come back with the seven digits that ccx prints.
//
//   Deck deck{.mesh = &mesh, .element = "C3D10", .material = "*ELASTIC\n1,0.3", .step = "*STATIC",
//             .outputs = {"U", "RF"}};
//   deck.supports.push_back({node, 1, 0.0});
//   std::vector<double> u = solve_with_calculix(deck).at("displacements");
#pragma once

#include "mesh/mesh.hpp"

#include <map>
#include <string>
#include <vector>

namespace ritz::test {

struct Deck {
  struct Support {
    Node node;
    int unknown;  // 1, 2, 3: displacements; 11: temperature
    double value;
  };
  const Mesh* mesh;
  std::string element, material, step;
  std::vector<Support> supports;
  std::string load;                  // cards of the step, such as "*DLOAD\nEALL,GRAV,9.81,0,0,-1"
  std::vector<std::string> outputs;  // U, RF, NT, RFL
};

bool has_calculix();

// "displacements", "forces", "temperatures", "heat generation" -> [node][component]. Throws std::runtime_error with
// what ccx said when it fails.
std::map<std::string, std::vector<double>> solve_with_calculix(const Deck& deck);

// Results of a deck whose step is *FREQUENCY: omega^2, ascending.
std::vector<double> eigenvalues_of_calculix(const Deck& deck);

}  // namespace ritz::test
