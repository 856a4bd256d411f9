// Central differences with masses at the nodes. Private to fem/analysis.
#pragma once

#include "fem/analysis/integrator.hpp"

#include <memory>

namespace ritz {

std::unique_ptr<Integrator> central_differences(TimeProblem& problem, const TransientModel& model);

}  // namespace ritz
