#include "fem/analysis/newton_outlook.hpp"

#include <algorithm>

namespace ritz {
namespace {

// The residual of a body that bends grows by far in the first step and falls from there.
constexpr std::size_t patience = 4, window = 4;
constexpr double progress = 0.5;  // from one window to the next

}  // namespace

std::string hopeless(std::span<const double> norms) {
  const std::size_t count = norms.size();
  if (count <= patience) return {};
  const auto before = [&](std::size_t steps) { return norms[count - 1 - steps]; };
  if (before(0) > before(1) && before(1) > before(2) && before(0) > norms.front()) return "the residual grows";
  if (count <= 2 * window) return {};
  const double now = std::ranges::min(norms.last(window)),
               then = std::ranges::min(norms.subspan(count - 2 * window, window));
  return now > progress * then ? "the residual stagnates" : "";
}

}  // namespace ritz
