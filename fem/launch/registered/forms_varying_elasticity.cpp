#include "fem/forms/varying_elasticity.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<VaryingElasticity<Space::solid, ElasticAxes::none>, AnyElement<3>> isotropic;
const RegisterForm<VaryingElasticity<Space::solid, ElasticAxes::fixed>, AnyElement<3>> anisotropic;
const RegisterForm<VaryingElasticity<Space::solid>, AnyElement<3>> tabulated;
const RegisterForm<VaryingElasticity<Space::solid, ElasticAxes::varying>, AnyElement<3>> oriented;
const RegisterForm<VaryingElasticity<Space::plane>, AnyElement<2>> plane;
const RegisterForm<VaryingElasticity<Space::plane, ElasticAxes::varying>, AnyElement<2>> oriented_plane;
const RegisterForm<VaryingElasticity<Space::revolution>, AnyElement<2>> revolution;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
