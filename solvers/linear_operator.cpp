#include "solvers/linear_operator.hpp"

#include "device/kernels.hpp"
#include "solvers/matrix_kernels.hpp"
#include "solvers/vector_kernels.hpp"

namespace ritz {

void LinearOperator::apply_dot(const Vector& x, Vector& y, double* xy) const {
  apply(x, y);
  kernels<VectorKernels>(device(), solver_kernels, "vector").dot(device(), rows(), x.data(), y.data(), xy);
}

}  // namespace ritz
