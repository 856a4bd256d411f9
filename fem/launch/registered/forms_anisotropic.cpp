#include "fem/forms/anisotropic.hpp"
#include "fem/forms/anisotropic_conduction.hpp"
#include "fem/forms/in_plane.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<AnisotropicElasticity, Cell<4, 3>, Cell<8, 3>, Cell<10, 3>, AnyElement<3>> anisotropic;
const RegisterForm<PlaneStrain<AnisotropicElasticity>, AnyElement<2>> anisotropic_plane_strain;
const RegisterForm<PlaneStress<AnisotropicElasticity>, AnyElement<2>> anisotropic_plane_stress;
const RegisterForm<Axisymmetric<AnisotropicElasticity>, AnyElement<2>> anisotropic_revolution;

const RegisterForm<OrientedElasticity, AnyElement<3>> oriented;
const RegisterForm<PlaneStrain<OrientedElasticity>, AnyElement<2>> oriented_plane_strain;
const RegisterForm<PlaneStress<OrientedElasticity>, AnyElement<2>> oriented_plane_stress;

const RegisterForm<AnisotropicConduction<3>, AnyElement<3>> conduction3;
const RegisterForm<AnisotropicConduction<2>, AnyElement<2>> conduction2;
const RegisterForm<AnisotropicConduction<3, true>, AnyElement<3>> oriented_conduction3;
const RegisterForm<AnisotropicConduction<2, true>, AnyElement<2>> oriented_conduction2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
