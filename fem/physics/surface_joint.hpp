// Joints of beams or shells with solids that are written by hand: nodes of sections that follow facets, wherever these
// are, or facets that are rigid and follow one node. Private to fem/physics.
#pragma once

#include "device/function_ref.hpp"
#include "fem/physics/model.hpp"

#include <functional>

namespace ritz {

struct SurfaceJoint {
  On nodes, facets;  // of sections, of solids
  bool is_rigid;     // the facets follow the node; else the nodes follow the mean motion of the facets, which deform
  std::string origin;
};

struct FoundSurfaceJoint {
  LinearEquations equations = {};  // with the numbers that joined(solids, frames) gives to fields
  std::vector<Node> nodes = {};    // of the mesh
  std::vector<Joint> list = {};
};
// turns(node of the mesh): does it know rotations? What is wrong is added to `errors`.
FoundSurfaceJoint found(const SurfaceJoint& joint, const FunctionSpace& solids, const FunctionSpace& frames,
                        FunctionRef<bool(Node)> turns, ErrorList& errors);

}  // namespace ritz
