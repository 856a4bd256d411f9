// Place of a greatest stress: at sharp inner edges, ends of clamped supports and loads on points or lines it grows
// with every finer mesh, and says nothing about the part.
//
//   if (const std::string place = singular_place(mesh, model, node); !place.empty()) ...
#pragma once

#include "fem/physics/model.hpp"

#include <string>

namespace ritz {

// "the end of a support", "a load on a point or a line", "a spring at nodes", "a sharp inner edge" in the cells around
// a node of a solid or plane mesh; empty: none of them.
std::string singular_place(const Mesh& mesh, const Model& model, Node node);

}  // namespace ritz
