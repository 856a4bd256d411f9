// Fields of the results as functions of the quantities that forms derive at a node or in a cell, and the derivatives of
// these functions.
//
//   const DerivedResult stress{{"stress", 6}, 6};     // numbers 6 to 11 of those that the form derives
//   by_derived = back(stress, derived, 12, by_stress);
#pragma once

#include "io/vtk/vtu_writer.hpp"

#include <span>
#include <string>
#include <vector>

namespace ritz {

enum class StressMeasure { none, von_mises, principal };  // of the symmetric tensor there

struct DerivedResult {
  Field field;    // its name and components, without values
  int first = 0;  // of its numbers, or of the tensor's, among those that are derived
  StressMeasure measure = StressMeasure::none;
  std::string form = {};    // that derives them; by default all forms on cells
  bool is_in_cells = true;  // the results have it in cells, too

  bool is_linear() const { return measure == StressMeasure::none; }
};

// [place][component of the field] from [place][derived].
std::vector<double> values_of(const DerivedResult& result, std::span<const double> derived, int components);
// [place][derived] dJ/d(derived) from [place][component of the field] dJ/d(values). Throws Error: Exit::model where the
// field has no derivative: von Mises' stress of zero, principal stresses that are equal.
std::vector<double> back(const DerivedResult& result, std::span<const double> derived, int components,
                         std::span<const double> by_values);

}  // namespace ritz
