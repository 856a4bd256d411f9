// Derivatives of a number J of an evolution of first order, by its discrete adjoint: those of the steps as they were
// taken, exact but for the solver's tolerance. The lengths of the steps count as given. Stage i of a step solves
//
//   E_i = (m(u_i) - m(u_0)) / (d dt) + r(u_i) + sum_{j < i} w_ij / d r(u_j) = 0
//
// (solvers/time/diagonally_implicit.hpp), and backwards in time one linear system a stage, with the transposed tangent,
// gives the lambda_i with which dJ/dp = - sum lambda_i . dE_i/dp. Memory: the states of the trajectory, and of one of
// its parts u and two more vectors a stage; so for N steps by tr_bdf2 less than 9 sqrt(N) vectors on the host.
//
//   TransientDerivatives d = differentiate(model, options, path, [&](Index step, std::vector<double>& g) { ... }, {});
#pragma once

#include "fem/analysis/analysis.hpp"
#include "fem/analysis/trajectory.hpp"
#include "fem/physics/mesh_field.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// Throws Error(Exit::model) for evolutions whose derivatives are not known: of second order, with internal variables.
void check_differentiable(const Model& model, const Transient& options);

struct DifferentiatedArray {
  std::string name;
  MeshField* array;
};

struct TransientDerivatives {
  std::vector<double> initial;     // [unknown] dJ/du at the begin, where it is free
  std::vector<double> load;        // [unknown] dJ/d(forces that act all the time)
  std::vector<double> prescribed;  // [unknown] dJ/d(a change of the prescribed value at all times)
  std::vector<std::vector<double>> arrays;
  Index bytes = 0;  // the most on the host, of states and of one part
};

// Adds dJ/du after step `step`, 0: at the begin, to g [unknown].
using StepDerivative = std::function<void(Index step, std::vector<double>& g)>;

// `path` is that of the model as it is now, with the options.
TransientDerivatives differentiate(const Model& model, Transient options, const Trajectory& path,
                                   const StepDerivative& add, std::span<const DifferentiatedArray> arrays);

}  // namespace ritz
