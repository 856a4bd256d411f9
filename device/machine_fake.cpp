#include "device/machine_cpu.hpp"

#include "device/error.hpp"

#include <cstring>
#include <map>
#include <sys/mman.h>

namespace ritz {
namespace {

class FakeMachine final : public Machine {
 public:
  FakeMachine() {
    info_ = make_cpu_machine("")->info();
    info_.kind = "fake";
    info_.name = "fake device";
    void* memory = mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw Error(ErrorKind::device_memory, "the fake device cannot reserve address space");
    arena_ = static_cast<char*>(memory);
  }
  ~FakeMachine() override { munmap(arena_, arena_bytes); }
  bool is_apart() const override { return true; }

 protected:
  // First fit in gaps of whole pages; the pool above keeps the number of calls small.
  void* do_allocate(Index bytes) override {
    const auto size = (static_cast<std::size_t>(bytes) + page - 1) / page * page;
    std::size_t start = 0;
    for (const auto& [offset, length] : used_) {
      if (offset - start >= size) break;
      start = offset + length;
    }
    if (start + size > arena_bytes) return nullptr;
    used_[start] = size;
    if (open_ > 0) mprotect(arena_ + start, size, PROT_READ | PROT_WRITE);  // allocated within a launch, for its use
    return arena_ + start;
  }
  void do_free(void* memory) noexcept override {
    used_.erase(static_cast<std::size_t>(static_cast<char*>(memory) - arena_));
  }
  void do_copy_to_device(void* device, const void* host, Index bytes) override { copy(device, host, bytes); }
  void do_copy_to_host(void* host, const void* device, Index bytes) override { copy(host, device, bytes); }
  void do_copy_on_device(void* target, const void* source, Index bytes) override { copy(target, source, bytes); }
  void do_fill_zero(void* device, Index bytes) override {
    do_begin_launch();
    std::memset(device, 0, static_cast<std::size_t>(bytes));
    do_end_launch();
  }
  void do_begin_launch() override {
    if (open_++ == 0) protect(PROT_READ | PROT_WRITE);
  }
  void do_end_launch() override {
    if (--open_ == 0) protect(PROT_NONE);
  }

 private:
  static constexpr std::size_t arena_bytes = std::size_t{16} << 30;
  static constexpr std::size_t page = 4096;

  void copy(void* target, const void* source, Index bytes) {
    do_begin_launch();
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
    do_end_launch();
  }
  void protect(int rights) {
    if (!used_.empty()) mprotect(arena_, used_.rbegin()->first + used_.rbegin()->second, rights);
  }

  char* arena_ = nullptr;
  std::map<std::size_t, std::size_t> used_;  // offset -> length
  int open_ = 0;
};

}  // namespace

std::unique_ptr<Machine> make_fake_machine() { return std::make_unique<FakeMachine>(); }

}  // namespace ritz
