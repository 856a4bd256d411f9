#include "fem/forms/diffusion.hpp"
#include "fem/forms/varying_elasticity.hpp"
#include "fem/launch/register_tensor.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// Orders above run by the engine for any element.
const RegisterTensor<VaryingDiffusion<3>, 1, 2, 3, 4> diffusion3;
const RegisterTensor<VaryingElasticity<Space::solid, ElasticAxes::none>, 1, 2, 3, 4> elasticity;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
