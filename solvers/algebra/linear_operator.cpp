#include "solvers/algebra/linear_operator.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/multi_vector_kernels.hpp"
#include "solvers/algebra/vector_kernels.hpp"

#include <algorithm>
#include <vector>

namespace ritz {

Index LinearOperator::total_rows() const { return Communicator(device()).total(rows()); }

void LinearOperator::apply_dot(const Vector& x, Vector& y, double* xy) const {
  apply(x, y);
  device().profile().count(x.bytes() + y.bytes());
  kernels<VectorKernels>(device(), solver_kernels, "vector").dot(device(), rows(), x.data(), y.data(), xy);
}

void LinearOperator::apply_single(const Vector&, Vector&, const Vector*, double*) const {
  throw Error(ErrorKind::internal, name() + " does not work in single precision");
}

namespace {

LaneColumns columns_of(std::vector<Vector>& x) {
  LaneColumns result;
  for (Vector& column : x) result.column[result.count++] = column.data();
  return result;
}

}  // namespace

void LinearOperator::apply_block(const MultiVector& X, MultiVector& Y) const {
  check_block(*this, X, Y);
  const auto& kernel = kernels<MultiVectorKernels>(device(), solver_kernels, "multi vector");
  for (int g = 0; g < X.groups(); ++g) {
    const int count = std::min(MultiVector::lanes, X.columns() - g * MultiVector::lanes);
    std::vector<Vector> x;
    for (int lane = 0; lane < count; ++lane) x.emplace_back(device(), columns(), "vectors");
    device().profile().count(2 * Index{count} * (columns() + rows()) * Index{sizeof(double)});
    kernel.unpack(device(), columns(), X.group(g), columns_of(x));
    for (Vector& column : x) {
      Vector y(device(), rows(), "vectors");
      apply(column, y);
      column = std::move(y);
    }
    kernel.pack(device(), rows(), columns_of(x), Y.group(g));
  }
}

void check_block(const LinearOperator& A, const MultiVector& X, const MultiVector& Y) {
  if (X.rows() != A.columns()) throw_size_mismatch(A.columns(), X.rows());
  if (Y.rows() != A.rows()) throw_size_mismatch(A.rows(), Y.rows());
  if (X.columns() != Y.columns()) throw_size_mismatch(X.columns(), Y.columns());
  if (&X == &Y) throw Error(ErrorKind::internal, "Y = A X was asked for with X and Y in the same vectors");
}

}  // namespace ritz
