#include "fem/launch/all_cells.hpp"
#include "fem/launch/register_tensor.hpp"
#include "test_forms.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterOnSolids<test::NonlinearDiffusion<3>> nonlinear_diffusion3;
const RegisterTensor<test::NonlinearDiffusion<3>, 1, 2, 3> nonlinear_diffusion3_tensors;
const RegisterTensor<test::Coupled, 2> coupled_tensors;
const RegisterOnPlanes<test::NonlinearDiffusion<2>> nonlinear_diffusion2;
const RegisterForm<FromEnergy<test::ElasticEnergy>, AnyElement<3>> elastic_energy;
const RegisterForm<FromEnergy<test::MembraneEnergy>, AnyElement<2>> membrane_energy;
const RegisterOnPlanes<test::Coupled> coupled;
const RegisterOnPlanes<test::SlopeDiffusion> slope_diffusion;
const RegisterForm<test::LimitedSteps, AnyElement<2>> limited_steps;
const RegisterOnSolids<test::WaveSource<3>> wave_source3;
const RegisterOnPlanes<test::WaveSource<2>> wave_source2;
const RegisterOnSolids<test::WaveForce<3>> wave_force3;
const RegisterOnPlanes<test::WaveForce<2>> wave_force2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
