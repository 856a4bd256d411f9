#include "fem/forms/varying.hpp"
#include "fem/forms/varying_elasticity.hpp"
#include "fem/forms/with_waves.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// One set of kernels for all elements: meridians are small.
const RegisterForm<WithWaves<VaryingElasticity<Space::solid>>, AnyElement<2>> elasticity;
const RegisterForm<WithWaves<VaryingMass<3>>, AnyElement<2>> mass;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
