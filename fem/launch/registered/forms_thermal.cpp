#include "fem/forms/thermal_stress.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<ThermalStress<3>, AnyElement<3>> thermal_stress3;
const RegisterForm<ThermalStress<2>, AnyElement<2>> thermal_stress2;
const RegisterForm<ThermalStress<3, true>, AnyElement<3>> oriented_thermal_stress3;
const RegisterForm<ThermalStress<2, true>, AnyElement<2>> oriented_thermal_stress2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
