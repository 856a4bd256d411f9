#include "apps/show/round_marks.hpp"

#include <cmath>

namespace ritz {
namespace {

double round_step(double length, int count) {
  const double power = std::pow(10, std::floor(std::log10(length / count)));
  for (const double step : {1.0, 2.0, 2.5, 5.0})
    if (length / (step * power) <= count) return step * power;
  return 10 * power;
}

}  // namespace

std::vector<double> round_marks(double low, double high, int count) {
  std::vector<double> marks;
  if (!(high > low)) return marks;
  const double step = round_step(high - low, count);
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    marks.push_back(k == 0 ? 0 : k * step);  // no -0
  return marks;
}

}  // namespace ritz
