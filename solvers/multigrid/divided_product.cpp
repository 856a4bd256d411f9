#include "solvers/multigrid/divided_product.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/ghost_kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/global_rows.hpp"
#include "solvers/multigrid/host_rows.hpp"
#include "solvers/multigrid/level_matrix.hpp"
#include "solvers/multigrid/level_matrix_kernels.hpp"
#include "solvers/multigrid/transfer_kernels.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace ritz {
namespace {

class DividedProduct {
 public:
  DividedProduct(const DividedMatrix& A, bool diagonal, CoarseNodes& nodes, BlockMatrix& P)
      : device_(A.device()),
        A_(A),
        ghosts_(A.ghosts()),
        diagonal_(diagonal),
        nodes_(nodes),
        P_(P),
        ghost_kernels_(kernels<GhostKernels>(device_, solver_kernels, "ghosts")) {}

  std::unique_ptr<DividedMatrix> make() {
    const BlockMatrix coarse = product();
    const HostRows coarse_rows(device_, coarse.view());
    const std::vector<GlobalRows> received = to_owners(coarse, coarse_rows);
    // The next level's ghosts: all that its rows or the prolongator reach.
    std::vector<Index> reached;
    const auto reach = [&](Index c) {
      if (!nodes_.is_own(c)) reached.push_back(c);
    };
    std::ranges::for_each(P_columns_, reach);
    for (const std::int32_t c : coarse_rows.columns(0, nodes_.own())) reach(nodes_.global(c));
    for (const GlobalRows& rows : received) std::ranges::for_each(rows.column, reach);
    std::ranges::sort(reached);
    reached.erase(std::ranges::unique(reached).begin(), reached.end());
    const auto ghosts = std::make_shared<const Ghosts>(ghosts_.ranks(), nodes_.own(), std::move(reached));
    auto result = std::make_unique<DividedMatrix>(ghosts, summed(coarse, coarse_rows, received, *ghosts));
    take_columns([&](Index c) { return ghosts->local(c); });
    P_.columns = ghosts->size();
    return result;
  }

 private:
  // number(column): of one of the columns of P as all ranks number them.
  template <class Number>
  std::vector<std::int32_t> take_columns(const Number& number) const {
    std::vector<std::int32_t> columns;
    columns.reserve(P_columns_.size());
    for (const Index c : P_columns_) columns.push_back(static_cast<std::int32_t>(number(c)));
    P_.column.upload(columns);
    return columns;
  }

  // Renumbers the columns of P where ghosts' rows bring aggregates that it did not reach; [owned | ghosts] rows.
  BlockMatrix with_rows_of_ghosts() {
    const HostRows rows(device_, P_.view());
    P_columns_.reserve(rows.columns().size());
    for (const std::int32_t c : rows.columns()) P_columns_.push_back(nodes_.global(c));
    const std::vector<GlobalRows> received = swap_rows(ghosts_.ranks(), rows_for_neighbours(rows));
    std::vector<Index> more;
    for (const GlobalRows& each : received) more.insert(more.end(), each.column.begin(), each.column.end());
    nodes_.reach(more);
    std::vector<std::int32_t> columns = take_columns([&](Index c) { return nodes_.local(c); });
    P_.columns = nodes_.count();
    std::vector<Index> offsets(rows.offsets().begin(), rows.offsets().end());
    std::vector<double> values;
    for (const GlobalRows& each : received) {  // ghosts are in the order of their owners, and sent in that of numbers
      for (const Index count : each.count) offsets.push_back(offsets.back() + count);
      for (const Index c : each.column) columns.push_back(nodes_.local(c));
      values.insert(values.end(), each.values.begin(), each.values.end());
    }
    BlockMatrix whole{
        .rows = ghosts_.size(), .columns = P_.columns, .row_block = P_.row_block, .column_block = P_.column_block};
    whole.offsets = Array<Index>(device_, std::span<const Index>(offsets), setup_tag);
    whole.column = Array<std::int32_t>(device_, std::span<const std::int32_t>(columns), "multigrid");
    whole.values = Vector(device_, P_.values.size() + std::ssize(values), "multigrid");
    device_.machine().copy_on_device(whole.values.data(), P_.values.data(), P_.values.bytes());
    if (!values.empty())
      copy_to_device(device_, whole.values.data() + P_.values.size(), values.data(),
                     std::ssize(values) * Index{sizeof(double)});
    return whole;
  }

  // [rank] rows of P for the nodes that it reaches.
  std::vector<GlobalRows> rows_for_neighbours(const HostRows& rows) const {
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
    const int block = P_.row_block * P_.column_block;
    Vector packed(device_, at.size() * block, setup_tag);
    ghost_kernels_.take(device_, at.size(), at.data(), block, P_.values.data(), packed.data());
    const HostView<double> values(packed);
    std::size_t next = 0;
    of_neighbours([&](GlobalRows& to, Index node) {
      const std::size_t size = rows.columns(node).size() * static_cast<std::size_t>(block);
      to.append(node, rows.columns(node), values.span().subspan(next, size), [&](Index c) { return nodes_.global(c); });
      next += size;
    });
    return sent;
  }

  // P^T A P of this rank's entries of A: its rows. Where the kernel takes both halves from the lower triangle, an entry
  // between an owned node and a ghost is also the other rank's, and half of it counts.
  BlockMatrix product() {
    const BlockMatrix whole = with_rows_of_ghosts();
    const auto& level_kernels = kernels<LevelMatrixKernels>(device_, solver_kernels, "level matrix");
    const bool halves = level_kernels.galerkin_reads_lower_triangle;
    BlockMatrix R, result;
    kernels<TransferKernels>(device_, solver_kernels, "transfer").transpose(device_, halves ? whole : P_, R);
    level_kernels.galerkin(device_, halves ? A_.with_ghost_rows() : A_.owned_rows(), whole.view(), R.view(), diagonal_,
                           result);
    return result;
  }

  std::vector<GlobalRows> to_owners(const BlockMatrix& coarse, const HostRows& rows) const {
    std::vector<GlobalRows> sent(static_cast<std::size_t>(ghosts_.ranks().count()));
    const HostBlocks blocks(device_, coarse.view(), rows, nodes_.own(), coarse.rows);
    for (Index i = nodes_.own(); i < coarse.rows; ++i) {
      const Index number = nodes_.global(i);
      sent[rank_of(number, nodes_.first())].append(number, rows.columns(i), blocks.of(i),
                                                   [&](Index c) { return nodes_.global(c); });
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
    std::vector<std::vector<Entry>> of_others(static_cast<std::size_t>(nodes_.own()));  // [own row]
    const Index own_count = own.begin(nodes_.own());
    Index source = own_count;
    std::vector<double> values;
    for (const GlobalRows& rows : received) {
      std::size_t e = 0;
      for (std::size_t r = 0; r < rows.row.size(); ++r)
        for (Index k = 0; k < rows.count[r]; ++k, ++e)
          of_others[static_cast<std::size_t>(nodes_.local(rows.row[r]))].push_back(
              {static_cast<std::int32_t>(ghosts.local(rows.column[e])), source++});
      values.insert(values.end(), rows.values.begin(), rows.values.end());
    }
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(coarse.columns), -1);  // in [owned | ghosts], once known
    const auto number = [&](std::int32_t c) {
      std::int32_t& known = numbers[static_cast<std::size_t>(c)];
      if (known < 0) known = static_cast<std::int32_t>(ghosts.local(nodes_.global(c)));
      return known;
    };
    Sums sums;
    std::vector<Entry> row;
    for (Index i = 0; i < nodes_.own(); ++i) {
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
    BlockMatrix result{
        .rows = nodes_.own(), .columns = ghosts.size(), .row_block = P_.column_block, .column_block = P_.column_block};
    const Index count = std::ssize(sums.column),
                places = count + DividedMatrix::ghost_entries(sums.column, nodes_.own());
    result.offsets = Array<Index>(device_, result.columns + 1, setup_tag);
    result.column = Array<std::int32_t>(device_, places, "multigrid");
    result.values = Vector(device_, places * P_.column_block * P_.column_block, "multigrid");
    copy_to_device(device_, result.offsets.data(), sums.offsets.data(), (nodes_.own() + 1) * Index{sizeof(Index)});
    copy_to_device(device_, result.column.data(), sums.column.data(), count * Index{sizeof(std::int32_t)});
    const Array<Index> begin(device_, std::span<const Index>(sums.begin), setup_tag),
        source(device_, std::span<const Index>(sums.source), setup_tag);
    const Vector others(device_, std::span<const double>(received), setup_tag);
    ghost_kernels_.sum_blocks(device_, count, begin.data(), source.data(), P_.column_block * P_.column_block, own_count,
                              own.data(), others.data(), result.values.data());
    return result;
  }

  const Device device_;
  const DividedMatrix& A_;
  const Ghosts& ghosts_;
  const bool diagonal_;
  CoarseNodes& nodes_;
  BlockMatrix& P_;
  const GhostKernels& ghost_kernels_;
  std::vector<Index> P_columns_;  // as all ranks number them
};

}  // namespace

std::unique_ptr<DividedMatrix> divided_product(const DividedMatrix& A, bool diagonal, CoarseNodes& nodes,
                                               BlockMatrix& P) {
  return DividedProduct(A, diagonal, nodes, P).make();
}

}  // namespace ritz
