// The levels of a hierarchy over ranks, one after the other, in double precision: what divided_aggregation.hpp packs
// for its cycles. Private to solvers/multigrid.
#pragma once

#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/multigrid/divided_nesting.hpp"
#include "solvers/multigrid/eigenvalue_bound.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <memory>
#include <optional>

namespace ritz {

struct DividedLevel {
  std::shared_ptr<const Ghosts> ghosts;
  Vector inverse_diagonal;  // [owned unknown]
  EigenvalueBound largest_eigenvalue;
  Vector near_null;      // [owned node][C][K]
  int translations = 0;  // the first of its vectors; 0: they are no rigid motions
};

// Transfers from a level to the next: P [owned] x [owned | ghosts of the next], R its transpose. Blocks of P are as
// wide as the near-null space between aggregates, and square between nested levels.
struct DividedTransfer {
  BlockMatrix P, R;
};

class DividedLevels {
 public:
  // nested: how many levels come from nested nodes, before aggregates.
  explicit DividedLevels(const SmoothedAggregationOptions& options, std::size_t nested = 0)
      : options_(options), nested_(static_cast<int>(nested)) {}

  DividedLevel first(const DividedMatrix& A) const;
  struct Coarser {
    DividedTransfer transfer;
    std::unique_ptr<DividedMatrix> A;
    DividedLevel level;
  };
  // nullopt: aggregates would not make it much smaller, or a rank would own none. number: 1 for the finest level.
  std::optional<Coarser> coarsen(int number, const DividedMatrix& A, const DividedLevel& level) const;
  Coarser coarsen(const NestedPart& nodes, const DividedMatrix& A, const DividedLevel& level) const;

  // The whole matrix of a level on every rank, where unknowns that couple to nothing have a diagonal entry of 1, and
  // the whole near-null space.
  struct Whole {
    SparseMatrix A;
    Vector near_null;
    int translations;
  };
  static Whole whole(const DividedMatrix& A, const DividedLevel& level);
  double strength(int number, const DividedMatrix& A, const DividedLevel& level) const;

 private:
  SmoothedAggregationOptions options_;
  int nested_;
};

}  // namespace ritz
