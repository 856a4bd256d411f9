#include "fem/analysis/answers_to_forces.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"

#include <fmt/format.h>

namespace ritz {

Vector AnswersToForces::free_part(const Vector& f) const {
  Vector b = zeros();
  copy(f, b);
  supports().gather(b);
  supports().set_zero(b);
  return b;
}

Vector AnswersToForces::to(const Vector& f) {
  Vector u = zeros();
  const Vector b = free_part(f);
  if (norm2(b) == 0) return u;
  const SolveReport report = solve(b, u);
  if (!report.converged())
    throw Error(
        ErrorKind::not_converged,
        fmt::format("the linear solver ({}) stopped for a residual vector: {}", report.method, name_of(report.reason)),
        report.where, advice_for(report.reason));
  supports().set_linear(u);
  return u;
}

}  // namespace ritz
