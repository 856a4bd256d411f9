#include "fem/forms/in_plane.hpp"
#include "fem/forms/plasticity.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<PlaneStrain<VonMisesPlasticity>, AnyElement<2>> plane_strain;
const RegisterForm<PlaneStress<VonMisesPlasticity>, AnyElement<2>> plane_stress;
const RegisterForm<Axisymmetric<VonMisesPlasticity>, AnyElement<2>> axisymmetric;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
