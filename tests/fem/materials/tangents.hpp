// Tangents of forms of laws against differences of their residuals.
#pragma once

#include "fem/forms/form_value.hpp"
#include "tests/fem/models.hpp"

#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test {

// Displacements that strain and turn; in revolution none on the axis.
inline std::vector<double> bent(const DiscreteProblem& p, double size) {
  return p.values([size](const Point& x, int c) {
    const double y = x[1], z = x[2];
    return size * (c == 0   ? 0.3 * x[0] + 0.1 * x[0] * y - 0.2 * y * x[0] * x[0] + 0.05 * z
                   : c == 1 ? -0.2 * y + 0.3 * x[0] * z + 0.15 * x[0] * y
                            : 0.1 * z + 0.2 * y * z - 0.1 * x[0]);
  });
}

// K d against differences of the residual, by a step so short that few points pass a kink of a yield surface.
inline void expect_tangent(const FormValue& form, const Mesh& mesh, double size, const std::string& name) {
  DiscreteProblem p(mesh, form);
  p.equations.inputs().set_time({0.3, 0.3});
  const std::vector<double> u = bent(p, size), d = p.values([](const Point&x, int c) {
    return std::sin(3 * x[0] + 2 * c) * x[0] + std::cos(2 * x[1] - c + x[2]) * x[0];
  });
  const auto moved = [&](double h) {
    std::vector<double> v = u;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += h * d[i];
    return p.residual(v);
  };
  const double h = 1e-6;
  const auto a = moved(h), b = moved(-h), c = moved(2 * h), e = moved(-2 * h);
  const Vector x = p.space.from_mesh(u), y = p.space.from_mesh(d);
  Vector product = p.space.zeros();
  p.equations.action(x, y, product);
  const std::vector<double> K = p.space.to_mesh(product);
  const SparseMatrix matrix = p.matrix(x);
  Vector by_matrix = p.space.zeros();
  matrix.apply(y, by_matrix);
  const std::vector<double> M = p.space.to_mesh(by_matrix);
  double largest = 0;
  for (const double k : K) largest = std::max(largest, std::abs(k));
  ASSERT_GT(largest, 0);
  for (std::size_t i = 0; i < K.size(); ++i) {
    EXPECT_NEAR(K[i], (8 * (a[i] - b[i]) - c[i] + e[i]) / (12 * h), 2e-7 * largest) << name;
    EXPECT_NEAR(K[i], M[i], 1e-12 * largest) << name;
  }
  const std::vector<double> diagonal = p.space.to_mesh(p.equations.diagonal(x)),
                            of_matrix = p.space.to_mesh(matrix.diagonal());
  for (std::size_t i = 0; i < K.size(); ++i) EXPECT_NEAR(diagonal[i], of_matrix[i], 1e-12 * largest) << name;
}

}  // namespace ritz::test
