// Small finite-element systems, assembled and with their supports eliminated, for tests of solvers.
#pragma once

#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/loads.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/constraints.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz::testing {

struct System {
  std::unique_ptr<Mesh> mesh;
  std::unique_ptr<FunctionSpace> space;
  std::unique_ptr<SparseMatrix> K;
  Vector b;
  SmoothedAggregationOptions multigrid() const {
    return {.coordinates = &space->coordinates(), .dimension = mesh->dimension()};
  }
};

// `supports`: (region, component) pairs held at zero.
using Supports = std::vector<std::pair<std::string, int>>;

inline System make_system(Mesh mesh, int components, std::vector<Integral> integrals, const Supports& supports,
                          const Device& device, const SpaceOptions& options = {}) {
  System s;
  s.mesh = std::make_unique<Mesh>(std::move(mesh));
  s.space = std::make_unique<FunctionSpace>(*s.mesh, components, device, options);
  const Operator equations(*s.space, std::move(integrals));
  Constraints fixed(*s.space);
  for (const auto& [region, component] : supports) fixed.prescribe(s.mesh->region(region), component, 0, region);
  fixed.finish();
  const Vector u = s.space->zeros();
  s.b = s.space->zeros();
  equations.residual(u, s.b);
  fixed.set_zero(s.b);
  axpby(0.0, u, -1.0, s.b);
  s.K = std::make_unique<SparseMatrix>(equations.make_matrix());
  equations.assemble(u, *s.K);
  s.K->eliminate(fixed.mask(), max_abs(s.K->diagonal()));
  return s;
}

inline System heat_cube(CellKind kind, Index n, const Device& device) {
  return make_system(box(n, n, n, {1, 1, 1}, kind), 1,
                     {Integral::over_all_cells(Diffusion<3>{1}), Integral::over_all_cells(Load<1, 3, 0>{{1}})},
                     {{"x0", 0}, {"x1", 0}}, device);
}

// Clamped at x = 0, weight in -z.
inline System cantilever(CellKind kind, Index n, const Device& device, double poisson = 0.3) {
  const Lame l = Lame::from(1000, poisson);
  return make_system(
      box(4 * n, n, n, {4, 1, 1}, kind), 3,
      {Integral::over_all_cells(Elasticity{l.lambda, l.mu}), Integral::over_all_cells(Load<3, 3, 0>{{0, 0, -1}})},
      {{"x0", 0}, {"x0", 1}, {"x0", 2}}, device);
}

}  // namespace ritz::testing
