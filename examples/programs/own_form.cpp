// A form of one's own: a soap film in a frame that follows Scherk's surface, u = log(cos x / cos y), which is minimal.
#include "own_form.hpp"

#include "device/kernels.hpp"
#include "ritz.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>

using namespace ritz;

// Positions [point][3] -> heights. The unit square around the origin has corners at +-0.5.
void scherk(std::span<const double> points, double, std::span<double> heights) {
  for (std::size_t i = 0; i < heights.size(); ++i)
    heights[i] = std::log(std::cos(points[3 * i] - 0.5) / std::cos(points[3 * i + 1] - 0.5));
}

int main() try {
  add_kernel_folder(std::filesystem::read_symlink("/proc/self/exe").parent_path().string());
  const Mesh mesh = rectangle(16, 16, {1, 1}, CellKind::quad9);
  FormValue film = FromEnergy<Film>{};
  film.module = "own_form_kernels";
  AnyForm soap(mesh);
  soap.material("all", film);
  for (const char* side : {"x0", "x1", "y0", "y1"}) soap.loads.prescribe(side, 0, {scherk});
  const Model model = soap.model(Device::named("auto"));
  const NonlinearSolution solution = solve(model, Nonlinear{.relative = 1e-10});

  const std::vector<double> u = model.space.to_mesh(solution.u);
  std::vector<double> exact(u.size());
  scherk(mesh.points(), 0, exact);
  double error = 0;
  for (std::size_t node = 0; node < u.size(); ++node) error = std::max(error, std::abs(u[node] - exact[node]));
  std::printf("largest error %.1e, %zu steps of Newton's method\n", error, solution.steps.size());
  return error < 1e-6 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
