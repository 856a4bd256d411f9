#include "fem/forms/follower_pressure.hpp"
#include "fem/launch/facet_gradients.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// One set of kernels for all facets: they are few beside the cells.
const RegisterForm<FollowerPressure<3>, AnyElement<2>> follower_pressure3;
const RegisterForm<FollowerPressure<2>, AnyElement<1>> follower_pressure2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
