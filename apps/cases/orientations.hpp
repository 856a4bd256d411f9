// [[orientation]]: axes of materials, by names that materials use.
//
//   [[orientation]]                       [[material]]
//   name = "fibres"                       region = "ply"
//   axis1 = [1, 1, 0]                     orientation = "fibres"
//   axis2 = [0, 1, 0]                     conductivity_along = [7, 0.8, 0.8]
#pragma once

#include "fem/physics/orientation.hpp"
#include "io/case/case.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

namespace ritz {

using Orientations = std::map<std::string, std::optional<Orientation>>;  // by name; none: its error was said

// Errors are added to the case.
Orientations read_orientations(Case& input, int dimension);
// The key `orientation` of a material.
std::optional<Orientation> named_orientation(const Case::Table& t, const Orientations& all);

// A list of N numbers, such as one along each axis.
template <std::size_t N>
std::array<double, N> numbers(const Case::Table& t, const char* key, const char* about, VectorRule rule = {}) {
  rule.size = N;
  const std::vector<double> given = t.vector(key, about, rule);
  std::array<double, N> result{};
  std::copy_n(given.begin(), std::min(given.size(), N), result.begin());
  return result;
}

}  // namespace ritz
