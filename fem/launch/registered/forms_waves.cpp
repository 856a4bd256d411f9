#include "fem/forms/mass_across.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/varying_elasticity.hpp"
#include "fem/forms/with_waves.hpp"
#include "fem/launch/register_form.hpp"
#include "fem/launch/register_geometric.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// One set of kernels for all elements: meridians are small.
const RegisterForm<WithWaves<VaryingElasticity<Space::solid>>, AnyElement<2>> elasticity;
const RegisterForm<WithWaves<Mass<3, 3>>, AnyElement<2>> mass;
const RegisterForm<WithWaves<MassAcross<3, false>>, AnyElement<2>> mass_across;
const RegisterGeometric<WithWaves<VaryingElasticity<Space::solid>>> geometric;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
