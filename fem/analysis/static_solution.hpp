// The solution of a linear stationary model: one Newton step from the prescribed values, since its residual is affine
// in the unknown. Matrix and residual come from different element kernels, so the final residual is an independent
// certificate of the solve. Several load cases share the matrix, its set-up or factor, and one solve.
//
//   StaticSolution s = solve_static(equations, supports, {.relative = 1e-10});
//
// Equations and supports are those of one field (Operator, Constraints) or of several (FieldsOperator,
// FieldsConstraints). With options.ranks all ranks make the same calls, each with the whole model, and get the unknowns
// of all.
#pragma once

#include "device/cold_array.hpp"
#include "fem/analysis/observer.hpp"
#include "fem/analysis/system_cache.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/operator/mixed_integral.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/constraints.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace ritz {

struct StaticSolution {
  // empty while cold_u holds it: of several solutions where the memory of a device was short
  Vector u;
  ColdArray<double> cold_u = {};
  void bring_back() { cold_u.bring_back(u, "vectors"); }  // nothing to do, mostly
  // Force (heat) that supports and equations between unknowns exert, 0 elsewhere (Equations::forces_for_results)
  std::vector<double> reaction;
  std::vector<double> applied;  // [component] sum of the external loads; empty: of several fields
  double load_size = 0;         // sum over the nodes of the sizes of their loads, of the component with the largest
  SolveReport report;
  double residual = 0;                  // ||residual of the free unknowns||_2 / ||load of the free unknowns||_2
  std::vector<double> mean_loads = {};  // [prescribed mean] the size of its load
  std::string notice = {};              // a part of the load that was left out; empty: none was
};

// The model must be held (check_held). Forms that are all symmetric
// make a promise that options.promise need not repeat. Throws Error: Exit::not_converged with advice from the cause,
// and Error: Exit::model when a load or coefficient makes the equations not finite, naming node, position and region.
StaticSolution solve_static(const Equations& equations, const Supports& supports,
                            const LinearSolverOptions& options = {}, const Observer& observer = {});

using EnterCase = std::function<void()>;  // makes the equations those of a load case

// The load vector of one load case; loads in the equations themselves act in all of them.
struct LoadVector {
  std::string name;                      // for messages
  std::span<const Integral> loads = {};  // of this case alone: forms that do not depend on the solution
  const Supports* supports = nullptr;    // values may differ, the prescribed unknowns may not (check_same_unknowns)
  // called before the equations are used for this case: it may give them other loads
  EnterCase enter = {};
  std::span<const MixedIntegral> loads_of_fields = {};  // as `loads`, of several fields
};

// A sum of load cases. What all cases share (loads of the equations, `common` values) counts once:
// u = u_0 + sum_i factor_i (u_i - u_0), where u_0 is the solution without any load case. Linear models need no solve
// for it, except when load cases cancel: then what they leave unsolved is solved for.
struct LoadCombination {
  std::string name;
  std::vector<double> factors;  // [load case]
};

struct LoadVectors {
  std::vector<LoadVector> cases;
  std::vector<LoadCombination> combinations;
  const Supports* common = nullptr;  // without any load case; needed with combinations
  GroundMotions ground = nullptr;
  std::span<const PrescribedMean> means = {};  // held in all cases
  std::span<const Index> stops = {};           // Setup::stops()
  // from an earlier run of the same case: not solved again, and equal to the last bit
  SolvedColumns known = {};
};

// Are there so many right-hand sides that making a matrix for all of them pays? Without one they are solved one after
// the other: three take 0.87 of the time with a matrix, four 1.1 (docs/performance.md#solvers). Combinations need the
// solution without any load case.
inline bool pay_for_a_matrix(std::size_t load_cases, std::size_t combinations) {
  return load_cases + (combinations > 0 ? 1 : 0) > 3;
}

// Throws Error: Exit::model when an unknown is prescribed in one case and free in another, naming both and the place.
void check_same_unknowns(std::span<const LoadVector> cases);

class StaticSystem;  // fem/analysis/static_solution.cpp

// The load cases are solved; combinations are made one by one on request, so that one at a time takes memory.
// Equations, constraints and `reuse` must outlive it.
class StaticSolutions {
 public:
  StaticSolutions();
  StaticSolutions(std::vector<StaticSolution> solved, std::unique_ptr<StaticSystem> system);
  ~StaticSolutions();
  StaticSolutions(StaticSolutions&&) noexcept;
  StaticSolutions& operator=(StaticSolutions&&) noexcept;

  std::vector<StaticSolution> cases;               // combinations need them all
  StaticSolution combination(std::size_t number);  // certified by its own residual; Error: Exit::not_converged names it
  StaticSolution combination(const LoadCombination& combination);  // likewise, of a system made with any
  // gives back what combinations can do without: all, where there are none
  void release(std::size_t load_case);
  void add_steps(const std::vector<std::string>& steps);  // to the fallbacks of each

 private:
  std::unique_ptr<StaticSystem> system_;  // where there are combinations
  std::vector<std::string> steps_;
};

// Same contract as above. Each load case is verified by its own residual; errors name the load case, and all that did
// not converge are thrown together. If a device's memory is short after all other steps, cold data waits on the host,
// one right-hand side is solved after the other, and several solutions stay there (StaticSolution::bring_back). Of the
// observer, progress and keep are called: keep whenever more of several right-hand sides are solved. Several fields
// reuse nothing; loads on edges that are not free of divergence are Error: Exit::model where no more than a gauge holds
// gradients.
StaticSolutions solve_static(const Equations& equations, const LoadVectors& loads, const LinearSolverOptions& options,
                             const Observer& observer = {}, SystemCache* reuse = nullptr);

}  // namespace ritz
