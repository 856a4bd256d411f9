// Executes kernels of a Module (module.hpp): blocks one after the other, a warp's 32 lanes together. Of lanes that took
// different ways those with the lowest program counter go first, which brings them together again.
//   run({.kernel = module.entry("saxpy"), .module = &module, .blocks = {4}, .threads = {256}, .parameters = block});
#pragma once

#include "tests/ptx/module.hpp"

#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

namespace ritz::ptx {

// A kernel's mistake: `kind` is that of NVIDIA's tools (memcheck, synccheck, trap, ...).
struct Fault : std::runtime_error {
  Fault(std::string kind_, const std::string& what) : std::runtime_error(what), kind(std::move(kind_)) {}
  std::string kind;
};

struct Size {
  std::uint32_t x = 1, y = 1, z = 1;
};

struct Place {  // of an access, between two barriers of its block (epoch) or of its warp
  std::uint32_t block, thread, epoch, warp_epoch;
  const Instruction* instruction;
};

// Is told of accesses to global and shared memory before they are made; throws a Fault where one is not allowed.
class Watch {
 public:
  // read_only: through the cache for what no kernel writes meanwhile; atomic: also volatile and relaxed accesses
  enum class Kind { read, read_only, write, atomic_read, atomic_write };
  virtual ~Watch() = default;
  virtual void begin_block(const void* shared, std::size_t bytes) = 0;
  virtual void access(const Place& place, const void* memory, unsigned bytes, Kind kind) = 0;
  // After a write that others may have waited for, before the next access: what was written is known now.
  virtual void end_access() = 0;
  virtual void fence(const Place& place) = 0;
  virtual void release(const Place& place) = 0;  // what the block wrote is seen by whoever acquires it
  virtual void acquire(const Place& place) = 0;
  virtual void strong_write(const Place& place) = 0;  // releases what is before an earlier fence
  virtual void strong_read(const Place& place) = 0;   // acquires at a later fence
};

struct Launch {
  const Function* kernel = nullptr;
  Module* module = nullptr;
  Size blocks, threads;
  std::span<const char> parameters;  // laid out as the kernel's .param list
  std::size_t dynamic_shared_bytes = 0;
  Watch* watch = nullptr;
  std::function<void(const std::string&)> print;             // printf of kernels; empty: to stdout
  std::uint64_t most_instructions = std::uint64_t{1} << 33;  // of a block's warps together, then it is called endless
};

// The lines of an instruction: in the PTX, and in the source when nvcc has written that (-lineinfo).
std::string text_of(const Module& module, const Instruction& instruction);

struct Counts {
  std::uint64_t instructions = 0;  // of warps
};

// Throws Fault, or Unsupported when an instruction that the interpreter lacks is met.
Counts run(const Launch& launch);

// ---- inside the machine ----

enum class Wait : std::uint8_t { none, warp, block };

struct Group {  // lanes at one place
  Mask mask = 0;
  std::uint32_t pc = 0;
  Wait wait = Wait::none;
  std::uint8_t barrier = 0;
  const Instruction* instruction = nullptr;  // that they wait in
  Mask vote = 0;                             // of a barrier with a reduction
};

struct Frame {
  const Function* function = nullptr;
  char* registers = nullptr;
  std::uint32_t local_base = 0;  // of the function's variables, in the local memory of a lane
  std::uint32_t return_pc = 0;
  Mask mask = 0;
  const Instruction* call = nullptr;
  std::vector<Group> waiting;
};

struct Block;

struct Warp {
  Block* block = nullptr;
  std::uint32_t number = 0;
  Mask live = 0;                      // lanes that have not ended
  Mask active = 0, exec = 0;          // lanes at pc, and those of them whose guard holds
  std::uint32_t pc = 0, next_pc = 0;  // the lowest one of other lanes that could run
  std::uint32_t epoch = 0;
  Mask carry = 0;  // of .cc
  char* registers = nullptr;
  const char* constants = nullptr;
  const Instruction* now = nullptr;
  std::vector<Frame> frames;
  std::vector<char> storage;  // of the registers of all frames
  std::size_t used_storage = 0;
  char* local = nullptr;  // local_stride bytes for each lane
  std::uint32_t used_local = 0;
  std::uint32_t turns = 0;  // backward branches since other lanes last ran

  template <class T>
  T* out(const Operand& o) {
    return reinterpret_cast<T*>(registers + o.at);
  }
  template <class T>
  const T* in(const Operand& o) const {
    return reinterpret_cast<const T*>(o.at >= 0 ? registers + o.at : constants + ~o.at);
  }
  Mask predicate(const Operand& o) const {
    const Mask value = *in<Mask>(o);
    return o.is_negated ? ~value : value;
  }
  void set_predicate(const Operand& o, Mask value) {
    Mask& p = *out<Mask>(o);
    p = (p & ~exec) | (value & exec);
  }
  std::uint64_t lane_bits(const Operand& o, int lane) const;
  void set_lane_bits(const Operand& o, int lane, std::uint64_t bits);

  std::uint32_t thread(int lane) const { return number * lanes + static_cast<std::uint32_t>(lane); }
  Place place(int lane) const;
  [[noreturn]] void fail(const char* kind, const std::string& what, int lane = -1) const;

  // Control.
  void leave(Group group);        // puts executing lanes aside; the others of the warp go on
  void reschedule();              // another group, as none is active or a lower one waits
  bool gather(Mask member_mask);  // all lanes of the mask are here: true; else they wait
  void branch(std::uint32_t target);
  void end_lanes();  // those that execute
  void return_lanes();
  void call(const Instruction& i, const Function& function);
};

inline constexpr std::uint32_t local_stride = 256 << 10;
inline constexpr std::size_t most_shared_bytes = 227 << 10, shared_room_bytes = most_shared_bytes + (4 << 10);

struct Block {
  const Launch* launch = nullptr;
  Size index;
  std::uint32_t number = 0, thread_count = 0;
  char* shared = nullptr;
  std::size_t shared_bytes = 0;
  std::vector<Warp> warps;
  std::uint64_t instructions = 0, clock = 0;
  std::uint32_t epoch = 0;
  std::uint32_t arrived[16] = {};  // at barriers without waiting

  bool is_shared(std::uint64_t address) const {
    return address - reinterpret_cast<std::uint64_t>(shared) < shared_room_bytes;
  }
};

// Lanes of a mask, one after the other.
template <class F>
void for_lanes(Mask mask, const F& f) {
  for (; mask != 0; mask &= mask - 1) f(__builtin_ctz(mask));
}

}  // namespace ritz::ptx
