#include "solvers/multigrid/near_null_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"
#include "solvers/multigrid/block_sizes.hpp"

namespace ritz::RITZ_BACKEND::near_null_kernels {
namespace {

constexpr const char* tag = "multigrid set-up";

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
      if (C >= 3 && c < 3 && K == 6) {          // columns 3, 4, 5: rotations about x, y, z
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

// Modified Gram-Schmidt, done twice, over the rows of one aggregate; of scalars T is the near-null space.
template <int C, int K>
struct Orthonormalise {
  const Index* offsets;  // [aggregate + 1]
  const Index* members;  // nodes
  double* T;             // [node][C][K], in: near-null space, out: orthonormal, but for scalars
  double* coarse;        // [aggregate][K][K]

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
    if constexpr (C == 1) R[0] = product(a, 0, 0) > 0 ? 1 : 0;  // not scaled by the size of the aggregate
    else orthonormalise(a, R);
  }
  constexpr void orthonormalise(Index a, double* R) const {
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
  static void run(const Device& device, const Index* offsets, const Index* members, Index aggregates, double* T,
                  double* coarse) {
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

// The inverse of the upper triangle R.
struct RigidExtension {
  static constexpr double slender = 0.1;  // of the largest rotation
  int K, translations;
  const double* R;
  double* X;
  constexpr void operator()(Index a) const {
    const double* r = R + a * K * K;
    double* x = X + a * K * K;
    double rotation = 0;
    for (int q = translations; q < K; ++q) rotation = r[q * K + q] > rotation ? r[q * K + q] : rotation;
    for (int q = 0; q < K; ++q) {
      const double length = r[q * K + q];
      const bool is_kept = length > (q < translations ? 0 : slender * rotation);
      for (int p = 0; p < K; ++p) {
        double sum = p == q ? 1 : 0;
        for (int s = p; s < q; ++s) sum -= x[p * K + s] * r[s * K + q];
        x[p * K + q] = is_kept && p <= q ? sum / length : 0;
      }
    }
  }
};

void rigid_extension(const Device& device, Index aggregates, int K, int translations, const double* coarse_near_null,
                     double* extension) {
  for_each(device, "rigid extension", aggregates, RigidExtension{K, translations, coarse_near_null, extension});
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
      if (zero == couples(A, i, c)) *misfit = 1;  // all threads write the same value
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

const NearNullKernels table{rigid_motions, tentative, rigid_extension, take, suits};
const Registration registration("near-null space", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::near_null_kernels
