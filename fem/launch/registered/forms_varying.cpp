#include "fem/forms/diffusion.hpp"
#include "fem/forms/mass_across.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// One set of kernels for all elements: what varies costs more than what these lose.
template <Form F>
using OnAll = RegisterForm<F, AnyElement<F::dimension - FormFacts<F>::codimension>>;

const OnAll<VaryingDiffusion<3>> diffusion3;
const OnAll<VaryingDiffusion<2>> diffusion2;
const OnAll<MassAcross<3, false>> mass_across;
const OnAll<MassAcross<2, true>> axisymmetric_mass_across;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
