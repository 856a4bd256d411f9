#include "mesh/quality/conformity.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

std::string text_of_place(const Mesh& mesh, Node node) {
  const auto x = mesh.point(node);
  return fmt::format("node {} at ({:.6g}, {:.6g}, {:.6g})", node, x[0], x[1], x[2]);
}

std::string first_of(const Mesh& mesh, const HangingNode& hanging) {
  return fmt::format("first {}, on facet {} of cell {}", text_of_place(mesh, hanging.node), hanging.facet.facet,
                     hanging.facet.cell);
}

// Nodes that hang on a facet of the body that they belong to come first; returns how many.
Index own_body_first(const Mesh& mesh, std::vector<HangingNode>& list) {
  std::vector<Index> body_of_cell, body_of_node(static_cast<std::size_t>(mesh.node_count()), -1);
  if (connected_components(mesh, body_of_cell) == 1) return std::ssize(list);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    for (const Node node : mesh.nodes_of(cell))
      body_of_node[static_cast<std::size_t>(node)] = body_of_cell[static_cast<std::size_t>(cell)];
  return std::stable_partition(list.begin(), list.end(),
                               [&](const HangingNode& each) {
                                 return body_of_node[static_cast<std::size_t>(each.node)] ==
                                        body_of_cell[static_cast<std::size_t>(each.facet.cell)];
                               }) -
         list.begin();
}

void report_hanging_nodes(const Mesh& mesh, Conformity& report) {
  std::vector<HangingNode> hanging = find_hanging_nodes(mesh);
  if (hanging.empty()) return;
  const Index torn = own_body_first(mesh, hanging), touching = std::ssize(hanging) - torn;
  if (torn > 0)
    report.errors.emplace_back(
        ErrorKind::torn_mesh,
        fmt::format("{} hanging node{} in {}, {}", torn, torn == 1 ? "" : "s", mesh.source(),
                    first_of(mesh, hanging.front())),
        "one side of these facets is refined and the other is not, so the solution would be discontinuous there",
        "mesh the two sides together (Gmsh: Coherence, BooleanFragments); allow_torn = true in [mesh] where it is "
        "meant");
  if (touching > 0)
    report.notices.push_back(fmt::format(
        "{} nodes lie on facets of another body, {}: bodies in touch that are not joined; no force or heat passes from "
        "one to the other",
        touching, first_of(mesh, hanging[static_cast<std::size_t>(torn)])));
}

// [node] 1: of a volume
std::vector<char> nodes_of_volumes(const Mesh& mesh) {
  std::vector<char> nodes(static_cast<std::size_t>(mesh.node_count()), 0);
  for (const CellBlock& block : mesh.blocks())
    for (const Node node : block.nodes)
      if (traits(block.kind).dimension == 3) nodes[static_cast<std::size_t>(node)] = 1;
  return nodes;
}

}  // namespace

Conformity check_conformity(const Mesh& mesh) {
  Conformity report;
  if (mesh.structural()) {
    auto unjoined = find_unjoined_nodes(mesh);
    const std::vector<char> solid = nodes_of_volumes(mesh);
    std::erase_if(unjoined, [&](const auto& pair) {  // beams and shells that touch solids are joined with them
      return solid[static_cast<std::size_t>(pair.first)] != solid[static_cast<std::size_t>(pair.second)];
    });
    if (!unjoined.empty())
      report.notices.push_back(fmt::format(
          "{} pairs of nodes lie on each other, first {} and {}: parts that are not joined there; no force or heat "
          "passes from one to the other",
          unjoined.size(), text_of_place(mesh, unjoined.front().first), unjoined.front().second));
    return report;
  }
  const Cracks cracks = find_cracks(mesh);
  if (!cracks.nodes.empty())
    report.notices.push_back(fmt::format(
        "{} pairs of free nodes lie on each other ({} pairs of facets), first {} and {}: a crack, or bodies "
        "in touch that are not joined; no force or heat passes from one to the other",
        cracks.nodes.size(), cracks.facets.size(), text_of_place(mesh, cracks.nodes.front().first),
        cracks.nodes.front().second));
  report_hanging_nodes(mesh, report);
  const auto split = find_split_faces(mesh);
  if (!split.empty())
    report.errors.emplace_back(
        ErrorKind::torn_mesh,
        fmt::format("{} quadrilateral facets meet triangles in {}, first facet {} of cell {}", split.size(),
                    mesh.source(), split.front().first.facet, split.front().first.cell),
        "hexahedra and prisms need pyramids between them and tetrahedra",
        "let the mesher insert pyramids; allow_torn = true in [mesh] where the tear is meant");
  return report;
}

}  // namespace ritz
