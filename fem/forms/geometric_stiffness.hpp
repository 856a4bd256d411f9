// The geometric stiffness of a form whose flux is a stress: with sigma that of the displacement u,
//
//   K_sigma(u): integral of  sigma(u) : (grad w)^T grad v          f.gradient = grad w sigma
//
// as the tangent at u of a form that holds the stress constant. Small strains, dead loads; without the terms of the
// displacement itself, which are smaller by the strain. Cook, Malkus, Plesha and Witt, Concepts and Applications of
// Finite Element Analysis, 4th ed. 2002, chapter 18. In a body of revolution the shape is one, too.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/numbers/frozen.hpp"

namespace ritz {

template <Form F>
struct GeometricStiffness : F {
  static_assert(F::components == F::dimension && F::uses_gradient && FormFacts<F>::state == 0,
                "a geometric stiffness is that of a stress without internal variables");
  static constexpr bool linear = false, symmetric = true, has_matrix = true, objective = false;
  static constexpr int derived = 0;
  static constexpr int G = F::dimension;

  template <class T>
  constexpr void operator()(const Location<T, G, FormFacts<F>::given>& p, const Fields<T, G, G>& u,
                            Fields<T, G, G>& f) const {
    Fields<T, G, G> held, stress{};
    for (int c = 0; c < G; ++c) {
      held.value[c] = frozen(u.value[c]);
      for (int d = 0; d < G; ++d) held.gradient[c][d] = frozen(u.gradient[c][d]);
    }
    const F& form = *this;
    form(p, held, stress);
    for (int c = 0; c < G; ++c)
      for (int d = 0; d < G; ++d) {
        f.gradient[c][d] = u.gradient[c][0] * stress.gradient[0][d];
        for (int k = 1; k < G; ++k) f.gradient[c][d] += u.gradient[c][k] * stress.gradient[k][d];
      }
    if constexpr (F::uses_value) {  // the hoop stress and du_z/dz = u_r / r
      for (int c = 0; c < G; ++c) f.value[c] = 0.0;
      if (is_of_revolution(form)) f.value[0] = u.value[0] / p.x[0] * stress.value[0];
    }
  }
};

}  // namespace ritz
