#include "fem/preconditioners/over_ranks.hpp"

#include "device/device.hpp"
#include "device/environment_variable.hpp"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace ritz {

Index replicated_unknowns() {
  Index number = SmoothedAggregationOptions().replicated;
  const std::string text = environment("RITZ_REPLICATED_UNKNOWNS");  // for tests of small cases
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

SmoothedAggregationOptions multigrid_over_ranks(SmoothedAggregationOptions options) {
  options.replicated = replicated_unknowns();
  options.half_storage = false;
  options.nested = {};
  return options;
}

std::string megabytes_of_ranks(Ranks& ranks, Index mine) {
  std::vector<std::string> texts;
  for (const Index bytes : ranks.of_all(mine)) texts.push_back(fmt::format("{:.1f}", 1e-6 * double(bytes)));
  return fmt::format("{} MB", fmt::join(texts, ", "));
}

std::string arrays_of_ranks(Ranks& ranks, const Device& device) {
  const MemoryPool& pool = device.memory();
  const std::string peaks = megabytes_of_ranks(ranks, pool.statistics().peak);
  return fmt::format("arrays of ranks at their peaks: {}; now: {}", peaks, megabytes_of_ranks(ranks, pool.live()));
}

}  // namespace ritz
