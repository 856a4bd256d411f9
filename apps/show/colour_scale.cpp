#include "apps/show/colour_scale.hpp"

#include "apps/show/round_marks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <tuple>

namespace ritz {
namespace {

using Colour = std::array<double, 3>;

constexpr std::array<Colour, 3> blue_to_red{{{0.230, 0.299, 0.754}, {0.865, 0.865, 0.865}, {0.706, 0.016, 0.150}}};
constexpr std::array<Colour, 7> light_to_dark{{{0.940, 0.940, 0.900},
                                               {0.995, 0.860, 0.560},
                                               {0.980, 0.640, 0.330},
                                               {0.930, 0.420, 0.290},
                                               {0.780, 0.230, 0.350},
                                               {0.520, 0.120, 0.420},
                                               {0.230, 0.050, 0.330}}};

// The share of the greater one that the values of the other sign need so that zero has a colour.
constexpr double both_signs = 0.05;

// Digits enough to tell the marks apart.
std::vector<std::string> texts_of(const std::vector<double>& marks, double factor) {
  std::vector<std::string> texts;
  for (int digits = 4; digits <= 7; ++digits) {
    texts.clear();
    for (const double mark : marks) texts.push_back(fmt::format("{:.{}g}", mark / factor, digits));
    if (std::ranges::adjacent_find(texts) == texts.end()) break;
  }
  return texts;
}

}  // namespace

double ColourScale::part(double value) const {
  if (std::isnan(value)) return value;
  if (!(high > low)) return 0.5;
  const double largest = std::max(-low, high);
  return std::clamp(diverging ? 0.5 + 0.5 * value / largest : (value - low) / (high - low), 0.0, 1.0);
}

Colour ColourScale::colour(double value) const { return colour_of(part(value), diverging); }

Colour colour_of(double part, bool diverging) {
  if (std::isnan(part)) return {0.6, 0.6, 0.6};
  const std::span<const Colour> stops = diverging ? std::span<const Colour>(blue_to_red) : light_to_dark;
  const double place = std::clamp(part, 0.0, 1.0) * double(stops.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  Colour colour{};
  for (std::size_t i = 0; i < 3; ++i) {  // linear in light
    const double start = std::pow(stops[below][i], 2.2), end = std::pow(stops[below + 1][i], 2.2);
    colour[i] = std::pow(start + (place - double(below)) * (end - start), 1 / 2.2);
  }
  return colour;
}

ColourScale colour_scale(const std::vector<float>& values, const Look& look) {
  double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
  for (const float value : values)
    if (std::isfinite(value)) {
      low = std::min(low, double(value));
      high = std::max(high, double(value));
    }
  if (low > high) low = high = 0;
  if (look.limits) std::tie(low, high) = *look.limits;
  if (high - low <= 1e-6 * std::max(std::abs(low), std::abs(high))) low = high = (low + high) / 2;  // rounded values
  return {low, high, std::min(-low, high) > both_signs * std::max(-low, high)};
}

BarMarks bar_marks(const ColourScale& scale) {
  BarMarks marks{{scale.low}, {}, ""};
  const double length = scale.high - scale.low;
  if (length > 0) {
    const double gap = 0.06 * length;  // so that texts do not meet
    for (const double mark : round_marks(scale.low, scale.high, 6))
      if (mark >= scale.low + gap && mark <= scale.high - gap) marks.values.push_back(mark);
    marks.values.push_back(scale.high);
  }
  const double largest = std::max(std::abs(scale.low), std::abs(scale.high));
  const int power = largest > 0 ? static_cast<int>(std::floor(std::log10(largest) / 3)) * 3 : 0;
  const bool is_scaled = power >= 3 || power < -3;
  if (is_scaled) marks.factor = fmt::format("1e{}", power);
  marks.texts = texts_of(marks.values, is_scaled ? std::pow(10, power) : 1);
  return marks;
}

}  // namespace ritz
