#include "fem/forms/diffusion.hpp"
#include "fem/forms/in_plane.hpp"
#include "fem/forms/loads.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// One set of kernels for all elements: a solution evaluates loads once.
template <Form F>
using OnAll = RegisterForm<F, AnyElement<F::dimension - FormFacts<F>::codimension>>;

const OnAll<Load<1, 3, 0>> heat_sources;
const OnAll<Load<3, 3, 0>> body_forces;
const OnAll<Load<1, 2, 0>> plane_heat_sources;
const OnAll<Load<2, 2, 0>> plane_body_forces;
const OnAll<Load<1, 3, 1>> fluxes;
const OnAll<Load<3, 3, 1>> tractions;
const OnAll<Pressure<3>> pressures;
const OnAll<Load<1, 2, 1>> plane_fluxes;
const OnAll<Load<2, 2, 1>> plane_tractions;
const OnAll<Pressure<2>> plane_pressures;
const OnAll<Axisymmetric<Pressure<3>>> pressures_of_revolution;
const OnAll<Axisymmetric<Convection<3>>> convection_of_revolution;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
