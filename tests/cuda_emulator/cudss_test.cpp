// The emulated cuDSS refuses what the library refuses, so that direct_cudss.cu cannot rely on it.
#include "tests/cuda_emulator/emulator.hpp"

#include <array>
#include <cstdlib>
#include <cudss.h>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace ritz::cuda {

template <class T>
struct OnDevice {
  OnDevice(cudaStream_t stream, const std::vector<T>& values) : count(values.size()) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data), count * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice, stream), cudaSuccess);
  }
  ~OnDevice() { cudaFree(data); }
  std::vector<T> host(cudaStream_t stream) const {
    std::vector<T> values(count);
    EXPECT_EQ(cudaMemcpyAsync(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost, stream), cudaSuccess);
    return values;
  }
  std::size_t count;
  T* data = nullptr;
};

// Two equations, a full matrix by rows.
class EmulatedCudss : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudssCreate(&handle), CUDSS_STATUS_SUCCESS);
    ASSERT_EQ(cudssSetStream(handle, stream), CUDSS_STATUS_SUCCESS);
    ASSERT_EQ(cudssConfigCreate(&config), CUDSS_STATUS_SUCCESS);
    ASSERT_EQ(cudssDataCreate(handle, &data), CUDSS_STATUS_SUCCESS);
    offsets.emplace(stream, std::vector<std::int64_t>{0, 2, 4});
    columns.emplace(stream, std::vector<int>{0, 1, 0, 1});
  }
  cudssStatus_t describe(const std::vector<double>& entries, cudssMatrixType_t type = CUDSS_MTYPE_SYMMETRIC,
                         cudssMatrixViewType_t view = CUDSS_MVIEW_LOWER, cudaDataType_t offset_type = CUDA_R_64I,
                         cudaDataType_t index_type = CUDA_R_32I) {
    values.emplace(stream, entries);
    return cudssMatrixCreateCsr(&matrix, 2, 2, 4, offsets->data, nullptr, columns->data, values->data, offset_type,
                                index_type, CUDA_R_64F, type, view, CUDSS_BASE_ZERO);
  }
  cudssStatus_t execute(int phase, cudssMatrix_t x = nullptr, cudssMatrix_t b = nullptr) {
    return cudssExecute(handle, phase, config, data, matrix, x, b);
  }
  void factorise(const std::vector<double>& entries, cudssMatrixType_t type = CUDSS_MTYPE_SYMMETRIC) {
    const cudssMatrixViewType_t view = type == CUDSS_MTYPE_GENERAL ? CUDSS_MVIEW_FULL : CUDSS_MVIEW_LOWER;
    ASSERT_EQ(describe(entries, type, view), CUDSS_STATUS_SUCCESS);
    ASSERT_EQ(execute(CUDSS_PHASE_ANALYSIS), CUDSS_STATUS_SUCCESS);
    ASSERT_EQ(execute(CUDSS_PHASE_FACTORIZATION), CUDSS_STATUS_SUCCESS);
  }
  cudssStatus_t solve(const OnDevice<double>& b, const OnDevice<double>& x, int right_hand_sides = 1) {
    cudssMatrix_t B = nullptr, X = nullptr;
    cudssMatrixCreateDn(&B, 2, right_hand_sides, 2, b.data, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR);
    cudssMatrixCreateDn(&X, 2, right_hand_sides, 2, x.data, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR);
    const cudssStatus_t status = execute(CUDSS_PHASE_SOLVE, X, B);
    cudssMatrixDestroy(B);
    cudssMatrixDestroy(X);
    return status;
  }
  template <std::size_t K = 1>
  std::array<int, K> count(cudssDataParam_t parameter) {
    std::array<int, K> answer{};
    EXPECT_EQ(cudssDataGet(handle, data, parameter, answer.data(), sizeof answer, nullptr), CUDSS_STATUS_SUCCESS);
    return answer;
  }
  void set_deterministic() {
    const int one = 1;
    EXPECT_EQ(cudssConfigSet(config, CUDSS_CONFIG_DETERMINISTIC_MODE, &one, sizeof one), CUDSS_STATUS_SUCCESS);
  }
  void destroy() {
    EXPECT_EQ(cudssDataDestroy(handle, data), CUDSS_STATUS_SUCCESS);
    EXPECT_EQ(cudssConfigDestroy(config), CUDSS_STATUS_SUCCESS);
    EXPECT_EQ(cudssDestroy(handle), CUDSS_STATUS_SUCCESS);
  }

  cudaStream_t stream = nullptr;
  cudssHandle_t handle = nullptr;
  cudssConfig_t config = nullptr;
  cudssData_t data = nullptr;
  cudssMatrix_t matrix = nullptr;
  std::optional<OnDevice<std::int64_t>> offsets;
  std::optional<OnDevice<int>> columns;
  std::optional<OnDevice<double>> values;
};

TEST_F(EmulatedCudss, SolvesWithEachKindOfFactorInTheOrderOfTheStream) {
  set_deterministic();
  for (const auto type : {CUDSS_MTYPE_GENERAL, CUDSS_MTYPE_SYMMETRIC, CUDSS_MTYPE_SPD}) {
    factorise({2, 1, 1, 3}, type);
    const OnDevice<double> b(stream, {5, 10}), x(stream, {0, 0});
    ASSERT_EQ(solve(b, x), CUDSS_STATUS_SUCCESS);
    const std::vector<double> solution = x.host(stream);
    EXPECT_DOUBLE_EQ(solution[0], 1);
    EXPECT_DOUBLE_EQ(solution[1], 3);
  }
  destroy();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(EmulatedCudss, RefusesPhasesOutOfTheirOrder) {
  ASSERT_EQ(describe({2, 1, 1, 3}), CUDSS_STATUS_SUCCESS);
  const OnDevice<double> b(stream, {5, 10}), x(stream, {0, 0});
  int info = 0;
  EXPECT_EQ(cudssDataGet(handle, data, CUDSS_DATA_INFO, &info, sizeof info, nullptr), CUDSS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(solve(b, x), CUDSS_STATUS_INVALID_VALUE);
  EXPECT_EQ(execute(CUDSS_PHASE_FACTORIZATION), CUDSS_STATUS_INVALID_VALUE);
  ASSERT_EQ(execute(CUDSS_PHASE_ANALYSIS), CUDSS_STATUS_SUCCESS);
  EXPECT_EQ(solve(b, x), CUDSS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cudssDataGet(handle, data, CUDSS_DATA_NPIVOTS, &info, sizeof info, nullptr), CUDSS_STATUS_INVALID_VALUE);
}

TEST_F(EmulatedCudss, RefusesOtherViewsAndIntegers) {
  EXPECT_EQ(describe({2, 1, 1, 3}, CUDSS_MTYPE_GENERAL, CUDSS_MVIEW_LOWER), CUDSS_STATUS_INVALID_VALUE);
  EXPECT_EQ(describe({2, 1, 1, 3}, CUDSS_MTYPE_SPD, CUDSS_MVIEW_LOWER, CUDA_R_32I, CUDA_R_64I),
            CUDSS_STATUS_INVALID_VALUE);
  EXPECT_EQ(describe({2, 1, 1, 3}, CUDSS_MTYPE_SPD, CUDSS_MVIEW_LOWER, CUDA_R_64F), CUDSS_STATUS_INVALID_VALUE);
  const std::int64_t wide = 1;
  EXPECT_EQ(cudssConfigSet(config, CUDSS_CONFIG_DETERMINISTIC_MODE, &wide, sizeof wide), CUDSS_STATUS_INVALID_VALUE);
}

TEST_F(EmulatedCudss, LooksAtOneTriangleOfASymmetricMatrix) {
  const OnDevice<double> b(stream, {5, 10}), x(stream, {0, 0});
  for (const auto view : {CUDSS_MVIEW_LOWER, CUDSS_MVIEW_UPPER}) {
    const bool is_lower = view == CUDSS_MVIEW_LOWER;
    ASSERT_EQ(describe({2, is_lower ? 7. : 1., is_lower ? 1. : 7., 3}, CUDSS_MTYPE_SPD, view), CUDSS_STATUS_SUCCESS);
    ASSERT_EQ(execute(CUDSS_PHASE_ANALYSIS), CUDSS_STATUS_SUCCESS);
    ASSERT_EQ(execute(CUDSS_PHASE_FACTORIZATION), CUDSS_STATUS_SUCCESS);
    ASSERT_EQ(solve(b, x), CUDSS_STATUS_SUCCESS);
    EXPECT_NEAR(x.host(stream)[1], 3, 1e-12);
  }
}

TEST_F(EmulatedCudss, RaisesSmallPivotsAndCountsThem) {
  for (const auto type : {CUDSS_MTYPE_GENERAL, CUDSS_MTYPE_SYMMETRIC}) {
    factorise({1, 1, 1, 1}, type);
    EXPECT_EQ(count(CUDSS_DATA_NPIVOTS)[0], 1);
    factorise({-1e-20, 0, 0, 1}, type);
    EXPECT_EQ(count(CUDSS_DATA_NPIVOTS)[0], 1);
    const OnDevice<double> b(stream, {1, 2}), x(stream, {0, 0});
    ASSERT_EQ(solve(b, x), CUDSS_STATUS_SUCCESS);
    EXPECT_NEAR(x.host(stream)[0], -1e13, 1e3);
    factorise({1, 0, 0, -1}, type);
    EXPECT_EQ(count(CUDSS_DATA_NPIVOTS)[0], 0);
    const std::array<int, 2> none{}, both{1, 1};
    EXPECT_EQ(count<2>(CUDSS_DATA_INERTIA), type == CUDSS_MTYPE_SYMMETRIC ? both : none);
  }
}

TEST_F(EmulatedCudss, KeepsTheMarkOfAPivotThatIsNotPositiveUntilItIsTakenAway) {
  factorise({1, 2, 2, 1}, CUDSS_MTYPE_SPD);
  EXPECT_EQ(count(CUDSS_DATA_INFO)[0], 2);
  factorise({2, 1, 1, 2}, CUDSS_MTYPE_SPD);
  EXPECT_EQ(count(CUDSS_DATA_INFO)[0], 2);
  const int none = 0;
  EXPECT_EQ(cudssDataSet(handle, data, CUDSS_DATA_INFO, &none, sizeof none), CUDSS_STATUS_SUCCESS);
  factorise({2, 1, 1, 2}, CUDSS_MTYPE_SPD);
  EXPECT_EQ(count(CUDSS_DATA_INFO)[0], 0);
}

TEST_F(EmulatedCudss, TellsHowLongAnAnswerIsAndTakesNoOtherLength) {
  factorise({2, 1, 1, 3});
  std::size_t bytes = 0;
  EXPECT_EQ(cudssDataGet(handle, data, CUDSS_DATA_INERTIA, nullptr, 0, &bytes), CUDSS_STATUS_SUCCESS);
  EXPECT_EQ(bytes, 2 * sizeof(int));
  std::int64_t wide[2];
  EXPECT_EQ(cudssDataGet(handle, data, CUDSS_DATA_INERTIA, wide, sizeof wide, &bytes), CUDSS_STATUS_INVALID_VALUE);
}

TEST_F(EmulatedCudss, RepeatsInTheDeterministicModeOnlyAndThenForOneRightHandSideAtATime) {
  factorise({2, 1, 1, 3});
  const OnDevice<double> b(stream, {5, 9, 5, 9}), x(stream, {0, 0, 0, 0}), y(stream, {0, 0, 0, 0});
  ASSERT_EQ(solve(b, x, 2), CUDSS_STATUS_SUCCESS);
  const std::vector<double> two = x.host(stream);
  EXPECT_NE(two[0], two[2]);
  EXPECT_NEAR(two[0], two[2], 1e-14);
  set_deterministic();
  EXPECT_EQ(solve(b, x, 2), CUDSS_STATUS_NOT_SUPPORTED);
  ASSERT_EQ(solve(b, x), CUDSS_STATUS_SUCCESS);
  ASSERT_EQ(solve(b, y), CUDSS_STATUS_SUCCESS);
  EXPECT_EQ(x.host(stream)[0], y.host(stream)[0]);
}

// Counts bytes, up to a limit.
struct Purse {
  std::size_t left;
  static int take(void* purse, void** memory, std::size_t bytes, cudaStream_t stream) {
    auto& self = *static_cast<Purse*>(purse);
    if (bytes > self.left) return 1;
    self.left -= bytes;
    return static_cast<int>(cudaMallocAsync(memory, bytes, stream));
  }
  static int give_back(void* purse, void* memory, std::size_t bytes, cudaStream_t stream) {
    static_cast<Purse*>(purse)->left += bytes;
    return static_cast<int>(cudaFreeAsync(memory, stream));
  }
};

TEST_F(EmulatedCudss, TakesItsMemoryFromTheHandlerAndGivesItBack) {
  std::int64_t estimates[16] = {};
  ASSERT_EQ(describe({2, 1, 1, 3}), CUDSS_STATUS_SUCCESS);
  ASSERT_EQ(execute(CUDSS_PHASE_ANALYSIS), CUDSS_STATUS_SUCCESS);
  ASSERT_EQ(cudssDataGet(handle, data, CUDSS_DATA_MEMORY_ESTIMATES, estimates, sizeof estimates, nullptr),
            CUDSS_STATUS_SUCCESS);
  destroy();
  const auto kept = static_cast<std::size_t>(estimates[0]), peak = static_cast<std::size_t>(estimates[1]);
  EXPECT_LT(kept, peak);
  for (const std::size_t bytes : {std::size_t{1}, kept - 1, peak - 1, peak}) {
    Purse purse{bytes};
    const cudssDeviceMemHandler_t handler{&purse, Purse::take, Purse::give_back, "purse"};
    SetUp();
    ASSERT_EQ(cudssSetDeviceMemHandler(handle, &handler), CUDSS_STATUS_SUCCESS);
    ASSERT_EQ(describe({2, 1, 1, 3}), CUDSS_STATUS_SUCCESS);
    cudssStatus_t status = execute(CUDSS_PHASE_ANALYSIS);
    EXPECT_EQ(status, bytes == 1 ? CUDSS_STATUS_ALLOC_FAILED : CUDSS_STATUS_SUCCESS);
    if (status == CUDSS_STATUS_SUCCESS) status = execute(CUDSS_PHASE_FACTORIZATION);
    EXPECT_EQ(status, bytes < peak ? CUDSS_STATUS_ALLOC_FAILED : CUDSS_STATUS_SUCCESS) << bytes << " of " << peak;
    if (bytes == peak) { EXPECT_EQ(purse.left, peak - kept); }
    destroy();
    EXPECT_EQ(purse.left, bytes);
  }
}

TEST_F(EmulatedCudss, ReturnsAnErrorThatTheProgramHasLeftPending) {
  ASSERT_EQ(describe({2, 1, 1, 3}), CUDSS_STATUS_SUCCESS);
  EXPECT_NE(cudaSetDevice(99), cudaSuccess);
  EXPECT_EQ(execute(CUDSS_PHASE_ANALYSIS), CUDSS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(execute(CUDSS_PHASE_ANALYSIS), CUDSS_STATUS_SUCCESS);
}

TEST_F(EmulatedCudss, FindsAPatternThatWasNotAnalysed) {
  factorise({2, 1, 1, 3});
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const std::vector<int> others{1, 0, 0, 1};
  ASSERT_EQ(cudaMemcpyAsync(columns->data, others.data(), sizeof(int) * 4, cudaMemcpyHostToDevice, stream),
            cudaSuccess);
  ::testing::internal::CaptureStderr();
  execute(CUDSS_PHASE_FACTORIZATION);
  EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("pattern"), std::string::npos);
}

TEST(EmulatedCudssHandle, BelongsToItsGpu) {
  setenv("RITZ_EMULATED_GPUS", "2", 1);
  cudssHandle_t handle = nullptr;
  cudssData_t data = nullptr;
  ASSERT_EQ(cudssCreate(&handle), CUDSS_STATUS_SUCCESS);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ::testing::internal::CaptureStderr();
  EXPECT_NE(cudssDataCreate(handle, &data), CUDSS_STATUS_SUCCESS);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("another GPU"), std::string::npos);
}

}  // namespace ritz::cuda
