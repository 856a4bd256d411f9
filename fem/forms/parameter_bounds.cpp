#include "fem/forms/parameter_bounds.hpp"

#include <cmath>
#include <fmt/ranges.h>
#include <vector>

namespace ritz {

std::string bounds_of(const ParameterFacts& f) {
  std::vector<std::string> parts;
  if (!std::isnan(f.minimum)) parts.push_back(fmt::format("of at least {:g}", f.minimum));
  if (!std::isnan(f.above)) parts.push_back(fmt::format("above {:g}", f.above));
  if (!std::isnan(f.maximum)) parts.push_back(fmt::format("of at most {:g}", f.maximum));
  if (!std::isnan(f.below)) parts.push_back(fmt::format("below {:g}", f.below));
  return fmt::format("{}", fmt::join(parts, " and "));
}

bool keeps_bounds(const ParameterFacts& f, double value) {
  return std::isfinite(value) && !(value < f.minimum) && !(value > f.maximum) && !(value <= f.above) &&
         !(value >= f.below);
}

double example_of(const ParameterFacts& f) {
  if (!std::isnan(f.example)) return f.example;
  if (!std::isnan(f.fallback)) return f.fallback;
  // of NaN and a number: the number
  const double low = std::fmax(f.minimum, f.above), high = std::fmin(f.maximum, f.below);
  if (std::isnan(low) && std::isnan(high)) return 1;
  if (std::isnan(high)) return low + 1;
  if (std::isnan(low)) return high - 1;
  return 0.5 * (low + high);
}

}  // namespace ritz
