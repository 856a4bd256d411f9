#include "fem/forms/natural_conditions.hpp"
#include "fem/launch/register_mixed.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterMixedForm<FluxPressure<2>> flux_pressure2;
const RegisterMixedForm<FluxPressure<3>> flux_pressure3;
const RegisterMixedForm<FluxFilm<2>> flux_film2;
const RegisterMixedForm<FluxFilm<3>> flux_film3;
const RegisterMixedForm<SurfaceCurrent<2>> surface_current2;
const RegisterMixedForm<SurfaceCurrent<3>> surface_current3;
const RegisterMixedForm<EdgeFilm<2>> edge_film2;
const RegisterMixedForm<EdgeFilm<3>> edge_film3;
const RegisterMixedForm<VectorSource<2, Family::facet>> flux_source2;
const RegisterMixedForm<VectorSource<3, Family::facet>> flux_source3;
const RegisterMixedForm<VectorSource<2, Family::edge>> edge_source2;
const RegisterMixedForm<VectorSource<3, Family::edge>> edge_source3;
const RegisterMixedForm<StokesSlip<2>> stokes_slip2;
const RegisterMixedForm<StokesSlip<3>> stokes_slip3;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
