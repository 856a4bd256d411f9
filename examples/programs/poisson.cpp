// A unit square that produces heat, cold on all sides: -laplace u = 1. The largest u is 0.0736714 (Timoshenko and
// Goodier, Theory of Elasticity, section 109, where it is the torsion of a square bar).
#include "ritz.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace ritz;

int main() try {
  const Mesh mesh = rectangle(32, 32, {1, 1}, CellKind::quad9);

  HeatConduction heat(mesh);
  heat.material("all", {.conductivity = 1});
  heat.loads.source("all", 1);
  for (const char* side : {"x0", "x1", "y0", "y1"}) heat.loads.temperature(side, 0);

  const Model model = heat.model(Device::named("auto"));
  const StaticSolution solution = solve(model, Static{.linear = {.relative = 1e-10}});

  const std::vector<double> u = model.space.to_mesh(solution.u);
  const double largest = *std::ranges::max_element(u);
  write_vtu("poisson.vtu", mesh, {{"u", 1, u}});
  std::printf("largest value %.7f, %d iterations of %s\n", largest, solution.report.iterations,
              solution.report.method.c_str());
  return std::abs(largest - 0.0736714) < 1e-6 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
