// Small eigenvalue problems of finite elements, with supports eliminated.
#pragma once

#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/mass.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/constraints.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/eigen_solver.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz::testing {

struct Vibration {
  std::unique_ptr<Mesh> mesh;
  std::unique_ptr<FunctionSpace> space;
  std::unique_ptr<SparseMatrix> K, M;
  SolverGeometry geometry() const { return {&space->coordinates(), mesh->dimension()}; }
  EigenSolution solve(const EigenOptions& options) const { return solve_eigen(*K, *M, options, geometry()); }
};

// (region, component) pairs held at zero.
using Supports = std::vector<std::pair<std::string, int>>;

inline Vibration make_vibration(Mesh mesh, const FormValue& stiffness, const FormValue& mass, const Supports& supports,
                                const Device& device) {
  Vibration v;
  v.mesh = std::make_unique<Mesh>(std::move(mesh));
  v.space = std::make_unique<FunctionSpace>(*v.mesh, stiffness.components, device);
  Constraints fixed(*v.space);
  for (const auto& [region, component] : supports)
    fixed.prescribe(nodes_in(*v.mesh, v.mesh->region(region)), component, 0, region);
  fixed.finish();
  const auto assembled = [&](const FormValue& form) {
    const Operator equations(*v.space, {Integral::over_all_cells(form)});
    auto matrix = std::make_unique<SparseMatrix>(equations.make_matrix());
    equations.assemble(v.space->zeros(), *matrix);
    return matrix;
  };
  v.K = assembled(stiffness);
  v.M = assembled(mass);
  v.K->eliminate(fixed.mask(), max_abs(v.K->diagonal()));
  v.M->eliminate(fixed.mask(), 0);
  return v;
}

// -lap u = lambda u on a rectangle or a box, u = 0 on the named sides.
inline Vibration membrane(Index nx, Index ny, std::array<double, 2> size, CellKind kind,
                          const std::vector<std::string>& held, const Device& device = Device::named("cpu", 1)) {
  Supports supports;
  for (const std::string& side : held) supports.emplace_back(side, 0);
  return make_vibration(rectangle(nx, ny, size, kind), Diffusion<2>{1}, Mass<1, 2>{1}, supports, device);
}
inline const std::vector<std::string> all_sides{"x0", "x1", "y0", "y1"};

// An elastic box, E = 1000, rho = 1, clamped at x = 0 or free.
inline Vibration elastic_box(Index n, Point size, CellKind kind, bool clamped, double poisson = 0.3,
                             const Device& device = Device::named("cpu", 1)) {
  const Lame l = Lame::from(1000, poisson);
  const auto cells = [&](int d) {
    return std::max<Index>(1, Index(std::lround(double(n) * size[static_cast<std::size_t>(d)])));
  };
  return make_vibration(box(cells(0), cells(1), cells(2), size, kind), Elasticity{l.lambda, l.mu}, Mass<3, 3>{1},
                        clamped ? Supports{{"x0", 0}, {"x0", 1}, {"x0", 2}} : Supports{}, device);
}

}  // namespace ritz::testing
