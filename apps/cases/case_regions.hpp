// [[region]]: regions of the case file, by geometry or made of others.
//
//   [[region]]                            [[region]]
//   name = "tip"                          name = "skin"
//   kind = "facets"                       difference = ["outside", "tip"]
//   plane = {point = [1, 0, 0], normal = [1, 0, 0]}
#pragma once

#include "io/case/case.hpp"
#include "mesh/mesh.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

using MeshStep = std::function<Mesh(const Mesh&)>;  // a refinement, a change of the order of the cells

// The mesh after the steps, with the regions of the case. Facets and nodes that a condition finds before a step stay in
// their region as it divides them, since new nodes may lie on chords, beside the surface; those that it finds
// afterwards join. A node that a step adds does not join where it fails the `expression`. Cells are chosen by their
// centres at the end. What is wrong is added to the case.
struct CaseRegions {
  Mesh mesh;
  std::vector<std::string> lines, notices;  // for the log, a line for each region of the case or of more nodes
};
CaseRegions with_case_regions(const Case& input, Mesh mesh, std::span<const MeshStep> steps = {});

}  // namespace ritz
