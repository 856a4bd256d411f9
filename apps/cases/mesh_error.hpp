// "Is my mesh fine enough?": the estimated error by the mesh (fem/results/error_estimate.hpp) for the log, the report
// and the results.
#pragma once

#include "apps/cases/run.hpp"
#include "fem/results/error_estimate.hpp"

namespace ritz {

// [output] error_estimate
bool wants_mesh_error(Run& run);
// An error of the case: the estimate knows isotropic materials without thermal strain only.
void throw_no_estimate_of(Case& input, const char* what);

// The estimate for a solution, as a phase.
DiscretisationError mesh_error(Run& run, const FunctionSpace& space, const Vector& u, const ErrorModel& model);

// In the log and among the facts: how large it is, where, and what a finer mesh would bring, where that can be said.
void report_mesh_error(Run& run, const FunctionSpace& space, const DiscretisationError& error);

}  // namespace ritz
