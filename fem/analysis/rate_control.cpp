#include "fem/analysis/rate_control.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ritz {

RateControl::RateControl(std::vector<int> laws, double tolerance, const std::optional<Device>& device)
    : laws_(std::move(laws)), tolerance_(tolerance) {
  if (device) ranks_.emplace(*device);
  int last = -1;
  for (const int law : laws_) last = std::max(last, law);
  law_count_ = static_cast<int>(largest_of_ranks(last)) + 1;
}

double RateControl::largest_of_ranks(double mine) const { return ranks_ ? ranks_->largest_of(mine) : mine; }

void RateControl::set_rates(Points rates) {
  has_rates_ = largest_of_ranks(rates.empty() ? 0 : 1) > 0;
  rates_ = std::move(rates);
}

std::optional<double> RateControl::error(const Points& before, const Points& now, double dt) const {
  if (!has_rates_) return {};
  const auto laws = static_cast<std::size_t>(law_count_);
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
  for (std::size_t law = 0; law < laws; ++law) {
    const double value = largest_of_ranks(largest[law]), worst = largest_of_ranks(errors[law]);
    if (value > 0) error = std::max(error, worst / value);
  }
  return error / tolerance_;
}

void RateControl::accept(const Points& before, const Points& now, double dt) {
  has_rates_ = true;
  rates_ = now;
  for (std::size_t list = 0; list < rates_.size(); ++list)
    for (std::size_t i = 0; i < rates_[list].size(); ++i) rates_[list][i] = (now[list][i] - before[list][i]) / dt;
}

double length_factor(double error) {
  constexpr double safety = 0.9, least = 0.2, most = 2;
  return error > 0 ? std::clamp(safety / std::sqrt(error), least, most) : most;
}

}  // namespace ritz
