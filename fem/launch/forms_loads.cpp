#include "fem/forms/diffusion.hpp"
#include "fem/forms/in_plane.hpp"
#include "fem/forms/loads.hpp"
#include "fem/launch/all_cells.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterOnSolids<Load<1, 3, 0>> heat_sources;
const RegisterOnSolids<Load<3, 3, 0>> body_forces;
const RegisterOnPlanes<Load<1, 2, 0>> plane_heat_sources;
const RegisterOnPlanes<Load<2, 2, 0>> plane_body_forces;
const RegisterOnPlanes<Load<1, 3, 1>> fluxes;
const RegisterOnPlanes<Load<3, 3, 1>> tractions;
const RegisterOnPlanes<Pressure<3>> pressures;
const RegisterOnLines<Load<1, 2, 1>> plane_fluxes;
const RegisterOnLines<Load<2, 2, 1>> plane_tractions;
const RegisterOnLines<Pressure<2>> plane_pressures;
const RegisterForm<Axisymmetric<Pressure<3>>, AnyElement<1>> pressures_of_revolution;
const RegisterForm<Axisymmetric<Convection<3>>, AnyElement<1>> convection_of_revolution;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
