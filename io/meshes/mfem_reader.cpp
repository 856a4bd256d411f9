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

class MfemReader {
 public:
  explicit MfemReader(const std::string& path) : file_(path), tokens_(file_) { raw_.source = path; }

  MeshData read(std::vector<std::string>& notices) {
    read_header();
    tokens_.expect("dimension");
    const char* place = tokens_.next();
    dimension_ = tokens_.integer("the dimension");
    if (dimension_ < 1 || dimension_ > 3)
      file_.fail(place, fmt::format("the dimension is {}", dimension_), "it must be 1, 2 or 3");
    tokens_.expect("elements");
    elements_ = read_elements(dimension_);
    read_sets(true);
    tokens_.expect("boundary");
    boundary_ = read_elements(dimension_ - 1);
    read_sets(false);
    read_vertices();
    add_groups();
    if (!tokens_.at_end() && tokens_.word("a word") != "mfem_mesh_end")
      notices.push_back(fmt::format("data after the mesh in '{}' was ignored", raw_.source));
    return mesh_of(std::move(raw_), notices);
  }

 private:
  void read_header() {
    const char* start = file_.begin();
    const char* stop = line_end(start, file_.end());
    tokens_.move_to(stop);
    std::string line(start, stop);
    while (!line.empty() && is_blank(line.back())) line.pop_back();
    if (line == "MFEM mesh v1.0" || line == "MFEM mesh v1.2" || line == "MFEM mesh v1.3") return;
    file_.fail(start, fmt::format("'{}' is not supported", line),
               line.starts_with("MFEM INLINE") ? "it tells MFEM to make a grid, and holds none"
               : line.starts_with("MFEM NC") || line == "MFEM mesh v1.1"
                   ? "the mesh has hanging nodes, or MFEM's tree of refinements"
                   : "",
               "let MFEM save it as a conforming 'MFEM mesh v1.0' or as VTK");
  }

  std::vector<Element> read_elements(std::int64_t dimension) {
    const std::int64_t count = tokens_.count("the number of elements", 6);
    std::vector<Element> list;
    for (std::int64_t i = 0; i < count; ++i) {
      Element element{tokens_.integer("the attribute of an element"), nullptr, {}};
      const char* place = tokens_.next();
      const std::int64_t type = tokens_.integer("the type of an element");
      element.geometry = geometry_of(type);
      if (element.geometry == nullptr || traits(element.geometry->linear).dimension != dimension)
        file_.fail(place, fmt::format("an element is of type {}", type),
                   fmt::format("types here have dimension {}", dimension));
      for (int v = 0; v < traits(element.geometry->linear).node_count; ++v) {
        place = tokens_.next();
        const std::int64_t vertex = tokens_.integer("a vertex");
        if (vertex < 0 || vertex > 0x7fffffff)
          file_.fail(place, fmt::format("an element uses vertex {}", vertex), "vertices are counted from 0");
        element.vertices[v] = static_cast<Node>(vertex);
      }
      list.push_back(element);
    }
    return list;
  }

  // v1.3: names for sets of attributes.  attribute_sets / count / "name" n a1 a2 ...
  void read_sets(bool of_elements) {
    const char* place = tokens_.next();
    if (place == file_.end() ||
        !std::string_view(place, file_.end()).starts_with(of_elements ? "attribute_sets" : "bdr_attribute_sets"))
      return;
    tokens_.word("attribute sets");
    const std::int64_t count = tokens_.count("the number of attribute sets", 4);
    for (std::int64_t i = 0; i < count; ++i) {
      const char* start = tokens_.next();
      const char* stop = start < file_.end() && *start == '"' ? start + 1 : nullptr;
      while (stop != nullptr && stop < file_.end() && *stop != '"' && *stop != '\n') ++stop;
      if (stop == nullptr || stop == file_.end() || *stop != '"')
        file_.fail_expected(start, "the name of an attribute set in quotes");
      tokens_.move_to(stop + 1);
      auto& members = (of_elements ? element_sets_ : boundary_sets_)[std::string(start + 1, stop)];
      const std::int64_t size = tokens_.count("the size of an attribute set", 2);
      for (std::int64_t k = 0; k < size; ++k) members.push_back(tokens_.integer("an attribute"));
    }
  }

  void read_vertices() {
    tokens_.expect("vertices");
    const char* place = tokens_.next();
    vertex_count_ = tokens_.count("the number of vertices", 1);
    for (const auto* list : {&elements_, &boundary_})
      for (const Element& element : *list)
        for (int v = 0; v < traits(element.geometry->linear).node_count; ++v)
          if (element.vertices[v] >= vertex_count_)
            file_.fail(place, fmt::format("an element uses vertex {}", element.vertices[v]),
                       fmt::format("there are {}", vertex_count_));
    place = tokens_.next();
    if (place < file_.end() && std::string_view(place, file_.end()).starts_with("nodes")) return read_nodes();
    const std::int64_t width = space_dimension(tokens_.integer("the dimension of space"), place);
    for (std::int64_t v = 0; v < vertex_count_; ++v)
      for (int k = 0; k < 3; ++k) raw_.points.push_back(k < width ? tokens_.real("a coordinate") : 0);
    add_cells(elements_, true);
    add_cells(boundary_, false);
  }

  std::int64_t space_dimension(std::int64_t width, const char* place) const {
    if (width < dimension_ || width > 3)
      file_.fail(place, fmt::format("points have {} coordinates in dimension {}", width, dimension_));
    return width;
  }

  // A grid function that holds the coordinates of all nodes.
  void read_nodes() {
    tokens_.expect("nodes");
    tokens_.expect("FiniteElementSpace");
    tokens_.expect("FiniteElementCollection:");
    const char* place = tokens_.next();
    const std::string_view collection = tokens_.word("a finite element collection");
    order_ = order_of(collection);
    if (order_ == 0)
      file_.fail(place, fmt::format("nodes in the space '{}' are not supported", collection),
                 collection.starts_with("L2")
                     ? "the mesh is periodic or torn: its elements do not share their nodes"
                     : "Ritz reads continuous nodes of order 1 to 9 (H1_3D_P2, Cubic, Quadratic, Linear)",
                 "let MFEM save the mesh with SetCurvature(2)");
    equally_spaced_ = collection == "Cubic";
    if (order_ > 2)
      for (const Element& element : elements_)
        if (element.geometry->linear == CellKind::pyramid5)
          file_.fail(place, fmt::format("pyramids in the space '{}' are not supported", collection),
                     "MFEM has had several such elements", "let MFEM save the mesh with SetCurvature(2)");
    tokens_.expect("VDim:");
    place = tokens_.next();
    const std::int64_t width = space_dimension(tokens_.integer("the dimension of space"), place);
    tokens_.expect("Ordering:");
    place = tokens_.next();
    const std::int64_t ordering = tokens_.integer("the ordering");
    if (ordering != 0 && ordering != 1)
      file_.fail(place, fmt::format("the ordering is {}", ordering), "it is 0 (by nodes) or 1 (by components)");
    Index node_count = vertex_count_;
    if (order_ > 1) node_count = number_nodes();
    if (node_count * width > (file_.end() - tokens_.next()) / 2 + 1)
      file_.fail(tokens_.next(), fmt::format("{} nodes are needed, but the file ends before", node_count));
    raw_.points.assign(static_cast<std::size_t>(3 * node_count), 0);
    for (Index i = 0; i < node_count * width; ++i) {
      const Index node = ordering == 1 ? i / width : i % node_count, k = ordering == 1 ? i % width : i / node_count;
      raw_.points[static_cast<std::size_t>(3 * node + k)] = tokens_.real("a coordinate of a node");
    }
    if (order_ > 2) add_node_sets();
    add_cells(elements_, true);
    add_cells(boundary_, false);
  }

  // 0: not one that we read.
  int order_of(std::string_view collection) const {
    constexpr std::array names{"Linear", "Quadratic", "Cubic"};
    for (int order = 1; order < 10; ++order)
      if (collection == fmt::format("H1_{}D_P{}", dimension_, order) ||
          (order <= 3 && collection == names[static_cast<std::size_t>(order - 1)]))
        return order;
    return 0;
  }

  Index number_nodes() {
    Index next = vertex_count_;
    if (dimension_ > 1)
      for (const Element& element : elements_)
        for (const auto& edge : element.geometry->edges)
          if (shared_.try_emplace(nodes_between(element, edge), Shared{static_cast<Node>(next), {}}).second)
            next += order_ - 1;
    for (const Element& element : elements_)
      for (const auto& face : element.geometry->faces) {
        Shared first{static_cast<Node>(next), {}};
        for (std::size_t i = 0; i < face.size(); ++i) first.corners[i] = element.vertices[face[i]];
        if (shared_.try_emplace(nodes_between(element, face), first).second)
          next += inner_count(face.size() == 3 ? CellKind::tri3 : CellKind::quad4, order_);
      }
    first_own_ = next;
    for (const Element& element : elements_) next += inner_count(element.geometry->linear, order_);
    return next;
  }

  // Nodes on the reference cells; the hexahedron of "Cubic" lists its inner nodes like its corners.
  void add_node_sets() {
    std::vector<double> line = equal_steps(order_);
    if (!equally_spaced_) {
      line = gauss_lobatto_nodes(order_);
      for (double& x : line) x = (1 + x) / 2;
    }
    for (std::int64_t type = 1; type < 7; ++type) {
      const Geometry& geometry = *geometry_of(type);
      const NodeOrder order{geometry.linear, geometry.edges, geometry.faces, Listing::rows,
                            equally_spaced_ && geometry.linear == CellKind::hex8 ? Listing::recursive : Listing::rows};
      raw_.node_sets[static_cast<std::size_t>(geometry.quadratic)] = {
          order_, reference_points(geometry.linear, lattice(order, order_), line)};
    }
  }

  void add_cells(const std::vector<Element>& list, bool of_mesh) {
    Index own = first_own_;
    for (const Element& element : list) {
      const Geometry& geometry = *element.geometry;
      std::vector<Node>& nodes = raw_.nodes_of(order_ > 1 ? geometry.quadratic : geometry.linear);
      nodes.insert(nodes.end(), element.vertices, element.vertices + traits(geometry.linear).corner_count);
      if (order_ == 1 || geometry.linear == CellKind::vertex1) continue;
      const int inner = inner_count(geometry.linear, order_);
      if (order_ == 2) {
        add_middles(element, of_mesh ? static_cast<Node>(own) : Node{-1}, nodes);
      } else {
        if (geometry.linear != CellKind::line2)
          for (const auto& edge : geometry.edges) add_along(element, edge, nodes);
        for (const auto& face : geometry.faces) add_across(element, face, nodes);
        if (of_mesh)
          for (int i = 0; i < inner; ++i) nodes.push_back(static_cast<Node>(own + i));
        else if (geometry.linear == CellKind::line2) add_along(element, {0, 1}, nodes);
        else
          add_across(element, geometry.linear == CellKind::tri3 ? std::vector{0, 1, 2} : std::vector{0, 1, 2, 3},
                     nodes);
      }
      if (of_mesh) own += inner;
    }
  }

  // Those of order 2, in VTK's order. `own`: the centre's number, -1 for elements of the boundary.
  void add_middles(const Element& element, Node own, std::vector<Node>& nodes) const {
    const CellTraits& t = traits(element.geometry->quadratic);
    if (t.dimension > 1 || own < 0)
      for (const auto& edge : t.edges) nodes.push_back(first_of(nodes_between(element, edge)).node);
    for (const Facet& facet : t.facets)
      if (facet.kind == CellKind::quad9)
        nodes.push_back(first_of(nodes_between(element, std::span(facet.nodes).first(4))).node);
    if (own >= 0 && inner_count(t.linear, 2) > 0) nodes.push_back(own);
    else if (t.kind == CellKind::quad9) nodes.push_back(first_of(nodes_between(element, std::array{0, 1, 2, 3})).node);
  }

  void add_along(const Element& element, std::array<int, 2> edge, std::vector<Node>& nodes) const {
    const Node first = first_of(nodes_between(element, edge)).node;
    const bool forward = element.vertices[edge[0]] < element.vertices[edge[1]];
    for (int i = 0; i < order_ - 1; ++i)
      nodes.push_back(first < 0 ? first : static_cast<Node>(first + (forward ? i : order_ - 2 - i)));
  }

  // The nodes inside a face, row by row as this element sees it.
  void add_across(const Element& element, std::span<const int> face, std::vector<Node>& nodes) const {
    const Shared shared = first_of(nodes_between(element, face));
    std::array<std::size_t, 4> own{};  // [corner of the first element's face] -> corner of this one's
    for (std::size_t k = 0; k < face.size(); ++k)
      for (std::size_t m = 0; m < face.size(); ++m)
        if (element.vertices[face[m]] == shared.corners[k]) own[k] = m;
    const int p = order_;
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

  void add_groups() {
    for (const auto* list : {&elements_, &boundary_}) {
      std::map<CellKind, Index> next;
      const auto& sets = list == &elements_ ? element_sets_ : boundary_sets_;
      for (const Element& element : *list) {
        const bool quadratic = raw_.cell_count(element.geometry->linear) == 0;
        const CellKind kind = quadratic ? element.geometry->quadratic : element.geometry->linear;
        const CellRun run{kind, next[kind]++, 1};
        append(raw_.group(numbered_group(traits(kind).dimension, element.attribute)).cells, run);
        for (const auto& [name, attributes] : sets)
          if (std::find(attributes.begin(), attributes.end(), element.attribute) != attributes.end())
            append(raw_.group(name).cells, run);
      }
    }
  }

  TextFile file_;
  TokenReader tokens_;
  RawMesh raw_;
  std::int64_t dimension_ = 0, vertex_count_ = 0;
  std::vector<Element> elements_, boundary_;
  std::map<std::string, std::vector<std::int64_t>> element_sets_, boundary_sets_;
  struct Shared {
    Node node;                    // the first one inside; -1 where no element has such an edge or face
    std::array<Node, 4> corners;  // of a face, as the first element lists them
  };
  Shared first_of(const FewNodes& corners) const {
    const auto found = shared_.find(corners);
    return found == shared_.end() ? Shared{-1, {}} : found->second;
  }
  int order_ = 1;
  bool equally_spaced_ = false;
  std::map<FewNodes, Shared> shared_;  // edges and faces
  Index first_own_ = 0;                // nodes of elements
};

}  // namespace

MeshData read_mfem(const std::string& path, std::vector<std::string>& notices) {
  return MfemReader(path).read(notices);
}

}  // namespace ritz
