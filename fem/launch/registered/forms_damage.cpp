#include "fem/forms/gradient_damage.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<GradientDamage<3>, AnyElement<3>> solids;
const RegisterForm<GradientDamage<2>, AnyElement<2>> planes;
const RegisterForm<GradientDamage<2, true>, AnyElement<2>> sheets;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
