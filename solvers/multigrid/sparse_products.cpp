#include "solvers/multigrid/sparse_products.hpp"

#include "device/error.hpp"
#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/host_products.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/sparse_product_kernels.hpp"
#include "solvers/multigrid/transfer_kernels.hpp"

#include <utility>

namespace ritz {
namespace {

const SparseProductKernels& product_kernels(const Device& device) {
  return kernels<SparseProductKernels>(device, solver_kernels, "sparse products");
}

HostMatrix host_copy(const Device& device, const BlockMatrixView<double>& A) {
  const HostView<Index> offsets(device, A.offsets, A.rows + 1);
  const HostView<std::int32_t> column(device, A.column, offsets[A.rows]);
  const HostView<double> values(device, A.values, offsets[A.rows]);
  HostMatrix result;
  result.offsets.assign(offsets.data(), offsets.data() + A.rows + 1);
  result.columns.assign(column.data(), column.data() + offsets[A.rows]);
  result.values.assign(values.data(), values.data() + offsets[A.rows]);
  return result;
}

}  // namespace

BlockMatrixView<double> block_view(const SparseMatrix& A) {
  const SparsityPattern& pattern = A.pattern();
  return {pattern.rows(),           pattern.rows(),           A.block_size(),   A.block_size(),
          pattern.offsets().data(), pattern.columns().data(), A.values().data()};
}

BlockMatrixView<double> block_view(const RectangularMatrix& A) {
  return {A.rows(), A.columns(), 1, 1, A.row_offsets().data(), A.column_of_entries().data(), A.values().data()};
}

BlockMatrix diagonal_matrix(Vector diagonal) {
  const Device device = diagonal.device();
  const Index rows = diagonal.size();
  BlockMatrix D{.rows = rows,
                .columns = rows,
                .offsets = Array<Index>(device, rows + 1, "pattern"),
                .column = Array<std::int32_t>(device, rows, "pattern"),
                .values = std::move(diagonal)};
  product_kernels(device).identity(device, rows, D.offsets.data(), D.column.data());
  return D;
}

BlockMatrix transposed(const BlockMatrix& A) {
  const Device& device = A.offsets.device();
  BlockMatrix result;
  device.profile().count(3 * bytes_of(A));
  kernels<TransferKernels>(device, solver_kernels, "transfer").transpose(device, A, result);
  return result;
}

BlockMatrix product(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& B) {
  try {
    BlockMatrix AB;
    product_kernels(device).product(device, A, B, AB);
    device.profile().count(2 * bytes_of(AB));
    return AB;
  } catch (const Error& error) {
    if (!device.is_gpu() || error.exit() != Exit::resources) throw;
    return block_matrix(device, product(host_copy(device, A), host_copy(device, B), B.columns), B.columns);
  }
}

void sort_rows(BlockMatrix& A) {
  const Device& device = A.offsets.device();
  device.profile().count(2 * bytes_of(A));
  product_kernels(device).sort_rows(device, A.view(), A.column.data(), A.values.data());
}

BlockMatrix sum(const Device& device, const BlockMatrixView<double>& A, double factor, const BlockMatrixView<double>& B,
                const Array<std::uint8_t>* cleared) {
  BlockMatrix result;
  product_kernels(device).sum(device, A, factor, B, cleared != nullptr ? cleared->data() : nullptr, result);
  device.profile().count(3 * bytes_of(result));
  return result;
}

Vector scaled_rows(const RectangularMatrix& A, const Vector& factors) {
  if (factors.size() != A.rows()) throw_size_mismatch(A.rows(), factors.size());
  Vector result(A.device(), A.values().size(), "multigrid set-up");
  A.device().profile().count(2 * result.bytes() + factors.bytes());
  product_kernels(A.device()).scale_rows(A.device(), block_view(A), factors.data(), result.data());
  return result;
}

void scale_rows_and_columns(SparseMatrix& A, const Vector& factors) {
  if (factors.size() != A.rows() || A.block_size() != 1) throw_size_mismatch(A.pattern().rows(), factors.size());
  A.device().profile().count(2 * A.values().bytes() + A.pattern().columns().bytes() + factors.bytes());
  product_kernels(A.device()).scale_both(A.device(), block_view(A), factors.data(), A.values().data());
}

Array<Index> kept_rows(const RectangularMatrix& A, Index rows) {
  Array<Index> result(A.device(), A.rows() + 1, "multigrid set-up");
  product_kernels(A.device()).keep_rows(A.device(), block_view(A), rows, result.data());
  return result;
}

SparseMatrix sparse_matrix(BlockMatrix A) {
  SparseMatrix result(std::make_shared<SparsityPattern>(std::move(A.offsets), std::move(A.column), true), 1,
                      SparseMatrix::Values::undefined);
  result.values() = std::move(A.values);
  return result;
}

HostMatrix host_matrix(const BlockMatrix& A) { return host_copy(A.offsets.device(), A.view()); }

BlockMatrix block_matrix(const Device& device, const HostMatrix& A, Index column_count) {
  return {.rows = A.rows(),
          .columns = column_count,
          .offsets = Array<Index>(device, std::span<const Index>(A.offsets), "pattern"),
          .column = Array<std::int32_t>(device, std::span<const std::int32_t>(A.columns), "pattern"),
          .values = Vector(device, std::span<const double>(A.values), "matrix")};
}

}  // namespace ritz
