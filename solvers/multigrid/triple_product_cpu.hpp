// R A P on a CPU, of a symmetric A with R the transpose of P: with H the lower triangle of A and half of its diagonal,
// R A P = S + S^T with S = R H P, which is little more than half of the work. S is made by panels of coarse rows: the
// rows of H P that a panel needs are made, used and forgotten, so that the whole of H P never exists. Rows between two
// panels are made twice.
#pragma once

#include "solvers/multigrid/product_row.hpp"
#include "solvers/multigrid/sparse_rows.hpp"

#include <bit>

namespace ritz::RITZ_BACKEND {

inline constexpr bool product_reads_lower_triangle = true;

// Fine rows of a panel, and the place of each among them.
class RowSet {
 public:
  explicit RowSet(Index rows) : bits_(static_cast<std::size_t>(rows / 64 + 1)), before_(bits_.size()) {}

  void collect(const BlockMatrixView<double>& R, Index first, Index last) {
    std::fill(bits_.begin(), bits_.end(), 0);
    for (Index e = R.offsets[first]; e < R.offsets[last]; ++e)
      bits_[word(R.column[e])] |= std::uint64_t{1} << (R.column[e] & 63);
    Index sum = 0;
    for (std::size_t w = 0; w < bits_.size(); ++w) {
      before_[w] = sum;
      sum += std::popcount(bits_[w]);
    }
    size_ = sum;
  }
  Index size() const { return size_; }
  Index place(std::int32_t row) const {
    const std::uint64_t below = (std::uint64_t{1} << (row & 63)) - 1;
    return before_[word(row)] + std::popcount(bits_[word(row)] & below);
  }
  template <class F>
  void for_all(const F& f) const {  // ascending
    for (std::size_t w = 0; w < bits_.size(); ++w)
      for (std::uint64_t left = bits_[w]; left != 0; left &= left - 1)
        f(static_cast<Index>(w) * 64 + std::countr_zero(left));
  }

 private:
  static std::size_t word(std::int32_t row) { return static_cast<std::size_t>(row) / 64; }
  std::vector<std::uint64_t> bits_;
  std::vector<Index> before_;  // [word] rows in those before
  Index size_ = 0;
};

// Products of blocks with those of P and R, target += x p and target += r x; between nested levels these are diagonal.
template <int C, int K, bool Diagonal>
struct BlockProducts {
  static void with_p(const double* x, const double* p, double* target) { add_product<C, C, K>(x, p, target); }
  static void with_r(const double* r, const double* x, double* target) { add_product<K, C, K>(r, x, target); }
};

template <int C>
struct BlockProducts<C, C, true> {
  static void with_p(const double* __restrict x, const double* __restrict p, double* __restrict target) {
    for (int l = 0; l < C; ++l)
      for (int m = 0; m < C; ++m) target[l * C + m] += x[l * C + m] * p[m * C + m];
  }
  static void with_r(const double* __restrict r, const double* __restrict x, double* __restrict target) {
    for (int l = 0; l < C; ++l)
      for (int m = 0; m < C; ++m) target[l * C + m] += r[l * C + l] * x[l * C + m];
  }
};

// A row of H P.
template <int C, int K, bool Diagonal>
struct HalfRow {
  BlockMatrixView<double> A, P;

  template <class Row>
  void operator()(Index i, Row& row) const {
    for (Index e = A.offsets[i]; e < A.offsets[i + 1]; ++e) {
      const Index j = A.column[e];
      const double* a = A.values + e * C * C;
      if (j < i && !is_zero(a, C * C)) {
        add(a, j, row);
      } else if (j == i) {
        double half[C * C];
        for (int k = 0; k < C * C; ++k) half[k] = 0.5 * a[k];
        add(half, j, row);
      }
    }
  }

 private:
  template <class Row>
  void add(const double* a, Index j, Row& row) const {
    for (Index f = P.offsets[j]; f < P.offsets[j + 1]; ++f)
      BlockProducts<C, K, Diagonal>::with_p(a, P.values + f * C * K, row.block(P.column[f]));
  }
};

// The rows of H P for a panel, each with its columns after its values. One per thread.
template <int C, int K, bool Diagonal>
class PanelOfHP {
 public:
  struct Row {
    const double* values;  // [size][C][K], then the columns
    Index size;
    const std::int32_t* columns() const { return reinterpret_cast<const std::int32_t*>(values + size * C * K); }
  };

  PanelOfHP(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P)
      : device_(device), product_{A, P}, needed_(A.rows), sums_(P.columns), store_(device, "multigrid set-up") {}

  void make(const BlockMatrixView<double>& R, Index first, Index last) {
    needed_.collect(R, first, last);
    if (rows_.size() < needed_.size())
      rows_ = Array<Row>(device_, needed_.size() + needed_.size() / 8, "multigrid set-up");
    store_.start_again();
    Row* next = rows_.data();
    needed_.for_all([&](Index i) {
      auto row = sums_.new_row(turn_++);
      product_(i, row);
      const Index size = row.size;
      double* const values = store_.room(size * C * K + (size + 1) / 2);
      row.write(reinterpret_cast<std::int32_t*>(values + size * C * K), values);
      *next++ = {values, size};
    });
  }
  const Row& row(std::int32_t i) const { return rows_.data()[needed_.place(i)]; }

 private:
  Device device_;
  HalfRow<C, K, Diagonal> product_;
  RowSet needed_;
  RowStore<C * K> sums_;
  Index turn_ = 0;  // rows made so far
  Appended<double> store_;
  Array<Row> rows_;
};

// Rows of S = R (H P), for one thread: the rows `first` to `last` in ascending order.
template <int C, int K, bool Diagonal>
class CoarseRow {
 public:
  CoarseRow(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
            const BlockMatrixView<double>& R, Index first, Index last)
      : R_(R), panel_(device, A, P), end_(first), last_(last), step_(panel_rows(device, P, first, last)) {}

  template <class Row>
  void operator()(Index coarse, Row& row) {
    if (coarse >= end_) {
      end_ = std::min(coarse + step_, last_);
      panel_.make(R_, coarse, end_);
    }
    for (Index e = R_.offsets[coarse]; e < R_.offsets[coarse + 1]; ++e) {
      const auto& hp = panel_.row(R_.column[e]);
      const double* r = R_.values + e * K * C;
      const double* values = hp.values;
      const std::int32_t* columns = hp.columns();
      for (Index f = 0; f < hp.size; ++f)
        BlockProducts<C, K, Diagonal>::with_r(r, values + f * C * K, row.block(columns[f]));
    }
  }

 private:
  // Panels of about `panel_bytes`: for the second-level cache, and yet so large that few rows lie between two.
  static Index panel_rows(const Device& device, const BlockMatrixView<double>& P, Index first, Index last) {
    const double blocks_per_entry = 2.5;  // of H P, for an entry of P
    const double bytes = blocks_per_entry * double(P.offsets[P.rows]) * (8 * C * K + 4);
    const Index panels = static_cast<Index>(bytes / panel_bytes) + 1, threads = row_parts(device, P.columns);
    const Index here = (panels + threads - 1) / threads;
    return std::max<Index>(1, (last - first + here - 1) / here);
  }
  static constexpr double panel_bytes = 2e6;

  BlockMatrixView<double> R_;
  PanelOfHP<C, K, Diagonal> panel_;
  Index end_, last_, step_;
};

// Input of build_rows() for its threads.
template <int C, int K, bool Diagonal>
struct HalfRows {
  const Device& device;
  BlockMatrixView<double> A, P, R;
  CoarseRow<C, K, Diagonal> of_thread(Index first, Index last) const { return {device, A, P, R, first, last}; }
};

// The blocks of each column.
struct ByColumns {
  Array<Index> offsets, blocks;  // [column + 1], [entry]
  Array<std::int32_t> row;       // [block]
  explicit ByColumns(const Device& device, const BlockMatrix& S)
      : offsets(device, S.columns + 1, "multigrid set-up"),
        blocks(device, S.nonzeros(), "multigrid set-up"),
        row(device, S.nonzeros(), "multigrid set-up") {
    group_by(device, S.column.data(), S.nonzeros(), S.columns, offsets.data(), blocks.data());
    const Index* const first = S.offsets.data();
    std::int32_t* const rows = row.data();
    for_each(device, "product", S.rows,
             [=](Index i) { std::fill(rows + first[i], rows + first[i + 1], static_cast<std::int32_t>(i)); });
  }
};

// For build_rows: S + S^T.
template <int K>
struct SumWithTranspose {
  BlockMatrixView<double> S;
  const Index *column_offsets, *column_blocks;
  const std::int32_t* row_of_block;

  template <class Row>
  void operator()(Index i, Row& row) const {
    for (Index e = S.offsets[i]; e < S.offsets[i + 1]; ++e) {
      double* const target = row.block(S.column[e]);
      for (int k = 0; k < K * K; ++k) target[k] += S.values[e * K * K + k];
    }
    for (Index n = column_offsets[i]; n < column_offsets[i + 1]; ++n) {
      const Index e = column_blocks[n];
      double* const target = row.block(row_of_block[e]);
      for (int k = 0; k < K; ++k)
        for (int l = 0; l < K; ++l) target[k * K + l] += S.values[(e * K + l) * K + k];
    }
  }
};

// Calls use(SumWithTranspose).
template <int C, int K, class Use>
auto with_half_product(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                       const BlockMatrixView<double>& R, bool diagonal, const Use& use) {
  BlockMatrix S;
  S.rows = S.columns = P.columns;
  S.row_block = S.column_block = K;
  const auto build = [&](const auto& rows) {
    build_rows<K * K, 0>(device, "product", rows, "half of the coarse matrix", "multigrid set-up", S);
  };
  if constexpr (C == K && C > 1) {
    if (diagonal) build(HalfRows<C, K, true>{device, A, P, R});
    else build(HalfRows<C, K, false>{device, A, P, R});
  } else {
    build(HalfRows<C, K, false>{device, A, P, R});
  }
  const ByColumns by_columns(device, S);
  return use(SumWithTranspose<K>{S.view(), by_columns.offsets.data(), by_columns.blocks.data(), by_columns.row.data()});
}

template <int C, int K>
void triple_product(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                    const BlockMatrixView<double>& R, bool diagonal, BlockMatrix& coarse) {
  with_half_product<C, K>(device, A, P, R, diagonal, [&](const SumWithTranspose<K>& sum) {
    build_rows<K * K, 0>(device, "product", sum, "coarse matrix", "multigrid", coarse);
  });
}

// New values for a known pattern; false when they do not fit it.
template <int C, int K>
bool triple_product_again(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                          const BlockMatrixView<double>& R, bool diagonal, const BlockMatrixView<double>& pattern,
                          double* values) {
  return with_half_product<C, K>(device, A, P, R, diagonal, [&](const SumWithTranspose<K>& sum) {
    return refill_rows<K * K, 0>(device, "product", sum, pattern, values);
  });
}

}  // namespace ritz::RITZ_BACKEND
