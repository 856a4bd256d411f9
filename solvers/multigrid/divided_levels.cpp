#include "solvers/multigrid/divided_levels.hpp"

#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/box_around.hpp"
#include "solvers/algebra/ghost_kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/divided_aggregates.hpp"
#include "solvers/multigrid/global_rows.hpp"
#include "solvers/multigrid/hierarchy_setup.hpp"
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

void sort_unique(std::vector<Index>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
}

// Block rows of a matrix for the host to read.
class HostRows {
 public:
  // Without values.
  HostRows(const Device& device, const BlockMatrixView<double>& A)
      : offsets_(device, A.offsets, A.rows + 1), columns_(device, A.column, offsets_[A.rows]) {}

  Index begin(Index row) const { return offsets_[row]; }
  std::span<const Index> offsets() const { return offsets_.span(); }
  std::span<const std::int32_t> columns() const { return columns_.span(); }
  std::span<const std::int32_t> columns(Index row) const { return columns(row, row + 1); }
  std::span<const std::int32_t> columns(Index first, Index last) const {
    return columns_.span().subspan(static_cast<std::size_t>(begin(first)),
                                   static_cast<std::size_t>(begin(last) - begin(first)));
  }

 private:
  HostView<Index> offsets_;
  HostView<std::int32_t> columns_;
};

// The blocks of rows [first, last) for the host to read.
class HostBlocks {
 public:
  HostBlocks(const Device& device, const BlockMatrixView<double>& A, const HostRows& rows, Index first, Index last)
      : rows_(rows),
        block_(Index{A.row_block} * A.column_block),
        begin_(rows.begin(first)),
        values_(device, A.values + begin_ * block_, (rows.begin(last) - begin_) * block_) {}
  std::span<const double> of(Index row) const {
    return values_.span().subspan(static_cast<std::size_t>((rows_.begin(row) - begin_) * block_),
                                  rows_.columns(row).size() * static_cast<std::size_t>(block_));
  }

 private:
  const HostRows& rows_;
  Index block_, begin_;
  HostView<double> values_;
};

const GhostKernels& ghost_kernels(const Device& device) {
  return kernels<GhostKernels>(device, solver_kernels, "ghosts");
}

// One coarsening.
class Coarsening {
 public:
  Coarsening(const DividedMatrix& A, const DividedLevel& level, const SmoothedAggregationOptions& options)
      : device_(A.device()),
        A_(A),
        ghosts_(A.ghosts()),
        level_(level),
        C_(A.block_size()),
        K_(static_cast<int>(level.near_null.size() / std::max<Index>(1, ghosts_.owned() * C_))),
        options_(options) {}

  // False: there would not be much fewer unknowns, or a rank without any.
  bool aggregate(double strength) {
    auto phase = device_.profile().phase("aggregation");
    if (level_.translations > 0) {
      near_null_of_all_ = Vector(device_, ghosts_.size() * C_ * K_, setup_tag);
      device_.machine().copy_on_device(near_null_of_all_.data(), level_.near_null.data(), level_.near_null.bytes());
      ghosts_.fetch(near_null_of_all_, C_ * K_);
    }
    Index fewest = aggregate_by({strength, false});
    if (!are_few(first_.back(), ghosts_.total(), C_, K_, options_) && (C_ == 1 || level_.translations > 0))
      fewest = aggregate_by({strength, true});
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
  Index aggregate_by(const Strength& strength) {
    made_ = {};
    made_ = aggregates_of_all(A_, strength, {near_null_of_all_.data(), K_, level_.translations});
    aggregates_ = made_.here;
    return number_coarser_nodes();
  }

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
    result.level.translations = level_.translations;
    const BlockMatrix coarse = product(P);
    const HostRows coarse_rows(device_, coarse.view());
    const std::vector<GlobalRows> received = to_owners(coarse, coarse_rows);
    // The next level's ghosts: all that its rows or the prolongator reach.
    std::vector<Index> reached;
    std::ranges::copy_if(P_columns_, std::back_inserter(reached), [&](Index c) { return !is_own(c); });
    for (const std::int32_t c : coarse_rows.columns(0, aggregates_))
      if (c >= aggregates_) reached.push_back(global(c));
    for (const GlobalRows& rows : received)
      std::ranges::copy_if(rows.column, std::back_inserter(reached), [&](Index c) { return !is_own(c); });
    sort_unique(reached);
    const auto ghosts = std::make_shared<const Ghosts>(ghosts_.ranks(), aggregates_, std::move(reached));
    result.A = std::make_unique<DividedMatrix>(ghosts, summed(coarse, coarse_rows, received, *ghosts));
    take_columns(P, [&](Index c) { return ghosts->local(c); });
    P.columns = ghosts->size();
    kernels<TransferKernels>(device_, solver_kernels, "transfer").transpose(device_, P, result.transfer.R);
    result.transfer.P = std::move(P);
    result.level.ghosts = ghosts;
    result.level.inverse_diagonal = Vector(device_, result.A->rows(), "multigrid");
    kernels<LevelMatrixKernels>(device_, solver_kernels, "level matrix")
        .inverse_diagonal(device_, result.A->owned_rows(), result.level.inverse_diagonal.data());
    return result;
  }

  // number(column): of one of the columns of P as all ranks number them.
  template <class Number>
  std::vector<std::int32_t> take_columns(BlockMatrix& P, const Number& number) const {
    std::vector<std::int32_t> columns;
    columns.reserve(P_columns_.size());
    for (const Index c : P_columns_) columns.push_back(static_cast<std::int32_t>(number(c)));
    P.column.upload(columns);
    return columns;
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
    const std::vector<std::int32_t> aggregate_of = made_.number.host();
    const Vector T = tentative_of_all(ghosts_, aggregate_of, first_, C_, K_, level_.near_null, coarse_near_null);
    std::vector<Index> numbers(static_cast<std::size_t>(ghosts_.size()));
    std::ranges::copy(aggregate_of, numbers.begin());
    ghosts_.fetch(numbers, 1);
    std::ranges::copy_if(numbers, std::back_inserter(foreign_), [&](Index a) { return a >= 0 && !is_own(a); });
    sort_unique(foreign_);
    std::vector<std::int32_t> aggregate_of_all;
    for (const Index number : numbers) aggregate_of_all.push_back(number < 0 ? -1 : local(number));
    const Array<std::int32_t> aggregate(device_, std::span<const std::int32_t>(aggregate_of_all), setup_tag);
    Vector extension;
    if (level_.translations > 0) {
      const Index size = Index{K_} * K_;
      extension = Vector(device_, (aggregates_ + std::ssize(foreign_)) * size, setup_tag);
      kernels<NearNullKernels>(device_, solver_kernels, "near-null space")
          .rigid_extension(device_, aggregates_, K_, level_.translations, coarse_near_null.data(), extension.data());
      Ghosts(ghosts_.ranks(), aggregates_, foreign_).fetch(extension, static_cast<int>(size));
    }
    BlockMatrix P;
    kernels<TransferKernels>(device_, solver_kernels, "transfer")
        .smooth_prolongator(
            device_,
            {A_.owned_rows(), level_.inverse_diagonal.data(), 4.0 / 3.0 / level_.largest_eigenvalue.full,
             aggregate.data(), T.data(), made_.strong.view(), near_null_of_all_.data(),
             extension.empty() ? nullptr : extension.data()},
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
    std::vector<std::int32_t> parent_columns;
    for (const Index parent : parents) parent_columns.push_back(local(parent));
    P.column = Array<std::int32_t>(device_, std::span<const std::int32_t>(parent_columns), "multigrid");
    P.values = Vector(device_, P.nonzeros() * C_ * C_, "multigrid");
    const Array<std::int32_t> same(device_, std::span<const std::int32_t>(nodes.same), setup_tag);
    coarse_near_null = Vector(device_, aggregates_ * size, setup_tag);
    kernels<NearNullKernels>(device_, solver_kernels, "near-null space")
        .take(device_, aggregates_, same.data(), static_cast<int>(size), level_.near_null.data(),
              coarse_near_null.data());
    Vector of_parents(device_, columns * size, setup_tag);
    device_.machine().copy_on_device(of_parents.data(), coarse_near_null.data(), coarse_near_null.bytes());
    Ghosts(ghosts_.ranks(), aggregates_, foreign_).fetch(of_parents, static_cast<int>(size));
    const Vector weights(device_, std::span<const double>(nodes.weights), setup_tag);
    kernels<TransferKernels>(device_, solver_kernels, "transfer")
        .sum_of_parents(device_, P.view(), weights.data(), level_.near_null.data(), of_parents.data(), K_,
                        P.values.data());
    round_as_cycle(P);
    return P;
  }

  // The product is made with the transfers that the cycle has.
  void round_as_cycle(BlockMatrix& P) const {
    if (options_.single_precision)
      kernels<TransferKernels>(device_, solver_kernels, "transfer")
          .round_to_single(device_, P.values.size(), P.values.data());
  }

  // Renumbers the columns of P where ghosts' rows bring aggregates that it did not reach; [owned | ghosts] rows.
  BlockMatrix with_rows_of_ghosts(BlockMatrix& P) {
    const HostRows rows(device_, P.view());
    P_columns_.reserve(rows.columns().size());
    for (const std::int32_t c : rows.columns()) P_columns_.push_back(global(c));
    const std::vector<GlobalRows> received = swap_rows(ghosts_.ranks(), rows_for_neighbours(P, rows));
    for (const GlobalRows& each : received)
      std::ranges::copy_if(each.column, std::back_inserter(foreign_), [&](Index c) { return !is_own(c); });
    sort_unique(foreign_);
    std::vector<std::int32_t> columns = take_columns(P, [&](Index c) { return local(c); });
    P.columns = aggregates_ + static_cast<Index>(foreign_.size());
    std::vector<Index> offsets(rows.offsets().begin(), rows.offsets().end());
    std::vector<double> values;
    for (const GlobalRows& each : received) {  // ghosts are in the order of their owners, and sent in that of numbers
      for (const Index count : each.count) offsets.push_back(offsets.back() + count);
      for (const Index c : each.column) columns.push_back(local(c));
      values.insert(values.end(), each.values.begin(), each.values.end());
    }
    BlockMatrix whole{.rows = ghosts_.size(), .columns = P.columns, .row_block = C_, .column_block = width_};
    whole.offsets = Array<Index>(device_, std::span<const Index>(offsets), setup_tag);
    whole.column = Array<std::int32_t>(device_, std::span<const std::int32_t>(columns), "multigrid");
    whole.values = Vector(device_, P.values.size() + std::ssize(values), "multigrid");
    device_.machine().copy_on_device(whole.values.data(), P.values.data(), P.values.bytes());
    if (!values.empty())
      copy_to_device(device_, whole.values.data() + P.values.size(), values.data(),
                     std::ssize(values) * Index{sizeof(double)});
    return whole;
  }

  // [rank] rows of P for the nodes that it reaches.
  std::vector<GlobalRows> rows_for_neighbours(const BlockMatrix& P, const HostRows& rows) const {
    std::vector<GlobalRows> sent(static_cast<std::size_t>(ghosts_.ranks().count()));
    std::vector<std::int32_t> entries;
    const auto of_neighbours = [&](const auto& visit) {
      for (const Ghosts::Neighbour& each : ghosts_.neighbours())
        for (const std::int32_t node : each.sent) visit(sent[static_cast<std::size_t>(each.rank)], node);
    };
    of_neighbours([&](GlobalRows&, Index node) {
      for (Index e = rows.begin(node); e < rows.begin(node + 1); ++e) entries.push_back(static_cast<std::int32_t>(e));
    });
    const Array<std::int32_t> at(device_, std::span<const std::int32_t>(entries), setup_tag);
    const int block = C_ * width_;
    Vector packed(device_, at.size() * block, setup_tag);
    ghost_kernels(device_).take(device_, at.size(), at.data(), block, P.values.data(), packed.data());
    const HostView<double> values(packed);
    std::size_t next = 0;
    of_neighbours([&](GlobalRows& to, Index node) {
      const std::size_t size = rows.columns(node).size() * static_cast<std::size_t>(block);
      to.append(node, rows.columns(node), values.span().subspan(next, size), [&](Index c) { return global(c); });
      next += size;
    });
    return sent;
  }

  // P^T A P of this rank's entries of A: its rows. Where the kernel takes both halves from the lower triangle, an entry
  // between an owned node and a ghost is also the other rank's, and half of it counts.
  BlockMatrix product(BlockMatrix& P) {
    auto phase = device_.profile().phase("product");
    const BlockMatrix whole = with_rows_of_ghosts(P);
    const auto& level_kernels = kernels<LevelMatrixKernels>(device_, solver_kernels, "level matrix");
    const bool halves = level_kernels.galerkin_reads_lower_triangle;
    BlockMatrix R, result;
    kernels<TransferKernels>(device_, solver_kernels, "transfer").transpose(device_, halves ? whole : P, R);
    level_kernels.galerkin(device_, halves ? A_.with_ghost_rows() : A_.owned_rows(), whole.view(), R.view(), nested_,
                           result);
    return result;
  }

  std::vector<GlobalRows> to_owners(const BlockMatrix& coarse, const HostRows& rows) const {
    std::vector<GlobalRows> sent(static_cast<std::size_t>(ghosts_.ranks().count()));
    const HostBlocks blocks(device_, coarse.view(), rows, aggregates_, coarse.rows);
    for (Index i = aggregates_; i < coarse.rows; ++i) {
      const Index number = global(i);
      sent[rank_of(number, first_)].append(number, rows.columns(i), blocks.of(i), [&](Index c) { return global(c); });
    }
    return swap_rows(ghosts_.ranks(), sent);
  }

  // Own entries and those of others for the same block are added in ascending order of the ranks, the own ones first.
  BlockMatrix summed(const BlockMatrix& coarse, const HostRows& own, const std::vector<GlobalRows>& received,
                     const Ghosts& ghosts) const {
    struct Entry {
      std::int32_t column;
      Index source;  // among own entries, then received ones
    };
    std::vector<std::vector<Entry>> of_others(static_cast<std::size_t>(aggregates_));  // [own row]
    const Index own_count = own.begin(aggregates_);
    Index source = own_count;
    std::vector<double> values;
    for (const GlobalRows& rows : received) {
      std::size_t e = 0;
      for (std::size_t r = 0; r < rows.row.size(); ++r)
        for (Index k = 0; k < rows.count[r]; ++k, ++e)
          of_others[static_cast<std::size_t>(rows.row[r] - first())].push_back(
              {static_cast<std::int32_t>(ghosts.local(rows.column[e])), source++});
      values.insert(values.end(), rows.values.begin(), rows.values.end());
    }
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(coarse.columns), -1);  // in [owned | ghosts], once known
    const auto number = [&](std::int32_t c) {
      std::int32_t& known = numbers[static_cast<std::size_t>(c)];
      if (known < 0) known = static_cast<std::int32_t>(ghosts.local(global(c)));
      return known;
    };
    Sums sums;
    std::vector<Entry> row;
    for (Index i = 0; i < aggregates_; ++i) {
      row.clear();
      Index e = own.begin(i);
      for (const std::int32_t c : own.columns(i)) row.push_back({number(c), e++});
      const std::vector<Entry>& others = of_others[static_cast<std::size_t>(i)];
      row.insert(row.end(), others.begin(), others.end());
      std::ranges::stable_sort(row, {}, &Entry::column);
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (k == 0 || row[k].column != row[k - 1].column) {
          sums.column.push_back(row[k].column);
          sums.begin.push_back(std::ssize(sums.source));
        }
        sums.source.push_back(row[k].source);
      }
      sums.offsets.push_back(std::ssize(sums.column));
    }
    sums.begin.push_back(std::ssize(sums.source));
    return rows_of(sums, coarse.values, own_count, values, ghosts);
  }

  // Entries of the next matrix, each a sum of blocks.
  struct Sums {
    std::vector<Index> offsets{0}, begin, source;
    std::vector<std::int32_t> column;
  };

  // With room for the rows of ghosts.
  BlockMatrix rows_of(const Sums& sums, const Vector& own, Index own_count, const std::vector<double>& received,
                      const Ghosts& ghosts) const {
    BlockMatrix result{.rows = aggregates_, .columns = ghosts.size(), .row_block = width_, .column_block = width_};
    const Index count = std::ssize(sums.column),
                places = count + DividedMatrix::ghost_entries(sums.column, aggregates_);
    result.offsets = Array<Index>(device_, result.columns + 1, setup_tag);
    result.column = Array<std::int32_t>(device_, places, "multigrid");
    result.values = Vector(device_, places * width_ * width_, "multigrid");
    copy_to_device(device_, result.offsets.data(), sums.offsets.data(), (aggregates_ + 1) * Index{sizeof(Index)});
    copy_to_device(device_, result.column.data(), sums.column.data(), count * Index{sizeof(std::int32_t)});
    const Array<Index> begin(device_, std::span<const Index>(sums.begin), setup_tag),
        source(device_, std::span<const Index>(sums.source), setup_tag);
    const Vector others(device_, std::span<const double>(received), setup_tag);
    ghost_kernels(device_).sum_blocks(device_, count, begin.data(), source.data(), width_ * width_, own_count,
                                      own.data(), others.data(), result.values.data());
    return result;
  }

  const Device device_;
  const DividedMatrix& A_;
  const Ghosts& ghosts_;
  const DividedLevel& level_;
  const int C_, K_;
  const SmoothedAggregationOptions& options_;
  int width_ = 0;        // of the next level's blocks
  bool nested_ = false;  // do transfers have diagonal blocks?
  DividedAggregates made_;
  Vector near_null_of_all_;  // [owned | ghosts][C][K], where there are translations
  Index aggregates_ = 0;
  std::vector<Index> first_, foreign_;  // [rank + 1]; aggregates of others, ascending
  std::vector<Index> P_columns_;        // as all ranks number them
};

}  // namespace

DividedLevel DividedLevels::first(const DividedMatrix& A) const {
  const Device& device = A.device();
  const int C = A.block_size(), K = default_near_null_count(C, options_);
  DividedLevel level{.ghosts = A.shared_ghosts(), .inverse_diagonal = inverse_diagonal(A.diagonal())};
  level.translations = K > C ? C : 0;
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
  level.near_null = Vector(device, A.rows() * K, setup_tag);
  kernels<NearNullKernels>(device, solver_kernels, "near-null space")
      .rigid_motions(device, A.owned_rows(), coordinates, options_.dimension, box.centre.data(), size > 0 ? size : 1, K,
                     level.near_null.data());
  return level;
}

// Same number as in smoothed_aggregation.hpp.
double DividedLevels::strength(int number, const DividedMatrix& A, const DividedLevel& level) const {
  if (A.block_size() == 1 || level.translations > 0) return options_.strength >= 0 ? options_.strength : 0.3;
  return (options_.strength >= 0 ? options_.strength : 0.02) * std::pow(0.5, number - nested_ - 1);
}

std::optional<DividedLevels::Coarser> DividedLevels::coarsen(int number, const DividedMatrix& A,
                                                             const DividedLevel& level) const {
  Coarsening coarsening(A, level, options_);
  if (!coarsening.aggregate(strength(number, A, level))) return std::nullopt;
  return coarsening.over_aggregates();
}

DividedLevels::Coarser DividedLevels::coarsen(const NestedPart& nodes, const DividedMatrix& A,
                                              const DividedLevel& level) const {
  return Coarsening(A, level, options_).over(nodes);
}

DividedLevels::Whole DividedLevels::whole(const DividedMatrix& A, const DividedLevel& level) {
  const Ghosts& ghosts = A.ghosts();
  const BlockMatrixView<double> own = A.owned_rows();
  const Device device = A.device().alone();
  const int block = A.block_size(), count = static_cast<int>(level.near_null.size() / own.rows);
  GlobalRows mine;
  {
    const HostRows rows(device, own);
    const HostBlocks blocks(device, own, rows, 0, own.rows);
    for (Index i = 0; i < own.rows; ++i)
      mine.append(ghosts.global(i), rows.columns(i), blocks.of(i), [&](Index c) { return ghosts.global(c); });
  }
  const std::vector<GlobalRows> of_ranks =
      swap_rows(ghosts.ranks(), std::vector<GlobalRows>(static_cast<std::size_t>(ghosts.ranks().count()), mine));
  constexpr std::size_t missing = static_cast<std::size_t>(-1);  // a diagonal entry that products have left out
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (const GlobalRows& rows : of_ranks) {
    std::size_t begin = 0;
    for (std::size_t r = 0; r < rows.row.size(); ++r) {
      const auto column = [&](std::size_t e) { return e == missing ? rows.row[r] : rows.column[e]; };
      std::vector<std::size_t> order(static_cast<std::size_t>(rows.count[r]));
      std::iota(order.begin(), order.end(), begin);
      begin += order.size();
      if (std::ranges::find(order, rows.row[r], column) == order.end()) order.push_back(missing);
      std::ranges::sort(order, {}, column);
      for (const std::size_t e : order) {
        columns.push_back(static_cast<std::int32_t>(column(e)));
        const auto first = values.size();
        values.resize(first + static_cast<std::size_t>(block) * static_cast<std::size_t>(block), 0.0);
        if (e != missing)
          std::copy_n(rows.values.begin() + static_cast<std::ptrdiff_t>(e) * block * block, block * block,
                      values.begin() + static_cast<std::ptrdiff_t>(first));
        for (int c = 0; column(e) == rows.row[r] && c < block; ++c)
          if (double& entry = values[first + static_cast<std::size_t>(c * block + c)]; entry == 0) entry = 1;
      }
      offsets.push_back(static_cast<Index>(columns.size()));
    }
  }
  std::vector<double> near_null(static_cast<std::size_t>(ghosts.total() * count));
  const HostView<double> own_near_null(level.near_null);
  ghosts.gather(own_near_null.data(), count, near_null.data());
  Whole result{SparseMatrix(std::make_shared<SparsityPattern>(device, offsets, columns), block),
               Vector(device, std::span<const double>(near_null), setup_tag), level.translations};
  result.A.values().upload(values);
  return result;
}

}  // namespace ritz
