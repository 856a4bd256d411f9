#include "fem/forms/elasticity.hpp"
#include "fem/launch/register_tensor.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// Orders above run by the engine for any element.
const RegisterTensor<PlaneElasticity, 1, 2, 3, 4> plane_elasticity;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
