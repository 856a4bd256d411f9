#include "fem/physics/remote_force.hpp"

namespace ritz {
namespace {

using Triple = std::array<double, 3>;

Triple cross_product(const Triple& a, const Triple& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// use(position, weight) at the points of the rule of loads.
template <class Use>
void at_points(const Mesh& mesh, const Region& region, int field_order, const BodyMeasure& measure, const Use& use) {
  RegionPoints points(mesh, measure, field_order);
  for (const FacetOfCell& facet : region.facets)
    points.of_facet(facet, [&](const RegionPoints::Table& table, std::span<const Node> nodes, const auto& each) {
      each([&](std::size_t q, double weight) {
        Triple x{};
        for (std::size_t a = 0; a < nodes.size(); ++a)
          for (std::size_t d = 0; d < 3; ++d) x[d] += table.values[q][a] * mesh.point(nodes[a])[d];
        use(x, weight);
      });
    });
}

// I w = m, of a symmetric positive matrix with columns I.
Triple solve_by_cramer(const std::array<Triple, 3>& I, const Triple& m) {
  const auto determinant = [](const Triple& a, const Triple& b, const Triple& c) {
    const Triple bc = cross_product(b, c);
    return a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2];
  };
  const double all = determinant(I[0], I[1], I[2]);
  return {determinant(m, I[1], I[2]) / all, determinant(I[0], m, I[2]) / all, determinant(I[0], I[1], m) / all};
}

}  // namespace

std::vector<Coefficient> equivalent_traction(const Mesh& mesh, const Region& region, const RemoteForce& load,
                                             int field_order, const BodyMeasure& measure) {
  double area = 0;
  Triple centre{};
  at_points(mesh, region, field_order, measure, [&](const Triple& x, double weight) {
    area += weight;
    for (std::size_t d = 0; d < 3; ++d) centre[d] += weight * x[d];
  });
  for (double& each : centre) each /= area;
  std::array<Triple, 3> second{};
  at_points(mesh, region, field_order, measure, [&](const Triple& x, double weight) {
    const Triple r = {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]};
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) second[i][j] += weight * ((i == j ? square : 0) - r[i] * r[j]);
  });
  const Triple p = load.at.value_or(centre);
  Triple moment = cross_product({p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]}, load.force);
  for (std::size_t d = 0; d < 3; ++d) moment[d] += load.moment[d];
  const bool is_plane = mesh.dimension() == 2;
  const Triple turn = !is_plane              ? solve_by_cramer(second, moment)
                      : measure.axisymmetric ? Triple{}
                                             : Triple{0, 0, moment[2] / second[2][2]};
  const PointExpression x[] = {PointExpression::x(), PointExpression::y(), PointExpression::z()};
  std::vector<Coefficient> traction;
  for (std::size_t d = 0; d < (is_plane ? std::size_t{2} : std::size_t{3}); ++d) {
    const std::size_t j = (d + 1) % 3, k = (d + 2) % 3;  // (w x r)_d = w_j r_k - w_k r_j
    traction.emplace_back(load.force[d] / area + turn[j] * (x[k] - centre[k]) - turn[k] * (x[j] - centre[j]));
  }
  return traction;
}

}  // namespace ritz
