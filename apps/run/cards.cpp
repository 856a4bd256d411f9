#include "apps/run/cards.hpp"

#include "device/error.hpp"
#include "io/files/byte_size.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace ritz {
namespace {

// Memory and memory bandwidth as NVIDIA's data sheets give them; $RITZ_CARDS names a file of the same form.
constexpr const char* built_in_cards = R"(RTX 4060; 8; 272
RTX 4070; 12; 504
T4; 16; 320
RTX 4090; 24; 1008
L40S; 48; 864
A100 40 GB; 40; 1555
A100 80 GB; 80; 2039
H100 SXM; 80; 3350
H200; 141; 4800
B200; 192; 8000
)";

constexpr double usable = 0.94, reached = 0.85;  // of the memory sold (driver and context), of the bandwidth by a copy

std::vector<KnownCard> read_cards(std::istream& in) {
  std::vector<KnownCard> cards;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(';'), second = line.find(';', first + 1);
    if (line.empty() || line[0] == '#' || first == std::string::npos || second == std::string::npos) continue;
    cards.push_back({line.substr(0, first), static_cast<Index>(usable * 1e9 * std::atof(line.c_str() + first + 1)),
                     reached * 1e9 * std::atof(line.c_str() + second + 1)});
  }
  return cards;
}

// With the time that four of five runs kept within: they were within a factor of five, or longer (docs/memory.md).
std::string seconds_text(double seconds) {
  constexpr double most = 5;
  if (seconds < 0.1) return "under 0.1 s";
  return seconds < 100
             ? fmt::format("about {:.1f} s, up to {:.0f} s", seconds, std::ceil(most * seconds))
             : fmt::format("about {:.0f} min, up to {:.0f} min", seconds / 60, std::ceil(most * seconds / 60));
}

}  // namespace

std::vector<KnownCard> known_cards() {
  if (const char* file = std::getenv("RITZ_CARDS")) {
    std::ifstream in(file);
    if (!in)
      throw Error(ErrorKind::wrong_value, fmt::format("the table of cards {} cannot be read", file),
                  "RITZ_CARDS names it", "unset it, or name a file of lines 'name; GB; GB/s'");
    return read_cards(in);
  }
  std::istringstream in(built_in_cards);
  return read_cards(in);
}

Index needs_of_one(const ForecastPath& path) {
  return path.peak.total() + (path.peak.by_tag().contains("factor") ? 0 : path.factor);
}

namespace {

// nullptr: none
const ForecastPath* first_that_fits(const std::vector<ForecastPath>& paths, const FitsHere& fits) {
  const auto found = std::ranges::find_if(paths, fits);
  return found == paths.end() ? nullptr : &*found;
}

}  // namespace

std::string verdict(const std::vector<ForecastPath>& paths, const FitsHere& fits) {
  const ForecastPath* found = first_that_fits(paths, fits);
  if (found == nullptr) return "does not fit";
  return found == paths.data() ? "fits" : "fits with: " + name_of(found->path);
}

// How long a path takes where copies run at this rate, and a factorisation on so many threads of a CPU. Empty: not
// known.
std::string time_text(const ForecastPath& path, double copy_rate, int threads) {
  constexpr double operations_per_second = 8e9;  // of each thread
  if (!(copy_rate > 0) || !(path.bytes_moved > 0) || (path.factor > 0 && path.operations == 0) ||
      (path.operations > 0 && threads == 0))
    return "";
  return ", " + seconds_text(path.bytes_moved / copy_rate +
                             (path.operations > 0 ? path.operations / (operations_per_second * threads) : 0));
}

std::string text_of_paths(const std::vector<ForecastPath>& paths, double copy_rate, int threads) {
  std::string text;
  for (const ForecastPath& path : paths)
    text += fmt::format("  {:<42} device peak {:>8} ({}){}{}\n    {}\n", name_of(path.path),
                        text_of_bytes(path.peak.total()), path.moment,
                        path.factor > 0 ? ", factor " + text_of_bytes(path.factor) : "",
                        time_text(path, copy_rate, threads), MemoryPool::table(path.peak.by_tag()));
  return text;
}

std::string text_of_cards(const std::vector<ForecastPath>& paths) {
  std::string text = fmt::format("GPUs ({:.0f} % of the memory sold can be had):\n", 100 * usable);
  for (const KnownCard& card : known_cards()) {
    const auto fits = [&](const ForecastPath& each) { return needs_of_one(each) + each.more_on_a_gpu <= card.memory; };
    const ForecastPath* path = first_that_fits(paths, fits);
    text += fmt::format("  {:<12} {:>8}  {}{}\n", card.name, text_of_bytes(card.memory), verdict(paths, fits),
                        path == nullptr ? "" : time_text(*path, card.copy_rate, 0));
  }
  return text;
}

}  // namespace ritz
