#include "solvers/multigrid/hierarchy_setup.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/box_around.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/aggregation_kernels.hpp"
#include "solvers/multigrid/anisotropy.hpp"
#include "solvers/multigrid/coarsest_inverse.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"
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

int near_null_count(int block, const SmoothedAggregationOptions& options) {
  return options.near_null != nullptr ? options.near_null_count : default_near_null_count(block, options);
}

BlockMatrixView<double> view_of(const SparseMatrix& A) {
  const SparsityPattern& pattern = A.pattern();
  return {pattern.rows(),           pattern.rows(),           A.block_size(),   A.block_size(),
          pattern.offsets().data(), pattern.columns().data(), A.values().data()};
}

// Largest ratio of the diagonal entries of two coupled rows; above a field of lower order on the same cells, of two of
// its nodes.
double largest_jump(const SparseMatrix& A, const NestedNodes& first) {
  Vector inverse = inverse_diagonal(A.diagonal());
  if (first.same_cells) {
    const auto block = static_cast<std::size_t>(A.block_size());
    std::vector<double> is_kept(static_cast<std::size_t>(A.rows()), 0);
    for (const std::int32_t node : first.same)
      std::fill_n(is_kept.begin() + static_cast<std::ptrdiff_t>(node) * A.block_size(), block, 1.0);
    const Vector all = std::move(inverse);
    inverse = Vector(A.device(), A.rows(), setup_tag);
    multiply(Vector(A.device(), std::span<const double>(is_kept), setup_tag), all, inverse);
  }
  Vector jumps(A.device(), A.pattern().rows(), setup_tag);
  A.device().profile().count(bytes_of(view_of(A), A.pattern().nonzeros()) + inverse.bytes() + jumps.bytes());
  kernels<LevelMatrixKernels>(A.device(), solver_kernels, "level matrix")
      .jumps(A.device(), view_of(A), inverse.data(), jumps.data());
  return max_abs(jumps);
}

bool is_stretched(const SparseMatrix& A, const SmoothedAggregationOptions& options, double factor) {
  return (A.block_size() == 1 || A.block_size() == options.dimension) && options.coordinates != nullptr &&
         anisotropic_share(A, *options.coordinates, options.dimension, factor) > stretched_share;
}

void check_near_null(const SparseMatrix& A, const SmoothedAggregationOptions& options) {
  if (options.near_null == nullptr) return;
  const int C = A.block_size(), K = options.near_null_count;
  if ((K == C || (C == 2 && K == 3) || (C == 3 && K == 6)) && options.near_null->size() == A.rows() * K) return;
  throw Error(Exit::input, fmt::format("a near-null space of {} vectors for blocks of {} unknowns", K, C),
              "multigrid takes as many vectors as a node has unknowns, or 3 for 2 of them, 6 for 3",
              "give that many, or other blocks");
}

class Builder {
 public:
  Builder(const SparseMatrix& A, const SmoothedAggregationOptions& options, NestedLevels nested)
      : A_(A),
        options_(options),
        nested_(std::move(nested)),
        device_(A.device()),
        aggregation_(kernels<AggregationKernels>(device_, solver_kernels, "aggregation")),
        near_null_(kernels<NearNullKernels>(device_, solver_kernels, "near-null space")),
        transfer_(kernels<TransferKernels>(device_, solver_kernels, "transfer")),
        matrix_(kernels<LevelMatrixKernels>(device_, solver_kernels, "level matrix")),
        K_(near_null_count(A.block_size(), options)),
        translations_(options.translations >= 0 ? options.translations
                      : K_ > A.block_size()     ? A.block_size()
                                                : 0) {}

  void build(const TakeLevel& take) {
    SetupLevel level;
    level.view = first_view();
    level.nonzeros = A_.pattern().nonzeros();
    level.inverse_diagonal = inverse_diagonal(A_.diagonal());
    Vector near_null = first_near_null(level.view);
    for (int count = 1;; ++count) {
      report_progress(
          fmt::format("multigrid set-up: level {}, {} unknowns", count, level.view.rows * level.view.row_block));
      level.largest_eigenvalue = options_.sure_bounds
                                     ? EigenvalueBound{.full = sure_eigenvalue_bound(
                                                           device_, level.view, level.nonzeros, level.inverse_diagonal)}
                                     : eigenvalue_bound(device_, level.view, level.nonzeros, level.inverse_diagonal);
      SetupLevel coarse;
      const bool small = level.view.rows * level.view.row_block <= options_.coarsest_size;
      if (small || count >= options_.max_levels || !coarsen(count, level, near_null, coarse)) {
        finish_coarsest(level.view, level.nonzeros, level.inverse_diagonal, level.coarsest_inverse,
                        level.largest_eigenvalue);
        take(level);
        return;
      }
      take(level);
      level = std::move(coarse);
    }
  }

  bool refresh(Vector inverse_diagonal, const KnownHierarchy& hierarchy, const TakeValues& take) {
    RefreshedLevel level;
    level.A = first_view();
    level.inverse_diagonal = std::move(inverse_diagonal);
    Vector values, near_null;
    KnownLevel known = hierarchy.level(0);
    const bool keep =
        hierarchy.keeps_transfers && (hierarchy.levels < 2 || near_null_.suits(device_, level.A, known.P));
    if (!keep) near_null = first_near_null(level.A);
    for (std::size_t number = 0;; ++number) {
      level.largest_eigenvalue =
          options_.sure_bounds
              ? EigenvalueBound{.full = sure_eigenvalue_bound(device_, level.A, known.nonzeros, level.inverse_diagonal)}
              : eigenvalue_bound_again(device_, level.A, known.nonzeros, level.inverse_diagonal,
                                       known.largest_eigenvalue);
      if (number + 1 == hierarchy.levels) break;
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
    finish_coarsest(level.A, known.nonzeros, level.inverse_diagonal, level.coarsest_inverse, level.largest_eigenvalue);
    take(hierarchy.levels - 1, known, level);
    return true;
  }

 private:
  BlockMatrixView<double> first_view() const { return view_of(A_); }

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
    count(bytes_of(A, A_.pattern().nonzeros()) + (coordinates != nullptr ? options_.coordinates->bytes() : 0) +
          near_null.bytes());
    near_null_.rigid_motions(device_, A, coordinates, options_.dimension, box.centre.data(), size > 0 ? size : 1, K_,
                             near_null.data());
    return near_null;
  }

  bool compares_norms() const { return A_.block_size() > 1 && translations_ == 0; }

  // Aggregates whose blocks are compared by their norms couple ever more widely: the threshold halves from level to
  // level.
  double strength(int level) const {
    if (!compares_norms()) return options_.strength >= 0 ? options_.strength : 0.3;
    const int given = nested_ == nullptr ? 0 : static_cast<int>(nested_->size());
    return (options_.strength >= 0 ? options_.strength : 0.02) * std::pow(0.5, level - given - 1);
  }

  // By the measure of larger rows, or by that of softer ones where it leaves too many.
  Index aggregate(const SetupLevel& fine, int level, const Vector& near_null, Graph& graph,
                  Array<std::int32_t>& result) const {
    const Index aggregates = aggregate_by({strength(level)}, fine, near_null, graph, result);
    if (are_few(aggregates, fine.view.rows, fine.view.row_block, K_, options_) || compares_norms()) return aggregates;
    return aggregate_by({strength(level), true}, fine, near_null, graph, result);
  }

  Index aggregate_by(const Strength& strength, const SetupLevel& fine, const Vector& near_null, Graph& graph,
                     Array<std::int32_t>& result) const {
    auto phase = device_.profile().phase("aggregation");
    // The columns of the matrix count twice, once for the diagonal's norms. The rounds that choose roots are not
    // counted.
    count(bytes_of(fine.view, fine.nonzeros) + 2 * fine.nonzeros * Index{sizeof(std::int32_t)} +
          fine.view.rows * (Index{2} * sizeof(double) + 2 * sizeof(std::int32_t)));
    graph = {};
    aggregation_.strong_graph(device_, fine.view, fine.nonzeros, strength, {near_null.data(), K_, translations_}, {},
                              graph);
    return aggregation_.aggregate(device_, graph, fine.view.rows, nullptr, result);
  }

  // T; `coarse` becomes the near-null space of the coarser level.
  Vector tentative(const BlockMatrixView<double>& A, const std::int32_t* aggregate, Index aggregates,
                   const Vector& near_null, Vector& coarse) const {
    const int C = A.row_block;
    Vector T(device_, A.rows * C * K_, setup_tag);
    coarse = Vector(device_, aggregates * K_ * K_, setup_tag);
    // Copied, then made orthonormal; members of aggregates are listed, and the list read.
    count(4 * T.bytes() + coarse.bytes() + A.rows * (Index{sizeof(std::int32_t)} + Index{2} * sizeof(Index)) +
          2 * aggregates * Index{sizeof(Index)});
    near_null_.tentative(device_, aggregate, A.rows, aggregates, C, K_, near_null.data(), T.data(), coarse.data());
    return T;
  }

  // How aggregates move nodes beside them; empty where there are no translations.
  Vector extension(const Vector& coarse_near_null) const {
    if (translations_ == 0) return {};
    Vector result(device_, coarse_near_null.size(), setup_tag);
    count(2 * result.bytes());
    near_null_.rigid_extension(device_, result.size() / (K_ * K_), K_, translations_, coarse_near_null.data(),
                               result.data());
    return result;
  }

  // Calls make(input) for the prolongator over these aggregates, and replaces the near-null space by that of the
  // coarser level.
  template <class Make>
  auto with_prolongator_input(const BlockMatrixView<double>& A, const Vector& inverse_diagonal, double largest,
                              const std::int32_t* aggregate, Index aggregates, const GraphView& strong,
                              Vector& near_null, const Make& make) const {
    Vector coarse;
    const Vector T = tentative(A, aggregate, aggregates, near_null, coarse), extends = extension(coarse);
    const Vector fine = std::exchange(near_null, std::move(coarse));
    return make(ProlongatorInput{A, inverse_diagonal.data(), 4.0 / 3.0 / largest, aggregate, T.data(), strong,
                                 fine.data(), extends.empty() ? nullptr : extends.data()});
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
    return nested_ != nullptr && level < nested_->size() ? &(*nested_)[level] : nullptr;
  }

  // The next level of a mesh that was refined.
  void coarsen_nested(const NestedNodes& nodes, SetupLevel& fine, Vector& near_null, SetupLevel& coarse) const {
    const int C = fine.view.row_block;
    {
      auto phase = device_.profile().phase("transfers");
      fine.P.rows = fine.view.rows;
      fine.P.columns = static_cast<Index>(nodes.same.size());
      fine.P.row_block = fine.P.column_block = C;
      fine.P.offsets = Array<Index>(device_, std::span<const Index>(nodes.first), "multigrid");
      fine.P.column = Array<std::int32_t>(device_, std::span<const std::int32_t>(nodes.parents), "multigrid");
      fine.P.values = Vector(device_, fine.P.nonzeros() * C * C, "multigrid");
      Vector coarse_near_null = injected(nodes, fine.view, near_null);
      const Vector weights(device_, std::span<const double>(nodes.weights), "multigrid");
      transfer_.sum_of_parents(device_, fine.P.view(), weights.data(), near_null.data(), coarse_near_null.data(), K_,
                               fine.P.values.data());
      count(bytes_of(fine.P) + near_null.bytes() + coarse_near_null.bytes());
      near_null = std::move(coarse_near_null);
      round_as_cycle(fine.P.values);
      transpose(fine);
    }
    make_coarse(fine, true, coarse);
  }

  // P is read and R written; between them rows and places of entries are listed.
  void transpose(SetupLevel& fine) const {
    transfer_.transpose(device_, fine.P, fine.R);
    count(bytes_of(fine.P) + bytes_of(fine.R) +
          2 * fine.P.nonzeros() * (Index{sizeof(Index)} + Index{sizeof(std::int32_t)}));
  }

  void make_coarse(const SetupLevel& fine, bool nested, SetupLevel& coarse) const {
    auto product = device_.profile().phase("product");
    matrix_.galerkin(device_, fine.view, fine.P.view(), fine.R.view(), nested, coarse.A);
    coarse.view = coarse.A.view();
    coarse.nonzeros = coarse.A.nonzeros();
    count(bytes_of(fine.view, fine.nonzeros) + bytes_of(fine.P) + bytes_of(fine.R) + bytes_of(coarse.A));
    coarse.inverse_diagonal = inverse_diagonal_of(coarse.view, coarse.nonzeros);
  }

  // Makes the next level; false when the graph cannot be made much smaller.
  bool coarsen(int number, SetupLevel& fine, Vector& near_null, SetupLevel& coarse) const {
    if (const NestedNodes* nodes = nested(static_cast<std::size_t>(number - 1)); nodes != nullptr) {
      coarsen_nested(*nodes, fine, near_null, coarse);
      return true;
    }
    Graph strong;
    const Index aggregates = aggregate(fine, number, near_null, strong, fine.aggregate);
    if (aggregates == 0 || aggregates * K_ > fine.view.rows * fine.view.row_block * 4 / 5) {
      fine.aggregate = {};
      return false;
    }
    auto phase = device_.profile().phase("transfers");
    with_prolongator_input(fine.view, fine.inverse_diagonal, fine.largest_eigenvalue.full, fine.aggregate.data(),
                           aggregates, strong.view(), near_null, [&](const ProlongatorInput& input) {
                             transfer_.smooth_prolongator(device_, input, aggregates, K_, fine.P);
                           });
    count(bytes_of(fine.view, fine.nonzeros) + fine.inverse_diagonal.bytes() + fine.aggregate.bytes() +
          bytes_of_blocks(fine.view) + bytes_of(fine.P));
    strong = {};
    round_as_cycle(fine.P.values);
    transpose(fine);
    make_coarse(fine, false, coarse);
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
      const bool fits =
          with_prolongator_input(fine.A, fine.inverse_diagonal, fine.largest_eigenvalue.full, known.aggregate,
                                 known.P.columns, {}, near_null, [&](const ProlongatorInput& input) {
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
  void finish_coarsest(const BlockMatrixView<double>& A, Index nonzeros, const Vector& inverse_diagonal,
                       Vector& inverse, EigenvalueBound& bound) const {
    auto phase = device_.profile().phase("coarsest");
    if (A.rows * A.row_block <= largest_inverse(options_)) inverse = coarsest_inverse(device_, A, nonzeros);
    else bound.full = sure_eigenvalue_bound(device_, A, nonzeros, inverse_diagonal);
  }

  const SparseMatrix& A_;
  const SmoothedAggregationOptions& options_;
  NestedLevels nested_;
  Device device_;
  const AggregationKernels& aggregation_;
  const NearNullKernels& near_null_;
  const TransferKernels& transfer_;
  const LevelMatrixKernels& matrix_;
  int K_;             // near-null-space vectors, unknowns per node of coarse levels
  int translations_;  // the first of them; 0: they are no rigid motions
};

}  // namespace

int default_near_null_count(int block, const SmoothedAggregationOptions& options) {
  if (options.coordinates == nullptr || block != options.dimension) return block;
  return block == 2 ? 3 : block == 3 ? 6 : 1;
}

void throw_no_nested_levels() {
  throw Error(Exit::input, "multigrid over nested meshes was asked for, but there are none",
              "they are found where fields are of order 2, or the mesh is a uniform refinement",
              "use multigrid.levels = \"auto\", or refine a coarser mesh (ritz mesh refine)");
}

NestedLevels nested_levels(const SparseMatrix& A, const SmoothedAggregationOptions& options) {
  if (options.levels == MultigridLevels::aggregation) return nullptr;
  NestedLevels nested = options.nested ? options.nested() : nullptr;
  if (options.levels == MultigridLevels::nested && nested == nullptr) throw_no_nested_levels();
  if (options.levels == MultigridLevels::nested || nested == nullptr) return nested;
  const auto meshes = std::ranges::find(*nested, false, &NestedNodes::same_cells);
  const std::size_t count = suitable_levels(
      nested->size(), static_cast<std::size_t>(meshes - nested->begin()),
      [&](double factor) { return is_stretched(A, options, factor); },
      [&] { return largest_jump(A, nested->front()); });
  if (count == nested->size()) return nested;
  return count == 0 ? nullptr : std::make_shared<const std::vector<NestedNodes>>(nested->begin(), meshes);
}

void set_up_hierarchy(const SparseMatrix& A, const SmoothedAggregationOptions& options, const NestedLevels& nested,
                      const TakeLevel& take) {
  check_near_null(A, options);
  Builder(A, options, nested).build(take);
}

bool refresh_hierarchy(const SparseMatrix& A, Vector inverse_diagonal, const SmoothedAggregationOptions& options,
                       const NestedLevels& nested, const KnownHierarchy& known, const TakeValues& take) {
  return Builder(A, options, nested).refresh(std::move(inverse_diagonal), known, take);
}

}  // namespace ritz
