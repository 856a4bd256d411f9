// Linear buckling: factors lambda of all loads and prescribed values at which the body becomes unstable,
// (K + lambda K_sigma) phi = 0, with the geometric stiffness K_sigma of the linear static solution
// (fem/analysis/geometric_stiffness.hpp). Cook, Malkus, Plesha and Witt, Concepts and Applications of Finite Element
// Analysis, 4th ed. 2002, section 18.3. Of solids with beams or shells the matrices of both fields are one, by Lanczos.
//
//   BucklingModes s = solve(model, Buckling{.count = 3});
//   s.factors[0]      // times the loads of the model
#pragma once

#include "fem/analysis/analysis.hpp"
#include "fem/analysis/forecast.hpp"

namespace ritz {

struct Buckling {
  int count = 1;           // lowest positive factors
  double relative = 1e-6;  // residuals ||K phi + lambda K_sigma phi|| / ||K phi||
  EigenMethod method = EigenMethod::automatic;
  int max_iterations = 500;
  LinearSolverOptions linear = {};  // of the static solution
};

struct BucklingModes {
  StaticSolution state;         // under the loads
  std::vector<double> factors;  // positive, ascending; as many as there are, up to the count
  double negative = 0;          // the nearest factor of the loads turned around, roughly; 0: there is none
  EigenSolution eigen;  // vectors[j] belongs to factors[j]; the largest entry is 1; over ranks of the owned unknowns
};

// Throws Error: Exit::model: nonlinear equations, load cases, elements without a geometric stiffness; where nothing is
// stressed, and where no positive factor exists. The observer is shown the static solution first.
void check(const Model& model, const Buckling& analysis);
BucklingModes solve(const Model& model, const Buckling& analysis, const Observer& observer = {},
                    const Prepared& prepared = {});
Forecast forecast(const Model& model, const Buckling& analysis, const Prepared& prepared = {});

}  // namespace ritz
