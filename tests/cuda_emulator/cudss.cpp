// cuDSS 1.0 on the emulated GPU: the functions that Ritz calls, for small matrices, with band factors in natural order.
// It is as strict as the library's documentation allows. Phases come in their order. Symmetric matrices are
// factorised without exchanging rows, and a pivot below 1e-13 is raised to that and counted. With the deterministic
// mode only one right-hand side at a time is solved for, without it no two solutions have the same bits. Memory is
// that of the device.
#include "tests/cuda_emulator/memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cudss.h>
#include <string>
#include <vector>

using namespace ritz::emulator;

static_assert(CUDSS_VERSION_MAJOR == 1 && sizeof(cudssDeviceMemHandler_t) == 3 * sizeof(void*) + 64);
// The library's own values, as the header of the emulated GPU must have them.
static_assert(CUDSS_STATUS_SUCCESS == 0 && CUDSS_STATUS_NOT_INITIALIZED == 1 && CUDSS_STATUS_ALLOC_FAILED == 2 &&
              CUDSS_STATUS_INVALID_VALUE == 3 && CUDSS_STATUS_NOT_SUPPORTED == 4 && CUDSS_STATUS_EXECUTION_FAILED == 5);
static_assert(CUDSS_PHASE_ANALYSIS == 3 && CUDSS_PHASE_FACTORIZATION == 4 && CUDSS_PHASE_SOLVE == 1008);
static_assert(CUDSS_CONFIG_DETERMINISTIC_MODE == 24 && CUDSS_DATA_INFO == 0 && CUDSS_DATA_NPIVOTS == 2 &&
              CUDSS_DATA_INERTIA == 3 && CUDSS_DATA_MEMORY_ESTIMATES == 13);
static_assert(CUDSS_MTYPE_GENERAL == 0 && CUDSS_MTYPE_SYMMETRIC == 1 && CUDSS_MTYPE_SPD == 3 && CUDSS_MVIEW_FULL == 0 &&
              CUDSS_MVIEW_LOWER == 1 && CUDSS_MVIEW_UPPER == 2 && CUDSS_BASE_ZERO == 0 && CUDSS_BASE_ONE == 1 &&
              CUDSS_LAYOUT_COL_MAJOR == 0 && CUDSS_LAYOUT_ROW_MAJOR == 1);

// LAPACK: factors of a general band matrix, and solution with them.
extern "C" void dgbtrf_(const int* rows, const int* columns, const int* below, const int* above, double* band,
                        const int* band_rows, int* exchanged, int* status);
extern "C" void dgbtrs_(const char* form, const int* rows, const int* below, const int* above, const int* columns,
                        const double* band, const int* band_rows, const int* exchanged, double* b, const int* b_rows,
                        int* status);

struct cudssContext {
  int device = current_device();
  cudaStream_t stream = nullptr;
  cudssDeviceMemHandler_t memory{};
  int data_objects = 0;  // that are not destroyed
};
struct cudssConfig {
  int deterministic = 0;
};
struct cudssMatrix {
  bool is_dense = true;
  std::int64_t rows = 0, columns = 0, leading = 0, entries = 0;
  const double* values = nullptr;
  const std::int64_t* offsets = nullptr;
  const int* column_indices = nullptr;
  cudssMatrixType_t type = CUDSS_MTYPE_GENERAL;
  cudssMatrixViewType_t view = CUDSS_MVIEW_FULL;
};

namespace {

struct DeviceArray {
  void* data = nullptr;
  std::size_t bytes = 0;
};
enum class Stage { created, analysed, factorised };

}  // namespace

struct cudssData {
  Stage stage = Stage::created;
  cudssMatrixType_t type = CUDSS_MTYPE_GENERAL;
  std::vector<std::int64_t> offsets;  // of the analysed matrix
  std::vector<int> column_indices;
  int rows = 0, band = 0;        // entries beside the diagonal, on either side
  DeviceArray symbolic, factor;  // symbolic: memory that the library keeps for its own lists
  std::vector<int> exchanged;    // rows, of a general factor
  int info = 0, raised = 0;
  std::array<int, 2> inertia{};  // positive, negative
  int band_rows() const { return type == CUDSS_MTYPE_GENERAL ? 3 * band + 1 : band + 1; }
};

namespace {

constexpr double smallest_pivot = 1e-13;
constexpr const char* self = "cudss";

// ---- factors ----

double raised(double pivot, int& count) {
  if (std::abs(pivot) >= smallest_pivot) return pivot;
  ++count;
  return std::copysign(smallest_pivot, pivot);
}

// L D L^T without exchanges: row i of `factor` has the entries of columns i - band to i, D in the last place.
void factorise_symmetric(cudssData& d, double* factor) {
  const std::ptrdiff_t band = d.band, width = band + 1;
  const bool is_definite = d.type == CUDSS_MTYPE_SPD;
  for (std::ptrdiff_t i = 0; i < d.rows; ++i) {
    double* const row = factor + i * width - (i - band);  // row[j]: entry of column j
    const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, i - band);
    for (std::ptrdiff_t j = first; j < i; ++j) {
      const double* const other = factor + j * width - (j - band);
      for (std::ptrdiff_t k = first; k < j; ++k) row[j] -= row[k] * other[k];
    }
    for (std::ptrdiff_t j = first; j < i; ++j) {
      const double scaled = row[j] / factor[j * width + band];
      row[i] -= row[j] * scaled;
      row[j] = scaled;
    }
    if (is_definite && !(row[i] > 0) && d.info == 0) d.info = static_cast<int>(i) + 1;
    if (!is_definite) row[i] = raised(row[i], d.raised);
    if (!is_definite) ++d.inertia[row[i] < 0 ? 1 : 0];
  }
}

void solve_symmetric(const cudssData& d, const double* factor, double* x) {
  const std::ptrdiff_t band = d.band, width = band + 1;
  for (std::ptrdiff_t i = 0; i < d.rows; ++i)
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, i - band); j < i; ++j)
      x[i] -= factor[i * width + j - i + band] * x[j];
  for (std::ptrdiff_t i = 0; i < d.rows; ++i) x[i] /= factor[i * width + band];
  for (std::ptrdiff_t i = d.rows - 1; i >= 0; --i)
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, i - band); j < i; ++j)
      x[j] -= factor[i * width + j - i + band] * x[i];
}

void factorise_general(cudssData& d, double* factor) {
  d.exchanged.resize(static_cast<std::size_t>(d.rows));
  const int height = d.band_rows();
  int status = 0;
  dgbtrf_(&d.rows, &d.rows, &d.band, &d.band, factor, &height, d.exchanged.data(), &status);
  for (std::ptrdiff_t i = 0; i < d.rows; ++i) {
    double& pivot = factor[i * height + 2 * d.band];
    pivot = raised(pivot, d.raised);
  }
}

// Place of an entry among those of the factor; nullptr: in the triangle that is not looked at.
double* place(const cudssData& d, const cudssMatrix& A, double* factor, std::ptrdiff_t row, std::ptrdiff_t column) {
  if (d.type == CUDSS_MTYPE_GENERAL) return factor + column * d.band_rows() + 2 * d.band + row - column;
  if (A.view == CUDSS_MVIEW_UPPER) std::swap(row, column);
  return row < column ? nullptr : factor + row * d.band_rows() + column - row + d.band;
}

bool is_analysed_pattern(const cudssData& d, const cudssMatrix& A) {
  return std::equal(d.offsets.begin(), d.offsets.end(), A.offsets) &&
         std::equal(d.column_indices.begin(), d.column_indices.end(), A.column_indices);
}

void read_matrix(const cudssMatrix& A) {
  touch_range(self, A.offsets, sizeof(std::int64_t) * static_cast<std::size_t>(A.rows + 1), Access::read);
  touch_range(self, A.column_indices, sizeof(int) * static_cast<std::size_t>(A.entries), Access::read);
  touch_range(self, A.values, sizeof(double) * static_cast<std::size_t>(A.entries), Access::read);
}

void factorise(cudssData& d, const cudssMatrix& A) {
  read_matrix(A);
  touch_range(self, d.factor.data, d.factor.bytes, Access::write);
  if (!is_analysed_pattern(d, A)) return report(self, "the pattern is not the one that was analysed");
  auto* const factor = static_cast<double*>(d.factor.data);
  std::fill_n(factor, d.factor.bytes / sizeof(double), 0.0);
  for (std::ptrdiff_t i = 0; i < d.rows; ++i)
    for (std::int64_t k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      if (double* const entry = place(d, A, factor, i, A.column_indices[k])) *entry += A.values[k];
  d.raised = 0;
  d.inertia = {};
  d.type == CUDSS_MTYPE_GENERAL ? factorise_general(d, factor) : factorise_symmetric(d, factor);
}

void solve(const cudssData& d, const cudssMatrix& B, const cudssMatrix& X, bool is_deterministic) {
  static int solutions = 0;
  const auto rows = static_cast<std::size_t>(d.rows);
  touch_range(self, d.factor.data, d.factor.bytes, Access::read);
  for (std::int64_t column = 0; column < B.columns; ++column) {
    const double* const b = B.values + column * B.leading;
    auto* const x = const_cast<double*>(X.values) + column * X.leading;
    touch_range(self, b, sizeof(double) * rows, Access::read);
    touch_range(self, x, sizeof(double) * rows, Access::write);
    std::copy_n(b, rows, x);
    if (d.type == CUDSS_MTYPE_GENERAL) {
      const int height = d.band_rows(), one = 1;
      int status = 0;
      dgbtrs_("N", &d.rows, &d.band, &d.band, &one, static_cast<const double*>(d.factor.data), &height,
              d.exchanged.data(), x, &d.rows, &status);
    } else solve_symmetric(d, static_cast<const double*>(d.factor.data), x);
    if (!is_deterministic)
      for (std::size_t i = 0; i < rows; ++i) x[i] *= 1 + 0x1p-52 * (solutions % 7);
    ++solutions;
  }
}

// ---- memory, through the handler that was set ----

bool take(cudssHandle_t handle, DeviceArray& array, std::size_t bytes) {
  const bool taken = handle->memory.device_alloc != nullptr
                         ? handle->memory.device_alloc(handle->memory.ctx, &array.data, bytes, handle->stream) == 0
                         : cudaMallocAsync(&array.data, bytes, handle->stream) == cudaSuccess;
  cudaGetLastError();
  array.bytes = taken ? bytes : 0;
  if (!taken) array.data = nullptr;
  return taken;
}

void give_back(cudssHandle_t handle, DeviceArray& array) {
  if (array.data == nullptr) return;
  handle->memory.device_free != nullptr
      ? handle->memory.device_free(handle->memory.ctx, array.data, array.bytes, handle->stream)
      : static_cast<int>(cudaFreeAsync(array.data, handle->stream));
  array = {};
}

std::size_t symbolic_bytes(const cudssData& d) { return sizeof(std::int64_t) * static_cast<std::size_t>(d.rows); }
std::size_t factor_bytes(const cudssData& d) {
  return sizeof(double) * static_cast<std::size_t>(d.rows) * static_cast<std::size_t>(d.band_rows());
}
// Taken while a factorisation runs.
std::size_t work_bytes(const cudssData& d) { return 8 * sizeof(double) * static_cast<std::size_t>(d.rows); }

// ---- phases ----

// A handle belongs to the GPU that it was made on. An error that the program has left pending is returned.
cudssStatus_t entered(cudssHandle_t handle) {
  if (handle == nullptr) return CUDSS_STATUS_INVALID_VALUE;
  if (handle->device != current_device()) report(self, "a handle is used while another GPU is the current one");
  return cudaGetLastError() == cudaSuccess ? CUDSS_STATUS_SUCCESS : CUDSS_STATUS_EXECUTION_FAILED;
}

cudssStatus_t waited(cudssHandle_t handle) {
  return cudaStreamSynchronize(handle->stream) == cudaSuccess ? CUDSS_STATUS_SUCCESS : CUDSS_STATUS_EXECUTION_FAILED;
}

cudssStatus_t enqueued(cudssHandle_t handle, Work work) {
  return enqueue(handle->stream, std::move(work)) == cudaSuccess ? CUDSS_STATUS_SUCCESS : CUDSS_STATUS_EXECUTION_FAILED;
}

// The library orders on the host, so it waits.
cudssStatus_t analyse(cudssHandle_t handle, cudssData& d, const cudssMatrix& A) {
  const Work read = [&d, &A] {
    read_matrix(A);
    d.offsets.assign(A.offsets, A.offsets + A.rows + 1);
    d.column_indices.assign(A.column_indices, A.column_indices + A.entries);
    d.band = 0;
    for (std::int64_t i = 0; i < A.rows; ++i)
      for (std::int64_t k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
        d.band = std::max(d.band, static_cast<int>(std::abs(A.column_indices[k] - i)));
  };
  d.type = A.type;
  d.rows = static_cast<int>(A.rows);
  if (enqueued(handle, read) != CUDSS_STATUS_SUCCESS || waited(handle) != CUDSS_STATUS_SUCCESS)
    return CUDSS_STATUS_EXECUTION_FAILED;
  give_back(handle, d.symbolic);
  give_back(handle, d.factor);
  if (!take(handle, d.symbolic, symbolic_bytes(d))) return CUDSS_STATUS_ALLOC_FAILED;
  d.stage = Stage::analysed;
  return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t factorise(cudssHandle_t handle, cudssData& d, const cudssMatrix& A) {
  if (d.stage == Stage::created || A.rows != d.rows || A.type != d.type ||
      A.entries != static_cast<std::int64_t>(d.column_indices.size()))
    return CUDSS_STATUS_INVALID_VALUE;
  DeviceArray work;
  if (d.factor.data == nullptr && !take(handle, d.factor, factor_bytes(d))) return CUDSS_STATUS_ALLOC_FAILED;
  if (!take(handle, work, work_bytes(d))) return CUDSS_STATUS_ALLOC_FAILED;
  const cudssStatus_t status = enqueued(handle, [&d, A] { factorise(d, A); });
  give_back(handle, work);
  if (status == CUDSS_STATUS_SUCCESS) d.stage = Stage::factorised;
  return status;
}

cudssStatus_t solve(cudssHandle_t handle, const cudssConfig& config, cudssData& d, const cudssMatrix* X,
                    const cudssMatrix* B) {
  if (d.stage != Stage::factorised || X == nullptr || B == nullptr) return CUDSS_STATUS_INVALID_VALUE;
  for (const cudssMatrix* m : {X, B})
    if (!m->is_dense || m->values == nullptr || m->rows != d.rows || m->leading < m->rows || m->columns != B->columns)
      return CUDSS_STATUS_INVALID_VALUE;
  if (config.deterministic != 0 && B->columns != 1) return CUDSS_STATUS_NOT_SUPPORTED;
  return enqueued(handle, [&d, b = *B, x = *X, repeats = config.deterministic != 0] { solve(d, b, x, repeats); });
}

// Asked with 0 bytes, the library tells how many there are; otherwise it wants that many.
cudssStatus_t tell(const void* answer, std::size_t size, void* value, std::size_t bytes, std::size_t* written) {
  if (bytes != 0 && (value == nullptr || bytes != size)) return CUDSS_STATUS_INVALID_VALUE;
  if (bytes != 0) std::memcpy(value, answer, size);
  if (written != nullptr) *written = size;
  return CUDSS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

cudssStatus_t cudssCreate(cudssHandle_t* handle) { return *handle = new cudssContext, CUDSS_STATUS_SUCCESS; }
cudssStatus_t cudssDestroy(cudssHandle_t handle) {
  const cudssStatus_t status = entered(handle);
  if (handle != nullptr && handle->data_objects != 0) report(self, "a handle is destroyed before its data");
  return delete handle, status;
}
cudssStatus_t cudssSetStream(cudssHandle_t handle, cudaStream_t stream) {
  if (const cudssStatus_t status = entered(handle); status != CUDSS_STATUS_SUCCESS) return status;
  return handle->stream = stream, CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssSetDeviceMemHandler(cudssHandle_t handle, const cudssDeviceMemHandler_t* handler) {
  if (const cudssStatus_t status = entered(handle); status != CUDSS_STATUS_SUCCESS) return status;
  return handle->memory = handler != nullptr ? *handler : cudssDeviceMemHandler_t{}, CUDSS_STATUS_SUCCESS;
}

cudssStatus_t cudssConfigCreate(cudssConfig_t* config) { return *config = new cudssConfig, CUDSS_STATUS_SUCCESS; }
cudssStatus_t cudssConfigDestroy(cudssConfig_t config) { return delete config, CUDSS_STATUS_SUCCESS; }
cudssStatus_t cudssConfigSet(cudssConfig_t config, cudssConfigParam_t parameter, const void* value, std::size_t bytes) {
  if (config == nullptr || value == nullptr) return CUDSS_STATUS_INVALID_VALUE;
  if (parameter != CUDSS_CONFIG_DETERMINISTIC_MODE) return CUDSS_STATUS_NOT_SUPPORTED;
  if (bytes != sizeof config->deterministic) return CUDSS_STATUS_INVALID_VALUE;
  std::memcpy(&config->deterministic, value, bytes);
  return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t cudssDataCreate(cudssHandle_t handle, cudssData_t* data) {
  if (const cudssStatus_t status = entered(handle); status != CUDSS_STATUS_SUCCESS) return status;
  ++handle->data_objects;
  return *data = new cudssData, CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssDataDestroy(cudssHandle_t handle, cudssData_t data) {
  const cudssStatus_t status = entered(handle);
  if (handle == nullptr || data == nullptr) return CUDSS_STATUS_INVALID_VALUE;
  waited(handle);
  give_back(handle, data->symbolic);
  give_back(handle, data->factor);
  --handle->data_objects;
  return delete data, status;
}
cudssStatus_t cudssDataSet(cudssHandle_t handle, cudssData_t data, cudssDataParam_t parameter, const void* value,
                           std::size_t bytes) {
  if (const cudssStatus_t status = entered(handle); status != CUDSS_STATUS_SUCCESS) return status;
  if (data->stage == Stage::created) return CUDSS_STATUS_NOT_INITIALIZED;
  if (parameter != CUDSS_DATA_INFO) return CUDSS_STATUS_NOT_SUPPORTED;
  if (value == nullptr || bytes != sizeof data->info) return CUDSS_STATUS_INVALID_VALUE;
  if (waited(handle) != CUDSS_STATUS_SUCCESS) return CUDSS_STATUS_EXECUTION_FAILED;
  std::memcpy(&data->info, value, bytes);
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssDataGet(cudssHandle_t handle, cudssData_t data, cudssDataParam_t parameter, void* value,
                           std::size_t bytes, std::size_t* written) {
  if (const cudssStatus_t status = entered(handle); status != CUDSS_STATUS_SUCCESS) return status;
  if (data->stage == Stage::created) return CUDSS_STATUS_NOT_INITIALIZED;
  if (waited(handle) != CUDSS_STATUS_SUCCESS) return CUDSS_STATUS_EXECUTION_FAILED;
  const cudssData& d = *data;
  if (parameter == CUDSS_DATA_INFO) return tell(&d.info, sizeof d.info, value, bytes, written);
  if (parameter == CUDSS_DATA_MEMORY_ESTIMATES) {
    const auto kept = static_cast<std::int64_t>(symbolic_bytes(d) + factor_bytes(d));
    const std::array<std::int64_t, 16> estimates{kept, kept + static_cast<std::int64_t>(work_bytes(d))};
    return tell(estimates.data(), sizeof estimates, value, bytes, written);
  }
  if (d.stage != Stage::factorised && bytes != 0) return CUDSS_STATUS_INVALID_VALUE;
  if (parameter == CUDSS_DATA_NPIVOTS) return tell(&d.raised, sizeof d.raised, value, bytes, written);
  if (parameter == CUDSS_DATA_INERTIA) return tell(d.inertia.data(), sizeof d.inertia, value, bytes, written);
  return CUDSS_STATUS_NOT_SUPPORTED;
}

cudssStatus_t cudssMatrixCreateDn(cudssMatrix_t* matrix, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                                  const void* values, cudaDataType_t number, cudssLayout_t layout) {
  if (rows < 0 || columns < 0) return CUDSS_STATUS_INVALID_VALUE;
  if (number != CUDA_R_64F || layout != CUDSS_LAYOUT_COL_MAJOR) return CUDSS_STATUS_NOT_SUPPORTED;
  *matrix = new cudssMatrix{
      .rows = rows, .columns = columns, .leading = leading, .values = static_cast<const double*>(values)};
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssMatrixCreateCsr(cudssMatrix_t* matrix, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                                   const void* row_starts, const void* row_ends, const void* column_indices,
                                   const void* values, cudaDataType_t offset_type, cudaDataType_t index_type,
                                   cudaDataType_t number, cudssMatrixType_t type, cudssMatrixViewType_t view,
                                   cudssIndexBase_t base) {
  const bool has_integers = (offset_type == CUDA_R_32I || offset_type == CUDA_R_64I) &&
                            (index_type == CUDA_R_32I || index_type == offset_type);
  if (rows < 0 || rows != columns || entries < 0 || !has_integers ||
      (type == CUDSS_MTYPE_GENERAL && view != CUDSS_MVIEW_FULL))
    return CUDSS_STATUS_INVALID_VALUE;
  if (offset_type != CUDA_R_64I || index_type != CUDA_R_32I || number != CUDA_R_64F || base != CUDSS_BASE_ZERO ||
      row_ends != nullptr || (type != CUDSS_MTYPE_GENERAL && type != CUDSS_MTYPE_SYMMETRIC && type != CUDSS_MTYPE_SPD))
    return CUDSS_STATUS_NOT_SUPPORTED;
  *matrix = new cudssMatrix{.is_dense = false,
                            .rows = rows,
                            .columns = columns,
                            .entries = entries,
                            .values = static_cast<const double*>(values),
                            .offsets = static_cast<const std::int64_t*>(row_starts),
                            .column_indices = static_cast<const int*>(column_indices),
                            .type = type,
                            .view = view};
  return CUDSS_STATUS_SUCCESS;
}
cudssStatus_t cudssMatrixDestroy(cudssMatrix_t matrix) { return delete matrix, CUDSS_STATUS_SUCCESS; }

cudssStatus_t cudssExecute(cudssHandle_t handle, int phase, cudssConfig_t config, cudssData_t data,
                           cudssMatrix_t matrix, cudssMatrix_t solution, cudssMatrix_t right_hand_side) {
  if (const cudssStatus_t status = entered(handle); status != CUDSS_STATUS_SUCCESS) return status;
  if (config == nullptr || data == nullptr || matrix == nullptr) return CUDSS_STATUS_INVALID_VALUE;
  if (matrix->is_dense) return CUDSS_STATUS_NOT_SUPPORTED;
  if (handle->stream == nullptr) report(self, "no stream is set: the default stream does not wait for others");
  switch (phase) {
    case CUDSS_PHASE_ANALYSIS: return analyse(handle, *data, *matrix);
    case CUDSS_PHASE_FACTORIZATION: return factorise(handle, *data, *matrix);
    case CUDSS_PHASE_SOLVE: return solve(handle, *config, *data, solution, right_hand_side);
    default: return CUDSS_STATUS_NOT_SUPPORTED;
  }
}

#pragma GCC visibility pop
}
