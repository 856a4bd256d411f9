// Stress power of a law that takes an assumed gradient G at the points of a cell, which depends on the displacement of
// the whole cell: mean dilatation, incompatible modes or a uniform gradient. The law, the strain and the residual are
// those of FromLaw; what the law step leaves at the points (fem/launch/cell_gradients.hpp) is P conjugate to the cell's
// own gradient, and a tangent in two parts,
//   K = sum_q w B^T A B + sum_kl z_k S_kl z_l^T,   z_k = sum_q w B^T Z_k(q)
// of which the first is FromLaw's, and the second couples the points (fem/launch/coupled_engine.hpp).
#pragma once

#include "fem/forms/cell_gradient.hpp"
#include "fem/materials/from_law.hpp"

namespace ritz {

template <Space space, CellGradient gradient, bool symmetric, bool large>
constexpr const char* name_of_cell_form() {
  constexpr bool solid = space == Space::solid, plane = space == Space::plane;
  if constexpr (gradient == CellGradient::mean_dilatation && symmetric)
    return solid   ? "mean dilatation in space"
           : plane ? "mean dilatation in the plane"
                   : "mean dilatation of revolution";
  else if constexpr (gradient == CellGradient::mean_dilatation)
    return solid   ? "mean dilatation in space, any"
           : plane ? "mean dilatation in the plane, any"
                   : "mean dilatation of revolution, any";
  else if constexpr (gradient == CellGradient::incompatible_modes && symmetric)
    return solid ? (large ? "incompatible modes in space, large" : "incompatible modes in space")
                 : (large ? "incompatible modes in the plane, large" : "incompatible modes in the plane");
  else if constexpr (gradient == CellGradient::incompatible_modes)
    return solid ? (large ? "incompatible modes in space, large, any" : "incompatible modes in space, any")
                 : (large ? "incompatible modes in the plane, large, any" : "incompatible modes in the plane, any");
  else return "uniform gradient in space";
}

// OfLarge: large displacements; of incompatible modes alone, the others hold both.
template <Space Of, CellGradient Gradient, bool OfSymmetric = true, bool OfLarge = false>
struct FromCellLaw : FromLaw<Of, OfSymmetric> {
  using Base = FromLaw<Of, OfSymmetric>;
  using Base::rows, Base::dimension, Base::components;
  static constexpr CellGradient cell_gradient = Gradient;
  static constexpr bool large = OfLarge;
  static constexpr const char* name = name_of_cell_form<Of, Gradient, OfSymmetric, OfLarge>();
  // Amplitudes of incompatible modes: a mode for each direction and component.
  static constexpr int modes = Gradient == CellGradient::incompatible_modes ? dimension * components : 0;
  // Vectors z of a cell.
  static constexpr int coupled = [] {
    if (Gradient == CellGradient::mean_dilatation) return OfSymmetric ? 2 : 3;
    if (Gradient == CellGradient::uniform) return rows;
    return (OfSymmetric ? modes : 2 * modes) + (OfLarge ? (OfSymmetric ? 2 : 3) * rows : 0);
  }();
  static_assert(OfSymmetric || Gradient != CellGradient::uniform);
  static_assert(!OfLarge || Gradient == CellGradient::incompatible_modes);
};

}  // namespace ritz
