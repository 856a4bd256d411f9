// Kernels of the form, for processors and for GPUs: ritz_kernels() in CMakeLists.txt compiles this file for each of
// them.
#include "own_form.hpp"

#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
const RegisterForm<FromEnergy<Film>, AnyElement<2>> film;
}
