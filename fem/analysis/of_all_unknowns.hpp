// Analyses of several fields over ranks, where vectors have the unknowns that a rank owns, as callers see them: states
// and solutions of all unknowns, on every rank. All ranks call these together. Private to fem/analysis.
//
//   analysis.begin = own_state(rank, analysis.begin);
//   solve_nonlinear(rank.equations(), rank.supports(), analysis, of_all_unknowns(rank, observer));
#pragma once

#include "fem/analysis/observer.hpp"
#include "fem/ranks/fields_of_rank.hpp"

namespace ritz {

std::vector<double> gathered(const FieldsOfRank& rank, const std::vector<double>& own);  // an empty one stays empty
State own_state(const FieldsOfRank& rank, State of_all);
State state_of_all(const FieldsOfRank& rank, State own);
// The rank must outlive it.
Observer of_all_unknowns(const FieldsOfRank& rank, const Observer& observer);

}  // namespace ritz
