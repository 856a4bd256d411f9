// The emulated GPU finds the faults that it promises to find: kernels with one fault each, next to the same without it.
// Compiled like a module (device_code.hpp comes first). A fault loses the device, so each test is a process of its own.
#include "tests/cuda_emulator/memory.hpp"
#include "tests/cuda_emulator/read_only.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace ritz::cuda {  // where shared memory of the launch is declared

constexpr int block = 64;

struct Numbers {  // on the device
  explicit Numbers(std::size_t n) : count(n) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data), n * sizeof(double)), cudaSuccess);
  }
  ~Numbers() { cudaFree(data); }
  std::size_t count;
  double* data = nullptr;
};

class EmulatedGpu : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess); }

  template <class... P, class... A>
  cudaError_t start(unsigned blocks, std::size_t shared, void (*kernel)(P...), const A&... arguments) {
    cudaLaunchConfig_t c{};
    c.gridDim = dim3(blocks);
    c.blockDim = dim3(block);
    c.dynamicSmemBytes = shared;
    c.stream = stream;
    return cudaLaunchKernelEx(&c, kernel, arguments...);
  }
  // The device's message about a kernel; empty: no fault.
  template <class... P, class... A>
  std::string fault_of(unsigned blocks, std::size_t shared, void (*kernel)(P...), const A&... arguments) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(start(blocks, shared, kernel, arguments...), cudaSuccess);
    const cudaError_t status = cudaStreamSynchronize(stream);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(status == cudaSuccess, said.empty()) << said;
    return said;
  }
  void fill(const Numbers& x) {
    std::vector<double> values(x.count);
    std::iota(values.begin(), values.end(), 0.0);
    ASSERT_EQ(cudaMemcpyAsync(x.data, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice, stream),
              cudaSuccess);
  }
  std::vector<double> host(const Numbers& x) {
    std::vector<double> values(x.count);
    EXPECT_EQ(cudaMemcpyAsync(values.data(), x.data, values.size() * sizeof(double), cudaMemcpyDeviceToHost, stream),
              cudaSuccess);
    return values;
  }
  cudaStream_t stream = nullptr;
};

template <bool Barrier>
__global__ void reverse_block(double* x) {
  __shared__ double shared[block];
  shared[threadIdx.x] = x[blockIdx.x * block + threadIdx.x];
  if (Barrier) __syncthreads();
  x[blockIdx.x * block + threadIdx.x] = shared[block - 1 - threadIdx.x];
}

TEST_F(EmulatedGpu, RunsEveryThreadOfEveryBlock) {
  const Numbers x(3 * block);
  fill(x);
  EXPECT_EQ(fault_of(3, 0, reverse_block<true>, x.data), "");
  const std::vector<double> values = host(x);
  for (int i = 0; i < 3 * block; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(i)], i / block * block + block - 1 - i % block);
}

TEST_F(EmulatedGpu, FindsAMissingBarrier) {
  const Numbers x(block);
  fill(x);
  const std::string said = fault_of(1, 0, reverse_block<false>, x.data);
  EXPECT_TRUE(said.find("race") != said.npos || said.find("initcheck") != said.npos) << said;
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress) << "a fault stays";
}

__global__ void shift(double* x, int by) {
  x[blockIdx.x * block + threadIdx.x] = x[blockIdx.x * block + threadIdx.x + static_cast<unsigned>(by)];
}

TEST_F(EmulatedGpu, FindsABlockThatReadsWhatAnotherWrites) {
  const Numbers x(3 * block);
  fill(x);
  EXPECT_NE(fault_of(2, 0, shift, x.data, block).find("race"), std::string::npos);
}

TEST_F(EmulatedGpu, LetsWritersOfDifferentNumbersPass) {
  const Numbers x(2 * block);
  fill(x);
  EXPECT_EQ(fault_of(1, 0, shift, x.data, block), "");
}

__global__ void mark(double* flag, double factor) { *flag = factor * threadIdx.x; }

TEST_F(EmulatedGpu, FindsTwoValuesForOneNumberButNotOneValueTwice) {
  const Numbers x(1);
  EXPECT_EQ(fault_of(2, 0, mark, x.data, 0.0), "");
  EXPECT_NE(fault_of(1, 0, mark, x.data, 1.0).find("race"), std::string::npos);
}

__global__ void bytes_of_a_word(unsigned char* x) { x[threadIdx.x] = 1; }

TEST_F(EmulatedGpu, KeepsBytesOfAWordApart) {
  const Numbers x(block);
  EXPECT_EQ(fault_of(1, 0, bytes_of_a_word, reinterpret_cast<unsigned char*>(x.data)), "");
}

__global__ void copy(const double* from, double* to) { to[threadIdx.x] = from[threadIdx.x]; }

TEST_F(EmulatedGpu, FindsNumbersBeyondTheEnd) {
  const Numbers x(block), short_one(block - 1);
  fill(x);
  EXPECT_NE(fault_of(1, 0, copy, x.data, short_one.data).find("outside of what is allocated"), std::string::npos);
}

TEST_F(EmulatedGpu, FindsFreedMemory) {
  const Numbers x(block);
  double* freed = nullptr;
  ASSERT_EQ(cudaMallocAsync(reinterpret_cast<void**>(&freed), block * sizeof(double), stream), cudaSuccess);
  fill(x);
  EXPECT_EQ(fault_of(1, 0, copy, x.data, freed), "");
  ASSERT_EQ(cudaFreeAsync(freed, stream), cudaSuccess);
  EXPECT_NE(fault_of(1, 0, copy, x.data, freed).find("outside of what is allocated"), std::string::npos);
}

TEST_F(EmulatedGpu, FindsUninitialisedMemory) {
  const Numbers x(block), y(block);
  EXPECT_NE(fault_of(1, 0, copy, x.data, y.data).find("initcheck"), std::string::npos);
}

TEST_F(EmulatedGpu, FindsPointersIntoTheHost) {
  const Numbers y(block);
  const std::vector<double> of_host(block);
  EXPECT_NE(fault_of(1, 0, copy, of_host.data(), y.data).find("memory of the host"), std::string::npos);
}

__global__ void use_scratch(double* x, int size) {
  extern __shared__ double scratch[];
  if (threadIdx.x != 0) return;
  scratch[size - 1] = 1;
  *x = scratch[size - 1];
}

TEST_F(EmulatedGpu, HoldsSharedMemoryToWhatTheLaunchAsksFor) {
  const Numbers x(block);
  EXPECT_EQ(fault_of(1, 80, use_scratch, x.data, 10), "");
  EXPECT_NE(fault_of(1, 80, use_scratch, x.data, 11).find("beyond what the launch asks for"), std::string::npos);
}

TEST_F(EmulatedGpu, RefusesMuchSharedMemoryThatWasNotAskedFor) {
  const Numbers x(block);
  EXPECT_EQ(start(1, 49 << 10, use_scratch, x.data, 10), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  ASSERT_EQ(cudaFuncSetAttribute(use_scratch, cudaFuncAttributeMaxDynamicSharedMemorySize, 49 << 10), cudaSuccess);
  EXPECT_EQ(start(1, 49 << 10, use_scratch, x.data, 10), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(use_scratch, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10),
            cudaErrorInvalidValue);
}

__global__ void sum_of_warp(double* sums, unsigned lanes) {
  double mine = threadIdx.x;
  if (threadIdx.x % 32 < lanes) {
    for (unsigned distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(0xffffffffu, mine, distance);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
  }
}

TEST_F(EmulatedGpu, ShufflesWithinWarps) {
  const Numbers sums(2);
  EXPECT_EQ(fault_of(1, 0, sum_of_warp, sums.data, 32u), "");
  EXPECT_EQ(host(sums), (std::vector<double>{496, 496 + 32 * 32}));
}

// Lane 5's number for all, times the lanes that are multiples of 3.
__global__ void votes_of_warp(double* x) {
  const unsigned lane = threadIdx.x % 32, votes = __ballot_sync(0xffffffffu, lane % 3 == 0);
  x[threadIdx.x] = __shfl_sync(0xffffffffu, x[threadIdx.x], 5) * votes + __ffs(static_cast<int>(votes << lane));
}

TEST_F(EmulatedGpu, VotesAndSharesWithinWarps) {
  const Numbers x(block);
  fill(x);
  const std::vector<double> before = host(x);
  EXPECT_EQ(fault_of(1, 0, votes_of_warp, x.data), "");
  const std::vector<double> values = host(x);
  for (std::size_t i = 0; i < block; ++i) {
    const std::uint32_t votes = 0x49249249u, shifted = votes << i % 32;
    EXPECT_EQ(values[i], before[i / 32 * 32 + 5] * votes + std::countr_zero(shifted) + 1);
  }
}

// Each thread reads what the one opposite within `width` threads has written.
template <bool Barrier>
__global__ void reverse_behind_warp_barrier(double* x, unsigned width) {
  __shared__ double shared[block];
  shared[threadIdx.x] = x[threadIdx.x];
  if (Barrier) __syncwarp();
  x[threadIdx.x] = shared[threadIdx.x / width * width + width - 1 - threadIdx.x % width];
}

TEST_F(EmulatedGpu, OrdersAWarpByItsBarrierAndNoOtherWarp) {
  const Numbers x(block);
  fill(x);
  EXPECT_EQ(fault_of(1, 0, reverse_behind_warp_barrier<true>, x.data, 32u), "");
  const std::vector<double> values = host(x);
  for (int i = 0; i < block; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i / 32 * 32 + 31 - i % 32);
  const std::string said = fault_of(1, 0, reverse_behind_warp_barrier<true>, x.data, 64u);
  EXPECT_TRUE(said.find("race") != said.npos || said.find("initcheck") != said.npos) << said;
}

TEST_F(EmulatedGpu, FindsAMissingBarrierOfAWarp) {
  const Numbers x(block);
  fill(x);
  const std::string said = fault_of(1, 0, reverse_behind_warp_barrier<false>, x.data, 32u);
  EXPECT_TRUE(said.find("race") != said.npos || said.find("initcheck") != said.npos) << said;
}

__global__ void write_number(double* at) { *at = 1; }

// The last block adds what the others have written.
__global__ void sum_by_last_block(double* parts, unsigned* ticket, bool releases, bool acquires, double* sum) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x + 1;
  if (releases) __threadfence();
  if (atomicInc(ticket, gridDim.x - 1) != gridDim.x - 1) return;
  if (acquires) __threadfence();
  double total = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) total += parts[i];
  *sum = total;
}

TEST_F(EmulatedGpu, OrdersBlocksByFencesAndATicket) {
  const Numbers parts(7), ticket(1), sum(1);
  ASSERT_EQ(cudaMemsetAsync(ticket.data, 0, sizeof(double), stream), cudaSuccess);
  for (int repeat = 0; repeat < 2; ++repeat)  // the ticket is zero again
    EXPECT_EQ(
        fault_of(7, 0, sum_by_last_block, parts.data, reinterpret_cast<unsigned*>(ticket.data), true, true, sum.data),
        "");
  EXPECT_EQ(host(sum)[0], 28.0);
}

TEST_F(EmulatedGpu, FindsATicketWithoutAFenceBeforeIt) {
  const Numbers parts(7), ticket(1), sum(1);
  ASSERT_EQ(cudaMemsetAsync(ticket.data, 0, sizeof(double), stream), cudaSuccess);
  EXPECT_NE(
      fault_of(7, 0, sum_by_last_block, parts.data, reinterpret_cast<unsigned*>(ticket.data), false, true, sum.data)
          .find("race"),
      std::string::npos);
}

TEST_F(EmulatedGpu, FindsATicketWithoutAFenceBehindIt) {
  const Numbers parts(7), ticket(1), sum(1);
  ASSERT_EQ(cudaMemsetAsync(ticket.data, 0, sizeof(double), stream), cudaSuccess);
  EXPECT_NE(
      fault_of(7, 0, sum_by_last_block, parts.data, reinterpret_cast<unsigned*>(ticket.data), true, false, sum.data)
          .find("race"),
      std::string::npos);
}

TEST_F(EmulatedGpu, FindsATicketThatNobodyHasSet) {
  const Numbers parts(7), ticket(1), sum(1);
  EXPECT_NE(
      fault_of(7, 0, sum_by_last_block, parts.data, reinterpret_cast<unsigned*>(ticket.data), true, true, sum.data)
          .find("memcheck"),
      std::string::npos);
}

// A wait for an event does not wait for launches after it.
TEST_F(EmulatedGpu, WaitsForAnEventAndNotForWhatComesAfterIt) {
  const Numbers x(1);
  double* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), 2 * sizeof(double)), cudaSuccess);
  pinned[0] = pinned[1] = -1;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(start(1, 0, write_number, x.data), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(pinned, x.data, sizeof(double), cudaMemcpyDeviceToHost, stream), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(pinned + 1, x.data, sizeof(double), cudaMemcpyDeviceToHost, stream), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(pinned[0], 1);
  EXPECT_TRUE(std::isnan(pinned[1])) << "the copy has not been made";
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(pinned[1], 1);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(EmulatedGpu, FindsAShuffleWhoseLanesDoNotCome) {
  const Numbers sums(2);
  EXPECT_DEATH((start(1, 0, sum_of_warp, sums.data, 31u), cudaStreamSynchronize(stream)), "wait in a shuffle");
}

TEST_F(EmulatedGpu, DoesTheWorkOfAStreamWhenSomebodyWaitsForIt) {
  const Numbers x(block);
  fill(x);
  double* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(double)), cudaSuccess);
  *pinned = -1;
  ASSERT_EQ(cudaMemcpyAsync(pinned, x.data + 5, sizeof(double), cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_TRUE(std::isnan(*pinned)) << "the copy has not been made";
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(*pinned, 5);
  cudaFreeHost(pinned);
}

TEST_F(EmulatedGpu, KillsHostCodeThatTouchesDeviceMemory) {
  const Numbers x(block);
  fill(x);
  EXPECT_DEATH(x.data[0] = 1, "");
}

TEST_F(EmulatedGpu, RecordsAndReplaysGraphs) {
  const Numbers x(2 * block);
  fill(x);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(start(1, 0, shift, x.data, block), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(host(x)[0], 0) << "recorded, not run";
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(host(x)[0], block);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

TEST_F(EmulatedGpu, DoesNotRecordWaiting) {
  const Numbers x(block);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_NE(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(graph, nullptr);
}

// The memory exists only while the graph runs (CUDA Runtime API, cudaMallocAsync).
TEST_F(EmulatedGpu, FindsMemoryThatIsAskedForWhileAGraphIsRecorded) {
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ::testing::internal::CaptureStderr();
  double* memory = nullptr;
  cudaMallocAsync(reinterpret_cast<void**>(&memory), sizeof(double), stream);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("belongs to the graph"), std::string::npos);
}

TEST_F(EmulatedGpu, DoesNotRecordFreesPinnedMemoryOrWaitingForTheDevice) {
  double* before = nullptr;
  ASSERT_EQ(cudaMallocAsync(reinterpret_cast<void**>(&before), sizeof(double), stream), cudaSuccess);
  for (int call = 0; call < 4; ++call) {
    cudaGraph_t graph = nullptr;
    double* pinned = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    if (call == 0) { EXPECT_EQ(cudaFreeAsync(before, stream), cudaErrorInvalidValue); }
    if (call == 1) {
      EXPECT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(double)), cudaErrorStreamCaptureUnsupported);
    }
    if (call == 2) { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported); }
    if (call == 3) {
      EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&pinned), sizeof(double)), cudaErrorStreamCaptureUnsupported);
    }
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  }
}

TEST_F(EmulatedGpu, FindsMisalignedNumbers) {
  const Numbers x(2);
  char* const bytes = reinterpret_cast<char*>(x.data);
  EXPECT_EQ(fault_of(1, 0, write_number, reinterpret_cast<double*>(bytes + 8)), "");
  EXPECT_NE(fault_of(1, 0, write_number, reinterpret_cast<double*>(bytes + 4)).find("misaligned"), std::string::npos);
}

TEST_F(EmulatedGpu, KeepsErrorsUntilSomebodyAsks) {
  const Numbers x(1);
  EXPECT_EQ(cudaSetDevice(7), cudaErrorInvalidDevice);
  EXPECT_EQ(start(1, 0, write_number, x.data), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice) << "of an earlier call";
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(EmulatedGpu, StartsKernelsOnTheCurrentGpuOnly) {
  setenv("RITZ_EMULATED_GPUS", "2", 1);
  const Numbers x(1);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(start(1, 0, write_number, x.data), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaFuncSetAttribute(use_scratch, cudaFuncAttributeMaxDynamicSharedMemorySize, 49 << 10), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(start(1, 49 << 10, use_scratch, x.data, 10), cudaErrorInvalidValue) << "asked for on the other GPU";
}

TEST_F(EmulatedGpu, FindsMemoryOfAnotherGpu) {
  setenv("RITZ_EMULATED_GPUS", "2", 1);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const Numbers x(1);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_NE(fault_of(1, 0, write_number, x.data).find("memory of another GPU"), std::string::npos);
}

TEST_F(EmulatedGpu, CanBeTakenByAnotherProcess) {
  setenv("RITZ_EMULATED_GPUS", "2", 1);
  setenv("RITZ_EMULATED_GPU_TAKEN", "1", 1);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorDevicesUnavailable);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
}

// Work between two GPUs: an event belongs to the GPU that was chosen when it was made.
TEST_F(EmulatedGpu, RecordsAnEventInStreamsOfItsGpuOnly) {
  setenv("RITZ_EMULATED_GPUS", "2", 1);
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorInvalidResourceHandle);
}

TEST_F(EmulatedGpu, FindsHandlesThatWereDestroyed) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("cudaEventDestroy: a handle that was destroyed before"),
            std::string::npos);
}

// Lanes of a warp in teams of eight: the last of a team asks for one of the next team.
__global__ void sum_of_teams(double* sums, int width) {
  const unsigned mask = 0xffu << threadIdx.x % 32 / 8 * 8;
  sums[threadIdx.x] = __shfl_down_sync(mask, double{threadIdx.x * 1.0}, 1, width);
}

TEST_F(EmulatedGpu, FindsAShuffleWithALaneOutsideOfItsMask) {
  const Numbers sums(block);
  EXPECT_EQ(fault_of(1, 0, sum_of_teams, sums.data, 8), "");
  EXPECT_NE(fault_of(1, 0, sum_of_teams, sums.data, 32).find("which is not in its mask"), std::string::npos);
}

// A barrier is no help: the cache may hold an older number.
__global__ void twice_through_cache(double* x, int ahead) {
  const double before = __ldg(x + threadIdx.x);
  __syncthreads();
  x[threadIdx.x + static_cast<unsigned>(ahead)] = 2 * before;
}

TEST_F(EmulatedGpu, FindsReadOnlyLoadsOfWhatTheKernelWrites) {
  const Numbers x(2 * block);
  fill(x);
  EXPECT_EQ(fault_of(1, 0, twice_through_cache, x.data, block), "");
  EXPECT_NE(fault_of(1, 0, twice_through_cache, x.data, 1).find("emulated GPU, read-only"), std::string::npos);
}

template <bool Barrier>
__global__ void count_and_read(unsigned* count, unsigned* seen) {
  atomicInc(count, 1000);
  if (Barrier) __syncthreads();
  seen[threadIdx.x] = *count;
}

TEST_F(EmulatedGpu, FindsAnAtomicNextToAPlainAccess) {
  const Numbers count(1), seen(block);
  ASSERT_EQ(cudaMemsetAsync(count.data, 0, sizeof(double), stream), cudaSuccess);
  auto *const n = reinterpret_cast<unsigned*>(count.data), *const to = reinterpret_cast<unsigned*>(seen.data);
  EXPECT_EQ(fault_of(1, 0, count_and_read<true>, n, to), "");
  EXPECT_NE(fault_of(1, 0, count_and_read<false>, n, to).find("emulated GPU, race"), std::string::npos);
}

// Two streams at the same numbers: an event, or a wait of the host, stands between, or it is a fault.
class EmulatedStreams : public EmulatedGpu {
 protected:
  void SetUp() override {
    EmulatedGpu::SetUp();
    ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(double)), cudaSuccess);
    *pinned = 0;
  }
  void TearDown() override { cudaFreeHost(pinned); }
  void copy_out(const Numbers& x) {
    ASSERT_EQ(cudaMemcpyAsync(pinned, x.data, sizeof(double), cudaMemcpyDeviceToHost, other), cudaSuccess);
  }
  void copy_in(const Numbers& x) {
    ASSERT_EQ(cudaMemcpyAsync(x.data, pinned, sizeof(double), cudaMemcpyHostToDevice, other), cudaSuccess);
  }
  std::string fault() {
    ::testing::internal::CaptureStderr();
    cudaDeviceSynchronize();
    return ::testing::internal::GetCapturedStderr();
  }
  cudaStream_t other = nullptr;
  cudaEvent_t event = nullptr;
  double* pinned = nullptr;
};

TEST_F(EmulatedStreams, ReadWhatOthersWroteAfterAnEvent) {
  const Numbers x(1);
  ASSERT_EQ(start(1, 0, write_number, x.data), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
  copy_out(x);
  EXPECT_EQ(fault(), "");
}

TEST_F(EmulatedStreams, ReadWhatOthersWroteAfterAWaitOfTheHost) {
  const Numbers x(1);
  ASSERT_EQ(start(1, 0, write_number, x.data), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  copy_out(x);
  EXPECT_EQ(fault(), "");
}

TEST_F(EmulatedStreams, ReadWhatOthersReadInAnyOrder) {
  const Numbers x(block), y(block);
  fill(x);
  ASSERT_EQ(start(1, 0, copy, x.data, y.data), cudaSuccess);
  copy_out(x);
  EXPECT_EQ(fault(), "");
}

TEST_F(EmulatedStreams, MayNotReadWhatOthersWriteWithoutAnEvent) {
  const Numbers x(1);
  ASSERT_EQ(start(1, 0, write_number, x.data), cudaSuccess);
  copy_out(x);
  EXPECT_NE(fault().find("emulated GPU, streams"), std::string::npos);
}

TEST_F(EmulatedStreams, MayNotWriteWhatOthersReadWithoutAnEvent) {
  const Numbers x(block), y(block);
  fill(x);
  ASSERT_EQ(start(1, 0, copy, x.data, y.data), cudaSuccess);
  copy_in(x);
  EXPECT_NE(fault().find("emulated GPU, streams"), std::string::npos);
}

// The event is recorded before the kernel, not after it.
TEST_F(EmulatedStreams, MayNotTakeAnEarlierEvent) {
  const Numbers x(1);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  ASSERT_EQ(start(1, 0, write_number, x.data), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess) << "the kernel's stream still waits";
  copy_out(x);
  EXPECT_NE(fault().find("emulated GPU, streams"), std::string::npos);
}

TEST_F(EmulatedStreams, MayNotFreeWhatOthersUseWithoutAnEvent) {
  const Numbers y(block);
  double* x = nullptr;
  ASSERT_EQ(cudaMallocAsync(reinterpret_cast<void**>(&x), block * sizeof(double), stream), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(x, 0, block * sizeof(double), stream), cudaSuccess);
  ASSERT_EQ(start(1, 0, copy, x, y.data), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(x, other), cudaSuccess);
  EXPECT_NE(fault().find("is freed, which work of another stream touches"), std::string::npos);
}

TEST_F(EmulatedStreams, DoNotWorkNextToTheDefaultOne) {
  const Numbers x(1);
  ::testing::internal::CaptureStderr();
  cudaMemsetAsync(x.data, 0, sizeof(double), nullptr);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("work in the default stream"), std::string::npos);
}

TEST_F(EmulatedStreams, FindPinnedMemoryThatTheHostChangesBeforeItsCopyIsMade) {
  const Numbers x(1);
  copy_in(x);
  ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  *pinned = 1;
  copy_in(x);
  *pinned = 2;
  EXPECT_NE(fault().find("the host has changed some of 8 bytes"), std::string::npos);
}

TEST_F(EmulatedStreams, BringNotANumberToAHostThatReadsTooEarly) {
  const Numbers x(1);
  copy_in(x);
  copy_out(x);
  EXPECT_EQ(*pinned, 0) << "the copy from there comes first";
  ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  copy_out(x);
  EXPECT_TRUE(std::isnan(*pinned));
  ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  EXPECT_EQ(*pinned, 0);
}

TEST_F(EmulatedGpu, CanBeACardWithLessSharedMemory) {
  setenv("RITZ_EMULATED_GPU_SHARED", "64", 1);
  int most = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  EXPECT_EQ(most, 64 << 10);
  constexpr cudaFuncAttribute asked = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(cudaFuncSetAttribute(use_scratch, asked, 64 << 10), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(use_scratch, asked, 65 << 10), cudaErrorInvalidValue);
}

TEST_F(EmulatedGpu, CanBeACardWithoutMemoryPools) {
  setenv("RITZ_EMULATED_GPU_WITHOUT_POOLS", "1", 1);
  int pools = 1;
  ASSERT_EQ(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0), cudaSuccess);
  EXPECT_EQ(pools, 0);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool = nullptr;
  EXPECT_EQ(cudaMemPoolCreate(&pool, &properties), cudaErrorNotSupported);
}

template <int Stride>
__global__ void strided(const double* from, double* to) {
  __shared__ double shared[32 * Stride];
  shared[threadIdx.x * Stride] = from[threadIdx.x * Stride];
  __syncthreads();
  to[threadIdx.x] = shared[threadIdx.x * Stride];
}

// Counts of one warp for each kind of access, "global read" and so on: requests, bytes, sectors or passes.
using Counts = std::map<std::string, std::vector<long>>;
// Made before the emulated GPU asks for its name, so that it goes after the last counts have been written at exit.
struct TrafficFile {
  std::string path = ::testing::TempDir() + "ritz-traffic-" + std::to_string(getpid()) + ".tsv";
  ~TrafficFile() { std::remove(path.c_str()); }
};
template <class Run>
Counts counts_of(const Run& run) {
  static const TrafficFile file;
  setenv("RITZ_EMULATED_GPU_TRAFFIC", file.path.c_str(), 1);
  run();
  emulator::write_traffic();
  Counts counts;
  std::ifstream in(file.path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, access, module, place;
    words >> kind;
    if (kind == "kernel") continue;
    words >> access >> module >> place;
    std::vector<long> numbers(3);
    for (long& number : numbers) words >> number;
    counts[kind + " " + access] = numbers;
  }
  return counts;
}

template <int Stride>
Counts counts_of_stride(cudaStream_t stream) {
  return counts_of([&] {
    const Numbers from(32 * Stride), to(32);
    cudaMemsetAsync(from.data, 0, from.count * sizeof(double), stream);
    cudaLaunchConfig_t c{};
    c.gridDim = dim3(1);
    c.blockDim = dim3(32);
    c.stream = stream;
    EXPECT_EQ(cudaLaunchKernelEx(&c, strided<Stride>, from.data, to.data), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  });
}

// 32 numbers of 8 bytes in a row are 8 sectors of 32 bytes and, in 32 banks of 4 bytes, two passes.
TEST_F(EmulatedGpu, CountsNumbersInARow) {
  const Counts expected{{"global read", {1, 256, 8}},
                        {"shared write", {1, 256, 2}},
                        {"shared read", {1, 256, 2}},
                        {"global write", {1, 256, 8}}};
  EXPECT_EQ(counts_of_stride<1>(stream), expected);
}

// With a distance of 128 bytes each number is a sector of its own, and all lie in two banks.
TEST_F(EmulatedGpu, CountsWhatLiesApart) {
  const Counts expected{{"global read", {1, 256, 32}},
                        {"shared write", {1, 256, 32}},
                        {"shared read", {1, 256, 32}},
                        {"global write", {1, 256, 8}}};
  EXPECT_EQ(counts_of_stride<16>(stream), expected);
}

__global__ void one_number(const double* from, double* to) { to[threadIdx.x] = *from; }

TEST_F(EmulatedGpu, CountsANumberThatAllReadOnce) {
  const Counts counts = counts_of([&] {
    const Numbers x(1), y(block);
    cudaMemsetAsync(x.data, 0, sizeof(double), stream);
    EXPECT_EQ(fault_of(1, 0, one_number, x.data, y.data), "");
  });
  EXPECT_EQ(counts.at("global read"), (std::vector<long>{2, 16, 2}));  // two warps
}

}  // namespace ritz::cuda
