// Algebraic multigrid by smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996) with rigid-body modes as
// near-null space: one V-cycle as a symmetric preconditioner. Set-up and cycle run on the matrix's device; the cycle
// works in single precision by default, inside a double-precision iteration.
//
//   SmoothedAggregation multigrid(K, {.coordinates = &space.coordinates(), .dimension = 3});
//   ConjugateGradient{}.solve(K, b, x, &multigrid);
//
// Over ranks the aggregates are those of one process, each of them a node of the rank that has its root (Tuminaro and
// Tong, Parallel smoothed aggregation multigrid, 2000). Levels are divided like the matrix until at most `replicated`
// unknowns are left; from there every rank has the whole hierarchy and computes the same.
#pragma once

#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/algebra/sparse_matrix.hpp"
#include "solvers/multigrid/nested_levels.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

// `automatic`: nested where there are some; between different meshes only where diagonal entries of neighbours differ
// by a factor of 30 at most, since interpolation across jumps of a material is poor, and of scalars only where
// couplings are about alike in all directions, since aggregates follow strong ones.
enum class MultigridLevels { automatic, nested, aggregation };

struct SmoothedAggregationOptions {
  // [block row][dimension], over ranks of [owned | ghosts]; gives rigid rotations; without it translations only
  const Vector* coordinates = nullptr;
  int dimension = 0;
  // [unknown][count], in place of rigid motions: what A maps nearly to zero. As many as a block row has unknowns, or 3
  // for 2 of them, 6 for 3. Rows of unknowns that couple to nothing count as zero.
  const Vector* near_null = nullptr;
  int near_null_count = 0;
  int translations = -1;  // the first of these vectors; negative: one for each unknown, where there are more vectors
  bool single_precision = true;  // of the cycle
  bool half_storage = false;     // the matrices of its levels in 16 bits (bfloat16); only in single precision
  double strength = -1;        // threshold of strong connections; negative: 0.3 for scalars and bodies, 0.02 for others
  int smoothing_degree = 2;    // of the Chebyshev smoother, before and after
  double smoothing_ratio = 8;  // it damps the eigenvalues from largest / ratio to largest
  // Bounds of the eigenvalues of all levels by many more steps: where coefficients jump from cell to cell, few steps
  // may miss what lives in a few cells, and the smoother is indefinite then.
  bool sure_bounds = false;
  Index coarsest_size = 600;  // unknowns that are solved with a dense inverse
  int max_levels = 12;
  MultigridLevels levels = MultigridLevels::automatic;
  MakeNested nested = {};    // called at set-up; empty: aggregation alone
  Index replicated = 50000;  // over ranks: most unknowns of all in the level that every rank has
};

class SmoothedAggregation final : public LinearOperator {
 public:
  // A must outlive this. Throws Error: Exit::model naming the row when a diagonal entry is not positive,
  // Error: Exit::input when nested levels were named and there are none, or a near-null space has another size.
  explicit SmoothedAggregation(const SparseMatrix& A, const SmoothedAggregationOptions& options = {});
  explicit SmoothedAggregation(const DividedMatrix& A, const SmoothedAggregationOptions& options = {});  // all ranks
  ~SmoothedAggregation() override;

  // Follows a change of A's values: aggregates and patterns are kept, values are recomputed in place. Prolongators are
  // kept, too, as long as no diagonal entry has changed by a factor of 2 against another since they were made, and the
  // same unknowns are prescribed. The options' coordinates must still exist. Returns false when a value that had been
  // zero made new couplings: then everything was set up again. Throws Error: Exit::internal when the pattern of A has
  // changed, and over ranks.
  bool refresh();

  const Device& device() const override;
  Index rows() const override;
  void apply(const Vector& b, Vector& x) const override;  // one V-cycle from x = 0
  // Reads the hierarchy once per 8 columns, over ranks once for each.
  void apply_block(const MultiVector& B, MultiVector& X) const override;
  float* single_argument() const override;
  void apply_single(const Vector& b, Vector& x, const Vector* q, double* dots) const override;
  std::string name() const override;

  struct Level {
    Index unknowns, nonzeros;   // scalar; over ranks unknowns of all, and nonzeros that this rank has
    double largest_eigenvalue;  // of D^-1 A, estimated
  };
  std::vector<Level> levels() const;
  int nested_levels() const;           // how many of them come from nested nodes
  int divided_levels() const;          // how many of them, from the first on, are divided among ranks
  double operator_complexity() const;  // nonzeros of all levels / nonzeros of the first, of this rank
  Index bytes() const;                 // of the hierarchy, without A

 private:
  struct Hierarchy;
  std::unique_ptr<Hierarchy> hierarchy_;
};

}  // namespace ritz
