// R A P on a CPU. The rows of A P stay where they were appended, each with its columns behind its values: they are never
// copied together into a matrix.
#pragma once

#include "solvers/multigrid/sparse_rows.hpp"
#include "solvers/multigrid/product_row.hpp"

namespace ritz::RITZ_BACKEND {

template <int C, int K>
class RowsOfAP {
 public:
  struct Row {
    const double* values;   // [size][C][K], then the columns
    Index size;
    const std::int32_t* columns() const { return reinterpret_cast<const std::int32_t*>(values + size * C * K); }
  };

  RowsOfAP(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P)
      : rows_(device, A.rows, "multigrid set-up") {
    const int threads = row_threads(device, A.rows);
    for (int part = 0; part < threads; ++part) stores_.emplace_back(device, "multigrid set-up");
    const LaunchScope launch(device, "product");
    ParallelErrors errors;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int part = 0; part < threads; ++part)
      errors.run([&] {
        make(ProductRow<C, C, K>{A, P}, A.rows * part / threads, A.rows * (part + 1) / threads, stores_[static_cast<std::size_t>(part)]);
      });
    errors.rethrow();
  }
  const Row* rows() const { return rows_.data(); }

 private:
  void make(const ProductRow<C, C, K>& product, Index first, Index last, Appended<double>& store) {
    RowStore<C * K> sums(product.Y.columns);
    for (Index i = first; i < last; ++i) {
      auto row = sums.new_row(i);
      product(i, row);
      const Index size = row.size;
      double* const values = store.room(size * C * K + (size + 1) / 2);
      row.write(reinterpret_cast<std::int32_t*>(values + size * C * K), values);
      rows_.data()[i] = {values, size};
    }
  }

  Array<Row> rows_;
  std::vector<Appended<double>> stores_;
};

// A row of R (A P).
template <int C, int K>
struct CoarseRow {
  BlockMatrixView<double> R;
  const typename RowsOfAP<C, K>::Row* AP;

  template <class Row>
  void operator()(Index coarse, Row& row) const {
    for (Index e = R.offsets[coarse]; e < R.offsets[coarse + 1]; ++e) {
      const auto& ap = AP[R.column[e]];
      const double* r = R.values + e * K * C;
      const double* values = ap.values;
      const std::int32_t* columns = ap.columns();
      for (Index f = 0; f < ap.size; ++f) add_product<K, C, K>(r, values + f * C * K, row.block(columns[f]));
    }
  }
};

template <int C, int K>
void triple_product(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                    const BlockMatrixView<double>& R, BlockMatrix& coarse) {
  const RowsOfAP<C, K> AP(device, A, P);
  build_rows<K * K, 0>(device, "product", CoarseRow<C, K>{R, AP.rows()}, "coarse matrix", "multigrid", coarse);
}

// New values for a known pattern; false when they do not fit it.
template <int C, int K>
bool triple_product_again(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                          const BlockMatrixView<double>& R, const BlockMatrixView<double>& pattern, double* values) {
  const RowsOfAP<C, K> AP(device, A, P);
  return refill_rows<K * K, 0>(device, "product", CoarseRow<C, K>{R, AP.rows()}, pattern, values);
}

}  // namespace ritz::RITZ_BACKEND
