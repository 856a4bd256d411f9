// Memory of a linear system of several fields before it is made: of one process, and of each of several ranks.
//
//   fields_needs(equations, MixedPath::iterative, options).total();
#pragma once

#include "device/memory_needs.hpp"
#include "fem/operator/fields_operator.hpp"
#include "fem/ranks/rank_shares.hpp"
#include "solvers/linear/linear_solver_options.hpp"

namespace ritz {

enum class MixedPath { direct, iterative };
// The path that `automatic` tries first.
MixedPath first_path(const FieldsOperator& equations, const LinearSolverOptions& options);

// Memory of the device while it solves, beside what there is; without the factor.
MemoryNeeds fields_needs(const FieldsOperator& equations, MixedPath path = MixedPath::direct,
                         const LinearSolverOptions& options = {});
// Memory of the factor and of the matrix's copies on the host, from an analysis of the pattern. Throws what
// DirectSolver throws.
struct FieldsFactorNeeds {
  Index factor = 0, host_copies = 0;  // [bytes]
};
FieldsFactorNeeds fields_factor_needs(const FieldsOperator& equations);

// The same stages for the part of each of several ranks. Messages are not counted. Throws Error: Exit::environment as
// check_divisible does for small meshes.
RanksForecast forecast_ranks(const FieldsOperator& equations, MixedPath path, const LinearSolverOptions& options,
                             const RanksQuestion& question);

}  // namespace ritz
