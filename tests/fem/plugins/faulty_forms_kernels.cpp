#include "device/kernels.hpp"
#include "fem/launch/register_form.hpp"
#include "fem/launch/register_whole.hpp"
#include "tests/fem/plugins/faulty_elements.hpp"
#include "tests/fem/plugins/faulty_forms.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

using test::ElementFault;
using test::Fault;
using test::Faulty;
using test::FaultyBar;

const RegisterForm<Faulty<Fault::none>, AnyElement<2>> none;
const RegisterForm<Faulty<Fault::not_symmetric>, AnyElement<2>> not_symmetric;
const RegisterForm<Faulty<Fault::not_linear>, AnyElement<2>> not_linear;
const RegisterForm<Faulty<Fault::wrong_tangent>, AnyElement<2>> wrong_tangent;
const RegisterForm<Faulty<Fault::not_finite>, AnyElement<2>> not_finite;
const RegisterForm<Faulty<Fault::not_objective>, AnyElement<2>> not_objective;
const RegisterForm<Faulty<Fault::not_balanced>, AnyElement<2>> not_balanced;
const RegisterForm<Faulty<Fault::coarse_quadrature>, AnyElement<2>> coarse_quadrature;
const RegisterForm<Faulty<Fault::extra_zero_modes>, AnyElement<2>> extra_zero_modes;
const RegisterForm<Faulty<Fault::rough_coefficient>, AnyElement<2>> rough_coefficient;
const RegisterForm<Faulty<Fault::reads_time>, AnyElement<2>> reads_time;
const RegisterForm<Faulty<Fault::depends_on_backend>, AnyElement<2>> depends_on_backend;

const RegisterForm<test::FeelingLoad, AnyElement<2>> feeling_load;
const RegisterForm<test::TwistingStress, AnyElement<2>> twisting_stress;

// Kernels of one's own, in which two do not belong together: actions or diagonals of another form.
template <Fault fault>
struct RegisterMixture {
  RegisterMixture() {
    using Sound = Faulty<Fault::none>;
    using Other = Faulty<Fault::not_balanced>;
    static const FormKernels table = {
        run_matrices<Sound, 0, 2, 0>, run_residuals<Sound, 0, 2>, nullptr,
        fault == Fault::wrong_action ? run_actions<Other, 0, 2> : run_actions<Sound, 0, 2>,
        fault == Fault::wrong_diagonal ? run_diagonals<Other, 0, 2> : run_diagonals<Sound, 0, 2>};
    register_kernels(RITZ_TEXT(RITZ_BACKEND), form_kernel_name(Faulty<fault>::name, 0, 2).c_str(), &table);
  }
};
const RegisterMixture<Fault::wrong_action> wrong_action;
const RegisterMixture<Fault::wrong_diagonal> wrong_diagonal;

const RegisterForm<test::FaultyState<test::StateFault::none>, AnyElement<2>> state_none;
const RegisterForm<test::FaultyState<test::StateFault::drifts>, AnyElement<2>> state_drifts;
const RegisterForm<test::FaultyState<test::StateFault::loses_a_derivative>, AnyElement<2>> state_loses_a_derivative;
const RegisterForm<test::FaultyState<test::StateFault::not_finite>, AnyElement<2>> state_not_finite;
const RegisterForm<test::FaultyState<test::StateFault::depends_on_backend>, AnyElement<2>> state_depends_on_backend;

const RegisterWholeElement<FaultyBar<ElementFault::none>> bar;
const RegisterWholeElement<FaultyBar<ElementFault::not_symmetric>> bar_not_symmetric;
const RegisterWholeElement<FaultyBar<ElementFault::not_linear>> bar_not_linear;
const RegisterWholeElement<FaultyBar<ElementFault::lost_derivative>> bar_lost_derivative;
const RegisterWholeElement<FaultyBar<ElementFault::not_finite>> bar_not_finite;
const RegisterWholeElement<FaultyBar<ElementFault::not_objective>> bar_not_objective;
const RegisterWholeElement<FaultyBar<ElementFault::not_balanced>> bar_not_balanced;
const RegisterWholeElement<test::FaultyStateBar<test::StateFault::none>> state_bar;
const RegisterWholeElement<test::FaultyStateBar<test::StateFault::drifts>> state_bar_drifts;
const RegisterWholeElement<test::FaultyStateBar<test::StateFault::loses_a_derivative>> state_bar_loses_a_derivative;
const RegisterWholeElement<test::DamageByEnergy> damage_by_energy;
const RegisterWholeElement<test::EnergyBar> energy_bar;
const RegisterWholeElement<test::Valve> valve;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
