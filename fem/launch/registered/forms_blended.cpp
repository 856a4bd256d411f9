#include "fem/forms/blended_elasticity.hpp"
#include "fem/forms/in_plane.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<BlendedElasticity<>, AnyElement<3>> solid;
const RegisterForm<BlendedElasticity<true>, AnyElement<3>> oriented;
const RegisterForm<PlaneStrain<BlendedElasticity<>>, AnyElement<2>> plane_strain;
const RegisterForm<PlaneStress<BlendedElasticity<>>, AnyElement<2>> plane_stress;
const RegisterForm<Axisymmetric<BlendedElasticity<>>, AnyElement<2>> revolution;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
