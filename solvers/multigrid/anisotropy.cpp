#include "solvers/multigrid/anisotropy.hpp"

#include "device/communicator.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/point_kernels.hpp"

#include <algorithm>

namespace ritz {
namespace {

constexpr Index sampled_rows = 2000;

}  // namespace

double anisotropic_share(const LevelMatrix& A, const Vector& coordinates, int dimension, double factor) {
  if (A.unknowns_of_all() == 0) return 0;
  Vector counts(A.device, 2, "reductions");
  kernels<PointKernels>(A.device, solver_kernels, "points")
      .uneven_couplings(A.device, A.owned(), coordinates.data(), dimension, factor,
                        std::max<Index>(1, A.view.rows / sampled_rows), counts.data());
  double seen_uneven[2];
  Communicator(A.device).sum(counts.data(), seen_uneven);
  return seen_uneven[0] > 0 ? seen_uneven[1] / seen_uneven[0] : 0;
}

}  // namespace ritz
