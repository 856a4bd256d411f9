#include "solvers/multigrid/transfer_kernels.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"
#include "solvers/multigrid/product_row.hpp"
#include "solvers/multigrid/sparse_rows.hpp"
#ifdef __CUDACC__
#include "solvers/multigrid/triple_product_cuda.hpp"
#else
#include "solvers/multigrid/triple_product_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {
namespace {

constexpr const char* tag = "multigrid set-up";

// Calls f<C, K>() for the block sizes at hand.
template <template <int, int> class F, class... Args>
auto with_blocks(int C, int K, Args&&... args) {
  if (C == 1 && K == 1) return F<1, 1>::run(args...);
  if (C == 2 && K == 2) return F<2, 2>::run(args...);
  if (C == 2 && K == 3) return F<2, 3>::run(args...);
  if (C == 3 && K == 6) return F<3, 6>::run(args...);
  if (C == 3 && K == 3) return F<3, 3>::run(args...);
  if (C == 6 && K == 6) return F<6, 6>::run(args...);
  throw Error(Exit::internal, "multigrid with blocks of " + std::to_string(C) + " x " + std::to_string(K));
}

// Does row c of block row `node` have an entry off the diagonal?
constexpr bool couples(const BlockMatrixView<double>& A, Index node, int c) {
  const int C = A.row_block;
  for (Index k = A.offsets[node]; k < A.offsets[node + 1]; ++k)
    for (int d = 0; d < C; ++d)
      if ((A.column[k] != node || d != c) && A.values[(k * C + c) * C + d] != 0) return true;
  return false;
}

struct RigidMotions {
  BlockMatrixView<double> A;
  const double* coordinates;
  int dimension, K;
  double centre[3], size;
  double* near_null;

  constexpr void operator()(Index node) const {
    const int C = A.row_block;
    double x[3] = {0, 0, 0};
    if (coordinates != nullptr)
      for (int d = 0; d < dimension; ++d) x[d] = (coordinates[node * dimension + d] - centre[d]) / size;
    for (int c = 0; c < C; ++c) {
      double* row = near_null + (node * C + c) * K;
      for (int k = 0; k < K; ++k) row[k] = 0;
      if (!couples(A, node, c)) continue;
      row[c] = 1;
      if (C == 2 && K == 3) row[2] = c == 0 ? -x[1] : x[0];
      if (C == 6 && c >= 3) row[c] = 1 / size;  // the rotations themselves; their displacements are below
      if (C >= 3 && c < 3 && K == 6) {  // columns 3, 4, 5: rotations about x, y, z
        const int j = (c + 1) % 3, k = (c + 2) % 3;
        row[3 + j] = x[k];
        row[3 + k] = -x[j];
      }
    }
  }
};

void rigid_motions(const Device& device, const BlockMatrixView<double>& A, const double* coordinates, int dimension,
                   const double* centre, double size, int K, double* near_null) {
  RigidMotions f{A, coordinates, dimension, K, {centre[0], centre[1], centre[2]}, size, near_null};
  for_each(device, "rigid motions", A.rows, f);
}

// Modified Gram-Schmidt, done twice, over the rows of one aggregate.
template <int C, int K>
struct Orthonormalise {
  const Index* offsets;   // [aggregate + 1]
  const Index* members;   // nodes
  double* T;              // [node][C][K], in: near-null space, out: orthonormal
  double* coarse;         // [aggregate][K][K]

  constexpr double product(Index a, int p, int q) const {
    double sum = 0;
    for (Index m = offsets[a]; m < offsets[a + 1]; ++m) {
      const double* block = T + members[m] * C * K;
      for (int c = 0; c < C; ++c) sum += block[c * K + p] * block[c * K + q];
    }
    return sum;
  }
  constexpr void subtract(Index a, int p, int q, double factor) const {  // column q -= factor * column p
    for (Index m = offsets[a]; m < offsets[a + 1]; ++m) {
      double* block = T + members[m] * C * K;
      for (int c = 0; c < C; ++c) block[c * K + q] -= factor * block[c * K + p];
    }
  }
  constexpr void scale(Index a, int q, double factor) const {
    for (Index m = offsets[a]; m < offsets[a + 1]; ++m) {
      double* block = T + members[m] * C * K;
      for (int c = 0; c < C; ++c) block[c * K + q] *= factor;
    }
  }
  constexpr void operator()(Index a) const {
    double* R = coarse + a * K * K;
    for (int k = 0; k < K * K; ++k) R[k] = 0;
    for (int q = 0; q < K; ++q) {
      const double before = product(a, q, q);
      for (int pass = 0; pass < 2; ++pass)
        for (int p = 0; p < q; ++p) {
          const double factor = product(a, p, q);
          R[p * K + q] += factor;
          subtract(a, p, q, factor);
        }
      const double after = product(a, q, q);
      if (after <= 1e-12 * before || after == 0) {
        scale(a, q, 0);
      } else {
        const double length = __builtin_sqrt(after);
        R[q * K + q] = length;
        scale(a, q, 1 / length);
      }
    }
  }
};

template <int C, int K>
struct Tentative {
  static void run(const Device& device, const Index* offsets, const Index* members, Index aggregates, double* T, double* coarse) {
    for_each(device, "tentative prolongator", aggregates, Orthonormalise<C, K>{offsets, members, T, coarse});
  }
};

void tentative(const Device& device, const std::int32_t* aggregate, Index nodes, Index aggregates, int C, int K,
               const double* near_null, double* T, double* coarse_near_null) {
  Array<Index> offsets(device, aggregates + 1, tag), members(device, nodes, tag);
  group_by(device, aggregate, nodes, aggregates, offsets.data(), members.data());
  device.machine().copy_on_device(T, near_null, nodes * C * K * Index{sizeof(double)});
  with_blocks<Tentative>(C, K, device, offsets.data(), members.data(), aggregates, T, coarse_near_null);
}

// (I - omega D^-1 A_F) T, where A_F is A without the weak couplings that reach an aggregate to which the node has no other
// one: these are added to the diagonal, so that constants are kept (Vanek, Mandel, Brezina 1996, section 5.1).
template <int C, int K>
struct ProlongatorRow {
  BlockMatrixView<double> A;
  const double* inverse_diagonal;
  double omega;
  const std::int32_t* aggregate;
  const double* T;
  GraphView strong;
  bool pattern_is_known;

  constexpr Index work(Index i) const { return A.offsets[i + 1] - A.offsets[i]; }
  // Vectors keep all couplings: one that is added to the diagonal breaks rotations.
  template <class Row>
  constexpr void add_pattern(Index i, Row& row) const {
    if constexpr (C == 1) {
      for (Index k = strong.begin[i]; k < strong.begin[i] + strong.count[i]; ++k)
        if (aggregate[strong.column[k]] >= 0) row.block(aggregate[strong.column[k]]);
    } else {
      for (Index e = A.offsets[i]; e < A.offsets[i + 1]; ++e)
        if (aggregate[A.column[e]] >= 0 && !is_zero(A.values + e * C * C, C * C)) row.block(aggregate[A.column[e]]);
    }
  }
  template <class Row>
  constexpr void add_values(Index i, double* own, Row& row) const {
    for (int k = 0; k < C * K; ++k) own[k] += T[i * C * K + k];
    for (Index e = A.offsets[i]; e < A.offsets[i + 1]; ++e) {
      const Index j = A.column[e];
      if (aggregate[j] < 0) continue;
      double* target = row.find(aggregate[j]);
      const double* t = T + (target == nullptr ? i : j) * C * K;
      target = target == nullptr ? own : target;
      const double* a = A.values + e * C * C;
      for (int c = 0; c < C; ++c) {
        const double factor = -omega * inverse_diagonal[i * C + c];
        for (int d = 0; d < C; ++d) {
          const double entry = factor * a[c * C + d];
          for (int k = 0; k < K; ++k) target[c * K + k] += entry * t[d * K + k];
        }
      }
    }
  }
  template <class Row>
  constexpr void operator()(Index i, Row& row) const {
    if (aggregate[i] < 0) return;
    double* own = row.block(aggregate[i]);
    if (!pattern_is_known) add_pattern(i, row);
    if constexpr (Row::has_values) {
      add_values(i, own, row);
    }
  }
};

constexpr int prolongator_capacity = 256;  // the aggregates of a node and of its neighbours

template <int C, int K>
struct Prolongator {
  static void run(const Device& device, const ProlongatorInput& in, BlockMatrix& P) {
    build_rows<C * K, prolongator_capacity>(
        device, "prolongator", ProlongatorRow<C, K>{in.A, in.inverse_diagonal, in.omega, in.aggregate, in.T, in.strong, false},
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
        device, "prolongator", ProlongatorRow<C, K>{in.A, in.inverse_diagonal, in.omega, in.aggregate, in.T, in.strong, true}, P, values);
  }
};

bool smooth_prolongator_again(const Device& device, const ProlongatorInput& in, const BlockMatrixView<double>& P, double* values) {
  return with_blocks<ProlongatorAgain>(in.A.row_block, P.column_block, device, in, P, values);
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
  static void run(const Device& device, const BlockMatrix& P, const Index* entries, const std::int32_t* row, BlockMatrix& R) {
    for_each(device, "transpose", P.nonzeros(), TransposeBlocks{entries, row, P.values.data(), R.column.data(), R.values.data()});
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
  static void run(const Device& device, const BlockMatrixView<double>& P, const BlockMatrixView<double>& R, double* values) {
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

void transpose_again(const Device& device, const BlockMatrixView<double>& P, const BlockMatrixView<double>& R, double* values) {
  with_blocks<TransposeRow>(P.row_block, P.column_block, device, P, R, values);
}

template <int C, int K>
struct Galerkin {
  static void run(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                  const BlockMatrixView<double>& R, BlockMatrix& coarse) {
    triple_product<C, K>(device, A, P, R, coarse);
  }
};

void galerkin(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
              const BlockMatrixView<double>& R, BlockMatrix& coarse) {
  coarse.rows = coarse.columns = P.columns;
  coarse.row_block = coarse.column_block = P.column_block;
  with_blocks<Galerkin>(A.row_block, P.column_block, device, A, P, R, coarse);
}

template <int C, int K>
struct GalerkinAgain {
  static bool run(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                  const BlockMatrixView<double>& R, const BlockMatrixView<double>& coarse, double* values) {
    return triple_product_again<C, K>(device, A, P, R, coarse, values);
  }
};

bool galerkin_again(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                    const BlockMatrixView<double>& R, const BlockMatrixView<double>& coarse, double* values) {
  return with_blocks<GalerkinAgain>(A.row_block, P.column_block, device, A, P, R, coarse, values);
}

struct InverseDiagonal {
  BlockMatrixView<double> A;
  double* inverse;
  constexpr void operator()(Index i) const {
    const int C = A.row_block;
    for (int c = 0; c < C; ++c) inverse[i * C + c] = 0;
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      if (A.column[k] == i)
        for (int c = 0; c < C; ++c) {
          const double d = A.values[(k * C + c) * C + c];
          inverse[i * C + c] = d > 0 ? 1 / d : 0;
        }
  }
};

void inverse_diagonal(const Device& device, const BlockMatrixView<double>& A, double* inverse) {
  for_each(device, "inverse diagonal", A.rows, InverseDiagonal{A, inverse});
}

struct MeanOfParents {
  BlockMatrixView<double> P;
  const double *near_null, *coarse_near_null;
  int K;
  double* values;
  constexpr void operator()(Index i) const {
    const int C = P.row_block;
    const Index begin = P.offsets[i], end = P.offsets[i + 1];
    for (Index k = begin; k < end; ++k)
      for (int c = 0; c < C; ++c)
        for (int d = 0; d < C; ++d) {
          const bool free = c == d && near_null[(i * C + c) * K + c] != 0 && coarse_near_null[(P.column[k] * C + c) * K + c] != 0;
          values[(k * C + c) * C + d] = free ? 1 / static_cast<double>(end - begin) : 0;
        }
  }
};

void mean_of_parents(const Device& device, const BlockMatrixView<double>& P, const double* near_null, const double* coarse_near_null, int K,
                     double* values) {
  for_each(device, "interpolation", P.rows, MeanOfParents{P, near_null, coarse_near_null, K, values});
}

struct RoundToSingle {
  double* values;
  constexpr void operator()(Index k) const { values[k] = static_cast<double>(static_cast<float>(values[k])); }
};

void round_to_single(const Device& device, Index n, double* values) { for_each(device, "change precision", n, RoundToSingle{values}); }

struct Suits {
  BlockMatrixView<double> A, P;
  std::int32_t* misfit;
  constexpr void operator()(Index i) const {
    const int C = P.row_block, K = P.column_block;
    if (P.offsets[i] == P.offsets[i + 1]) return;
    for (int c = 0; c < C; ++c) {
      bool zero = true;
      for (Index k = P.offsets[i]; k < P.offsets[i + 1] && zero; ++k)
        for (int d = 0; d < K; ++d) zero = zero && P.values[(k * C + c) * K + d] == 0;
      if (zero == couples(A, i, c)) *misfit = 1;  // whoever writes, writes the same
    }
  }
};

bool suits(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P) {
  Array<std::int32_t> misfit(device, 1, tag);
  misfit.fill_zero();
  for_each(device, "prescribed rows", P.rows, Suits{A, P, misfit.data()});
  std::int32_t any = 0;
  device.machine().copy_to_host(&any, misfit.data(), Index{sizeof any});
  return any == 0;
}

struct Jumps {
  BlockMatrixView<double> A;
  const double* inverse_diagonal;
  double* jumps;
  constexpr void operator()(Index i) const {
    const int C = A.row_block;
    double largest = 0;
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      for (int c = 0; c < C; ++c)
        for (int d = 0; d < C; ++d) {
          const double other = inverse_diagonal[Index{A.column[k]} * C + d];
          if (A.values[(k * C + c) * C + d] != 0 && other > 0 && largest * other < inverse_diagonal[i * C + c]) largest = inverse_diagonal[i * C + c] / other;
        }
    jumps[i] = largest;
  }
};

void jumps(const Device& device, const BlockMatrixView<double>& A, const double* inverse_diagonal, double* jumps) {
  for_each(device, "jumps", A.rows, Jumps{A, inverse_diagonal, jumps});
}

struct Take {
  const std::int32_t* at;
  int size;
  const double* from;
  double* to;
  constexpr void operator()(Index j) const {
    for (int k = 0; k < size; ++k) to[j * size + k] = from[Index{at[j]} * size + k];
  }
};

void take(const Device& device, Index n, const std::int32_t* at, int size, const double* from, double* to) {
  for_each(device, "injection", n, Take{at, size, from, to});
}

const TransferKernels table{rigid_motions, tentative, smooth_prolongator, transpose, galerkin, smooth_prolongator_again,
                            transpose_again, galerkin_again, round_to_single, suits, mean_of_parents, jumps, take, inverse_diagonal};
const Registration registration("transfer", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
