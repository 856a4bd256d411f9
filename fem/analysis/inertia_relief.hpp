// Statics of a body that flies: the loads accelerate it as a rigid body, and its inertia balances them. The deformation
// has no rigid motion in it: momentum and angular momentum of the displacements are zero.
//
//   const ReliefSolution s = solve(model, InertiaRelief{});      s.acceleration     // [m/s^2], of the centre of mass
#pragma once

#include "fem/analysis/analysis.hpp"
#include "fem/analysis/forecast.hpp"

namespace ritz {

struct InertiaRelief {
  LinearSolverOptions linear = {};
};

struct ReliefSolution {
  StaticSolution state;  // reactions are zero where motions are free; `applied` are the loads without inertia
  std::vector<double> acceleration;  // [component] mean over the mass
  int motions = 0;                   // that are free
};

// Throws Error: Exit::model: nonlinear equations, load cases, a model without inertia, of several fields on one mesh,
// prescribed values other than zero, springs at reference points, and a body that is held. The observer is shown the
// solution.
void check(const Model& model, const InertiaRelief& analysis);
ReliefSolution solve(const Model& model, const InertiaRelief& analysis, const Observer& observer = {},
                     const Prepared& prepared = {});
Forecast forecast(const Model& model, const InertiaRelief& analysis, const Prepared& prepared = {});

}  // namespace ritz
