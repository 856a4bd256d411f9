#include "solvers/algebra/divided_matrix.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"

#include <utility>

namespace ritz {
namespace {

MatrixView view_of(const BlockMatrix& A) {
  return {A.rows, A.nonzeros(), A.row_block, A.offsets.data(), A.column.data(), A.values.data()};
}

const MatrixKernels& kernels_for(const BlockMatrix& A) {
  return kernels<MatrixKernels>(A.values.device(), solver_kernels, "matrix");
}

}  // namespace

DividedMatrix::DividedMatrix(std::shared_ptr<const Ghosts> ghosts, BlockMatrix rows)
    : ghosts_(std::move(ghosts)), rows_(std::move(rows)) {
  if (rows_.rows != ghosts_->owned() || rows_.columns != ghosts_->size())
    throw Error(Exit::internal, "the rows of a divided matrix do not suit the nodes of its rank");
  extended_ = Vector(device(), rows_.columns * rows_.column_block, "vectors");
}

const double* DividedMatrix::with_ghosts(const Vector& x) const {
  if (x.size() != rows()) throw_size_mismatch(rows(), x.size());
  device().machine().copy_on_device(extended_.data(), x.data(), x.bytes());
  ghosts_->fetch(extended_.data(), rows_.row_block);
  return extended_.data();
}

void DividedMatrix::count_product() const {
  device().profile().count(bytes_of(rows_) + 2 * extended_.bytes() + 2 * rows() * Index{sizeof(double)});
}

void DividedMatrix::apply(const Vector& x, Vector& y) const {
  if (y.size() != rows()) throw_size_mismatch(rows(), y.size());
  const double* const extended = with_ghosts(x);
  count_product();
  kernels_for(rows_).multiply(device(), view_of(rows_), extended, y.data());
}

void DividedMatrix::apply_dot(const Vector& x, Vector& y, double* xy) const {
  if (y.size() != rows()) throw_size_mismatch(rows(), y.size());
  const double* const extended = with_ghosts(x);
  count_product();
  kernels_for(rows_).multiply_dot(device(), view_of(rows_), extended, y.data(), xy);
}

Vector DividedMatrix::diagonal() const {
  Vector result(device(), rows(), "vectors");
  device().profile().count(bytes_of(rows_));
  kernels_for(rows_).diagonal(device(), view_of(rows_), result.data());
  return result;
}

}  // namespace ritz
