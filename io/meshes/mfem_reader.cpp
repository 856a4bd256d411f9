// MFEM mesh v1.0 (mfem.org/mesh-format-v1.0). Nodes between the vertices are numbered as MFEM does: vertices, then
// edges and faces in the order in which the elements first name them, then the elements' own. Those of an edge run from
// its lower vertex to the higher, those of a face as the first element sees it.
#include "io/meshes/other_readers.hpp"

#include "io/files/token_reader.hpp"
#include "io/meshes/raw_mesh.hpp"
#include "mesh/hash.hpp"
#include "mesh/node_order.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace ritz {
namespace mfem {
namespace {

struct Geometry {
  CellKind linear, quadratic;
  std::vector<std::array<int, 2>> edges;
  std::vector<std::vector<int>> faces;
};

// fem/geom.cpp of MFEM: Geometry::Constants<...>::Edges and FaceVert.
const Geometry* geometry_of(std::int64_t type) {
  using enum CellKind;
  static const std::array<Geometry, 8> list{{
      {vertex1, vertex1, {}, {}},
      {line2, line3, {{0, 1}}, {}},
      {tri3, tri6, {{0, 1}, {1, 2}, {2, 0}}, {}},
      {quad4, quad9, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}},
      {tet4, tet10, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}},
      {hex8,
       hex27,
       {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {4, 5}, {5, 6}, {7, 6}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
       {{3, 2, 1, 0}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}}},
      {prism6,
       prism18,
       {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
       {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
      {pyramid5,
       pyramid14,
       {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
       {{3, 2, 1, 0}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}},
  }};
  return type >= 0 && type < 8 ? &list[static_cast<std::size_t>(type)] : nullptr;
}

struct Element {
  std::int64_t attribute;
  const Geometry* geometry;
  Node vertices[8];
};

// How many nodes of order p are strictly inside a cell of this shape.
int inner_count(CellKind shape, int p) {
  const int line = p - 1, triangle = (p - 1) * (p - 2) / 2;
  switch (shape) {
    case CellKind::line2: return line;
    case CellKind::tri3: return triangle;
    case CellKind::quad4: return line * line;
    case CellKind::tet4: return triangle * (p - 3) / 3;
    case CellKind::hex8: return line * line * line;
    case CellKind::prism6: return triangle * line;
    default: return 0;  // points, and pyramids of order 2
  }
}

// Position of the node at (i, j) among those inside a face, whose rows are listed.
int place_in_face(std::size_t corner_count, int p, int i, int j) {
  if (corner_count == 4) return (j - 1) * (p - 1) + i - 1;
  return (j - 1) * (p - 1) - j * (j - 1) / 2 + i - 1;
}

FewNodes nodes_between(const Element& element, std::span<const int> corners) {
  FewNodes key;
  for (const int i : corners) key.insert(element.vertices[i]);
  return key;
}

using AttributeSets = std::map<std::string, std::vector<std::int64_t>>;

// Elements of a file; their vertices are numbered from 0.
struct Contents {
  std::int64_t dimension = 0;
  std::vector<Element> elements, boundary;
  AttributeSets element_sets, boundary_sets;
  Index vertex_count = 0;
};

// Numbers of the nodes between vertices.
struct Numbering {
  struct Shared {
    Node node;                         // the first one inside; -1 where no element has such an edge or face
    std::array<Node, 4> corners = {};  // of a face, as the first element lists them
  };
  int order = 1;
  std::map<FewNodes, Shared> shared = {};  // edges and faces
  Index first_own = 0;                     // inside elements
  Index count = 0;                         // with the vertices

  Shared first_of(const FewNodes& corners) const {
    const auto found = shared.find(corners);
    return found == shared.end() ? Shared{-1} : found->second;
  }
};

void read_header(TokenReader& tokens) {
  const TextFile& file = tokens.file();
  const char* start = file.begin();
  const char* stop = line_end(start, file.end());
  tokens.move_to(stop);
  std::string line(start, stop);
  while (!line.empty() && is_blank(line.back())) line.pop_back();
  if (line == "MFEM mesh v1.0" || line == "MFEM mesh v1.2" || line == "MFEM mesh v1.3") return;
  file.fail(start, fmt::format("'{}' is not supported", line),
            line.starts_with("MFEM INLINE") ? "it tells MFEM to make a grid, and holds none"
            : line.starts_with("MFEM NC") || line == "MFEM mesh v1.1"
                ? "the mesh has hanging nodes, or MFEM's tree of refinements"
                : "",
            "let MFEM save it as a conforming 'MFEM mesh v1.0' or as VTK");
}

std::vector<Element> read_elements(TokenReader& tokens, std::int64_t dimension) {
  const std::int64_t count = tokens.count("the number of elements", 6);
  std::vector<Element> list;
  for (std::int64_t i = 0; i < count; ++i) {
    Element element{tokens.integer("the attribute of an element"), nullptr, {}};
    const char* place = tokens.next();
    const std::int64_t type = tokens.integer("the type of an element");
    element.geometry = geometry_of(type);
    if (element.geometry == nullptr || traits(element.geometry->linear).dimension != dimension)
      tokens.file().fail(place, fmt::format("an element is of type {}", type),
                         fmt::format("types here have dimension {}", dimension));
    for (int v = 0; v < traits(element.geometry->linear).node_count; ++v) {
      place = tokens.next();
      const std::int64_t vertex = tokens.integer("a vertex");
      if (vertex < 0 || vertex > 0x7fffffff)
        tokens.file().fail(place, fmt::format("an element uses vertex {}", vertex), "vertices are counted from 0");
      element.vertices[v] = static_cast<Node>(vertex);
    }
    list.push_back(element);
  }
  return list;
}

// v1.3: names for sets of attributes.  attribute_sets / count / "name" n a1 a2 ...
AttributeSets read_sets(TokenReader& tokens, std::string_view name) {
  AttributeSets sets;
  const char* place = tokens.next();
  if (!std::string_view(place, tokens.file().end()).starts_with(name)) return sets;
  tokens.word("attribute sets");
  const std::int64_t count = tokens.count("the number of attribute sets", 4);
  for (std::int64_t i = 0; i < count; ++i) {
    const char* start = tokens.next();
    const char* stop = start < tokens.file().end() && *start == '"' ? start + 1 : nullptr;
    while (stop != nullptr && stop < tokens.file().end() && *stop != '"' && *stop != '\n') ++stop;
    if (stop == nullptr || stop == tokens.file().end() || *stop != '"')
      tokens.file().fail_expected(start, "the name of an attribute set in quotes");
    tokens.move_to(stop + 1);
    std::vector<std::int64_t>& members = sets[std::string(start + 1, stop)];
    const std::int64_t size = tokens.count("the size of an attribute set", 2);
    for (std::int64_t k = 0; k < size; ++k) members.push_back(tokens.integer("an attribute"));
  }
  return sets;
}

Contents read_contents(TokenReader& tokens) {
  Contents mesh;
  read_header(tokens);
  tokens.expect("dimension");
  const char* place = tokens.next();
  mesh.dimension = tokens.integer("the dimension");
  if (mesh.dimension < 1 || mesh.dimension > 3)
    tokens.file().fail(place, fmt::format("the dimension is {}", mesh.dimension), "it must be 1, 2 or 3");
  tokens.expect("elements");
  mesh.elements = read_elements(tokens, mesh.dimension);
  mesh.element_sets = read_sets(tokens, "attribute_sets");
  tokens.expect("boundary");
  mesh.boundary = read_elements(tokens, mesh.dimension - 1);
  mesh.boundary_sets = read_sets(tokens, "bdr_attribute_sets");
  tokens.expect("vertices");
  place = tokens.next();
  mesh.vertex_count = tokens.count("the number of vertices", 1);
  for (const auto* list : {&mesh.elements, &mesh.boundary})
    for (const Element& element : *list)
      for (int v = 0; v < traits(element.geometry->linear).node_count; ++v)
        if (element.vertices[v] >= mesh.vertex_count)
          tokens.file().fail(place, fmt::format("an element uses vertex {}", element.vertices[v]),
                             fmt::format("there are {}", mesh.vertex_count));
  return mesh;
}

std::int64_t read_space_dimension(TokenReader& tokens, std::int64_t dimension) {
  const char* place = tokens.next();
  const std::int64_t width = tokens.integer("the dimension of space");
  if (width < dimension || width > 3)
    tokens.file().fail(place, fmt::format("points have {} coordinates in dimension {}", width, dimension));
  return width;
}

// 0: not one that we read.
int order_of(std::string_view collection, std::int64_t dimension) {
  constexpr std::array names{"Linear", "Quadratic", "Cubic"};
  for (int order = 1; order < 10; ++order)
    if (collection == fmt::format("H1_{}D_P{}", dimension, order) ||
        (order <= 3 && collection == names[static_cast<std::size_t>(order - 1)]))
      return order;
  return 0;
}

// A grid function that holds the coordinates of all nodes.
struct NodeSpace {
  int order;
  bool equally_spaced;
  std::int64_t width;  // coordinates of a node
  bool by_components;  // those of a node follow each other
};

NodeSpace read_node_space(TokenReader& tokens, const Contents& mesh) {
  tokens.expect("nodes");
  tokens.expect("FiniteElementSpace");
  tokens.expect("FiniteElementCollection:");
  const char* place = tokens.next();
  const std::string_view collection = tokens.word("a finite element collection");
  const int order = order_of(collection, mesh.dimension);
  if (order == 0)
    tokens.file().fail(place, fmt::format("nodes in the space '{}' are not supported", collection),
                       collection.starts_with("L2")
                           ? "the mesh is periodic or torn: its elements do not share their nodes"
                           : "Ritz reads continuous nodes of order 1 to 9 (H1_3D_P2, Cubic, Quadratic, Linear)",
                       "let MFEM save the mesh with SetCurvature(2)");
  if (order > 2)
    for (const Element& element : mesh.elements)
      if (element.geometry->linear == CellKind::pyramid5)
        tokens.file().fail(place, fmt::format("pyramids in the space '{}' are not supported", collection),
                           "MFEM has had several such elements", "let MFEM save the mesh with SetCurvature(2)");
  tokens.expect("VDim:");
  const std::int64_t width = read_space_dimension(tokens, mesh.dimension);
  tokens.expect("Ordering:");
  place = tokens.next();
  const std::int64_t ordering = tokens.integer("the ordering");
  if (ordering != 0 && ordering != 1)
    tokens.file().fail(place, fmt::format("the ordering is {}", ordering), "it is 0 (by nodes) or 1 (by components)");
  return {order, collection == "Cubic", width, ordering == 1};
}

std::vector<double> read_nodes(TokenReader& tokens, const NodeSpace& space, Index count) {
  if (count * space.width > (tokens.file().end() - tokens.next()) / 2 + 1)
    tokens.file().fail(tokens.next(), fmt::format("{} nodes are needed, but the file ends before", count));
  std::vector<double> points(static_cast<std::size_t>(3 * count), 0);
  for (Index i = 0; i < count * space.width; ++i) {
    const Index node = space.by_components ? i / space.width : i % count;
    const Index k = space.by_components ? i % space.width : i / count;
    points[static_cast<std::size_t>(3 * node + k)] = tokens.real("a coordinate of a node");
  }
  return points;
}

Numbering number_nodes(const std::vector<Element>& elements, std::int64_t dimension, Index vertex_count, int order) {
  Numbering result{.order = order};
  Index next = vertex_count;
  if (dimension > 1)
    for (const Element& element : elements)
      for (const auto& edge : element.geometry->edges)
        if (result.shared.try_emplace(nodes_between(element, edge), Numbering::Shared{static_cast<Node>(next)}).second)
          next += order - 1;
  for (const Element& element : elements)
    for (const auto& face : element.geometry->faces) {
      Numbering::Shared first{static_cast<Node>(next)};
      for (std::size_t i = 0; i < face.size(); ++i) first.corners[i] = element.vertices[face[i]];
      if (result.shared.try_emplace(nodes_between(element, face), first).second)
        next += inner_count(face.size() == 3 ? CellKind::tri3 : CellKind::quad4, order);
    }
  result.first_own = next;
  for (const Element& element : elements) next += inner_count(element.geometry->linear, order);
  result.count = next;
  return result;
}

// Nodes on the reference cells; the hexahedron of "Cubic" lists its inner nodes like its corners.
void add_node_sets(int order, bool equally_spaced, RawMesh& raw) {
  std::vector<double> line = equal_steps(order);
  if (!equally_spaced) {
    line = gauss_lobatto_nodes(order);
    for (double& x : line) x = (1 + x) / 2;
  }
  for (std::int64_t type = 1; type < 7; ++type) {
    const Geometry& geometry = *geometry_of(type);
    const NodeOrder nodes{geometry.linear, geometry.edges, geometry.faces, Listing::rows,
                          equally_spaced && geometry.linear == CellKind::hex8 ? Listing::recursive : Listing::rows};
    raw.node_sets[static_cast<std::size_t>(geometry.quadratic)] = {
        order, reference_points(geometry.linear, lattice(nodes, order), line)};
  }
}

// Those of order 2, in VTK's order. `own`: the centre's number, -1 for elements of the boundary.
void add_middles(const Numbering& numbering, const Element& element, Node own, std::vector<Node>& nodes) {
  const CellTraits& t = traits(element.geometry->quadratic);
  if (t.dimension > 1 || own < 0)
    for (const auto& edge : t.edges) nodes.push_back(numbering.first_of(nodes_between(element, edge)).node);
  for (const Facet& facet : t.facets)
    if (facet.kind == CellKind::quad9)
      nodes.push_back(numbering.first_of(nodes_between(element, std::span(facet.nodes).first(4))).node);
  if (own >= 0 && inner_count(t.linear, 2) > 0) nodes.push_back(own);
  else if (t.kind == CellKind::quad9)
    nodes.push_back(numbering.first_of(nodes_between(element, std::array{0, 1, 2, 3})).node);
}

void add_along(const Numbering& numbering, const Element& element, std::array<int, 2> edge, std::vector<Node>& nodes) {
  const Node first = numbering.first_of(nodes_between(element, edge)).node;
  const bool forward = element.vertices[edge[0]] < element.vertices[edge[1]];
  for (int i = 0; i < numbering.order - 1; ++i)
    nodes.push_back(first < 0 ? first : static_cast<Node>(first + (forward ? i : numbering.order - 2 - i)));
}

// The nodes inside a face, row by row as this element sees it.
void add_across(const Numbering& numbering, const Element& element, std::span<const int> face,
                std::vector<Node>& nodes) {
  const Numbering::Shared shared = numbering.first_of(nodes_between(element, face));
  std::array<std::size_t, 4> own{};  // [corner of the first element's face] -> corner of this one's
  for (std::size_t k = 0; k < face.size(); ++k)
    for (std::size_t m = 0; m < face.size(); ++m)
      if (element.vertices[face[m]] == shared.corners[k]) own[k] = m;
  const int p = numbering.order;
  for (int j = 1; j < p; ++j)
    for (int i = 1; i < (face.size() == 3 ? p - j : p); ++i) {
      std::array<int, 2> at{};  // (i, j) of the first element
      if (face.size() == 3) {
        const std::array weights{p - i - j, i, j};
        at = {weights[own[1]], weights[own[2]]};
      } else {
        constexpr int corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        const int* const origin = corners[own[0]];
        for (std::size_t axis = 0; axis < 2; ++axis) {
          const int* const end = corners[own[axis == 0 ? 1 : 3]];
          at[axis] = (i - p * origin[0]) * (end[0] - origin[0]) + (j - p * origin[1]) * (end[1] - origin[1]);
        }
      }
      nodes.push_back(shared.node < 0 ? shared.node
                                      : static_cast<Node>(shared.node + place_in_face(face.size(), p, at[0], at[1])));
    }
}

void add_cells(const std::vector<Element>& list, bool of_mesh, const Numbering& numbering, RawMesh& raw) {
  const int order = numbering.order;
  Index own = numbering.first_own;
  for (const Element& element : list) {
    const Geometry& geometry = *element.geometry;
    std::vector<Node>& nodes = raw.nodes_of(order > 1 ? geometry.quadratic : geometry.linear);
    nodes.insert(nodes.end(), element.vertices, element.vertices + traits(geometry.linear).corner_count);
    if (order == 1 || geometry.linear == CellKind::vertex1) continue;
    const int inner = inner_count(geometry.linear, order);
    if (order == 2) {
      add_middles(numbering, element, of_mesh ? static_cast<Node>(own) : Node{-1}, nodes);
    } else {
      if (geometry.linear != CellKind::line2)
        for (const auto& edge : geometry.edges) add_along(numbering, element, edge, nodes);
      for (const auto& face : geometry.faces) add_across(numbering, element, face, nodes);
      if (of_mesh)
        for (int i = 0; i < inner; ++i) nodes.push_back(static_cast<Node>(own + i));
      else if (geometry.linear == CellKind::line2) add_along(numbering, element, {0, 1}, nodes);
      else
        add_across(numbering, element,
                   geometry.linear == CellKind::tri3 ? std::vector{0, 1, 2} : std::vector{0, 1, 2, 3}, nodes);
    }
    if (of_mesh) own += inner;
  }
}

void add_groups(const std::vector<Element>& list, const AttributeSets& sets, RawMesh& raw) {
  std::map<CellKind, Index> next;
  for (const Element& element : list) {
    const bool quadratic = raw.cell_count(element.geometry->linear) == 0;
    const CellKind kind = quadratic ? element.geometry->quadratic : element.geometry->linear;
    const CellRun run{kind, next[kind]++, 1};
    append(raw.group(numbered_group(traits(kind).dimension, element.attribute)).cells, run);
    for (const auto& [name, attributes] : sets)
      if (std::find(attributes.begin(), attributes.end(), element.attribute) != attributes.end())
        append(raw.group(name).cells, run);
  }
}

// Vertices, or all nodes, and their numbers.
Numbering read_points(TokenReader& tokens, const Contents& mesh, RawMesh& raw) {
  const char* place = tokens.next();
  if (!std::string_view(place, tokens.file().end()).starts_with("nodes")) {
    const std::int64_t width = read_space_dimension(tokens, mesh.dimension);
    for (Index v = 0; v < mesh.vertex_count; ++v)
      for (int k = 0; k < 3; ++k) raw.points.push_back(k < width ? tokens.real("a coordinate") : 0);
    return {};
  }
  const NodeSpace space = read_node_space(tokens, mesh);
  Numbering numbering{.count = mesh.vertex_count};
  if (space.order > 1) numbering = number_nodes(mesh.elements, mesh.dimension, mesh.vertex_count, space.order);
  raw.points = read_nodes(tokens, space, numbering.count);
  if (space.order > 2) add_node_sets(space.order, space.equally_spaced, raw);
  return numbering;
}

}  // namespace
}  // namespace mfem

MeshData read_mfem(const std::string& path, std::vector<std::string>& notices) {
  const TextFile file(path);
  TokenReader tokens(file);
  RawMesh raw;
  raw.source = path;
  const mfem::Contents mesh = mfem::read_contents(tokens);
  const mfem::Numbering numbering = mfem::read_points(tokens, mesh, raw);
  mfem::add_cells(mesh.elements, true, numbering, raw);
  mfem::add_cells(mesh.boundary, false, numbering, raw);
  mfem::add_groups(mesh.elements, mesh.element_sets, raw);
  mfem::add_groups(mesh.boundary, mesh.boundary_sets, raw);
  if (!tokens.at_end() && tokens.word("a word") != "mfem_mesh_end")
    notices.push_back(fmt::format("data after the mesh in '{}' was ignored", raw.source));
  return mesh_of(std::move(raw), notices);
}

}  // namespace ritz
