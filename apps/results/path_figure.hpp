// The figures of a path on the page of a run: each field over the distance, and the parts of its linearised stress.
#pragma once

#include "apps/results/path.hpp"
#include "apps/show/page.hpp"
#include "apps/show/units.hpp"

#include <vector>

namespace ritz {

std::vector<PageFigure> figures_of(const PathResult& path, const Units& units);

}  // namespace ritz
