#include "solvers/multigrid/hierarchy_setup.hpp"

#include "device/kernels.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/aggregates.hpp"
#include "solvers/multigrid/coarsest_inverse.hpp"
#include "solvers/multigrid/divided_product.hpp"
#include "solvers/multigrid/level_matrix_kernels.hpp"
#include "solvers/multigrid/near_null.hpp"
#include "solvers/multigrid/transfers.hpp"
#include "solvers/algebra/solver_progress.hpp"

#include <fmt/format.h>
#include <cmath>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// Over ranks a level is gathered where a rank would have no node of the next one: with ten nodes for each rank or so,
// not all ranks have the root of an aggregate.
constexpr Index most_where_stuck = 10;

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

const LevelMatrixKernels& level_kernels(const Device& device) {
  return kernels<LevelMatrixKernels>(device, solver_kernels, "level matrix");
}

EigenvalueBound bound(const LevelMatrix& A, const Vector& inverse_diagonal, bool sure) {
  return sure ? EigenvalueBound{.full = sure_eigenvalue_bound(A, inverse_diagonal)}
              : eigenvalue_bound(A, inverse_diagonal);
}

// Unknowns of a level that needs no coarser one. A small first level is inverted, by one process as by every rank.
Index most_of_last(int number, bool divided, const SmoothedAggregationOptions& options) {
  if (!divided) return options.coarsest_size;
  return number > 1 ? options.replicated : std::min(options.replicated, options.coarsest_size);
}

const NestedNodes* nested_nodes(const NestedLevels& nested, std::size_t level) {
  return nested != nullptr && level < nested->levels.size() ? &nested->levels[level] : nullptr;
}

// How strongly nodes of a level must be coupled to be of one aggregate. Aggregates whose blocks are compared by their
// norms couple ever more widely: the threshold halves from level to level.
struct Coupling {
  bool compares_norms;
  double strength;
};

Coupling coupling(int level, int block, const NearNull& near, const NestedLevels& nested,
                  const SmoothedAggregationOptions& options) {
  if (block == 1 || near.translations() > 0) return {false, options.strength >= 0 ? options.strength : 0.3};
  const int given = nested == nullptr ? 0 : static_cast<int>(nested->levels.size());
  return {true, (options.strength >= 0 ? options.strength : 0.02) * std::pow(0.5, level - given - 1)};
}

// near_null: of [owned | ghosts].
CoarseNodes aggregate_by(const Strength& strength, const NearNull& near, const double* near_null, SetupLevel& fine,
                         Graph& graph) {
  const Device& device = fine.A.device;
  auto phase = device.profile().phase("aggregation");
  // The columns of the matrix count twice, once for the diagonal's norms. The rounds that choose roots are not
  // counted.
  device.profile().count(bytes_of(fine.A.view, fine.A.nonzeros) + 2 * fine.A.nonzeros * Index{sizeof(std::int32_t)} +
                         fine.A.view.rows * (Index{2} * sizeof(double) + 2 * sizeof(std::int32_t)));
  graph = {};
  const Index own =
      make_aggregates(fine.A, strength, {near_null, near.count(), near.translations()}, graph, fine.aggregate);
  return CoarseNodes(fine.A.ghosts(), own);
}

// By the measure of larger rows, or by that of softer ones where it leaves too many.
CoarseNodes aggregate(const Coupling& by, const NearNull& near, const double* near_null,
                      const SmoothedAggregationOptions& options, SetupLevel& fine, Graph& graph) {
  CoarseNodes aggregates = aggregate_by({by.strength}, near, near_null, fine, graph);
  if (by.compares_norms || are_few(aggregates.of_all(), fine.A.nodes_of_all(), fine.A.block(), near.count(), options))
    return aggregates;
  return aggregate_by({by.strength, true}, near, near_null, fine, graph);
}

struct Aggregated {
  CoarseNodes nodes;
  Graph strong;
  Vector reached;  // near-null space of [owned | ghosts], where ghosts need it
};

// Sets fine.aggregate; none when the graph cannot be made much smaller, or a rank would have no node of the next level.
std::optional<Aggregated> aggregated(const Coupling& by, const NearNull& near, const Vector& near_null,
                                     const SmoothedAggregationOptions& options, SetupLevel& fine) {
  Aggregated result;
  if (fine.A.ghosts() != nullptr && near.translations() > 0)
    result.reached = with_ghosts(near_null, *fine.A.ghosts(), fine.A.block() * near.count());
  const double* const all = result.reached.empty() ? near_null.data() : result.reached.data();
  result.nodes = aggregate(by, near, all, options, fine, result.strong);
  if (result.nodes.fewest() > 0 && result.nodes.of_all() * near.count() <= fine.A.unknowns_of_all() * 4 / 5)
    return result;
  fine.aggregate = {};
  return std::nullopt;
}

Vector inverse_diagonal_of(const Device& device, const BlockMatrixView<double>& A, Index nonzeros) {
  Vector result(device, A.rows * A.row_block, "multigrid");
  device.profile().count((A.rows + 1) * Index{sizeof(Index)} + 2 * result.bytes() +
                         nonzeros * Index{sizeof(std::int32_t)});
  level_kernels(device).inverse_diagonal(device, A, result.data());
  return result;
}

// Over ranks P takes the columns of the coarser matrix, before it is transposed.
SetupLevel product(const Transfers& transfers, bool nested, SetupLevel& fine, CoarseNodes& nodes) {
  const Device& device = fine.A.device;
  auto phase = device.profile().phase("product");
  SetupLevel coarse;
  if (fine.A.divided == nullptr) {
    level_kernels(device).galerkin(device, fine.A.view, fine.P.view(), fine.R.view(), nested, coarse.rows);
    coarse.A = {device, coarse.rows.view(), coarse.rows.nonzeros()};
  } else {
    coarse.divided = divided_product(*fine.A.divided, nested, nodes, fine.P);
    coarse.A = level_matrix(*coarse.divided);
    transfers.transpose(fine);
  }
  device.profile().count(bytes_of(fine.A.view, fine.A.nonzeros) + bytes_of(fine.P) + bytes_of(fine.R) +
                         bytes_of(coarse.A.view, coarse.A.nonzeros));
  coarse.inverse_diagonal = inverse_diagonal_of(device, coarse.A.view, coarse.A.nonzeros);
  return coarse;
}

// The next level; none when it would not be much smaller, or a rank would have no node of it. The near-null space
// becomes that of the next level.
std::optional<SetupLevel> coarsened(const NestedNodes* nodes, const Coupling& by, const NearNull& near,
                                    const Transfers& transfers, const SmoothedAggregationOptions& options,
                                    SetupLevel& fine, Vector& near_null) {
  std::optional<Aggregated> over;
  if (nodes == nullptr && !(over = aggregated(by, near, near_null, options, fine))) return std::nullopt;
  CoarseNodes coarser = over ? std::move(over->nodes) : CoarseNodes(fine.A.ghosts(), std::ssize(nodes->same));
  {
    auto phase = fine.A.device.profile().phase("transfers");
    if (over) transfers.smooth(over->strong.view(), over->reached, fine, near_null, coarser);
    else transfers.interpolate(*nodes, fine, near_null, coarser);
    over.reset();
    if (fine.A.divided != nullptr) fine.aggregate = {};
    transfers.round_as_cycle(fine.P.values);
    if (fine.A.divided == nullptr) transfers.transpose(fine);
  }
  return product(transfers, nodes != nullptr, fine, coarser);
}

// Values of the next level; false when its pattern has no place for some.
bool refresh_product(const KnownLevel& known, const KnownLevel& next, bool nested, const RefreshedLevel& fine,
                     RefreshedLevel& coarse, Vector& coarse_values) {
  const Device& device = fine.inverse_diagonal.device();
  auto phase = device.profile().phase("product");
  coarse_values = Vector(device, next.nonzeros * next.A.row_block * next.A.row_block, setup_tag);
  if (!level_kernels(device).galerkin_again(device, fine.A, known.P, known.R, nested, next.A, coarse_values.data()))
    return false;
  device.profile().count(bytes_of(fine.A, known.nonzeros) + bytes_of(known.P, known.transfer_nonzeros) +
                         bytes_of(known.R, known.transfer_nonzeros) + bytes_of(next.A, next.nonzeros));
  coarse.A = next.A;
  coarse.A.values = coarse_values.data();
  coarse.inverse_diagonal = inverse_diagonal_of(device, coarse.A, next.nonzeros);
  return true;
}

// Its inverse, or a bound that the many smoothing steps in its place can rely on.
void finish_coarsest(const LevelMatrix& A, const Vector& inverse_diagonal, Vector& inverse, EigenvalueBound& eigenvalue,
                     Index largest) {
  auto phase = A.device.profile().phase("coarsest");
  if (A.divided == nullptr && A.unknowns() <= largest) inverse = coarsest_inverse(A.device, A.view, A.nonzeros);
  else eigenvalue.full = sure_eigenvalue_bound(A, inverse_diagonal);
}

// Every rank takes the whole level.
void gather(int number, const NearNull& near, const NestedLevels& nested, double strength, const Vector& near_null,
            SetupLevel& level) {
  auto phase = level.A.device.profile().phase("coarsest");
  const bool over_nested =
      nested != nullptr && static_cast<std::size_t>(number - 1) == nested->levels.size() && !nested->replicated.empty();
  level.gathered = gathered(*level.A.divided, near_null, near.count());
  level.gathered->translations = near.translations();
  level.gathered->strength = strength;
  if (over_nested)
    level.gathered->nested = std::make_shared<const NestedHierarchy>(NestedHierarchy{nested->replicated});
}

}  // namespace

void set_up_hierarchy(const LevelMatrix& A, const SmoothedAggregationOptions& options, const NestedLevels& nested,
                      const TakeLevel& take) {
  const NearNull near(A, options);
  const Transfers transfers(A.device, near, options.single_precision);
  SetupLevel level;
  level.A = A;
  level.inverse_diagonal = inverse_diagonal(A.diagonal());
  Vector near_null = near.of_first_level(A);
  for (int number = 1;; ++number) {
    report_progress(fmt::format("multigrid set-up: level {}, {} unknowns", number, level.A.unknowns_of_all()));
    level.largest_eigenvalue = bound(level.A, level.inverse_diagonal, options.sure_bounds);
    const Coupling by = coupling(number, A.block(), near, nested, options);
    const bool ends = number >= options.max_levels ||
                      level.A.unknowns_of_all() <= most_of_last(number, A.divided != nullptr, options);
    std::optional<SetupLevel> coarse;
    if (!ends)
      coarse = coarsened(nested_nodes(nested, static_cast<std::size_t>(number - 1)), by, near, transfers, options,
                         level, near_null);
    if (!coarse) {
      if (level.A.divided != nullptr && level.A.unknowns_of_all() <= (ends ? 1 : most_where_stuck) * options.replicated)
        gather(number, near, nested, by.strength, near_null, level);
      else
        finish_coarsest(level.A, level.inverse_diagonal, level.coarsest_inverse, level.largest_eigenvalue,
                        largest_inverse(options));
      return take(level);
    }
    take(level);
    level = std::move(*coarse);
  }
}

bool refresh_hierarchy(const LevelMatrix& first, Vector inverse_diagonal, const SmoothedAggregationOptions& options,
                       const NestedLevels& nested, const KnownHierarchy& hierarchy, const TakeValues& take) {
  const NearNull near(first, options);
  const Transfers transfers(first.device, near, options.single_precision);
  RefreshedLevel level;
  level.A = first.view;
  level.inverse_diagonal = std::move(inverse_diagonal);
  Vector values, near_null;
  KnownLevel known = hierarchy.level(0);
  const bool keep = hierarchy.keeps_transfers && (hierarchy.levels < 2 || near.suits(level.A, known.P));
  if (!keep) near_null = near.of_first_level(first);
  for (std::size_t number = 0;; ++number) {
    const LevelMatrix A{first.device, level.A, known.nonzeros};
    level.largest_eigenvalue = options.sure_bounds
                                   ? bound(A, level.inverse_diagonal, true)
                                   : eigenvalue_bound_again(A, level.inverse_diagonal, known.largest_eigenvalue);
    if (number + 1 == hierarchy.levels) {
      finish_coarsest(A, level.inverse_diagonal, level.coarsest_inverse, level.largest_eigenvalue,
                      largest_inverse(options));
      take(number, known, level);
      return true;
    }
    const NestedNodes* const nodes = nested_nodes(nested, number);
    KnownLevel next = hierarchy.level(number + 1);
    RefreshedLevel coarse;
    Vector coarse_values;
    if (!keep && !transfers.refresh(nodes, known, level, near_null)) return false;
    if (!refresh_product(known, next, nodes != nullptr, level, coarse, coarse_values)) return false;
    take(number, known, level);
    level = std::move(coarse);
    values = std::move(coarse_values);
    known = std::move(next);
  }
}

}  // namespace ritz
