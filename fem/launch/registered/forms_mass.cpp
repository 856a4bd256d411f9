#include "fem/forms/mass.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

template <Form F>
using OnSolids = RegisterForm<F, Cell<4, 3>, Cell<8, 3>, AnyElement<3>>;
template <Form F>
using OnPlanes = RegisterForm<F, Cell<3, 2>, Cell<4, 2>, AnyElement<2>>;

const OnSolids<Mass<1, 3>> scalar_mass;
const OnSolids<Mass<3, 3>> mass;
const OnPlanes<Mass<1, 2>> plane_scalar_mass;
const OnPlanes<Mass<2, 2>> plane_mass;
const OnPlanes<Mass<1, 2, true>> axisymmetric_scalar_mass;
const OnPlanes<Mass<2, 2, true>> axisymmetric_mass;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
