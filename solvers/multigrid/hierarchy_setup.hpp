// Builds the levels of a smoothed-aggregation hierarchy, in double precision, one after the other: a level is handed
// over as soon as the next one exists, so that two at most are held here.
#pragma once

#include "solvers/algebra/block_matrix.hpp"
#include "solvers/multigrid/eigenvalue_bound.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <functional>
#include <vector>

namespace ritz {

struct SetupLevel {
  BlockMatrix A;  // of the first level: empty, its view points to the caller's matrix
  BlockMatrixView<double> view;
  Index nonzeros = 0;  // blocks
  Vector inverse_diagonal;
  EigenvalueBound largest_eigenvalue;
  Array<std::int32_t> aggregate;  // [node] of the next level, negative: none; empty on the last, as are P and R
  BlockMatrix P, R;               // to and from the next level
  Vector coarsest_inverse;        // dense, row-major; on the last level, empty when that is too large for it
};

// Unknowns of a level that has an inverse, if aggregates end there.
constexpr Index largest_inverse(const SmoothedAggregationOptions& options) { return 3 * options.coarsest_size; }

// If a coefficient changes by hundreds from cell to cell, few couplings count by the measure of larger rows, and
// most nodes would be aggregates of their own. Then aggregates are made by that of softer ones, which keep bodies of
// different stiffness less well apart. So bodies take them only where coarsening would end.
constexpr bool are_few(Index aggregates, Index nodes, int block, int near_null,
                       const SmoothedAggregationOptions& options) {
  const Index unknowns = nodes * block;
  return aggregates * near_null <= (block == 1 ? unknowns / 2 : unknowns * 4 / 5) ||
         unknowns <= largest_inverse(options);
}

// The rule of MultigridLevels::automatic: how many of `count` levels suit a matrix, from the first on, of which so many
// are fields of lower order on the same cells. stretched(factor), jump(): facts of the matrix.
template <class Stretched, class Jump>
std::size_t suitable_levels(std::size_t count, std::size_t on_same_cells, const Stretched& stretched,
                            const Jump& jump) {
  // A cell of a regular mesh makes 8 between a node inside and one at a corner. With stiff inclusions in single cells
  // of a scalar problem, 24^3 hexahedra: a factor of 10 costs one iteration of 8, 1000 makes 67 of 12.
  constexpr double largest_jump = 30;
  if (on_same_cells > 0 && stretched(50)) return 0;
  return on_same_cells == count || (!stretched(3) && jump() <= largest_jump) ? count : on_same_cells;
}
// Couplings stronger in one direction: heat over nested meshes takes 35 iterations where trilinear hexahedra are 10
// times as long as thick and 102 at 50 times, with aggregates 18 and 24; elasticity 151 and more than a thousand, with
// aggregates 22 and 39. A field of order 2 keeps order 1 on its cells up to some 15 times.
inline constexpr double stretched_share = 0.1;  // of nodes
[[noreturn]] void throw_no_nested_levels();

// Near-null-space vectors of a first level for which none are given: 1, or 3, or 6 rigid motions; six unknowns per node
// are displacements and rotations.
int default_near_null_count(int block, const SmoothedAggregationOptions& options);

inline constexpr const char* setup_tag = "multigrid set-up";

using TakeLevel = std::function<void(SetupLevel&)>;

// Those of options.nested that suit the matrix.
NestedLevels nested_levels(const SparseMatrix& A, const SmoothedAggregationOptions& options);

void set_up_hierarchy(const SparseMatrix& A, const SmoothedAggregationOptions& options, const NestedLevels& nested,
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

using TakeValues = std::function<void(std::size_t level, const KnownLevel&, RefreshedLevel&)>;

// The values of a hierarchy for new values of A, whose inverted diagonal is given. False when some would not fit the
// known patterns; the levels that were handed over until then are valid, the others are not.
bool refresh_hierarchy(const SparseMatrix& A, Vector inverse_diagonal, const SmoothedAggregationOptions& options,
                       const NestedLevels& nested, const KnownHierarchy& known, const TakeValues& take);

}  // namespace ritz
