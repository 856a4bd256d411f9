#include "apps/bench/systems.hpp"

#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/loads.hpp"
#include "fem/forms/mass.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/space/constraints.hpp"
#include "fem/space/nested_nodes.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ritz {
namespace {

struct HeldModel {
  HeldModel(MeshData data, int components, const Device& device)
      : mesh(std::move(data)), space(mesh, components, device) {}
  Mesh mesh;
  FunctionSpace space;
};

Index cells(double count, double size) { return std::max(Index{2}, static_cast<Index>(std::lround(count * size))); }

// Assembled and held: all components fixed on the sides named, body load -1 along the last axis (1 for scalars).
BenchSystem held(std::shared_ptr<HeldModel> model, std::vector<Integral> integrals,
                 const std::vector<std::string>& sides) {
  const FunctionSpace& space = model->space;
  const int dimension = model->mesh.dimension(), components = space.components();
  if (dimension == 3 && components == 3) integrals.push_back(Integral::over_all_cells(Load<3, 3, 0>{{0, 0, -1}}));
  if (dimension == 3 && components == 1) integrals.push_back(Integral::over_all_cells(Load<1, 3, 0>{{1}}));
  if (dimension == 2 && components == 2) integrals.push_back(Integral::over_all_cells(Load<2, 2, 0>{{0, -1}}));
  if (dimension == 2 && components == 1) integrals.push_back(Integral::over_all_cells(Load<1, 2, 0>{{1}}));
  const Operator equations(space, std::move(integrals));
  SparseMatrix K = equations.make_matrix();
  Linearisation(equations, space.zeros()).assemble_once(K);
  Constraints fixed(space);
  for (const std::string& side : sides)
    for (int c = 0; c < components; ++c) fixed.prescribe(nodes_in(model->mesh, model->mesh.region(side)), c, 0, side);
  fixed.finish();
  Vector b = space.zeros();
  equations.residual(space.zeros(), b);
  fixed.set_zero(b);
  axpby(0.0, b, -1.0, b);
  K.eliminate(fixed.mask(), max_abs(K.diagonal()));
  Vector coordinates(space.device(), space.coordinates().size(), "coordinates");
  copy(space.coordinates(), coordinates);
  return {model,        std::move(K),
          std::move(b), std::move(coordinates),
          dimension,    [model] { return nested_nodes(model->space); }};
}

const std::vector<std::string> whole_box = {"x0", "x1", "y0", "y1", "z0", "z1"},
                               whole_square = {"x0", "x1", "y0", "y1"};

BenchSystem poisson_in_plane(const Device& device, Index n, CellKind kind) {
  auto model = std::make_shared<HeldModel>(rectangle_data(n, n, {1, 1}, kind), 1, device);
  return held(model, {Integral::over_all_cells(Diffusion<2>{1})}, whole_square);
}

BenchSystem poisson(const Device& device, Index n, CellKind kind, Point lengths = {1, 1, 1}) {
  auto model = std::make_shared<HeldModel>(box_data(n, n, n, lengths, kind), 1, device);
  return held(model, {Integral::over_all_cells(Diffusion<3>{1})}, whole_box);
}

FormValue elastic(double young, double ratio) {
  const Lame l = Lame::from(young, ratio);
  return Elasticity{l.lambda, l.mu};
}

// Clamped at x = 0.
BenchSystem elastic_body(const Device& device, std::array<Index, 3> n, Point lengths, CellKind kind,
                         double ratio = 0.3) {
  auto model = std::make_shared<HeldModel>(box_data(n[0], n[1], n[2], lengths, kind), 3, device);
  return held(model, {Integral::over_all_cells(elastic(1000, ratio))}, {"x0"});
}

BenchSystem cantilever(const Device& device, Index n, CellKind kind, double ratio = 0.3) {
  return elastic_body(device, {4 * n, n, n}, {4, 1, 1}, kind, ratio);
}

// Cells by turns hard and soft, in lumps of 4 x 4 x 4.
std::vector<Integral> two_materials(const Mesh& mesh, Index n, const FormValue& hard, const FormValue& soft) {
  Integral a{hard, false, {}, {}}, b{soft, false, {}, {}};
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const CellBlock& block = mesh.block_of(cell);
    const auto x = mesh.point(block.cell(cell - block.first_cell)[0]);
    Index lumps = 0;
    for (const double coordinate : x) lumps += static_cast<Index>(coordinate * double(n) + 0.5) / 4;
    (lumps % 2 == 0 ? a : b).cells.push_back(cell);
  }
  return {std::move(a), std::move(b)};
}

BenchSystem diffusion_with_contrast(const Device& device, Index n) {
  auto model = std::make_shared<HeldModel>(box_data(n, n, n, {1, 1, 1}, CellKind::tet4), 1, device);
  return held(model, two_materials(model->mesh, n, Diffusion<3>{1e6}, Diffusion<3>{1}), {"x0"});
}

BenchSystem elastic_with_contrast(const Device& device, Index n) {
  auto model = std::make_shared<HeldModel>(box_data(4 * n, n, n, {4, 1, 1}, CellKind::tet4), 3, device);
  return held(model, two_materials(model->mesh, n, elastic(1e6, 0.3), elastic(1, 0.3)), {"x0"});
}

BenchSystem plane_strain(const Device& device, Index n) {
  auto model = std::make_shared<HeldModel>(rectangle_data(2 * n, n, {2, 1}, CellKind::quad8), 2, device);
  return held(model, {Integral::over_all_cells(PlaneElasticity::plane_strain(Lame::from(1000, 0.3), 1))}, {"x0"});
}

// -lap u + c u: a step in time where c > 0, a vibration between its resonances where c < 0.
BenchSystem with_mass(const Device& device, Index n, double c) {
  auto model = std::make_shared<HeldModel>(box_data(n, n, n, {1, 1, 1}, CellKind::tet4), 1, device);
  return held(model, {Integral::over_all_cells(Diffusion<3>{1}), Integral::over_all_cells(Mass<1, 3>{c})}, whole_box);
}

// -lap u + velocity (1, 0.7, 0.3) . grad u on n^dimension inner points of the unit cube, upwind differences.
BenchSystem convection(const Device& device, Index n, int dimension, double speed) {
  const double h = 1.0 / double(n + 1), velocity[3] = {speed, 0.7 * speed, 0.3 * speed};
  HostMatrix A;
  A.offsets.push_back(0);
  std::vector<double> points;
  const Index planes = dimension == 3 ? n : 1, stride[3] = {1, n, n * n};
  for (Index z = 0; z < planes; ++z)
    for (Index y = 0; y < n; ++y)
      for (Index x = 0; x < n; ++x) {
        const Index at[3] = {x, y, z}, row = x + n * (y + n * z);
        double diagonal = 0;
        for (int d = 0; d < dimension; ++d) diagonal += 2 / (h * h) + velocity[d] / h;
        for (int d = dimension - 1; d >= 0; --d)
          if (at[d] > 0) {
            A.columns.push_back(static_cast<std::int32_t>(row - stride[d]));
            A.values.push_back(-1 / (h * h) - velocity[d] / h);
          }
        A.columns.push_back(static_cast<std::int32_t>(row));
        A.values.push_back(diagonal);
        for (int d = 0; d < dimension; ++d)
          if (at[d] + 1 < n) {
            A.columns.push_back(static_cast<std::int32_t>(row + stride[d]));
            A.values.push_back(-1 / (h * h));
          }
        A.offsets.push_back(static_cast<Index>(A.columns.size()));
        for (int d = 0; d < dimension; ++d) points.push_back(h * double(at[d] + 1));
      }
  Vector b(device, A.rows(), "vectors");
  fill(1.0, b);
  return {nullptr, sparse_matrix(device, A), std::move(b), Vector(device, points, "coordinates"), dimension};
}

constexpr const char *definite = "definite", *indefinite = "indefinite", *unsymmetric = "unsymmetric";

}  // namespace

const std::vector<SystemRecipe>& auto_table_systems() {
  using D = const Device&;
  static const std::vector<SystemRecipe> all = {
      {"tiny", definite, [](D d, double) { return poisson_in_plane(d, 6, CellKind::quad4); }},
      {"poisson-2d-P1 small", definite,
       [](D d, double s) { return poisson_in_plane(d, cells(160, s), CellKind::tri3); }},
      {"poisson-2d-P1 large", definite,
       [](D d, double s) { return poisson_in_plane(d, cells(640, s), CellKind::tri3); }},
      {"poisson-2d-Q2", definite, [](D d, double s) { return poisson_in_plane(d, cells(200, s), CellKind::quad9); }},
      {"poisson-3d-P1 small", definite, [](D d, double s) { return poisson(d, cells(25, s), CellKind::tet4); }},
      {"poisson-3d-P1 large", definite, [](D d, double s) { return poisson(d, cells(70, s), CellKind::tet4); }},
      {"poisson-3d-P2", definite, [](D d, double s) { return poisson(d, cells(20, s), CellKind::tet10); }},
      {"poisson-3d-Q1", definite, [](D d, double s) { return poisson(d, cells(45, s), CellKind::hex8); }},
      {"poisson-3d-Q2", definite, [](D d, double s) { return poisson(d, cells(20, s), CellKind::hex27); }},
      {"anisotropic 1:2500", definite,
       [](D d, double s) {
         return poisson(d, cells(40, s), CellKind::hex8, {1, 1, 0.02});
       }},
      {"diffusion contrast 1e6", definite, [](D d, double s) { return diffusion_with_contrast(d, cells(40, s)); }},
      {"heat step", definite, [](D d, double s) { return with_mass(d, cells(50, s), 1e5); }},
      {"elastic-P1 small", definite, [](D d, double s) { return cantilever(d, cells(8, s), CellKind::tet4); }},
      {"elastic-P1 large", definite, [](D d, double s) { return cantilever(d, cells(20, s), CellKind::tet4); }},
      {"elastic-P2", definite, [](D d, double s) { return cantilever(d, cells(8, s), CellKind::tet10); }},
      {"elastic-Q1", definite, [](D d, double s) { return cantilever(d, cells(14, s), CellKind::hex8); }},
      {"thin plate", definite,
       [](D d, double s) {
         return elastic_body(d, {cells(50, s), cells(50, s), 1}, {1, 1, 0.03}, CellKind::hex20);
       }},
      {"slender beam", definite,
       [](D d, double s) {
         return elastic_body(d, {cells(200, s), 2, 2}, {20, 1, 1}, CellKind::hex20);
       }},
      {"elastic contrast 1e6", definite, [](D d, double s) { return elastic_with_contrast(d, cells(12, s)); }},
      {"nearly incompressible", definite,
       [](D d, double s) { return cantilever(d, cells(7, s), CellKind::tet10, 0.499); }},
      {"plane strain", definite, [](D d, double s) { return plane_strain(d, cells(110, s)); }},
      {"shifted small", indefinite, [](D d, double s) { return with_mass(d, cells(20, s), -200); }},
      {"shifted large", indefinite, [](D d, double s) { return with_mass(d, cells(40, s), -60); }},
      {"convection 2d", unsymmetric, [](D d, double s) { return convection(d, cells(250, s), 2, 100); }},
      {"convection 3d", unsymmetric, [](D d, double s) { return convection(d, cells(45, s), 3, 50); }},
  };
  return all;
}

const std::vector<SystemRecipe>& direct_table_systems() {
  using D = const Device&;
  static const std::vector<SystemRecipe> all = {
      {"elastic-P1 107 k", definite, [](D d, double s) { return cantilever(d, cells(20, s), CellKind::tet4); }},
      {"elastic-P2 107 k", definite, [](D d, double s) { return cantilever(d, cells(10, s), CellKind::tet10); }},
      {"elastic-P1 205 k", definite, [](D d, double s) { return cantilever(d, cells(25, s), CellKind::tet4); }},
      {"poisson-3d-P1 117 k", definite, [](D d, double s) { return poisson(d, cells(48, s), CellKind::tet4); }},
      {"poisson-2d-P1 411 k", definite,
       [](D d, double s) { return poisson_in_plane(d, cells(640, s), CellKind::tri3); }},
      {"shifted 69 k", indefinite, [](D d, double s) { return with_mass(d, cells(40, s), -60); }},
      {"convection 91 k", unsymmetric, [](D d, double s) { return convection(d, cells(45, s), 3, 50); }},
  };
  return all;
}

}  // namespace ritz
