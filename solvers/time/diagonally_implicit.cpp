#include "solvers/time/diagonally_implicit.hpp"

#include "device/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ritz {

const std::vector<std::string>& time_method_names() {
  static const std::vector<std::string> names = {tr_bdf2.name, backward_euler.name};
  return names;
}

const DiagonallyImplicitMethod& time_method_named(std::string_view name) {
  for (const DiagonallyImplicitMethod* method : {&tr_bdf2, &backward_euler})
    if (name == method->name) return *method;
  throw Error(ErrorKind::solver_options, fmt::format("there is no method in time called '{}'", name),
              fmt::format("the methods are {}", fmt::join(time_method_names(), ", ")), "use one of these");
}

}  // namespace ritz
