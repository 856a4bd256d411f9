#include "fem/elements/loads.hpp"
#include "fem/elements/shell.hpp"
#include "fem/launch/register_whole.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterWholeElement<Shell> shell;
const RegisterWholeElement<ShellLoad> shell_load;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
