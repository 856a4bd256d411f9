// Measures of stress and strain of finite deformations by their names, each from the deformation gradient F and
// Cauchy's stress s, whatever the law:
//   first_piola_kirchhoff_stress    J s F^-T        green_lagrange_strain   (C - I) / 2, C = F^T F
//   second_piola_kirchhoff_stress   J F^-1 s F^-T   logarithmic_strain      log(C) / 2
//   kirchhoff_stress                J s             engineering_strain      sqrt(C) - I
// Those of strain and the second of Piola and Kirchhoff do not change where the body turns, Kirchhoff's turns with it.
// Holzapfel, Nonlinear Solid Mechanics, 2000, sections 2.5 and 3.4.
//
//   const DeformationMeasure* S = deformation_measure("second_piola_kirchhoff_stress");
//   S->value(F, cauchy, numbers);
#pragma once

#include "fem/numbers/tensor.hpp"

#include <span>
#include <string_view>

namespace ritz {

struct DeformationMeasure {
  const char* name;
  int components;  // 6: xx yy zz xy yz xz; 9: by rows, xx xy xz yx ..., the first index that of the force
  void (*value)(const Tensor<double>& F, const Symmetric<double>& cauchy, double* numbers);
};

std::span<const DeformationMeasure> deformation_measures();
const DeformationMeasure* deformation_measure(std::string_view name);  // null: there is none

}  // namespace ritz
