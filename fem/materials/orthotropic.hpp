// Elasticity with three planes of symmetry, stress proportional to strain along the axes of the material. With large
// displacements the axes turn with the body, as of St. Venant and Kirchhoff's material. Nine stiffnesses as *ELASTIC,
// TYPE=ORTHOTROPIC of Abaqus and CalculiX has them; StiffnessTensor::orthotropic makes them of engineering constants.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

template <class L>
constexpr Parameter<L> stiffness_of(double L::*member, const char* name, double example) {
  return {member, {.name = name, .unit = "Pa", .about = "stiffness", .example = example}};
}

struct Orthotropic {
  static constexpr const char* name = "orthotropic";
  static constexpr Strain large = Strain::green_lagrange;
  static constexpr bool isotropic = false;
  double d1111, d1122, d2222, d1133, d2233, d3333, d1212, d1313, d2323;
  static constexpr Parameter<Orthotropic> parameters[] = {
      stiffness_of(&Orthotropic::d1111, "d1111", 1500), stiffness_of(&Orthotropic::d1122, "d1122", 300),
      stiffness_of(&Orthotropic::d2222, "d2222", 900),  stiffness_of(&Orthotropic::d1133, "d1133", 250),
      stiffness_of(&Orthotropic::d2233, "d2233", 200),  stiffness_of(&Orthotropic::d3333, "d3333", 700),
      stiffness_of(&Orthotropic::d1212, "d1212", 300),  stiffness_of(&Orthotropic::d1313, "d1313", 250),
      stiffness_of(&Orthotropic::d2323, "d2323", 200)};

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& e, const Plain<T>*, T*) const {
    return {{d1111 * e[0] + d1122 * e[1] + d1133 * e[2], d1122 * e[0] + d2222 * e[1] + d2233 * e[2],
             d1133 * e[0] + d2233 * e[1] + d3333 * e[2], (2 * d1212) * e[3], (2 * d2323) * e[4], (2 * d1313) * e[5]}};
  }
};

}  // namespace ritz
