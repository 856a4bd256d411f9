// %tid, %laneid, %clock and the other registers that the GPU sets.
#include "tests/ptx/decode.hpp"

#include <algorithm>
#include <iterator>

namespace ritz::ptx {
namespace {

constexpr std::string_view names[] = {"%tid.x",
                                      "%tid.y",
                                      "%tid.z",
                                      "%ntid.x",
                                      "%ntid.y",
                                      "%ntid.z",
                                      "%ctaid.x",
                                      "%ctaid.y",
                                      "%ctaid.z",
                                      "%nctaid.x",
                                      "%nctaid.y",
                                      "%nctaid.z",
                                      "%laneid",
                                      "%warpid",
                                      "%nwarpid",
                                      "%smid",
                                      "%nsmid",
                                      "%gridid",
                                      "%clock",
                                      "%clock64",
                                      "%globaltimer",
                                      "%lanemask_eq",
                                      "%lanemask_le",
                                      "%lanemask_lt",
                                      "%lanemask_ge",
                                      "%lanemask_gt",
                                      "%dynamic_smem_size",
                                      "%total_smem_size",
                                      "%clock_hi",
                                      "%cluster_ctaid.x",
                                      "%cluster_nctaid.x",
                                      "%clusterid.x"};

std::uint64_t special_value(const Warp& w, int which, int lane) {
  const Block& b = *w.block;
  const Size threads = b.launch->threads, blocks = b.launch->blocks;
  const std::uint32_t thread = w.thread(lane);
  const Mask own = Mask{1} << lane;
  switch (which) {
    case 0: return thread % threads.x;
    case 1: return thread / threads.x % threads.y;
    case 2: return thread / threads.x / threads.y;
    case 3: return threads.x;
    case 4: return threads.y;
    case 5: return threads.z;
    case 6: return b.index.x;
    case 7: return b.index.y;
    case 8: return b.index.z;
    case 9: return blocks.x;
    case 10: return blocks.y;
    case 11: return blocks.z;
    case 12: return static_cast<std::uint64_t>(lane);
    case 13: return w.number;
    case 14: return b.warps.size();
    case 15: return 0;
    case 16: return 1;
    case 17: return 1;
    case 18:
    case 19:
    case 20: return b.clock + b.instructions;
    case 21: return own;
    case 22: return own | (own - 1);
    case 23: return own - 1;
    case 24: return ~(own - 1);
    case 25: return ~(own | (own - 1));
    case 26: return b.launch->dynamic_shared_bytes;
    case 27: return b.launch->kernel->shared_bytes + b.launch->dynamic_shared_bytes;
    case 28: return (b.clock + b.instructions) >> 32;
    case 29: return 0;
    case 30: return 1;
    default: return b.index.x;
  }
}

void read_special(Warp& w, const Instruction& i) {
  for_lanes(w.exec, [&](int lane) { w.set_lane_bits(i.out[0], lane, special_value(w, i.mode, lane)); });
}

}  // namespace

bool special_register(std::string_view name, Instruction& i) {
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names)) return false;
  i.run = read_special;
  i.mode = static_cast<std::uint8_t>(found - std::begin(names));
  return true;
}

}  // namespace ritz::ptx
