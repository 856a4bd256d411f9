// The state of an analysis between its steps, on the host: everything on which the rest depends, and so the contents of
// a checkpoint. An analysis that begins with it (Nonlinear::begin, Transient::begin, LoadCases::begin) ends with the
// same bits as one that was not interrupted. Each analysis uses the members that it needs.
#pragma once

#include "fem/analysis/increments.hpp"
#include "fem/operator/operator.hpp"
#include "solvers/algebra/solve_report.hpp"
#include "solvers/time/step_control.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

// One solved right-hand side.
struct SolvedColumn {
  std::shared_ptr<const std::vector<double>> u;  // [unknown] zero where prescribed
  SolveReport report;
};
using SolvedColumns = std::map<int, SolvedColumn>;  // by load case; the last one may be what all of them share

struct NewtonStep {
  int increment;
  double residual;  // ||residual of the free unknowns||_2 after the step
  double relative;  // to the largest force seen
  double length;    // of the step that was taken; 1: Newton's
};

// Integrals over time and body since the begin, for each component.
struct TransientBalance {
  std::vector<double> stored;      // change of the stored quantity
  std::vector<double> supplied;    // what loads, and boundaries that exchange, let in
  std::vector<double> prescribed;  // what holding prescribed values let in
  std::vector<double> moved;       // absolute values of all three, summed over the steps

  double defect() const;  // the largest |stored - supplied - prescribed|, relative to what has moved
};

// Energies of an evolution of second order, or of a load path, and what changed them since the begin.
struct EnergyBalance {
  double kinetic = 0;          // v^T M v / 2
  double strain = 0;           // work of the internal forces; at the begin that of a linear body
  double inelastic = 0;        // of a load path: work of the stresses of laws with internal variables, not in `strain`
  double inelastic_error = 0;  // estimate of the error of `inelastic`
  double by_loads = 0;         // work of the loads
  double by_supports = 0;      // work of supports that move
  double damped = 0;           // work against Rayleigh damping
  double begin = 0;            // kinetic + strain at the begin

  // The part that the method damped, and rounding: what is missing in the balance. Nothing of a linear body at rest or
  // in free motion with a spectral radius of 1. Of a load path the error of its work (fem/analysis/path_energies.hpp).
  double lost() const;
};

// The place on a load path.
struct PathPlace {
  double at = 0;             // stages; along the arc length the part of the loads
  IncrementSize size = {};   // of the next increment
  double change = 0;         // of `at` in the last increment
  double unit = 0;           // arc length of the first increment
  bool is_unstable = false;  // increments converge with tangents that are not definite
};

struct State {
  std::string place = {};  // for people: "increment 3 of 10"
  double time = 0;
  std::vector<double> u = {};       // [unknown] at the begin without the prescribed values of that time
  PointStates::Values points = {};  // internal variables
  std::string turned = {};          // LinearSystem::turned(): the rest goes on with a matrix

  // Load cases.
  SolvedColumns columns = {};

  // Nonlinear statics.
  int increment = 0;
  PathPlace at = {};
  double part = 0;                        // of the loads
  std::vector<double> change = {};        // [unknown] of u in the last increment
  std::vector<std::uint8_t> closed = {};  // [constraint that opens and closes] 1
  PointStates::Values rates = {};         // of internal variables in the last increment, where the path takes time
  double reference = 0;                   // the largest force seen, to which residuals are relative
  std::vector<NewtonStep> newton = {};

  // Evolutions in time.
  double dt = 0;               // of the last step
  std::vector<double> r = {};  // [unknown] residual of the equations at the end of the last step
  StepMemory control = {};
  std::vector<double> lowest = {}, highest = {};  // [component] of u so far: errors are relative to the range
  TransientBalance balance = {};
  Index steps = 0, rejected = 0, solves = 0;
  double residual = 0;  // the largest of a stage, relative to the largest force so far

  EnergyBalance energy = {};  // of evolutions of second order, and of load paths that ask for it

  // In evolutions of second order:
  std::vector<double> v = {}, a = {};  // [unknown] velocity and acceleration; at the begin none: zero
  double largest = 0;                  // sqrt(u^T M u) so far: errors are relative to it
};

}  // namespace ritz
