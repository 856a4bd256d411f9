// The times at which tables that a formula calls have rows, so that steps in time miss none: of "2*quake(t - 5)" those
// of the rows of quake, 5 later.
#pragma once

#include "io/case/expression.hpp"

#include <set>
#include <string>

namespace ritz {

// Of all tables with an argument that is a linear formula of t alone; the rows of others have no times of their own.
std::set<double> row_times_of(const std::string& formula, const DataTables& tables);

}  // namespace ritz
