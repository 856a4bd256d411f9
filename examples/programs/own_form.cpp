// A form of one's own: a soap film in a frame that follows Scherk's surface, u = log(cos x / cos y), which is minimal.
#include "own_form.hpp"

#include "device/kernels.hpp"
#include "ritz.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>

using namespace ritz;

// The unit square around the origin has corners at +-0.5.
double scherk(double x, double y) { return std::log(std::cos(x - 0.5) / std::cos(y - 0.5)); }

int main() try {
  add_kernel_folder(std::filesystem::read_symlink("/proc/self/exe").parent_path().string());
  const Mesh mesh = rectangle(16, 16, {1, 1}, CellKind::quad9);
  const FunctionSpace space(mesh, 1, Device::named("auto"));
  FormValue film = FromEnergy<Film>{};
  film.module = "own_form_kernels";
  const Operator equations(space, {Integral::over_all_cells(film)});

  Constraints frame(space);
  for (const char* side : {"x0", "x1", "y0", "y1"})
    for (const Node node : nodes_in(mesh, mesh.region(side)))
      frame.prescribe({&node, 1}, 0, scherk(mesh.point(node)[0], mesh.point(node)[1]), "the frame");
  frame.finish();
  const NonlinearSolution solution = solve_nonlinear(equations, frame, {.relative = 1e-10});

  const std::vector<double> u = space.to_mesh(solution.u);
  double error = 0;
  for (Index node = 0; node < mesh.node_count(); ++node) {
    const double exact = scherk(mesh.point(node)[0], mesh.point(node)[1]);
    error = std::max(error, std::abs(u[static_cast<std::size_t>(node)] - exact));
  }
  std::printf("largest error %.1e, %zu steps of Newton's method\n", error, solution.steps.size());
  return error < 1e-6 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
