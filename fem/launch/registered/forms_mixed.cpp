#include "fem/forms/curl_curl.hpp"
#include "fem/forms/mixed_poisson.hpp"
#include "fem/forms/navier_stokes.hpp"
#include "fem/forms/stokes.hpp"
#include "fem/forms/thermo_elasticity.hpp"
#include "fem/launch/register_mixed.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterMixedForm<Stokes<2>> stokes2;
const RegisterMixedForm<Stokes<3>> stokes3;
const RegisterMixedForm<NavierStokes<2>> navier_stokes2;
const RegisterMixedForm<NavierStokes<3>> navier_stokes3;
const RegisterMixedForm<MixedPoisson<2>> mixed_poisson2;
const RegisterMixedForm<MixedPoisson<3>> mixed_poisson3;
const RegisterMixedForm<ThermoElasticity<2>> thermo_elasticity2;
const RegisterMixedForm<ThermoElasticity<3>> thermo_elasticity3;
const RegisterMixedForm<CurlCurl<2>> curl_curl2;
const RegisterMixedForm<CurlCurl<3>> curl_curl3;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
