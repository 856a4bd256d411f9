// Around the kernel of a law, the same for all laws: strain at a point from the displacement gradient, and forces,
// moduli or results from what the law says. Then the element engines work on numbers at points
// (fem/materials/from_law.hpp), so that laws, kinematics and cells are compiled once each. A law sees strains along the
// axes of its material, less those that are free of stress.
#pragma once

#include "fem/materials/from_law.hpp"
#include "fem/launch/element_engine.hpp"
#include "fem/launch/law_inputs.hpp"

namespace ritz::RITZ_BACKEND {

// Numbers that a task of the form F leaves at a point; of results perhaps without internal variables.
template <class F>
constexpr int numbers_left(LawTask task, const ElementArguments& arguments) {
  return task == LawTask::results ? arguments.law_results : numbers_of_task<F>(task, *arguments.law);
}

// And at all points of a cell, with what couples them.
template <class F>
constexpr int numbers_of_cell(LawTask task, int numbers, int points) {
  const bool couples = task == LawTask::stress || task == LawTask::moduli;
  return points * numbers + (couples ? FormFacts<F>::from_cell(points) : 0);
}

// The whole strain at a point; in plane stress with the first guess of the one across.
template <class F, class T>
constexpr Symmetric<T> strain_at(const T (&gradient)[F::rows], Strain measure, bool plane_stress) {
  Symmetric<T> strain = strain_of(gradient_tensor<F::space>(gradient), measure);
  if (plane_stress) strain[2] = first_strain_across(strain, measure);
  return strain;
}

// The energy of LawResults::deformation; kept(number) is an internal variable.
template <class T, class Kept>
constexpr T elastic_energy(const LawWithInputs& law, const LawFrame<T>& frame, Symmetric<T> strain,
                           const Symmetric<T>& stress, const Kept& kept) {
  for (int k = 0; k < 6 && law.state >= 6; ++k) strain[k] -= kept(k);
  const T energy = 0.5 * contract(stress, strain);
  if (law.free_strains == 0 || law.measure == Strain::small) return energy;
  return energy * (frame.stretch[0] * frame.stretch[1] * frame.stretch[2]);
}

// Numbers at a point from the law's strain and stress: moduli(number), kept(number) and write(number, value) know
// where.
template <class F, class T, class Moduli, class Kept, class Write>
constexpr void leave_at_point(const T (&gradient)[F::rows], const LawFrame<T>& frame, const Symmetric<T>& of_law,
                              const Symmetric<T>& stress, LawTask task, const LawWithInputs& law, const Moduli& moduli,
                              const Kept& kept, const Write& write) {
  constexpr int R = F::rows;
  const Symmetric<T> strain = strain_with_free(law, frame, of_law);
  Tensor<T> H = gradient_tensor<F::space>(gradient);
  if (law.plane_stress) H(2, 2) = gradient_across(strain[2], law.measure);
  Response<T> response;
  response.stress = stress;
  if (task == LawTask::moduli)
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 6; ++b) response.moduli[a][b] = moduli(a * 6 + b);
  stress_from_law(law, frame, response, task == LawTask::moduli);
  if (task == LawTask::stress) {
    T P[R];
    nominal_stress<F::space>(H, law.measure, response.stress, P);
    for (int r = 0; r < R; ++r) write(r, P[r]);
  } else if (task == LawTask::moduli) {
    T P[R], A[F::from_law - R];
    nominal_response<F::space, F::symmetric>(H, law.measure, response, P, A);
    for (int r = 0; r < R; ++r) write(r, P[r]);
    for (int i = 0; i < F::from_law - R; ++i) write(R + i, A[i]);
  } else if (task == LawTask::results && law.results == LawResults::deformation) {
    const Tensor<T> x = deformation(H);
    for (int i = 0; i < results_of_law; ++i) write(i, i < 9 ? x(i / 3, i % 3) : T(0.0));
    write(9, elastic_energy(law, frame, of_law, stress, kept));
  } else if (task == LawTask::results) {
    const Symmetric<T> sigma = cauchy_stress(H, law.measure, response.stress);
    for (int k = 0; k < 6; ++k) {
      write(k, strain[k]);
      write(6 + k, sigma[k]);
    }
  }
}

}  // namespace ritz::RITZ_BACKEND
