// Declarations of cuDSS 1.0, those that Ritz and its tests use, for the emulated GPU: cudss.cpp implements them. The
// tests cuda.cudss_declarations and cuda.cudss_module compare them with NVIDIA's header where it is installed.
// Source: cuDSS 1.0 documentation, "cuDSS Functions" and "cuDSS Data Types".
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <library_types.h>

#define CUDSS_VERSION_MAJOR 1

extern "C" {

using cudssHandle_t = struct cudssContext*;
using cudssConfig_t = struct cudssConfig*;
using cudssData_t = struct cudssData*;
using cudssMatrix_t = struct cudssMatrix*;

enum cudssStatus_t {
  CUDSS_STATUS_SUCCESS = 0,
  CUDSS_STATUS_NOT_INITIALIZED = 1,
  CUDSS_STATUS_ALLOC_FAILED = 2,
  CUDSS_STATUS_INVALID_VALUE = 3,
  CUDSS_STATUS_NOT_SUPPORTED = 4,
  CUDSS_STATUS_EXECUTION_FAILED = 5,
};
enum cudssPhase_t {  // bits
  CUDSS_PHASE_ANALYSIS = 3,
  CUDSS_PHASE_FACTORIZATION = 4,
  CUDSS_PHASE_SOLVE = 1008,
};
enum cudssConfigParam_t { CUDSS_CONFIG_DETERMINISTIC_MODE = 24 };
enum cudssDataParam_t {
  CUDSS_DATA_INFO = 0,
  CUDSS_DATA_NPIVOTS = 2,
  CUDSS_DATA_INERTIA = 3,
  CUDSS_DATA_MEMORY_ESTIMATES = 13,
};
enum cudssMatrixType_t { CUDSS_MTYPE_GENERAL = 0, CUDSS_MTYPE_SYMMETRIC = 1, CUDSS_MTYPE_SPD = 3 };
enum cudssMatrixViewType_t { CUDSS_MVIEW_FULL = 0, CUDSS_MVIEW_LOWER = 1, CUDSS_MVIEW_UPPER = 2 };
enum cudssIndexBase_t { CUDSS_BASE_ZERO = 0, CUDSS_BASE_ONE = 1 };
enum cudssLayout_t { CUDSS_LAYOUT_COL_MAJOR = 0, CUDSS_LAYOUT_ROW_MAJOR = 1 };

struct cudssDeviceMemHandler_t {
  void* ctx;
  int (*device_alloc)(void* ctx, void** memory, std::size_t bytes, cudaStream_t stream);  // 0: done
  int (*device_free)(void* ctx, void* memory, std::size_t bytes, cudaStream_t stream);
  char name[64];
};

cudssStatus_t cudssCreate(cudssHandle_t* handle);
cudssStatus_t cudssDestroy(cudssHandle_t handle);
cudssStatus_t cudssSetStream(cudssHandle_t handle, cudaStream_t stream);
cudssStatus_t cudssSetDeviceMemHandler(cudssHandle_t handle, const cudssDeviceMemHandler_t* handler);

cudssStatus_t cudssConfigCreate(cudssConfig_t* config);
cudssStatus_t cudssConfigDestroy(cudssConfig_t config);
cudssStatus_t cudssConfigSet(cudssConfig_t config, cudssConfigParam_t parameter, const void* value, std::size_t bytes);

cudssStatus_t cudssDataCreate(cudssHandle_t handle, cudssData_t* data);
cudssStatus_t cudssDataDestroy(cudssHandle_t handle, cudssData_t data);
cudssStatus_t cudssDataSet(cudssHandle_t handle, cudssData_t data, cudssDataParam_t parameter, const void* value,
                           std::size_t bytes);
cudssStatus_t cudssDataGet(cudssHandle_t handle, cudssData_t data, cudssDataParam_t parameter, void* value,
                           std::size_t bytes, std::size_t* written);

cudssStatus_t cudssMatrixCreateDn(cudssMatrix_t* matrix, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                                  const void* values, cudaDataType_t number, cudssLayout_t layout);
cudssStatus_t cudssMatrixCreateCsr(cudssMatrix_t* matrix, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                                   const void* row_starts, const void* row_ends, const void* column_indices,
                                   const void* values, cudaDataType_t offset_type, cudaDataType_t index_type,
                                   cudaDataType_t number, cudssMatrixType_t type, cudssMatrixViewType_t view,
                                   cudssIndexBase_t base);
cudssStatus_t cudssMatrixDestroy(cudssMatrix_t matrix);

cudssStatus_t cudssExecute(cudssHandle_t handle, int phase, cudssConfig_t config, cudssData_t data,
                           cudssMatrix_t matrix, cudssMatrix_t solution, cudssMatrix_t right_hand_side);
}
