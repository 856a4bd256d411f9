// A form of several fields of one's own: the wall of a tube under pressure inside, of rubber that keeps its volume.
// Elements of one field lock here. The displacement inside is p a^2 b^2 / (2 mu (b^2 - a^2) a) (Lame).
#include "own_fields.hpp"

#include "device/kernels.hpp"
#include "ritz.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>

using namespace ritz;

// A quarter of the wall, 1 < r < 2; x0 is inside, x1 outside, y0 and y1 are planes of symmetry.
Mesh quarter(Index n) {
  MeshData data = rectangle_data(n, 2 * n, {1, 1}, CellKind::quad9);
  for (std::size_t i = 0; i < data.points.size(); i += 3) {
    const double r = 1 + data.points[i], angle = data.points[i + 1] * std::numbers::pi / 2;
    data.points[i] = r * std::cos(angle);
    data.points[i + 1] = r * std::sin(angle);
  }
  return Mesh(std::move(data));
}

int main() try {
  add_kernel_folder(std::filesystem::read_symlink("/proc/self/exe").parent_path().string());
  const Mesh mesh = quarter(8);
  MixedFormValue rubber = Incompressible{.mu = 0.5};
  rubber.numbers.module = "own_fields_kernels";
  const Spaces spaces = spaces_of(rubber, mesh, Device::named("auto"));
  const FieldsOperator equations(spaces, {MixedIntegral::over_all_cells(rubber)},
                                 {Integral::over(FormValue(Pressure<2>{1}), mesh.region("x0"))});
  FieldsConstraints fixed(spaces);
  fixed[0].prescribe(mesh.region("y0"), 1, 0.0, "symmetry");
  fixed[0].prescribe(mesh.region("y1"), 0, 0.0, "symmetry");
  fixed.finish();

  Vector u = equations.zeros(), r = equations.zeros();
  BlockOperator K = equations.make_matrix();
  equations.residual(u, r);
  fixed.set_zero(r);
  equations.assemble(u, K);
  fixed.eliminate(K, 1);
  const SparseMatrix A = sparse_matrix(K.device(), host_matrix(K));
  throw_unless_converged(DirectSolver(A, DirectSolver::Kind::symmetric).solve(r, u));  // u becomes minus the solution

  const std::vector<Point> inside{{1, 0, 0}};
  const double computed = -values_at(spaces[0], equations.layout().part(u, 0), inside)[0], known = 4.0 / 3;
  std::printf("displacement inside %.6f, known %.6f\n", computed, known);
  return std::abs(computed / known - 1) < 1e-5 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
