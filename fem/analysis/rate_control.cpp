#include "fem/analysis/rate_control.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {

bool RateControl::is_active() const {
  return std::ranges::any_of(laws_, [](int law) { return law >= 0; });
}

std::optional<double> RateControl::error(const Points& before, const Points& now, double dt) const {
  if (rates_.empty()) return {};
  const auto laws = static_cast<std::size_t>(std::ranges::max(laws_) + 1);
  std::vector<double> largest(laws, 0.0), errors(laws, 0.0);
  for (std::size_t list = 0; list < now.size(); ++list) {
    if (laws_[list] < 0) continue;
    const auto law = static_cast<std::size_t>(laws_[list]);
    for (std::size_t i = 0; i < now[list].size(); ++i) {
      largest[law] = std::max(largest[law], std::abs(now[list][i]));
      errors[law] = std::max(errors[law], std::abs(now[list][i] - before[list][i] - dt * rates_[list][i]) / 2);
    }
  }
  double error = 0;
  for (std::size_t law = 0; law < laws; ++law)
    if (largest[law] > 0) error = std::max(error, errors[law] / largest[law]);
  return error / tolerance_;
}

void RateControl::accept(const Points& before, const Points& now, double dt) {
  rates_ = now;
  for (std::size_t list = 0; list < rates_.size(); ++list)
    for (std::size_t i = 0; i < rates_[list].size(); ++i) rates_[list][i] = (now[list][i] - before[list][i]) / dt;
}

double length_factor(double error) {
  constexpr double safety = 0.9, least = 0.2, most = 2;
  return error > 0 ? std::clamp(safety / std::sqrt(error), least, most) : most;
}

}  // namespace ritz
