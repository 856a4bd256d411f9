// Forecast of the device's memory for the solution for modes, by tag, with either method, before any of it is taken.
//
//   for (const ForecastPath& path : forecast_vibration(stiffness, masses, {}, {.count = 10})) path.peak.total();
#pragma once

#include "fem/analysis/static_forecast.hpp"
#include "fem/analysis/vibration.hpp"

namespace ritz {

// One entry for each method that may be used, first the one that will be. The bytes of a factor come from the analysis
// of the pattern, which is made here; a method that cannot be analysed (no direct solver, no memory) is omitted. The
// number of modes of a band is not known: options.count takes its place.
std::vector<ForecastPath> forecast_vibration(const Operator& stiffness, const Operator& masses,
                                             const VibrationModel& model, EigenOptions options);

// The same stages for the part of each of several ranks. options: as solve_vibration takes them. Messages are not
// counted. Throws as forecast_ranks() does.
RanksForecast forecast_ranks_of_modes(const Operator& stiffness, const Operator& masses, const VibrationModel& model,
                                      EigenOptions options, const RanksQuestion& question);

}  // namespace ritz
