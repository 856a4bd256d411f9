// The gradient of an evolution in time: the evolution is followed, then its adjoint goes backwards through the steps as
// they were taken. Private to apps/analyses/gradient*.
#pragma once

#include "apps/analyses/gradient.hpp"

namespace ritz {

void solve_in_time_with_gradient(Run& run, const CaseModel& read, const Transient& analysis, Observer observer,
                                 const Prepared& prepared, const std::function<void(const TransientResult&)>& conclude);

}  // namespace ritz
