#include "solvers/algebra/linear_operator.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vector_kernels.hpp"

namespace ritz {

Index LinearOperator::total_rows() const { return Communicator(device()).total(rows()); }

void LinearOperator::apply_dot(const Vector& x, Vector& y, double* xy) const {
  apply(x, y);
  device().profile().count(x.bytes() + y.bytes());
  kernels<VectorKernels>(device(), solver_kernels, "vector").dot(device(), rows(), x.data(), y.data(), xy);
}

void LinearOperator::apply_block(const MultiVector& X, MultiVector& Y) const {
  check_block(*this, X, Y);
  Vector x(device(), columns(), "vectors"), y(device(), rows(), "vectors");
  for (int j = 0; j < X.columns(); ++j) {
    X.get_column(j, x);
    apply(x, y);
    Y.set_column(j, y);
  }
}

void check_block(const LinearOperator& A, const MultiVector& X, const MultiVector& Y) {
  if (X.rows() != A.columns()) throw_size_mismatch(A.columns(), X.rows());
  if (Y.rows() != A.rows()) throw_size_mismatch(A.rows(), Y.rows());
  if (X.columns() != Y.columns()) throw_size_mismatch(X.columns(), Y.columns());
  if (&X == &Y) throw Error(Exit::internal, "Y = A X was asked for with X and Y in the same vectors");
}

}  // namespace ritz
