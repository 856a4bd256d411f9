// A smooth solution, waves, on perturbed meshes of any cell: what orders of convergence and estimates of errors are
// measured with.
#pragma once

#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>

namespace ritz::test {

inline const Waves waves;

inline double exact(const Point& x, int component) {
  double sum = 0;
  for (const Wave& w : waves.wave)
    sum += w.amplitude[component] * std::sin(w.vector[0] * x[0] + w.vector[1] * x[1] + w.vector[2] * x[2] + w.phase);
  return sum;
}

inline double exact_slope(const Point& x, int component, std::size_t direction) {
  double sum = 0;
  for (const Wave& w : waves.wave)
    sum += w.amplitude[component] * w.vector[direction] *
           std::cos(w.vector[0] * x[0] + w.vector[1] * x[1] + w.vector[2] * x[2] + w.phase);
  return sum;
}

// Serendipity cells lose their order where they are no parallelepipeds: their meshes are smooth, so that cells become
// affine as they shrink. All others get random meshes.
inline bool needs_affine_limit(CellKind kind) {
  return kind == CellKind::quad8 || kind == CellKind::hex20 || kind == CellKind::prism15 || kind == CellKind::pyramid13;
}

inline Mesh mesh_of(CellKind kind, Index n) {
  const Distortion distortion = needs_affine_limit(kind) ? Distortion{.smooth = 0.05} : Distortion{.random = 0.08};
  if (traits(kind).dimension == 2) return rectangle(n, n, {1, 1}, kind, distortion);
  return box(n, n, n, {1, 1, 1}, kind, distortion);
}

inline Vector solution(const DiscreteProblem& model) {
  const FunctionSpace& space = model.space;
  const std::vector<bool> boundary = on_boundary(model.mesh);
  const auto c = static_cast<std::size_t>(space.components());
  std::vector<double> start = model.values(exact), fixed(start.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    fixed[i] = boundary[i / c] ? 1 : 0;
    start[i] *= fixed[i];
  }
  Vector u = space.from_mesh(start), r = space.zeros(), du = space.zeros();
  SparseMatrix K = model.matrix(u);
  model.equations.residual(u, r);
  const std::vector<double> constrained = space.from_mesh(fixed).host();
  std::vector<double> load = r.host();
  std::vector<std::uint8_t> flags(constrained.begin(), constrained.end());
  for (std::size_t i = 0; i < load.size(); ++i) load[i] = flags[i] != 0 ? 0 : -load[i];
  r.upload(load);
  K.eliminate(Array<std::uint8_t>(space.device(), std::span<const std::uint8_t>(flags), "constraints"), 1);
  const JacobiPreconditioner jacobi(K);
  const SolveReport report = ConjugateGradient{.relative = 1e-10}.solve(K, r, du, &jacobi);
  EXPECT_TRUE(report.converged()) << summary(report);
  axpy(1, du, u);
  return u;
}

// Jacobian of a cell at a point, inverted, with its determinant.
struct CellMap {
  double inverse[3][3], determinant;
  CellMap(const Mesh& mesh, std::span<const Node> nodes, const std::vector<Point>& gradients, int dimension) {
    double J[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < dimension; ++i)
      for (int d = 0; d < dimension; ++d) {
        J[i][d] = 0;
        for (std::size_t a = 0; a < nodes.size(); ++a)
          J[i][d] += mesh.point(nodes[a])[static_cast<std::size_t>(i)] * gradients[a][static_cast<std::size_t>(d)];
      }
    determinant = 0;
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < 3; ++d) {
        const int j = (i + 1) % 3, k = (i + 2) % 3, e = (d + 1) % 3, f = (d + 2) % 3;
        inverse[d][i] = J[j][e] * J[k][f] - J[j][f] * J[k][e];
        if (d == 0) determinant += J[i][0] * inverse[0][i];
      }
    for (auto& row : inverse)
      for (double& entry : row) entry /= determinant;
  }
};

}  // namespace ritz::test
