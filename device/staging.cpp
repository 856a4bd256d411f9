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
std::size_t size_of(Index piece, Index bytes) {
  return static_cast<std::size_t>(std::min(staging_piece, bytes - piece * staging_piece));
}

}  // namespace

void copy_to_device(const Device& device, void* target, const void* host, Index bytes) {
  Machine& machine = device.machine();
  if (!machine.is_apart() || bytes < least_staged) return machine.copy_to_device(target, host, bytes);
  const Stage stage(device);
  if (!stage.complete()) return machine.copy_to_device(target, host, bytes);
  for (Index piece = 0; piece < pieces_of(bytes); ++piece) {  // the block was emptied before the last piece went
    const std::size_t size = size_of(piece, bytes);
    std::memcpy(stage.block(piece), static_cast<const char*>(host) + piece * staging_piece, size);
    machine.synchronize();
    machine.begin_copy_to_device(static_cast<char*>(target) + piece * staging_piece, stage.block(piece),
                                 static_cast<Index>(size));
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
                               static_cast<Index>(size_of(piece, bytes)));
  };
  begin(0);
  for (Index piece = 0; piece < pieces_of(bytes); ++piece) {
    machine.synchronize();
    if (piece + 1 < pieces_of(bytes)) begin(piece + 1);
    std::memcpy(static_cast<char*>(host) + piece * staging_piece, stage.block(piece), size_of(piece, bytes));
  }
}

}  // namespace ritz
