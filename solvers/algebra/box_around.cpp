#include "solvers/algebra/box_around.hpp"

#include <algorithm>

namespace ritz {

BoxAround box_around(const Vector& coordinates, int dimension) {
  const std::vector<double> x = coordinates.host();
  const auto dimensions = static_cast<std::size_t>(dimension);
  std::array<double, 3> low{}, high{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t d = i % dimensions;
    if (i < dimensions) low[d] = high[d] = x[i];
    low[d] = std::min(low[d], x[i]);
    high[d] = std::max(high[d], x[i]);
  }
  BoxAround box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.centre[d] = 0.5 * (low[d] + high[d]);
    box.extent[d] = high[d] - low[d];
  }
  return box;
}

}  // namespace ritz
