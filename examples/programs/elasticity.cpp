// A cantilever under two load cases, which share one matrix: its weight, and a force at its end. Their sum bends it by
// q L^4 / (8 E I) + F L^3 / (3 E I), plus a little by shear, less a little as the clamp holds the section.
#include "ritz.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace ritz;

int main() try {
  constexpr double length = 1, height = 0.05, young = 210e9, density = 7850, g = 9.81, force = 100;
  const Mesh mesh = box(40, 2, 2, {length, height, height}, CellKind::hex20);

  ElasticBody beam(mesh);
  beam.material("all", {.young = young, .poisson = 0.3, .density = density});
  beam.loads.fix("x0");
  beam.load_case("weight").gravity({0, 0, -g});
  beam.load_case("crane").force("x1", {0, 0, -force});

  const Model model = beam.model(Device::named("auto"));
  double lowest = 0;
  const auto print = [&](const SolutionView& s) {
    const std::vector<double> u = model.space.to_mesh(s.u);
    lowest = 0;
    for (std::size_t node = 0; 3 * node < u.size(); ++node) lowest = std::min(lowest, u[3 * node + 2]);
    std::printf("weight x %.1f, crane x %.1f: %.4f mm\n", s.factors[0], s.factors[1], 1e3 * lowest);
  };
  solve(model, LoadCases{.combinations = {{"together", {1, 1}}}}, {.show = print});

  const double area = height * height, inertia = area * area / 12;
  const double expected = -(density * g * area / 8 + force / 3) * std::pow(length, 3) / (young * inertia);
  std::printf("of a slender beam: %.4f mm\n", 1e3 * expected);
  return std::abs(lowest / expected - 1) < 0.01 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
