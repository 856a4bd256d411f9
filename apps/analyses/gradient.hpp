// The derivatives that [gradient] asks for, by the adjoint method: of statics one more solution of the linear
// equations, of evolutions in time one more way there and one back.
#pragma once

#include "apps/analyses/case_analysis.hpp"

namespace ritz {

// Adds to the case what keeps a gradient from being taken: another analysis, a probe that is not linear in the unknown,
// keys that were not read as numbers.
void check_gradient(Run& run, const CaseModel& read, const CaseAnalysis& analysis);

// Names of the fields, without values: those by positions stand at nodes.
struct SplitFields {
  std::vector<Field> nodal, cells;
};
SplitFields gradient_results(const CaseModel& read);

// Solves with an observer that has the gradient carried in the results: fields in cells of d(probe)/d(number in the
// cell), [cell], or at nodes of d(probe)/d(position), [node][3], beside the solution of which it is taken; beside all
// others they are not a number. Their sums, d(probe)/d(number of the case), go to the log and the report.
void solve_with_gradient(Run& run, const CaseModel& read, const Static& analysis, Observer observer,
                         const Prepared& prepared);
void solve_with_gradient(Run& run, const CaseModel& read, const LoadCases& analysis, Observer observer,
                         const Prepared& prepared);
// The evolution is followed, then its adjoint goes backwards through the steps as they were taken.
TransientResult solve_with_gradient(Run& run, const CaseModel& read, const Transient& analysis, Observer observer,
                                    const Prepared& prepared);

}  // namespace ritz
