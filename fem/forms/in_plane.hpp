// A form of three dimensions in the plane: what a material says of strain or of a gradient in space is said once.
//
//   PlaneStrain<MyMetal>      u_z = 0, per unit of depth
//   PlaneStress<MyMetal>      what leaves the stress across the plane at zero, per unit of depth
//   Axisymmetric<MyMetal>     a body of revolution about the y axis: x = r, y = axial, z = hoop,
//                             du_z/dz = u_r / r;
//                             integrals run over 2 pi r dA
//
// Unknowns of three components keep the two in the plane, scalars stay what they are. Derived quantities and the point
// state are those of the form in space, and so are facts and parameters; `name` is "plane_strain_", "plane_stress_" or
// "axisymmetric_" before its name. Forms on facets (pressure, convection) can be axisymmetric, too. Hughes, The Finite
// Element Method, Dover 2000, sections 2.7, 2.12.
#pragma once

#include "fem/forms/from_energy.hpp"
#include "fem/numbers/dual.hpp"

#include <array>
#include <limits>
#include <numbers>
#include <string_view>

namespace ritz {

enum class PlaneKind { strain, stress, axisymmetric };

template <class F>
struct CallableOf {
  using Type = F;
};
template <HasEnergy F>
struct CallableOf<F> {
  using Type = FromEnergy<F>;
};

// prefix and F::name, one after the other.
template <class F, PlaneKind Kind>
struct NameInPlane {
  static constexpr std::string_view prefix = Kind == PlaneKind::strain   ? "plane_strain_"
                                             : Kind == PlaneKind::stress ? "plane_stress_"
                                                                         : "axisymmetric_";
  static constexpr auto text = [] {
    constexpr std::string_view name = F::name;
    std::array<char, prefix.size() + name.size() + 1> joined{};
    for (std::size_t i = 0; i < prefix.size(); ++i) joined[i] = prefix[i];
    for (std::size_t i = 0; i < name.size(); ++i) joined[prefix.size() + i] = name[i];
    return joined;
  }();
};

template <class F, PlaneKind Kind>
struct InPlane : CallableOf<F>::Type {
  using Solid = typename CallableOf<F>::Type;
  using Facts = FormFacts<Solid>;
  static constexpr bool vector = F::components == 3, of_revolution = Kind == PlaneKind::axisymmetric,
                        stress_free = Kind == PlaneKind::stress;
  static constexpr const char* name = NameInPlane<F, Kind>::text.data();
  static constexpr int components = vector ? 2 : F::components, dimension = 2,
                       extra_degree = Facts::extra_degree + (of_revolution ? 1 : 0);
  static constexpr bool on_cells = Facts::codimension == 0;
  static constexpr bool uses_value = F::uses_value || (of_revolution && vector && on_cells);
  static constexpr int C = components, S = Facts::state, M = Facts::given;

  static_assert(F::dimension == 3, "the form in the plane is made of one in space");
  static_assert(!stress_free || (vector && on_cells && !F::uses_value), "plane stress is one of displacements");
  static_assert(!stress_free || S == 0 || Facts::rate_independent,
                "the strain across the plane is found again from the state, which must not change by that");

  template <class T>
  constexpr void operator()(const Location<T, 2, M>& p, const Fields<T, C, 2>& u, Fields<T, C, 2>& f) const
      requires(S == 0) {
    put(p, flux_in_space(p, u, Directly{}), f);
  }
  template <class T>
  constexpr void operator()(const Location<T, 2, M>& p, const Fields<T, C, 2>& u, const T (&before)[S > 0 ? S : 1],
                            T (&now)[S > 0 ? S : 1], Fields<T, C, 2>& f) const requires(S > 0) {
    put(p, flux_in_space(p, u, WithState<T>{before, now}), f);
  }
  template <class T>
  constexpr void derive(const Location<T, 2, M>& p, const Fields<T, C, 2>& u, T* out) const
      requires(S == 0 && Facts::derived > 0) {
    Solid::derive(in_space<T>(p), fields_in_space(p, u, Directly{}), out);
  }
  template <class T>
  constexpr void derive(const Location<T, 2, M>& p, const Fields<T, C, 2>& u, const T* state, T* out) const
      requires(S > 0 && Facts::derived > 0) {
    T before[S > 0 ? S : 1], now[S > 0 ? S : 1];
    for (int i = 0; i < S; ++i) before[i] = state[i];
    Solid::derive(in_space<T>(p), fields_in_space(p, u, WithState<T>{before, now}), state, out);
  }

 private:
  // Calls of the form in space, in numbers of any kind: as it is, or with the state before the increment.
  struct Directly {
    template <class V>
    constexpr void operator()(const Solid& solid, const Location<V, 3, M>& place,
                              const Fields<V, F::components, 3>& fields, Fields<V, F::components, 3>& result) const {
      solid(place, fields, result);
    }
  };
  template <class T>
  struct WithState {
    const T (&before)[S > 0 ? S : 1];
    T (&now)[S > 0 ? S : 1];
    template <class V>
    constexpr void operator()(const Solid& solid, const Location<V, 3, M>& place,
                              const Fields<V, F::components, 3>& fields, Fields<V, F::components, 3>& result) const {
      if constexpr (std::is_same_v<V, T>) {
        for (int i = 0; i < S; ++i) now[i] = before[i];
        solid(place, fields, before, now, result);
      } else {
        V earlier[S], later[S];
        for (int i = 0; i < S; ++i) earlier[i] = later[i] = V(before[i]);
        solid(place, fields, earlier, later, result);
      }
    }
  };

  template <class V, class T>
  static constexpr Location<V, 3, M> in_space(const Location<T, 2, M>& p) {
    Location<V, 3, M> place{};
    place.t = p.t;
    place.dt = p.dt;
    for (int d = 0; d < 2; ++d) {
      place.x[d] = V(p.x[d]);
      if constexpr (!on_cells) place.normal[d] = V(p.normal[d]);
    }
    place.x[2] = V(0.0);
    if constexpr (!on_cells) place.normal[2] = V(0.0);
    if constexpr (M > 0) {
      for (int m = 0; m < M; ++m) place.given[m] = V(p.given[m]);
    }
    return place;
  }

  // The unknown in space, with `across` for du_z/dz.
  template <class V, class T>
  static constexpr Fields<V, F::components, 3> extended(const Fields<T, C, 2>& u, V across) {
    Fields<V, F::components, 3> fields;
    for (int c = 0; c < F::components; ++c) {
      fields.value[c] = c < C ? V(u.value[c < C ? c : 0]) : V(0.0);
      for (int d = 0; d < 3; ++d)
        fields.gradient[c][d] = c < C && d < 2 ? V(u.gradient[c < C ? c : 0][d < 2 ? d : 0]) : V(0.0);
    }
    if constexpr (vector) fields.gradient[2][2] = across;
    return fields;
  }

  template <class T, class Flux>
  constexpr Fields<T, F::components, 3> fields_in_space(const Location<T, 2, M>& p, const Fields<T, C, 2>& u,
                                                        const Flux& flux) const {
    T across = 0.0;
    if constexpr (of_revolution && vector && on_cells) across = u.value[0] / p.x[0];
    if constexpr (stress_free) across = strain_without_stress(p, u, flux);
    return extended<T>(u, across);
  }
  template <class T, class Flux>
  constexpr Fields<T, F::components, 3> flux_in_space(const Location<T, 2, M>& p, const Fields<T, C, 2>& u,
                                                      const Flux& flux) const {
    Fields<T, F::components, 3> f{};
    flux(static_cast<const Solid&>(*this), in_space<T>(p), fields_in_space(p, u, flux), f);
    return f;
  }

  // du_z/dz at which the stress across the plane vanishes, by Newton's method; no number where it is not found. Elastic
  // materials need one step, those with a yield surface few: their moduli across the plane lie close together.
  template <class T, class Flux>
  constexpr T strain_without_stress(const Location<T, 2, M>& p, const Fields<T, C, 2>& u, const Flux& flux) const {
    constexpr int steps = Facts::linear ? 1 : 16;
    using V = Dual<T>;
    const Location<V, 3, M> place = in_space<V>(p);
    T across = 0.0, left = 0.0, tolerance = 0.0;
    const T rounding = (T(1.0) + T(3e-8)) - T(1.0);  // 0 in single precision
    const T relative = select(rounding - T(1e-9), T(1e-20), T(1e-10));
    for (int step = 0; step <= steps; ++step) {
      Fields<V, 3, 3> f{};
      flux(static_cast<const Solid&>(*this), place, extended<V>(u, V(across, T(1.0))), f);
      const T stress = f.gradient[2][2].value, modulus = f.gradient[2][2].derivative;
      T size = across * across;
      for (int c = 0; c < 2; ++c)
        for (int d = 0; d < 2; ++d) size += u.gradient[c][d] * u.gradient[c][d];
      left = stress * stress;
      tolerance = relative * (modulus * modulus * size);
      if (step < steps) across -= stress / modulus;
    }
    return select(left - tolerance, T(std::numeric_limits<double>::quiet_NaN()), across);
  }

  template <class T>
  static constexpr void put(const Location<T, 2, M>& p, const Fields<T, F::components, 3>& solid, Fields<T, C, 2>& f) {
    T measure = 1.0;
    if constexpr (of_revolution) measure = (2 * std::numbers::pi) * p.x[0];
    for (int c = 0; c < C; ++c) {
      if constexpr (uses_value) f.value[c] = F::uses_value ? measure * solid.value[c] : T(0.0);
      if constexpr (F::uses_gradient) {
        for (int d = 0; d < 2; ++d) f.gradient[c][d] = measure * solid.gradient[c][d];
      }
    }
    if constexpr (of_revolution && vector && on_cells) f.value[0] += (2 * std::numbers::pi) * solid.gradient[2][2];
  }
};

template <class F>
using PlaneStrain = InPlane<F, PlaneKind::strain>;
template <class F>
using PlaneStress = InPlane<F, PlaneKind::stress>;
template <class F>
using Axisymmetric = InPlane<F, PlaneKind::axisymmetric>;

}  // namespace ritz
