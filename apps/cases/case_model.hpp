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
#include "fem/space/rigid_motion.hpp"

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

// Free vibration: what modes need beside the stiffness.
struct VibrationInput {
  std::vector<Integral> inertia;
  VibrationModel model;
  std::function<double(const VibrationModes&)> mass;  // [kg] by other means than the mass matrix, where there are any
};

// Evolution in time: what it needs beside the equations.
struct TransientInput {
  std::vector<Integral> capacity = {};                                    // whose residual is the stored quantity
  TransientOptions options = {};                                          // without those of the solvers
  std::function<std::vector<double>(const FunctionSpace&)> initial = {};  // values at the begin, [unknown]
};

struct CaseModel {
  const FunctionSpace* space = nullptr;  // it lives as long as the run
  std::vector<Integral> equations;       // stiffness, and loads outside of load cases
  bool linear = true;
  double start = 0;                             // of all unknowns, where Newton's method begins
  MatrixPromise promise = MatrixPromise::none;  // what the forms let the solver rely on
  double tolerance = 1e-8;                      // of the linear solver, by default
  bool factorised = false;                      // ill-conditioned: a direct solver by default
  bool structural = false;                      // lines and surfaces in space
  LoadCaseInputs load_cases = {};
  std::shared_ptr<const LoadCaseSupports> supports;  // prescribed values, of each load case
  std::optional<RigidModes> rigid =
      {};                       // motions that supports must prevent; none: bodies may be free, or were checked
  std::vector<Node> held = {};  // nodes of the space that the equations hold (convection, springs)
  std::vector<Field> nodal_results, cell_results;  // names and components of the results to come
  std::optional<VibrationInput> vibration = {};
  std::optional<TransientInput> time = {};                                        // of a case with [time]
  std::function<void(const Operator& equations, const SolutionView&)> show = {};  // log, report, result files
};

}  // namespace ritz
