#include "solvers/eigen/eigen_solver.hpp"

#include "device/memory_shortage.hpp"
#include "solvers/algebra/diagonal_blocks.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/shifted_multigrid.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

// Number of unknowns above which factorising no longer pays for its count of eigenvalues: in three dimensions LOBPCG is
// faster from 30 000 unknowns on, by a half at 100 000 and three times at 200 000 (measured on one core,
// tools/measurements).
Index lanczos_limit(int dimension) { return dimension == 3 ? 100000 : 1000000; }

bool needs_a_factor(const EigenOptions& options) { return options.band.has_value(); }

void check(const EigenOptions& options) {
  if (options.band) {
    if (!(options.band->low < options.band->high))
      throw Error(ErrorKind::modal_options,
                  fmt::format("the band from {:g} to {:g} is empty", options.band->low, options.band->high), {},
                  "give a lower end below the upper end");
    if (!(options.band->high > 0))
      throw Error(ErrorKind::modal_options, fmt::format("the band ends at {:g}", options.band->high),
                  "eigenvalues are not negative", "give an upper end above zero");
  } else if (options.count < 1) {
    throw Error(ErrorKind::modal_options, fmt::format("{} eigenvalues were asked for", options.count), {},
                "ask for one at least");
  }
  if (options.band && options.method == EigenMethod::lobpcg)
    throw Error(ErrorKind::modal_options, "LOBPCG finds the lowest eigenvalues, not those of a band", {},
                "give a count, or use the method lanczos");
}

void check(const SparseMatrix& K, const SparseMatrix& M) {
  if (K.shared_pattern() != M.shared_pattern() || K.block_size() != M.block_size())
    throw Error(ErrorKind::internal, "the two matrices of an eigenvalue problem have different patterns", {},
                "assemble both on one space");
  for (const auto& [name, matrix] : {std::pair{"stiffness", &K}, std::pair{"mass", &M}})
    if (const Index bad = first_not_finite(matrix->values()); bad >= 0)
      throw Error(ErrorKind::not_finite, fmt::format("entry {} of the {} matrix is not finite", bad, name), {},
                  advice_for(StopReason::not_finite));
}

void check_without_springs(const AttachedMotions* motions) {
  if (motions != nullptr && motions->has_stiffness())
    throw Error(ErrorKind::modal_options, "LOBPCG does not take motions that springs hold", {},
                "use the method lanczos");
}

}  // namespace

const char* name_of(EigenMethod method) {
  return method == EigenMethod::lanczos ? "lanczos" : method == EigenMethod::lobpcg ? "lobpcg" : "auto";
}

EigenChoice choose_method(Index unknowns, const EigenOptions& options, int dimension, bool springs) {
  if (options.method != EigenMethod::automatic) return {options.method, "as asked"};
  if (needs_a_factor(options)) return {EigenMethod::lanczos, "a band needs factors that count"};
  if (springs) return {EigenMethod::lanczos, "motions that springs hold need a factor"};
  if (options.operator_kind == OperatorKind::matrix_free) return {EigenMethod::lobpcg, "as no matrix is made"};
  const bool small = unknowns <= lanczos_limit(dimension);
  return {small ? EigenMethod::lanczos : EigenMethod::lobpcg,
          fmt::format("{} unknowns are {} to factorise", unknowns, small ? "few enough" : "too many")};
}

EigenSolution solve_by_lobpcg(EigenOperators operators, const EigenOptions& options, int dimension,
                              const ShiftedPreconditioner& preconditioner) {
  check(options);
  check_without_springs(operators.motions);
  return solve_by_lobpcg(EigenProblem(std::move(operators), options, dimension), preconditioner);
}

EigenSolution solve_by_lanczos(EigenOperators operators, const EigenOptions& options, const SolverGeometry& geometry,
                               const AttachedMotions& motions, const ShiftedMatrix& shifted) {
  check(options);
  const WithMotions stiff(operators.K, motions, motions.stiffness), heavy(operators.M, motions, motions.mass);
  const bool plain = motions.count() == 0;
  const LinearOperator &whole_K = plain ? operators.K : stiff, &whole_M = plain ? operators.M : heavy;
  const EigenProblem problem({whole_K, whole_M, std::move(operators.stiffness), std::move(operators.mass),
                              operators.block, operators.in_lanes, &motions},
                             options, geometry.dimension);
  return solve_by_lanczos(problem, shifted, geometry, motions);
}

EigenSolution solve_eigen(const SparseMatrix& K, const SparseMatrix& M, const EigenOptions& options,
                          const SolverGeometry& geometry, const AttachedMotions& motions) {
  check(options);
  check(K, M);
  const bool springs = motions.has_stiffness(), plain = motions.count() == 0;
  if (options.method == EigenMethod::lobpcg) check_without_springs(&motions);
  const WithMotions stiff(K, motions, motions.stiffness), heavy(M, motions, motions.mass);
  const LinearOperator &whole_K = plain ? static_cast<const LinearOperator&>(K) : stiff,
                       &whole_M = plain ? static_cast<const LinearOperator&>(M) : heavy;
  const EigenProblem problem({whole_K, whole_M, K.diagonal(), M.diagonal(), K.block_size(), true, &motions}, options,
                             geometry.dimension);
  EigenChoice choice = choose_method(K.total_rows(), options, geometry.dimension, springs);
  if (choice.method == EigenMethod::lanczos) {
    EigenSolution solution;
    const std::optional<Error> shortage = shortage_or_no_library([&] {
      SparseMatrix A(K.shared_pattern(), K.block_size());
      const ShiftedMatrix shifted = [&](double shift) -> DirectInput {
        A.values().copy_from(K.values());
        axpy(-shift, M.values(), A.values());
        return A;
      };
      solution = solve_by_lanczos(problem, shifted, geometry, motions);
    });
    if (!shortage) {
      solution.choice = choice.why;
      return solution;
    }
    // If the method was not named: iterations need neither the library nor the memory.
    if (options.method == EigenMethod::lanczos || needs_a_factor(options) || springs) throw *shortage;
    choice.why = "not factorised: " + shortage->message();
  }
  const std::optional<DiagonalBlocks> light = DiagonalBlocks::of(M);
  const WithMotions light_with_motions(light ? *light : whole_M, motions, motions.mass);
  const LinearOperator& acting_M = light ? light_with_motions : whole_M;
  EigenSolution solution = solve_by_lobpcg(
      EigenProblem({whole_K, acting_M, K.diagonal(), M.diagonal(), K.block_size(), true, &motions}, options,
                   geometry.dimension),
      [&](double shift) { return std::make_unique<ShiftedMultigrid>(K, M, shift, options.multigrid, geometry); });
  solution.choice = choice.why;
  return solution;
}

}  // namespace ritz
