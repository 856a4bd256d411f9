#include "device/staging.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cstring>

namespace ritz {
namespace {

constexpr Index least_staged = Index{1} << 20;  // [bytes] below, a driver's own staging is as good

// Two blocks of the pinned pool, or none where there is no memory for them.
class Stage {
 public:
  explicit Stage(const Device& device) : device_(device) {
    try {
      for (void*& block : blocks_) block = device.pinned().allocate(staging_piece, "staging");
    } catch (const Error& error) {
      if (error.exit() != Exit::resources) throw;
    }
  }
  ~Stage() {
    for (void* const block : blocks_) device_.pinned().release(block);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  bool complete() const { return blocks_[1] != nullptr; }
  char* block(Index piece) const { return static_cast<char*>(blocks_[piece % 2]); }

 private:
  const Device& device_;
  void* blocks_[2] = {};
};

Index pieces_of(Index bytes) { return (bytes + staging_piece - 1) / staging_piece; }
Index size_of(Index piece, Index bytes) { return std::min(staging_piece, bytes - piece * staging_piece); }

// By all threads of the device: one fills a quarter of what a bus to a GPU takes.
void copy_on_host(const Device& device, char* target, const char* source, Index bytes) {
  constexpr Index least_share = Index{1} << 18;
  const Index shares = std::max<Index>(1, std::min<Index>(device.threads(), bytes / least_share));
#pragma omp parallel for num_threads(device.team(shares))
  for (Index i = 0; i < shares; ++i) {
    const Index first = bytes * i / shares, last = bytes * (i + 1) / shares;
    std::memcpy(target + first, source + first, static_cast<std::size_t>(last - first));
  }
}

}  // namespace

void copy_to_device(const Device& device, void* target, const void* host, Index bytes) {
  Machine& machine = device.machine();
  if (!machine.is_apart() || bytes < least_staged) return machine.copy_to_device(target, host, bytes);
  const Stage stage(device);
  if (!stage.complete()) return machine.copy_to_device(target, host, bytes);
  for (Index piece = 0; piece < pieces_of(bytes); ++piece) {  // the block was emptied before the last piece went
    const Index size = size_of(piece, bytes);
    copy_on_host(device, stage.block(piece), static_cast<const char*>(host) + piece * staging_piece, size);
    machine.synchronize();
    machine.begin_copy_to_device(static_cast<char*>(target) + piece * staging_piece, stage.block(piece), size);
  }
  machine.synchronize();
}

void copy_to_host(const Device& device, void* host, const void* source, Index bytes) {
  Machine& machine = device.machine();
  if (!machine.is_apart() || bytes < least_staged) return machine.copy_to_host(host, source, bytes);
  const Stage stage(device);
  if (!stage.complete()) return machine.copy_to_host(host, source, bytes);
  const auto begin = [&](Index piece) {
    machine.begin_copy_to_host(stage.block(piece), static_cast<const char*>(source) + piece * staging_piece,
                               size_of(piece, bytes));
  };
  begin(0);
  for (Index piece = 0; piece < pieces_of(bytes); ++piece) {
    machine.synchronize();
    if (piece + 1 < pieces_of(bytes)) begin(piece + 1);
    copy_on_host(device, static_cast<char*>(host) + piece * staging_piece, stage.block(piece), size_of(piece, bytes));
  }
}

}  // namespace ritz
