// "Is my mesh fine enough?": an estimate of the error of a stationary solution by the mesh. Strains (temperature
// gradients) are recovered: around each vertex a polynomial of the field's order goes through those at the
// superconvergent points of the cells there, by least squares (Zienkiewicz and Zhu, Int. J. Numer. Meth. Engng 33
// (1992) 1331), and the polynomials of a cell's vertices are blended by its linear shape functions (Blacker and
// Belytschko, ibid. 37 (1994) 517). The difference to those of the solution, in the energy norm, estimates its error
// (Zienkiewicz and Zhu, ibid. 24 (1987) 337):
//
//   ||e||^2 = integral of (eps* - eps_h) : C : (eps* - eps_h),      relative: ||e|| / sqrt(||u_h||^2 + ||e||^2)
//
//   DiscretisationError error = estimate_error(space, u, {.physics = ErrorPhysics::solid, .numbers = {{lambda, mu}}});
//
// Host code, threads of the space's device; the same bits for any number of them.
#pragma once

#include "fem/space/function_space.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ritz {

enum class ErrorPhysics { heat, solid, plane, axisymmetric_heat, axisymmetric };

struct ErrorModel {
  ErrorPhysics physics;
  double weight = 1;                        // of integrals: the thickness, or 2 pi for a body of revolution
  bool plane_stress = false;                // else plane strain
  std::vector<std::int32_t> material = {};  // [cell]; empty: one. Nothing is averaged between two.
  // Lame's parameters, or conductivity and 0: [material], or, where they vary, [cell].
  std::vector<std::array<double, 2>> numbers = {};
  bool by_cell = false;
};

struct DiscretisationError {
  double error = 0, solution = 0;                  // squares of ||e|| and ||u_h||
  double relative() const;                         // 0 where both are
  std::vector<double> squares, energies, volumes;  // [cell] their parts, and what they are integrated over
  // [cell] root of the mean square over the cell of von Mises' stress of sigma* - sigma_h [Pa], or of |q* - q_h|
  std::vector<double> magnitudes;
  Index shallow = 0;  // patches too small for the polynomial: one cell thick, so that the estimate is too small there
};

// u [node of the space][component]. Cells of the mesh that carry no field of the physics (structural ones) are not
// meant.
DiscretisationError estimate_error(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model);

// Estimates some cells alone, on a mesh that has all cells whose patches they need: chosen [cell] 1. Other cells and
// the sums are zero; `shallow` counts the patches whose first cell is chosen.
DiscretisationError estimate_error_in(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model,
                                      std::span<const std::uint8_t> chosen);
// The sums over all cells, whose parts the error has.
void sum_up(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model, DiscretisationError& error);

// Is u with this energy a rigid motion, or a temperature that is the same everywhere, but for rounding?
bool is_rigid(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model, double energy);

// [bytes] that it takes on the host, with its result.
Index host_of_estimate(const FunctionSpace& space);

}  // namespace ritz
