#include "solvers/linear/memory_steps.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace ritz {
namespace {

using Kind = PreconditionerKind;

constexpr std::array<MemoryStep, 6> step_table = {{
    {MemoryLevel::cycle, "the multigrid cycle in single precision", "about half of the hierarchy",
     "an iteration or two more",
     [](const MemorySavings& savings) {
       return savings.preconditioner == Kind::multigrid && !savings.single_precision;
     },
     [](MemorySavings& savings) { savings.single_precision = true; }},
    {MemoryLevel::cycle, "matrices of the multigrid cycle in 16 bits", "a third of the hierarchy",
     "up to a fifth more iterations",
     [](const MemorySavings& savings) {
       return savings.preconditioner == Kind::multigrid && savings.matrix && !savings.half_storage;
     },
     [](MemorySavings& savings) { savings.half_storage = true; }},
    {MemoryLevel::cycle, "Chebyshev preconditioner instead of multigrid", "the hierarchy",
     "three to ten times the iterations, up to six times the time",
     [](const MemorySavings& savings) { return savings.preconditioner == Kind::multigrid; },
     [](MemorySavings& savings) { savings.preconditioner = Kind::chebyshev; }},
    {MemoryLevel::cycle, "the diagonal as preconditioner", "four vectors",
     "three to four times the iterations, in about the same time",
     [](const MemorySavings& savings) { return savings.preconditioner == Kind::chebyshev; },
     [](MemorySavings& savings) { savings.preconditioner = Kind::jacobi; }},
    {MemoryLevel::system, "no matrix", "matrix and pattern, five sixths and more",
     "elements are computed again in every product, at order 1 with three to ten times the iterations",
     [](const MemorySavings& savings) { return savings.matrix && !savings.needs_matrix; },
     [](MemorySavings& savings) { savings.matrix = false; }},
    {MemoryLevel::system, "cold data waits on the host", "right-hand sides, solutions and lists that are not in use",
     "copies, and right-hand sides are solved one after the other",
     [](const MemorySavings& savings) { return savings.device_is_apart && !savings.keeps_cold; },
     [](MemorySavings& savings) { savings.keeps_cold = true; }},
}};

}  // namespace

std::span<const MemoryStep> memory_steps() { return step_table; }

std::optional<std::string> step_down(MemoryLevel level, MemorySavings& savings, const Error& shortage) {
  const auto step = std::ranges::find_if(
      step_table, [&](const MemoryStep& each) { return each.level == level && each.applies(savings); });
  if (step == step_table.end()) return std::nullopt;
  step->take(savings);
  return fmt::format("memory: {} ({}), saves {}; cost: {}", step->name, shortage.message(), step->saves, step->cost);
}

}  // namespace ritz
