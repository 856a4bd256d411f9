#include "tests/ptx/machine.hpp"

#include <algorithm>
#include <limits>
#include <sys/mman.h>

namespace ritz::ptx {
namespace {

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t patience = 4096;     // turns of a loop before other lanes of the warp get theirs
constexpr std::uint64_t quantum = 1u << 20;  // instructions before other warps get theirs

// Shared memory is a thread-local variable, as in modules of the emulated GPU, which knows it by that.
thread_local double shared_memory[shared_room_bytes / sizeof(double)];

// Local memory of all warps of a block; the pages stay.
struct LocalMemory {
  char* first = nullptr;
  std::size_t bytes = 0;
  char* of_warps(std::size_t warps) {
    const std::size_t needed = warps * lanes * local_stride;
    if (needed > bytes) {
      if (first != nullptr) munmap(first, bytes);
      void* const memory =
          mmap(nullptr, needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) throw Fault("resources", "no address space for local memory");
      first = static_cast<char*>(memory);
      bytes = needed;
    }
    return first;
  }
};
thread_local LocalMemory local_memory;

void enter(Warp& w, const Function& function, Mask mask, const Instruction* call) {
  Frame f;
  f.function = &function;
  f.mask = mask;
  f.call = call;
  f.return_pc = w.pc;
  f.local_base = (w.used_local + 15) / 16 * 16;
  if (f.local_base + function.local_bytes > local_stride) w.fail("resources", "the stack of a thread is full");
  if (w.used_storage + function.register_bytes > w.storage.size()) w.fail("resources", "calls are nested too deeply");
  f.registers = w.storage.data() + w.used_storage;
  w.used_storage += function.register_bytes;
  w.used_local = f.local_base + function.local_bytes;
  for_lanes(mask, [&](int lane) {
    std::memset(w.local + static_cast<std::size_t>(lane) * local_stride + f.local_base, 0xff, function.local_bytes);
  });
  w.frames.push_back(std::move(f));
  w.registers = w.frames.back().registers;
  w.constants = reinterpret_cast<const char*>(function.constants.data());
  w.active = mask;
  w.pc = 0;
  w.next_pc = nowhere;
}

void set_next_pc(Warp& w) {
  w.next_pc = nowhere;
  for (const Group& g : w.frames.back().waiting)
    if (g.wait == Wait::none) w.next_pc = std::min(w.next_pc, g.pc);
}

// Copies variables of the .param space between a call and a function, lane by lane.
void copy_slots(char* to, const Slot& target, const char* from, const Slot& source, Mask mask) {
  const std::uint32_t bytes = std::min(target.bytes, source.bytes);
  for_lanes(mask, [&](int lane) {
    std::memcpy(to + target.at + static_cast<std::uint32_t>(lane) * target.bytes,
                from + source.at + static_cast<std::uint32_t>(lane) * source.bytes, bytes);
  });
}

void leave_frame(Warp& w) {
  const Frame done = std::move(w.frames.back());
  w.frames.pop_back();
  w.used_storage -= done.function->register_bytes;
  w.used_local = done.local_base;
  if (w.frames.empty()) return;
  const Frame& to = w.frames.back();
  w.registers = to.registers;
  w.constants = reinterpret_cast<const char*>(to.function->constants.data());
  w.active = done.mask & w.live;
  w.pc = done.return_pc;
  const std::vector<Slot>& results = done.call->call->results;
  for (std::size_t k = 0; k < results.size() && k < done.function->results.size(); ++k)
    copy_slots(to.registers, results[k], done.registers, done.function->results[k].slot, w.active);
  set_next_pc(w);
}

// Lanes that wait at barriers of the warp in several places have all come.
bool release_warp_barriers(Warp& w) {
  std::vector<Group>& waiting = w.frames.back().waiting;
  Mask here = 0, needed = 0;
  for (const Group& g : waiting)
    if (g.wait == Wait::warp) {
      if (g.instruction->mode == 0) return false;  // a shuffle or a vote
      here |= g.mask;
      needed |= g.vote;
    }
  if (here == 0 || (needed & w.live & ~here) != 0) return false;
  for (Group& g : waiting)
    if (g.wait == Wait::warp) {
      g.wait = Wait::none;
      ++g.pc;
    }
  ++w.epoch;
  return true;
}

std::string lanes_text(Mask mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

// Runs until all lanes have ended or wait for others of the block, or for a quantum of instructions.
bool run_warp(Warp& w) {
  bool ran = false;
  std::uint64_t steps = 0;
  while (!w.frames.empty()) {
    if (w.active == 0 || w.pc >= w.next_pc) {
      w.reschedule();
      if (w.frames.empty() || w.active == 0) break;
      continue;
    }
    const std::vector<Instruction>& code = w.frames.back().function->code;
    if (w.pc >= code.size()) {  // a function may end without a return
      w.exec = w.active;
      w.return_lanes();
      continue;
    }
    const Instruction& i = code[w.pc];
    w.exec = w.active;
    if (i.guard.is_given) w.exec &= w.predicate(i.guard);
    ++w.pc;
    ran = true;
    ++steps;
    if (w.exec != 0) {
      w.now = &i;
      i.run(w, i);
    }
    if (steps >= quantum) break;
  }
  w.block->instructions += steps;
  w.block->clock += steps;
  return ran;
}

std::uint32_t live_threads(const Block& b) {
  std::uint32_t count = 0;
  for (const Warp& w : b.warps) count += static_cast<std::uint32_t>(__builtin_popcount(w.live));
  return count;
}

template <class F>
void for_groups_at(Block& b, int barrier, const F& f) {
  for (Warp& w : b.warps)
    for (Frame& frame : w.frames)
      for (Group& g : frame.waiting)
        if (g.wait == Wait::block && g.barrier == barrier) f(w, frame, g);
}

// In a barrier that is `.aligned` the lanes of a warp are at one place.
void check_aligned(Block& b, int barrier) {
  const Warp* warp = nullptr;
  const Group* first = nullptr;
  for_groups_at(b, barrier, [&](const Warp& w, const Frame&, const Group& g) {
    if (warp == &w && first->pc != g.pc && ((first->instruction->flags | g.instruction->flags) & aligned) != 0)
      w.fail("synccheck", "lanes of a warp wait at different barriers of the block (PTX lines " +
                              std::to_string(first->instruction->text_line) + " and " +
                              std::to_string(g.instruction->text_line) + "): divergent code");
    warp = &w;
    first = &g;
  });
}

// A vote at a barrier: 1 and, 2 or, 3 popc.
void give_result(Frame& frame, const Group& g, std::uint32_t votes, std::uint32_t count) {
  const Operand& out = g.instruction->out[0];
  if (g.instruction->mode == 3) {
    for_lanes(g.mask, [&](int lane) { reinterpret_cast<std::uint32_t*>(frame.registers + out.at)[lane] = votes; });
    return;
  }
  Mask& p = *reinterpret_cast<Mask*>(frame.registers + out.at);
  const bool holds = g.instruction->mode == 1 ? votes == count : votes > 0;
  p = holds ? p | g.mask : p & ~g.mask;
}

bool release_barriers(Block& b) {
  bool any = false;
  for (int barrier = 0; barrier < 16; ++barrier) {
    std::uint32_t here = 0, votes = 0, expected = 0;
    for_groups_at(b, barrier, [&](const Warp&, const Frame&, const Group& g) {
      here += static_cast<std::uint32_t>(__builtin_popcount(g.mask));
      votes += static_cast<std::uint32_t>(__builtin_popcount(g.vote & g.mask));
      expected = std::max(expected, static_cast<std::uint32_t>(g.instruction->offset));
    });
    if (here == 0) continue;
    const bool is_of_all = expected == 0;
    if (here + b.arrived[barrier] < (is_of_all ? live_threads(b) : expected)) continue;
    check_aligned(b, barrier);
    for_groups_at(b, barrier, [&](Warp& w, Frame& frame, Group& g) {
      if (g.instruction->mode != 0) give_result(frame, g, votes, here);
      g.wait = Wait::none;
      if (&frame == &w.frames.back()) w.next_pc = std::min(w.next_pc, g.pc);
    });
    b.arrived[barrier] = 0;
    ++b.epoch;
    any = true;
  }
  return any;
}

[[noreturn]] void report_deadlock(const Block& b) {
  std::uint32_t at_barriers = 0;
  const Warp* one = nullptr;
  for (const Warp& w : b.warps)
    for (const Frame& f : w.frames)
      for (const Group& g : f.waiting) {
        at_barriers += static_cast<std::uint32_t>(__builtin_popcount(g.mask));
        one = &w;
      }
  one->fail("synccheck", std::to_string(at_barriers) + " threads wait at barriers that others do not come to");
}

void run_block(Block& b, const Launch& launch) {
  const Function& kernel = *launch.kernel;
  const std::uint32_t warps = (b.thread_count + lanes - 1) / lanes;
  const std::size_t frames_bytes = kernel.calls.empty() ? 0 : std::size_t{1} << 20;
  char* const local = local_memory.of_warps(warps);
  std::memset(b.shared, 0xff, b.shared_bytes);
  if (launch.watch != nullptr) launch.watch->begin_block(b.shared, b.shared_bytes);
  b.warps.resize(warps);
  b.epoch = 0;
  b.instructions = 0;
  for (std::uint32_t k = 0; k < warps; ++k) {
    Warp& w = b.warps[k];
    w.block = &b;
    w.number = k;
    w.storage.resize(kernel.register_bytes + frames_bytes, '\xff');  // what nobody has written is not zero
    w.used_storage = 0;
    w.used_local = 0;
    w.local = local + static_cast<std::size_t>(k) * lanes * local_stride;
    const std::uint32_t threads = std::min<std::uint32_t>(b.thread_count - k * lanes, lanes);
    w.live = threads == lanes ? all_lanes : (Mask{1} << threads) - 1;
    w.epoch = 0;
    w.turns = 0;
    w.frames.clear();
    enter(w, kernel, w.live, nullptr);
  }
  for (;;) {
    bool ran = false, ended = true;
    for (std::uint32_t k = 0; k < warps; ++k) {
      Warp& w = b.warps[(b.number + b.epoch) % 2 == 0 ? k : warps - 1 - k];  // no order is promised
      ran = run_warp(w) || ran;
      ended = ended && w.live == 0;
    }
    if (ended) return;
    if (b.instructions > launch.most_instructions)
      b.warps[0].fail("endless", "a block has run " + std::to_string(b.instructions) + " instructions");
    if (!release_barriers(b) && !ran) report_deadlock(b);
  }
}

}  // namespace

std::string text_of(const Module& module, const Instruction& i) {
  std::string text = "PTX line " + std::to_string(i.text_line) + ": " + module.line_of_text(i.text_line);
  if (i.source_line != 0) text += "\n  " + module.source_file(i.source_file) + ":" + std::to_string(i.source_line);
  return text;
}

std::uint64_t Warp::lane_bits(const Operand& o, int lane) const {
  switch (o.bytes) {
    case 0: return predicate(o) >> lane & 1;
    case 1: return in<std::uint8_t>(o)[lane];
    case 2: return in<std::uint16_t>(o)[lane];
    case 4: return in<std::uint32_t>(o)[lane];
    default: return in<std::uint64_t>(o)[lane];
  }
}

void Warp::set_lane_bits(const Operand& o, int lane, std::uint64_t bits) {
  switch (o.bytes) {
    case 0: {
      Mask& p = *out<Mask>(o);
      p = (p & ~(Mask{1} << lane)) | static_cast<Mask>(bits & 1) << lane;
      return;
    }
    case 1: out<std::uint8_t>(o)[lane] = static_cast<std::uint8_t>(bits); return;
    case 2: out<std::uint16_t>(o)[lane] = static_cast<std::uint16_t>(bits); return;
    case 4: out<std::uint32_t>(o)[lane] = static_cast<std::uint32_t>(bits); return;
    default: out<std::uint64_t>(o)[lane] = bits;
  }
}

Place Warp::place(int lane) const { return {block->number, thread(lane), block->epoch, epoch, now}; }

void Warp::fail(const char* kind, const std::string& what, int lane) const {
  std::string text = lane >= 0 ? "thread " + std::to_string(thread(lane)) : "warp " + std::to_string(number);
  text += " of block " + std::to_string(block->number) + ": " + what;
  if (now != nullptr && block->launch->module != nullptr) text += "\n  " + text_of(*block->launch->module, *now);
  throw Fault(kind, text + "\n  in " + block->launch->kernel->name);
}

void Warp::leave(Group group) {
  Frame& f = frames.back();
  active &= ~group.mask;
  const auto same = std::ranges::find_if(
      f.waiting, [&](const Group& g) { return g.pc == group.pc && g.wait == Wait::none && group.wait == Wait::none; });
  if (same != f.waiting.end()) same->mask |= group.mask;
  else f.waiting.push_back(group);
  if (group.wait == Wait::none) next_pc = std::min(next_pc, group.pc);
}

void Warp::reschedule() {
  for (;;) {
    Frame& f = frames.back();
    if (active != 0) {
      const Mask mask = active;
      leave({.mask = mask, .pc = pc});
    }
    std::uint32_t lowest = nowhere;
    bool is_waiting = false;
    for (const Group& g : f.waiting) {
      if (g.wait == Wait::none) lowest = std::min(lowest, g.pc);
      is_waiting = is_waiting || g.wait == Wait::warp;
    }
    if (lowest != nowhere) {
      active = 0;
      pc = lowest;
      std::erase_if(f.waiting, [&](const Group& g) {
        const bool joins = g.wait == Wait::none && g.pc == lowest;
        if (joins) active |= g.mask;
        return joins;
      });
      set_next_pc(*this);
      return;
    }
    if (f.waiting.empty()) {
      const bool was_last = frames.size() == 1;
      leave_frame(*this);
      if (was_last || active != 0) return;
      continue;
    }
    if (!is_waiting) return;  // all are at barriers of the block
    if (release_warp_barriers(*this)) continue;
    std::string places;
    for (const Group& g : f.waiting)
      places += (places.empty() ? "lanes " : ", lanes ") + lanes_text(g.mask) + " at PTX line " +
                std::to_string(g.instruction->text_line);
    fail("synccheck", "a shuffle, vote or barrier of a warp whose lanes do not all come: " + places);
  }
}

bool Warp::gather(Mask member_mask) {
  Frame& f = frames.back();
  const std::uint32_t here = pc - 1;
  std::erase_if(f.waiting, [&](const Group& g) {
    const bool joins = g.wait == Wait::warp && g.pc == here;
    if (joins) {
      active |= g.mask;
      exec |= g.mask;
    }
    return joins;
  });
  if ((member_mask & live & ~exec) == 0) return true;
  leave({.mask = exec, .pc = here, .wait = Wait::warp, .instruction = now, .vote = member_mask});
  return false;
}

void Warp::branch(std::uint32_t target) {
  const bool is_backward = target < pc;
  if (exec == active) {
    pc = target;
  } else {
    const Mask taken = exec;
    leave({.mask = taken, .pc = target});
  }
  if (frames.back().waiting.empty()) turns = 0;
  else if (is_backward) ++turns;
  if (turns < patience) return;
  // Lanes of this loop may wait for what the others do: let those go on for a while.
  turns = 0;
  std::vector<Group>& waiting = frames.back().waiting;
  const auto other = std::ranges::find_if(
      waiting, [&](const Group& g) { return g.wait == Wait::none && (active == 0 || g.pc != pc); });
  if (other == waiting.end()) return;
  const Group chosen = *other;
  waiting.erase(other);
  if (active != 0) {
    const Mask mask = active;
    leave({.mask = mask, .pc = pc});
  }
  active = chosen.mask;
  pc = chosen.pc;
  next_pc = nowhere;  // until they come to a barrier, to their end, or lose patience
}

void Warp::end_lanes() {
  live &= ~exec;
  active &= ~exec;
}

void Warp::return_lanes() {
  if (frames.size() == 1) return end_lanes();
  active &= ~exec;
}

void Warp::call(const Instruction& i, const Function& function) {
  if (exec != active) {
    const Mask others = active & ~exec;
    leave({.mask = others, .pc = pc});
  }
  char* const from = registers;
  enter(*this, function, exec, &i);
  const std::vector<Slot>& arguments = i.call->arguments;
  for (std::size_t k = 0; k < arguments.size() && k < function.parameters.size(); ++k)
    copy_slots(registers, function.parameters[k].slot, from, arguments[k], exec);
}

Counts run(const Launch& launch) {
  const Function& kernel = *launch.kernel;
  if (launch.parameters.size() < kernel.parameter_bytes)
    throw Fault("launch", kernel.name + " takes " + std::to_string(kernel.parameter_bytes) +
                              " bytes of parameters, not " + std::to_string(launch.parameters.size()));
  Block b;
  b.launch = &launch;
  b.thread_count = launch.threads.x * launch.threads.y * launch.threads.z;
  b.shared = reinterpret_cast<char*>(shared_memory);
  b.shared_bytes = kernel.shared_room + launch.dynamic_shared_bytes;
  if (b.thread_count == 0 || b.thread_count > kernel.most_threads)
    throw Fault("launch", "a block of " + std::to_string(b.thread_count) + " threads, of " + kernel.name +
                              ", which may have " + std::to_string(kernel.most_threads));
  if (const std::size_t asked = kernel.shared_bytes + launch.dynamic_shared_bytes;
      asked > most_shared_bytes || b.shared_bytes > shared_room_bytes)
    throw Fault("launch", std::to_string(asked) + " bytes of shared memory");
  Counts counts;
  for (std::uint32_t z = 0; z < launch.blocks.z; ++z)
    for (std::uint32_t y = 0; y < launch.blocks.y; ++y)
      for (std::uint32_t x = 0; x < launch.blocks.x; ++x) {
        b.index = {x, y, z};
        run_block(b, launch);
        counts.instructions += b.instructions;
        ++b.number;
      }
  return counts;
}

}  // namespace ritz::ptx
