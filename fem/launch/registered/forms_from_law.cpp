// Integrals of what a law leaves at points, for all laws.
#include "fem/materials/from_law.hpp"
#include "fem/launch/all_cells.hpp"
#ifdef __CUDACC__
#include "fem/launch/law_points_cuda.hpp"
#else
#include "fem/launch/law_points_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<FromLaw<Space::solid, true>, Cell<4, 3>, Cell<8, 3>, Cell<10, 3>, Cell<20, 3>, AnyElement<3>> solids;
const RegisterForm<FromLaw<Space::solid, false>, AnyElement<3>> any_solids;
const RegisterForm<FromLaw<Space::plane, true>, AnyElement<2>> planes;
const RegisterForm<FromLaw<Space::plane, false>, AnyElement<2>> any_planes;
const RegisterForm<FromLaw<Space::revolution, true>, AnyElement<2>> revolutions;
const RegisterForm<FromLaw<Space::revolution, false>, AnyElement<2>> any_revolutions;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
