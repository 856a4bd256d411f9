// [time] and [initial] of a case: its evolution in time (fem/analysis/transient.hpp), whatever its physics. A reader of
// a case asks whether there is one before it asks for anything else, and says what is stored:
//
//   if (goes_through_time(run)) read.time = read_time(run, "temperature", "temperature", 1);
//   ...  read.model.capacity = {...};
#pragma once

#include "apps/cases/case_model.hpp"

#include <string>

namespace ritz {

// Has the case [time]? From here on its formulas may depend on t then.
bool goes_through_time(Run& run);

// Has [newton] durations of a load path? From here on formulas may depend on t then, too.
bool path_takes_time(Run& run);

// The steps of [time].
enum class TimeOrder { first, second };
// The order of a case with [time] whose forms have a [[capacity]] or an [[inertia]]. Steps may have both: the order is
// the first then.
TimeOrder order_of_forms(Run& run);
Transient read_steps(const Case::Table& time, TimeOrder order, double begin);

// [time]; and [initial] (apps/cases/initial_values.hpp). The capacity is the reader's to fill in.
TransientInput read_time(Run& run, const std::string& key, const std::string& field, int components);

}  // namespace ritz
