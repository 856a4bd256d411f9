// Small-strain linear elasticity whose constants are inputs at points, in space, in the plane and of bodies of
// revolution: isotropic constants that vary, stiffnesses along axes, and tables of these over the temperature.
// elasticity.hpp is faster where isotropic constants are the same everywhere. Derived quantities as there. Hughes, The
// Finite Element Method, Dover 2000, section 2.7; Jones, Mechanics of Composite Materials, 2nd ed. 1999.
#pragma once

#include "fem/forms/material_axes.hpp"
#include "fem/forms/space.hpp"
#include "fem/numbers/duals.hpp"

#include <numbers>
#include <type_traits>

namespace ritz {

// Axes of the stiffness.
enum class ElasticAxes {
  none,      // isotropic, in space: in one kernel with the others, actions on hexahedra took 1.8 times as long
  fixed,     // in space: those of space, with one stiffness everywhere and no numbers at points
  of_space,  // those of space; in the plane isotropic materials, too
  varying    // from point to point, given in front of the two other numbers
};

// The two numbers at a point.
enum class ElasticInputs {
  moduli,  // Young's modulus and Poisson's ratio of an isotropic material
  share,   // of the first stiffness; the second number is not used
  // Shares of two stiffnesses. Those of a table are one form for each interval, on the same cells; where the
  // temperature lies in another interval, both shares are zero. So strains, which count by the sum of the shares, add
  // up.
  shares
};

struct ElasticConstants {
  ElasticInputs inputs = ElasticInputs::moduli;
  bool plane_stress = false;                             // in the plane; else plane strain
  double first[Voigt::entries], second[Voigt::entries];  // [Pa] stiffnesses along the material axes
};

// Lame's parameters; constants have the precision of T.
template <class T>
struct LameAt {
  T lambda, mu;
  constexpr LameAt(T young, T poisson)
      : lambda(young * poisson / ((T(1.0) + poisson) * (T(1.0) - T(2.0) * poisson))),
        mu(young / (T(2.0) * (T(1.0) + poisson))) {}
};

struct NoConstants {};

// Plane forms are per unit of depth.
template <Space space, ElasticAxes Of = ElasticAxes::of_space>
struct VaryingElasticity : std::conditional_t<Of == ElasticAxes::none, NoConstants, ElasticConstants> {
  static constexpr bool in_space = space == Space::solid, of_revolution = space == Space::revolution,
                        isotropic = Of == ElasticAxes::none, oriented = Of == ElasticAxes::varying,
                        uniform = Of == ElasticAxes::fixed;
  static constexpr const char* name = isotropic       ? "varying_elasticity"
                                      : of_revolution ? "varying_axisymmetric_elasticity"
                                      : uniform       ? "anisotropic_elasticity"
                                      : in_space      ? (oriented ? "oriented_elasticity" : "tabulated_elasticity")
                                      : oriented      ? "oriented_plane_elasticity"
                                                      : "varying_plane_elasticity";
  static_assert(in_space || !(isotropic || uniform), "plane forms take all constants");
  static constexpr int G = in_space ? 3 : 2, components = G, dimension = G, extra_degree = of_revolution ? 1 : 0;
  static constexpr bool uses_value = of_revolution, uses_gradient = true, symmetric = true, linear = true;
  static constexpr const char *unknown = "displacement", *derives = "strain_and_stress";
  static constexpr int derived = 12, rows = Voigt::rows(G), axes = oriented ? 6 : 0, count = uniform ? 0 : axes + 2;
  static constexpr auto given = [] {
    std::array<ParameterFacts, count> all{};
    for (int i = 0; i < axes; ++i) all[i] = axis_given[i];
    if constexpr (!uniform) {
      all[axes] = {.name = "young", .unit = "Pa", .about = "Young's modulus", .above = 0};
      all[axes + 1] = {.name = "poisson", .about = "Poisson's ratio", .above = -1, .below = 0.5, .example = 0.3};
    }
    return all;
  }();

  template <class T>
  constexpr void operator()(const Location<T, G, count>& p, const Fields<T, G, G>& u, Fields<T, G, G>& f) const {
    T strain[rows], stress[rows];
    stress_at(p, u, strain, stress);
    put_stress<G>(stress, f.gradient);
    if constexpr (of_revolution) {
      for (int i = 0; i < G; ++i)
        for (int d = 0; d < G; ++d) f.gradient[i][d] = (2 * std::numbers::pi) * p.x[0] * f.gradient[i][d];
      f.value[0] = (2 * std::numbers::pi) * stress[2];
      f.value[1] = 0.0;
    }
  }
  template <class T>
  constexpr void derive(const Location<T, G, count>& p, const Fields<T, G, G>& u, T* out) const {
    T along[rows], strain[rows], stress[rows];
    stress_at(p, u, along, stress);
    voigt_strain<G>(u.gradient, strain);
    if constexpr (!in_space) strain[2] = along[2];
    T share = 1.0;
    if constexpr (!isotropic && !uniform) {
      if (this->inputs == ElasticInputs::shares) share = p.given[axes] + p.given[axes + 1];
    }
    for (int k = 0; k < 6; ++k) {
      out[k] = k < rows ? (k < 3 ? 1.0 : 0.5) * share * strain[k < rows ? k : 0] : T(0.0);
      out[6 + k] = k < rows ? stress[k < rows ? k : 0] : T(0.0);
    }
  }

 private:
  // Strain along the material axes, stress along those of space.
  template <class T>
  constexpr void stress_at(const Location<T, G, count>& p, const Fields<T, G, G>& u, T (&strain)[rows],
                           T (&stress)[rows]) const {
    using X = Plain<T>;
    X a = 1.0, b = 0.0;
    if constexpr (!uniform) {
      a = plain_of(p.given[axes]);
      b = plain_of(p.given[axes + 1]);
    }
    if constexpr (oriented) {
      X along[6], axis[3][3];
      for (int i = 0; i < 6; ++i) along[i] = plain_of(p.given[i]);
      material_axes(along, axis);
      T local[G][G], sigma[G][G];
      to_material_axes(axis, u.gradient, local);
      voigt_strain<G>(local, strain);
      respond(a, b, strain, stress);
      put_stress<G>(stress, local);
      from_material_axes(axis, local, sigma);
      for (int i = 0; i < G; ++i) stress[i] = sigma[i][i];
      stress[3] = sigma[0][1];
      if constexpr (in_space) {
        stress[4] = sigma[1][2];
        stress[5] = sigma[0][2];
      }
    } else {
      voigt_strain<G>(u.gradient, strain);
      if constexpr (of_revolution) strain[2] = u.value[0] / p.x[0];
      respond(a, b, strain, stress);
    }
  }

  // The stress; in plane stress also the strain zz.
  template <class T>
  constexpr void respond(const Plain<T>& a, const Plain<T>& b, T (&strain)[rows], T (&stress)[rows]) const {
    if constexpr (isotropic) {
      isotropic_stress(a, b, strain, stress);
    } else {
      const bool no_stress_across = space == Space::plane && this->plane_stress;
      if (!in_space && !oriented && this->inputs == ElasticInputs::moduli) {
        if (no_stress_across) strain[2] = (b / (b - Plain<T>(1.0))) * (strain[0] + strain[1]);
        isotropic_stress(a, b, strain, stress);
      } else {
        if (no_stress_across) strain[2] = strain_across(a, b, strain);
        for (int k = 0; k < rows; ++k) stress[k] = shared_row(k, a, b, strain);
      }
      if (no_stress_across) stress[2] = 0.0;
    }
  }
  template <class T>
  static constexpr void isotropic_stress(const Plain<T>& young, const Plain<T>& poisson, const T (&strain)[rows],
                                         T (&stress)[rows]) {
    const LameAt<Plain<T>> l(young, poisson);
    const T pressure = l.lambda * (strain[0] + strain[1] + strain[2]);
    for (int k = 0; k < rows; ++k) stress[k] = k < 3 ? pressure + (l.mu + l.mu) * strain[k] : l.mu * strain[k];
  }
  template <class T>
  constexpr T shared_row(int k, const Plain<T>& a, const Plain<T>& b, const T (&strain)[rows]) const {
    if constexpr (uniform) return voigt_row(this->first, k, strain);
    T sum = a * voigt_row(this->first, k, strain);
    if (this->inputs == ElasticInputs::shares) sum += b * voigt_row(this->second, k, strain);
    return sum;
  }
  // The strain zz without stress, where it is zero in `strain`.
  template <class T>
  constexpr T strain_across(const Plain<T>& a, const Plain<T>& b, const T (&strain)[rows]) const {
    constexpr int zz = Voigt::entry(2, 2);
    Plain<T> modulus = a * this->first[zz];
    if (this->inputs == ElasticInputs::shares) modulus += b * this->second[zz];
    return (Plain<T>(-1.0) / select(modulus, modulus, Plain<T>(1.0))) * shared_row(2, a, b, strain);
  }
};

}  // namespace ritz
