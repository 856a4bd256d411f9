#include "solvers/multigrid/hierarchy_setup.hpp"

#include "device/error.hpp"
#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/box_around.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/aggregates.hpp"
#include "solvers/multigrid/coarsest_inverse.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"
#include "solvers/multigrid/divided_product.hpp"
#include "solvers/multigrid/level_matrix_kernels.hpp"
#include "solvers/multigrid/near_null_kernels.hpp"
#include "solvers/multigrid/transfer_kernels.hpp"
#include "solvers/algebra/solver_progress.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
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

// Near-null-space vectors of a first level for which none are given: 1, or 3, or 6 rigid motions; six unknowns per node
// are displacements and rotations.
int default_near_null_count(int block, const SmoothedAggregationOptions& options) {
  if (options.coordinates == nullptr || block != options.dimension) return block;
  return block == 2 ? 3 : block == 3 ? 6 : 1;
}

int near_null_count(int block, const SmoothedAggregationOptions& options) {
  return options.near_null != nullptr ? options.near_null_count : default_near_null_count(block, options);
}

void check_near_null(const LevelMatrix& A, const SmoothedAggregationOptions& options) {
  if (options.near_null == nullptr) return;
  const int C = A.block(), K = options.near_null_count;
  if ((K == C || (C == 2 && K == 3) || (C == 3 && K == 6)) && options.near_null->size() == A.unknowns() * K) return;
  throw Error(Exit::input, fmt::format("a near-null space of {} vectors for blocks of {} unknowns", K, C),
              "multigrid takes as many vectors as a node has unknowns, or 3 for 2 of them, 6 for 3",
              "give that many, or other blocks");
}

class Builder {
 public:
  Builder(const LevelMatrix& A, const SmoothedAggregationOptions& options, NestedLevels nested)
      : A_(A),
        options_(options),
        nested_(std::move(nested)),
        device_(A.device),
        near_null_(kernels<NearNullKernels>(device_, solver_kernels, "near-null space")),
        transfer_(kernels<TransferKernels>(device_, solver_kernels, "transfer")),
        matrix_(kernels<LevelMatrixKernels>(device_, solver_kernels, "level matrix")),
        K_(near_null_count(A.block(), options)),
        translations_(options.translations >= 0 ? options.translations
                      : K_ > A.block()          ? A.block()
                                                : 0) {}

  void build(const TakeLevel& take) {
    SetupLevel level;
    level.A = A_;
    level.inverse_diagonal = inverse_diagonal(A_.diagonal());
    Vector near_null = first_near_null(A_.view);
    for (int number = 1;; ++number) {
      report_progress(fmt::format("multigrid set-up: level {}, {} unknowns", number, level.A.unknowns_of_all()));
      level.largest_eigenvalue = bound(level.A, level.inverse_diagonal);
      SetupLevel coarse;
      const bool ends = number >= options_.max_levels || level.A.unknowns_of_all() <= most_of_last(number);
      if (ends || !coarsen(number, level, near_null, coarse)) {
        if (level.A.divided != nullptr &&
            level.A.unknowns_of_all() <= (ends ? 1 : most_where_stuck) * options_.replicated)
          gather(number, level, near_null);
        else finish_coarsest(level.A, level.inverse_diagonal, level.coarsest_inverse, level.largest_eigenvalue);
        take(level);
        return;
      }
      take(level);
      level = std::move(coarse);
    }
  }

  bool refresh(Vector inverse_diagonal, const KnownHierarchy& hierarchy, const TakeValues& take) {
    RefreshedLevel level;
    level.A = A_.view;
    level.inverse_diagonal = std::move(inverse_diagonal);
    Vector values, near_null;
    KnownLevel known = hierarchy.level(0);
    const bool keep =
        hierarchy.keeps_transfers && (hierarchy.levels < 2 || near_null_.suits(device_, level.A, known.P));
    if (!keep) near_null = first_near_null(level.A);
    for (std::size_t number = 0;; ++number) {
      const LevelMatrix A{device_, level.A, known.nonzeros};
      level.largest_eigenvalue = options_.sure_bounds
                                     ? bound(A, level.inverse_diagonal)
                                     : eigenvalue_bound_again(A, level.inverse_diagonal, known.largest_eigenvalue);
      if (number + 1 == hierarchy.levels) {
        finish_coarsest(A, level.inverse_diagonal, level.coarsest_inverse, level.largest_eigenvalue);
        take(number, known, level);
        return true;
      }
      KnownLevel next = hierarchy.level(number + 1);
      RefreshedLevel coarse;
      Vector coarse_values;
      if (!keep && !transfers_again(nested(number), known, level, near_null)) return false;
      if (!coarsen_again(known, next, nested(number) != nullptr, level, coarse, coarse_values)) return false;
      take(number, known, level);
      level = std::move(coarse);
      values = std::move(coarse_values);
      known = std::move(next);
    }
  }

 private:
  EigenvalueBound bound(const LevelMatrix& A, const Vector& inverse_diagonal) const {
    return options_.sure_bounds ? EigenvalueBound{.full = sure_eigenvalue_bound(A, inverse_diagonal)}
                                : eigenvalue_bound(A, inverse_diagonal);
  }

  // Unknowns of a level that needs no coarser one. A small first level is inverted, by one process as by every rank.
  Index most_of_last(int number) const {
    if (A_.divided == nullptr) return options_.coarsest_size;
    return number > 1 ? options_.replicated : std::min(options_.replicated, options_.coarsest_size);
  }

  // The caller's, but zero in rows of A that couple to nothing.
  Vector given_near_null(const BlockMatrixView<double>& A) const {
    const int C = A.row_block;
    Vector unit(device_, A.rows * C * C, setup_tag);
    const double centre[3] = {0, 0, 0};
    near_null_.rigid_motions(device_, A, nullptr, 0, centre, 1, C, unit.data());
    const std::vector<double> couples = unit.host();
    std::vector<double> values = options_.near_null->host();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = i / static_cast<std::size_t>(K_), c = row % static_cast<std::size_t>(C);
      if (couples[row * static_cast<std::size_t>(C) + c] == 0) values[i] = 0;
    }
    return Vector(device_, std::span<const double>(values), setup_tag);
  }

  Vector first_near_null(const BlockMatrixView<double>& A) const {
    if (options_.near_null != nullptr) return given_near_null(A);
    Vector near_null(device_, A.rows * A.row_block * K_, setup_tag);
    BoxAround box;
    const double* coordinates = nullptr;
    if (options_.coordinates != nullptr && (K_ > A.row_block || (A.row_block == 6 && options_.dimension == 3))) {
      box = box_around(*options_.coordinates, options_.dimension);
      coordinates = options_.coordinates->data();
    }
    const double size = std::ranges::max(box.extent);
    count(bytes_of(A, A_.nonzeros) + (coordinates != nullptr ? options_.coordinates->bytes() : 0) + near_null.bytes());
    near_null_.rigid_motions(device_, A, coordinates, options_.dimension, box.centre.data(), size > 0 ? size : 1, K_,
                             near_null.data());
    return near_null;
  }

  bool compares_norms() const { return A_.block() > 1 && translations_ == 0; }

  // Aggregates whose blocks are compared by their norms couple ever more widely: the threshold halves from level to
  // level.
  double strength(int level) const {
    if (!compares_norms()) return options_.strength >= 0 ? options_.strength : 0.3;
    const int given = nested_ == nullptr ? 0 : static_cast<int>(nested_->levels.size());
    return (options_.strength >= 0 ? options_.strength : 0.02) * std::pow(0.5, level - given - 1);
  }

  // By the measure of larger rows, or by that of softer ones where it leaves too many. near_null: of [owned | ghosts].
  CoarseNodes aggregate(SetupLevel& fine, int level, const double* near_null, Graph& graph) const {
    CoarseNodes aggregates = aggregate_by({strength(level)}, fine, near_null, graph);
    if (are_few(aggregates.of_all(), fine.A.nodes_of_all(), fine.A.block(), K_, options_) || compares_norms())
      return aggregates;
    return aggregate_by({strength(level), true}, fine, near_null, graph);
  }

  CoarseNodes aggregate_by(const Strength& strength, SetupLevel& fine, const double* near_null, Graph& graph) const {
    auto phase = device_.profile().phase("aggregation");
    // The columns of the matrix count twice, once for the diagonal's norms. The rounds that choose roots are not
    // counted.
    count(bytes_of(fine.A.view, fine.A.nonzeros) + 2 * fine.A.nonzeros * Index{sizeof(std::int32_t)} +
          fine.A.view.rows * (Index{2} * sizeof(double) + 2 * sizeof(std::int32_t)));
    graph = {};
    const Index own = make_aggregates(fine.A, strength, {near_null, K_, translations_}, graph, fine.aggregate);
    return CoarseNodes(fine.A.ghosts(), own);
  }

  // How aggregates move nodes beside them; empty where there are no translations.
  Vector extension(const Vector& coarse_near_null, const CoarseNodes& aggregates) const {
    if (translations_ == 0) return {};
    Vector result(device_, aggregates.count() * K_ * K_, setup_tag);
    count(2 * result.bytes());
    near_null_.rigid_extension(device_, aggregates.own(), K_, translations_, coarse_near_null.data(), result.data());
    aggregates.fetch(result, K_ * K_);
    return result;
  }

  // Over ranks, [owned | ghosts]: of its aggregate in their order here. Aggregates of ghosts are reached.
  std::vector<std::int32_t> aggregates_here(const LevelMatrix& A, const std::int32_t* aggregate,
                                            CoarseNodes& aggregates) const {
    const HostView<std::int32_t> owned(device_, aggregate, A.view.rows);
    std::vector<Index> numbers(static_cast<std::size_t>(A.ghosts()->size()));
    std::ranges::copy(owned.span(), numbers.begin());
    A.ghosts()->fetch(numbers, 1);
    aggregates.reach(numbers);
    std::vector<std::int32_t> result;
    for (const Index number : numbers) result.push_back(number < 0 ? -1 : aggregates.local(number));
    return result;
  }

  // Calls make(input) for the prolongator over these aggregates, and replaces the near-null space by that of the
  // coarser level. reached: near-null space of [owned | ghosts]; empty: there is none beside that of the owned nodes.
  template <class Make>
  auto with_prolongator_input(const LevelMatrix& A, const Vector& inverse_diagonal, double largest,
                              const std::int32_t* aggregate, CoarseNodes& aggregates, const GraphView& strong,
                              const Vector& reached, Vector& near_null, const Make& make) const {
    Vector coarse;
    const Vector T = tentative_prolongator(A, aggregate, aggregates, K_, near_null, coarse);
    // Copied, then made orthonormal; members of aggregates are listed, and the list read.
    count(4 * T.bytes() + coarse.bytes() + A.view.rows * (Index{sizeof(std::int32_t)} + Index{2} * sizeof(Index)) +
          2 * aggregates.own() * Index{sizeof(Index)});
    Array<std::int32_t> here;
    if (A.ghosts() != nullptr)
      here = Array<std::int32_t>(device_, std::span<const std::int32_t>(aggregates_here(A, aggregate, aggregates)),
                                 setup_tag);
    const Vector extends = extension(coarse, aggregates);
    const Vector fine = std::exchange(near_null, std::move(coarse));
    return make(ProlongatorInput{
        A.view, inverse_diagonal.data(), 4.0 / 3.0 / largest, here.empty() ? aggregate : here.data(), T.data(), strong,
        reached.empty() ? fine.data() : reached.data(), extends.empty() ? nullptr : extends.data()});
  }

  void count(Index bytes) const { device_.profile().count(bytes); }
  Index bytes_of_blocks(const BlockMatrixView<double>& A) const {  // a block of each node
    return A.rows * A.row_block * K_ * Index{sizeof(double)};
  }

  Vector inverse_diagonal_of(const BlockMatrixView<double>& A, Index nonzeros) const {
    Vector result(device_, A.rows * A.row_block, "multigrid");
    count((A.rows + 1) * Index{sizeof(Index)} + 2 * result.bytes() + nonzeros * Index{sizeof(std::int32_t)});
    matrix_.inverse_diagonal(device_, A, result.data());
    return result;
  }

  // The near-null space of the next level, at the nodes that it keeps.
  Vector injected(const NestedNodes& nodes, const BlockMatrixView<double>& A, const Vector& near_null) const {
    const int size = A.row_block * K_;
    const Array<std::int32_t> same(device_, std::span<const std::int32_t>(nodes.same), setup_tag);
    Vector coarse(device_, same.size() * size, setup_tag);
    count(same.bytes() + 2 * coarse.bytes());
    near_null_.take(device_, same.size(), same.data(), size, near_null.data(), coarse.data());
    return coarse;
  }

  const NestedNodes* nested(std::size_t level) const {
    return nested_ != nullptr && level < nested_->levels.size() ? &nested_->levels[level] : nullptr;
  }

  // Sums of parents, where the near-null space of the coarser nodes is that of the nodes at their places.
  void interpolate(const NestedNodes& nodes, SetupLevel& fine, Vector& near_null, CoarseNodes& coarser) const {
    const int C = fine.A.block();
    std::vector<std::int32_t> here;
    if (fine.A.ghosts() != nullptr) {
      coarser.reach(nodes.parents);
      for (const std::int32_t parent : nodes.parents) here.push_back(coarser.local(parent));
    }
    fine.P.rows = fine.A.view.rows;
    fine.P.columns = coarser.count();
    fine.P.row_block = fine.P.column_block = C;
    fine.P.offsets = Array<Index>(device_, std::span<const Index>(nodes.first), "multigrid");
    fine.P.column = Array<std::int32_t>(
        device_, std::span<const std::int32_t>(fine.A.ghosts() == nullptr ? nodes.parents : here), "multigrid");
    fine.P.values = Vector(device_, fine.P.nonzeros() * C * C, "multigrid");
    Vector coarse_near_null = injected(nodes, fine.A.view, near_null), of_parents;
    if (fine.A.ghosts() != nullptr) {
      of_parents = Vector(device_, coarser.count() * C * K_, setup_tag);
      device_.machine().copy_on_device(of_parents.data(), coarse_near_null.data(), coarse_near_null.bytes());
      coarser.fetch(of_parents, C * K_);
    }
    const Vector weights(device_, std::span<const double>(nodes.weights), "multigrid");
    transfer_.sum_of_parents(device_, fine.P.view(), weights.data(), near_null.data(),
                             of_parents.empty() ? coarse_near_null.data() : of_parents.data(), K_,
                             fine.P.values.data());
    count(bytes_of(fine.P) + near_null.bytes() + coarse_near_null.bytes());
    near_null = std::move(coarse_near_null);
  }

  // Smoothed over aggregates.
  void smooth_prolongator(const GraphView& strong, const Vector& reached, SetupLevel& fine, Vector& near_null,
                          CoarseNodes& aggregates) const {
    with_prolongator_input(fine.A, fine.inverse_diagonal, fine.largest_eigenvalue.full, fine.aggregate.data(),
                           aggregates, strong, reached, near_null, [&](const ProlongatorInput& input) {
                             transfer_.smooth_prolongator(device_, input, aggregates.count(), K_, fine.P);
                           });
    count(bytes_of(fine.A.view, fine.A.nonzeros) + fine.inverse_diagonal.bytes() + fine.aggregate.bytes() +
          bytes_of_blocks(fine.A.view) + bytes_of(fine.P));
  }

  // P is read and R written; between them rows and places of entries are listed.
  void transpose(SetupLevel& fine) const {
    transfer_.transpose(device_, fine.P, fine.R);
    count(bytes_of(fine.P) + bytes_of(fine.R) +
          2 * fine.P.nonzeros() * (Index{sizeof(Index)} + Index{sizeof(std::int32_t)}));
  }

  // Over ranks P takes the columns of the coarser matrix, before it is transposed.
  void make_coarse(SetupLevel& fine, bool nested, CoarseNodes& nodes, SetupLevel& coarse) const {
    auto product = device_.profile().phase("product");
    if (fine.A.divided == nullptr) {
      matrix_.galerkin(device_, fine.A.view, fine.P.view(), fine.R.view(), nested, coarse.rows);
      coarse.A = {device_, coarse.rows.view(), coarse.rows.nonzeros()};
    } else {
      coarse.divided = divided_product(*fine.A.divided, nested, nodes, fine.P);
      coarse.A = level_matrix(*coarse.divided);
      transpose(fine);
    }
    count(bytes_of(fine.A.view, fine.A.nonzeros) + bytes_of(fine.P) + bytes_of(fine.R) +
          bytes_of(coarse.A.view, coarse.A.nonzeros));
    coarse.inverse_diagonal = inverse_diagonal_of(coarse.A.view, coarse.A.nonzeros);
  }

  // Makes the next level; false when the graph cannot be made much smaller, or a rank would have no node of it.
  bool coarsen(int number, SetupLevel& fine, Vector& near_null, SetupLevel& coarse) const {
    const NestedNodes* const nodes = nested(static_cast<std::size_t>(number - 1));
    Graph strong;
    Vector reached;
    CoarseNodes coarser;
    if (nodes != nullptr) {
      coarser = CoarseNodes(fine.A.ghosts(), std::ssize(nodes->same));
    } else {
      if (fine.A.ghosts() != nullptr && translations_ > 0)
        reached = with_ghosts(near_null, *fine.A.ghosts(), fine.A.block() * K_);
      coarser = aggregate(fine, number, reached.empty() ? near_null.data() : reached.data(), strong);
      if (coarser.fewest() == 0 || coarser.of_all() * K_ > fine.A.unknowns_of_all() * 4 / 5) {
        fine.aggregate = {};
        return false;
      }
    }
    {
      auto phase = device_.profile().phase("transfers");
      if (nodes != nullptr) interpolate(*nodes, fine, near_null, coarser);
      else smooth_prolongator(strong.view(), reached, fine, near_null, coarser);
      strong = {};
      reached = {};
      if (fine.A.divided != nullptr) fine.aggregate = {};
      round_as_cycle(fine.P.values);
      if (fine.A.divided == nullptr) transpose(fine);
    }
    make_coarse(fine, nodes != nullptr, coarser, coarse);
    return true;
  }

  // New values of P and R; false when P has no place for some.
  bool transfers_again(const NestedNodes* nodes, KnownLevel& known, RefreshedLevel& fine, Vector& near_null) const {
    auto phase = device_.profile().phase("transfers");
    const Index size = known.transfer_nonzeros * known.P.row_block * known.P.column_block;
    fine.P = Vector(device_, size, setup_tag);
    fine.R = Vector(device_, size, setup_tag);
    if (nodes != nullptr) {
      Vector coarse_near_null = injected(*nodes, fine.A, near_null);
      const Vector weights(device_, std::span<const double>(nodes->weights), "multigrid");
      transfer_.sum_of_parents(device_, known.P, weights.data(), near_null.data(), coarse_near_null.data(), K_,
                               fine.P.data());
      near_null = std::move(coarse_near_null);
    } else {
      CoarseNodes aggregates(nullptr, known.P.columns);
      const bool fits =
          with_prolongator_input({device_, fine.A, known.nonzeros}, fine.inverse_diagonal, fine.largest_eigenvalue.full,
                                 known.aggregate, aggregates, {}, {}, near_null, [&](const ProlongatorInput& input) {
                                   return transfer_.smooth_prolongator_again(device_, input, known.P, fine.P.data());
                                 });
      if (!fits) return false;
      count(bytes_of(fine.A, known.nonzeros) + fine.inverse_diagonal.bytes() +
            fine.A.rows * Index{sizeof(std::int32_t)} + bytes_of_blocks(fine.A));
    }
    round_as_cycle(fine.P);
    known.P.values = fine.P.data();
    transfer_.transpose_again(device_, known.P, known.R, fine.R.data());
    // P written, and read for R
    count(2 * bytes_of(known.P, known.transfer_nonzeros) + bytes_of(known.R, known.transfer_nonzeros));
    known.R.values = fine.R.data();
    return true;
  }

  // The product is made with the transfers that the cycle has, so that they can be used once more.
  void round_as_cycle(Vector& values) const {
    if (!options_.single_precision) return;
    transfer_.round_to_single(device_, values.size(), values.data());
    count(2 * values.bytes());
  }

  bool coarsen_again(const KnownLevel& known, const KnownLevel& next, bool nested, const RefreshedLevel& fine,
                     RefreshedLevel& coarse, Vector& coarse_values) const {
    auto phase = device_.profile().phase("product");
    coarse_values = Vector(device_, next.nonzeros * next.A.row_block * next.A.row_block, setup_tag);
    if (!matrix_.galerkin_again(device_, fine.A, known.P, known.R, nested, next.A, coarse_values.data())) return false;
    count(bytes_of(fine.A, known.nonzeros) + bytes_of(known.P, known.transfer_nonzeros) +
          bytes_of(known.R, known.transfer_nonzeros) + bytes_of(next.A, next.nonzeros));
    coarse.A = next.A;
    coarse.A.values = coarse_values.data();
    coarse.inverse_diagonal = inverse_diagonal_of(coarse.A, next.nonzeros);
    return true;
  }

  // Its inverse, or a bound that the many smoothing steps in its place can rely on.
  void finish_coarsest(const LevelMatrix& A, const Vector& inverse_diagonal, Vector& inverse,
                       EigenvalueBound& eigenvalue) const {
    auto phase = device_.profile().phase("coarsest");
    if (A.divided == nullptr && A.unknowns() <= largest_inverse(options_))
      inverse = coarsest_inverse(device_, A.view, A.nonzeros);
    else eigenvalue.full = sure_eigenvalue_bound(A, inverse_diagonal);
  }

  // Every rank takes the whole level.
  void gather(int number, SetupLevel& level, const Vector& near_null) const {
    auto phase = device_.profile().phase("coarsest");
    const bool over_nested = nested_ != nullptr && static_cast<std::size_t>(number - 1) == nested_->levels.size() &&
                             !nested_->replicated.empty();
    level.gathered = gathered(*level.A.divided, near_null, K_);
    level.gathered->translations = translations_;
    level.gathered->strength = strength(number);
    if (over_nested)
      level.gathered->nested = std::make_shared<const NestedHierarchy>(NestedHierarchy{nested_->replicated});
  }

  const LevelMatrix A_;
  const SmoothedAggregationOptions& options_;
  NestedLevels nested_;
  Device device_;
  const NearNullKernels& near_null_;
  const TransferKernels& transfer_;
  const LevelMatrixKernels& matrix_;
  int K_;             // near-null-space vectors, unknowns per node of coarse levels
  int translations_;  // the first of them; 0: they are no rigid motions
};

}  // namespace

void set_up_hierarchy(const LevelMatrix& A, const SmoothedAggregationOptions& options, const NestedLevels& nested,
                      const TakeLevel& take) {
  check_near_null(A, options);
  Builder(A, options, nested).build(take);
}

bool refresh_hierarchy(const LevelMatrix& A, Vector inverse_diagonal, const SmoothedAggregationOptions& options,
                       const NestedLevels& nested, const KnownHierarchy& known, const TakeValues& take) {
  return Builder(A, options, nested).refresh(std::move(inverse_diagonal), known, take);
}

}  // namespace ritz
