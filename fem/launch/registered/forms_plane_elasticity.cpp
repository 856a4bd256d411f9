#include "fem/forms/elasticity.hpp"
#include "fem/launch/all_cells.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterOnPlanes<PlaneElasticity> plane_elasticity;
const RegisterOnPlanes<AxisymmetricElasticity> axisymmetric_elasticity;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
