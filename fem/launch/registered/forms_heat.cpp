// Kernels for any element: tables over the temperature cost more than what these lose.
#include "fem/forms/heat.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

template <Form F>
using OnAll = RegisterForm<F, AnyElement<F::dimension - FormFacts<F>::codimension>>;

const OnAll<Conduction<3>> conduction3;
const OnAll<Conduction<2>> conduction2;
const OnAll<HeatCapacity<3>> heat_capacity3;
const OnAll<HeatCapacity<2>> heat_capacity2;
const OnAll<Enthalpy<3>> enthalpy3;
const OnAll<Enthalpy<2>> enthalpy2;
const OnAll<Radiation<3>> radiation3;
const OnAll<Radiation<2>> radiation2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
