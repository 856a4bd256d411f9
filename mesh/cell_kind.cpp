// The tables are written for the linear kinds and derived for the quadratic ones: edge nodes follow the corners in
// the order of the edges, then face centres, then the cell centre.
//
// VTK's pictures of the wedge and its shape functions disagree about which way the first triangle looks. Here, as in
// Gmsh and in the files that VTK writers produce in practice, nodes 0 1 2 run counterclockwise when seen from the
// side of nodes 3 4 5: triangle (0 1 2) at z = 0 under (3 4 5) at z = 1 has a positive Jacobian, and the outward
// facet is (0 2 1). Meshes of the other handedness are recognised and renumbered by Mesh.
#include "mesh/cell_kind.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <string>

namespace ritz {
namespace {

using Corners = std::vector<int>;
using Edges = std::vector<std::array<int, 2>>;

struct Shape {
  CellKind linear;
  int dimension;
  int corner_count;
  Edges edges;
  std::vector<Corners> facets;  // corner lists, outward
};

const Shape& shape_of(CellKind linear) {
  static const std::vector<Shape> shapes = {
      {CellKind::vertex1, 0, 1, {}, {}},
      {CellKind::line2, 1, 2, {{0, 1}}, {{0}, {1}}},
      {CellKind::tri3, 2, 3, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1}, {1, 2}, {2, 0}}},
      {CellKind::quad4, 2, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
      {CellKind::tet4,
       3,
       4,
       {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
       {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}}},
      {CellKind::hex8,
       3,
       8,
       {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
       // -x, +x, -y, +y, -z, +z: also the order of the face centres of hex27
       {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}},
      {CellKind::prism6,
       3,
       6,
       {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
       {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
      {CellKind::pyramid5,
       3,
       5,
       {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
       {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}},
  };
  return *std::find_if(shapes.begin(), shapes.end(), [&](const Shape& s) { return s.linear == linear; });
}

enum class Nodes { corners, edges, edges_and_faces };  // nodes in addition to the corners

CellKind facet_kind(int dimension, std::size_t corners, Nodes nodes) {
  if (dimension == 1) return CellKind::vertex1;
  if (dimension == 2) return nodes == Nodes::corners ? CellKind::line2 : CellKind::line3;
  if (corners == 3) return nodes == Nodes::corners ? CellKind::tri3 : CellKind::tri6;
  if (nodes == Nodes::corners) return CellKind::quad4;
  return nodes == Nodes::edges ? CellKind::quad8 : CellKind::quad9;
}

int edge_between(const Edges& edges, int a, int b) {
  for (std::size_t e = 0; e < edges.size(); ++e)
    if ((edges[e][0] == a && edges[e][1] == b) || (edges[e][0] == b && edges[e][1] == a)) return static_cast<int>(e);
  return -1;
}

std::vector<Facet> facets_of(const Shape& shape, Nodes nodes) {
  std::vector<Facet> facets;
  int next_centre = shape.corner_count + static_cast<int>(shape.edges.size());
  for (const Corners& corners : shape.facets) {
    Facet facet{facet_kind(shape.dimension, corners.size(), nodes), corners};
    if (shape.dimension > 1 && nodes != Nodes::corners) {
      const std::size_t side_count = shape.dimension == 2 ? 1 : corners.size();
      for (std::size_t i = 0; i < side_count; ++i)
        facet.nodes.push_back(shape.corner_count +
                              edge_between(shape.edges, corners[i], corners[(i + 1) % corners.size()]));
      if (nodes == Nodes::edges_and_faces && corners.size() == 4) facet.nodes.push_back(next_centre++);
    }
    facets.push_back(std::move(facet));
  }
  return facets;
}

CellTraits make(CellKind kind, std::string_view name, CellKind linear, int node_count, int vtk_type, Nodes nodes) {
  const Shape& shape = shape_of(linear);
  return {.kind = kind,
          .name = name,
          .dimension = shape.dimension,
          .order = nodes == Nodes::corners ? 1 : 2,
          .node_count = node_count,
          .corner_count = shape.corner_count,
          .linear = linear,
          .vtk_type = vtk_type,
          .facets = facets_of(shape, nodes),
          .edges = shape.edges};
}

const std::vector<CellTraits>& table() {
  using enum CellKind;
  static const std::vector<CellTraits> all = {
      make(vertex1, "vertex1", vertex1, 1, 1, Nodes::corners),
      make(line2, "line2", line2, 2, 3, Nodes::corners),
      make(line3, "line3", line2, 3, 21, Nodes::edges),
      make(tri3, "tri3", tri3, 3, 5, Nodes::corners),
      make(tri6, "tri6", tri3, 6, 22, Nodes::edges),
      make(quad4, "quad4", quad4, 4, 9, Nodes::corners),
      make(quad8, "quad8", quad4, 8, 23, Nodes::edges),
      make(quad9, "quad9", quad4, 9, 28, Nodes::edges_and_faces),
      make(tet4, "tet4", tet4, 4, 10, Nodes::corners),
      make(tet10, "tet10", tet4, 10, 24, Nodes::edges),
      make(hex8, "hex8", hex8, 8, 12, Nodes::corners),
      make(hex20, "hex20", hex8, 20, 25, Nodes::edges),
      make(hex27, "hex27", hex8, 27, 29, Nodes::edges_and_faces),
      make(prism6, "prism6", prism6, 6, 13, Nodes::corners),
      make(prism15, "prism15", prism6, 15, 26, Nodes::edges),
      make(prism18, "prism18", prism6, 18, 32, Nodes::edges_and_faces),
      make(pyramid5, "pyramid5", pyramid5, 5, 14, Nodes::corners),
      make(pyramid13, "pyramid13", pyramid5, 13, 27, Nodes::edges),
      make(pyramid14, "pyramid14", pyramid5, 14, 27, Nodes::edges_and_faces),
  };
  return all;
}

}  // namespace

const CellTraits& traits(CellKind kind) {
  static const CellTraits* const first = table().data();
  return first[static_cast<std::size_t>(kind)];
}

std::span<const CellKind> all_cell_kinds() {
  static const std::vector<CellKind> kinds = [] {
    std::vector<CellKind> list;
    for (const CellTraits& t : table()) list.push_back(t.kind);
    return list;
  }();
  return kinds;
}

CellKind cell_kind_named(std::string_view name) {
  std::vector<std::string> names;
  for (const CellTraits& t : table()) {
    if (t.name == name) return t.kind;
    names.emplace_back(t.name);
  }
  const std::string nearest = nearest_match(name, names);
  throw Error(ErrorKind::other_input, "unknown cell kind '" + std::string(name) + "'",
              nearest.empty() ? "" : "did you mean '" + nearest + "'?", "the kinds are " + quoted_list(names));
}

}  // namespace ritz
