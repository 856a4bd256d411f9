// The times at which tables that a formula calls have rows, so that steps in time miss none: of "2*quake(t - 5)" those
// of the rows of quake, 5 later.
#pragma once

#include "io/case/expression.hpp"

#include <set>
#include <string>

namespace ritz {

// Times of the rows of all tables whose argument is a linear formula of t alone; rows of other tables have none.
std::set<double> row_times_of(const std::string& formula, const DataTables& tables);

}  // namespace ritz
