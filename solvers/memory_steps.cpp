#include "solvers/memory_steps.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

std::string text(const Error& error, const char* what, const char* cost) { return fmt::format("memory: {} ({}); {}", what, error.message(), cost); }

}  // namespace

std::optional<std::string> step_down(const Error& error, PreconditionerKind& kind, bool& single_precision) {
  if (error.exit() != Exit::resources) return std::nullopt;
  const auto said = [&](const char* what, const char* cost) { return text(error, what, cost); };
  switch (kind) {
    case PreconditionerKind::automatic:
    case PreconditionerKind::multigrid:
      if (!single_precision) {
        single_precision = true;
        return said("the multigrid cycle in single precision, about half of its memory", "cost: an iteration or two more");
      }
      kind = PreconditionerKind::chebyshev;
      return said("Chebyshev preconditioner instead of multigrid, no hierarchy", "cost: three to ten times the iterations, up to six times the time");
    case PreconditionerKind::chebyshev:
      kind = PreconditionerKind::jacobi;
      return said("the diagonal as preconditioner, four vectors fewer", "cost: three to four times the iterations, in about the same time");
    default: return std::nullopt;
  }
}

std::optional<std::string> step_down(const Error& error, LinearSolverOptions& options, MethodChoice& choice) {
  if (choice.method == LinearMethod::direct) return std::nullopt;
  SmoothedAggregationOptions& multigrid = options.multigrid;
  if (error.exit() == Exit::resources && choice.preconditioner == PreconditionerKind::multigrid && multigrid.single_precision && !multigrid.half_storage) {
    multigrid.half_storage = true;
    return text(error, "matrices of the multigrid cycle in 16 bits, a third of its memory less", "cost: up to a fifth more iterations");
  }
  std::optional<std::string> step = step_down(error, choice.preconditioner, options.multigrid.single_precision);
  if (step && choice.preconditioner != PreconditionerKind::multigrid) {  // what was to be faster is not there
    choice.max_iterations = 0;
    choice.give_up = {};
  }
  return step;
}

}  // namespace ritz
