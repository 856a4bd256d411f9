// Derivatives of a number J of an evolution in time, by its discrete adjoint: those of the steps as they were taken,
// exact but for the solver's tolerance. The lengths of the steps count as given. Of first order stage i of a step
// solves
//
//   E_i = (m(u_i) - m(u_0)) / (d dt) + r(u_i) + sum_{j < i} w_ij / d r(u_j) = 0
//
// (solvers/time/diagonally_implicit.hpp), and backwards in time one linear system a stage, with the transposed tangent,
// gives the lambda_i with which dJ/dp = - sum lambda_i . dE_i/dp. Of second order a step has one equation, F = 0 of the
// generalised-alpha method (fem/analysis/second_order.cpp), and the begin one more, for its acceleration; Newmark's
// kinematics pass on what the unknown, its velocity and its acceleration give. Memory: the states of the trajectory,
// and the stages of one of its parts, adjoint_bytes().
//
//   TransientDerivatives d = differentiate(model, options, path, [&](const ReachedState&, StateDerivative) {}, {});
#pragma once

#include "device/function_ref.hpp"
#include "fem/analysis/analysis.hpp"
#include "fem/sensitivity/model_number.hpp"
#include "fem/sensitivity/trajectory.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// Evolutions from options.begin that have no known derivatives; nullopt: this one has.
std::optional<NotDifferentiable> not_differentiable(const Model& model, const Transient& options);
// Throws Error: Exit::model for these, and the errors of check().
void check_differentiable(const Model& model, const Transient& options);

struct TransientDerivatives {
  std::vector<double> initial;               // [unknown] dJ/du at the begin, where it is free
  std::vector<double> velocity;              // of second order the same of dJ/dv
  std::vector<double> load;                  // [unknown] dJ/d(forces that act all the time)
  std::vector<double> prescribed;            // [unknown] dJ/d(a change of the prescribed value at all times)
  std::vector<std::vector<double>> numbers;  // of an array [entry], of another number [cell], of positions [node][3]
  Index bytes = 0;                           // the most on the host, of states and of one part
};

struct ReachedState {
  Index step;  // 0: the begin
  Time time;
  const std::vector<double>& u;  // [unknown]
};
struct StateDerivative {
  std::vector<double>&by_u, &by_v;  // [unknown]; by_v of second order alone, else empty
};
// Adds the derivative of J by this state. States come backwards in time, each once.
using StepDerivative = FunctionRef<void(const ReachedState&, StateDerivative)>;

// [bytes] The most that so many steps take on the host.
Index adjoint_bytes(const Model& model, const Transient& options, double steps);

// How far the way back has come: all on which the rest depends.
struct AdjointState {
  Index parts = -1;                                    // of the trajectory that are still to do; -1: all
  std::map<std::string, std::vector<double>> numbers;  // vectors and sums by name
};
// The way back from `begin` on, with the same bits; keep: after each part.
struct AdjointProgress {
  AdjointState begin = {};
  std::function<void(const AdjointState&)> keep = {};
};

// `path` is that of the model as it is now, with the options.
TransientDerivatives differentiate(const Model& model, Transient options, const Trajectory& path,
                                   const StepDerivative& add, std::span<const DifferentiatedNumber> numbers,
                                   const AdjointProgress& progress = {});

}  // namespace ritz
