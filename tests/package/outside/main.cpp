// A form of one's own on an installed Ritz: a box whose surface has the temperatures of a linear field a.x has it
// inside, too, and its heat a.K a V is known: here 32.5. Prints that number for hexahedra and tetrahedra; exit 1 when
// it is wrong.
#include "anisotropic_diffusion.hpp"
#include "device/kernels.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/constraints.hpp"
#include "io/vtk/vtu_writer.hpp"
#include "mesh/generators.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

using namespace ritz;

namespace {

constexpr AnisotropicDiffusion laminate = {{{3, 0.5, 0}, {0.5, 2, 0.25}, {0, 0.25, 1}}};
constexpr double slope[3] = {1, 2, -1};
constexpr double heat = 2.5 * (3 + 4 * 2 + 1 * 1 + 2 * (2 * 0.5 - 2 * 0.25));  // volume times a.K a

double field(std::span<const double, 3> x) { return slope[0] * x[0] + slope[1] * x[1] + slope[2] * x[2]; }

Constraints surface_temperatures(const FunctionSpace& space) {
  Constraints fixed(space);
  for (const char* side : {"x0", "x1", "y0", "y1", "z0", "z1"})
    for (const Node node : nodes_in(space.mesh(), space.mesh().region(side)))
      fixed.prescribe({&node, 1}, 0, field(space.mesh().point(node)), side);
  fixed.finish();
  return fixed;
}

bool solves_exactly(CellKind kind, const Device& device) {
  const Mesh mesh = box(6, 5, 4, {1, 1, 2.5}, kind, {.smooth = 0.1});
  const FunctionSpace space(mesh, 1, device);
  FormValue form = laminate;
  form.module = "my_forms";
  const Operator equations(space, {Integral::over_all_cells(form)});
  const Constraints fixed = surface_temperatures(space);

  Vector u = space.zeros(), load = space.zeros(), change = space.zeros();
  fixed.set_values(u);
  equations.residual(u, load);
  fixed.set_zero(load);
  SparseMatrix K = equations.make_matrix();
  equations.assemble(u, K);
  K.eliminate(fixed.mask(), 1.0);
  const JacobiPreconditioner preconditioner(K);
  const SolveReport report = ConjugateGradient{.relative = 1e-13}.solve(K, load, change, &preconditioner);
  axpy(-1, change, u);

  Vector flux = space.zeros();
  equations.residual(u, flux);
  const double found = dot(u, flux);
  double error = 0;
  const std::vector<double> values = space.to_mesh(u);
  for (Index node = 0; node < mesh.node_count(); ++node)
    error = std::max(error, std::abs(values[static_cast<std::size_t>(node)] - field(mesh.point(node))));
  const std::string file = fmt::format("{}.vtu", traits(kind).name);
  write_vtu(file, mesh, {{"temperature", 1, values}});
  fmt::print("{} on {}: heat {:.12g} (exact {}), error at nodes {:.1e}, {} iterations, {}\n", traits(kind).name,
             device.backend(), found, heat, error, report.iterations, file);
  return std::abs(found - heat) < 1e-10 * heat && error < 1e-10;
}

}  // namespace

int main() try {
  add_kernel_folder(std::filesystem::read_symlink("/proc/self/exe").parent_path().string());
  const Device device = Device::named("auto");
  bool good = solves_exactly(CellKind::hex8, device);
  good = solves_exactly(CellKind::tet4, device) && good;
  return good ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
