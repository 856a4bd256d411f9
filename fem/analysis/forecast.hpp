// Forecast of the memory that an analysis of a model takes, before any of it is taken. It is a sum: the model's space
// and equations, the solver by its options, and what each analysis says of itself (AnalysisNeeds).
//
//   for (const ForecastPath& path : forecast(model, Transient{.end = 60}).paths) path.peak.total();
#pragma once

#include "fem/analysis/analysis.hpp"
#include "fem/analysis/static_forecast.hpp"

#include <optional>

namespace ritz {

struct Forecast {
  std::vector<ForecastPath> paths;          // the one that is taken first
  Index host_of_elements = 0;               // [bytes] that stay
  Index host_of_columns = 0;                // [bytes] of right-hand sides that are solved together, or of modes
  int results = 1;                          // solutions that are shown
  bool solver_stays = false;                // while results are shown
  std::optional<RanksForecast> ranks = {};  // where the linear systems are solved by several
};

// The model's equations are laid out, and nothing is computed. `together`: models that differ in their loads alone and
// are solved in one go.
Forecast forecast(const Model& model, const Static& analysis, const Prepared& prepared = {}, int together = 1);
Forecast forecast(const Model& model, const LoadCases& analysis, const Prepared& prepared = {});
Forecast forecast(const Model& model, const Nonlinear& analysis, const Prepared& prepared = {});
Forecast forecast(const Model& model, const Transient& analysis, const Prepared& prepared = {});
// The memory of LinearStatics that has solved for an adjoint, with what is computed with it then.
Forecast forecast_adjoint(const Model& model, const LinearSolverOptions& linear, const MemoryNeeds& afterwards);
// A band is forecast for `count` modes: how many it holds is not known before.
Forecast forecast(const Model& model, const Modal& analysis, const Prepared& prepared = {});

}  // namespace ritz
