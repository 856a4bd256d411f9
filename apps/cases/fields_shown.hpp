// Results of several fields, or of one of facets or edges: fields at nodes with their reactions, fields in cells,
// curls, energies; and a notice where prescribed values and loads are not in balance.
#pragma once

#include "apps/cases/run.hpp"
#include "fem/analysis/fields_of_model.hpp"
#include "fem/analysis/observer.hpp"

#include <vector>

namespace ritz {

// To the log, the report and the result files. facts: [field]; moving: fields whose velocities are results, too.
void show_fields(Run& run, const std::vector<FieldFacts>& facts, const std::vector<int>& moving,
                 const FieldsOfModel& fields, const SolutionView& s);

}  // namespace ritz
