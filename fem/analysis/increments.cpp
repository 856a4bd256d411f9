#include "fem/analysis/increments.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

constexpr double close = 1e-9;  // places that differ by less are equal
constexpr int easy_steps = 4, usual_steps = 7, many_steps = 12;

double growth(int steps, int successes) {
  if (steps > many_steps) return 0.7;
  if (successes < 2 || steps > usual_steps) return 1;
  return steps <= easy_steps ? 2 : 1.25;
}

}  // namespace

IncrementSize first_size(const IncrementLimits& limits) { return {.next = std::min(limits.first, limits.largest)}; }

// The last increment of a stage may be short: what was planned counts, too.
IncrementSize after_success(const IncrementSize& size, double taken, int steps, const IncrementLimits& limits) {
  const int successes = size.successes + 1;
  const double planned = std::max(taken, std::min(size.next, 2 * taken));
  return {.next = std::clamp(growth(steps, successes) * planned, limits.smallest, limits.largest),
          .successes = successes};
}

std::optional<IncrementSize> after_failure(double tried, const IncrementLimits& limits) {
  const double next = limits.cut * tried;
  if (next < (1 - close) * limits.smallest) return {};
  return IncrementSize{.next = next, .successes = 0};
}

LoadPath::InStage LoadPath::in_stage(double at) const {
  const auto stage = static_cast<std::size_t>(std::ceil(at * (1 - 1e-15)) - 1);
  double share = at - static_cast<double>(stage);
  const double ends = std::round(at * grid());
  if (std::abs(at * grid() - ends) < close) share = (ends - static_cast<double>(stage) * grid()) / grid();
  return {stage, share};
}

double LoadPath::part(double at) const {
  if (at <= 0) return 0;
  const auto [stage, share] = in_stage(at);
  const double from = stage == 0 ? 0 : parts_[stage - 1], to = parts_[stage];
  return from + (to - from) * share;
}

double LoadPath::time(double at) const {
  if (at <= 0 || durations_.empty()) return 0;
  const auto [stage, share] = in_stage(at);
  double before = 0;
  for (std::size_t i = 0; i < stage; ++i) before += durations_[i];
  return before + durations_[stage] * share;
}

bool LoadPath::takes_time(double at) const {
  const auto stage = static_cast<std::size_t>(at);
  return stage < durations_.size() && durations_[stage] > 0;
}

double LoadPath::next(double at, double size) const {
  const double limit = (std::floor(at * grid() + close) + 1) / grid();
  const double pieces = std::ceil((limit - at) / size - close);
  return pieces <= 1 ? limit : at + (limit - at) / pieces;
}

bool LoadPath::is_stop(double at) const {
  return per_stage_ == 0 || std::abs(at * grid() - std::round(at * grid())) < close;
}

}  // namespace ritz
