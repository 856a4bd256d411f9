// Elasticity without symmetries of the material, stress proportional to strain along its axes. With large displacements
// the axes turn with the body, as of St. Venant and Kirchhoff's material. The 21 stiffnesses of *ELASTIC, TYPE=ANISO of
// Abaqus and CalculiX, in their order.
#pragma once

#include "fem/materials/orthotropic.hpp"

namespace ritz {

struct Anisotropic {
  static constexpr const char* name = "anisotropic";
  static constexpr Strain large = Strain::green_lagrange;
  static constexpr bool isotropic = false;
  double d1111, d1122, d2222, d1133, d2233, d3333, d1112, d2212, d3312, d1212, d1113, d2213, d3313, d1213, d1313, d1123,
      d2223, d3323, d1223, d1323, d2323;
  static constexpr Parameter<Anisotropic> parameters[] = {
      stiffness_of(&Anisotropic::d1111, "d1111", 1500), stiffness_of(&Anisotropic::d1122, "d1122", 300),
      stiffness_of(&Anisotropic::d2222, "d2222", 900),  stiffness_of(&Anisotropic::d1133, "d1133", 250),
      stiffness_of(&Anisotropic::d2233, "d2233", 200),  stiffness_of(&Anisotropic::d3333, "d3333", 700),
      stiffness_of(&Anisotropic::d1112, "d1112", 80),   stiffness_of(&Anisotropic::d2212, "d2212", -40),
      stiffness_of(&Anisotropic::d3312, "d3312", 20),   stiffness_of(&Anisotropic::d1212, "d1212", 300),
      stiffness_of(&Anisotropic::d1113, "d1113", -60),  stiffness_of(&Anisotropic::d2213, "d2213", 30),
      stiffness_of(&Anisotropic::d3313, "d3313", 50),   stiffness_of(&Anisotropic::d1213, "d1213", 10),
      stiffness_of(&Anisotropic::d1313, "d1313", 250),  stiffness_of(&Anisotropic::d1123, "d1123", 40),
      stiffness_of(&Anisotropic::d2223, "d2223", -20),  stiffness_of(&Anisotropic::d3323, "d3323", 35),
      stiffness_of(&Anisotropic::d1223, "d1223", 15),   stiffness_of(&Anisotropic::d1323, "d1323", -25),
      stiffness_of(&Anisotropic::d2323, "d2323", 200)};

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& e, const Plain<T>*, T*) const {
    const T xy = 2.0 * e[3], yz = 2.0 * e[4], xz = 2.0 * e[5];
    return {{d1111 * e[0] + d1122 * e[1] + d1133 * e[2] + d1112 * xy + d1123 * yz + d1113 * xz,
             d1122 * e[0] + d2222 * e[1] + d2233 * e[2] + d2212 * xy + d2223 * yz + d2213 * xz,
             d1133 * e[0] + d2233 * e[1] + d3333 * e[2] + d3312 * xy + d3323 * yz + d3313 * xz,
             d1112 * e[0] + d2212 * e[1] + d3312 * e[2] + d1212 * xy + d1223 * yz + d1213 * xz,
             d1123 * e[0] + d2223 * e[1] + d3323 * e[2] + d1223 * xy + d2323 * yz + d1323 * xz,
             d1113 * e[0] + d2213 * e[1] + d3313 * e[2] + d1213 * xy + d1323 * yz + d1313 * xz}};
  }
};

}  // namespace ritz
