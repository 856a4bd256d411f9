#include "fem/forms/elasticity.hpp"
#include "fem/launch/register_tensor.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterAllTensors<PlaneElasticity> plane_elasticity;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
