// A linear system of equations that the ranks of a job solve together: each rank assembles the rows of its nodes from
// all cells around them (fem/ranks/divided_equations.hpp), and conjugate gradients or a factorisation go over the
// ranks. All ranks make theirs and call each function together, with equal vectors of the whole space.
//
//   DividedSystem system(equations, constraints, options, ranks);
//   system.linearise(u);   SolveReport report = system.solve(b, x, {.relative = 1e-8});
//   EigenSolution modes = system.modes(stiffness.size(), options, {});       // of integrals: stiffness, then masses
#pragma once

#include "device/ranks/ranks.hpp"
#include "fem/ranks/coarser_fields.hpp"
#include "fem/ranks/divided_equations.hpp"
#include "fem/ranks/rank_system.hpp"
#include "fem/space/constraints.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

// Throws Error(Exit::environment): several ranks do not solve `what` together.
[[noreturn]] void throw_not_over_ranks(const Ranks& ranks, const std::string& what, const std::string& fix);

// Throws Error(Exit::environment) for what is not divided: more ranks than nodes, internal variables on facets, and a
// factorisation of elements without a matrix; Error(Exit::input) for conjugate gradients of a matrix that is not
// symmetric.
void check_divisible(const Operator& equations, const LinearSolverOptions& options, const Ranks& ranks);

// nested_nodes(); levels of simplices come from the pattern of the space, which is made for them alone.
NestedLevels nested_levels_of(const FunctionSpace& space);

class DividedSystem {
 public:
  // Divides the equations where they are not divided yet. Constraints are finished, and outlive this. Throws
  // what check_divisible() throws. It has a matrix where a system of one process has one (without_matrix()).
  DividedSystem(const Operator& equations, const Constraints& constraints, const LinearSolverOptions& options,
                Ranks& ranks);
  ~DividedSystem();
  DividedSystem(const DividedSystem&) = delete;
  DividedSystem& operator=(const DividedSystem&) = delete;

  // The tangent at u, empty for zero, with the factors and at the time of the equations. A transposed one needs a
  // matrix: OperatorKind::matrix of the options.
  void linearise(const Vector& u, Tangent kind = Tangent::itself);
  const Vector& point() const { return point_; }  // u, or empty where it does not matter
  void begin() { anew_ = true; }                  // as in LinearSystem

  // b, x: [unknown of the whole space], from x. The report is that of all ranks.
  SolveReport solve(const Vector& b, Vector& x, const LinearTolerance& tolerance);
  SolveReport solve(Vector&& b, Vector& x,
                    const LinearTolerance& tolerance);  // b goes when the rows of this rank are taken
  // Columns by one factor, where the method is direct.
  std::vector<SolveReport> solve(const MultiVector& B, MultiVector& X, const LinearTolerance& tolerance);
  bool solves_together() const { return options_.method == LinearMethod::direct; }

  // The lowest modes, or those of a band, by LOBPCG or Lanczos. The first `stiffness` integrals are the stiffness at a
  // state (null: zero; else a matrix is needed), the others the masses at zero; motions have masses alone. Vectors are
  // of the whole space.
  EigenSolution modes(std::size_t stiffness, const EigenOptions& options, const AttachedMotions& motions,
                      const Vector* state = nullptr);
  // The first `stiffness` integrals are the stiffness, the others the geometric stiffness of the state. Vectors are of
  // the whole space.
  CriticalFactors critical_factors(std::size_t stiffness, const Vector& state, const EigenOptions& options);

 private:
  SolveReport solve(const Vector& b, Vector& x, const LinearTolerance& tolerance, const std::function<void()>& taken);
  Vector own(const Vector& all) const;  // rows of this rank
  NestedLevels nesting() const;
  NestedLevels nesting_of_corners(const std::vector<Index>& first) const;
  NestedLevels own_levels(const FunctionSpace& space, const std::vector<Index>& first) const;
  void say(const std::string& line) const;
  std::vector<double> factors_of(std::size_t begin, std::size_t end) const;  // [integral] zero outside of the range
  void gather_vectors(EigenSolution& found) const;
  void report_once();

  const Operator& equations_;
  DividedEquations* divided_ = nullptr;  // the equations have it
  Ranks& ranks_;
  LinearSolverOptions options_;
  bool linear_;                                  // are all forms?
  bool nests_;                                   // are nested levels to be looked for?
  std::unique_ptr<WholeCoarserFields> coarser_;  // where equations join unknowns
  std::unique_ptr<RankSystem> own_;
  Vector point_;
  bool told_ = false, anew_ = false;
  int unwinding_ = std::uncaught_exceptions();
};

}  // namespace ritz
