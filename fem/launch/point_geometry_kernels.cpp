#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "fem/launch/point_geometry.hpp"
#include "fem/numbers/cofactors.hpp"

namespace ritz::RITZ_BACKEND::point_geometry_kernels {
namespace {

// index = (batch, point, lane)
template <int D>
struct StoreGeometry {
  ReferenceTable table;
  const std::int32_t* nodes;
  const double* coordinates;
  double* out;

  constexpr void operator()(Index index) const {
    const int lane = static_cast<int>(index % lane_count), points = table.point_count,
              count = table.geometry_node_count;
    const Index batch = index / lane_count / points;
    const int q = static_cast<int>(index / lane_count % points);
    double x[D] = {}, J[D][D] = {}, m[D][D] = {};  // J: [reference direction][direction]
    for (int a = 0; a < count; ++a) {
      const double* at = coordinates + Index{nodes[(batch * count + a) * lane_count + lane]} * D;
      for (int i = 0; i < D; ++i) {
        x[i] += table.geometry_values[q * count + a] * at[i];
        for (int d = 0; d < D; ++d) J[d][i] += table.geometry_gradients[(q * count + a) * D + d] * at[i];
      }
    }
    const double determinant = cofactors(J, m);
    double* entry = out + (batch * points + q) * (D * D + 1 + D) * lane_count + lane;
    for (int d = 0; d < D; ++d)
      for (int i = 0; i < D; ++i) entry[(d * D + i) * lane_count] = m[d][i] / determinant;
    entry[D * D * lane_count] = table.weights[q] * determinant;
    for (int i = 0; i < D; ++i) entry[(D * D + 1 + i) * lane_count] = x[i];
  }
};

template <int D>
void store_dimension(const Device& device, const ElementArguments& a, double* out) {
  for_each(device, "point geometry", a.batch_count * a.table.point_count * lane_count,
           StoreGeometry<D>{a.table, a.geometry_nodes, a.coordinates, out});
}

void store(const Device& device, const ElementArguments& arguments, double* out) {
  if (arguments.table.dimension == 3) store_dimension<3>(device, arguments, out);
  else store_dimension<2>(device, arguments, out);
}

const PointGeometryKernels table{store};
const Registration registration("point geometry", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::point_geometry_kernels
