#include "solvers/multigrid/transfer_kernels.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

constexpr const char* tag = "multigrid set-up";

Index last_offset(const Device& device, const Array<Index>& offsets) {
  Index last = 0;
  device.machine().copy_to_host(&last, offsets.data() + offsets.size() - 1, Index{sizeof last});
  return last;
}

// Calls f<C, K>() for the block sizes at hand.
template <template <int, int> class F, class... Args>
void with_blocks(int C, int K, Args&&... args) {
  if (C == 1 && K == 1) return F<1, 1>::run(args...);
  if (C == 2 && K == 3) return F<2, 3>::run(args...);
  if (C == 3 && K == 6) return F<3, 6>::run(args...);
  if (C == 3 && K == 3) return F<3, 3>::run(args...);
  if (C == 6 && K == 6) return F<6, 6>::run(args...);
  throw Error(Exit::internal, "multigrid with blocks of " + std::to_string(C) + " x " + std::to_string(K));
}

struct RigidMotions {
  BlockMatrixView<double> A;
  const double* coordinates;
  int dimension, K;
  double centre[3], size;
  double* near_null;

  constexpr bool couples(Index node, int c) const {  // does this row of A have an entry off the diagonal?
    const int C = A.row_block;
    for (Index k = A.offsets[node]; k < A.offsets[node + 1]; ++k)
      for (int d = 0; d < C; ++d)
        if ((A.column[k] != node || d != c) && A.values[(k * C + c) * C + d] != 0) return true;
    return false;
  }
  constexpr void operator()(Index node) const {
    const int C = A.row_block;
    double x[3] = {0, 0, 0};
    if (K > C)
      for (int d = 0; d < dimension; ++d) x[d] = (coordinates[node * dimension + d] - centre[d]) / size;
    for (int c = 0; c < C; ++c) {
      double* row = near_null + (node * C + c) * K;
      for (int k = 0; k < K; ++k) row[k] = 0;
      if (!couples(node, c)) continue;
      row[c] = 1;
      if (C == 2 && K == 3) row[2] = c == 0 ? -x[1] : x[0];
      if (C == 3 && K == 6) {  // columns 3, 4, 5: rotations about x, y, z
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

// A small set of column numbers, kept sorted; says when it overflows.
template <int Capacity>
struct ColumnSet {
  std::int32_t column[Capacity];
  int size = 0;
  bool overflow = false;
  constexpr void insert(std::int32_t c) {
    int low = 0, high = size;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (column[middle] < c) low = middle + 1;
      else high = middle;
    }
    if (low < size && column[low] == c) return;
    if (size == Capacity) {
      overflow = true;
      return;
    }
    for (int k = size; k > low; --k) column[k] = column[k - 1];
    column[low] = c;
    ++size;
  }
};

constexpr int position_of(const std::int32_t* columns, int size, std::int32_t c) {
  int low = 0, high = size;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (columns[middle] <= c) low = middle;
    else high = middle;
  }
  return low;
}

// Columns of P in a row: the aggregates of the node and of its neighbours. With `column` null it only counts.
struct ProlongatorPattern {
  BlockMatrixView<double> A;
  const std::int32_t* aggregate;
  std::int32_t* count;
  const Index* offsets;
  std::int32_t* column;
  constexpr void operator()(Index i) const {
    ColumnSet<256> set;
    if (aggregate[i] >= 0)
      for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
        if (aggregate[A.column[k]] >= 0) set.insert(aggregate[A.column[k]]);
    if (column == nullptr) {
      count[i] = set.overflow ? -1000000 : set.size;
    } else {
      for (int k = 0; k < set.size; ++k) column[offsets[i] + k] = set.column[k];
    }
  }
};

template <int C, int K>
struct ProlongatorValues {
  BlockMatrixView<double> A;
  const double* inverse_diagonal;
  double omega;
  const std::int32_t* aggregate;
  const double* T;
  const Index* offsets;
  const std::int32_t* column;
  double* values;
  constexpr void operator()(Index i) const {
    const Index begin = offsets[i];
    const int size = static_cast<int>(offsets[i + 1] - begin);
    if (size == 0) return;
    double* P = values + begin * C * K;
    for (int k = 0; k < size * C * K; ++k) P[k] = 0;
    for (Index e = A.offsets[i]; e < A.offsets[i + 1]; ++e) {
      const Index j = A.column[e];
      if (aggregate[j] < 0) continue;
      double* target = P + position_of(column + begin, size, aggregate[j]) * C * K;
      const double* a = A.values + e * C * C;
      const double* t = T + j * C * K;
      for (int c = 0; c < C; ++c) {
        const double factor = -omega * inverse_diagonal[i * C + c];
        for (int d = 0; d < C; ++d) {
          const double entry = factor * a[c * C + d];
          for (int k = 0; k < K; ++k) target[c * K + k] += entry * t[d * K + k];
        }
      }
    }
    double* own = P + position_of(column + begin, size, aggregate[i]) * C * K;
    for (int k = 0; k < C * K; ++k) own[k] += T[i * C * K + k];
  }
};

template <int C, int K>
struct Prolongator {
  static void run(const Device& device, const BlockMatrixView<double>& A, const double* inverse_diagonal, double omega,
                  const std::int32_t* aggregate, const double* T, BlockMatrix& P) {
    for_each(device, "prolongator", A.rows,
             ProlongatorValues<C, K>{A, inverse_diagonal, omega, aggregate, T, P.offsets.data(), P.column.data(), P.values.data()});
  }
};

[[noreturn]] void throw_dense_row(const char* what) {
  throw Error(Exit::internal, std::string("multigrid: a row of the ") + what + " has more blocks than planned for", {},
              "use another preconditioner, and report the mesh");
}

void smooth_prolongator(const Device& device, const BlockMatrixView<double>& A, const double* inverse_diagonal, double omega,
                        const std::int32_t* aggregate, Index aggregates, const double* T, int K, BlockMatrix& P) {
  P.rows = A.rows;
  P.columns = aggregates;
  P.row_block = A.row_block;
  P.column_block = K;
  Array<std::int32_t> count(device, A.rows, tag);
  P.offsets = Array<Index>(device, A.rows + 1, "multigrid");
  for_each(device, "prolongator pattern", A.rows, ProlongatorPattern{A, aggregate, count.data(), nullptr, nullptr});
  exclusive_scan(device, count.data(), A.rows, P.offsets.data());
  const Index nonzeros = last_offset(device, P.offsets);
  if (nonzeros < 0) throw_dense_row("prolongator");
  P.column = Array<std::int32_t>(device, nonzeros, "multigrid");
  P.values = Vector(device, nonzeros * A.row_block * K, "multigrid");
  for_each(device, "prolongator pattern", A.rows,
           ProlongatorPattern{A, aggregate, nullptr, P.offsets.data(), P.column.data()});
  with_blocks<Prolongator>(A.row_block, K, device, A, inverse_diagonal, omega, aggregate, T, P);
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

// Columns of a product X Y, row by row. With `column` null it only counts.
template <int Capacity>
struct ProductPattern {
  const Index* x_offsets;
  const std::int32_t* x_column;
  const Index* y_offsets;
  const std::int32_t* y_column;
  std::int32_t* count;
  const Index* offsets;
  std::int32_t* column;
  constexpr void operator()(Index i) const {
    ColumnSet<Capacity> set;
    for (Index k = x_offsets[i]; k < x_offsets[i + 1]; ++k)
      for (Index l = y_offsets[x_column[k]]; l < y_offsets[x_column[k] + 1]; ++l) set.insert(y_column[l]);
    if (column == nullptr) {
      count[i] = set.overflow ? -1000000 : set.size;
    } else {
      for (int k = 0; k < set.size; ++k) column[offsets[i] + k] = set.column[k];
    }
  }
};

// X Y with blocks L x M times M x N.
template <int L, int M, int N>
struct ProductValues {
  BlockMatrixView<double> X, Y;
  const Index* offsets;
  const std::int32_t* column;
  double* values;
  constexpr void operator()(Index i) const {
    const Index begin = offsets[i];
    const int size = static_cast<int>(offsets[i + 1] - begin);
    double* out = values + begin * L * N;
    for (int k = 0; k < size * L * N; ++k) out[k] = 0;
    for (Index e = X.offsets[i]; e < X.offsets[i + 1]; ++e) {
      const Index j = X.column[e];
      const double* x = X.values + e * L * M;
      for (Index f = Y.offsets[j]; f < Y.offsets[j + 1]; ++f) {
        const double* y = Y.values + f * M * N;
        double* target = out + position_of(column + begin, size, Y.column[f]) * L * N;
        for (int l = 0; l < L; ++l)
          for (int m = 0; m < M; ++m)
            for (int n = 0; n < N; ++n) target[l * N + n] += x[l * M + m] * y[m * N + n];
      }
    }
  }
};

template <int Capacity>
void product_pattern(const Device& device, const BlockMatrixView<double>& X, const BlockMatrixView<double>& Y, const char* what,
                     const char* result_tag, BlockMatrix& product) {
  product.rows = X.rows;
  product.columns = Y.columns;
  product.row_block = X.row_block;
  product.column_block = Y.column_block;
  Array<std::int32_t> count(device, X.rows, tag);
  product.offsets = Array<Index>(device, X.rows + 1, result_tag);
  ProductPattern<Capacity> pattern{X.offsets, X.column, Y.offsets, Y.column, count.data(), nullptr, nullptr};
  for_each(device, "product pattern", X.rows, pattern);
  exclusive_scan(device, count.data(), X.rows, product.offsets.data());
  const Index nonzeros = last_offset(device, product.offsets);
  if (nonzeros < 0) throw_dense_row(what);
  product.column = Array<std::int32_t>(device, nonzeros, result_tag);
  product.values = Vector(device, nonzeros * product.row_block * product.column_block, result_tag);
  pattern.offsets = product.offsets.data();
  pattern.column = product.column.data();
  for_each(device, "product pattern", X.rows, pattern);
}

template <int C, int K>
struct Galerkin {
  static void run(const Device& device, const BlockMatrixView<double>& A, const BlockMatrix& P, const BlockMatrix& R,
                  BlockMatrix& AP, BlockMatrix& coarse) {
    for_each(device, "A P", A.rows, ProductValues<C, C, K>{A, P.view(), AP.offsets.data(), AP.column.data(), AP.values.data()});
    for_each(device, "R A P", R.rows,
             ProductValues<K, C, K>{R.view(), AP.view(), coarse.offsets.data(), coarse.column.data(), coarse.values.data()});
  }
};

void galerkin(const Device& device, const BlockMatrixView<double>& A, const BlockMatrix& P, const BlockMatrix& R,
              BlockMatrix& coarse) {
  BlockMatrix AP;
  product_pattern<512>(device, A, P.view(), "product A P", tag, AP);
  product_pattern<2048>(device, R.view(), AP.view(), "coarse matrix", "multigrid", coarse);
  with_blocks<Galerkin>(A.row_block, P.column_block, device, A, P, R, AP, coarse);
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

const TransferKernels table{rigid_motions, tentative, smooth_prolongator, transpose, galerkin, inverse_diagonal};
const Registration registration("transfer", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
