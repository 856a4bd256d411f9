#include "solvers/multigrid/divided_transform.hpp"

#include "device/host_view.hpp"
#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/multigrid/global_rows.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>

namespace ritz {
namespace {

// The owned rows for the host to read.
class OwnedRows {
 public:
  explicit OwnedRows(const BlockMatrix& A)
      : rows_(A.rows),
        offsets_(A.values.device(), A.offsets.data(), A.rows + 1),
        column_(A.values.device(), A.column.data(), offsets_[A.rows]),
        values_(A.values.device(), A.values.data(), offsets_[A.rows] * A.row_block * A.column_block) {}
  BlockMatrixView<double> view() const {
    return {.rows = rows_, .offsets = offsets_.data(), .column = column_.data(), .values = values_.data()};
  }

 private:
  Index rows_;
  HostView<Index> offsets_;
  HostView<std::int32_t> column_;
  HostView<double> values_;
};

// Blocks of one row. Those of one column add up.
struct Terms {
  std::vector<Index> column;   // global numbers
  std::vector<double> values;  // [term][block]

  double* add(Index to, std::size_t block) {
    column.push_back(to);
    values.resize(values.size() + block, 0.0);
    return values.data() + values.size() - block;
  }

  // Each column once, ascending; added up in the order in which they came.
  void sum_up(std::size_t block) {
    std::vector<std::size_t> order(column.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t e) { return column[e]; });
    Terms summed;
    for (const std::size_t e : order) {
      const bool is_new = summed.column.empty() || summed.column.back() != column[e];
      double* const to = is_new ? summed.add(column[e], block) : &*(summed.values.end() - std::ptrdiff_t(block));
      for (std::size_t k = 0; k < block; ++k) to[k] += values[e * block + k];
    }
    *this = std::move(summed);
  }
};

// y += a b, or a^T b, of C x C blocks.
void add_product(std::size_t C, const double* a, const double* b, double* y) {
  for (std::size_t c = 0; c < C; ++c)
    for (std::size_t m = 0; m < C; ++m)
      for (std::size_t d = 0; d < C; ++d) y[c * C + d] += a[c * C + m] * b[m * C + d];
}
void add_transposed_product(std::size_t C, const double* a, const double* b, double* y) {
  for (std::size_t m = 0; m < C; ++m)
    for (std::size_t c = 0; c < C; ++c)
      for (std::size_t d = 0; d < C; ++d) y[c * C + d] += a[m * C + c] * b[m * C + d];
}

Index first_of(const Ghosts& ghosts) { return ghosts.first()[static_cast<std::size_t>(ghosts.ranks().rank())]; }
bool is_owned(const Ghosts& ghosts, Index rows, Index global) {
  return global >= first_of(ghosts) && global < first_of(ghosts) + rows;
}
std::span<const std::int32_t> columns_of(const BlockMatrixView<double>& A, Index i) {
  return {A.column + A.offsets[i], A.column + A.offsets[i + 1]};
}

// The matrix of rows of A and of changed ones, and the nodes of other ranks that it reaches.
class ResultRows {
 public:
  // changed: [owned row] those that differ from rows of A.
  ResultRows(const Ghosts& ghosts, const BlockMatrixView<double>& A, std::size_t components,
             const std::vector<std::optional<Terms>>& changed)
      : ghosts_(ghosts), A_(A), C_(components), block_(components * components), changed_(changed) {}

  DividedRows make(const Device& device) const {
    DividedRows result;
    result.ghosts = std::make_shared<const Ghosts>(ghosts_.ranks(), A_.rows, reached());
    const Ghosts& ghosts = *result.ghosts;
    BlockMatrix& matrix = result.matrix;
    matrix.rows = A_.rows;
    matrix.columns = ghosts.size();
    matrix.row_block = matrix.column_block = static_cast<int>(C_);
    std::vector<Index> offsets(static_cast<std::size_t>(ghosts.size()) + 1, 0);
    std::vector<std::int32_t> columns;
    std::vector<double> values;
    for (Index i = 0; i < A_.rows; ++i) {
      each_block(i, ghosts, [&](Index column, const double* block) {
        columns.push_back(static_cast<std::int32_t>(column));
        values.insert(values.end(), block, block + block_);
      });
      offsets[static_cast<std::size_t>(i) + 1] = std::ssize(columns);
    }
    const Index places = std::ssize(columns) + DividedMatrix::ghost_entries(columns, A_.rows);
    matrix.offsets = Array<Index>(device, std::span<const Index>(offsets), "pattern");
    matrix.column = Array<std::int32_t>(device, places, "pattern");
    matrix.values = Vector(device, places * static_cast<Index>(block_), "matrix");
    copy_to_device(device, matrix.column.data(), columns.data(), std::ssize(columns) * Index{sizeof(std::int32_t)});
    copy_to_device(device, matrix.values.data(), values.data(), std::ssize(values) * Index{sizeof(double)});
    return result;
  }

 private:
  bool is_own(Index global) const { return is_owned(ghosts_, A_.rows, global); }

  std::vector<Index> reached() const {
    std::vector<Index> nodes;
    for (Index i = 0; i < A_.rows; ++i) {
      const std::optional<Terms>& row = changed_[static_cast<std::size_t>(i)];
      if (row) std::ranges::copy_if(row->column, std::back_inserter(nodes), [&](Index c) { return !is_own(c); });
      else
        for (const std::int32_t c : columns_of(A_, i))
          if (c >= A_.rows) nodes.push_back(ghosts_.global(c));
    }
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    return nodes;
  }

  // Blocks of row i with their columns in [owned | ghosts], ascending.
  template <class Visit>
  void each_block(Index i, const Ghosts& ghosts, const Visit& visit) const {
    const std::optional<Terms>& row = changed_[static_cast<std::size_t>(i)];
    if (!row) {
      for (Index e = A_.offsets[i]; e < A_.offsets[i + 1]; ++e) {
        const std::int32_t c = A_.column[e];
        visit(c < A_.rows ? Index{c} : ghosts.local(ghosts_.global(c)),
              A_.values + static_cast<std::size_t>(e) * block_);
      }
      return;
    }
    for (const bool own : {true, false})
      for (std::size_t e = 0; e < row->column.size(); ++e)
        if (is_own(row->column[e]) == own) visit(ghosts.local(row->column[e]), row->values.data() + e * block_);
  }

  const Ghosts& ghosts_;
  const BlockMatrixView<double>& A_;
  std::size_t C_, block_;
  const std::vector<std::optional<Terms>>& changed_;
};

class Transformation {
 public:
  Transformation(const Ghosts& ghosts, const BlockMatrix& A, const DependentNodeRows& T)
      : ghosts_(ghosts),
        host_(A),
        A_(host_.view()),
        device_(A.values.device()),
        T_(T),
        C_(static_cast<std::size_t>(A.row_block)),
        block_(C_ * C_),
        row_of_(static_cast<std::size_t>(ghosts.size()), -1),
        changed_(static_cast<std::size_t>(A.rows)) {
    for (Index local = 0; local < ghosts.size(); ++local) {
      const auto found = std::ranges::lower_bound(T.node, ghosts.global(local));
      if (found != T.node.end() && *found == ghosts.global(local))
        row_of_[static_cast<std::size_t>(local)] = static_cast<std::int32_t>(found - T.node.begin());
    }
  }

  DividedRows compute(double pivot) {
    for (Index i = 0; i < A_.rows; ++i)
      if (is_dependent(i)) at(i).emplace();
      else if (std::ranges::any_of(columns_of(A_, i), [&](std::int32_t c) { return is_dependent(c); })) change(i);
    for (Index i = 0; i < A_.rows; ++i)
      if (is_dependent(i)) give(i);
    for (const GlobalRows& rows : swap_rows(ghosts_.ranks(), for_owners())) take(rows);
    for (Index i = 0; i < A_.rows; ++i)
      if (is_dependent(i)) set_pivots(i, pivot);
    for (std::optional<Terms>& row : changed_)
      if (row) row->sum_up(block_);
    return ResultRows(ghosts_, A_, C_, changed_).make(device_);
  }

 private:
  std::optional<Terms>& at(Index row) { return changed_[static_cast<std::size_t>(row)]; }
  bool is_dependent(Index local) const { return row_of_[static_cast<std::size_t>(local)] >= 0; }
  bool is_own(Index global) const { return is_owned(ghosts_, A_.rows, global); }
  Index first() const { return first_of(ghosts_); }
  // Positions in T's lists.
  std::pair<std::size_t, std::size_t> range_of(Index local) const {
    const auto row = static_cast<std::size_t>(row_of_[static_cast<std::size_t>(local)]);
    return {static_cast<std::size_t>(T_.begin[row]), static_cast<std::size_t>(T_.begin[row + 1])};
  }
  const double* block_at(std::size_t k) const { return T_.block.data() + k * block_; }

  // Row i of A T.
  Terms times_T(Index i) const {
    Terms terms;
    for (Index e = A_.offsets[i]; e < A_.offsets[i + 1]; ++e) {
      const double* const a = A_.values + static_cast<std::size_t>(e) * block_;
      const std::int32_t column = A_.column[e];
      if (!is_dependent(column)) {
        std::copy_n(a, block_, terms.add(ghosts_.global(column), block_));
        continue;
      }
      const auto [begin, end] = range_of(column);
      for (std::size_t k = begin; k < end; ++k) add_product(C_, a, block_at(k), terms.add(T_.followed[k], block_));
    }
    return terms;
  }

  void change(Index i) { at(i) = times_T(i); }
  Terms& terms_of(Index i) {
    if (!at(i)) change(i);
    return *at(i);
  }

  // The row of a dependent node acts on the nodes that it follows.
  void give(Index i) {
    Terms row = times_T(i);
    row.sum_up(block_);
    const auto [begin, end] = range_of(i);
    for (std::size_t k = begin; k < end; ++k) {
      const Index node = T_.followed[k];
      Terms& to = is_own(node) ? terms_of(node - first()) : for_others_[node];
      for (std::size_t e = 0; e < row.column.size(); ++e)
        add_transposed_product(C_, block_at(k), row.values.data() + e * block_, to.add(row.column[e], block_));
    }
  }

  std::vector<GlobalRows> for_owners() {
    std::vector<GlobalRows> sent(static_cast<std::size_t>(ghosts_.ranks().count()));
    for (auto& [node, terms] : for_others_) {
      terms.sum_up(block_);
      GlobalRows& to = sent[static_cast<std::size_t>(ghosts_.owner(node))];
      to.row.push_back(node);
      to.count.push_back(std::ssize(terms.column));
      to.column.insert(to.column.end(), terms.column.begin(), terms.column.end());
      to.values.insert(to.values.end(), terms.values.begin(), terms.values.end());
      terms = {};
    }
    return sent;
  }

  void take(const GlobalRows& rows) {
    std::size_t e = 0;
    for (std::size_t r = 0; r < rows.row.size(); ++r) {
      Terms& to = terms_of(rows.row[r] - first());
      for (Index k = 0; k < rows.count[r]; ++k, ++e)
        std::copy_n(rows.values.data() + e * block_, block_, to.add(rows.column[e], block_));
    }
  }

  // Rows of T have nothing in the columns of dependent unknowns: so the rows here are empty.
  void set_pivots(Index i, double pivot) {
    const auto row = static_cast<std::size_t>(row_of_[static_cast<std::size_t>(i)]);
    double* const diagonal = terms_of(i).add(first() + i, block_);
    for (std::size_t c = 0; c < C_; ++c)
      if (T_.dependent[row * C_ + c] != 0) diagonal[c * C_ + c] = pivot;
  }

  const Ghosts& ghosts_;
  const OwnedRows host_;
  const BlockMatrixView<double> A_;  // of the host, with the next
  const Device device_;
  const DependentNodeRows& T_;
  const std::size_t C_, block_;
  std::vector<std::int32_t> row_of_;           // [owned | ghosts] in T, -1
  std::vector<std::optional<Terms>> changed_;  // [owned row] those that differ from rows of A
  std::map<Index, Terms> for_others_;          // by the node, which another rank owns
};

}  // namespace

DividedRows transformed(const Ghosts& ghosts, const BlockMatrix& rows, const DependentNodeRows& T, double pivot) {
  return Transformation(ghosts, rows, T).compute(pivot);
}

}  // namespace ritz
