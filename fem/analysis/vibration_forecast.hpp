// What the solution for modes will take of the device's memory, by tag, with either method, before any of it is taken.
//
//   for (const ForecastPath& path : forecast_vibration(stiffness, masses, {}, {.count = 10})) path.peak.total();
#pragma once

#include "fem/analysis/static_forecast.hpp"
#include "fem/analysis/vibration.hpp"

namespace ritz {

// One entry for each method that may be used, first the one that will be. Where a factor is made, its bytes come from
// the analysis that the factorisation makes, of the pattern, which is made here; a method that cannot be analysed (no
// direct solver, no memory) is left out. Of a band the number of modes is not known: options.count stands for it.
std::vector<ForecastPath> forecast_vibration(const Operator& stiffness, const Operator& masses,
                                             const VibrationModel& model, EigenOptions options);

}  // namespace ritz
