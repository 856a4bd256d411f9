#include "fem/forms/blended_elasticity.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/thermal_stress.hpp"
#include "fem/forms/varying.hpp"
#include "fem/launch/register_geometric.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterGeometric<Elasticity> elasticity;
const RegisterGeometric<VaryingElasticity> varying;
const RegisterGeometric<AnisotropicElasticity> anisotropic;
const RegisterGeometric<OrientedElasticity> oriented;
const RegisterGeometric<BlendedElasticity<>> blended;
const RegisterGeometric<BlendedElasticity<true>> oriented_blended;
const RegisterGeometric<ThermalStress<3>> thermal;
const RegisterGeometric<ThermalStress<3, true>> oriented_thermal;

const RegisterGeometric<PlaneElasticity> plane;
const RegisterGeometric<AxisymmetricElasticity> axisymmetric;
const RegisterGeometric<VaryingPlaneElasticity<PlaneKind::strain>> varying_plane_strain;
const RegisterGeometric<VaryingPlaneElasticity<PlaneKind::stress>> varying_plane_stress;
const RegisterGeometric<VaryingPlaneElasticity<PlaneKind::axisymmetric>> varying_axisymmetric;
const RegisterGeometric<ThermalStress<2>> plane_thermal;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
