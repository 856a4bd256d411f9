#include "solvers/solve_report.hpp"

#include "device/error.hpp"

#include <fmt/format.h>

namespace ritz {

const char* name_of(StopReason reason) {
  switch (reason) {
    case StopReason::converged: return "converged";
    case StopReason::iteration_limit: return "iteration limit";
    case StopReason::stagnated: return "stagnated";
    case StopReason::indefinite_matrix: return "indefinite matrix";
    case StopReason::indefinite_preconditioner: return "indefinite preconditioner";
    case StopReason::breakdown: return "breakdown";
    case StopReason::not_finite: return "not finite";
  }
  return "unknown";
}

const char* advice_for(StopReason reason) {
  switch (reason) {
    case StopReason::converged: return "";
    case StopReason::iteration_limit: return "allow more iterations, use a stronger preconditioner, or a direct solver";
    case StopReason::stagnated:
      return "the tolerance is below what double precision can reach for this matrix: loosen it, or use a direct solver";
    case StopReason::indefinite_matrix:
      return "the matrix is not positive definite: check supports and material data, or use a direct solver";
    case StopReason::indefinite_preconditioner:
      return "the preconditioner is not positive definite: check the matrix's diagonal, or use another preconditioner";
    case StopReason::breakdown: return "use another method or a direct solver";
    case StopReason::not_finite: return "look for NaN or infinity in material data, loads and coordinates";
  }
  return "";
}

std::string summary(const SolveReport& report) {
  const std::string preconditioner =
      report.preconditioner.empty() || report.preconditioner == "none" ? "" : " with " + report.preconditioner;
  std::string text = fmt::format("{}{}: {} after {} iteration{}, residual {:.1e}", report.method, preconditioner,
                                 name_of(report.reason), report.iterations, report.iterations == 1 ? "" : "s",
                                 report.true_relative_residual);
  if (!report.where.empty()) text += "; " + report.where;
  return text;
}

void throw_unless_converged(const SolveReport& report) {
  if (report.converged()) return;
  throw Error(Exit::not_converged, "the linear solver did not converge: " + summary(report), report.where,
              advice_for(report.reason));
}

}  // namespace ritz
