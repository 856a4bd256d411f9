// Facts about NVIDIA's libraries that Ritz relies on and that need no card: descriptions, defaults, statuses. Their
// computations need one.
#include <array>
#include <cstdint>
#include <cusolverSp.h>
#include <cusparse.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <utility>

#include "tests/cuda_emulator/headers/cudss.h"

namespace {

// Two rows of blocks, as solvers/algebra/spmv_cusparse.cu describes them. The library does not read the arrays.
cusparseStatus_t describe(std::int64_t block, std::int64_t rows = 2) {
  static std::array<int, 3> offsets{0, 1, 2}, columns{0, 1, 0};
  static std::array<double, 72> values{};
  cusparseSpMatDescr_t matrix = nullptr;
  const cusparseStatus_t status =
      block == 1 ? cusparseCreateCsr(&matrix, rows, rows, 2, offsets.data(), columns.data(), values.data(),
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F)
                 : cusparseCreateBsr(&matrix, rows, rows, 2, block, block, offsets.data(), columns.data(),
                                     values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                     CUDA_R_64F, CUSPARSE_ORDER_ROW);
  if (status == CUSPARSE_STATUS_SUCCESS) cusparseDestroySpMat(matrix);
  return status;
}

TEST(CuSparse, DescribesMatricesOfEveryBlockSize) {
  for (int block = 1; block <= 6; ++block) EXPECT_EQ(describe(block), CUSPARSE_STATUS_SUCCESS) << block;
}

TEST(CuSparse, RefusesBlocksAndRowsBelowZero) {
  EXPECT_EQ(describe(-1), CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(describe(1, -2), CUSPARSE_STATUS_INVALID_VALUE);
}

TEST(CuSparse, DescriptionsForCuSolverAreGeneralAndCountFromZero) {
  cusparseMatDescr_t description = nullptr;
  ASSERT_EQ(cusparseCreateMatDescr(&description), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseGetMatType(description), CUSPARSE_MATRIX_TYPE_GENERAL);
  EXPECT_EQ(cusparseGetMatIndexBase(description), CUSPARSE_INDEX_BASE_ZERO);
  cusparseDestroyMatDescr(description);
}

TEST(CuSparse, NamesItsStatuses) {
  EXPECT_STREQ(cusparseGetErrorString(CUSPARSE_STATUS_NOT_SUPPORTED), "operation not supported");
}

TEST(CuSolver, HasTheVersionOfItsHeader) {
  int major = 0;
  ASSERT_EQ(cusolverGetProperty(MAJOR_VERSION, &major), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(major, CUSOLVER_VER_MAJOR);
}

TEST(CuSolver, AnswersAHandleThatWasNotMadeByAStatus) {
  int singular = 0;
  EXPECT_EQ(cusolverSpDcsrlsvchol(nullptr, 1, 1, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, nullptr, &singular),
            CUSOLVER_STATUS_NOT_INITIALIZED);
}

TEST(CuSolver, AnswersAMissingCardByAStatus) {
  cusolverSpHandle_t handle = nullptr;
  const cusolverStatus_t status = cusolverSpCreate(&handle);
  if (status == CUSOLVER_STATUS_SUCCESS) cusolverSpDestroy(handle);
  else EXPECT_EQ(status, CUSOLVER_STATUS_NOT_INITIALIZED);
}

// Found at run time, as it is no part of CUDA's toolkit: NVIDIA's Python package nvidia-cudss-cu13 has it.
class CuDss : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"libcudss.so.1", "libcudss.so.0"})
      if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) GTEST_SKIP() << "no cuDSS: " << dlerror();
  }
  template <class Function>
  Function* function(Function*, const char* name) const {
    void* const found = dlsym(library, name);
    if (found == nullptr) ADD_FAILURE() << "no " << name;
    return reinterpret_cast<Function*>(found);
  }
#define RITZ_CUDSS(name) function(static_cast<decltype(&name)>(nullptr), #name)
  void* library = nullptr;
};

TEST_F(CuDss, HasTheFunctionsThatRitzCalls) {
  for (const char* name : {"cudssCreate", "cudssDestroy", "cudssSetStream", "cudssDataCreate", "cudssDataSet",
                           "cudssDataGet", "cudssDataDestroy", "cudssMatrixCreateDn", "cudssExecute"})
    EXPECT_NE(dlsym(library, name), nullptr) << name;
}

TEST_F(CuDss, TakesTheDeterministicModeAsAnInt) {
  cudssConfig_t config = nullptr;
  ASSERT_EQ(RITZ_CUDSS(cudssConfigCreate)(&config), CUDSS_STATUS_SUCCESS);
  const int one = 1;
  const std::int64_t wide = 1;
  const auto set = RITZ_CUDSS(cudssConfigSet);
  EXPECT_EQ(set(config, CUDSS_CONFIG_DETERMINISTIC_MODE, &one, sizeof one), CUDSS_STATUS_SUCCESS);
  EXPECT_NE(set(config, CUDSS_CONFIG_DETERMINISTIC_MODE, &wide, sizeof wide), CUDSS_STATUS_SUCCESS);
  RITZ_CUDSS(cudssConfigDestroy)(config);
}

TEST_F(CuDss, DescribesEveryKindOfMatrixWithLongOffsets) {
  std::array<std::int64_t, 3> offsets{0, 1, 2};
  std::array<std::int32_t, 2> columns{0, 1};
  std::array<double, 2> values{1, 2};
  for (const auto& [type, view] : {std::pair{CUDSS_MTYPE_GENERAL, CUDSS_MVIEW_FULL},
                                   {CUDSS_MTYPE_SYMMETRIC, CUDSS_MVIEW_LOWER},
                                   {CUDSS_MTYPE_SPD, CUDSS_MVIEW_LOWER}}) {
    cudssMatrix_t matrix = nullptr;
    EXPECT_EQ(RITZ_CUDSS(cudssMatrixCreateCsr)(&matrix, 2, 2, 2, offsets.data(), nullptr, columns.data(), values.data(),
                                               CUDA_R_64I, CUDA_R_32I, CUDA_R_64F, type, view, CUDSS_BASE_ZERO),
              CUDSS_STATUS_SUCCESS)
        << type;
    RITZ_CUDSS(cudssMatrixDestroy)(matrix);
  }
}

}  // namespace
