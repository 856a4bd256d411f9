#include "device/transfer_rate.hpp"

#include "device/array.hpp"
#include "device/error.hpp"
#include "device/machine_cuda.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace ritz {
namespace {

// Host memory whose pages stay where they are as long as this lives.
class Pinned {
 public:
  Pinned(const Device& device, void* memory, Index bytes) : memory_(memory) {
    std::string why;
    if (device.is_gpu()) factory_ = cuda_factory(why);
    if (factory_ != nullptr && !factory_->pin(memory, bytes)) factory_ = nullptr;
  }
  ~Pinned() {
    if (factory_ != nullptr) factory_->unpin(memory_);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  bool holds() const { return factory_ != nullptr; }

 private:
  void* memory_;
  const CudaFactory* factory_ = nullptr;
};

template <class Copy>
double rate_of(const Device& device, Index bytes, const Copy& copy) {
  double best = 0;
  for (int repeat = 0; repeat < 4; ++repeat) {  // the first warms up
    device.synchronize();
    const auto start = std::chrono::steady_clock::now();
    copy();
    device.synchronize();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (repeat > 0) best = std::max(best, double(bytes) / seconds);
  }
  return best;
}

}  // namespace

TransferRate measure_transfer_rate(const Device& device, Index bytes) {
  std::vector<std::uint8_t> sent(static_cast<std::size_t>(bytes)), back(sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint8_t>(i * 167 >> 4);
  const Array<std::uint8_t> there(device, bytes, "transfer rate");
  const Pinned from(device, sent.data(), bytes), to(device, back.data(), bytes);
  Machine& machine = device.machine();
  TransferRate rate{.pinned = from.holds() && to.holds()};
  rate.to_device = rate_of(
      device, bytes, [&] { machine.copy_to_device(const_cast<std::uint8_t*>(there.data()), sent.data(), bytes); });
  rate.to_host = rate_of(device, bytes, [&] { machine.copy_to_host(back.data(), there.data(), bytes); });
  if (back != sent)
    throw Error(ErrorKind::internal, "other bytes came back from the device than were sent to it", {},
                "test the machine's memory; if it is sound, please report this");
  return rate;
}

}  // namespace ritz
