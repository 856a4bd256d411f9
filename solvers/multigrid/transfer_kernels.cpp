#include "solvers/multigrid/transfer_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"
#include "solvers/multigrid/block_sizes.hpp"
#include "solvers/multigrid/product_row.hpp"
#include "solvers/multigrid/sparse_rows.hpp"

namespace ritz::RITZ_BACKEND::transfer_kernels {
namespace {

constexpr const char* tag = "multigrid set-up";

// Aggregates that a row couples at most. Nodes that couple more, as those do that a rigid region follows, take T alone:
// products with longer rows would be dense.
constexpr int most_aggregates = 128;

// (I - omega D^-1 A_F) T, where A_F is A without the weak couplings that reach an aggregate to which the node has no
// other one. Of scalars these are added to the diagonal, so that the near-null space is kept (Vanek, Mandel, Brezina
// 1996, 5.1). That would break rotations of vectors: their neighbours move as a rigid extension of the node's own
// aggregate, or, without one, all couplings are kept.
template <int C, int K>
struct ProlongatorRow {
  BlockMatrixView<double> A;
  const double* inverse_diagonal;
  double omega;
  const std::int32_t* aggregate;
  const double* T;
  GraphView strong;
  const double *near_null, *extension;
  bool pattern_is_known;
  // Blocks of bodies in a plane and in space, on their first level and below.
  static constexpr bool may_extend = (C == 2 && K == 3) || (C == 3 && K == 6) || (C == K && (C == 3 || C == 6));

  constexpr Index work(Index i) const { return A.offsets[i + 1] - A.offsets[i]; }
  constexpr bool is_filtered() const { return C == 1 || (may_extend && extension != nullptr); }
  template <class Row>
  constexpr void add_pattern(Index i, Row& row) const {
    if (is_filtered()) {
      for (Index k = strong.begin[i]; k < strong.begin[i] + strong.count[i] && row.length() <= most_aggregates; ++k)
        if (aggregate[strong.column[k]] >= 0) row.block(aggregate[strong.column[k]]);
    } else {
      for (Index e = A.offsets[i]; e < A.offsets[i + 1] && row.length() <= most_aggregates; ++e)
        if (couples(e)) row.block(aggregate[A.column[e]]);
    }
    if constexpr (!Row::knows_length)
      if (row.length() > most_aggregates) row.keep_first();
  }
  constexpr bool couples(Index e) const { return aggregate[A.column[e]] >= 0 && !is_zero(A.values + e * C * C, C * C); }
  // A row with too many couplings that are all kept. Where they are filtered, these count as weak.
  template <class Row>
  constexpr bool is_tentative(Index i, const Row& row) const {
    if (is_filtered() || row.length() > 1 || work(i) <= most_aggregates) return false;
    for (Index e = A.offsets[i]; e < A.offsets[i + 1]; ++e)
      if (couples(e) && aggregate[A.column[e]] != aggregate[i]) return true;
    return false;
  }
  template <class Row>
  constexpr void add_values(Index i, double* own, Row& row) const {
    for (int k = lane_of(row); k < C * K; k += lanes_of(row)) own[k] += T[i * C * K + k];
    if (is_tentative(i, row)) return;
    for (Index e = A.offsets[i]; e < A.offsets[i + 1]; ++e) {
      const Index j = A.column[e];
      if (aggregate[j] < 0) continue;
      double* target = row.find(aggregate[j]);
      const bool is_weak = may_extend && target == nullptr && extension != nullptr;
      const double* t = T + (C > 1 && target == nullptr ? i : j) * C * K;
      target = target == nullptr ? own : target;
      const double* a = A.values + e * C * C;
      if constexpr (requires { Row::lanes; }) {  // a number of the target is one thread's; sums as below
        for (int k = lane_of(row); k < C * K; k += lanes_of(row)) {
          const double factor = -omega * inverse_diagonal[i * C + k / K];
          for (int d = 0; d < C; ++d)
            target[k] += factor * a[k / K * C + d] * (is_weak ? extended(i, j, d, k % K) : t[d * K + k % K]);
        }
        continue;
      }
      double rigid[C * K];
      if (is_weak) {
        for (int k = 0; k < C * K; ++k) rigid[k] = extended(i, j, k / K, k % K);
        t = rigid;
      }
      for (int c = 0; c < C; ++c) {
        const double factor = -omega * inverse_diagonal[i * C + c];
        for (int d = 0; d < C; ++d) {
          const double entry = factor * a[c * C + d];
          for (int k = 0; k < K; ++k) target[c * K + k] += entry * t[d * K + k];
        }
      }
    }
  }
  // Entry of T at node j, if it belonged to the aggregate of node i.
  constexpr double extended(Index i, Index j, int d, int q) const {
    const double *b = near_null + (j * C + d) * K, *x = extension + Index{aggregate[i]} * K * K + q;
    double sum = 0;
    for (int p = 0; p <= q; ++p) sum += b[p] * x[p * K];
    return sum;
  }
  template <class Row>
  constexpr void operator()(Index i, Row& row) const {
    if (aggregate[i] < 0) return;
    double* own = row.block(aggregate[i]);
    const bool is_own_alone = Row::knows_length && row.length() == 1;
    if (!pattern_is_known && !is_own_alone) add_pattern(i, row);
    if constexpr (Row::has_values) { add_values(i, own, row); }
  }
};

constexpr int prolongator_capacity = 2 * most_aggregates;

template <int C, int K>
struct Prolongator {
  static void run(const Device& device, const ProlongatorInput& in, BlockMatrix& P) {
    build_rows<C * K, prolongator_capacity>(device, "prolongator",
                                            ProlongatorRow<C, K>{in.A, in.inverse_diagonal, in.omega, in.aggregate,
                                                                 in.T, in.strong, in.near_null, in.extension, false},
                                            "prolongator", "multigrid", P);
  }
};

void smooth_prolongator(const Device& device, const ProlongatorInput& in, Index aggregates, int K, BlockMatrix& P) {
  P.rows = in.A.rows;
  P.columns = aggregates;
  P.row_block = in.A.row_block;
  P.column_block = K;
  with_blocks<Prolongator>(in.A.row_block, K, device, in, P);
}

template <int C, int K>
struct ProlongatorAgain {
  static bool run(const Device& device, const ProlongatorInput& in, const BlockMatrixView<double>& P, double* values) {
    return refill_rows<C * K, prolongator_capacity>(
        device, "prolongator",
        ProlongatorRow<C, K>{in.A, in.inverse_diagonal, in.omega, in.aggregate, in.T, in.strong, in.near_null,
                             in.extension, true},
        P, values);
  }
};

bool smooth_prolongator_again(const Device& device, const ProlongatorInput& in, const BlockMatrixView<double>& P,
                              double* values) {
  return with_blocks<ProlongatorAgain>(in.A.row_block, P.column_block, device, in, P, values);
}

struct SumOfParents {
  BlockMatrixView<double> P;
  const double* weights;  // null: the mean
  const double *near_null, *coarse_near_null;
  int K;
  double* values;
  constexpr void operator()(Index i) const {
    const int C = P.row_block;
    const Index begin = P.offsets[i], end = P.offsets[i + 1];
    for (Index k = begin; k < end; ++k)
      for (int c = 0; c < C; ++c)
        for (int d = 0; d < C; ++d) {
          const bool free =
              c == d && near_null[(i * C + c) * K + c] != 0 && coarse_near_null[(P.column[k] * C + c) * K + c] != 0;
          const double weight = weights != nullptr ? weights[k] : 1 / static_cast<double>(end - begin);
          values[(k * C + c) * C + d] = free ? weight : 0;
        }
  }
};

void sum_of_parents(const Device& device, const BlockMatrixView<double>& P, const double* weights,
                    const double* near_null, const double* coarse_near_null, int K, double* values) {
  for_each(device, "interpolation", P.rows, SumOfParents{P, weights, near_null, coarse_near_null, K, values});
}

struct RoundToSingle {
  double* values;
  constexpr void operator()(Index k) const { values[k] = static_cast<double>(static_cast<float>(values[k])); }
};

void round_to_single(const Device& device, Index n, double* values) {
  for_each(device, "change precision", n, RoundToSingle{values});
}

struct RowOfEntry {
  const Index* offsets;
  std::int32_t* row;
  constexpr void operator()(Index i) const {
    for (Index k = offsets[i]; k < offsets[i + 1]; ++k) row[k] = static_cast<std::int32_t>(i);
  }
};

template <int C, int K>
struct TransposeBlocks {
  static void run(const Device& device, const BlockMatrix& P, const Index* entries, const std::int32_t* row,
                  BlockMatrix& R) {
    for_each(device, "transpose", P.nonzeros(),
             TransposeBlocks{entries, row, P.values.data(), R.column.data(), R.values.data()});
  }
  const Index* entries;
  const std::int32_t* row;
  const double* from;
  std::int32_t* column;
  double* to;
  constexpr void operator()(Index k) const {
    const Index e = entries[k];
    column[k] = row[e];
    for (int c = 0; c < C; ++c)
      for (int d = 0; d < K; ++d) to[(k * K + d) * C + c] = from[(e * C + c) * K + d];
  }
};

void transpose(const Device& device, const BlockMatrix& P, BlockMatrix& R) {
  R.rows = P.columns;
  R.columns = P.rows;
  R.row_block = P.column_block;
  R.column_block = P.row_block;
  R.offsets = Array<Index>(device, R.rows + 1, "multigrid");
  R.column = Array<std::int32_t>(device, P.nonzeros(), "multigrid");
  R.values = Vector(device, P.values.size(), "multigrid");
  Array<Index> entries(device, P.nonzeros(), tag);
  Array<std::int32_t> row(device, P.nonzeros(), tag);
  for_each(device, "transpose", P.rows, RowOfEntry{P.offsets.data(), row.data()});
  group_by(device, P.column.data(), P.nonzeros(), P.columns, R.offsets.data(), entries.data());
  with_blocks<TransposeBlocks>(P.row_block, P.column_block, device, P, entries.data(), row.data(), R);
}

// The values of R from those of P; each entry is looked up in the short row of P.
template <int C, int K>
struct TransposeRow {
  static void run(const Device& device, const BlockMatrixView<double>& P, const BlockMatrixView<double>& R,
                  double* values) {
    for_each(device, "transpose", R.rows, TransposeRow{P, R, values});
  }
  BlockMatrixView<double> P, R;
  double* values;
  constexpr void operator()(Index coarse) const {
    for (Index k = R.offsets[coarse]; k < R.offsets[coarse + 1]; ++k) {
      Index e = P.offsets[R.column[k]];
      while (P.column[e] != coarse) ++e;
      for (int c = 0; c < C; ++c)
        for (int d = 0; d < K; ++d) values[(k * K + d) * C + c] = P.values[(e * C + c) * K + d];
    }
  }
};

void transpose_again(const Device& device, const BlockMatrixView<double>& P, const BlockMatrixView<double>& R,
                     double* values) {
  with_blocks<TransposeRow>(P.row_block, P.column_block, device, P, R, values);
}

const TransferKernels table{smooth_prolongator, smooth_prolongator_again, sum_of_parents, round_to_single,
                            transpose,          transpose_again};
const Registration registration("transfer", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::transfer_kernels
