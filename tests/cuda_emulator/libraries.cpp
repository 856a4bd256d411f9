// The functions of cuSPARSE and cuSOLVER that Ritz calls, implemented plainly.
#include "tests/cuda_emulator/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cusolverSp.h>
#include <cusparse.h>
#include <vector>

using namespace ritz::emulator;

// LAPACK: solution with a band matrix of columns [2 below + above + 1].
extern "C" void dgbsv_(const int* n, const int* below, const int* above, const int* columns, double* band,
                       const int* band_rows, int* pivots, double* b, const int* b_rows, int* status);

struct cusparseContext {
  int device = current_device();
  cudaStream_t stream = nullptr;
};
struct cusparseMatDescr {};
struct cusparseSpMatDescr {
  std::int64_t rows, blocks;
  int size;  // of a block
  const int *offsets, *columns;
  const double* values;
  mutable bool partitioned = false;
};
struct cusparseDnVecDescr {
  std::int64_t size;
  double* values;
};
struct cusolverSpContext {
  int device = current_device();
  cudaStream_t stream = nullptr;
};

namespace {

// Solves by elimination in a band. The reordering and the kind of factor are the library's own affair.
void solve_band(int n, int entries, const double* values, const int* offsets, const int* columns, const double* b,
                double tolerance, double* x, int* singular) {
  touch_range("cusolver", values, sizeof(double) * static_cast<std::size_t>(entries), Access::read);
  touch_range("cusolver", b, sizeof(double) * static_cast<std::size_t>(n), Access::read);
  touch_range("cusolver", x, sizeof(double) * static_cast<std::size_t>(n), Access::write);
  int band = 0;  // entries beside the diagonal, on either side
  for (int i = 0; i < n; ++i)
    for (int k = offsets[i]; k < offsets[i + 1]; ++k) band = std::max(band, std::abs(columns[k] - i));
  const int height = 3 * band + 1, one = 1;
  std::vector<double> a(static_cast<std::size_t>(n) * static_cast<std::size_t>(height)), solution(b, b + n);
  const auto diagonal = [&](int column) { return a.data() + std::ptrdiff_t{column} * height + 2 * band; };
  for (int i = 0; i < n; ++i)
    for (int k = offsets[i]; k < offsets[i + 1]; ++k) diagonal(columns[k])[i - columns[k]] = values[k];
  std::vector<int> pivots(static_cast<std::size_t>(n));
  int status = 0;
  dgbsv_(&n, &band, &band, &one, a.data(), &height, pivots.data(), solution.data(), &n, &status);
  *singular = status > 0 ? status - 1 : -1;
  for (int i = 0; i < n && *singular < 0; ++i)
    if (std::abs(*diagonal(i)) <= tolerance) *singular = i;
  std::copy(solution.begin(), solution.end(), x);
}

cusolverStatus_t solve(cusolverSpHandle_t handle, int rows, int entries, const double* values, const int* offsets,
                       const int* columns, const double* b, double tolerance, double* x, int* singular) {
  if (handle->device != current_device()) return CUSOLVER_STATUS_INTERNAL_ERROR;
  void* factor = nullptr;  // the library's own memory
  if (cudaMallocAsync(&factor, sizeof(double) * static_cast<std::size_t>(entries), handle->stream) != cudaSuccess)
    return CUSOLVER_STATUS_ALLOC_FAILED;
  const bool is_solved = enqueue(handle->stream, [=] {
                           solve_band(rows, entries, values, offsets, columns, b, tolerance, x, singular);
                         }) == cudaSuccess;
  cudaFreeAsync(factor, handle->stream);
  return is_solved && cudaStreamSynchronize(handle->stream) == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
                                                                           : CUSOLVER_STATUS_EXECUTION_FAILED;
}

void multiply(const cusparseSpMatDescr& A, const double* x, double* y) {
  const auto b = static_cast<std::size_t>(A.size), numbers = static_cast<std::size_t>(A.rows) * b;
  touch_range("cusparse", A.values, sizeof(double) * static_cast<std::size_t>(A.blocks) * b * b, Access::read);
  touch_range("cusparse", A.columns, sizeof(int) * static_cast<std::size_t>(A.blocks), Access::read);
  touch_range("cusparse", x, sizeof(double) * numbers, Access::read);
  touch_range("cusparse", y, sizeof(double) * numbers, Access::write);
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (int i = 0; i < A.size; ++i) {
      double sum = 0;
      for (int k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
        for (int j = 0; j < A.size; ++j)
          sum += A.values[(std::int64_t{k} * A.size + i) * A.size + j] * x[std::int64_t{A.columns[k]} * A.size + j];
      y[row * A.size + i] = sum;
    }
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

const char* cusparseGetErrorString(cusparseStatus_t) { return "an error of the emulated GPU"; }
cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  return *handle = new cusparseContext, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) { return delete handle, CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  return handle->stream = stream, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* description) {
  return *description = new cusparseMatDescr, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t description) {
  return delete description, CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* A, std::int64_t rows, std::int64_t columns,
                                   std::int64_t entries, void* offsets, void* column, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t column_type,
                                   cusparseIndexBase_t base, cudaDataType number) {
  if (rows != columns || offset_type != CUSPARSE_INDEX_32I || column_type != CUSPARSE_INDEX_32I ||
      base != CUSPARSE_INDEX_BASE_ZERO || number != CUDA_R_64F)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  *A = new cusparseSpMatDescr{
      rows, entries, 1, static_cast<int*>(offsets), static_cast<int*>(column), static_cast<double*>(values)};
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t* A, std::int64_t rows, std::int64_t columns,
                                   std::int64_t blocks, std::int64_t height, std::int64_t width, void* offsets,
                                   void* column, void* values, cusparseIndexType_t offset_type,
                                   cusparseIndexType_t column_type, cusparseIndexBase_t base, cudaDataType number,
                                   cusparseOrder_t order) {
  if (height != width || order != CUSPARSE_ORDER_ROW) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const cusparseStatus_t status =
      cusparseCreateCsr(A, rows, columns, blocks, offsets, column, values, offset_type, column_type, base, number);
  if (status == CUSPARSE_STATUS_SUCCESS) (*A)->size = static_cast<int>(height);
  return status;
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t A) { return delete A, CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t A, void* values) {
  return A->values = static_cast<double*>(values), CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* x, std::int64_t size, void* values, cudaDataType) {
  return *x = new cusparseDnVecDescr{size, static_cast<double*>(values)}, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t x) { return delete x, CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t x, void* values) {
  return x->values = static_cast<double*>(values), CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                         cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, std::size_t* bytes) {
  return *bytes = 64, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t, const void*,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void*) {
  return A->partitioned = true, CUSPARSE_STATUS_SUCCESS;
}
// The library itself also multiplies with what is not partitioned, only slower.
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t, const void* alpha,
                              cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType, cusparseSpMVAlg_t, void*) {
  if (handle->device != current_device() || !A->partitioned) return CUSPARSE_STATUS_INTERNAL_ERROR;
  if (A->size > 1 && std::getenv("RITZ_EMULATED_GPU_WITHOUT_BSR") != nullptr)
    return CUSPARSE_STATUS_NOT_SUPPORTED;  // as before CUDA 13
  if (*static_cast<const double*>(alpha) != 1 || *static_cast<const double*>(beta) != 0 ||
      x->size != A->rows * A->size || y->size != x->size)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  const cudaError_t status =
      enqueue(handle->stream, [A = *A, from = x->values, to = y->values] { multiply(A, from, to); });
  return status == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t* handle) {
  return *handle = new cusolverSpContext, CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle) { return delete handle, CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream) {
  return handle->stream = stream, CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDcsrlsvchol(cusolverSpHandle_t handle, int rows, int entries, const cusparseMatDescr_t,
                                       const double* values, const int* offsets, const int* columns, const double* b,
                                       double tolerance, int, double* x, int* singular) {
  return solve(handle, rows, entries, values, offsets, columns, b, tolerance * tolerance, x, singular);
}
cusolverStatus_t cusolverSpDcsrlsvqr(cusolverSpHandle_t handle, int rows, int entries, const cusparseMatDescr_t,
                                     const double* values, const int* offsets, const int* columns, const double* b,
                                     double tolerance, int, double* x, int* singular) {
  return solve(handle, rows, entries, values, offsets, columns, b, tolerance, x, singular);
}

#pragma GCC visibility pop
}
