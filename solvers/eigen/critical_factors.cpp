#include "solvers/eigen/critical_factors.hpp"

#include "device/memory_shortage.hpp"
#include "solvers/algebra/solver_progress.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/shifted_matrix.hpp"

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
  Inverse(const DirectInput& K, const SolverGeometry& geometry)
      : rows_(K.rows()),
        device_(K.device()),
        solver_(K, DirectKind::positive_definite,
                {.coordinates = geometry.coordinates, .dimension = geometry.dimension}) {
    solver_.max_refinements = 0;
  }
  const Device& device() const override { return device_; }
  Index rows() const override { return rows_; }
  void apply(const Vector& b, Vector& x) const override { solver_.solve(b, x); }
  void apply_block(const MultiVector& B, MultiVector& X) const override { solver_.solve(B, X); }
  std::string name() const override { return solver_.name(); }
  void end() { solver_.end(); }

 private:
  Index rows_;
  const Device& device_;
  mutable DirectSolver solver_;
};

// -G
class Turned final : public LinearOperator {
 public:
  explicit Turned(const LinearOperator& G) : G_(G) {}
  const Device& device() const override { return G_.device(); }
  Index rows() const override { return G_.rows(); }
  void apply(const Vector& x, Vector& y) const override {
    G_.apply(x, y);
    axpby(0.0, y, -1.0, y);
  }
  void apply_block(const MultiVector& X, MultiVector& Y) const override {
    G_.apply_block(X, Y);
    axpby(0.0, Y.values(), -1.0, Y.values());
  }
  std::string name() const override { return G_.name(); }

 private:
  const LinearOperator& G_;
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

template <class Matrix>
class Search {
 public:
  Search(const Matrix& K, const Matrix& G, const EigenOptions& options, const SolverGeometry& geometry)
      : K_(K), G_(G), turned_(G), options_(options), geometry_(geometry) {}

  CriticalFactors solve(bool factorised) {
    report_progress("critical factors: their size");
    std::optional<Inverse> factor;
    std::unique_ptr<LinearOperator> cycle;
    if (factorised) factor.emplace(K_, geometry_);
    else cycle = multigrid();
    const LinearOperator& inverse = factor ? static_cast<const LinearOperator&>(*factor) : *cycle;
    // To a per cent or so, and from inside. They converge fast where they matter.
    const EigenOptions rough{.count = 1, .relative = 0.02, .max_iterations = 40, .below = -1e-300};
    const double lowest = iterated(1, inverse, rough).values.front(),
                 highest = -iterated(-1, inverse, rough).values.front(), size = std::max(-lowest, highest);
    if (factor) {
      factor->end();
      factor.reset();
    }
    CriticalFactors result;
    if (highest > negligible * size) result.negative = -1 / highest;
    if (-lowest <= negligible * size) return result;
    options_.below = 1.05 * lowest;
    result.eigen = factorised ? by_factor() : iterated(1, inverse, options_);
    for (const double nu : result.eigen.values)
      if (-nu > negligible * size) result.factors.push_back(-1 / nu);
    if (EigenSolution& s = result.eigen; s.verified && s.counted_to < 0)
      s.verification = fmt::format("{} factors below {:.6g} by the inertia of a factor, none was missed", s.counted,
                                   -1 / s.counted_to);
    return result;
  }

 private:
  // The operators with G; with -G for the sign -1.
  EigenOperators operators(double sign) const {
    const auto times = [](double factor, Vector x) {
      axpby(0.0, x, factor, x);
      return x;
    };
    return {.K = sign < 0 ? turned_ : static_cast<const LinearOperator&>(G_),
            .M = K_,
            .stiffness = times(sign, G_.diagonal()),
            .mass = K_.diagonal(),
            .block = K_.block_size(),
            .in_lanes = true};
  }

  std::unique_ptr<LinearOperator> multigrid() const {
    auto phase = K_.device().profile().phase("set-up");
    return preconditioner_of(K_, PreconditionerKind::multigrid, with_geometry(options_.multigrid, geometry_));
  }

  // K^-1 serves all shifts: a cycle for K + lambda G next to a critical factor, where it is nearly singular, would not.
  EigenSolution iterated(double sign, const LinearOperator& inverse, const EigenOptions& options) const {
    return solve_by_lobpcg(operators(sign), options, geometry_.dimension,
                           [&](double) { return std::make_unique<Borrowed>(inverse); });
  }
  // K + lambda G with lambda = -1 / shift.
  EigenSolution by_factor() const {
    const AttachedMotions none;
    return solve_by_lanczos(operators(1), options_, geometry_, none, shifted_matrices(G_, K_));
  }

  const Matrix &K_, &G_;
  const Turned turned_;
  EigenOptions options_;
  const SolverGeometry& geometry_;
};

// A product with a vector that is orthogonal to nothing.
bool is_zero(const LinearOperator& G) {
  std::vector<double> numbers(static_cast<std::size_t>(G.rows()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 1 + 0.5 * std::sin(double(i * i));
  Vector x(G.device(), std::span<const double>(numbers), "vectors"), y(G.device(), G.rows(), "vectors");
  G.apply(x, y);
  return max_abs(y) == 0;
}

}  // namespace

template <class Matrix>
CriticalFactors critical_factors(const Matrix& K, const Matrix& G, EigenOptions options,
                                 const SolverGeometry& geometry) {
  options.band.reset();
  options.zero_count = 0;
  if (is_zero(G))
    throw Error(ErrorKind::buckling, "the geometric stiffness is zero",
                "nothing is stressed, so nothing becomes unstable", "load the model");
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
template CriticalFactors critical_factors(const SparseMatrix&, const SparseMatrix&, EigenOptions,
                                          const SolverGeometry&);
template CriticalFactors critical_factors(const DividedMatrix&, const DividedMatrix&, EigenOptions,
                                          const SolverGeometry&);

}  // namespace ritz
