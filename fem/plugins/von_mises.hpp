// Metal plasticity at small strains by five numbers, as case files name it for a form: the law J2 with linear isotropic
// and kinematic hardening, in space and in the plane. With alpha the equivalent plastic strain, the body yields in
// tension at yield_stress + isotropic_hardening alpha + kinematic_hardening (plastic strain), and a bar's tangent
// modulus is E H / (E + H), H = the sum of both hardening moduli.
#pragma once

#include "fem/forms/form_value.hpp"
#include "fem/materials/kinematics.hpp"
#include "fem/physics/material_law.hpp"

#include <span>

namespace ritz {

struct VonMisesPlasticity {
  double young, poisson, yield_stress;                      // [Pa], [1], [Pa]
  double isotropic_hardening = 0, kinematic_hardening = 0;  // [Pa]
  static constexpr Parameter<VonMisesPlasticity> parameters[] = {
      {&VonMisesPlasticity::young,
       {.name = "young", .unit = "Pa", .about = "Young's modulus", .above = 0, .example = 1}},
      {&VonMisesPlasticity::poisson,
       {.name = "poisson", .about = "Poisson's ratio", .above = -1, .below = 0.5, .example = 0.3}},
      {&VonMisesPlasticity::yield_stress,
       {.name = "yield_stress", .unit = "Pa", .about = "in tension, at first", .above = 0, .example = 0.05}},
      {&VonMisesPlasticity::isotropic_hardening,
       {.name = "isotropic_hardening",
        .unit = "Pa",
        .about = "growth of the yield stress per equivalent plastic strain",
        .minimum = 0,
        .fallback = 0,
        .example = 0.2}},
      {&VonMisesPlasticity::kinematic_hardening,
       {.name = "kinematic_hardening",
        .unit = "Pa",
        .about = "shift of the yield surface in tension per plastic strain",
        .minimum = 0,
        .fallback = 0,
        .example = 0.1}}};

  FormValue form(const Kinematics& kinematics = {}) const;
};

// "von_mises_plasticity" of solids, and that of plane strain, plane stress and bodies of revolution.
struct VonMisesForm {
  FormRecord record;
  FormValue (*make)(const FormValue& numbers);  // whose bytes are a VonMisesPlasticity
};
std::span<const VonMisesForm> von_mises_forms();

}  // namespace ritz
