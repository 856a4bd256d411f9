#include "fem/launch/register_form.hpp"
#include "tests/cases/reduced_mass.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<test::ReducedMass, Cell<4, 3>, Cell<10, 3>> reduced_mass;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
