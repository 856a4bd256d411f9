#include "apps/bench/problems.hpp"

#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "mesh/generators.hpp"
#include "mesh/order.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ritz {
namespace {

void deform(MeshData& data) {
  const auto wave = [](double t) { return std::sin(std::numbers::pi * t); };
  for (std::size_t i = 0; i < data.points.size(); i += 3) {
    double* x = &data.points[i];
    const double s = 0.1 * wave(x[0]) * wave(x[1]) * wave(x[2]);
    for (int k = 0; k < 3; ++k) x[k] += s;
  }
}

}  // namespace

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all = {
      {"tet-P1", CellKind::tet4, 100, 1, false},        {"tet-P2", CellKind::tet10, 50, 1, false},
      {"hex-Q1", CellKind::hex8, 100, 1, true},         {"hex-Q2", CellKind::hex27, 50, 1, true},
      {"elastic-tet-P1", CellKind::tet4, 36, 3, false}, {"elastic-tet-P2", CellKind::tet10, 18, 3, false},
      {"elastic-hex-Q1", CellKind::hex8, 36, 3, false},
  };
  return all;
}

Index scaled_count(Index n, double size) {
  return std::max(Index{2}, static_cast<Index>(std::lround(static_cast<double>(n) * size)));
}

MeshData mesh_data(const Problem& problem, double size) {
  const Index n = scaled_count(problem.n, size), length = problem.components == 3 ? 4 : 1;
  const CellKind linear = traits(problem.kind).linear;
  MeshData data =
      box_data(length * n, n, n, {static_cast<double>(length), 1, 1}, problem.deformed ? linear : problem.kind);
  if (!problem.deformed) return data;
  deform(data);
  return problem.kind == linear ? data : with_order(data, 2);
}

FormValue form_of(const Problem& problem) {
  if (problem.components == 1) return Diffusion<3>{.conductivity = 1};
  const Lame lame = Lame::from(1000, 0.3);
  return Elasticity{lame.lambda, lame.mu};
}

std::vector<Node> fixed_nodes(const Problem& problem, const Mesh& mesh) {
  std::vector<Node> nodes;
  for (const char* side : {"x0", "x1", "y0", "y1", "z0", "z1"}) {
    if (problem.components == 3 && std::string(side) != "x0") continue;
    const std::vector<Node> more = nodes_in(mesh, mesh.region(side));
    nodes.insert(nodes.end(), more.begin(), more.end());
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace ritz
