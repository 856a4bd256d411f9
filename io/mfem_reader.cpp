// MFEM mesh v1.0 (mfem.org/mesh-format-v1.0). Nodes of order 2 are numbered as MFEM does: vertices, then edges and faces in
// the order in which the elements first name them, then the elements' own.
#include "io/other_readers.hpp"

#include "io/raw_mesh.hpp"
#include "io/token_reader.hpp"
#include "mesh/hash.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace ritz {
namespace {

struct Geometry {
  CellKind linear, quadratic;
  std::vector<std::array<int, 2>> edges;
  std::vector<std::vector<int>> faces;  // quadrilaterals only: triangles have no node of order 2
  bool centre;                          // has a node of its own
};

// fem/geom.cpp of MFEM: Geometry::Constants<...>::Edges and FaceVert.
const Geometry* geometry_of(std::int64_t type) {
  using enum CellKind;
  static const std::array<Geometry, 8> list{{
      {vertex1, vertex1, {}, {}, false},
      {line2, line3, {{0, 1}}, {}, true},
      {tri3, tri6, {{0, 1}, {1, 2}, {2, 0}}, {}, false},
      {quad4, quad9, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}, true},
      {tet4, tet10, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, {}, false},
      {hex8, hex27, {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {4, 5}, {5, 6}, {7, 6}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
       {{3, 2, 1, 0}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}}, true},
      {prism6, prism18, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
       {{0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}, false},
      {pyramid5, pyramid14, {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}, {{3, 2, 1, 0}}, false},
  }};
  return type >= 0 && type < 8 ? &list[static_cast<std::size_t>(type)] : nullptr;
}

struct Element {
  std::int64_t attribute;
  const Geometry* geometry;
  Node vertices[8];
};

FewNodes nodes_between(const Element& element, std::span<const int> corners) {
  FewNodes key;
  for (const int i : corners) key.insert(element.vertices[i]);
  return key;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path), tokens_(file_) { raw_.source = path; }

  MeshData read(std::vector<std::string>& notices) {
    read_header();
    tokens_.expect("dimension");
    const char* place = tokens_.next();
    dimension_ = tokens_.integer("the dimension");
    if (dimension_ < 1 || dimension_ > 3) file_.fail(place, fmt::format("the dimension is {}", dimension_), "it must be 1, 2 or 3");
    tokens_.expect("elements");
    elements_ = read_elements(dimension_);
    read_sets(true);
    tokens_.expect("boundary");
    boundary_ = read_elements(dimension_ - 1);
    read_sets(false);
    read_vertices();
    add_groups();
    if (!tokens_.at_end() && tokens_.word("a word") != "mfem_mesh_end")
      notices.push_back(fmt::format("what follows the mesh in '{}' was passed over", raw_.source));
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
               : line.starts_with("MFEM NC") || line == "MFEM mesh v1.1" ? "the mesh has hanging nodes, or MFEM's tree of refinements" : "",
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
        file_.fail(place, fmt::format("an element is of type {}", type), fmt::format("types here have dimension {}", dimension));
      for (int v = 0; v < traits(element.geometry->linear).node_count; ++v) {
        place = tokens_.next();
        const std::int64_t vertex = tokens_.integer("a vertex");
        if (vertex < 0 || vertex > 0x7fffffff) file_.fail(place, fmt::format("an element uses vertex {}", vertex), "vertices are counted from 0");
        element.vertices[v] = static_cast<Node>(vertex);
      }
      list.push_back(element);
    }
    return list;
  }

  // v1.3: names for sets of attributes.  attribute_sets / count / "name" n a1 a2 ...
  void read_sets(bool of_elements) {
    const char* place = tokens_.next();
    if (place == file_.end() || !std::string_view(place, file_.end()).starts_with(of_elements ? "attribute_sets" : "bdr_attribute_sets")) return;
    tokens_.word("attribute sets");
    const std::int64_t count = tokens_.count("the number of attribute sets", 4);
    for (std::int64_t i = 0; i < count; ++i) {
      const char* start = tokens_.next();
      const char* stop = start < file_.end() && *start == '"' ? start + 1 : nullptr;
      while (stop != nullptr && stop < file_.end() && *stop != '"' && *stop != '\n') ++stop;
      if (stop == nullptr || stop == file_.end() || *stop != '"') file_.fail_expected(start, "the name of an attribute set in quotes");
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
            file_.fail(place, fmt::format("an element uses vertex {}", element.vertices[v]), fmt::format("there are {}", vertex_count_));
    place = tokens_.next();
    if (place < file_.end() && std::string_view(place, file_.end()).starts_with("nodes")) return read_nodes();
    const std::int64_t width = space_dimension(tokens_.integer("the dimension of space"), place);
    for (std::int64_t v = 0; v < vertex_count_; ++v)
      for (int k = 0; k < 3; ++k) raw_.points.push_back(k < width ? tokens_.real("a coordinate") : 0);
    add_cells(elements_, false);
    add_cells(boundary_, false);
  }

  std::int64_t space_dimension(std::int64_t width, const char* place) const {
    if (width < dimension_ || width > 3) file_.fail(place, fmt::format("points have {} coordinates in dimension {}", width, dimension_));
    return width;
  }

  // A grid function that holds the coordinates of all nodes.
  void read_nodes() {
    tokens_.expect("nodes");
    tokens_.expect("FiniteElementSpace");
    tokens_.expect("FiniteElementCollection:");
    const char* place = tokens_.next();
    const std::string_view collection = tokens_.word("a finite element collection");
    const bool linear = collection == "Linear" || collection == fmt::format("H1_{}D_P1", dimension_);
    const bool quadratic = collection == "Quadratic" || collection == fmt::format("H1_{}D_P2", dimension_);
    if (!linear && !quadratic)
      file_.fail(place, fmt::format("nodes in the space '{}' are not supported", collection),
                 collection.starts_with("L2") ? "the mesh is periodic or torn: its elements do not share their nodes"
                                              : "Ritz reads continuous nodes of order 1 and 2 (H1_3D_P2, Quadratic, Linear)",
                 "let MFEM save the mesh with SetCurvature(2)");
    tokens_.expect("VDim:");
    place = tokens_.next();
    const std::int64_t width = space_dimension(tokens_.integer("the dimension of space"), place);
    tokens_.expect("Ordering:");
    place = tokens_.next();
    const std::int64_t ordering = tokens_.integer("the ordering");
    if (ordering != 0 && ordering != 1) file_.fail(place, fmt::format("the ordering is {}", ordering), "it is 0 (by nodes) or 1 (by components)");
    Index node_count = vertex_count_;
    if (quadratic) node_count = number_middles();
    if (node_count * width > (file_.end() - tokens_.next()) / 2 + 1)
      file_.fail(tokens_.next(), fmt::format("{} nodes are needed, but the file ends before", node_count));
    raw_.points.assign(static_cast<std::size_t>(3 * node_count), 0);
    for (Index i = 0; i < node_count * width; ++i) {
      const Index node = ordering == 1 ? i / width : i % node_count, k = ordering == 1 ? i % width : i / node_count;
      raw_.points[static_cast<std::size_t>(3 * node + k)] = tokens_.real("a coordinate of a node");
    }
    add_cells(elements_, quadratic);
    add_cells(boundary_, quadratic);
  }

  Index number_middles() {
    auto next = static_cast<Node>(vertex_count_);
    if (dimension_ > 1)
      for (const Element& element : elements_)
        for (const auto& edge : element.geometry->edges)
          if (middles_.try_emplace(nodes_between(element, edge), next).second) ++next;
    for (const Element& element : elements_)
      for (const auto& face : element.geometry->faces)
        if (middles_.try_emplace(nodes_between(element, face), next).second) ++next;
    first_centre_ = next;
    for (const Element& element : elements_) next += element.geometry->centre;
    return next;
  }

  void add_cells(const std::vector<Element>& list, bool quadratic) {
    Node centre = first_centre_;
    for (const Element& element : list) {
      const CellKind kind = quadratic ? element.geometry->quadratic : element.geometry->linear;
      const CellTraits& t = traits(kind);
      std::vector<Node>& nodes = raw_.nodes_of(kind);
      nodes.insert(nodes.end(), element.vertices, element.vertices + t.corner_count);
      if (t.order == 1) continue;
      const bool of_mesh = t.dimension == dimension_;
      if (t.dimension > 1 || !of_mesh)
        for (const auto& edge : t.edges) nodes.push_back(middle(element, edge));
      for (const Facet& facet : t.facets)
        if (facet.kind == CellKind::quad9) nodes.push_back(middle(element, std::span(facet.nodes).first(4)));
      if (element.geometry->centre && of_mesh) nodes.push_back(centre++);
      else if (kind == CellKind::quad9) nodes.push_back(middle(element, std::array{0, 1, 2, 3}));
    }
  }

  Node middle(const Element& element, std::span<const int> corners) const {
    const auto found = middles_.find(nodes_between(element, corners));
    return found == middles_.end() ? -1 : found->second;
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
          if (std::find(attributes.begin(), attributes.end(), element.attribute) != attributes.end()) append(raw_.group(name).cells, run);
      }
    }
  }

  TextFile file_;
  TokenReader tokens_;
  RawMesh raw_;
  std::int64_t dimension_ = 0, vertex_count_ = 0;
  std::vector<Element> elements_, boundary_;
  std::map<std::string, std::vector<std::int64_t>> element_sets_, boundary_sets_;
  std::map<FewNodes, Node> middles_;  // of edges and quadrilaterals
  Node first_centre_ = 0;
};

}  // namespace

MeshData read_mfem(const std::string& path, std::vector<std::string>& notices) { return Reader(path).read(notices); }

}  // namespace ritz
