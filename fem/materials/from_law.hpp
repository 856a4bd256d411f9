// Stress power of a law of materials, P : grad v, with P and its moduli as they were left at the point: the law and the
// strain it takes are the operator's business (fem/launch/law_engine.hpp), so these forms hold for all laws, small and
// large displacements. One for each space and for symmetric and other moduli; a FormValue of a law has them as kernels
// (fem/plugins/material.hpp).
#pragma once

#include "fem/forms/form.hpp"
#include "fem/materials/kinematics.hpp"

#include <numbers>

namespace ritz {

template <Space space, bool of_symmetric>
constexpr const char* name_of_law_form() {
  constexpr bool solid = space == Space::solid, plane = space == Space::plane;
  if constexpr (of_symmetric) return solid ? "stress in space" : plane ? "stress in the plane" : "stress of revolution";
  else return solid ? "any stress in space" : plane ? "any stress in the plane" : "any stress of revolution";
}

template <Space Of, bool OfSymmetric>
struct FromLaw {
  static constexpr Space space = Of;
  static constexpr bool symmetric = OfSymmetric, of_revolution = space == Space::revolution, linear = true;
  static constexpr const char* name = name_of_law_form<space, symmetric>();
  static constexpr const char* unknown = "displacement";
  static constexpr bool objective = true;
  static constexpr int rows = rows_of(space), components = space == Space::solid ? 3 : 2, dimension = components;
  static constexpr int extra_degree = of_revolution ? 1 : 0;
  static constexpr bool uses_value = of_revolution, uses_gradient = true;
  // Numbers that the law leaves at a point: rows of P, then its moduli.
  static constexpr int from_law = rows + moduli_of(space, symmetric);

  template <class T, int M>
  constexpr void operator()(const Location<T, dimension, M>& p, const Fields<T, components, dimension>&,
                            Fields<T, components, dimension>& f) const {
    T stress[rows];
    for (int r = 0; r < rows; ++r) stress[r] = p.given[r];
    put(p, stress, f);
  }
  // The derivative of f along du.
  template <class T, int M>
  constexpr void tangent(const Location<T, dimension, M>& p, const Fields<T, components, dimension>& du,
                         Fields<T, components, dimension>& f) const {
    T strain[rows], stress[rows];
    rows_of_gradient(p, du, strain);
    for (int r = 0; r < rows; ++r) {
      stress[r] = p.given[rows + modulus_at(space, symmetric, r, 0)] * strain[0];
      for (int c = 1; c < rows; ++c) stress[r] += p.given[rows + modulus_at(space, symmetric, r, c)] * strain[c];
    }
    put(p, stress, f);
  }

  template <class T, int M>
  static constexpr void rows_of_gradient(const Location<T, dimension, M>& p, const Fields<T, components, dimension>& u,
                                         T (&out)[rows]) {
    for (int c = 0; c < components; ++c)
      for (int d = 0; d < dimension; ++d) out[c * dimension + d] = u.gradient[c][d];
    if constexpr (of_revolution) out[4] = u.value[0] / p.x[0];
  }

  // f of the rows of a stress.
  template <class T, int M>
  static constexpr void put(const Location<T, dimension, M>& p, const T (&stress)[rows],
                            Fields<T, components, dimension>& f) {
    T measure = 1.0;
    if constexpr (of_revolution) {
      measure = (2 * std::numbers::pi) * p.x[0];
      f.value[0] = (2 * std::numbers::pi) * stress[4];
      f.value[1] = 0.0;
    }
    for (int c = 0; c < components; ++c)
      for (int d = 0; d < dimension; ++d) f.gradient[c][d] = measure * stress[c * dimension + d];
  }
};

}  // namespace ritz
