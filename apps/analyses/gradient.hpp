// The derivatives that [gradient] asks for, by one more solution of the linear equations: the adjoint method.
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/analysis/analysis.hpp"
#include "fem/analysis/static_solution.hpp"

namespace ritz {

// Adds to the case what keeps a gradient from being taken: another analysis than linear statics, a probe that is not
// linear in the unknown, keys that were not read as numbers.
void check_gradient(Run& run, const CaseModel& read, bool is_linear_statics);

// Names of the fields in cells, without values.
std::vector<Field> gradient_fields(const CaseModel& read);

// Fields in cells of d(probe)/d(number in the cell), [cell]. Their sums, d(probe)/d(number of the case), go to the log
// and the report.
std::vector<Field> solve_gradient(Run& run, const CaseModel& read, const StaticSolution& solution,
                                  const LinearSolverOptions& linear);

}  // namespace ritz
