#include "solvers/linear/linear_solver_options.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

std::size_t position(std::string_view name, const std::vector<std::string>& names, const char* what) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string near = nearest_match(name, names);
  throw Error(ErrorKind::plugin, fmt::format("there is no {} '{}'", what, name), "the names are " + quoted_list(names),
              near.empty() ? "use one of them" : fmt::format("did you mean '{}'?", near));
}

}  // namespace

// In the order of the enumerations.
const std::vector<std::string>& linear_method_names() {
  static const std::vector<std::string> names = {"auto", "cg", "flexible_cg", "minres", "gmres", "bicgstab", "direct"};
  return names;
}
const std::vector<std::string>& preconditioner_names() {
  static const std::vector<std::string> names = {"auto", "none", "jacobi", "chebyshev", "multigrid"};
  return names;
}

const std::string& name_of(LinearMethod method) { return linear_method_names()[static_cast<std::size_t>(method)]; }
const std::string& name_of(PreconditionerKind kind) { return preconditioner_names()[static_cast<std::size_t>(kind)]; }

LinearMethod linear_method_named(std::string_view name) {
  return static_cast<LinearMethod>(position(name, linear_method_names(), "solution method"));
}
PreconditionerKind preconditioner_named(std::string_view name) {
  return static_cast<PreconditionerKind>(position(name, preconditioner_names(), "preconditioner"));
}

std::optional<Mismatch> mismatch(LinearMethod method, PreconditionerKind preconditioner) {
  if (method != LinearMethod::direct || preconditioner == PreconditionerKind::automatic) return std::nullopt;
  return Mismatch{
      fmt::format("the method 'direct' was named together with the preconditioner '{}'", name_of(preconditioner)),
      "a factorisation has no preconditioner",
      "omit the preconditioner, or name an iterative method: 'cg', 'flexible_cg', 'minres', 'gmres' or "
      "'bicgstab'"};
}

void check_method_suits(LinearMethod method, const MatrixTraits& traits) {
  const bool needs_symmetry = method == LinearMethod::conjugate_gradient ||
                              method == LinearMethod::flexible_conjugate_gradient || method == LinearMethod::minres;
  if (!needs_symmetry || traits.symmetric) return;
  throw Error(ErrorKind::solver_options,
              fmt::format("the method '{}' was asked for, but the matrix is not symmetric", name_of(method)),
              "its recurrences are only true of symmetric matrices: it would not converge, or to something else",
              "use 'gmres', 'bicgstab', 'direct' or 'auto'");
}

}  // namespace ritz
