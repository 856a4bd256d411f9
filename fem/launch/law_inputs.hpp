// Inputs of a law at a point besides its numbers: the axes of the material, strains that are free of stress, parameters
// that vary from point to point, and the temperature. They are the form's coefficients (LawOfForm), which reach only
// the kernels of laws.
#pragma once

#include "fem/forms/material_axes.hpp"
#include "fem/launch/law_arguments.hpp"
#include "fem/launch/law_results.hpp"
#include "fem/materials/kinematics.hpp"

#include <cstdint>
#include <iterator>
#include <utility>

namespace ritz {

// All arguments of the kernel of a law; element kernels know only those of the base.
struct LawCall : LawArguments {
  const double* temperature = nullptr;  // of the lanes of the first pack; nullptr: 0
  Index stride = 0;                     // numbers from a pack to the next, of the temperature and of parameters
  std::uint32_t varying = 0;            // bit k: parameter k of the law varies
  const double* parameters = nullptr;   // those, of the lanes of the first pack: [parameter][lane]
};
inline const LawCall& whole_call(const LawArguments& a) { return static_cast<const LawCall&>(a); }

// The law of one integral, and the coefficients that its form has at a point, one after the other.
struct LawWithInputs : PointLaw {
  int free_strains;       // 0, 1 (of all directions) or 3
  bool has_axes;          // six coordinates of the material's axes 1 and 2
  std::uint32_t varying;  // bit k: parameter k of the law varies
  int parameters;         // count of those
  bool has_temperature;   // the last one
  LawResults results;
  constexpr int first_parameter() const { return free_strains + (has_axes ? 6 : 0); }  // its number
  constexpr int temperature() const { return first_parameter() + parameters; }
  constexpr int count() const { return temperature() + (has_temperature ? 1 : 0); }
};
// ElementArguments::law of a form of a law.
inline const LawWithInputs& with_inputs(const PointLaw& law) { return static_cast<const LawWithInputs&>(law); }

// The law with other numbers for the parameters that vary: number(i) is the i-th of them.
template <Law L, class Number>
constexpr L law_with(const L& law, std::uint32_t varying, const Number& number) {
  L result = law;
  if constexpr (requires { L::parameters; }) {
    int next = 0;
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      const auto put = [&]<std::size_t parameter>() {
        constexpr auto member = L::parameters[parameter].member;  // nullptr: a vector, which does not vary
        if constexpr (member != nullptr)
          if ((varying >> parameter & 1) != 0) result.*member = number(next++);
      };
      (put.template operator()<k>(), ...);
    }
    (std::make_index_sequence<std::size(L::parameters)>());
  }
  return result;
}

// The axes of the material, and how much it would stretch along them without stress.
template <class T>
struct LawFrame {
  Tensor<T> axes;  // rows: unit vectors; unused where the law has none
  T stretch[3];    // unused without free strains
};

// given(number) of the coefficients at the point.
template <class T, class Given>
constexpr LawFrame<T> frame_at(const LawWithInputs& law, const Given& given) {
  LawFrame<T> frame;
  if (law.free_strains > 0)
    for (int k = 0; k < 3; ++k) frame.stretch[k] = 1.0 + given(law.free_strains == 1 ? 0 : k);
  if (law.has_axes) {
    T two[6], axis[3][3];
    for (int k = 0; k < 6; ++k) two[k] = given(law.free_strains + k);
    material_axes(two, axis);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) frame.axes(i, j) = axis[i][j];
  }
  return frame;
}

// The strain of the law, elastic but for the law's internal variables: of F less the free stretches, F = F_law
// diag(stretch) along the axes. Logarithmic strains subtract, exactly where the stretches are equal.
template <class T>
constexpr Symmetric<T> strain_of_law(const LawWithInputs& law, const LawFrame<T>& frame, Symmetric<T> strain) {
  using std::log;
  if (law.has_axes) strain = turned(frame.axes, strain);
  if (law.free_strains == 0) return strain;
  const T(&s)[3] = frame.stretch;
  for (int k = 0; k < 6; ++k) {
    const T half = k < 3 ? T(0.5) : T(0.0);
    if (law.measure == Strain::green_lagrange)
      strain[k] = (strain[k] + half) / (s[voigt_row(k)] * s[voigt_column(k)]) - half;
    else if (k < 3) strain[k] -= law.measure == Strain::logarithmic ? log(s[k]) : s[k] - 1.0;
  }
  return strain;
}
// And back.
template <class T>
constexpr Symmetric<T> strain_with_free(const LawWithInputs& law, const LawFrame<T>& frame, Symmetric<T> strain) {
  using std::log;
  if (law.free_strains > 0) {
    const T(&s)[3] = frame.stretch;
    for (int k = 0; k < 6; ++k) {
      const T half = k < 3 ? T(0.5) : T(0.0);
      if (law.measure == Strain::green_lagrange)
        strain[k] = (strain[k] + half) * (s[voigt_row(k)] * s[voigt_column(k)]) - half;
      else if (k < 3) strain[k] += law.measure == Strain::logarithmic ? log(s[k]) : s[k] - 1.0;
    }
  }
  return law.has_axes ? turned(transposed(frame.axes), strain) : strain;
}

// Stress, conjugate to the whole strain, from the law's: per volume before the free stretches.
template <class T>
constexpr void stress_from_law(const LawWithInputs& law, const LawFrame<T>& frame, Response<T>& r, bool with_moduli) {
  if (law.free_strains > 0 && law.measure != Strain::small) {
    const T(&s)[3] = frame.stretch;
    const T volume = s[0] * s[1] * s[2];
    T scale[6];
    for (int k = 0; k < 6; ++k) {
      scale[k] = 1.0;
      if (law.measure == Strain::green_lagrange) scale[k] = T(1.0) / (s[voigt_row(k)] * s[voigt_column(k)]);
      r.stress[k] *= volume * scale[k];
    }
    if (with_moduli)
      for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) r.moduli[a][b] *= volume * (scale[a] * scale[b]);
  }
  if (!law.has_axes) return;
  const Tensor<T> back = transposed(frame.axes);
  r.stress = turned(back, r.stress);
  if (with_moduli) turn_moduli(back, r.moduli);
}

}  // namespace ritz
