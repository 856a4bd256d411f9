#include "solvers/linear/memory_steps.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

std::string text(const Error& shortage, const char* what, const char* cost) {
  return fmt::format("memory: {} ({}); {}", what, shortage.message(), cost);
}

}  // namespace

std::optional<std::string> step_down(const Error& shortage, PreconditionerKind& kind, bool& single_precision) {
  const auto said = [&](const char* what, const char* cost) { return text(shortage, what, cost); };
  switch (kind) {
    case PreconditionerKind::automatic:
    case PreconditionerKind::multigrid:
      if (!single_precision) {
        single_precision = true;
        return said("the multigrid cycle in single precision, about half of its memory",
                    "cost: an iteration or two more");
      }
      kind = PreconditionerKind::chebyshev;
      return said("Chebyshev preconditioner instead of multigrid, no hierarchy",
                  "cost: three to ten times the iterations, up to six times the time");
    case PreconditionerKind::chebyshev:
      kind = PreconditionerKind::jacobi;
      return said("the diagonal as preconditioner, four vectors fewer",
                  "cost: three to four times the iterations, in about the same time");
    default: return std::nullopt;
  }
}

std::optional<std::string> step_down(const Error& shortage, LinearSolverOptions& options, MethodChoice& choice) {
  if (choice.method == LinearMethod::direct) return std::nullopt;
  SmoothedAggregationOptions& multigrid = options.multigrid;
  if (choice.preconditioner == PreconditionerKind::multigrid && multigrid.single_precision && !multigrid.half_storage) {
    multigrid.half_storage = true;
    return text(shortage, "matrices of the multigrid cycle in 16 bits, a third of its memory less",
                "cost: up to a fifth more iterations");
  }
  std::optional<std::string> step = step_down(shortage, choice.preconditioner, options.multigrid.single_precision);
  if (step && choice.preconditioner != PreconditionerKind::multigrid) {  // what was to be faster is not there
    choice.max_iterations = 0;
    choice.give_up = {};
  }
  return step;
}

}  // namespace ritz
