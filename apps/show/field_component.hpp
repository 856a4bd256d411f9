// The part of a field that a probe takes: one component by name or number, the magnitude of a vector, or all
// components.
//
//   FieldComponent component = component_named(field, "magnitude");   // Error with the valid names when there is none
#pragma once

#include "io/vtk/vtu_writer.hpp"

#include <string>
#include <vector>

namespace ritz {

struct FieldComponent {
  static constexpr int all = -1, magnitude = -2;
  int components = 1;  // of the field
  int which = all;

  int size() const { return which == all ? components : 1; }  // numbers that come out
  void select(const double* values, double* out) const;       // [components] -> [size()]
};

// "x y z" for vectors, "xx yy zz xy yz xz" for symmetric tensors, or the field's own; lower case.
std::vector<std::string> component_names(const Field& field);

// Two or three components without names of their own: it points in a direction, and has a magnitude.
bool is_vector(const Field& field);

// `name`: "all", a component's name in any case, "magnitude" of a vector, or a number from 0.
// Throws Error: Exit::input with the valid names and the nearest match.
FieldComponent component_named(const Field& field, const std::string& name);

// Components first ... first + count - 1 of values [point][components].
std::vector<double> part_of(const std::vector<double>& values, int components, int first, int count);

// The field of that name. Throws Error: Exit::input with the valid names and the nearest match.
const Field& field_named(std::span<const Field> fields, const std::string& name);

}  // namespace ritz
