// The section of a shell: the energy of its strains and the section forces, isotropic, with small
// displacements.
#pragma once

#include "fem/elements/vectors.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/forms/whole_element.hpp"

namespace ritz {

// Strains e: membrane xx yy xy, curvature xx yy xy, shear xz yz, and twice the rotation about the normal against that
// of the membrane (Hughes and Brezzi, CMAME 72 (1989) 105); in local axes, z along the normal. The rotation about the
// normal of a facet bends a neighbour at an angle. With a small stiffness alone, a shell of the curvature 1/R would
// bend too easily by about (t/R)^2 / (4 drilling), however fine the mesh. e[8], at the points, has the small stiffness
// `drilling`, which prevents patterns alone. e[9] has that of shear times a factor of the element that grows as the
// size h of the facets falls below t, so that the limit of refinement does not depend on `drilling`.
struct ShellSection {
  static constexpr const char *unknown = "displacement", *derives = "shell_force";
  static constexpr const char* derived_names = "Nx Ny Nxy Mx My Mxy Qx Qy";  // per length, in the middle of the facet
  static constexpr int components = 6, strains = 10, derived = 8;
  static constexpr bool linear = true, objective = true;
  double young, poisson, thickness, drilling = 0.01, orientation[3];
  static constexpr Parameter<ShellSection> parameters[] = {
      {&ShellSection::young, {.name = "young", .unit = "Pa", .about = "Young's modulus", .above = 0}},
      {&ShellSection::poisson,
       {.name = "poisson", .unit = "1", .about = "Poisson's ratio", .maximum = 0.5, .above = -1, .example = 0.3}},
      {&ShellSection::thickness,
       {.name = "thickness", .unit = "m", .about = "of the shell", .above = 0, .example = 0.1}},
      {&ShellSection::drilling,
       {.name = "drilling",
        .unit = "1",
        .about =
            "stiffness against patterns of the rotation about the normal, as a part of the shear stiffness; results "
            "hardly depend on it",
        .above = 0,
        .fallback = 0.01}},
      {&ShellSection::orientation,
       {.name = "orientation",
        .unit = "1",
        .about = "direction of the local x axis of section forces; 0 0 0: from the first edge of a quadrilateral to "
                 "the third, along the first edge of a triangle",
        .fallback = 0}}};

  template <class T>
  constexpr T energy(const T (&e)[strains]) const {
    const double G = young / (2 * (1 + poisson)), plane = young * thickness / (1 - poisson * poisson);
    const T membrane = e[0] * e[0] + e[1] * e[1] + 2 * poisson * e[0] * e[1] + 0.5 * (1 - poisson) * e[2] * e[2];
    const T bending = e[3] * e[3] + e[4] * e[4] + 2 * poisson * e[3] * e[4] + 0.5 * (1 - poisson) * e[5] * e[5];
    const T shear = e[6] * e[6] + e[7] * e[7];
    return 0.5 * (plane * membrane + plane * thickness * thickness / 12 * bending + 5.0 / 6 * G * thickness * shear +
                  G * thickness * (drilling * e[8] * e[8] + e[9] * e[9]));
  }

 protected:
  // In the order of derived_names.
  template <class T>
  constexpr void forces(const T (&e)[strains], T* out) const {
    const double plane = young * thickness / (1 - poisson * poisson), plate = plane * thickness * thickness / 12;
    for (int part = 0; part < 2; ++part) {  // membrane, then bending
      const T* strain = e + 3 * part;
      const double stiffness = part == 0 ? plane : plate;
      out[3 * part] = stiffness * (strain[0] + poisson * strain[1]);
      out[3 * part + 1] = stiffness * (strain[1] + poisson * strain[0]);
      out[3 * part + 2] = stiffness * 0.5 * (1 - poisson) * strain[2];
    }
    const double shear = 5.0 / 6 * thickness * young / (2 * (1 + poisson));
    out[6] = shear * e[6];
    out[7] = shear * e[7];
  }

  // Unit vector of the local x axis: the part of the orientation, or else of `usual`, across the normal.
  template <class X>
  constexpr Three<X> local_x(const Three<X>& usual, const Three<X>& normal) const {
    Three<X> along = {{orientation[0], orientation[1], orientation[2]}};
    if (orientation[0] == 0 && orientation[1] == 0 && orientation[2] == 0) along = usual;
    return across(along, normal);
  }
};

}  // namespace ritz
