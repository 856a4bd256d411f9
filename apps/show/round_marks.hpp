// Round numbers along an axis: multiples of 1, 2, 2.5 or 5 times a power of ten.
#pragma once

#include <vector>

namespace ritz {

// Those between low < high, `count` at most or about as many; ascending.
std::vector<double> round_marks(double low, double high, int count);

}  // namespace ritz
