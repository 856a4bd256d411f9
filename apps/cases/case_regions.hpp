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
#include <string>

namespace ritz {

// The mesh with the regions of the case. What is wrong is added to the case; `say` gets a line for each region.
Mesh with_case_regions(const Case& input, Mesh mesh, const std::function<void(const std::string&)>& say = {});

}  // namespace ritz
