// The elastic stiffness of a material in Voigt's notation, and what is made of it on the host: of engineering
// constants, along turned axes, in plane stress. Order xx, yy, zz, xy, yz, xz with engineering shear strains. Jones,
// Mechanics of Composite Materials, 2nd ed. 1999, sections 2.2 to 2.6.
#pragma once

#include "fem/forms/material_axes.hpp"
#include "mesh/point_algebra.hpp"

#include <array>
#include <span>

namespace ritz {

// Engineering constants along three axes at right angles: nu12 is the contraction along 2 under tension along 1.
struct OrthotropicConstants {
  std::array<double, 3> young;    // E1, E2, E3 [Pa]
  std::array<double, 3> poisson;  // nu12, nu13, nu23
  std::array<double, 3> shear;    // G12, G13, G23 [Pa]
};

// Right-handed axes, unit vectors.
struct Axes {
  Point first{1, 0, 0}, second{0, 1, 0};
  Point third() const { return cross(first, second); }
  bool keeps_plane() const;  // does one of them stand across the plane z = const?
};

struct StiffnessTensor {
  using Six = std::array<double, 6>;
  std::array<Six, 6> c{};  // [Pa]

  static StiffnessTensor isotropic(double young, double poisson);
  static StiffnessTensor orthotropic(const OrthotropicConstants& constants);
  // 21 numbers in the order of Abaqus and CalculiX: D1111, D1122, D2222, D1133, D2233, D3333, D1112, D2212, D3312,
  // D1212, D1113, D2213, D3313, D1213, D1313, D1123, D2223, D3323, D1223, D1323, D2323.
  static StiffnessTensor anisotropic(std::span<const double, 21> numbers);
  std::array<double, 21> numbers() const;  // in that order

  bool positive_definite() const;
  StiffnessTensor from_axes(const Axes& axes) const;  // along the axes of space, where this one is along `axes`
  Six stress(const Six& strain) const;
  bool is_orthotropic() const;
  bool couples_plane() const;  // does shear across the plane z = const, or tension, cause the other?
  void put(double (&triangle)[Voigt::entries]) const;
};

// The free strain of a unit strain along one axis, as engineering strains along the axes of space.
StiffnessTensor::Six strain_along(const Point& axis);

}  // namespace ritz
