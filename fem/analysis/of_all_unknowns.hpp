// Analyses over ranks, where vectors have the unknowns that a rank owns, as callers see them: states and solutions of
// all unknowns, on every rank. All ranks call these together. Private to fem/analysis.
//
//   analysis.begin = own_state(part, analysis.begin);
//   solve_nonlinear(part.equations(), part.supports(), analysis, of_all_unknowns(part, observer));
#pragma once

#include "fem/analysis/observer.hpp"
#include "fem/ranks/part_of_model.hpp"

namespace ritz {

std::vector<double> forces_of_all(const PartOfModel& part, const std::vector<double>& own);  // for results
State own_state(const PartOfModel& part, State of_all);
State state_of_all(const PartOfModel& part, State own);
// The part must outlive it.
Observer of_all_unknowns(const PartOfModel& part, const Observer& observer);

}  // namespace ritz
