#include "solvers/linear/matrix_traits.hpp"

#include "device/communicator.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"

#include <cmath>

namespace ritz {

MatrixTraits inspect(const SparseMatrix& A) {
  if (A.rows() == 0) return {};
  const Device& device = A.device();
  const Vector diagonal = A.diagonal();
  Vector counts(device, 3, "reductions");
  kernels<MatrixKernels>(device, solver_kernels, "matrix")
      .inspect(device, matrix_view(A), diagonal.data(), counts.data());
  double found[3];
  Communicator(device).sum(counts.data(), found);
  return {.finite = found[0] == 0, .symmetric = found[1] == 0, .positive_diagonal = found[2] == 0};
}

MatrixEntry first_not_finite(const SparseMatrix& A) {
  const HostMatrix host = host_matrix(A);
  for (Index row = 0; row < host.rows(); ++row)
    for (auto k = static_cast<std::size_t>(host.offsets[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(host.offsets[static_cast<std::size_t>(row) + 1]); ++k)
      if (!std::isfinite(host.values[k])) return {row, host.columns[k], host.values[k]};
  return {};
}

}  // namespace ritz
