// Points, directions and axes as tables of a case give them, padded to three numbers.
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/physics/oblique_support.hpp"

#include <optional>
#include <vector>

namespace ritz {

Point padded(const std::vector<double>& v);
std::vector<double> zeros_of(int size);
// A vector that need not be given.
std::optional<Point> optional_point(const Case::Table& t, const char* key, const char* about, int dimension);
CylindricalAxes read_axes(const Case::Table& t, int dimension);

}  // namespace ritz
