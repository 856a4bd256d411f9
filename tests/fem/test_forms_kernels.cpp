#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/in_plane.hpp"
#include "fem/launch/register_form.hpp"
#include "fem/launch/register_tensor.hpp"
#include "fem/launch/register_whole.hpp"
#include "tests/fem/radial_return.hpp"
#include "tests/fem/stateful_forms.hpp"
#include "tests/fem/test_forms.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// A cell's own kernels where a kind of them is tried: tangents by dual numbers at one point and at several. The
// library's forms have them on every kind of cell; these do without elsewhere, as each costs every build its time.
const RegisterForm<test::NonlinearDiffusion<3>, Cell<4, 3>, Cell<8, 3>, Cell<10, 3>, AnyElement<3>>
    nonlinear_diffusion3;
const RegisterTensor<test::NonlinearDiffusion<3>, 1, 2, 3> nonlinear_diffusion3_tensors;
const RegisterTensor<test::Coupled, 2> coupled_tensors;
const RegisterForm<test::NonlinearDiffusion<2>, Cell<3, 2>, Cell<9, 2>, AnyElement<2>> nonlinear_diffusion2;
const RegisterForm<FromEnergy<test::ElasticEnergy>, AnyElement<3>> elastic_energy;
const RegisterForm<FromEnergy<test::SofteningEnergy>, AnyElement<3>> softening_energy;
const RegisterForm<FromEnergy<test::MembraneEnergy>, AnyElement<2>> membrane_energy;
const RegisterForm<FromEnergy<test::AgeingEnergy>, AnyElement<3>> ageing_energy;
const RegisterTensor<FromEnergy<test::AgeingEnergy>, 2> ageing_tensors;
const RegisterForm<PlaneStrain<test::AgeingEnergy>, AnyElement<2>> ageing_in_the_plane;
const RegisterForm<test::AgeingWithPast, AnyElement<2>> ageing_with_past;
const RegisterForm<test::Coupled, Cell<3, 2>, Cell<4, 2>, AnyElement<2>> coupled;
const RegisterForm<test::SteepMass<2>, AnyElement<2>> steep_mass2;
const RegisterForm<test::SlopeDiffusion, AnyElement<2>> slope_diffusion;
const RegisterForm<test::LimitedSteps, AnyElement<2>> limited_steps;
const RegisterForm<FromEnergy<test::YieldingByEnergy>, AnyElement<2>> yielding_by_energy;
const RegisterForm<test::YieldingByFlux, AnyElement<2>> yielding_by_flux;
const RegisterForm<test::FouledWall, AnyElement<1>> fouled_wall;
const RegisterWholeElement<test::PlasticByStrains> plastic_by_strains;
const RegisterWholeElement<test::PlasticLine<test::Way::energy>> plastic_by_energy;
const RegisterWholeElement<test::PlasticLine<test::Way::residual>> plastic_by_residual;
const RegisterForm<PlaneStrain<test::OwnElasticity>, AnyElement<2>> plane_strain;
const RegisterForm<PlaneStress<test::ElasticEnergy>, AnyElement<2>> plane_stress_of_an_energy;
const RegisterForm<Axisymmetric<test::OwnElasticity>, AnyElement<2>> axisymmetric;
const RegisterForm<Axisymmetric<Diffusion<3>>, AnyElement<2>> axisymmetric_diffusion;
const RegisterForm<test::RadialReturn, AnyElement<3>> radial_return;
const RegisterForm<PlaneStress<test::RadialReturn>, AnyElement<2>> radial_return_in_plane_stress;
const RegisterForm<test::WaveSource<3>, AnyElement<3>> wave_source3;
const RegisterForm<test::WaveSource<2>, AnyElement<2>> wave_source2;
const RegisterForm<test::WaveForce<3>, AnyElement<3>> wave_force3;
const RegisterForm<test::WaveForce<2>, AnyElement<2>> wave_force2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
