#include "fem/forms/anisotropic_conduction.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<AnisotropicConduction<3>, AnyElement<3>> conduction3;
const RegisterForm<AnisotropicConduction<2>, AnyElement<2>> conduction2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
