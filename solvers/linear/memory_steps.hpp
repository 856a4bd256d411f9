// Steps down when memory is short: ways to the same true residual that take less of it and more time. In this order:
//   1. caches go back to the machine (the pool does that by itself);
//   2. the multigrid cycle in single precision, which it is unless asked otherwise;
//   3. its matrices in 16 bits; then a cheaper preconditioner: Chebyshev instead of multigrid, then the diagonal;
//   4. no matrix (fem/analysis/static_solution);   5. the CPU instead of a GPU (apps/program).
//
//   while (const auto shortage = memory_shortage([&] { solve(options, choice); }))  // of a device or of the host
//     if (!(step = step_down(*shortage, options, choice))) throw *shortage;
#pragma once

#include "device/error.hpp"
#include "solvers/linear/method_choice.hpp"

#include <optional>
#include <string>

namespace ritz {

// Changes the choice or the options to the next step. Returns what was done, for the log and the report: "memory: ...",
// with bytes and cost. nullopt: there is no step left here.
std::optional<std::string> step_down(const Error& shortage, LinearSolverOptions& options, MethodChoice& choice);

// The same for a preconditioner alone: the next cheaper one.
std::optional<std::string> step_down(const Error& shortage, PreconditionerKind& kind, bool& single_precision);

}  // namespace ritz
