// The GPU's direct solver: cuDSS 1.0 or later, NVIDIA's library for sparse direct solution. Factorises once.
#include "device/cuda_check.hpp"
#include "device/function_ref.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "solvers/direct/direct_factor_there.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <cudss.h>

static_assert(CUDSS_VERSION_MAJOR >= 1, "cuDSS 1.0 or later; without it (CUDSS_INCLUDE_DIR=) cuSOLVER does the work");

namespace ritz::cuda {
namespace {

void check(cudssStatus_t status, const char* what) {
  if (status == CUDSS_STATUS_SUCCESS) return;
  cudaGetLastError();  // the next launch must not see the library's error
  throw Error(status == CUDSS_STATUS_ALLOC_FAILED ? ErrorKind::device_memory : ErrorKind::environment,
              std::string(what) + " failed in cuDSS with status " + std::to_string(static_cast<int>(status)), {},
              status == CUDSS_STATUS_ALLOC_FAILED ? "use an iterative solver, a coarser mesh or order 1"
                                                  : "run 'ritz devices', or use an iterative solver");
}

cudssMatrixType_t type_of(DirectKind kind) {
  if (kind == DirectKind::positive_definite) return CUDSS_MTYPE_SPD;
  return kind == DirectKind::symmetric ? CUDSS_MTYPE_SYMMETRIC : CUDSS_MTYPE_GENERAL;
}

// A vector, as the library knows it.
struct Column {
  cudssMatrix_t matrix = nullptr;
  Column(Index rows, const double* values) {
    check(cudssMatrixCreateDn(&matrix, rows, 1, rows, values, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR),
          "describing a vector");
  }
  ~Column() { cudssMatrixDestroy(matrix); }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
};

struct Scaled {
  double* x;
  double factor;
  constexpr void operator()(Index i) const { x[i] *= factor; }
};

class CudssFactor final : public DirectFactorThere {
 public:
  // cuDSS computes its own ordering: analysis.elimination is not used.
  CudssFactor(const Device& device, ScalarRows A, double largest, const DirectAnalysis& analysis)
      : CudssFactor(device, analysis.kind) {
    const Index rows = A.rows();
    offsets_ = std::move(A.offsets);
    columns_ = std::move(A.columns);
    values_ = std::move(A.values);
    scale_values(largest);
    {
      const LaunchScope launch(device_, "cudss");  // on this GPU
      check(cudssCreate(&handle_), "starting");
    }
    check(cudssSetStream(handle_, stream_of(device)), "setting the stream");
    check(cudssConfigCreate(&config_), "starting");
    set(CUDSS_CONFIG_DETERMINISTIC_MODE, 1, "asking for the same bits in every run");
    check(cudssDataCreate(handle_, &data_), "starting");
    const cudssMatrixViewType_t triangle = kind_ == DirectKind::general ? CUDSS_MVIEW_FULL : CUDSS_MVIEW_LOWER;
    check(cudssMatrixCreateCsr(&matrix_, rows, rows, values_.size(), offsets_.data(), nullptr, columns_.data(),
                               values_.data(), CUDA_R_64I, CUDA_R_32I, CUDA_R_64F, type_of(kind_), triangle,
                               CUDSS_BASE_ZERO),
          "describing the matrix");
    execute(CUDSS_PHASE_ANALYSIS, nullptr, nullptr, "the analysis");
  }
  ~CudssFactor() override {
    choose();
    if (matrix_ != nullptr) cudssMatrixDestroy(matrix_);
    if (data_ != nullptr) cudssDataDestroy(handle_, data_);
    if (config_ != nullptr) cudssConfigDestroy(config_);
    if (handle_ != nullptr) cudssDestroy(handle_);
  }

  std::string name() const override { return kind_ == DirectKind::general ? "cuDSS, LU" : "cuDSS, LDL^T"; }

  void set_values_there(FunctionRef<void(Vector&)> write, double largest) override {
    write(values_);
    scale_values(largest);
  }

  // The factor is then that of another matrix (cuDSS, CUDSS_DATA_NPIVOTS).
  Index raised_pivots() const override { return kind_ == DirectKind::positive_definite ? 0 : raised_pivots_; }

  void factorise() override {
    execute(CUDSS_PHASE_FACTORIZATION, nullptr, nullptr, "the factorisation");
    require_regular();
    raised_pivots_ = counts<1>(CUDSS_DATA_NPIVOTS).value_or(std::array<Index, 1>{})[0];
  }

  // Column by column: the deterministic mode takes one right-hand side (cuDSS, CUDSS_CONFIG_DETERMINISTIC_MODE).
  void solve(const Vector& B, Vector& X, int columns) override {
    const Index rows = offsets_.size() - 1;
    for (int column = 0; column < columns; ++column) {
      const Column right(rows, B.data() + column * rows), left(rows, X.data() + column * rows);
      execute(CUDSS_PHASE_SOLVE, left.matrix, right.matrix, "the solution");
    }
    for_each(device_, "scale", rows * columns, Scaled{X.data(), scale_});
  }

  // The library counts those of symmetric factors; a positive definite one has none.
  Index negative_pivots() const override {
    if (kind_ != DirectKind::symmetric) return kind_ == DirectKind::positive_definite ? 0 : -1;
    const auto positive_and_negative = counts<2>(CUDSS_DATA_INERTIA);
    return positive_and_negative ? (*positive_and_negative)[1] : -1;
  }

  Index memory_needed() const override { return estimate(1); }  // the peak on the device
  Index memory_used() const override { return estimate(0); }    // stays on the device

 private:
  // The constructor above continues from here: if it fails, the destructor frees what this one has made.
  CudssFactor(const Device& device, DirectKind kind) : device_(device), kind_(kind) {
    device.memory().trim();  // cuDSS takes memory past our pool
  }
  void set(cudssConfigParam_t parameter, int value, const char* what) {
    check(cudssConfigSet(config_, parameter, &value, sizeof value), what);
  }
  // The library's calls belong to the GPU of their handle, and the thread may have chosen another one since.
  void choose() const { cudaSetDevice(device_.info().ordinal); }
  void execute(int phase, cudssMatrix_t x, cudssMatrix_t b, const char* what) {
    const LaunchScope launch(device_, "cudss");
    check(cudssExecute(handle_, phase, config_, data_, matrix_, x, b), what);
  }

  // The mark of a pivot that is not positive stays until it is taken away (cuDSS, CUDSS_DATA_INFO): a later
  // factorisation with other values must not find it.
  void require_regular() {
    choose();
    int row = 0;  // one-based; 0: none
    std::size_t written = 0;
    check(cudssDataGet(handle_, data_, CUDSS_DATA_INFO, &row, sizeof row, &written), "asking for pivots");
    if (row == 0) return;
    constexpr int none = 0;
    cudssDataSet(handle_, data_, CUDSS_DATA_INFO, &none, sizeof none);
    throw Error(ErrorKind::singular_matrix,
                "the matrix is singular or not positive definite: met at row " + std::to_string(row - 1) +
                    " of its reordered form",
                "some part of the model can move, or has no stiffness", "add supports, and check material data");
  }

  // The library's documentation gives counts the type of the matrix's indices, which has two here: it says itself.
  template <std::size_t K>
  std::optional<std::array<Index, K>> counts(cudssDataParam_t parameter) const {
    choose();
    std::size_t bytes = 0;
    std::array<std::int32_t, K> narrow{};
    std::array<Index, K> wide{};
    if (cudssDataGet(handle_, data_, parameter, nullptr, 0, &bytes) != CUDSS_STATUS_SUCCESS) return std::nullopt;
    if (bytes != sizeof wide && bytes != sizeof narrow) return std::nullopt;
    void* const target = bytes == sizeof wide ? static_cast<void*>(wide.data()) : narrow.data();
    if (cudssDataGet(handle_, data_, parameter, target, bytes, &bytes) != CUDSS_STATUS_SUCCESS) return std::nullopt;
    if (target == narrow.data()) std::copy(narrow.begin(), narrow.end(), wide.begin());
    return wide;
  }

  // cuDSS raises pivots below a bound that knows no unit (CUDSS_CONFIG_PIVOT_EPSILON): it gets a matrix whose largest
  // entry is between 1 and 2. A power of two changes no digit.
  void scale_values(double largest) {
    scale_ = largest > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000)) : 1;
    for_each(device_, "scale", values_.size(), Scaled{values_.data(), scale_});
  }

  Index estimate(int which) const {
    choose();
    Index estimates[16] = {};
    std::size_t written = 0;
    return cudssDataGet(handle_, data_, CUDSS_DATA_MEMORY_ESTIMATES, estimates, sizeof estimates, &written) ==
                   CUDSS_STATUS_SUCCESS
               ? estimates[which]
               : 0;
  }

  Device device_;
  DirectKind kind_;
  Array<Index> offsets_;
  Array<std::int32_t> columns_;
  Vector values_;
  Index raised_pivots_ = 0;
  double scale_ = 1;  // of the factorised matrix
  cudssHandle_t handle_ = nullptr;
  cudssConfig_t config_ = nullptr;
  cudssData_t data_ = nullptr;
  cudssMatrix_t matrix_ = nullptr;
};

DirectFactorThere* analyse(const Device& device, ScalarRows A, double largest, const DirectAnalysis& analysis) {
  return new CudssFactor(device, std::move(A), largest, analysis);
}

void check_entries(Index) {}  // offsets have 64 bits

const DirectFactoryThere table{check_entries, analyse};
const Registration registration("direct", &table);

}  // namespace
}  // namespace ritz::cuda
