// A wall that warms up: insulated at x = 0 and all around, brought to 1 at x = 1 at once. In the end of the slow part
// the insulated side follows 1 - (4 / pi) exp(-(pi / 2)^2 k t / (rho c L^2)) (Carslaw and Jaeger, Conduction of Heat in
// Solids, 1959, section 3.3).
#include "ritz.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>

using namespace ritz;

int main() try {
  constexpr double conductivity = 50, density = 8000, specific_heat = 500, thickness = 0.1;
  const Mesh mesh = rectangle(16, 1, {thickness, 0.01}, CellKind::quad9);

  HeatConduction heat(mesh);
  heat.material("all", {.conductivity = conductivity, .density = density, .specific_heat = specific_heat});
  heat.loads.temperature("x1", 1);
  const Model model = heat.model(Device::named("auto"));

  const double rate = conductivity / (density * specific_heat * thickness * thickness);  // [1/s]
  double error = 0;
  const auto compare = [&](const SolutionView& s) {
    const double t = *s.time, cold = model.space.to_mesh(s.u).front();  // the first node lies at x = 0
    std::printf("t = %5.0f s: %.5f\n", t, cold);
    if (rate * t < 0.4) return;
    const double slow = std::numbers::pi * std::numbers::pi / 4 * rate;
    error = std::max(error, std::abs(cold - (1 - 4 / std::numbers::pi * std::exp(-slow * t))));
  };
  const TransientResult result =
      solve(model, Transient{.end = 800, .output = {100, 200, 400}, .tolerance = 1e-4}, {.show = compare});
  std::printf("%ld steps, largest error %.1e, defect of the balance %.1e\n", static_cast<long>(result.state.steps),
              error, result.state.balance.defect());
  return error < 1e-3 && result.state.balance.defect() < 1e-6 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
