// Builds the levels of a smoothed-aggregation hierarchy, in double precision, one after the other: a level is handed
// over as soon as the next one exists, so that two at most are held here. Over ranks each builds the rows that it owns,
// until a level is small enough for every rank to take the whole. One process owns all rows and has no ghosts.
#pragma once

#include "device/function_ref.hpp"
#include "solvers/multigrid/eigenvalue_bound.hpp"
#include "solvers/multigrid/gathered_level.hpp"
#include "solvers/multigrid/level_matrix.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ritz {

struct SetupLevel {
  LevelMatrix A;
  BlockMatrix rows;                        // A's in one process; empty on the first level, as the next
  std::unique_ptr<DividedMatrix> divided;  // A's over ranks
  Vector inverse_diagonal;                 // [owned unknown], like all vectors here
  EigenvalueBound largest_eigenvalue;
  Array<std::int32_t> aggregate;  // [node] of the next level, negative: none; empty over ranks and on the last, where P
  BlockMatrix P, R;               // and R are empty, too: to and from the next level
  Vector coarsest_inverse;        // dense, row-major; on the last level, empty when that is too large for it
  std::optional<GatheredLevel> gathered;  // over ranks, on the last level if that is small
};

using TakeLevel = FunctionRef<void(SetupLevel&)>;

void set_up_hierarchy(const LevelMatrix& A, const SmoothedAggregationOptions& options, const NestedLevels& nested,
                      const TakeLevel& take);

// Data of a level that is kept for new values: patterns and aggregates; the values of the transfers if these do not
// change.
struct KnownLevel {
  BlockMatrixView<double> A, P, R;
  Index nonzeros = 0, transfer_nonzeros = 0;  // blocks of A, and of P
  const std::int32_t* aggregate = nullptr;    // unused between nested levels
  EigenvalueBound largest_eigenvalue;
  std::vector<Array<std::int32_t>> columns;  // storage of the views above, if made for them
  std::vector<Vector> values;
};

struct RefreshedLevel {
  BlockMatrixView<double> A;
  Vector inverse_diagonal, coarsest_inverse;
  Vector P, R;  // empty when they stay as they are
  EigenvalueBound largest_eigenvalue;
};

struct KnownHierarchy {
  std::size_t levels = 0;
  std::function<KnownLevel(std::size_t level)> level;
  // Whether prolongators and restrictors stay: those of other values have the same near-null space and do as well,
  // unless the values have changed by much, and not everywhere alike. Then only R A P is rebuilt.
  bool keeps_transfers = false;
};

using TakeValues = FunctionRef<void(std::size_t level, const KnownLevel&, RefreshedLevel&)>;

// The values of a hierarchy for new values of A, whose inverted diagonal is given, in one process. False when some
// would not fit the known patterns; the levels that were handed over until then are valid, the others are not.
bool refresh_hierarchy(const LevelMatrix& A, Vector inverse_diagonal, const SmoothedAggregationOptions& options,
                       const NestedLevels& nested, const KnownHierarchy& known, const TakeValues& take);

}  // namespace ritz
