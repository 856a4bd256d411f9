// [time] and [initial] of a case: its evolution in time (fem/analysis/transient.hpp), whatever its physics. A reader of
// a case asks whether there is one before it asks for anything else, and says what is stored:
//
//   if (goes_through_time(run)) read.time = read_time(run, "temperature", 1);   ...   read.model.capacity = {...};
#pragma once

#include "apps/cases/case_model.hpp"
#include "apps/cases/newton.hpp"

#include <memory>
#include <string>

namespace ritz {

// Has the case [time]? From here on its formulas may depend on t then.
bool goes_through_time(Run& run);

// [time]; and [initial], whose values are those of `unknown`: a number or formula for each component, or a field of
// another run. The capacity is the reader's to fill in.
TransientInput read_time(Run& run, const std::string& unknown, int components);

// The analysis of a model with a TransientInput: the forecast, the checks, the steps, and results at the times asked
// for.
void solve_in_time(Run& run, const std::shared_ptr<const CaseModel>& read, const LinearSolverOptions& solver,
                   const NewtonInput& newton);

}  // namespace ritz
