// Equations between unknowns: a bar of two blocks whose meshes do not meet, joined by u(left) = u(right) at the nodes
// of the seam, is pulled by 1 MPa. It gets longer by L p / E = 2 / 200e3 = 1e-5 m.
#include "ritz.hpp"

#include <cmath>
#include <cstdio>
#include <map>

using namespace ritz;

int main() try {
  // Two boxes of 1 m one after the other; the second has nodes of its own at x = 1.
  MeshData data = box_data(4, 4, 4, {1, 1, 1}, CellKind::hex8), second = data;
  const auto nodes = static_cast<Node>(data.points.size() / 3);
  const Index cells = data.blocks.front().cell_count();
  transform_points(second, [](std::span<double, 3> x) { x[0] += 1; });
  data.points.insert(data.points.end(), second.points.begin(), second.points.end());
  for (Node& node : second.blocks.front().nodes) node += nodes;
  data.blocks.push_back(second.blocks.front());
  std::erase_if(data.regions, [](const Region& region) { return region.name != "x0"; });
  for (Region region : second.regions)
    if (region.name == "x1") {
      for (FacetOfCell& facet : region.facets) facet.cell += cells;
      data.regions.push_back(region);
    }
  const Mesh mesh(std::move(data));

  ElasticBody body(mesh);
  body.material("all", {.young = 200e9, .poisson = 0});
  body.loads.fix("x0");
  body.loads.traction("x1", {1e6, 0, 0});
  Model model = body.model(Device::named("auto"));

  // Nodes at one place: each of the second block follows that of the first.
  LinearEquations seam{.origin = "seam"};
  std::map<Point, Node> met;
  for (Node node = 0; node < model.space.node_count(); ++node)
    if (const auto [first, is_new] = met.try_emplace(model.space.point(node), node); !is_new)
      for (int c = 0; c < 3; ++c) seam.add({{node, c, 1.0}, {first->second, c, -1.0}});
  model.relations.push_back(std::move(seam));

  const StaticSolution s = solve(model, Static{});
  const std::vector<double> u = model.space.to_mesh(s.u);
  const double longer = u[3 * static_cast<std::size_t>(mesh.node_count() - 1)], expected = 1e-5;
  std::printf("the bar is longer by %.7g m: L p / E = %g\n", longer, expected);
  return std::abs(longer - expected) < 1e-11 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
