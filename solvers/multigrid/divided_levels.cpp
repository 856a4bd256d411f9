#include "solvers/multigrid/divided_levels.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/box_around.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/aggregation_kernels.hpp"
#include "solvers/multigrid/global_rows.hpp"
#include "solvers/multigrid/level_matrix_kernels.hpp"
#include "solvers/multigrid/near_null_kernels.hpp"
#include "solvers/multigrid/transfer_kernels.hpp"
#include "solvers/smoothers/jacobi.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace ritz {
namespace {

constexpr const char* tag = "multigrid set-up";

template <class T>
std::span<T> all(Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}
template <class T>
std::span<const T> all(const Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

void sort_unique(std::vector<Index>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
}

// Block CSR from entries that are given row by row.
class RowsMade {
 public:
  RowsMade(const Device& device, Index rows, Index columns, int row_block, int column_block, std::size_t entries) {
    made_.rows = rows;
    made_.columns = columns;
    made_.row_block = row_block;
    made_.column_block = column_block;
    made_.offsets = Array<Index>(device, rows + 1, tag);
    made_.column = Array<std::int32_t>(device, static_cast<Index>(entries), "multigrid");
    made_.values = Vector(device, static_cast<Index>(entries) * block(), "multigrid");
    made_.offsets.data()[0] = 0;
  }
  Index block() const { return Index{made_.row_block} * made_.column_block; }
  double* add(Index column) {
    made_.column.data()[entry_] = static_cast<std::int32_t>(column);
    return made_.values.data() + block() * entry_++;
  }
  void end_row() { made_.offsets.data()[++row_] = entry_; }
  BlockMatrix take() { return std::move(made_); }

 private:
  BlockMatrix made_;
  Index entry_ = 0, row_ = 0;
};

// Strong connections between owned nodes alone.
Graph between_owned(const Graph& graph, Index owned) {
  const Device& device = graph.count.device();
  Graph inner;
  inner.begin = graph.begin;
  inner.count = Array<std::int32_t>(device, graph.count.size(), tag);
  inner.column = Array<std::int32_t>(device, graph.column.size(), tag);
  for (Index i = 0; i < owned; ++i) {
    const Index begin = graph.begin[i];
    std::int32_t kept = 0;
    for (std::int32_t k = 0; k < graph.count.data()[i]; ++k)
      if (const std::int32_t j = graph.column.data()[begin + k]; j < owned) inner.column.data()[begin + kept++] = j;
    inner.count.data()[i] = kept;
  }
  return inner;
}

// One coarsening.
class Coarsening {
 public:
  Coarsening(const DividedMatrix& A, const DividedLevel& level, bool single_precision)
      : device_(A.device()),
        A_(A),
        ghosts_(A.ghosts()),
        level_(level),
        C_(A.block_size()),
        K_(static_cast<int>(level.near_null.size() / std::max<Index>(1, ghosts_.owned() * C_))),
        single_(single_precision) {}

  // False: there would not be much fewer unknowns, or a rank without any.
  bool aggregate(double strength) {
    auto phase = device_.profile().phase("aggregation");
    const Index owned = ghosts_.owned();
    kernels<AggregationKernels>(device_, solver_kernels, "aggregation")
        .strong_graph(device_, A_.with_ghost_rows(), A_.nonzeros_with_ghost_rows(), strength, strong_);
    const Graph inner = between_owned(strong_, owned);
    aggregates_ = kernels<AggregationKernels>(device_, solver_kernels, "aggregation")
                      .aggregate(device_, inner, owned, aggregate_);
    for (Index i = 0; i < owned; ++i)  // all strong connections are to others
      if (inner.count.data()[i] == 0 && strong_.count.data()[i] > 0)
        aggregate_.data()[i] = static_cast<std::int32_t>(aggregates_++);
    const Index fewest = number_coarser_nodes();
    width_ = K_;
    return fewest > 0 && first_.back() * K_ <= ghosts_.total() * C_ * 4 / 5;
  }

  DividedLevels::Coarser over_aggregates() {
    Vector near_null;
    BlockMatrix P = prolongator(near_null);
    return finish(std::move(P), std::move(near_null));
  }

  DividedLevels::Coarser over(const NestedPart& nodes) {
    aggregates_ = std::ssize(nodes.same);
    number_coarser_nodes();
    width_ = C_;
    nested_ = true;
    Vector near_null;
    BlockMatrix P = interpolation(nodes, near_null);
    return finish(std::move(P), std::move(near_null));
  }

 private:
  // The fewest of a rank.
  Index number_coarser_nodes() {
    first_ = {0};
    Index fewest = aggregates_;
    for (const Index each : ghosts_.ranks().of_all(aggregates_)) {
      first_.push_back(first_.back() + each);
      fewest = std::min(fewest, each);
    }
    return fewest;
  }

  DividedLevels::Coarser finish(BlockMatrix P, Vector near_null) {
    DividedLevels::Coarser result;
    result.level.near_null = std::move(near_null);
    BlockMatrix coarse_rows = product(P);
    std::vector<GlobalRows> received = to_owners(coarse_rows);
    // The next level's ghosts: all that its rows or the prolongator reach.
    std::vector<Index> reached;
    for (const std::int32_t c : all(P.column))
      if (c >= aggregates_) reached.push_back(global(c));
    for (Index i = 0; i < aggregates_; ++i)
      for (Index e = coarse_rows.offsets.data()[i]; e < coarse_rows.offsets.data()[i + 1]; ++e)
        if (const std::int32_t c = coarse_rows.column.data()[e]; c >= aggregates_) reached.push_back(global(c));
    for (const GlobalRows& rows : received)
      for (const Index c : rows.column)
        if (!is_own(c)) reached.push_back(c);
    sort_unique(reached);
    const auto ghosts = std::make_shared<const Ghosts>(ghosts_.ranks(), aggregates_, std::move(reached));
    result.A = std::make_unique<DividedMatrix>(ghosts, summed(coarse_rows, received, *ghosts));
    for (std::int32_t& c : all(P.column))
      if (c >= aggregates_) c = static_cast<std::int32_t>(ghosts->local(global(c)));
    P.columns = ghosts->size();
    kernels<TransferKernels>(device_, solver_kernels, "transfer").transpose(device_, P, result.transfer.R);
    result.transfer.P = std::move(P);
    result.level.ghosts = ghosts;
    result.level.inverse_diagonal = Vector(device_, result.A->rows(), "multigrid");
    kernels<LevelMatrixKernels>(device_, solver_kernels, "level matrix")
        .inverse_diagonal(device_, result.A->owned_rows(), result.level.inverse_diagonal.data());
    return result;
  }

  // Numbers of aggregates, or coarser nodes: this rank's from 0 on, then those in foreign_.
  Index first() const { return first_[static_cast<std::size_t>(ghosts_.ranks().rank())]; }
  bool is_own(Index aggregate) const { return aggregate >= first() && aggregate < first() + aggregates_; }
  Index global(Index local) const {
    return local < aggregates_ ? first() + local : foreign_[static_cast<std::size_t>(local - aggregates_)];
  }
  std::int32_t local(Index global) const {
    if (is_own(global)) return static_cast<std::int32_t>(global - first());
    return static_cast<std::int32_t>(aggregates_ + (std::ranges::lower_bound(foreign_, global) - foreign_.begin()));
  }

  // (I - omega D^-1 A) T on owned nodes, where T and the aggregates of ghosts come from their owners.
  BlockMatrix prolongator(Vector& coarse_near_null) {
    auto phase = device_.profile().phase("transfers");
    const Index owned = ghosts_.owned(), block = Index{C_} * K_;
    Vector own_T(device_, owned * block, tag), T(device_, ghosts_.size() * block, tag);
    coarse_near_null = Vector(device_, aggregates_ * K_ * K_, tag);
    kernels<NearNullKernels>(device_, solver_kernels, "near-null space")
        .tentative(device_, aggregate_.data(), owned, aggregates_, C_, K_, level_.near_null.data(), own_T.data(),
                   coarse_near_null.data());
    std::ranges::copy(all(own_T), T.data());
    ghosts_.fetch(T.data(), static_cast<int>(block));
    std::vector<Index> numbers(static_cast<std::size_t>(ghosts_.size()));
    for (Index i = 0; i < owned; ++i)
      numbers[static_cast<std::size_t>(i)] = aggregate_.data()[i] < 0 ? -1 : first() + aggregate_.data()[i];
    ghosts_.fetch(numbers.data(), 1);
    for (const Index number : std::span(numbers).subspan(static_cast<std::size_t>(owned)))
      if (number >= 0) foreign_.push_back(number);
    sort_unique(foreign_);
    Array<std::int32_t> aggregate(device_, ghosts_.size(), tag);
    for (std::size_t i = 0; i < numbers.size(); ++i) aggregate.data()[i] = numbers[i] < 0 ? -1 : local(numbers[i]);
    BlockMatrix P;
    kernels<TransferKernels>(device_, solver_kernels, "transfer")
        .smooth_prolongator(device_,
                            {A_.owned_rows(), level_.inverse_diagonal.data(),
                             4.0 / 3.0 / level_.largest_eigenvalue.full, aggregate.data(), T.data(), strong_.view()},
                            aggregates_ + static_cast<Index>(foreign_.size()), K_, P);
    round_as_cycle(P);
    return P;
  }

  // Sums of parents, where the near-null space of the coarser nodes is that of the nodes at their places.
  BlockMatrix interpolation(const NestedPart& nodes, Vector& coarse_near_null) {
    auto phase = device_.profile().phase("transfers");
    const std::vector<Index> parents(nodes.parents.begin(), nodes.parents.end());
    std::ranges::copy_if(parents, std::back_inserter(foreign_), [&](Index parent) { return !is_own(parent); });
    sort_unique(foreign_);
    const Index size = Index{C_} * K_, columns = aggregates_ + std::ssize(foreign_);
    BlockMatrix P{.rows = ghosts_.owned(), .columns = columns, .row_block = C_, .column_block = C_};
    P.offsets = Array<Index>(device_, std::span<const Index>(nodes.first), "multigrid");
    P.column = Array<std::int32_t>(device_, std::ssize(parents), "multigrid");
    std::ranges::transform(parents, P.column.data(), [&](Index parent) { return local(parent); });
    P.values = Vector(device_, P.nonzeros() * C_ * C_, "multigrid");
    const Array<std::int32_t> same(device_, std::span<const std::int32_t>(nodes.same), tag);
    coarse_near_null = Vector(device_, aggregates_ * size, tag);
    kernels<NearNullKernels>(device_, solver_kernels, "near-null space")
        .take(device_, aggregates_, same.data(), static_cast<int>(size), level_.near_null.data(),
              coarse_near_null.data());
    Vector of_parents(device_, columns * size, tag);
    std::ranges::copy(all(coarse_near_null), of_parents.data());
    Ghosts(ghosts_.ranks(), aggregates_, foreign_).fetch(of_parents.data(), static_cast<int>(size));
    const Vector weights(device_, std::span<const double>(nodes.weights), tag);
    kernels<TransferKernels>(device_, solver_kernels, "transfer")
        .sum_of_parents(device_, P.view(), weights.data(), level_.near_null.data(), of_parents.data(), K_,
                        P.values.data());
    round_as_cycle(P);
    return P;
  }

  // The product is made with the transfers that the cycle has.
  void round_as_cycle(BlockMatrix& P) const {
    if (single_)
      kernels<TransferKernels>(device_, solver_kernels, "transfer")
          .round_to_single(device_, P.values.size(), P.values.data());
  }

  // Renumbers the columns of P where ghosts' rows bring aggregates that it did not reach; [owned | ghosts] rows.
  BlockMatrix with_rows_of_ghosts(BlockMatrix& P) {
    std::vector<GlobalRows> sent(static_cast<std::size_t>(ghosts_.ranks().count()));
    for (const Ghosts::Neighbour& each : ghosts_.neighbours())
      for (const std::int32_t node : each.sent)
        sent[static_cast<std::size_t>(each.rank)].append(P.view(), node, node, [&](Index c) { return global(c); });
    const std::vector<GlobalRows> received = swap_rows(ghosts_.ranks(), sent);
    std::vector<Index> columns;
    for (const std::int32_t c : all(P.column)) columns.push_back(global(c));
    std::size_t entries = columns.size();
    for (const GlobalRows& rows : received) {
      entries += rows.column.size();
      for (const Index c : rows.column)
        if (!is_own(c)) foreign_.push_back(c);
    }
    sort_unique(foreign_);
    for (std::size_t e = 0; e < columns.size(); ++e) P.column.data()[e] = local(columns[e]);
    P.columns = aggregates_ + static_cast<Index>(foreign_.size());
    RowsMade made(device_, ghosts_.size(), P.columns, C_, width_, entries);
    const Index block = made.block();
    for (Index i = 0; i < P.rows; ++i) {
      for (Index e = P.offsets.data()[i]; e < P.offsets.data()[i + 1]; ++e)
        std::copy_n(P.values.data() + e * block, block, made.add(P.column.data()[e]));
      made.end_row();
    }
    for (const GlobalRows& rows : received) {  // ghosts are in the order of their owners, and sent in that of numbers
      std::size_t e = 0;
      for (const Index count : rows.count) {
        for (Index k = 0; k < count; ++k, ++e)
          std::copy_n(rows.values.data() + static_cast<Index>(e) * block, block, made.add(local(rows.column[e])));
        made.end_row();
      }
    }
    return made.take();
  }

  // P^T A P of this rank's entries of A. One between an owned node and a ghost is also the other rank's: half of it.
  BlockMatrix product(BlockMatrix& P) {
    auto phase = device_.profile().phase("product");
    const BlockMatrix whole = with_rows_of_ghosts(P);
    BlockMatrix R, result;
    kernels<TransferKernels>(device_, solver_kernels, "transfer").transpose(device_, whole, R);
    kernels<LevelMatrixKernels>(device_, solver_kernels, "level matrix")
        .galerkin(device_, A_.with_ghost_rows(), whole.view(), R.view(), nested_, result);
    return result;
  }

  std::vector<GlobalRows> to_owners(const BlockMatrix& rows) const {
    std::vector<GlobalRows> sent(static_cast<std::size_t>(ghosts_.ranks().count()));
    for (Index i = aggregates_; i < rows.rows; ++i) {
      const Index number = global(i);
      const auto owner = std::ranges::upper_bound(first_, number) - first_.begin() - 1;
      sent[static_cast<std::size_t>(owner)].append(rows.view(), i, number, [&](Index c) { return global(c); });
    }
    return swap_rows(ghosts_.ranks(), sent);
  }

  // Own entries and those of others for the same block are added in ascending order of the ranks, the own ones first.
  BlockMatrix summed(const BlockMatrix& own, const std::vector<GlobalRows>& received, const Ghosts& ghosts) const {
    struct Entry {
      std::int32_t column;
      const double* values;
    };
    const Index block = Index{width_} * width_;
    std::vector<std::vector<Entry>> of_others(static_cast<std::size_t>(aggregates_));  // [own row]
    std::size_t most = static_cast<std::size_t>(own.offsets.data()[aggregates_]);
    for (const GlobalRows& rows : received) {
      std::size_t e = 0;
      for (std::size_t r = 0; r < rows.row.size(); ++r)
        for (Index k = 0; k < rows.count[r]; ++k, ++e)
          of_others[static_cast<std::size_t>(rows.row[r] - first())].push_back(
              {static_cast<std::int32_t>(ghosts.local(rows.column[e])),
               rows.values.data() + static_cast<Index>(e) * block});
      most += e;
    }
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(own.columns), -1);  // among [owned | ghosts], once known
    const auto number = [&](std::int32_t c) {
      std::int32_t& known = numbers[static_cast<std::size_t>(c)];
      if (known < 0) known = static_cast<std::int32_t>(ghosts.local(global(c)));
      return known;
    };
    std::vector<Entry> row;
    std::vector<std::int32_t> column;
    std::vector<double> values;
    std::vector<Index> offsets{0};
    column.reserve(most);
    values.reserve(most * static_cast<std::size_t>(block));
    for (Index i = 0; i < aggregates_; ++i) {
      row.clear();
      for (Index e = own.offsets.data()[i]; e < own.offsets.data()[i + 1]; ++e)
        row.push_back({number(own.column.data()[e]), own.values.data() + e * block});
      const std::vector<Entry>& others = of_others[static_cast<std::size_t>(i)];
      row.insert(row.end(), others.begin(), others.end());
      std::ranges::stable_sort(row, {}, &Entry::column);
      for (std::size_t e = 0; e < row.size(); ++e)
        if (e == 0 || row[e].column != row[e - 1].column) {
          column.push_back(row[e].column);
          values.insert(values.end(), row[e].values, row[e].values + block);
        } else {
          double* const target = values.data() + values.size() - block;
          for (Index k = 0; k < block; ++k) target[k] += row[e].values[k];
        }
      offsets.push_back(std::ssize(column));
    }
    return rows_of(offsets, column, values, ghosts);
  }

  // With room for the rows of ghosts.
  BlockMatrix rows_of(const std::vector<Index>& offsets, const std::vector<std::int32_t>& column,
                      const std::vector<double>& values, const Ghosts& ghosts) const {
    BlockMatrix result{.rows = aggregates_, .columns = ghosts.size(), .row_block = width_, .column_block = width_};
    const Index places = std::ssize(column) + DividedMatrix::ghost_entries(column, aggregates_);
    result.offsets = Array<Index>(device_, result.columns + 1, tag);
    result.column = Array<std::int32_t>(device_, places, "multigrid");
    result.values = Vector(device_, places * width_ * width_, "multigrid");
    std::ranges::copy(offsets, result.offsets.data());
    std::ranges::copy(column, result.column.data());
    std::ranges::copy(values, result.values.data());
    return result;
  }

  const Device device_;
  const DividedMatrix& A_;
  const Ghosts& ghosts_;
  const DividedLevel& level_;
  const int C_, K_;
  const bool single_;
  int width_ = 0;        // of the next level's blocks
  bool nested_ = false;  // do transfers have diagonal blocks?
  Graph strong_;
  Array<std::int32_t> aggregate_;  // [owned node]
  Index aggregates_ = 0;
  std::vector<Index> first_, foreign_;  // [rank + 1]; aggregates of others, ascending
};

int near_null_count(int block, const SmoothedAggregationOptions& options) {
  if (options.coordinates == nullptr || block != options.dimension) return block;
  return block == 2 ? 3 : block == 3 ? 6 : 1;
}

}  // namespace

DividedLevel DividedLevels::first(const DividedMatrix& A) const {
  const Device& device = A.device();
  const int C = A.block_size(), K = near_null_count(C, options_);
  DividedLevel level{.ghosts = A.shared_ghosts(), .inverse_diagonal = inverse_diagonal(A.diagonal())};
  level.largest_eigenvalue = options_.sure_bounds
                                 ? EigenvalueBound{.full = sure_eigenvalue_bound(A, level.inverse_diagonal)}
                                 : eigenvalue_bound(A, level.inverse_diagonal);
  BoxAround box;
  const double* coordinates = nullptr;
  if (options_.coordinates != nullptr && (K > C || (C == 6 && options_.dimension == 3))) {
    box = box_around(*options_.coordinates, options_.dimension);
    coordinates = options_.coordinates->data();
  }
  const double size = std::ranges::max(box.extent);
  level.near_null = Vector(device, A.rows() * K, tag);
  kernels<NearNullKernels>(device, solver_kernels, "near-null space")
      .rigid_motions(device, A.owned_rows(), coordinates, options_.dimension, box.centre.data(), size > 0 ? size : 1, K,
                     level.near_null.data());
  return level;
}

// Same number as in smoothed_aggregation.hpp.
double DividedLevels::strength(int number, int block) const {
  if (block == 1) return options_.strength >= 0 ? options_.strength : 0.3;
  return (options_.strength >= 0 ? options_.strength : 0.02) * std::pow(0.5, number - nested_ - 1);
}

std::optional<DividedLevels::Coarser> DividedLevels::coarsen(int number, const DividedMatrix& A,
                                                             const DividedLevel& level) const {
  Coarsening coarsening(A, level, options_.single_precision);
  if (!coarsening.aggregate(strength(number, A.block_size()))) return std::nullopt;
  return coarsening.over_aggregates();
}

DividedLevels::Coarser DividedLevels::coarsen(const NestedPart& nodes, const DividedMatrix& A,
                                              const DividedLevel& level) const {
  return Coarsening(A, level, options_.single_precision).over(nodes);
}

DividedLevels::Whole DividedLevels::whole(const DividedMatrix& A, const DividedLevel& level) {
  const Ghosts& ghosts = A.ghosts();
  const BlockMatrixView<double> own = A.owned_rows();
  const Device& device = A.device();
  const int block = A.block_size(), count = static_cast<int>(level.near_null.size() / own.rows);
  GlobalRows mine;
  for (Index i = 0; i < own.rows; ++i) mine.append(own, i, ghosts.global(i), [&](Index c) { return ghosts.global(c); });
  const std::vector<GlobalRows> of_ranks =
      swap_rows(ghosts.ranks(), std::vector<GlobalRows>(static_cast<std::size_t>(ghosts.ranks().count()), mine));
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (const GlobalRows& rows : of_ranks) {
    std::size_t begin = 0;
    for (std::size_t r = 0; r < rows.row.size(); ++r) {
      std::vector<std::size_t> order(static_cast<std::size_t>(rows.count[r]));
      std::iota(order.begin(), order.end(), begin);
      begin += order.size();
      std::ranges::sort(order, {}, [&](std::size_t e) { return rows.column[e]; });
      for (const std::size_t e : order) {
        columns.push_back(static_cast<std::int32_t>(rows.column[e]));
        const auto first = values.size();
        values.insert(values.end(), rows.values.begin() + static_cast<std::ptrdiff_t>(e) * block * block,
                      rows.values.begin() + static_cast<std::ptrdiff_t>(e + 1) * block * block);
        for (int c = 0; rows.column[e] == rows.row[r] && c < block; ++c)
          if (double& entry = values[first + static_cast<std::size_t>(c * block + c)]; entry == 0) entry = 1;
      }
      offsets.push_back(static_cast<Index>(columns.size()));
    }
  }
  Whole result{SparseMatrix(std::make_shared<SparsityPattern>(device, offsets, columns), block),
               Vector(device, ghosts.total() * count, tag)};
  result.A.values().upload(values);
  ghosts.gather(level.near_null.data(), count, result.near_null.data());
  return result;
}

}  // namespace ritz
