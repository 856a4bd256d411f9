// The GPU as a machine: memory, copies, launches. Label gpu: ctest -L gpu.
#include "device/environment_variable.hpp"
#include "device/array.hpp"
#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/ranks/device_messages.hpp"
#include "device/staging.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/device/test_kernels.hpp"

#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>

namespace ritz {
namespace {

// A function of the emulated GPU; nullptr: there is none.
template <class Function>
Function* of_emulator(const char* name) {
  const char* const folder = std::getenv("RITZ_MODULES");
  if (folder == nullptr) return nullptr;
  void* const emulator = dlopen((std::string(folder) + "/libritz_emulated_gpu.so").c_str(), RTLD_NOW | RTLD_NOLOAD);
  return emulator != nullptr ? reinterpret_cast<Function*>(dlsym(emulator, name)) : nullptr;
}

class GpuMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!list_devices().why_no_gpu.empty()) GTEST_SKIP() << "skipped: no GPU (" << list_devices().why_no_gpu << ")";
    gpu = Device::named("gpu");
    ASSERT_TRUE(gpu.is_gpu());
  }
  const TestKernels& test_kernels() { return kernels<TestKernels>(gpu, "test_device_kernels", "test"); }
  Device gpu;
};

TEST_F(GpuMachine, CopiesComeBackAsTheyWent) {
  // The last takes each of the two pinned blocks twice.
  for (const Index size : {Index{1}, Index{64}, Index{65}, 3 * staging_piece / Index{sizeof(double)} + 1}) {
    std::vector<double> values(static_cast<std::size_t>(size));
    for (Index i = 0; i < size; ++i) values[i] = std::sin(double(i));
    Vector a(gpu, values, "test"), b(gpu, size, "test");
    b.copy_from(a);
    EXPECT_EQ(b.host(), values);
    b.fill_zero();
    EXPECT_EQ(b.host(), std::vector<double>(values.size(), 0.0));
  }
}

TEST_F(GpuMachine, LaunchesVisitEveryIndexOnce) {
  for (const Index size : {0, 1, 255, 256, 257, 1'000'003}) {
    Vector visits(gpu, size, "test");
    visits.fill_zero();
    test_kernels().count_visits(gpu, size, visits.data());
    const std::vector<double> values = visits.host();
    for (Index i = 0; i < size; ++i) ASSERT_EQ(values[i], double(i + 1));
  }
}

TEST_F(GpuMachine, ReductionsAgreeWithTheCpuAndRepeatBitwise) {
  for (const Index size : {0, 1, 4096, 4097, test::takes_small_sizes(gpu) ? 1'100'003 : 3'000'001}) {
    std::vector<double> x(static_cast<std::size_t>(size)), y(x.size());
    long double product = 0, bound = 1e-300;
    for (Index i = 0; i < size; ++i) {
      x[i] = std::sin(double(i));
      y[i] = std::cos(3.0 * double(i));
      product += static_cast<long double>(x[i]) * y[i];
      bound += std::abs(x[i] * y[i]);
    }
    const Vector xd(gpu, x, "test"), yd(gpu, y, "test");
    std::vector<double> first;
    for (int repeat = 0; repeat < 3; ++repeat) {
      Vector result(gpu, 2, "test");
      test_kernels().sums(gpu, size, xd.data(), yd.data(), result.data());
      if (first.empty()) first = result.host();
      EXPECT_EQ(result.host(), first);
    }
    EXPECT_NEAR(first[1], double(product), 1e-13 * double(bound));
  }
}

TEST_F(GpuMachine, PoolReusesAndTooMuchIsAResourceError) {
  if (environment("RITZ_REUSE_MEMORY") == "0") GTEST_SKIP() << "skipped: memory is not to be used again";
  for (int repeat = 0; repeat < 10; ++repeat) const Vector a(gpu, 100'000, "test");
  EXPECT_EQ(gpu.memory().statistics().raw_allocations, 1);
  try {
    const Vector a(gpu, Index{1} << 45, "test");
    FAIL();
  } catch (const Error& error) { EXPECT_EQ(error.exit(), Exit::resources) << error.what(); }
  EXPECT_EQ(Vector(gpu, std::vector<double>{1, 2}, "test").host(), (std::vector<double>{1, 2}));
  EXPECT_EQ(gpu.memory().statistics().live, 0);
}

// Scalars on their way to the host have one place.
TEST_F(GpuMachine, LaunchesOfTwoThreadsAtATimeAreRefused) {
  const Vector x(gpu, std::vector<double>{1, 2}, "test");
  Machine& machine = gpu.machine();
  machine.begin_launch("held");
  std::thread([&] { EXPECT_THROW(machine.begin_launch("other"), Error); }).join();
  machine.end_launch();
  std::thread([&] {
    EXPECT_NO_THROW(machine.begin_launch("next"));
    machine.end_launch();
  }).join();
  EXPECT_EQ(x.host(), (std::vector<double>{1, 2}));
}

// NCCL, with a job of one rank.
class GpuMessages : public GpuMachine {
 protected:
  void SetUp() override {
    GpuMachine::SetUp();
    if (IsSkipped()) return;
    const DeviceMessagesModule* module = nullptr;
    if (const std::string why = load_device_messages(module); !why.empty()) GTEST_SKIP() << "skipped: no NCCL: " << why;
    messages = module->prepare(gpu, 0, 1);
    messages->join(module->id());
  }
  static Parcel to_itself(const Vector& sent, Vector& received) {
    const auto size = static_cast<std::size_t>(sent.bytes());
    return {0,
            {reinterpret_cast<const std::byte*>(sent.data()), size},
            {reinterpret_cast<std::byte*>(received.data()), size}};
  }
  std::unique_ptr<DeviceMessages> messages;
};

TEST_F(GpuMessages, BringWhatTheKernelsBeforeThemWroteToTheKernelsBehindThem) {
  for (const Index size : {1, 1000, 1'000'003}) {
    Vector sent(gpu, size, "test"), received(gpu, size, "test");
    sent.fill_zero();
    received.fill_zero();
    for (double round = 1; round <= 3; ++round) {
      test_kernels().count_visits(gpu, size, sent.data());  // adds 1, 2, ...
      messages->begin(std::vector<Parcel>{to_itself(sent, received)});
      messages->finish();
      test_kernels().count_visits(gpu, size, received.data());
      const std::vector<double> before = sent.host(), after = received.host();
      for (Index i = 0; i < size; i += 997) {
        ASSERT_EQ(before[i], round * double(i + 1));
        ASSERT_EQ(after[i], (round + 1) * double(i + 1));
      }
    }
  }
  messages->check();
}

TEST_F(GpuMessages, SumOfOneRankIsItsNumber) {
  for (const int count : {1, 6, 700}) {
    std::vector<double> numbers(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) numbers[k] = std::sin(double(k));
    Vector on_device(gpu, numbers, "test");
    messages->sum(on_device.data(), count);
    EXPECT_EQ(on_device.host(), numbers);
  }
}

TEST_F(GpuMessages, AreNoMoreOnceTheyAreGivenUp) {
  messages->abandon();
  Vector sent(gpu, 1, "test"), received(gpu, 1, "test");
  EXPECT_THROW(messages->begin(std::vector<Parcel>{to_itself(sent, received)}), Error);
}

// In turns, as each call must choose its own.
TEST(SeveralGpus, WorkBesideEachOtherInOneProcess) {
  const std::size_t count = list_devices().devices.size() - 1;
  if (count < 2 || std::getenv("RITZ_EMULATED_GPU_TAKEN") != nullptr) GTEST_SKIP() << "there are " << count << " GPUs";
  constexpr Index size = 5000;
  std::vector<double> ones(size, 1.0);
  std::vector<Device> gpus;
  std::vector<Vector> x, sums;
  for (std::size_t g = 0; g < count; ++g) {
    gpus.push_back(Device::named("gpu:" + std::to_string(g)));
    x.emplace_back(gpus[g], ones, "test");
    sums.emplace_back(gpus[g], 2, "test");
  }
  for (std::size_t g = 0; g < count; ++g) {
    const auto& table = kernels<TestKernels>(gpus[g], "test_device_kernels", "test");
    x[g].fill_zero();
    table.count_visits(gpus[g], size, x[g].data());
    table.sums(gpus[g], size, x[g].data(), x[g].data(), sums[g].data());
  }
  const double squares = double(size) * double(size + 1) * double(2 * size + 1) / 6;  // 1^2 + 2^2 + ...
  for (std::size_t g = 0; g < count; ++g) {
    EXPECT_NEAR(sums[g].host()[1], squares, 1e-12 * squares);
    // The GPU before this one is the current one.
    PendingSum pending(gpus[(g + 1) % count], 2);
    double numbers[2] = {};
    pending.begin(sums[(g + 1) % count].data(), 2);
    pending.finish(numbers);
    EXPECT_NEAR(numbers[1], squares, 1e-12 * squares);
  }
  for (std::size_t g = 0; g < count; ++g) {
    x[g] = Vector();
    EXPECT_EQ(gpus[g].memory().statistics().live, MemoryPool::block_size(2 * sizeof(double)));
    gpus[g].memory().trim();
  }
}

// An error that was told of one GPU is not the other's.
TEST(SeveralGpus, AutoLeavesOutWhatIsTaken) {
  const char* const taken = std::getenv("RITZ_EMULATED_GPU_TAKEN");
  if (taken == nullptr) GTEST_SKIP() << "on the emulated GPU only";
  EXPECT_THROW(Device::named("gpu:" + std::string(taken)), Error);
  const Device free = Device::named("auto");
  ASSERT_TRUE(free.is_gpu()) << free.description();
  EXPECT_NE(std::to_string(free.info().ordinal), taken);
  EXPECT_NE(free.description().find("left out"), std::string::npos) << free.description();
  EXPECT_EQ(Vector(free, std::vector<double>{1, 2}, "test").host(), (std::vector<double>{1, 2}));
}

// A context takes memory and time, and may lock a card against others.
TEST(SeveralGpus, AutoOpensTheChosenOneOnly) {
  const std::size_t devices = list_devices().devices.size();  // loads the emulated GPU
  const auto contexts = of_emulator<int()>("emulatedContexts");
  if (devices < 3 || contexts == nullptr) GTEST_SKIP() << "on two emulated GPUs only";
  EXPECT_EQ(contexts(), 0);
  for (const MachineInfo& info : list_devices().devices) EXPECT_GT(info.memory_free, 0);
  EXPECT_EQ(contexts(), 0);
  const Device device = Device::named("auto");
  EXPECT_TRUE(device.is_gpu());
  EXPECT_EQ(contexts(), 1);
}

// How much the default pool keeps is the choice of CuPy or PyTorch in the same process.
TEST_F(GpuMachine, TheDefaultPoolOfTheDeviceStaysAsItIs) {
  const auto changes = of_emulator<int()>("emulatedDefaultPoolChanges");
  if (changes == nullptr) GTEST_SKIP() << "on the emulated GPU only";
  { const Vector some(gpu, std::vector<double>(1000, 1.0), "test"); }
  gpu.memory().trim();
  EXPECT_EQ(changes(), 0);
}

// The emulated GPU counts bytes here and moves none.
TEST_F(GpuMachine, TakesCopiesOfMoreThanFourGigabytes) {
  const auto bytes_so_far = of_emulator<std::size_t()>("emulatedBytes");
  if (bytes_so_far == nullptr || std::getenv("RITZ_EMULATED_GPU_DRY") == nullptr)
    GTEST_SKIP() << "on the emulated GPU only";
  const auto bytes_of = [&](const auto& call) {
    const std::size_t before = bytes_so_far();
    call();
    return static_cast<Index>(bytes_so_far() - before);
  };
  Machine& machine = gpu.machine();
  Vector x(gpu, (Index{1} << 29) + 3, "test");
  EXPECT_EQ(x.bytes(), (Index{1} << 32) + 24);
  void *const host = &x, *const there = x.data();
  EXPECT_EQ(bytes_of([&] { x.fill_zero(); }), x.bytes());
  EXPECT_EQ(bytes_of([&] { machine.copy_on_device(there, there, x.bytes()); }), x.bytes());
  EXPECT_EQ(bytes_of([&] { machine.copy_to_device(there, host, x.bytes()); }), x.bytes());
  EXPECT_EQ(bytes_of([&] { machine.copy_to_host(host, there, x.bytes()); }), x.bytes());
  EXPECT_EQ(bytes_of([&] { machine.begin_copy_to_device(there, host, x.bytes()); }), x.bytes());
  EXPECT_EQ(bytes_of([&] { machine.begin_copy_to_host(host, there, x.bytes()); }), x.bytes());
}

TEST_F(GpuMachine, CopyRateIsMeasured) {
  const double rate = measure_copy_rate(gpu, Index{1} << 22);
  EXPECT_GT(rate, 0);
  EXPECT_TRUE(std::isfinite(rate));
}

}  // namespace
}  // namespace ritz
