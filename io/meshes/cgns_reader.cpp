// CGNS (CFD General Notation System, SIDS, and its mapping onto HDF5): unstructured zones with sections of elements,
// structured zones, boundary conditions and families. Every node of the CGNS tree is a group whose attributes "label"
// and "name" say what it is and whose dataset " data" holds its value, with the order of the extents reversed.
#include "io/meshes/other_readers.hpp"

#include "io/hdf5/hdf5_tree.hpp"
#include "io/meshes/flat_mesh.hpp"
#include "io/meshes/foreign_cells.hpp"
#include "io/meshes/raw_mesh.hpp"
#include "io/meshes/structured_grid.hpp"
#include "mesh/node_order.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include <fmt/format.h>

namespace ritz {
namespace cgns {
namespace {

using enum CellKind;

constexpr std::int64_t cgns_node = 2, cgns_mixed = 20;

// ElementType_t of the SIDS.
std::optional<CellKind> kind_of(std::int64_t type) {
  switch (type) {
    case 3: return line2;
    case 4: return line3;
    case 5: return tri3;
    case 6: return tri6;
    case 7: return quad4;
    case 8: return quad8;
    case 9: return quad9;
    case 10: return tet4;
    case 11: return tet10;
    case 12: return pyramid5;
    case 13: return pyramid14;
    case 14: return prism6;
    case 15: return prism15;
    case 16: return prism18;
    case 17: return hex8;
    case 18: return hex20;
    case 19: return hex27;
    case 21: return pyramid13;
    default: return std::nullopt;
  }
}

// Elements of order 3 and 4 that have all their nodes; the wedges are left out, as we know of no program that writes
// them.
struct HighOrderElement {
  std::int64_t type;
  CellKind shape;
  int order;
};
constexpr std::array high_order_elements{
    HighOrderElement{24, line2, 3}, HighOrderElement{26, tri3, 3},     HighOrderElement{28, quad4, 3},
    HighOrderElement{30, tet4, 3},  HighOrderElement{33, pyramid5, 3}, HighOrderElement{39, hex8, 3},
    HighOrderElement{40, line2, 4}, HighOrderElement{42, tri3, 4},     HighOrderElement{44, quad4, 4},
    HighOrderElement{47, tet4, 4},  HighOrderElement{50, pyramid5, 4}, HighOrderElement{56, hex8, 4}};

NodeSet node_set(const HighOrderElement& element) {
  using enum Listing;
  static const std::array orders{
      NodeOrder{line2, {{0, 1}}, {}, rows, rows}, NodeOrder{tri3, {{0, 1}, {1, 2}, {2, 0}}, {}, rings, rings},
      NodeOrder{quad4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}, rings, rings},
      // clang-format off
      NodeOrder{tet4, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}, {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}},
                rings, rings},
      NodeOrder{hex8, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 5}, {5, 6}, {6, 7}, {7, 4}},
                {{0, 1, 2, 3}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}}, rings, rings},
      NodeOrder{pyramid5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
                {{0, 1, 2, 3}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}, rings, rings}};
  // clang-format on
  const NodeOrder& order = *std::ranges::find(orders, element.shape, &NodeOrder::shape);
  return {element.order, reference_points(element.shape, lattice(order, element.order), equal_steps(element.order))};
}

std::span<const int> cgns_node_order(CellKind kind) {
  static constexpr std::array hexahedron27{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 16, 17,
                                           18, 19, 12, 13, 14, 15, 24, 22, 21, 23, 20, 25, 26};
  if (kind == hex27) return hexahedron27;
  return verticals_before_top(kind);
}

// Elements with consecutive numbers and of one kind; none for points.
struct ElementRun {
  std::int64_t first, count;
  std::optional<CellKind> kind;
  Index position;  // of the first among the cells of this kind
};

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::vector<std::string> names_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(name_of(path));
  return names;
}

std::vector<std::string> labelled(const Hdf5Tree& tree, const std::string& parent, std::string_view wanted) {
  std::vector<std::string> paths;
  for (const std::string& name : tree.children(parent.empty() ? "/" : parent)) {
    if (name.starts_with(" ")) continue;  // data of the parent
    const std::string path = parent + "/" + name;
    if (tree.text_attribute(path, "type") == "LK")
      tree.fail(path, "is a link to another file or place; write the mesh without links");
    if (tree.text_attribute(path, "label") == wanted) paths.push_back(path);
  }
  return paths;
}
std::string text(const Hdf5Tree& tree, const std::string& path) {
  return tree.has(path) ? without_padding(tree.characters(path + "/ data")) : std::string();
}
std::vector<std::int64_t> integers(const Hdf5Tree& tree, const std::string& path) {
  return tree.integers(path + "/ data");
}

// Unit of the coordinates, or else of the zone or the base; empty if none is given. The texts of 32 characters are
// mass, length, time, ...
std::string unit_of_length(const Hdf5Tree& tree, const std::string& base, const std::string& zone) {
  for (const std::string& place : {zone + "/GridCoordinates/CoordinateX", zone + "/GridCoordinates", zone, base})
    if (const std::string units = place + "/DimensionalUnits"; tree.has(units + "/ data"))
      if (const std::vector<std::string> texts = fixed_texts(tree.characters(units + "/ data"), 32); texts.size() > 1)
        return texts[1];
  return {};
}

// A boundary condition is a region by its name, the names of its families, and of those that these belong to (where
// Gmsh has physical groups).
std::vector<std::string> names_of_condition(const Hdf5Tree& tree, const std::string& condition) {
  std::vector<std::string> names{name_of(condition)};
  const auto add_families = [&](const std::string& member) {
    for (const char* kind : {"FamilyName_t", "AdditionalFamilyName_t"})
      for (const std::string& path : labelled(tree, member, kind))
        if (const std::string family = text(tree, path);
            !family.empty() && std::ranges::find(names, family) == names.end())
          names.push_back(family);
  };
  const std::string base = condition.substr(0, condition.find('/', 1));
  add_families(condition);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const std::string family = base + "/" + names[i]; tree.has(family)) add_families(family);
  return names;
}

// Appends [node][3], and returns the number of nodes.
std::int64_t read_points(const Hdf5Tree& tree, const std::string& zone, std::vector<double>& points) {
  std::string coordinates = zone + "/GridCoordinates";
  if (!tree.has(coordinates)) tree.fail(zone, "has no GridCoordinates");
  std::size_t count = 0, before = points.size();
  constexpr std::array axes{"CoordinateX", "CoordinateY", "CoordinateZ"};
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::string axis = coordinates + "/" + axes[k];
    if (!tree.has(axis)) {
      if (k == 0) tree.fail(coordinates, "has no CoordinateX: Ritz reads Cartesian coordinates");
      continue;
    }
    const std::vector<double> x = tree.reals(axis + "/ data");
    if (k == 0) {
      count = x.size();
      points.resize(before + 3 * count);
    }
    if (x.size() != count) tree.fail(axis, fmt::format("has {} values, and CoordinateX {}", x.size(), count));
    for (std::size_t i = 0; i < count; ++i) points[before + 3 * i + k] = x[i];
  }
  return static_cast<std::int64_t>(count);
}

// Numbers of the points and cells of a zone in the mesh.
struct Zone {
  std::string path;
  Index first_node;
  std::int64_t node_count;
  std::vector<ElementRun> runs;        // ascending; of an unstructured zone
  std::optional<StructuredGrid> grid;  // of a structured one
  Index first_cell = 0;                // of the grid

  std::int64_t highest_number() const {  // of its points and elements
    return std::max(node_count, runs.empty() ? 0 : runs.back().first + runs.back().count - 1);
  }
};

void add_run(const ElementRun& run, std::vector<ElementRun>& runs) {
  if (!runs.empty() && runs.back().kind == run.kind && runs.back().first + runs.back().count == run.first)
    runs.back().count += run.count;
  else runs.push_back(run);
}

// The kind for elements of a type; appends their nodes in the order of the kind. Empty for points and for kinds that
// Ritz does not have.
std::optional<CellKind> kind_here(const Hdf5Tree& tree, std::int64_t type, const std::string& section, RawMesh& raw) {
  const auto high = std::ranges::find(high_order_elements, type, &HighOrderElement::type);
  const bool is_high = high != high_order_elements.end();
  const std::optional<CellKind> kind = is_high ? complete_quadratic(high->shape) : kind_of(type);
  if (!kind) return kind;
  NodeSet& set = raw.node_sets[static_cast<std::size_t>(*kind)];
  const int order = is_high ? high->order : 0;
  if (set.order == order) return kind;
  if (raw.cell_count(*kind) > 0)
    throw Error(ErrorKind::mesh_without_cells,
                fmt::format("section '{}' of '{}' holds elements of type {}", name_of(section), tree.path(), type),
                "others of the same shape are of another order; cells of order 3 and more are taken at order 2, and "
                "then they must be all of one order",
                "write elements of one order");
  set = is_high ? node_set(*high) : NodeSet{};
  return kind;
}

std::int64_t next(const Hdf5Tree& tree, const std::vector<std::int64_t>& numbers, std::size_t& at,
                  const std::string& section) {
  if (at >= numbers.size()) tree.fail(section, "has fewer node numbers than its elements need");
  return numbers[at++];
}

void add_cells(const std::string& section, CellKind kind, std::int64_t element, std::span<const std::int64_t> numbers,
               Zone& zone, RawMesh& raw) {
  std::vector<Node>& nodes = raw.nodes_of(kind);
  const Index position = raw.cell_count(kind), width = file_node_count(raw.node_sets, kind),
              count = std::ssize(numbers) / width;
  const std::size_t before = nodes.size();
  const bool own_nodes = raw.node_sets[static_cast<std::size_t>(kind)].nodes.empty();
  append_cells(nodes, numbers, static_cast<int>(width), own_nodes ? cgns_node_order(kind) : std::span<const int>());
  for (std::size_t i = before; i < nodes.size(); ++i)
    nodes[i] = nodes[i] < 0 || nodes[i] >= zone.node_count ? Node{-1} : static_cast<Node>(nodes[i] + zone.first_node);
  add_run({element, count, kind, position}, zone.runs);
  append(raw.group(name_of(section)).cells, {kind, position, count});
}

void read_section(const Hdf5Tree& tree, const std::string& section, Zone& zone, RawMesh& raw) {
  const std::vector<std::int64_t> about = integers(tree, section), range = integers(tree, section + "/ElementRange");
  if (about.empty() || range.size() < 2 || range[1] < range[0]) tree.fail(section, "has no element type or no range");
  const std::vector<std::int64_t> numbers = integers(tree, section + "/ElementConnectivity");
  std::size_t at = 0;
  const bool mixed = about[0] == cgns_mixed;
  for (std::int64_t element = range[0]; element <= range[1];) {
    const std::int64_t type = mixed ? next(tree, numbers, at, section) : about[0];
    const std::optional<CellKind> kind = kind_here(tree, type, section, raw);
    if (!kind && type != cgns_node)
      throw Error(
          ErrorKind::mesh_without_cells,
          fmt::format("section '{}' of '{}' holds elements of type {}", name_of(section), tree.path(), type),
          "Ritz has no such cells (polygons and polyhedra, NGON_n and NFACE_n, wedges of order 3 or 4, or cells "
          "without some of their nodes)",
          "write BAR, TRI, QUAD, TETRA, PYRA, PENTA and HEXA elements of order 1 or 2");
    const std::int64_t count = mixed ? 1 : range[1] - range[0] + 1;
    const auto width = static_cast<std::size_t>(kind ? file_node_count(raw.node_sets, *kind) : 1);
    if (count > static_cast<std::int64_t>((numbers.size() - at) / width))
      tree.fail(section,
                fmt::format("has elements {} to {}, but only {} node numbers", range[0], range[1], numbers.size()));
    if (kind)
      add_cells(section, *kind, element, std::span(numbers).subspan(at, static_cast<std::size_t>(count) * width), zone,
                raw);
    else add_run({element, count, {}, 0}, zone.runs);
    at += static_cast<std::size_t>(count) * width;
    element += count;
  }
}

void read_sections(const Hdf5Tree& tree, Zone& zone, RawMesh& raw) {
  for (const std::string& section : labelled(tree, zone.path, "Elements_t")) read_section(tree, section, zone, raw);
  std::vector<ElementRun>& runs = zone.runs;
  std::sort(runs.begin(), runs.end(), [](const ElementRun& a, const ElementRun& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].first < runs[i - 1].first + runs[i - 1].count)
      tree.fail(zone.path, fmt::format("has two elements with number {}", runs[i].first));
}

void add_patch(const StructuredGrid& grid, const StructuredRange& range, const std::string& group, RawMesh& raw) {
  const CellKind kind = structured_kind(range.dimension());
  const Index before = raw.cell_count(kind);
  grid.append_cells(range, raw.nodes_of(kind));
  append(raw.group(group).cells, {kind, before, raw.cell_count(kind) - before});
}

void read_grid(const Hdf5Tree& tree, Zone& zone, RawMesh& raw) {
  const std::vector<std::int64_t> extents = integers(tree, zone.path);  // of points, of cells, of points on boundaries
  const std::size_t dimension = extents.size() / 3;
  if (dimension < 2 || dimension > 3 || extents.size() != 3 * dimension)
    tree.fail(zone.path, fmt::format("has {} numbers as its size; structured zones of 2 and 3 dimensions have 6 and 9",
                                     extents.size()));
  std::array<Index, 3> points{1, 1, 1};
  std::int64_t count = 1;
  for (std::size_t d = 0; d < dimension; ++d) {
    if (extents[d] < 2 || extents[d] > zone.node_count / count)
      tree.fail(zone.path, fmt::format("has {} points in direction {}, and {} coordinates in all", extents[d], d + 1,
                                       zone.node_count));
    count *= points[d] = static_cast<Index>(extents[d]);
  }
  if (count != zone.node_count)
    tree.fail(zone.path, fmt::format("has {} points, and {} coordinates", count, zone.node_count));
  StructuredGrid& grid = zone.grid.emplace(static_cast<int>(dimension), points, static_cast<Node>(zone.first_node));
  grid.turn_to_positive(raw.points);
  zone.first_cell = raw.cell_count(structured_kind(grid.dimension()));
  add_patch(grid, grid.all(), name_of(zone.path), raw);
}

Index point_along(const Hdf5Tree& tree, const StructuredGrid& grid, std::size_t direction, std::int64_t number,
                  const std::string& place) {
  const Index count = grid.points_along(static_cast<int>(direction));
  if (number < 1 || number > count)
    tree.fail(place, fmt::format("names point {} in direction {}, and the zone has {}", number, direction + 1, count));
  return static_cast<Index>(number - 1);
}

// "FaceCenter" and the like count faces: they lie on the points of one direction, and between those of the others.
StructuredRange read_range(const Hdf5Tree& tree, const StructuredGrid& grid, const std::string& path,
                           const std::string& where) {
  const std::vector<std::int64_t> ends = integers(tree, path);
  const auto dimension = static_cast<std::size_t>(grid.dimension());
  if (ends.size() != 2 * dimension)
    tree.fail(path, fmt::format("has {} numbers; the zone has {} dimensions", ends.size(), dimension));
  StructuredRange range{};
  const bool of_points = where.empty() || where == "Vertex", of_cells = where == "CellCenter";
  std::size_t across = dimension;  // the direction that faces look in
  for (std::size_t d = 0; d < dimension; ++d) {
    const std::int64_t count = grid.points_along(static_cast<int>(d));
    const bool at_an_end = ends[d] == ends[dimension + d] && (ends[d] == 1 || ends[d] == count);
    if (where == std::string{"IJK"[d]} + "FaceCenter" || (!where.starts_with("I") && !where.starts_with("J") &&
                                                          !where.starts_with("K") && at_an_end && across == dimension))
      across = d;
  }
  if (!of_points && !of_cells && across == dimension)
    tree.fail(path, "is a range of faces inside of the zone that look nowhere: no end of it is an end of the zone");
  for (std::size_t d = 0; d < dimension; ++d) {
    const bool between = of_cells || (!of_points && d != across);
    range.first[d] = point_along(tree, grid, d, std::min(ends[d], ends[dimension + d]), path);
    range.last[d] = point_along(tree, grid, d, std::max(ends[d], ends[dimension + d]) + between, path);
  }
  return range;
}

// Ranges of points or faces become facets (or cells, when they fill the zone's dimension), lists of points stay
// points.
void read_condition_on_grid(const Hdf5Tree& tree, const Zone& zone, const std::string& condition, RawMesh& raw) {
  const StructuredGrid& grid = *zone.grid;
  const std::string where = text(tree, condition + "/GridLocation");
  const bool of_points = where.empty() || where == "Vertex";
  const auto dimension = static_cast<std::size_t>(grid.dimension());
  if (tree.has(condition + "/PointRange")) {
    const StructuredRange range = read_range(tree, grid, condition + "/PointRange", where);
    for (const std::string& name : names_of_condition(tree, condition)) {
      RawGroup& group = raw.group(name);
      if (range.dimension() == grid.dimension()) {
        for (const auto& [first, count] : grid.rows_of_cells(range))
          append(group.cells, {structured_kind(grid.dimension()), zone.first_cell + first, count});
      } else if (range.dimension() + 1 == grid.dimension()) add_patch(grid, range, name, raw);
      else std::ranges::copy(grid.nodes(range), std::back_inserter(group.nodes));
    }
  } else if (tree.has(condition + "/PointList")) {
    if (!of_points)
      tree.fail(condition,
                fmt::format("is a list at '{}'; of structured zones Ritz reads ranges, and lists of points", where));
    const std::vector<std::int64_t> list = integers(tree, condition + "/PointList");
    for (const std::string& name : names_of_condition(tree, condition))
      for (std::size_t i = 0; i + dimension <= list.size(); i += dimension) {
        std::array<Index, 3> at{};
        for (std::size_t d = 0; d < dimension; ++d) at[d] = point_along(tree, grid, d, list[i + d], condition);
        raw.group(name).nodes.push_back(grid.node(at[0], at[1], at[2]));
      }
  }
}

void add_element(const Hdf5Tree& tree, const std::vector<ElementRun>& runs, std::int64_t number,
                 const std::string& condition, RawGroup& group) {
  const auto after = std::upper_bound(runs.begin(), runs.end(), number,
                                      [](std::int64_t n, const ElementRun& run) { return n < run.first; });
  if (after == runs.begin() || number >= std::prev(after)->first + std::prev(after)->count)
    tree.fail(condition, fmt::format("names element {}, which no section of the zone has", number));
  const ElementRun& run = *std::prev(after);
  if (run.kind) append(group.cells, {*run.kind, run.position + number - run.first, 1});
}

void read_condition(const Hdf5Tree& tree, const Zone& zone, const std::string& condition, RawMesh& raw) {
  bool of_elements = false;
  std::vector<std::int64_t> list;
  for (const char* child : {"PointList", "PointRange", "ElementList", "ElementRange"}) {
    const std::string path = condition + "/" + child;
    if (!tree.has(path)) continue;
    list = integers(tree, path);
    of_elements = child[0] == 'E';
    if (std::string_view(child).ends_with("Range")) {
      if (list.size() != 2 || list[0] < 1 || list[1] < list[0] || list[1] > zone.highest_number())
        tree.fail(path, "is no range of numbers of this zone");
      const std::int64_t first = list[0], last = list[1];
      list.clear();
      for (std::int64_t i = first; i <= last; ++i) list.push_back(i);
    }
    break;
  }
  if (const std::string where = text(tree, condition + "/GridLocation"); !where.empty() && where != "Vertex")
    of_elements = true;
  for (const std::string& name : names_of_condition(tree, condition)) {
    RawGroup& group = raw.group(name);
    for (const std::int64_t number : list) {
      if (of_elements) add_element(tree, zone.runs, number, condition, group);
      else if (number < 1 || number > zone.node_count)
        tree.fail(condition, fmt::format("names node {}, and the zone has {}", number, zone.node_count));
      else group.nodes.push_back(static_cast<Node>(zone.first_node + number - 1));
    }
  }
}

std::array<Index, cell_kind_count> cell_counts(const RawMesh& raw) {
  std::array<Index, cell_kind_count> counts{};
  for (const CellKind kind : all_cell_kinds()) counts[static_cast<std::size_t>(kind)] = raw.cell_count(kind);
  return counts;
}

// Cells of a zone of several; cells of lower dimensions name its boundary.
void add_zone_group(const std::string& name, const std::array<Index, cell_kind_count>& before, RawMesh& raw) {
  const std::array after = cell_counts(raw);
  int highest = 0;
  for (const CellKind kind : all_cell_kinds())
    if (after[static_cast<std::size_t>(kind)] > 0) highest = std::max(highest, traits(kind).dimension);
  for (const CellKind kind : all_cell_kinds()) {
    const auto k = static_cast<std::size_t>(kind);
    if (traits(kind).dimension == 3 || highest == traits(kind).dimension)
      append(raw.group(name).cells, {kind, before[k], after[k] - before[k]});
  }
}

Zone read_zone(const Hdf5Tree& tree, const std::string& path, bool one_of_several, RawMesh& raw) {
  const std::string type = text(tree, path + "/ZoneType");
  if (type != "Unstructured" && type != "Structured" && !type.empty())
    tree.fail(path, fmt::format("is a zone of type '{}'", type));
  const auto first_node = static_cast<Index>(raw.points.size()) / 3;
  Zone zone{path, first_node, read_points(tree, path, raw.points), {}, {}};
  const std::array before = cell_counts(raw);
  if (type == "Unstructured") read_sections(tree, zone, raw);
  else read_grid(tree, zone, raw);
  for (const std::string& list : labelled(tree, path, "ZoneBC_t"))
    for (const std::string& condition : labelled(tree, list, "BC_t")) {
      if (zone.grid) read_condition_on_grid(tree, zone, condition, raw);
      else read_condition(tree, zone, condition, raw);
    }
  if (one_of_several) add_zone_group(name_of(path), before, raw);
  return zone;
}

// Zones repeat the points of the faces between them.
void join_zones(RawMesh& raw, std::vector<std::string>& notices) {
  Index joined = 0;
  const std::vector<Node> number = join_points(raw.points, joined);
  if (joined == 0) return;
  notices.push_back(
      fmt::format("{} points of zones of '{}' that lie on another were joined with it", joined, raw.source));
  const auto rename = [&number](std::vector<Node>& nodes) {
    for (Node& node : nodes)
      if (node >= 0) node = number[static_cast<std::size_t>(node)];
  };
  for (std::vector<Node>& nodes : raw.nodes) rename(nodes);
  for (RawGroup& group : raw.groups) rename(group.nodes);
}

}  // namespace
}  // namespace cgns

MeshData read_cgns(const std::string& path, std::vector<std::string>& notices, bool structural) {
  const std::unique_ptr<Hdf5Tree> tree = Hdf5Tree::open(path);
  const std::vector<std::string> bases = cgns::labelled(*tree, "", "CGNSBase_t");
  if (bases.size() != 1)
    throw Error(ErrorKind::mesh_contents, fmt::format("'{}' holds {} bases", tree->path(), bases.size()),
                bases.empty() ? "" : "they are " + quoted_list(cgns::names_of(bases)), "export one base only");
  const std::vector<std::string> zones = cgns::labelled(*tree, bases[0], "Zone_t");
  if (zones.empty())
    throw Error(ErrorKind::mesh_without_cells, fmt::format("'{}' holds no zone", tree->path()), "",
                "export the mesh, not only its solution");
  RawMesh raw;
  raw.source = path;
  raw.structural = structural;
  std::int64_t point_elements = 0;
  bool closes = zones.size() > 1;  // points may coincide: of two zones, or where the cells of one are a ring
  for (const std::string& zone_path : zones) {
    const cgns::Zone zone = cgns::read_zone(*tree, zone_path, zones.size() > 1, raw);
    closes = closes || zone.grid;
    for (const cgns::ElementRun& run : zone.runs)
      if (!run.kind) point_elements += run.count;
  }
  report_unit_of_length(tree->path(), cgns::unit_of_length(*tree, bases[0], zones.front()), notices);
  if (closes) cgns::join_zones(raw, notices);
  if (point_elements > 0)
    notices.push_back(fmt::format("{} point elements of '{}' were left out", point_elements, tree->path()));
  return mesh_of(std::move(raw), notices);
}

}  // namespace ritz
