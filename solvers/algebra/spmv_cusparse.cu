// y = A x by cuSPARSE, for CSR and for blocks (BSR): a choice (SparseMatrix::use_vendor_product), not the default, as
// products of blocks promise no bits. cuSPARSE wants offsets and columns of one type: offsets
// are copied to 32 bits where they fit, else prepare() declines and the kernel of our own does the work; also where the
// library has no product of blocks: that came with CUDA 13, some time between 13.0 and 13.1 (what others report
// differs), and a 12.x of the same name may be loaded.
#include "device/cuda_check.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "solvers/algebra/matrix_kernels.hpp"

#include <cusparse.h>
#include <limits>

namespace ritz::cuda {
namespace {

void check(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  cudaGetLastError();  // the next launch must not see the library's error
  const bool memory = status == CUSPARSE_STATUS_ALLOC_FAILED || status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
  throw Error(memory ? ErrorKind::device_memory : ErrorKind::environment,
              std::string(what) + " failed in cuSPARSE: " + cusparseGetErrorString(status), {},
              "run 'ritz devices' to see what this machine offers, or use --device cpu");
}

struct Narrow {
  const Index* from;
  std::int32_t* to;
  constexpr void operator()(Index i) const { to[i] = static_cast<std::int32_t>(from[i]); }
};

#if CUDART_VERSION >= 13000
constexpr cusparseSpMVAlg_t block_algorithm = CUSPARSE_SPMV_BSR_ALG1;
#else
constexpr cusparseSpMVAlg_t block_algorithm = CUSPARSE_SPMV_ALG_DEFAULT;
#endif

class Product {
 public:
  Product(const Device& device, const MatrixView& A)
      : device_(device), offsets_(device, A.rows + 1, "pattern"), values_(A.values) {
    for_each(device, "narrow offsets", A.rows + 1, Narrow{A.offsets, offsets_.data()});
  }
  ~Product() {
    if (matrix_ != nullptr) cusparseDestroySpMat(matrix_);
    if (x_ != nullptr) cusparseDestroyDnVec(x_);
    if (y_ != nullptr) cusparseDestroyDnVec(y_);
    if (handle_ != nullptr) cusparseDestroy(handle_);
  }
  Product(const Product&) = delete;

  // false: this matrix is not supported
  bool describe(const MatrixView& A) {
    if (cusparseCreate(&handle_) != CUSPARSE_STATUS_SUCCESS) return false;
    check(cusparseSetStream(handle_, stream_of(device_)), "setting the stream");
    void* offsets = offsets_.data();
    void* columns = const_cast<std::int32_t*>(A.columns);
    void* values = const_cast<double*>(A.values);
    const Index b = A.block_size;
    const cusparseStatus_t status =
        b == 1 ? cusparseCreateCsr(&matrix_, A.rows, A.rows, A.nonzeros, offsets, columns, values, CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F)
               : cusparseCreateBsr(&matrix_, A.rows, A.rows, A.nonzeros, b, b, offsets, columns, values,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F,
                                   CUSPARSE_ORDER_ROW);
    if (status != CUSPARSE_STATUS_SUCCESS) return false;
    // CSR_ALG2 is the one that promises the same bits in every run.
    algorithm_ = b == 1 ? CUSPARSE_SPMV_CSR_ALG2 : block_algorithm;
    // Any valid address serves to make the vectors; multiply() sets the real ones.
    check(cusparseCreateDnVec(&x_, A.rows * b, values, CUDA_R_64F), "describing a vector");
    check(cusparseCreateDnVec(&y_, A.rows * b, values, CUDA_R_64F), "describing a vector");
    std::size_t bytes = 0;
    if (cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_, CUDA_R_64F,
                                algorithm_, &bytes) != CUSPARSE_STATUS_SUCCESS)
      return false;
    buffer_ = Array<std::uint8_t>(device_, static_cast<Index>(bytes), "matrix");
    // Partitions the rows once and not in every product; values may change afterwards. Where the library refuses, every
    // product does it.
    if (cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_, CUDA_R_64F,
                                algorithm_, buffer_.data()) != CUSPARSE_STATUS_SUCCESS)
      cudaGetLastError();  // as above
    return true;
  }

  bool multiply(const MatrixView& A, const double* x, double* y) {
    const LaunchScope launch(device_, "cusparse spmv");
    if (A.values != values_) check(cusparseSpMatSetValues(matrix_, const_cast<double*>(A.values)), "setting values");
    values_ = A.values;
    check(cusparseDnVecSetValues(x_, const_cast<double*>(x)), "setting a vector");
    check(cusparseDnVecSetValues(y_, y), "setting a vector");
    const cusparseStatus_t status = cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_,
                                                 y_, CUDA_R_64F, algorithm_, buffer_.data());
    if (status == CUSPARSE_STATUS_NOT_SUPPORTED || status == CUSPARSE_STATUS_ARCH_MISMATCH ||
        status == CUSPARSE_STATUS_INVALID_VALUE) {
      cudaGetLastError();  // as above
      return false;
    }
    check(status, "a matrix-vector product");
    return true;
  }

 private:
  static constexpr double one_ = 1, zero_ = 0;
  Device device_;
  Array<std::int32_t> offsets_;
  Array<std::uint8_t> buffer_;
  const double* values_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  cusparseSpMVAlg_t algorithm_ = CUSPARSE_SPMV_ALG_DEFAULT;
};

void* prepare(const Device& device, const MatrixView& A) {
  const Index largest = std::numeric_limits<std::int32_t>::max();
  const int b = A.block_size;
  // One row: CSR_ALG2 of this version is said to have had faults there (NVIDIA/cuopt, cusparse_view.cu), and there is
  // nothing to gain.
  if (A.rows <= 1 || A.nonzeros == 0 || A.nonzeros * b * b > largest || A.rows * b > largest) return nullptr;
  try {
    auto product = std::make_unique<Product>(device, A);
    if (product->describe(A)) return product.release();
  } catch (const Error& error) {  // short of memory: our own kernel takes none
    if (error.exit() != Exit::resources) throw;
  }
  cudaGetLastError();  // as above
  return nullptr;
}

bool multiply(void* prepared, const MatrixView& A, const double* x, double* y) {
  return static_cast<Product*>(prepared)->multiply(A, x, y);
}

void release(void* prepared) { delete static_cast<Product*>(prepared); }

const VendorProduct table{prepare, multiply, release};
const Registration registration("vendor product", &table);

}  // namespace
}  // namespace ritz::cuda
