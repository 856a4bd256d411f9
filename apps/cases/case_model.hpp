// A case of one physics, ready for any analysis: its equations, supports and load cases, the results to come, and how a
// solution is reported. Each program has a reader that makes one from the case file (heat_case, elastic_case,
// structure_case, form_case); from then on no analysis knows which physics it is.
//
//   solve_case(run, read_heat(run));        // apps/cases/analyses.hpp
#pragma once

#include "apps/cases/load_cases.hpp"
#include "apps/cases/run.hpp"
#include "fem/analysis/transient.hpp"
#include "fem/analysis/vibration.hpp"
#include "fem/operator/operator.hpp"
#include "fem/physics/model.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// A solution to be reported. It refers to what lives as long as the call.
struct SolutionView {
  const Vector& u;
  const std::vector<double>&
      reaction;             // [mesh node][component] forces (heat) that hold the prescribed unknowns, 0 elsewhere
  double residual = 0;      // relative residual, verified by kernels of its own
  double tolerance = 1e-8;  // that it was to reach
  std::span<const double> applied = {};  // [component] sums of the external loads; empty where they are not summed
  std::vector<double> factors = {};      // [load case] that acts, with its factor; empty without load cases
  double part = 1;                       // of the loads outside of load cases: below 1 along a load path
  std::optional<double> time = {};       // of the step in the results; the number of the step by default
};

// Evolution in time: what it needs beside the model.
struct TransientInput {
  TransientOptions options = {};                                          // without those of the solvers
  std::function<std::vector<double>(const FunctionSpace&)> initial = {};  // values at the begin, [unknown]
};

struct CaseModel {
  Model model;  // its space lives as long as the run
  LoadCaseInputs load_cases = {};
  std::shared_ptr<const ModelSupports> supports = {};        // of the model: make_supports()
  std::vector<Field> nodal_results = {}, cell_results = {};  // names and components of the results to come
  std::optional<TransientInput> time = {};                   // of a case with [time]
  std::function<std::optional<double>()> mass = {};          // [kg] by other means than the mass matrix
  // Log, report, result files.
  std::function<void(const CaseModel&, const Operator& equations, const SolutionView&)> show = {};

  const FunctionSpace& space() const { return *model.space; }
  MatrixPromise promise() const { return model.definite ? MatrixPromise::positive_definite : MatrixPromise::none; }
};

}  // namespace ritz
