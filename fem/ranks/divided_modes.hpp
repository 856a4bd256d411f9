// Modes of matrices whose rows are divided among ranks, by Lanczos with factors that all ranks make together; and their
// sums, on one pattern.
//
//   EigenSolution modes = modes_by_factor(K, M, 3, options, geometry, motions);          // on all ranks
#pragma once

#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/eigen/eigen_solver.hpp"

#include <memory>

namespace ritz {

// K + shift M, on the pattern that both have.
std::unique_ptr<const DividedMatrix> shifted(const DividedMatrix& K, double shift, const DividedMatrix& M);
Index bytes_of_shifted(const DividedMatrix& K);

// Makes K - shift M of these matrices; the one before is gone.
ShiftedMatrix shifted_matrices(const DividedMatrix& K, const DividedMatrix& M);

// block: unknowns of a node. Motions are of masses alone, on owned unknowns, and so are vectors.
EigenSolution modes_by_factor(const DividedMatrix& K, const DividedMatrix& M, int block, const EigenOptions& options,
                              const SolverGeometry& geometry, const AttachedMotions& motions);

}  // namespace ritz
