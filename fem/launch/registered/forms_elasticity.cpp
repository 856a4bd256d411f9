#include "fem/forms/elasticity.hpp"
#include "fem/launch/all_cells.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterOnSolids<Elasticity> elasticity;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
