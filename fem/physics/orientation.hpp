// The axes of a material in space: the same everywhere, around an axis, around a centre, or of each cell.
//
//   Orientation fibres = Orientation::along({1, 1, 0}, {0, 1, 0});
//   Orientation wound = Orientation::cylindrical({0, 0, 0}, {0, 0, 1});      // radial, hoop, axial
#pragma once

#include "fem/forms/point_function.hpp"
#include "fem/physics/stiffness_tensor.hpp"
#include "mesh/mesh.hpp"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace ritz {

class Orientation {
 public:
  // Axis 1 along `first`; axis 2 in the plane of both vectors, on the side of `other`. Throws Error: Exit::input where
  // they are parallel, or one is zero.
  static Orientation along(const Point& first, const Point& other);
  // Axes 1, 2, 3: radial, hoop, along `axis`. It has no value on the axis.
  static Orientation cylindrical(const Point& point, const Point& axis);
  // Axes 1, 2, 3: radial, along the meridian away from the pole, along the parallel. It has no value on the polar axis.
  static Orientation spherical(const Point& centre, const Point& pole);
  // A function of the position with the first two axes, which it makes perpendicular.
  using AxesAt = std::function<Axes(const Point&)>;
  static Orientation varying(AxesAt axes) { return Orientation(std::move(axes)); }

  bool is_constant() const { return constant_.has_value(); }
  const Axes& axes() const { return *constant_; }  // constant ones
  // Throws Error: Exit::model where there are none.
  Axes at(const Point& point) const;
  // The six coordinates of axes 1 and 2, as forms read them (fem/forms/material_axes.hpp).
  std::vector<PointFunction> functions() const { return functions_; }

 private:
  explicit Orientation(const Axes& axes);
  explicit Orientation(AxesAt axes);
  // In space, two vectors that are not parallel where `size` is a number; else on the axis of an orientation of a kind.
  using Direction = std::array<PointExpression, 3>;
  Orientation(const Direction& first, const Direction& second, const PointExpression& size, const char* kind);
  std::optional<Axes> constant_;
  AxesAt axes_;
  std::vector<PointFunction> functions_;
};

// The axes in the first cell of a region of cells; nothing without a cell, or where they have no direction there, which
// is added to the errors.
std::optional<Axes> axes_in_first_cell(const Orientation& orientation, const Mesh& mesh, const Region& region,
                                       ErrorList& errors);

}  // namespace ritz
