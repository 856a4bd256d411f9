// Colours of values between two limits, and round numbers along their bar.
//
//   const ColourScale scale = colour_scale(values, look);   scale.colour(5e6)   // red, green and blue, 0 ... 1
#pragma once

#include "apps/run/look.hpp"

#include <array>
#include <string>
#include <vector>

namespace ritz {

// Values of one sign go from light yellow over red to dark violet: the greatest is the darkest, in print, too. Where
// values of both signs matter, the least are blue, zero is light grey and the greatest are red (the ends are those of
// Moreland's map). Values that are missing are grey.
struct ColourScale {
  double low = 0, high = 0;  // values of the first and the last colour
  bool diverging = false;

  double part(double value) const;  // 0 ... 1 along the map of colours; NaN of NaN
  std::array<double, 3> colour(double value) const;
};

std::array<double, 3> colour_of(double part, bool diverging);

// From the least to the greatest value, or between the limits of the look.
ColourScale colour_scale(const std::vector<float>& values, const Look& look);

// Marks of a bar: the limits, and between them multiples of 1, 2, 2.5 or 5 times a power of ten. Their texts are the
// values divided by one power of a thousand.
struct BarMarks {
  std::vector<double> values;  // ascending
  std::vector<std::string> texts;
  std::string factor;  // "1e6"; empty: 1
};
BarMarks bar_marks(const ColourScale& scale);

}  // namespace ritz
