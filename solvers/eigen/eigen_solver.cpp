#include "solvers/eigen/eigen_solver.hpp"

#include "device/memory_shortage.hpp"
#include "solvers/algebra/diagonal_blocks.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/eigen_needs.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/shifted_matrix.hpp"
#include "solvers/linear/memory_steps.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

// Number of unknowns above which factorising no longer pays for its count of eigenvalues: in three dimensions LOBPCG is
// faster from 30 000 unknowns on, by a half at 100 000 and three times at 200 000 (a bar of 20-node
// hexahedra, ten modes, one core, 21 November 2026).
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

namespace {

template <class Matrix>
EigenSolution by_factor(const Matrix& K, const Matrix& M, const EigenOptions& options, const SolverGeometry& geometry,
                        const AttachedMotions& motions) {
  return solve_by_lanczos(
      {.K = K, .M = M, .stiffness = K.diagonal(), .mass = M.diagonal(), .block = K.block_size(), .in_lanes = true},
      options, geometry, motions, shifted_matrices(K, M));
}

// acting_M: products with M.
template <class Matrix>
EigenSolution by_iteration(const Matrix& K, const Matrix& M, const LinearOperator& acting_M, bool in_lanes,
                           PreconditionerKind kind, const EigenOptions& options, const SolverGeometry& geometry,
                           const AttachedMotions& motions) {
  const WithMotions heavy(acting_M, motions, motions.mass);
  return solve_by_lobpcg({.K = K,
                          .M = motions.count() == 0 ? acting_M : heavy,
                          .stiffness = K.diagonal(),
                          .mass = M.diagonal(),
                          .block = K.block_size(),
                          .in_lanes = in_lanes,
                          .motions = &motions},
                         options, geometry.dimension, [&](double shift) {
                           auto phase = K.device().profile().phase("set-up");
                           return std::make_unique<ShiftedCycle<Matrix>>(K, M, shift, kind, options.multigrid,
                                                                         geometry);
                         });
}

}  // namespace

EigenSolution solve_eigen(const SparseMatrix& K, const SparseMatrix& M, const EigenOptions& options,
                          const SolverGeometry& geometry, const AttachedMotions& motions) {
  check(options);
  check(K, M);
  const bool springs = motions.has_stiffness();
  EigenChoice choice = choose_method(K.total_rows(), options, geometry.dimension, springs);
  if (choice.method == EigenMethod::lanczos) {
    EigenSolution solution;
    const std::optional<Error> shortage =
        shortage_or_no_library([&] { solution = by_factor(K, M, options, geometry, motions); });
    if (!shortage) {
      solution.choice = choice.why;
      return solution;
    }
    // If the method was not named: iterations need neither the library nor the memory.
    if (options.method == EigenMethod::lanczos || needs_a_factor(options) || springs) throw *shortage;
    choice.why = "not factorised: " + shortage->message();
  }
  const std::optional<DiagonalBlocks> light = DiagonalBlocks::of(M);
  EigenSolution solution = by_iteration(K, M, light ? static_cast<const LinearOperator&>(*light) : M, true,
                                        PreconditionerKind::multigrid, options, geometry, motions);
  solution.choice = choice.why;
  return solution;
}

PreconditionerKind preconditioner_in_room(Ranks& ranks, const Device& device, const CycleOnRanks& cycle,
                                          const EigenOptions& options, std::vector<std::string>& fallbacks) {
  MemorySavings memory{.preconditioner = PreconditionerKind::multigrid, .half_storage = true, .needs_matrix = true};
  const auto predict = [&] {
    const Index available = device.memory().available();
    if (available > cycle.plenty) return;
    const Index needed = cycle.needed();
    if (needed <= available) return;
    throw Error(ErrorKind::device_memory,
                fmt::format("{} {:.1f} MB, and {:.1f} MB are available", cycle.what, 1e-6 * double(needed),
                            1e-6 * double(available)),
                cycle.from, "start more ranks, or give them more memory");
  };
  if (const std::optional<Error> shortage = memory_shortage(&ranks, [&] { ranks.agree(predict); })) {
    fallbacks.push_back(*step_down(MemoryLevel::cycle, memory, *shortage));
    if (options.say) options.say(fallbacks.back());
  }
  return memory.preconditioner;
}

namespace {

PreconditionerKind preconditioner_in_room(const DividedMatrix& K, const EigenOptions& options,
                                          const SolverGeometry& geometry, std::vector<std::string>& fallbacks) {
  const Index vectors = lobpcg_needs(K.rows(), options, false).peak.total();
  const auto needed = [&] {
    const HierarchyShape shape{.rows = K.ghosts().size(),
                               .nonzeros = K.nonzeros_with_ghost_rows(),
                               .block = K.block_size(),
                               .dimension = geometry.dimension,
                               .nesting = geometry.nested && geometry.nested() ? Nesting::mesh : Nesting::none};
    const HierarchyNeeds needs = hierarchy_needs(shape, K.ghosts().total(), with_geometry(options.multigrid, geometry));
    const Index set_up = needs.set_up.total() + geometry.more_for_products,
                sum = options.zero_count > 0 ? bytes_of_shifted(K) : 0;
    return sum + std::max(set_up, needs.live.total() + vectors);
  };
  return preconditioner_in_room(K.ghosts().ranks(), K.device(),
                                {.what = "multigrid and the vectors of the modes need",
                                 .from = "predicted from the rows of this rank",
                                 .plenty = 4 * K.device().memory().statistics().live + vectors,
                                 .needed = needed},
                                options, fallbacks);
}

}  // namespace

EigenSolution solve_eigen(const DividedMatrix& K, const DividedMatrix& M, const EigenOptions& options,
                          const SolverGeometry& geometry, const AttachedMotions& motions) {
  check(options);
  const int ranks = K.ghosts().ranks().count();
  const bool needs_factor = needs_a_factor(options) || motions.has_stiffness();
  if (options.method == EigenMethod::lanczos || (options.method == EigenMethod::automatic && needs_factor)) {
    EigenSolution solution = by_factor(K, M, options, geometry, motions);
    solution.choice = fmt::format("factorised by {} ranks together, whose last digits differ from run to run", ranks);
    return solution;
  }
  std::vector<std::string> fallbacks;
  const PreconditionerKind kind = preconditioner_in_room(K, options, geometry, fallbacks);
  EigenSolution solution = by_iteration(K, M, M, false, kind, options, geometry, motions);
  solution.fallbacks = std::move(fallbacks);
  solution.choice = fmt::format("divided among {} ranks", ranks);
  return solution;
}

Vector EigenSolution::vector(std::size_t column) const {
  Vector x(vectors->device(), vectors->rows(), "vectors");
  vectors->get_column(static_cast<int>(column), x);
  return layout.is_divided() ? layout.gathered(x) : std::move(x);
}

}  // namespace ritz
