// `ritz size`: what a model of so many unknowns takes of a GPU, without a mesh.
#pragma once

#include "device/machine.hpp"

#include <string>

namespace ritz {

struct SizeQuestion {
  double unknowns = 0;
  std::string physics = "elasticity", cell = "tet10";  // elasticity or heat; a cell kind
  int order = 0;                                       // of [space]; 0: the cell's own
  int ranks = 1;                                       // that solve it together
};

// A box of such cells is laid out and forecast; bytes grow with the unknowns. Throws Error: Exit::input.
std::string answer(const SizeQuestion& question);

}  // namespace ritz
