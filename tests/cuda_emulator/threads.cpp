// Blocks of the emulated GPU run one after the other; a block's threads are fibers.
#include "tests/cuda_emulator/memory.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <sys/mman.h>
#include <vector>

namespace ritz::emulator {
namespace {

namespace context = boost::context;

constexpr std::size_t stack_bytes = 512 << 10;
constexpr int warp = 32;

enum class State { ready, at_barrier, in_shuffle, at_warp_barrier, finished };

struct Fiber {
  unsigned index = 0;
  context::fiber own, scheduler;
  char* stack = nullptr;
  State state = State::finished;
  std::uint64_t shuffled[2] = {};  // by turns, as one may be two shuffles ahead of none
  unsigned shuffles = 0;
  unsigned warp_epoch = 0;
  unsigned mask = 0;
};

struct NoStack {  // the pool's stacks stay
  void deallocate(context::stack_context&) noexcept {}
};

struct Pool {
  std::vector<std::unique_ptr<Fiber>> fibers;
  const Kernel* kernel = nullptr;
  unsigned block = 0, block_size = 0, grid_size = 0;
  std::uint32_t epoch = 0;
  unsigned blocks_run = 0;
};

Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

thread_local Fiber* here __attribute__((tls_model("initial-exec"))) = nullptr;  // of this thread of the host

void change_places(State state) {
  Fiber* const mine = here;
  mine->state = state;
  end_moment();
  mine->scheduler = std::move(mine->scheduler).resume();
}

context::fiber live(Fiber& mine, context::fiber&& scheduler) {
  mine.scheduler = std::move(scheduler);
  for (;;) {
    pool().kernel->thread(pool().kernel->arguments.get());
    change_places(State::finished);
  }
  return std::move(mine.scheduler);
}

Fiber& fiber(int number) {
  auto& fibers = pool().fibers;
  while (static_cast<int>(fibers.size()) <= number) {
    auto next = std::make_unique<Fiber>();
    next->stack = static_cast<char*>(mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0));
    context::stack_context memory;
    memory.sp = next->stack + stack_bytes;
    memory.size = stack_bytes;
    Fiber& f = *next;
    f.own = context::fiber(std::allocator_arg, context::preallocated(memory.sp, memory.size, memory), NoStack{},
                           [&f](context::fiber&& scheduler) { return live(f, std::move(scheduler)); });
    fibers.push_back(std::move(next));
  }
  return *fibers[static_cast<std::size_t>(number)];
}

void resume(Fiber& f, std::uint32_t block, int number) {
  begin_moment({block, static_cast<std::uint32_t>(number), pool().epoch, f.warp_epoch}, f.stack, stack_bytes);
  f.state = State::ready;
  here = &f;
  f.own = std::move(f.own).resume();
  here = nullptr;
}

// A different order of 0 .. count - 1 for each turn: start and stride change.
struct Order {
  std::uint64_t count, start, stride;
  Order(std::uint64_t n, std::uint64_t turn) : count(n), start(turn * 7919 % n), stride(n - 1 - turn * 31 % n) {
    if (stride == 0) stride = 1;
    while (std::gcd(stride, count) != 1) ++stride;
  }
  std::uint64_t operator()(std::uint64_t k) const { return (start + k * stride) % count; }
};

// Shuffles, or barriers of warps, whose lanes have all come go on.
bool go_on(int threads, State from) {
  bool any = false;
  for (int first = 0; first < threads; first += warp) {
    unsigned waiting = 0, mask = 0;
    for (int lane = 0; lane < warp && first + lane < threads; ++lane)
      if (const Fiber& f = fiber(first + lane); f.state == from) {
        waiting |= 1u << lane;
        mask |= f.mask;
      }
    if (waiting == 0 || (mask & ~waiting) != 0) continue;
    for (int lane = 0; lane < warp && first + lane < threads; ++lane)
      if (Fiber& f = fiber(first + lane); f.state == from) f.state = State::ready;
    any = true;
  }
  return any;
}

void run_block(std::uint32_t block, int threads, std::size_t shared_bytes) {
  void* const scratch = pool().kernel->scratch();
  begin_block_accesses(scratch, most_shared_bytes, shared_bytes);
  pool().epoch = 0;
  pool().block = block;
  std::memset(scratch, 0xff, shared_bytes);  // what nobody has written is not zero
  for (int t = 0; t < threads; ++t) {
    Fiber& f = fiber(t);
    f.index = static_cast<unsigned>(t);
    f.state = State::ready;
    f.shuffles = 0;
    f.warp_epoch = 0;
  }
  for (;;) {
    const Order order(static_cast<std::uint64_t>(threads), pool().blocks_run++);
    bool ran = false;
    for (int k = 0; k < threads; ++k) {
      const int t = static_cast<int>(order(static_cast<std::uint64_t>(k)));
      if (fiber(t).state != State::ready) continue;
      resume(fiber(t), block, t);
      ran = true;
    }
    if (go_on(threads, State::in_shuffle) || go_on(threads, State::at_warp_barrier)) continue;
    int waiting = 0, shuffling = 0;
    for (int t = 0; t < threads; ++t) {
      waiting += fiber(t).state == State::at_barrier;
      shuffling += fiber(t).state == State::in_shuffle || fiber(t).state == State::at_warp_barrier;
    }
    if (waiting + shuffling == 0) return count_block();
    if (shuffling > 0 || !ran) {
      report("synccheck",
             fmt::format(
                 "{} threads of block {} wait in a shuffle, or at a barrier of their warp, for lanes that do not come",
                 shuffling, block));
      std::abort();  // their fibers cannot be left
    }
    ++pool().epoch;
    for (int t = 0; t < threads; ++t)
      if (fiber(t).state == State::at_barrier) fiber(t).state = State::ready;
  }
}

}  // namespace

bool in_kernel() noexcept { return here != nullptr; }
unsigned thread_index() noexcept { return here->index; }
unsigned block_index() noexcept { return pool().block; }
unsigned block_size() noexcept { return pool().block_size; }
unsigned grid_size() noexcept { return pool().grid_size; }
void barrier() { change_places(State::at_barrier); }
void warp_barrier() {
  here->mask = 0xffffffffu;
  ++here->warp_epoch;  // of what comes behind it
  change_places(State::at_warp_barrier);
}

namespace {
// Shows a number to the lanes of `mask`, and returns a function of what a lane has shown, when all have come.
auto show(unsigned mask, std::uint64_t value) {
  Fiber& mine = *here;
  const unsigned turn = mine.shuffles++ % 2;
  mine.shuffled[turn] = value;
  mine.mask = mask;
  change_places(State::in_shuffle);
  return [turn, mask, first = mine.index / warp * warp](int lane) {
    if ((mask >> lane & 1) == 0)
      report("synccheck", fmt::format("thread {} of block {} shuffles with lane {}, which is not in its mask {:#010x}",
                                      here->index, pool().block, lane, mask));
    return pool().fibers[first + static_cast<unsigned>(lane)]->shuffled[turn];
  };
}
int lane_of_warp() { return static_cast<int>(here->index) % warp; }
}  // namespace

std::uint64_t shuffle_down(unsigned mask, std::uint64_t value, unsigned distance, int width) {
  const auto shown = show(mask, value);
  const int lane = lane_of_warp(), source = lane + static_cast<int>(distance);
  return shown(lane % width + static_cast<int>(distance) < width ? source : lane);
}

std::uint64_t shuffle(unsigned mask, std::uint64_t value, int lane) { return show(mask, value)(lane % warp); }

unsigned ballot(unsigned mask, bool vote) {
  const auto shown = show(mask, vote);
  unsigned votes = 0;
  for (int lane = 0; lane < warp; ++lane)
    if ((mask >> lane & 1) != 0 && shown(lane) != 0) votes |= 1u << lane;
  return votes;
}

void run_kernel(const cudaLaunchConfig_t& configuration, const Kernel& kernel, int device) {
  begin_accesses(kernel, device);
  note_launch(kernel.function);
  count_launch(kernel, configuration.gridDim.x, configuration.blockDim.x);
  pool().kernel = &kernel;
  pool().block_size = configuration.blockDim.x;
  pool().grid_size = configuration.gridDim.x;
  const Order order(configuration.gridDim.x, pool().blocks_run);
  for (std::uint64_t k = 0; k < configuration.gridDim.x; ++k)
    run_block(static_cast<std::uint32_t>(order(k)), static_cast<int>(configuration.blockDim.x),
              configuration.dynamicSmemBytes);
}

}  // namespace ritz::emulator
