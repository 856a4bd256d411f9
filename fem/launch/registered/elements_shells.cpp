#include "fem/elements/loads.hpp"
#include "fem/elements/shell.hpp"
#include "fem/elements/shell3.hpp"
#include "fem/launch/register_whole.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

const RegisterWholeElement<Shell> shell;
const RegisterWholeElement<ShellLoad> shell_load;
const RegisterWholeElement<Shell3> shell3;
const RegisterWholeElement<Shell3Load> shell3_load;

}  // namespace
}  // namespace ritz::RITZ_BACKEND
