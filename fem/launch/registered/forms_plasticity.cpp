#include "fem/forms/plasticity.hpp"
#include "fem/launch/all_cells.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterForm<VonMisesPlasticity, Cell<4, 3>, Cell<10, 3>, Cell<8, 3>, Cell<20, 3>, AnyElement<3>>
    von_mises_plasticity;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
