// A family of the tests' kernels.
#include "device/kernels.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const int table = 1;
const Registration registration("rare", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
