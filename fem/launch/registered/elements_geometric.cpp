#include "fem/launch/register_geometric.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterGeometric<Bar> bar;
const RegisterGeometric<Spring> spring;
const RegisterGeometric<Beam> beam;
const RegisterGeometric<Shell> shell;
const RegisterGeometric<Shell3> shell3;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
