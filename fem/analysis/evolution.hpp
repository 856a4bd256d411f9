// The loop over the steps of an evolution in time: the times of results, the control of the length of steps, and what
// is kept from step to step. Private to fem/analysis.
#pragma once

#include "fem/analysis/integrator.hpp"

namespace ritz {

TransientResult evolve(TimeProblem& problem, Integrator& integrator, const Observer& observer);

}  // namespace ritz
