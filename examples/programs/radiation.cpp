// NAFEMS T2 by Newton's method: a bar of 0.1 m, 1000 K at one end, radiating to surroundings of 300 K at the other one,
// where it has 927.0 K.
#include "ritz.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace ritz;

int main() try {
  const Mesh mesh = rectangle(10, 1, {0.1, 0.01}, CellKind::quad4);

  HeatConduction heat(mesh, {.absolute_zero = 0});  // temperatures are in kelvin
  heat.material("all", {.conductivity = 55.6});
  heat.loads.temperature("x0", 1000);
  heat.radiation("x1", {.emissivity = 0.98, .ambient = 300});

  const Model model = heat.model(Device::named("auto"));
  const NonlinearSolution solution = solve(model, Nonlinear{.relative = 1e-10});

  const std::vector<double> temperature = model.space.to_mesh(solution.u);
  const double end = *std::ranges::min_element(temperature);
  std::printf("%.3f K at the end, %zu steps of Newton's method\n", end, solution.steps.size());
  return std::abs(end - 927.004) < 0.01 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
