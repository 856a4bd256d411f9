// R A P on a CPU, by panels of coarse rows: the rows of A P that a panel needs are made, used and forgotten, so that the whole
// of A P, which is larger than all that is kept of the level, never exists. Rows between two panels are made twice.
#pragma once

#include "solvers/multigrid/product_row.hpp"
#include "solvers/multigrid/sparse_rows.hpp"

#include <bit>

namespace ritz::RITZ_BACKEND {

// Fine rows of a panel, and the place of each among them.
class RowSet {
 public:
  explicit RowSet(Index rows) : bits_(static_cast<std::size_t>(rows / 64 + 1)), before_(bits_.size()) {}

  void collect(const BlockMatrixView<double>& R, Index first, Index last) {
    std::fill(bits_.begin(), bits_.end(), 0);
    for (Index e = R.offsets[first]; e < R.offsets[last]; ++e) bits_[word(R.column[e])] |= std::uint64_t{1} << (R.column[e] & 63);
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
      for (std::uint64_t left = bits_[w]; left != 0; left &= left - 1) f(static_cast<Index>(w) * 64 + std::countr_zero(left));
  }

 private:
  static std::size_t word(std::int32_t row) { return static_cast<std::size_t>(row) / 64; }
  std::vector<std::uint64_t> bits_;
  std::vector<Index> before_;  // [word] rows in those before
  Index size_ = 0;
};

// The rows of A P for a panel, each with its columns behind its values. One per thread.
template <int C, int K>
class PanelOfAP {
 public:
  struct Row {
    const double* values;  // [size][C][K], then the columns
    Index size;
    const std::int32_t* columns() const { return reinterpret_cast<const std::int32_t*>(values + size * C * K); }
  };

  PanelOfAP(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P)
      : device_(device), product_{A, P}, needed_(A.rows), sums_(P.columns), store_(device, "multigrid set-up") {}

  void make(const BlockMatrixView<double>& R, Index first, Index last) {
    needed_.collect(R, first, last);
    if (rows_.size() < needed_.size()) rows_ = Array<Row>(device_, needed_.size() + needed_.size() / 8, "multigrid set-up");
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
  ProductRow<C, C, K> product_;
  RowSet needed_;
  RowStore<C * K> sums_;
  Index turn_ = 0;  // rows made so far
  Appended<double> store_;
  Array<Row> rows_;
};

// Rows of R (A P), for one thread: the rows `first` to `last` in ascending order.
template <int C, int K>
class CoarseRow {
 public:
  CoarseRow(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P, const BlockMatrixView<double>& R,
            Index first, Index last)
      : R_(R), panel_(device, A, P), end_(first), last_(last), step_(panel_rows(device, P, first, last)) {}

  template <class Row>
  void operator()(Index coarse, Row& row) {
    if (coarse >= end_) {
      end_ = std::min(coarse + step_, last_);
      panel_.make(R_, coarse, end_);
    }
    for (Index e = R_.offsets[coarse]; e < R_.offsets[coarse + 1]; ++e) {
      const auto& ap = panel_.row(R_.column[e]);
      const double* r = R_.values + e * K * C;
      const double* values = ap.values;
      const std::int32_t* columns = ap.columns();
      for (Index f = 0; f < ap.size; ++f) add_product<K, C, K>(r, values + f * C * K, row.block(columns[f]));
    }
  }

 private:
  // Panels of `panel_bytes` of all threads together: small enough to be no burden, large enough that few rows lie between two.
  static Index panel_rows(const Device& device, const BlockMatrixView<double>& P, Index first, Index last) {
    const double blocks_per_entry = 3.5;  // of A P, for an entry of P: 3 to 4 on meshes of tetrahedra and hexahedra
    const double bytes = blocks_per_entry * double(P.offsets[P.rows]) * (8 * C * K + 4);
    const Index panels = static_cast<Index>(bytes / panel_bytes) + 1, threads = row_threads(device, P.columns);
    const Index here = (panels + threads - 1) / threads;
    return std::max<Index>(1, (last - first + here - 1) / here);
  }
  static constexpr double panel_bytes = 16e6;

  BlockMatrixView<double> R_;
  PanelOfAP<C, K> panel_;
  Index end_, last_, step_;
};

// What build_rows() hands to its threads.
template <int C, int K>
struct CoarseRows {
  const Device& device;
  BlockMatrixView<double> A, P, R;
  CoarseRow<C, K> of_thread(Index first, Index last) const { return {device, A, P, R, first, last}; }
};

template <int C, int K>
void triple_product(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                    const BlockMatrixView<double>& R, BlockMatrix& coarse) {
  build_rows<K * K, 0>(device, "product", CoarseRows<C, K>{device, A, P, R}, "coarse matrix", "multigrid", coarse);
}

// New values for a known pattern; false when they do not fit it.
template <int C, int K>
bool triple_product_again(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                          const BlockMatrixView<double>& R, const BlockMatrixView<double>& pattern, double* values) {
  return refill_rows<K * K, 0>(device, "product", CoarseRows<C, K>{device, A, P, R}, pattern, values);
}

}  // namespace ritz::RITZ_BACKEND
