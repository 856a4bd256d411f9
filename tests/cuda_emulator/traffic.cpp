// Cost of the accesses of kernels on a GPU, when RITZ_EMULATED_GPU_TRAFFIC names a file: tools/gpu_traffic.py reads it.
// The accesses of a warp by one instruction, the k-th of each lane, are one request. In global memory a request takes
// as many sectors of 32 bytes as it touches; in shared memory as many passes as the busiest of the 32 banks has
// different words (CUDA C++ Programming Guide, "Device Memory Accesses" and "Shared Memory"). Sectors that are new to
// the block reach the second-level cache if the first holds all of a block's; those new to the launch reach memory if
// the second holds all.
#include "tests/cuda_emulator/memory.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <map>
#include <sys/mman.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ritz::emulator {
namespace {

constexpr std::uintptr_t sector = 32;
constexpr std::size_t warp = 32, banks = 32, bank_bytes = 4;

struct Touch {
  const void* instruction;
  std::uintptr_t at;
  std::uint8_t bytes;
  bool writes, shared;
};

struct Requests {  // of an instruction
  bool writes = false, shared = false;
  std::uint64_t count = 0, bytes = 0, units = 0;  // bytes that differ; sectors or passes
};
struct Sectors {
  std::uint64_t read = 0, written = 0;
  void add(bool writes) { ++(writes ? written : read); }
};
struct Counted {  // of a kernel
  std::uint64_t launches = 0, blocks = 0, threads = 0;
  Sectors block, launch;
  std::map<const void*, Requests> instructions;
};

// Which block and launch touched a sector last, by the low bits of its address: arenas are smaller than the table.
struct Marks {
  static constexpr std::size_t size = std::size_t{1} << 29;
  std::uint32_t* last = static_cast<std::uint32_t*>(mmap(nullptr, size * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  bool is_new(std::uintptr_t number, std::uint32_t serial) {
    return std::exchange(last[number % size], serial) != serial;
  }
};

struct Traffic {
  std::string file;
  std::map<const void*, Counted> kernels;
  Counted* now = nullptr;
  std::uint32_t launch = 0, block = 0;
  std::vector<std::vector<Touch>> threads;
  Marks read_by_block, written_by_block, read_by_launch, written_by_launch;
};

Traffic* traffic() {
  static Traffic* const instance = [] {
    const char* const file = std::getenv("RITZ_EMULATED_GPU_TRAFFIC");
    if (file == nullptr) return static_cast<Traffic*>(nullptr);
    std::atexit(write_traffic);
    auto* const made = new Traffic;
    made->file = file;
    return made;
  }();
  return instance;
}

std::uint64_t passes(std::vector<std::uintptr_t>& words) {
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  std::array<std::uint64_t, banks> in_bank{};
  for (const std::uintptr_t word : words) ++in_bank[word % banks];
  return *std::ranges::max_element(in_bank);
}

void add(Requests& all, std::vector<Touch>& request) {
  std::ranges::sort(request, {}, &Touch::at);
  ++all.count;
  std::uintptr_t end = 0, next_sector = 0;
  for (const Touch& t : request) {
    const std::uintptr_t first = std::max(t.at, end);
    end = std::max(end, t.at + t.bytes);
    all.bytes += end > first ? end - first : 0;
    if (t.shared) continue;
    for (std::uintptr_t s = std::max(next_sector, t.at / sector); s <= (t.at + t.bytes - 1) / sector; ++s) {
      ++all.units;
      next_sector = s + 1;
    }
  }
  if (!all.shared) return;
  // Wide numbers go by halves and quarters of a warp.
  const std::size_t lanes =
      std::min(warp, warp * bank_bytes / std::max<std::size_t>(bank_bytes, request.front().bytes));
  std::vector<std::uintptr_t> words;
  for (std::size_t first = 0; first < request.size(); first += lanes) {
    words.clear();
    for (std::size_t i = first; i < std::min(first + lanes, request.size()); ++i)
      for (std::uintptr_t w = request[i].at / bank_bytes; w <= (request[i].at + request[i].bytes - 1) / bank_bytes; ++w)
        words.push_back(w);
    all.units += passes(words);
  }
}

std::string place(const void* p, const char* separator) {
  Dl_info info{};
  dladdr(p, &info);
  return fmt::format("{}{}{:x}", info.dli_fname, separator,
                     reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
}

}  // namespace

void write_traffic() {
  std::FILE* const out = std::fopen(traffic()->file.c_str(), "w");
  if (out == nullptr) return fmt::print(stderr, "the emulated GPU cannot write {}\n", traffic()->file);
  for (const auto& [function, k] : traffic()->kernels) {
    fmt::print(out, "kernel\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", place(function, "\t"), k.launches, k.blocks, k.threads,
               k.block.read, k.block.written, k.launch.read, k.launch.written);
    for (const auto& [instruction, r] : k.instructions)
      fmt::print(out, "{}\t{}\t{}\t{}\t{}\t{}\n", r.shared ? "shared" : "global", r.writes ? "write" : "read",
                 place(instruction, "\t"), r.count, r.bytes, r.units);
  }
  std::fclose(out);
}

void count_launch(const Kernel& kernel, unsigned blocks, unsigned threads) {
  Traffic* const t = traffic();
  if (t == nullptr) return;
  t->now = &t->kernels[kernel.function];
  ++t->launch;
  ++t->now->launches;
  t->now->blocks += blocks;
  t->now->threads += std::uint64_t{blocks} * threads;
  t->threads.resize(threads);
}

void count_access(unsigned thread, const void* p, unsigned bytes, Access access, bool shared, const void* instruction) {
  if (traffic() == nullptr) return;
  // A copy as a whole is made of pieces that a GPU has instructions for.
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  const unsigned piece = bytes <= 16 ? bytes : at % 8 == 0 ? 8 : 4;
  for (unsigned done = 0; done < bytes; done += piece)
    traffic()->threads[thread].push_back({instruction, at + done,
                                          static_cast<std::uint8_t>(std::min(piece, bytes - done)),
                                          access == Access::write, shared});
}

void count_block() {
  Traffic* const t = traffic();
  if (t == nullptr) return;
  ++t->block;
  std::map<std::pair<const void*, std::uint32_t>, std::vector<Touch>> requests;
  std::unordered_map<const void*, std::uint32_t> occurrence;
  for (std::size_t first = 0; first < t->threads.size(); first += warp) {
    requests.clear();
    for (std::size_t lane = first; lane < std::min(first + warp, t->threads.size()); ++lane) {
      occurrence.clear();
      for (const Touch& touch : t->threads[lane]) {
        requests[{touch.instruction, occurrence[touch.instruction]++}].push_back(touch);
        if (touch.shared) continue;
        for (std::uintptr_t s = touch.at / sector; s <= (touch.at + touch.bytes - 1) / sector; ++s) {
          if ((touch.writes ? t->written_by_block : t->read_by_block).is_new(s, t->block))
            t->now->block.add(touch.writes);
          if ((touch.writes ? t->written_by_launch : t->read_by_launch).is_new(s, t->launch))
            t->now->launch.add(touch.writes);
        }
      }
      t->threads[lane].clear();
    }
    for (auto& [key, request] : requests) {
      Requests& all = t->now->instructions[key.first];
      all.writes = request.front().writes;
      all.shared = request.front().shared;
      add(all, request);
    }
  }
}

}  // namespace ritz::emulator
