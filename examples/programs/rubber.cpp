// Rubber at large displacements: a neo-Hookean block that is stretched to ten times its length, sides free.
#include "ritz.hpp"

#include <cmath>
#include <cstdio>

using namespace ritz;

int main() try {
  const Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::hex20);
  AnyForm block(mesh);
  block.material("all", material(NeoHooke{.young = 1000, .poisson = 0.3}, {.large = true}));
  for (int c = 0; c < 3; ++c) block.loads.prescribe(std::string(1, "xyz"[c]) + "0", c, 0);
  block.loads.prescribe("x1", 0, 9);
  const Model model = block.model(Device::named("auto"));
  const NonlinearSolution end = solve(model, Nonlinear{.relative = 1e-10, .increments = 6});

  double force = 0;
  for (Index node = 0; node < mesh.node_count(); ++node)
    if (mesh.point(node)[0] > 0.999) force += end.reaction[static_cast<std::size_t>(3 * node)];
  std::printf("force %.3f, %zu steps of Newton's method\n", force, end.steps.size());
  return std::abs(force - 3839.481) < 1e-3 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
