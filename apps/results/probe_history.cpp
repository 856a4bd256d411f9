#include "apps/results/probe_history.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace ritz {

void ProbeHistory::add(double time, const std::vector<std::pair<std::string, std::vector<double>>>& probes) {
  static constexpr std::array names{"x", "y", "z"};
  for (const auto& [probe, values] : probes) {
    if (values.size() > names.size()) continue;  // tensors are no curves
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string name = values.size() == 1 ? probe : fmt::format("{} {}", probe, names[i]);
      auto at = std::ranges::find(series_, name, &Series::name);
      if (at == series_.end()) at = series_.insert(at, {probe, name, {}, {}});
      at->times.push_back(time);
      at->values.push_back(values[i]);
    }
  }
}

std::string inner_extremes(const ProbeHistory::Series& series) {
  std::vector<double> finite;
  std::ranges::copy_if(series.values, std::back_inserter(finite), [](double v) { return std::isfinite(v); });
  if (finite.size() < 3 || finite.size() < series.values.size()) return "";
  const auto least = std::ranges::min_element(finite), greatest = std::ranges::max_element(finite);  // the first ones
  const auto text = [&](const char* word, auto at) {
    if (*at == finite.front() || *at == finite.back()) return std::string();
    return fmt::format("{} {:.6g} at {:g}", word, *at, series.times[static_cast<std::size_t>(at - finite.begin())]);
  };
  const std::string high = text("greatest", greatest), low = text("least", least);
  return high + (high.empty() || low.empty() ? "" : ", ") + low;
}

}  // namespace ritz
