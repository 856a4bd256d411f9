#include "fem/forms/mass.hpp"
#include "fem/launch/all_cells.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterOnSolids<Mass<1, 3>> scalar_mass;
const RegisterOnSolids<Mass<3, 3>> mass;
const RegisterOnPlanes<Mass<1, 2>> plane_scalar_mass;
const RegisterOnPlanes<Mass<2, 2>> plane_mass;
const RegisterOnPlanes<Mass<1, 2, true>> axisymmetric_scalar_mass;
const RegisterOnPlanes<Mass<2, 2, true>> axisymmetric_mass;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
