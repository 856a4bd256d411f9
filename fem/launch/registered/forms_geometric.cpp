#include "fem/forms/elasticity.hpp"
#include "fem/forms/thermal_stress.hpp"
#include "fem/forms/varying_elasticity.hpp"
#include "fem/launch/register_geometric.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterGeometric<Elasticity> elasticity;
const RegisterGeometric<VaryingElasticity<Space::solid, ElasticAxes::none>> varying;
const RegisterGeometric<VaryingElasticity<Space::solid, ElasticAxes::fixed>> anisotropic;
const RegisterGeometric<VaryingElasticity<Space::solid>> tabulated;
const RegisterGeometric<VaryingElasticity<Space::solid, ElasticAxes::varying>> oriented;
const RegisterGeometric<ThermalStress<3>> thermal;
const RegisterGeometric<ThermalStress<3, true>> oriented_thermal;

const RegisterGeometric<PlaneElasticity> plane;
const RegisterGeometric<AxisymmetricElasticity> axisymmetric;
const RegisterGeometric<VaryingElasticity<Space::plane>> varying_plane;
const RegisterGeometric<VaryingElasticity<Space::plane, ElasticAxes::varying>> oriented_plane;
const RegisterGeometric<VaryingElasticity<Space::revolution>> varying_axisymmetric;
const RegisterGeometric<ThermalStress<2>> plane_thermal;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
