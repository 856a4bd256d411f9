#include "tests/cuda_emulator/memory.hpp"

#include "tests/cuda_emulator/atomics.hpp"
#include "tests/cuda_emulator/read_only.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <link.h>
#include <map>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace ritz::emulator {
namespace {

constexpr std::size_t arena_bytes = std::size_t{8} << 30, alignment = 256, word = 4;

// The state of four bytes. Moments are numbered from 1 within the work (shared memory: within the block) that `when`
// names: a launch, a copy, a call of a library.
struct Cell {
  std::uint32_t when;
  std::uint32_t writer, reader;            // the last
  std::uint32_t other_reader, far_reader;  // the last one before it in another thread, and in another warp or block
  std::uint32_t changer;                   // by the last atomic, or another strong write
  std::uint8_t writer_bytes, reader_bytes, other_bytes, far_bytes, changer_bytes;  // bits: which of the four
  bool is_read_only;  // read through the cache for what no kernel writes meanwhile
  enum State : std::uint8_t { unallocated, uninitialised, initialised } state;
};

struct SharedMemory {  // thread-local variables of a module
  std::uintptr_t first, last;
  std::vector<Cell> cells;
};

struct Range {
  std::uintptr_t first, last;
};

struct Memory {
  char* arena = nullptr;
  Cell* cells = nullptr;
  std::map<std::size_t, std::size_t> used;  // offset -> length
  std::map<int, std::size_t> in_use;        // of each device
  int open = 0, closings = 0;
  bool is_closed = true;

  std::string kernel;
  int device = 0;  // that runs it
  std::uint32_t work = 0, block_serial = 0;
  struct Turn {
    std::uint32_t stream, time;
  };
  std::vector<Turn> turns{{}};      // of each work, when it came in its stream
  Turn turn{};                      // now
  Clock before;                     // what is over, by stream
  std::vector<Moment> moments{{}};  // of this launch; number 0 is nobody
  std::uint32_t now = 0;
  Range arguments{}, stack{}, not_asked_for{};  // of this thread; shared memory beyond what the launch says
  std::vector<SharedMemory> shared;
  std::vector<Range> constants;
  // A second writer of a word is no fault when it writes the same: its value shows at the thread's next access.
  const void* suspect = nullptr;
  unsigned suspect_bytes = 0;
  std::uint64_t suspect_value = 0;
  Moment suspect_first{};
  // The newest moment of a block that this launch has released, and when a block acquired what was released.
  std::map<std::uint32_t, std::uint32_t> released, acquired;
  std::uint32_t fenced = 0, incremented = 0;  // moments of the last fence and the last increment

  Memory() {
    void* const memory = mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void* const shadow = mmap(nullptr, arena_bytes / word * sizeof(Cell), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || shadow == MAP_FAILED) {
      fmt::print(stderr, "the emulated GPU cannot reserve address space\n");
      std::abort();
    }
    arena = static_cast<char*>(memory);
    cells = static_cast<Cell*>(shadow);
  }
};

Memory& state = *new Memory;  // outlives everything

bool on_device(std::uintptr_t at) { return at - reinterpret_cast<std::uintptr_t>(state.arena) < arena_bytes; }
// Each device has an equal part of the arena.
std::size_t part_bytes() {
  static const std::size_t bytes = arena_bytes / static_cast<std::size_t>(device_count()) / alignment * alignment;
  return bytes;
}
int device_of(std::uintptr_t at) {
  if (part_bytes() == arena_bytes) return 0;  // a division at each access is dear
  return static_cast<int>((at - reinterpret_cast<std::uintptr_t>(state.arena)) / part_bytes());
}
Cell& cell_of(std::uintptr_t at) { return state.cells[(at - reinterpret_cast<std::uintptr_t>(state.arena)) / word]; }

void set_state(const void* memory, std::size_t bytes, Cell::State state) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  for (std::uintptr_t at = first / word * word; at < first + bytes; at += word) cell_of(at) = Cell{.state = state};
}

std::string text_of(const Moment& moment) { return fmt::format("thread {} of block {}", moment.thread, moment.block); }

std::string place_of(const void* p) {
  const std::size_t offset = static_cast<std::size_t>(static_cast<const char*>(p) - state.arena);
  auto next = state.used.upper_bound(offset);
  if (next == state.used.begin()) return fmt::format("{}, below all allocations", p);
  const auto [start, length] = *--next;
  return fmt::format("{}, byte {} from the start of an allocation of {} bytes", p, offset - start, length);
}

void fault(const char* kind, const void* p, unsigned bytes, Access access, const std::string& more) {
  report(kind, fmt::format("{} {} {} bytes at {}{}\n  in {}", text_of(state.moments[state.now]),
                           access == Access::read ? "reads" : "writes", bytes,
                           on_device(reinterpret_cast<std::uintptr_t>(p)) ? place_of(p) : fmt::format("{}", p), more,
                           state.kernel));
}

// Neither of the two comes before the other.
bool unordered(std::uint32_t earlier) {
  const Moment &a = state.moments[earlier], &b = state.moments[state.now];
  if (a.block != b.block) {
    const auto release = state.released.find(a.block), acquire = state.acquired.find(b.block);
    return release == state.released.end() || acquire == state.acquired.end() || earlier > release->second ||
           release->second > acquire->second;
  }
  const bool in_one_warp = a.thread / 32 == b.thread / 32;
  return a.thread != b.thread && a.epoch == b.epoch && !(in_one_warp && a.warp_epoch != b.warp_epoch);
}
// No event and no wait of the host stands between an earlier work and this one.
bool unordered_work(std::uint32_t earlier) {
  const auto [stream, time] = state.turns[earlier];
  return stream != state.turn.stream && (stream >= state.before.size() || state.before[stream] < time);
}
std::uint32_t begin_next_work() {
  state.turns.push_back(state.turn);
  return ++state.work;
}
bool same_thread(std::uint32_t earlier) {
  const Moment &a = state.moments[earlier], &b = state.moments[state.now];
  return a.block == b.block && a.thread == b.thread;
}

bool same_warp(std::uint32_t earlier) {
  const Moment &a = state.moments[earlier], &b = state.moments[state.now];
  return a.block == b.block && a.thread / 32 == b.thread / 32;
}

void clear_suspicion() {
  if (state.suspect == nullptr) return;
  std::uint64_t value = 0;
  std::memcpy(&value, state.suspect, state.suspect_bytes);
  const void* const p = std::exchange(state.suspect, nullptr);
  if (value != state.suspect_value)
    fault("race", p, state.suspect_bytes, Access::write,
          ", which " + text_of(state.suspect_first) + " writes too, with another value and no barrier between");
}

constexpr const char* another_stream = ", which work of another stream touches, with no event between";

// The first access of this work to a cell.
void begin_cell(Cell& c, std::uint32_t when, bool shared, const void* p, unsigned bytes, Access access) {
  if (!shared && c.when != 0 && (access == Access::write || c.writer != 0 || c.changer != 0) && unordered_work(c.when))
    fault("streams", p, bytes, access, another_stream);
  c = Cell{.when = when, .state = shared ? Cell::uninitialised : c.state};
}

void check_against_readers(const Cell& c, unsigned bytes_of_word, const void* p, unsigned bytes) {
  for (const auto& [reader, its_bytes] :
       {std::pair{c.reader, c.reader_bytes}, {c.other_reader, c.other_bytes}, {c.far_reader, c.far_bytes}})
    if (reader != 0 && (its_bytes & bytes_of_word) != 0 && unordered(reader))
      return fault("race", p, bytes, Access::write,
                   ", which " + text_of(state.moments[reader]) + " reads, with no barrier between");
}

void touch_cell(Cell& c, std::uint32_t when, bool shared, unsigned bytes_of_word, const void* p, unsigned bytes,
                Access access) {
  if (c.when != when) begin_cell(c, when, shared, p, bytes, access);
  if (c.state == Cell::unallocated) return fault("memcheck", p, bytes, access, ": outside of what is allocated");
  if (c.changer != 0 && (c.changer_bytes & bytes_of_word) != 0 && unordered(c.changer))
    fault("race", p, bytes, access,
          ", which " + text_of(state.moments[c.changer]) + " changes by an atomic, with no barrier between");
  const bool written = c.writer != 0 && (c.writer_bytes & bytes_of_word) != 0 && unordered(c.writer);
  if (access == Access::read) {
    if (c.state == Cell::uninitialised) fault("initcheck", p, bytes, access, ", which nobody has written");
    if (written)
      fault("race", p, bytes, access,
            ", which " + text_of(state.moments[c.writer]) + " writes, with no barrier between");
    if (c.reader != 0 && !same_thread(c.reader)) {
      if (!same_warp(c.reader)) {
        c.far_reader = c.reader;
        c.far_bytes = c.reader_bytes;
      }
      c.other_reader = c.reader;
      c.other_bytes = c.reader_bytes;
      c.reader_bytes = 0;
    }
    c.reader = state.now;
    c.reader_bytes |= static_cast<std::uint8_t>(bytes_of_word);
    return;
  }
  if (written && state.suspect == nullptr && bytes <= sizeof(std::uint64_t)) {
    state.suspect = p;
    state.suspect_bytes = bytes;
    state.suspect_value = 0;
    std::memcpy(&state.suspect_value, p, bytes);
    state.suspect_first = state.moments[c.writer];
  }
  check_against_readers(c, bytes_of_word, p, bytes);
  if (c.is_read_only) fault("read-only", p, bytes, access, ", which the kernel reads as what nobody writes (__ldg)");
  if (c.writer != state.now) c.writer_bytes = 0;
  c.writer = state.now;
  c.writer_bytes |= static_cast<std::uint8_t>(bytes_of_word);
  c.state = Cell::initialised;
}

SharedMemory* shared_memory_of(std::uintptr_t at) {
  for (SharedMemory& s : state.shared)
    if (at >= s.first && at < s.last) return &s;
  return nullptr;
}

// Modules are loaded, and thread-local variables made, at any time: looked up again where an address is not known.
void look_at_modules() {
  state.constants.clear();
  std::vector<Range> variables;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0)
            state.constants.push_back(
                {info->dlpi_addr + segment.p_vaddr, info->dlpi_addr + segment.p_vaddr + segment.p_memsz});
          if (segment.p_type == PT_TLS && info->dlpi_tls_data != nullptr) {
            const auto first = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
            static_cast<std::vector<Range>*>(found)->push_back({first, first + segment.p_memsz});
          }
        }
        return 0;
      },
      &variables);
  std::vector<SharedMemory> shared;
  for (const Range& r : variables) {
    if (SharedMemory* known = shared_memory_of(r.first);
        known != nullptr && known->first == r.first && known->last == r.last)
      shared.push_back(std::move(*known));
    else shared.push_back({r.first, r.last, std::vector<Cell>((r.last - r.first) / word + 2)});
  }
  state.shared = std::move(shared);
}

bool is_constant(std::uintptr_t at) {
  return std::ranges::any_of(state.constants, [&](const Range& r) { return at >= r.first && at < r.last; });
}

// The cells of some bytes, each with bits for those of its four that are meant.
template <class F>
void for_cells(std::uintptr_t at, unsigned bytes, SharedMemory* shared, const F& f) {
  Cell* cell = shared != nullptr ? &shared->cells[(at - shared->first / word * word) / word] : &cell_of(at);
  for (std::uintptr_t w = at / word * word; w < at + bytes; w += word, ++cell) {
    unsigned mask = 15u;
    if (w < at) mask &= 15u << (at - w);
    if (w + word > at + bytes) mask &= 15u >> (w + word - at - bytes);
    f(*cell, mask);
  }
}

}  // namespace

void touch(const void* p, unsigned bytes, Access access, const void* instruction) {
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  if (at - state.stack.first < state.stack.last - state.stack.first) return;
  if (access == Access::read && at - state.arguments.first < state.arguments.last - state.arguments.first) return;
  clear_suspicion();
  // A GPU loads and stores numbers where they belong, and only there. Of 16 bytes some are copied that are no number of
  // the source's.
  if (const unsigned step = bytes == 16 ? 8 : bytes; (step & (step - 1)) == 0 && step <= 8 && at % step != 0)
    return fault("memcheck", p, bytes, access, ": misaligned");
  SharedMemory* shared = nullptr;
  if (!on_device(at)) {
    shared = shared_memory_of(at);
    if (shared == nullptr) {
      if (access == Access::read && is_constant(at)) return;
      look_at_modules();
      shared = shared_memory_of(at);
      if (shared == nullptr) {
        if (access == Access::read && is_constant(at)) return;
        if (is_pinned(p)) return access == Access::write ? note_write_to_pinned(p, bytes) : void();
        return fault("memcheck", p, bytes, access, ": memory of the host, or of another thread's stack");
      }
    }
  }
  if (shared == nullptr && device_of(at) != state.device)
    return fault("memcheck", p, bytes, access, ": memory of another GPU");
  if (at + bytes > state.not_asked_for.first && at < state.not_asked_for.last)
    return fault("memcheck", p, bytes, access, ": shared memory beyond what the launch asks for");
  const std::uint32_t when = shared != nullptr ? state.block_serial : state.work;
  count_access(state.moments[state.now].thread, p, bytes, access, shared != nullptr, instruction);
  for_cells(at, bytes, shared, [&](Cell& cell, unsigned mask) {
    if (access == Access::read && cell.when == when && cell.writer == 0 && cell.changer == 0 &&
        cell.reader == state.now) {  // read again
      cell.reader_bytes |= static_cast<std::uint8_t>(mask);
      return;
    }
    touch_cell(cell, when, shared != nullptr, mask, p, bytes, access);
  });
}

void touch_read_only(const void* p, unsigned bytes, const void* instruction) {
  touch(p, bytes, Access::read, instruction);
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  if (!on_device(at)) return;
  for_cells(at, bytes, nullptr, [&](Cell& cell, unsigned) {
    if (cell.writer != 0 || cell.changer != 0)
      fault("read-only", p, bytes, Access::read, ", which the kernel writes, as what nobody writes (__ldg)");
    cell.is_read_only = true;
  });
}

void touch_strongly(const void* p, unsigned bytes, Access access) {
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  clear_suspicion();
  SharedMemory* const shared = on_device(at) ? nullptr : shared_memory_of(at);
  if (shared == nullptr && !on_device(at)) return is_pinned(p) ? void() : touch(p, bytes, access, nullptr);
  if (shared == nullptr && device_of(at) != state.device)
    return fault("memcheck", p, bytes, access, ": memory of another GPU");
  const std::uint32_t when = shared != nullptr ? state.block_serial : state.work;
  for_cells(at, bytes, shared, [&](Cell& c, unsigned mask) {
    if (c.when != when) begin_cell(c, when, shared != nullptr, p, bytes, access);
    if (c.state == Cell::unallocated) return fault("memcheck", p, bytes, access, ": outside of what is allocated");
    if (access == Access::read && c.state == Cell::uninitialised)
      return fault("initcheck", p, bytes, access, ", which nobody has written");
    if (c.writer != 0 && (c.writer_bytes & mask) != 0 && unordered(c.writer))
      fault("race", p, bytes, access,
            ", by an atomic, which " + text_of(state.moments[c.writer]) + " writes, with no barrier between");
    if (access == Access::read) return;
    check_against_readers(c, mask, p, bytes);
    if (c.is_read_only) fault("read-only", p, bytes, access, ", which the kernel reads as what nobody writes (__ldg)");
    if (c.changer != state.now) c.changer_bytes = 0;
    c.changer = state.now;
    c.changer_bytes |= static_cast<std::uint8_t>(mask);
    c.state = Cell::initialised;
  });
}

std::size_t memory_size() {
  static const std::size_t size = [] {
    const char* const given = std::getenv("RITZ_EMULATED_GPU_MEMORY");  // bytes
    return given != nullptr ? std::min(arena_bytes, static_cast<std::size_t>(std::strtoull(given, nullptr, 10)))
                            : std::size_t{4} << 30;
  }();
  return size;
}
std::size_t memory_in_use(int device) { return state.in_use[device]; }

void* allocate(std::size_t bytes, int device) {
  // a gap, to find stray accesses
  const std::size_t size = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment + alignment;
  if (state.in_use[device] + size > memory_size()) return nullptr;
  std::size_t start = static_cast<std::size_t>(device) * part_bytes();
  const std::size_t end = start + part_bytes();
  for (const auto& [offset, length] : state.used) {
    if (offset < start) continue;
    const std::size_t taken = (length + alignment - 1) / alignment * alignment + alignment;
    if (offset >= start + size) break;
    start = offset + taken;
  }
  if (start + size > end) return nullptr;
  state.used[start] = bytes;
  state.in_use[device] += size;
  void* const memory = state.arena + start;
  if (is_dry()) return memory;
  set_state(memory, bytes, Cell::uninitialised);
  open_memory();
  std::memset(memory, 0xff, bytes);
  close_memory();
  return memory;
}

void release(void* memory, bool in_stream) {
  const auto found = state.used.find(static_cast<std::size_t>(static_cast<char*>(memory) - state.arena));
  if (found == state.used.end())
    return report("memcheck", fmt::format("{} is freed, but is not the start of an allocation", memory));
  for (std::size_t offset = 0; in_stream && !is_dry() && offset < found->second; offset += word)
    if (const Cell& c = state.cells[(found->first + offset) / word]; c.when != 0 && unordered_work(c.when)) {
      report("streams", fmt::format("{} is freed{}", place_of(static_cast<char*>(memory) + offset), another_stream));
      break;
    }
  if (!is_dry()) set_state(memory, found->second, Cell::unallocated);
  state.in_use[device_of(reinterpret_cast<std::uintptr_t>(memory))] -=
      (std::max<std::size_t>(found->second, 1) + alignment - 1) / alignment * alignment + alignment;
  state.used.erase(found);
}

void open_memory() {
  if (state.open++ > 0 || !state.is_closed) return;
  mprotect(state.arena, arena_bytes, PROT_READ | PROT_WRITE);
  state.is_closed = false;
}
void close_memory() {
  if (--state.open > 0) return;
  constexpr int always = 200, seldom = 32;  // in the end most of the time would go into the system's page tables
  if (++state.closings > always && state.closings % seldom != 0) return;
  mprotect(state.arena, arena_bytes, PROT_NONE);
  state.is_closed = true;
}

void publish(std::uint32_t until) { state.released[state.moments[state.now].block] = until; }
void acquire(std::uint32_t from) { state.acquired[state.moments[state.now].block] = from; }
void fence() {
  state.fenced = state.now;
  if (state.incremented == state.now) acquire(state.now);
}

namespace {
bool can_be_atomic(const void* number) {
  const auto at = reinterpret_cast<std::uintptr_t>(number);
  if (on_device(at) && device_of(at) == state.device && at % sizeof(unsigned) == 0 &&
      cell_of(at).state == Cell::initialised) {
    touch_strongly(number, sizeof(unsigned), Access::write);
    return true;
  }
  fault("memcheck", number, sizeof(unsigned), Access::write, ": an atomic needs initialised memory of its GPU");
  return false;
}
}  // namespace

void load_read_only(const void* p, unsigned bytes) { touch_read_only(p, bytes, __builtin_return_address(0)); }

int add(int* number, int value) { return can_be_atomic(number) ? std::exchange(*number, *number + value) : 0; }

unsigned increment(unsigned* number, unsigned last) {
  if (!can_be_atomic(number)) return 0;
  if (state.fenced == state.now) publish(state.now);
  state.incremented = state.now;
  const unsigned before = *number;
  *number = before >= last ? 0 : before + 1;
  return before;
}

void touch_range(const char* who, const void* memory, std::size_t bytes, Access access) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  if (bytes == 0) return;
  if (!on_device(first) || !on_device(first + bytes - 1))
    return report("memcheck", fmt::format("{}: {} is not device memory", who, memory));
  const std::uint32_t work = begin_next_work();
  bool is_ordered = true;
  for (std::uintptr_t at = first / word * word; at < first + bytes; at += word) {
    Cell& c = cell_of(at);
    if (c.state == Cell::unallocated)
      return report("memcheck",
                    fmt::format("{}: {} bytes at {}: outside of what is allocated", who, bytes, place_of(memory)));
    is_ordered = is_ordered && (c.when == 0 || (access == Access::read && c.writer == 0 && c.changer == 0) ||
                                !unordered_work(c.when));
    c = Cell{.when = work, .state = access == Access::write ? Cell::initialised : c.state};
    (access == Access::write ? c.writer : c.reader) = 1;
  }
  if (!is_ordered) report("streams", fmt::format("{}: {} bytes at {}{}", who, bytes, place_of(memory), another_stream));
}

void join(Clock& clock, const Clock& other) {
  clock.resize(std::max(clock.size(), other.size()));
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

void begin_work(std::size_t stream, const Clock& clock) {
  state.turn = {static_cast<std::uint32_t>(stream), clock[stream]};
  state.before = clock;
}

void begin_accesses(const Kernel& kernel, int device) {
  state.kernel = kernel.name;
  state.device = device;
  const auto first = reinterpret_cast<std::uintptr_t>(kernel.arguments.get());
  state.arguments = {first, first + kernel.argument_bytes};
  begin_next_work();
  state.moments.assign(1, {});
  state.released.clear();
  state.acquired.clear();
  state.fenced = state.incremented = 0;
}
void begin_block_accesses(const void* scratch, std::size_t scratch_bytes, std::size_t asked_for) {
  ++state.block_serial;
  const auto first = reinterpret_cast<std::uintptr_t>(scratch);
  state.not_asked_for = {first + asked_for, first + scratch_bytes};
}
std::uint32_t add_moment(const Moment& moment) {
  state.moments.push_back(moment);
  return static_cast<std::uint32_t>(state.moments.size() - 1);
}
void resume_moment(std::uint32_t number) { state.now = number; }
void begin_moment(const Moment& moment, const void* stack, std::size_t stack_bytes) {
  resume_moment(add_moment(moment));
  const auto first = reinterpret_cast<std::uintptr_t>(stack);
  state.stack = {first, first + stack_bytes};
}
void end_moment() { clear_suspicion(); }

}  // namespace ritz::emulator

// g++ -fsanitize=thread calls these before each access to memory; no other part of that sanitizer is here.
#define RITZ_TOUCH(name, type, bytes, access)                                                       \
  __attribute__((visibility("default"))) void __tsan_##name(type* p) {                              \
    if (ritz::emulator::in_kernel())                                                                \
      ritz::emulator::touch(p, bytes, ritz::emulator::Access::access, __builtin_return_address(0)); \
  }
#define RITZ_TOUCH_STRONGLY(name, bytes, access)                                                               \
  __attribute__((visibility("default"))) void __tsan_##name(void* p) {                                         \
    if (ritz::emulator::in_kernel()) ritz::emulator::touch_strongly(p, bytes, ritz::emulator::Access::access); \
  }
extern "C" {
#define RITZ_TOUCH_SIZE(n)                       \
  RITZ_TOUCH(read##n, void, n, read)             \
  RITZ_TOUCH(write##n, void, n, write)           \
  RITZ_TOUCH(unaligned_read##n, void, n, read)   \
  RITZ_TOUCH(unaligned_write##n, void, n, write) \
  RITZ_TOUCH_STRONGLY(volatile_read##n, n, read) \
  RITZ_TOUCH_STRONGLY(volatile_write##n, n, write)
RITZ_TOUCH_SIZE(1)
RITZ_TOUCH_SIZE(2)
RITZ_TOUCH_SIZE(4)
RITZ_TOUCH_SIZE(8)
RITZ_TOUCH_SIZE(16)
__attribute__((visibility("default"))) void __tsan_read_range(void* p, unsigned long bytes) {
  if (ritz::emulator::in_kernel())
    ritz::emulator::touch(p, static_cast<unsigned>(bytes), ritz::emulator::Access::read, __builtin_return_address(0));
}
__attribute__((visibility("default"))) void __tsan_write_range(void* p, unsigned long bytes) {
  if (ritz::emulator::in_kernel())
    ritz::emulator::touch(p, static_cast<unsigned>(bytes), ritz::emulator::Access::write, __builtin_return_address(0));
}
// Calls from host code: static variables, shared pointers, NVTX.
__attribute__((visibility("default"))) unsigned char __tsan_atomic8_load(const unsigned char* p, int) {
  return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
__attribute__((visibility("default"))) void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__attribute__((visibility("default"))) int __tsan_atomic32_fetch_add(int* p, int value, int) {
  return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
}
__attribute__((visibility("default"))) int __tsan_atomic32_fetch_sub(int* p, int value, int) {
  return __atomic_fetch_sub(p, value, __ATOMIC_SEQ_CST);
}
__attribute__((visibility("default"))) int __tsan_atomic32_compare_exchange_strong(int* p, int* expected, int value,
                                                                                   int, int) {
  return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
__attribute__((visibility("default"))) void __tsan_vptr_update(void*, void*) {}
__attribute__((visibility("default"))) void __tsan_vptr_read(void*) {}
__attribute__((visibility("default"))) void __tsan_func_entry(void*) {}
__attribute__((visibility("default"))) void __tsan_func_exit() {}
__attribute__((visibility("default"))) void __tsan_init() {}
}
