#include "device/machine.hpp"

#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/last_launch.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <vector>

namespace ritz {
namespace {

thread_local const char* newest_launch = "";

}  // namespace

const char* last_launch() noexcept { return newest_launch; }

void Machine::checked(MachineCall call, const char* what) {
  if (calls_.next_fails(call))
    throw Error(ErrorKind::environment, fmt::format("{} failed on {}", what, info_.name),
                "the device reported an error (injected by a test)",
                "restart the run; if it repeats, run 'ritz devices'");
}

void* Machine::allocate(Index bytes) {
  if (calls_.next_fails(MachineCall::allocate)) return nullptr;
  return do_allocate(bytes);
}

void* Machine::allocate_pinned(Index bytes) {
  if (calls_.next_fails(MachineCall::allocate)) return nullptr;
  return do_allocate_pinned(bytes);
}

void* Machine::do_allocate_pinned(Index bytes) {
  if (!take_host_memory(bytes)) return nullptr;
  void* const memory = std::malloc(static_cast<std::size_t>(bytes));
  if (memory == nullptr) give_host_memory(bytes);
  return memory;
}

void Machine::do_free_pinned(void* memory, Index bytes) noexcept {
  std::free(memory);
  give_host_memory(bytes);
}

void Machine::copy_to_device(void* device, const void* host, Index bytes) {
  checked(MachineCall::copy, "a copy to the device");
  traffic_.to_device += bytes;
  do_copy_to_device(device, host, bytes);
}

void Machine::copy_to_host(void* host, const void* device, Index bytes) {
  checked(MachineCall::copy, "a copy from the device");
  traffic_.to_host += bytes;
  ++traffic_.waits;
  do_copy_to_host(host, device, bytes);
}

void Machine::begin_copy_to_device(void* device, const void* pinned, Index bytes) {
  checked(MachineCall::copy, "a copy to the device");
  traffic_.to_device += bytes;
  do_begin_copy_to_device(device, pinned, bytes);
}

void Machine::begin_copy_to_host(void* pinned, const void* device, Index bytes) {
  checked(MachineCall::copy, "a copy from the device");
  traffic_.to_host += bytes;
  do_begin_copy_to_host(pinned, device, bytes);
}

void Machine::copy_on_device(void* target, const void* source, Index bytes) {
  checked(MachineCall::copy, "a copy on the device");
  do_copy_on_device(target, source, bytes);
}

void Machine::fill_zero(void* device, Index bytes) {
  checked(MachineCall::launch, "fill_zero");
  do_fill_zero(device, bytes);
}

void Machine::read_scalars(double* host, const double* device, int count) {
  checked(MachineCall::copy, "a read of scalars");
  ++traffic_.scalar_reads;
  ++traffic_.waits;
  do_copy_to_host(host, device, count * static_cast<Index>(sizeof(double)));
}

void Machine::begin_read(ScalarRead& read, const double* device, int count) {
  checked(MachineCall::copy, "a read of scalars");
  ++traffic_.scalar_reads;
  read.begin(device, count);
}

void Machine::finish_read(ScalarRead& read, double* host, int count) {
  ++traffic_.waits;
  read.finish(host, count);
}

namespace {

class ImmediateRead final : public ScalarRead {
 public:
  using Copy = std::function<void(double*, const double*, int)>;
  ImmediateRead(int most, Copy copy) : numbers_(static_cast<std::size_t>(most)), copy_(std::move(copy)) {}
  void begin(const double* device, int count) override { copy_(numbers_.data(), device, count); }
  void finish(double* host, int count) override { std::copy_n(numbers_.data(), count, host); }

 private:
  std::vector<double> numbers_;
  Copy copy_;
};

}  // namespace

std::unique_ptr<ScalarRead> Machine::do_make_scalar_read(int most) {
  return std::make_unique<ImmediateRead>(most, [this](double* host, const double* device, int count) {
    do_copy_to_host(host, device, count * static_cast<Index>(sizeof(double)));
  });
}

void Machine::begin_launch(const char* name) {
  checked(MachineCall::launch, name);
  newest_launch = name;
  if (info_.kind != "gpu") ++traffic_.kernels;
  do_begin_launch();
}

// Also runs while an error is propagating (LaunchScope): that error is reported, and a second would end the program.
void Machine::end_launch() {
  if (std::uncaught_exceptions() == 0) return do_end_launch();
  try {
    do_end_launch();
  } catch (const Error&) {}
}

void Machine::synchronize() {
  checked(MachineCall::synchronize, "synchronisation");
  ++traffic_.waits;
  do_synchronize();
}

}  // namespace ritz
