// Forecast of memory and time of a run, printed by --check in a line and by --estimate as tables, before anything is
// solved.
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/analysis/static_forecast.hpp"
#include "fem/analysis/vibration.hpp"
#include "fem/operator/integral.hpp"
#include "fem/space/function_space.hpp"

#include <vector>

namespace ritz {

// For linear models: as many right-hand sides as load cases, or members of a sweep that are solved together.
ForecastModel linear_model(Run& run, const CaseModel& read, const LinearSolverOptions& solver);

// Does nothing without --check or --estimate. Lays the elements out, then calls forecast_static().
void forecast(Run& run, const FunctionSpace& space, const std::vector<Integral>& integrals, const ForecastModel& model);

// The same for modes.
void forecast_modes(Run& run, const FunctionSpace& space, const std::vector<Integral>& elastic,
                    const std::vector<Integral>& inertial, const VibrationModel& model, const EigenOptions& options);

}  // namespace ritz
