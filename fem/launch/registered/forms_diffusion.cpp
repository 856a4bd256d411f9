#include "fem/forms/diffusion.hpp"
#include "fem/launch/all_cells.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterOnSolids<Diffusion<3>> diffusion3;
const RegisterOnPlanes<Diffusion<2>> diffusion2;
const RegisterOnPlanes<AxisymmetricDiffusion> axisymmetric_diffusion;
const RegisterOnPlanes<Convection<3>> convection3;
const RegisterOnLines<Convection<2>> convection2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
