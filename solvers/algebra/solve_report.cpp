#include "solvers/algebra/solve_report.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cmath>
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
    case StopReason::preconditioner_not_finite: return "preconditioner not finite";
  }
  return "unknown";
}

const char* advice_for(StopReason reason) {
  switch (reason) {
    case StopReason::converged: return "";
    case StopReason::iteration_limit: return "allow more iterations, use a stronger preconditioner, or a direct solver";
    case StopReason::stagnated:
      return "the tolerance is below what double precision can reach for this matrix: loosen it ([solver] tolerance), "
             "raise [solver] restart of GMRES, or use a direct solver where this is none";
    case StopReason::indefinite_matrix:
      return "the matrix is not positive definite: check supports and material data, or use a direct solver";
    case StopReason::indefinite_preconditioner:
      return "the preconditioner is not positive definite: check the matrix's diagonal, or use another preconditioner";
    case StopReason::breakdown: return "use another method or a direct solver";
    case StopReason::not_finite: return "look for NaN or infinity in material data, loads and coordinates";
    case StopReason::preconditioner_not_finite: return "use another preconditioner or a direct solver";
  }
  return "";
}

bool may_be_rounding(const SolveReport& report) {
  return report.reason == StopReason::stagnated || report.reason == StopReason::indefinite_preconditioner ||
         report.reason == StopReason::not_finite || report.reason == StopReason::preconditioner_not_finite;
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

namespace {

// The smallest eigenvalue of a symmetric tridiagonal matrix, by bisection with Sturm sequences.
double smallest_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  double high = diagonal[0];
  for (const double d : diagonal) high = std::min(high, d);
  double low = high;
  for (std::size_t i = 0; i < diagonal.size(); ++i)
    low = std::min(low,
                   diagonal[i] - (i > 0 ? std::abs(beside[i - 1]) : 0) - (i < beside.size() ? std::abs(beside[i]) : 0));
  low = std::max(low, 0.0);  // the matrix is positive definite
  const auto any_below = [&](double x) {
    double pivot = diagonal[0] - x;
    for (std::size_t i = 1; pivot > 0 && i < diagonal.size(); ++i)
      pivot = diagonal[i] - x - beside[i - 1] * beside[i - 1] / pivot;
    return !(pivot > 0);
  };
  for (int i = 0; i < 60; ++i) {
    const double middle = low > 0 && high > 4 * low ? std::sqrt(low * high) : 0.5 * (low + high);
    (any_below(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

void add_step(SolveReport& report, double p_q, double rz, double rz_expected) {
  if (!report.steps.empty()) report.steps.back().next_product = rz;
  report.steps.push_back({rz / p_q, rz, rz_expected});
}

double squared_energy_error(const std::vector<SolveReport::Step>& steps) {
  const std::size_t n = steps.size();
  if (n < 3) return -1;
  std::vector<double> diagonal, beside;  // of the Lanczos matrix
  for (std::size_t k = 0; k < n; ++k) {
    const double ratio_before = k > 0 ? steps[k - 1].next_product / steps[k - 1].product : 0;
    diagonal.push_back(1 / steps[k].length + (k > 0 ? ratio_before / steps[k - 1].length : 0));
    if (k + 1 < n) beside.push_back(std::sqrt(steps[k].next_product / steps[k].product) / steps[k].length);
  }
  const double mu = 0.9 * smallest_eigenvalue(diagonal, beside);
  if (!(mu > 0)) return -1;
  double radau = 1 / mu;  // of Gauss-Radau quadrature, above the step length of the next step
  for (const SolveReport::Step& step : steps) {
    const double more = radau - step.length;
    radau = more / (mu * more + step.next_product / step.product);
  }
  const double bound = radau * steps.back().next_product;
  return bound >= 0 && std::isfinite(bound) ? bound : -1;
}

void estimate_error(SolveReport& report, double energy) {
  const double squared = squared_energy_error(report.steps);
  if (squared < 0 || !report.converged() || !(energy > 0) || !std::isfinite(energy)) return;
  report.error_estimate = std::max(report.error_estimate, std::sqrt(squared / energy));
  report.error_norm = "energy";
}

void throw_unless_converged(const SolveReport& report) {
  if (report.converged()) return;
  throw Error(ErrorKind::not_converged, "the linear solver did not converge: " + summary(report), report.where,
              advice_for(report.reason));
}

}  // namespace ritz
