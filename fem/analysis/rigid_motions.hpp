// Rigid motions that an analysis adds to a solution must cost no energy. Fields of a lower order than that of bent
// cells do not hold rigid rotations. Private to fem/analysis.
#pragma once

#include "fem/operator/equations.hpp"

#include <span>
#include <string>
#include <vector>

namespace ritz {

// motions: [motion][unknown], of the whole model, as its equations are. Throws Error: Exit::model for one that strains
// the body, with `origin` as its place if it has one.
void require_rigid(const Equations& equations, std::span<const std::vector<double>> motions, const std::string& origin);

}  // namespace ritz
