#include "fem/forms/stokes.hpp"
#include "fem/launch/register_mixed.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterMixedForm<Stokes<2>> stokes2;
const RegisterMixedForm<Stokes<3>> stokes3;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
