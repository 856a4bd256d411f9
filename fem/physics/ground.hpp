// Elastic ground of a body: foundations under facets, and springs from nodes to the ground. ElasticBody takes both.
//
//   body.foundation("base", {.normal = 5e7});                 // a subgrade of 50 MN/m^3
//   body.spring("feet", {.stiffness = {0, 0, 1e6}});          // shared by the nodes of a region
#pragma once

#include "fem/physics/model.hpp"

#include <array>
#include <optional>

namespace ritz {

// Stiffnesses of the ground under facets, per area [N/m^3]. Those along the axes add to the other two.
struct Foundation {
  Coefficient normal = 0, tangential = 0;
  std::array<Coefficient, 3> along = {0, 0, 0};  // x, y, z
  bool only_presses = false;                     // does not pull; along the normal alone. The model becomes nonlinear
  std::string origin = {};
};

// Stiffness in plane models is that for their thickness, in bodies of revolution that of whole rings; along z there is
// none in both.
struct GroundSpring {
  std::array<double, 3> stiffness;  // along x, y, z [N/m]
  bool each = false;                // of each node; else of all of them together, in equal parts
  std::string origin = {};
  // Instead along a direction from the nodes to the ground, of any length, with the stiffness `along` [N/m].
  std::optional<Point> direction = {};
  double along = 0;
  bool only_presses = false;  // does not pull; along a direction alone. The model becomes nonlinear
};

// Add their integral to the equations and the exchanges of the model, and what they hold. Errors of the inputs are
// added to `errors`.
template <int G>
void add_foundation(const On& facets, const Foundation& input, const BodyMeasure& measure, Model& model,
                    ErrorList& errors);
void add_spring(const On& nodes, const GroundSpring& input, Model& model, ErrorList& errors);

}  // namespace ritz
