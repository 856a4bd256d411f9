#include "fem/space/joined_transform.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace ritz {
namespace {

std::size_t as_size(Index i) { return static_cast<std::size_t>(i); }

std::shared_ptr<const void> pattern_of_block(const BlockOperator& K, int row, int column) {
  if (row == column) return K.square(row) != nullptr ? K.square(row)->shared_pattern() : nullptr;
  return K.coupling(row, column) != nullptr ? K.coupling(row, column)->shared_pattern() : nullptr;
}

// Places of the entries of one block, by unknowns of its fields.
class EntriesOfBlock {
 public:
  EntriesOfBlock(const BlockOperator& K, int row, int column) {
    if (row == column) {
      const SparseMatrix& A = *K.square(row);
      offsets_ = A.pattern().offsets().host();
      columns_ = A.pattern().columns().host();
      width_ = A.block_size();
    } else {
      offsets_ = K.coupling(row, column)->row_offsets().host();
      columns_ = K.coupling(row, column)->column_of_entries().host();
    }
    if (std::ssize(columns_) * width_ * width_ > std::numeric_limits<std::int32_t>::max())
      throw Error(
          ErrorKind::device_memory,
          fmt::format("equations between fields change a block of {} numbers", std::ssize(columns_) * width_ * width_),
          "their places are counted in 32 bits", "use a coarser mesh");
  }

  // visit(column, place) in a row
  template <class Visit>
  void each_of_row(Index row, const Visit& visit) const {
    const Index i = row / width_;
    for (Index k = offsets_[as_size(i)]; k < offsets_[as_size(i) + 1]; ++k)
      for (Index c = 0; c < width_; ++c) visit(columns_[as_size(k)] * width_ + c, place(k, row % width_, c));
  }

  std::int32_t find(Index row, Index column) const {
    const auto first = columns_.begin() + offsets_[as_size(row / width_)],
               last = columns_.begin() + offsets_[as_size(row / width_) + 1];
    const auto wanted = static_cast<std::int32_t>(column / width_);
    const auto found = std::lower_bound(first, last, wanted);
    if (found == last || *found != wanted)
      throw Error(ErrorKind::internal,
                  fmt::format("the pattern of a block has no entry in row {} and column {}", row, column),
                  "equations between fields join them", "finish the supports before the matrix is made");
    return place(found - columns_.begin(), row % width_, column % width_);
  }

 private:
  std::int32_t place(Index block, Index row, Index column) const {
    return static_cast<std::int32_t>((block * width_ + row) * width_ + column);
  }
  std::vector<Index> offsets_;
  std::vector<std::int32_t> columns_;
  Index width_ = 1;
};

class SharesOfRows {
 public:
  using Blocks = std::array<int, 4>;  // row and column of the source, of the target

  SharesOfRows(const BlockOperator& K, const DependentRows& rows) : K_(K), layout_(K.layout().local()), rows_(rows) {
    dependent_.assign(as_size(layout_.total()), 0);
    for (const std::int32_t unknown : rows.unknown) dependent_[as_size(unknown)] = 1;
  }

  // K T: columns of dependent unknowns, whose rows are those of the unknown in a pattern that is symmetric.
  std::map<Blocks, std::vector<UnknownLists::Share>> columns() {
    std::map<Blocks, std::vector<UnknownLists::Share>> shares;
    each_dependent([&](int a, Index unknown, std::size_t row) {
      if (K_.square(a) == nullptr) return;
      entries(a, a).each_of_row(unknown, [&](Index other, std::int32_t) {
        const std::int32_t source = entries(a, a).find(other, unknown);
        each_followed(row, [&](int j, Index followed, double factor) {
          shares[{a, a, a, j}].push_back({entries(a, j).find(other, followed), source, factor});
        });
      });
    });
    return shares;
  }

  // T^T (K T) in the columns that stay
  std::map<Blocks, std::vector<UnknownLists::Share>> rows() {
    std::map<Blocks, std::vector<UnknownLists::Share>> shares;
    each_dependent([&](int a, Index unknown, std::size_t row) {
      for (int j = 0; j < layout_.count(); ++j) {
        if (pattern_of_block(K_, a, j) == nullptr) continue;
        entries(a, j).each_of_row(unknown, [&](Index column, std::int32_t source) {
          if (dependent_[as_size(layout_.first(j) + column)] != 0) return;
          each_followed(row, [&](int i, Index followed, double factor) {
            shares[{a, j, i, j}].push_back({entries(i, j).find(followed, column), source, factor});
          });
        });
      }
    });
    return shares;
  }

 private:
  int field_of(Index unknown) const {
    int k = 0;
    while (k + 1 < layout_.count() && unknown >= layout_.first(k + 1)) ++k;
    return k;
  }
  // use(field, unknown of the field, row of T)
  template <class Use>
  void each_dependent(const Use& use) const {
    for (std::size_t row = 0; row < rows_.unknown.size(); ++row) {
      const int field = field_of(rows_.unknown[row]);
      use(field, rows_.unknown[row] - layout_.first(field), row);
    }
  }
  // use(field, unknown of the field, factor)
  template <class Use>
  void each_followed(std::size_t row, const Use& use) const {
    for (Index t = rows_.begin[row]; t < rows_.begin[row + 1]; ++t) {
      const int field = field_of(rows_.followed[as_size(t)]);
      use(field, rows_.followed[as_size(t)] - layout_.first(field), rows_.factor[as_size(t)]);
    }
  }
  const EntriesOfBlock& entries(int row, int column) {
    auto found = entries_.find({row, column});
    if (found != entries_.end()) return found->second;
    if (pattern_of_block(K_, row, column) == nullptr)
      throw Error(ErrorKind::internal, fmt::format("a matrix has no block ({}, {})", row, column),
                  "equations between fields join them", "finish the supports before the matrix is made");
    return entries_.try_emplace({row, column}, K_, row, column).first->second;
  }

  const BlockOperator& K_;
  const Layout layout_;  // [field][owned | ghosts]
  const DependentRows& rows_;
  std::vector<std::uint8_t> dependent_;  // [unknown] 1
  std::map<std::pair<int, int>, EntriesOfBlock> entries_;
};

double* values_of_block(BlockOperator& K, int row, int column) {
  return row == column ? K.square(row)->values().data() : K.coupling(row, column)->values().data();
}

}  // namespace

JoinedTransform::JoinedTransform(const BlockOperator& K, const DependentRows& rows) {
  for (int row = 0; row < K.layout().count(); ++row)
    for (int column = 0; column < K.layout().count(); ++column) patterns_.push_back(pattern_of_block(K, row, column));
  SharesOfRows shares(K, rows);
  for (auto& each : {shares.columns(), shares.rows()})
    for (const auto& [blocks, list] : each)
      steps_.push_back(
          {blocks[0], blocks[1], blocks[2], blocks[3], UnknownLists(K.device(), UnknownLists::Host::by_targets(list))});
}

bool JoinedTransform::suits(const BlockOperator& K) const {
  std::size_t next = 0;
  for (int row = 0; row < K.layout().count(); ++row)
    for (int column = 0; column < K.layout().count(); ++column)
      if (next == patterns_.size() || patterns_[next++].lock() != pattern_of_block(K, row, column)) return false;
  return next == patterns_.size();
}

void JoinedTransform::apply(BlockOperator& K) const {
  const auto& kernel = kernels<DependentKernels<double>>(K.device(), "ritz_fem_kernels", "dependent double");
  for (const Step& each : steps_) {
    const UnknownLists& lists = each.lists;
    K.device().profile().count(2 * lists.unknown.bytes() + lists.other.bytes() + 3 * lists.factor.bytes());
    kernel.add(K.device(), lists.count(), lists.view(), values_of_block(K, each.from_row, each.from_column),
               values_of_block(K, each.row, each.column));
  }
}

}  // namespace ritz
