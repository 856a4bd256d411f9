// Integrals of what a law leaves at points from assumed gradients, in linear hexahedra and quadrilaterals.
#include "fem/elements/hourglass.hpp"
#include "fem/launch/register_form.hpp"
#include "fem/launch/register_whole.hpp"
#ifdef __CUDACC__
#include "fem/launch/law_points_cuda.hpp"
#else
#include "fem/launch/law_points_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {
namespace {

using Hexahedron = Cell<8, 3>;
using Quadrilateral = Cell<4, 2>;
template <Space space, bool symmetric = true>
using MeanDilatationOf = FromCellLaw<space, CellGradient::mean_dilatation, symmetric>;
template <Space space, bool symmetric, bool large>
using IncompatibleModesOf = FromCellLaw<space, CellGradient::incompatible_modes, symmetric, large>;
template <Space space, class Shape>
struct RegisterIncompatibleModes {
  RegisterForm<IncompatibleModesOf<space, true, false>, Shape> small;
  RegisterForm<IncompatibleModesOf<space, false, false>, Shape> any_small;
  RegisterForm<IncompatibleModesOf<space, true, true>, Shape> large;
  RegisterForm<IncompatibleModesOf<space, false, true>, Shape> any_large;
};

const RegisterForm<MeanDilatationOf<Space::solid>, Hexahedron> solids;
const RegisterForm<MeanDilatationOf<Space::solid, false>, Hexahedron> any_solids;
const RegisterForm<MeanDilatationOf<Space::plane>, Quadrilateral> planes;
const RegisterForm<MeanDilatationOf<Space::plane, false>, Quadrilateral> any_planes;
const RegisterForm<MeanDilatationOf<Space::revolution>, Quadrilateral> revolutions;
const RegisterForm<MeanDilatationOf<Space::revolution, false>, Quadrilateral> any_revolutions;
const RegisterIncompatibleModes<Space::solid, Hexahedron> solids_with_modes;
const RegisterIncompatibleModes<Space::plane, Quadrilateral> planes_with_modes;
const RegisterForm<FromCellLaw<Space::solid, CellGradient::uniform>, Hexahedron> uniform_solids;
const RegisterWholeElement<HourglassStiffness> hourglasses;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
