// Probes of a run over its times, kept in memory: for curves, and for extremes that lie between begin and end.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ritz {

class ProbeHistory {
 public:
  struct Series {
    std::string probe, name;  // name: "tip y" of the probe "tip"
    std::vector<double> times, values;
  };

  // A row: each probe has one number or a vector.
  void add(double time, const std::vector<std::pair<std::string, std::vector<double>>>& probes);
  const std::vector<Series>& series() const { return series_; }

 private:
  std::vector<Series> series_;
};

// "greatest 232.9 at 12, least 20 at 3", of those that are neither at the first nor at the last time; else empty.
std::string inner_extremes(const ProbeHistory::Series& series);

}  // namespace ritz
