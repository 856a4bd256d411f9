#include "solvers/eigen/critical_factors.hpp"

#include "device/memory_shortage.hpp"
#include "solvers/algebra/solver_progress.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/shifted_multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace ritz {
namespace {

// K^-1 by a factor.
class Inverse final : public LinearOperator {
 public:
  Inverse(const SparseMatrix& K, const SolverGeometry& geometry)
      : K_(K),
        solver_(K, DirectKind::positive_definite,
                {.coordinates = geometry.coordinates, .dimension = geometry.dimension}) {
    solver_.max_refinements = 0;
  }
  const Device& device() const override { return K_.device(); }
  Index rows() const override { return K_.rows(); }
  void apply(const Vector& b, Vector& x) const override { solver_.solve(b, x); }
  void apply_block(const MultiVector& B, MultiVector& X) const override { solver_.solve(B, X); }
  std::string name() const override { return solver_.name(); }

 private:
  const SparseMatrix& K_;
  mutable DirectSolver solver_;
};

// One that lives elsewhere.
class Borrowed final : public LinearOperator {
 public:
  explicit Borrowed(const LinearOperator& of) : of_(of) {}
  const Device& device() const override { return of_.device(); }
  Index rows() const override { return of_.rows(); }
  void apply(const Vector& x, Vector& y) const override { of_.apply(x, y); }
  void apply_block(const MultiVector& X, MultiVector& Y) const override { of_.apply_block(X, Y); }
  std::string name() const override { return of_.name(); }

 private:
  const LinearOperator& of_;
};

class Search {
 public:
  Search(const SparseMatrix& K, SparseMatrix& G, const EigenOptions& options, const SolverGeometry& geometry)
      : K_(K), G_(G), options_(options), geometry_(geometry) {}

  CriticalFactors solve(bool factorised) {
    report_progress("critical factors: their size");
    std::unique_ptr<LinearOperator> inverse;
    if (factorised) inverse = std::make_unique<Inverse>(K_, geometry_);
    else inverse = std::make_unique<ShiftedMultigrid>(K_, G_, 0, options_.multigrid, geometry_);
    // To a per cent or so, and from inside. They converge fast where they matter.
    const EigenOptions rough{.count = 1, .relative = 0.02, .max_iterations = 40, .below = -1e-300};
    const double lowest = iterated(*inverse, rough).values.front();
    turn();
    const double highest = -iterated(*inverse, rough).values.front(), size = std::max(-lowest, highest);
    turn();
    CriticalFactors result;
    if (highest > negligible * size) result.negative = -1 / highest;
    if (-lowest <= negligible * size) return result;
    options_.below = 1.05 * lowest;
    if (factorised) inverse.reset();
    result.eigen = factorised ? by_factor() : iterated(*inverse, options_);
    for (const double nu : result.eigen.values)
      if (-nu > negligible * size) result.factors.push_back(-1 / nu);
    if (EigenSolution& s = result.eigen; s.verified && s.counted_to < 0)
      s.verification = fmt::format("{} factors below {:.6g} by the inertia of a factor, none was missed", s.counted,
                                   -1 / s.counted_to);
    return result;
  }

 private:
  EigenOperators operators() const { return {G_, K_, G_.diagonal(), K_.diagonal(), K_.block_size(), true}; }
  void turn() { axpby(0.0, G_.values(), -1.0, G_.values()); }

  // K^-1 serves all shifts: a cycle for K + lambda G next to a critical factor, where it is nearly singular, would not.
  EigenSolution iterated(const LinearOperator& inverse, const EigenOptions& options) const {
    return solve_by_lobpcg(operators(), options, geometry_.dimension,
                           [&](double) { return std::make_unique<Borrowed>(inverse); });
  }
  // K + lambda G with lambda = -1 / shift.
  EigenSolution by_factor() const {
    SparseMatrix A(K_.shared_pattern(), K_.block_size());
    const AttachedMotions none;
    return solve_by_lanczos(operators(), options_, geometry_, none, [&](double shift) -> DirectInput {
      A.values().copy_from(G_.values());
      axpy(-shift, K_.values(), A.values());
      return A;
    });
  }

  const SparseMatrix& K_;
  SparseMatrix& G_;
  EigenOptions options_;
  const SolverGeometry& geometry_;
};

}  // namespace

CriticalFactors critical_factors(const SparseMatrix& K, SparseMatrix& G, EigenOptions options,
                                 const SolverGeometry& geometry) {
  options.band.reset();
  options.zero_count = 0;
  if (max_abs(G.values()) == 0)
    throw Error(Exit::model, "the geometric stiffness is zero", "nothing is stressed, so nothing becomes unstable",
                "load the model");
  EigenChoice choice = choose_method(K.total_rows(), options, geometry.dimension);
  CriticalFactors result;
  if (choice.method == EigenMethod::lanczos) {
    const std::optional<Error> shortage =
        shortage_or_no_library([&] { result = Search(K, G, options, geometry).solve(true); });
    if (!shortage) {
      result.eigen.choice = choice.why;
      return result;
    }
    if (options.method == EigenMethod::lanczos) throw *shortage;
    choice.why = "not factorised: " + shortage->message();
  }
  result = Search(K, G, options, geometry).solve(false);
  result.eigen.choice = choice.why;
  return result;
}

}  // namespace ritz
