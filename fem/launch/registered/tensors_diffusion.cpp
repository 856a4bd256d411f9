#include "fem/forms/diffusion.hpp"
#include "fem/launch/register_tensor.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterAllTensors<Diffusion<3>> diffusion3;
const RegisterAllTensors<Diffusion<2>> diffusion2;
const RegisterAllTensors<AxisymmetricDiffusion> axisymmetric_diffusion;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
