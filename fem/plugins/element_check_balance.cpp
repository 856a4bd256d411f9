#include "fem/plugins/element_check_model.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>

namespace ritz {

double imbalance(const CheckModel& model, const FormRecord& record, const Numbers& u, const Numbers& r) {
  const int dimension = record.dimension, directions = std::min(record.components, dimension);
  const int turns = dimension == 3 ? 3 : 1, first_turn = 3 - turns;  // of the three axes: all, or z alone
  const bool rotations = record.components == dimension + turns;     // unknowns after the displacements
  Point force{}, moment{};
  double forces = 0, moments = 0;
  for (Node node = 0; node < model.space.node_count(); ++node) {
    const std::size_t first = static_cast<std::size_t>(node) * static_cast<std::size_t>(model.space.components());
    Point x = model.space.point(node), f{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(directions); ++d) {
      f[d] = r[first + d];
      if (!record.small_displacements) x[d] += u[first + d];
    }
    Point m = cross(x, f);
    for (int t = 0; rotations && t < turns; ++t)
      m[static_cast<std::size_t>(first_turn + t)] += r[first + static_cast<std::size_t>(dimension + t)];
    for (std::size_t d = 0; d < 3; ++d) {
      force[d] += f[d];
      moment[d] += m[d];
    }
    forces += length(f);
    moments += length(x) * length(f) + length(m);
  }
  const double unbalanced = relative(length(force), forces);
  const bool moments_known = record.small_displacements || !rotations;  // large rotations have no moments of this kind
  return moments_known ? std::max(unbalanced, relative(length(moment), moments)) : unbalanced;
}

}  // namespace ritz
