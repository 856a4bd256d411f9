#include "fem/forms/diffusion.hpp"
#include "fem/launch/register_tensor.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// Not of bodies of revolution: their rule has more points than a line of an element has nodes (extra_degree).
const RegisterAllTensors<Diffusion<3>> diffusion3;
const RegisterTensor<Diffusion<2>, 1, 2, 3, 4> diffusion2;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
