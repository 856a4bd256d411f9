#include "solvers/multigrid/level_matrix_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "solvers/multigrid/block_sizes.hpp"
#ifdef __CUDACC__
#include "solvers/multigrid/triple_product_cuda.hpp"
#else
#include "solvers/multigrid/triple_product_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND::level_matrix_kernels {
namespace {

template <int C, int K>
struct Galerkin {
  static void run(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                  const BlockMatrixView<double>& R, bool diagonal, BlockMatrix& coarse) {
    triple_product<C, K>(device, A, P, R, diagonal, coarse);
  }
};

void galerkin(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
              const BlockMatrixView<double>& R, bool diagonal, BlockMatrix& coarse) {
  coarse.rows = coarse.columns = P.columns;
  coarse.row_block = coarse.column_block = P.column_block;
  with_blocks<Galerkin>(A.row_block, P.column_block, device, A, P, R, diagonal, coarse);
}

template <int C, int K>
struct GalerkinAgain {
  static bool run(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                  const BlockMatrixView<double>& R, bool diagonal, const BlockMatrixView<double>& coarse,
                  double* values) {
    return triple_product_again<C, K>(device, A, P, R, diagonal, coarse, values);
  }
};

bool galerkin_again(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                    const BlockMatrixView<double>& R, bool diagonal, const BlockMatrixView<double>& coarse,
                    double* values) {
  return with_blocks<GalerkinAgain>(A.row_block, P.column_block, device, A, P, R, diagonal, coarse, values);
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
          if (other > 0 && largest * other < inverse_diagonal[i * C + c] && A.values[(k * C + c) * C + d] != 0)
            largest = inverse_diagonal[i * C + c] / other;
        }
    jumps[i] = largest;
  }
};

void jumps(const Device& device, const BlockMatrixView<double>& A, const double* inverse_diagonal, double* jumps) {
  for_each(device, "jumps", A.rows, Jumps{A, inverse_diagonal, jumps});
}

const LevelMatrixKernels table{galerkin, product_reads_lower_triangle, galerkin_again, inverse_diagonal, jumps};
const Registration registration("level matrix", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::level_matrix_kernels
