#include "solvers/multigrid/anisotropy.hpp"

#include "device/communicator.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/point_kernels.hpp"

#include <algorithm>

namespace ritz {
namespace {

constexpr Index sampled_rows = 2000;

}  // namespace

double anisotropic_share(const SparseMatrix& A, const Vector& coordinates, int dimension, double factor) {
  return A.rows() == 0 ? 0 : anisotropic_share(matrix_view(A), coordinates, dimension, factor);
}

double anisotropic_share(const MatrixView& A, const Vector& coordinates, int dimension, double factor) {
  const Device& device = coordinates.device();
  Vector counts(device, 2, "reductions");
  kernels<PointKernels>(device, solver_kernels, "points")
      .uneven_couplings(device, A, coordinates.data(), dimension, factor, std::max<Index>(1, A.rows / sampled_rows),
                        counts.data());
  double seen_uneven[2];
  Communicator(device).sum(counts.data(), seen_uneven);
  return seen_uneven[0] > 0 ? seen_uneven[1] / seen_uneven[0] : 0;
}

}  // namespace ritz
