#include "fem/forms/anisotropic_conduction.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<AnisotropicConduction<3>, AnyElement<3>> conduction3;
const RegisterForm<AnisotropicConduction<2>, AnyElement<2>> conduction2;
const RegisterForm<AnisotropicConduction<3, true>, AnyElement<3>> oriented_conduction3;
const RegisterForm<AnisotropicConduction<2, true>, AnyElement<2>> oriented_conduction2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
