#include "fem/forms/mass_across.hpp"
#include "fem/forms/varying.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// One set of kernels for all elements: what varies costs more than what these lose.
template <Form F>
using OnAll = RegisterForm<F, AnyElement<F::dimension - FormFacts<F>::codimension>>;

const OnAll<GivenLoad<1, 3, 0>> heat_sources;
const OnAll<GivenLoad<3, 3, 0>> body_forces;
const OnAll<GivenLoad<1, 2, 0>> plane_heat_sources;
const OnAll<GivenLoad<2, 2, 0>> plane_body_forces;
const OnAll<GivenLoad<1, 3, 1>> fluxes;
const OnAll<GivenLoad<3, 3, 1>> tractions;
const OnAll<GivenLoad<1, 2, 1>> plane_fluxes;
const OnAll<GivenLoad<2, 2, 1>> plane_tractions;
const OnAll<GivenPressure<3>> pressures;
const OnAll<GivenPressure<2>> plane_pressures;
const OnAll<VaryingDiffusion<3>> diffusion3;
const OnAll<VaryingDiffusion<2>> diffusion2;
const OnAll<VaryingConvection<3>> convection3;
const OnAll<VaryingConvection<2>> convection2;
const OnAll<VaryingMass<3>> mass3;
const OnAll<VaryingMass<2>> mass2;
const OnAll<VaryingMass<2, true>> axisymmetric_mass2;
const OnAll<MassAcross<3, false>> mass_across;
const OnAll<MassAcross<2, true>> axisymmetric_mass_across;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
