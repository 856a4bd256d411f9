// Around the kernel of a law, the same for all laws: strain at a point from the displacement gradient, and forces,
// moduli or results from what the law says. Then the element engines work on numbers at points
// (fem/materials/from_law.hpp), so that laws, kinematics and cells are compiled once each.
#pragma once

#include "fem/materials/from_law.hpp"
#include "fem/launch/element_engine.hpp"

namespace ritz::RITZ_BACKEND {

// The strain that the law is given; in plane stress with the first guess of the one across.
template <class F, class T>
constexpr Symmetric<T> strain_at(const T (&gradient)[F::rows], Strain measure, bool plane_stress) {
  Symmetric<T> strain = strain_of(gradient_tensor<F::space>(gradient), measure);
  if (plane_stress) strain[2] = first_strain_across(strain, measure);
  return strain;
}

// Numbers at a point: read(array number) and write(number, value) know where.
template <class F, class T, class Moduli, class Write>
constexpr void leave_at_point(const T (&gradient)[F::rows], const Symmetric<T>& strain, const Symmetric<T>& stress,
                              LawTask task, const PointLaw& law, const Moduli& moduli, const Write& write) {
  constexpr int R = F::rows;
  Tensor<T> H = gradient_tensor<F::space>(gradient);
  if (law.plane_stress) H(2, 2) = gradient_across(strain[2], law.measure);
  if (task == LawTask::stress) {
    T P[R];
    nominal_stress<F::space>(H, law.measure, stress, P);
    for (int r = 0; r < R; ++r) write(r, P[r]);
  } else if (task == LawTask::moduli) {
    T P[R], A[F::from_law - R];
    Response<T> response;
    response.stress = stress;
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 6; ++b) response.moduli[a][b] = moduli(a * 6 + b);
    nominal_response<F::space, F::symmetric>(H, law.measure, response, P, A);
    for (int r = 0; r < R; ++r) write(r, P[r]);
    for (int i = 0; i < F::from_law - R; ++i) write(R + i, A[i]);
  } else if (task == LawTask::results) {
    const Symmetric<T> sigma = cauchy_stress(H, law.measure, stress);
    for (int k = 0; k < 6; ++k) {
      write(k, strain[k]);
      write(6 + k, sigma[k]);
    }
  }
}

}  // namespace ritz::RITZ_BACKEND
