#include "solvers/algebra/box_around.hpp"

#include "device/communicator.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/point_kernels.hpp"

namespace ritz {

BoxAround box_around(const Vector& coordinates, int dimension) {
  BoxAround box;
  if (coordinates.empty()) return box;
  const Device& device = coordinates.device();
  Vector extremes(device, 2 * dimension, "reductions");
  kernels<PointKernels>(device, solver_kernels, "points")
      .extremes(device, coordinates.size() / dimension, dimension, coordinates.data(), extremes.data());
  std::array<double, 6> found{};
  const auto dimensions = static_cast<std::size_t>(dimension);
  Communicator(device).largest(extremes.data(), std::span(found).first(2 * dimensions));
  for (std::size_t d = 0; d < dimensions; ++d) {
    const double low = -found[d], high = found[dimensions + d];
    box.centre[d] = 0.5 * (low + high);
    box.extent[d] = high - low;
  }
  return box;
}

}  // namespace ritz
