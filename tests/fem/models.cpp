#include "tests/fem/models.hpp"

#include "solvers/algebra/vectors.hpp"

#include <cmath>
#include <cstdlib>

namespace ritz::test {

Device device_under_test(int threads) {
  const char* const name = std::getenv("RITZ_TEST_DEVICE");
  return Device::named(name != nullptr ? name : "cpu", threads);
}

SparseMatrix DiscreteProblem::matrix(const Vector& u) const {
  SparseMatrix K = equations.make_matrix();
  equations.assemble(u, K);
  return K;
}

std::vector<double> DiscreteProblem::residual(std::span<const double> u) const {
  Vector r = space.zeros();
  equations.residual(space.from_mesh(u), r);
  return space.to_mesh(r);
}

std::vector<double> DiscreteProblem::values(const std::function<double(const Point&, int)>& field) const {
  std::vector<double> result;
  for (Node n = 0; n < mesh.node_count(); ++n)
    for (int c = 0; c < space.components(); ++c)
      result.push_back(field({mesh.point(n)[0], mesh.point(n)[1], mesh.point(n)[2]}, c));
  return result;
}

double DiscreteProblem::magnitude(std::span<const double> u) const {
  const HostMatrix K = host_matrix(matrix());
  const std::vector<double> x = space.from_mesh(u).host();
  double largest = 0;
  for (std::size_t i = 0; i + 1 < K.offsets.size(); ++i) {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(K.offsets[i]); k < static_cast<std::size_t>(K.offsets[i + 1]); ++k)
      sum += std::abs(K.values[k] * x[static_cast<std::size_t>(K.columns[k])]);
    largest = std::max(largest, sum);
  }
  return largest;
}

FormValue heat_form(int dimension) {
  if (dimension == 3) return Diffusion<3>{conductivity};
  return Diffusion<2>{conductivity, thickness};
}

FormValue elastic_form(int dimension) {
  if (dimension == 3) return Elasticity{lame.lambda, lame.mu};
  return PlaneElasticity::plane_strain(lame, thickness);
}

std::vector<NamedForm> forms_on(int dimension) {
  if (dimension == 3) return {{"diffusion", heat_form(3), 1}, {"elasticity", elastic_form(3), 6}};
  return {{"diffusion", heat_form(2), 1},
          {"axisymmetric diffusion", AxisymmetricDiffusion{conductivity}, 1},
          {"plane strain", PlaneElasticity::plane_strain(lame, thickness), 3},
          {"plane stress", PlaneElasticity::plane_stress(lame, thickness), 3},
          {"axisymmetric elasticity", AxisymmetricElasticity{lame.lambda, lame.mu}, 1}};
}

std::vector<Side> sides(int dimension, bool affine) {
  const AffineMap map(dimension);
  std::vector<Side> result;
  for (int axis = 0; axis < dimension; ++axis)
    for (const bool high : {false, true}) {
      Point normal{};
      normal[static_cast<std::size_t>(axis)] = high ? 1 : -1;
      result.push_back({{"xyz"[axis], high ? '1' : '0'}, affine ? map.normal(axis, high) : normal});
    }
  return result;
}

namespace {

template <int C, int G>
FormValue load_form(const double* density, double weight) {
  Load<C, G, 1> load{};
  for (int c = 0; c < C; ++c) load.density[c] = density[c];
  load.weight = weight;
  return load;
}

}  // namespace

FormValue facet_load(int dimension, std::span<const double> density) {
  if (dimension == 3)
    return density.size() == 1 ? load_form<1, 3>(density.data(), 1) : load_form<3, 3>(density.data(), 1);
  return density.size() == 1 ? load_form<1, 2>(density.data(), thickness) : load_form<2, 2>(density.data(), thickness);
}

FormValue volume_load(int dimension, std::span<const double> d) {
  if (dimension == 3) {
    if (d.size() == 1) return Load<1, 3, 0>{{d[0]}};
    return Load<3, 3, 0>{{d[0], d[1], d[2]}};
  }
  if (d.size() == 1) return Load<1, 2, 0>{{d[0]}, thickness};
  return Load<2, 2, 0>{{d[0], d[1]}, thickness};
}

double largest_difference(const Vector& x, const Vector& y) {
  Vector d(x.device(), x.size(), "vectors");
  copy(x, d);
  axpy(-1, y, d);
  return max_abs(d);
}

}  // namespace ritz::test
