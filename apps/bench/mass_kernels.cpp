#include "apps/bench/mass.hpp"
#include "fem/launch/register_form.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<BenchMass, Cell<4, 3>, Cell<10, 3>, Cell<8, 3>, Cell<27, 3>> mass;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
