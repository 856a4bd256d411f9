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

class CgnsReader {
 public:
  CgnsReader(const std::string& path, bool structural) : tree_(Hdf5Tree::open(path)) {
    raw_.source = path;
    raw_.structural = structural;
  }
  MeshData read(std::vector<std::string>& notices) {
    const std::vector<std::string> bases = labelled("", "CGNSBase_t");
    if (bases.size() != 1)
      throw Error(Exit::mesh, fmt::format("'{}' holds {} bases", tree_->path(), bases.size()),
                  bases.empty() ? "" : "they are " + quoted_list(names_of(bases)), "export one base only");
    base_ = bases[0];
    const std::vector<std::string> zones = labelled(base_, "Zone_t");
    if (zones.empty())
      throw Error(Exit::mesh, fmt::format("'{}' holds no zone", tree_->path()), "",
                  "export the mesh, not only its solution");
    for (const std::string& zone : zones) read_zone(zone, zones.size() > 1);
    report_unit_of_length(tree_->path(), unit_of_length(zones.front()), notices);
    if (zones.size() > 1 || structured_) join_zones(notices);
    if (point_elements_ > 0)
      notices.push_back(fmt::format("{} point elements of '{}' were left out", point_elements_, tree_->path()));
    return mesh_of(std::move(raw_), notices);
  }

 private:
  static std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }
  static std::vector<std::string> names_of(const std::vector<std::string>& paths) {
    std::vector<std::string> names;
    for (const std::string& path : paths) names.push_back(name_of(path));
    return names;
  }
  std::string label(const std::string& path) const { return tree_->text_attribute(path, "label"); }
  std::vector<std::string> labelled(const std::string& parent, std::string_view wanted) const {
    std::vector<std::string> paths;
    for (const std::string& name : tree_->children(parent.empty() ? "/" : parent)) {
      if (name.starts_with(" ")) continue;  // data of the parent
      const std::string path = parent + "/" + name;
      if (tree_->text_attribute(path, "type") == "LK")
        tree_->fail(path, "is a link to another file or place; write the mesh without links");
      if (label(path) == wanted) paths.push_back(path);
    }
    return paths;
  }
  std::string text(const std::string& path) const {
    return tree_->has(path) ? without_padding(tree_->characters(path + "/ data")) : std::string();
  }
  std::vector<std::int64_t> integers(const std::string& path) const { return tree_->integers(path + "/ data"); }

  // Unit of the coordinates, or else of the zone or the base; empty if none is given. The texts of 32 characters are
  // mass, length, time, ...
  std::string unit_of_length(const std::string& zone) const {
    for (const std::string& place : {zone + "/GridCoordinates/CoordinateX", zone + "/GridCoordinates", zone, base_})
      if (const std::string units = place + "/DimensionalUnits"; tree_->has(units + "/ data"))
        if (const std::vector<std::string> texts = fixed_texts(tree_->characters(units + "/ data"), 32);
            texts.size() > 1)
          return texts[1];
    return {};
  }

  void read_zone(const std::string& zone, bool one_of_several) {
    const std::string type = text(zone + "/ZoneType");
    if (type != "Unstructured" && type != "Structured" && !type.empty())
      tree_->fail(zone, fmt::format("is a zone of type '{}'", type));
    first_node_ = static_cast<Index>(raw_.points.size()) / 3;
    runs_.clear();
    read_points(zone);
    const std::array before = cell_counts();
    std::optional<StructuredGrid> grid;
    if (type == "Unstructured") {
      for (const std::string& section : labelled(zone, "Elements_t")) read_section(section);
      std::sort(runs_.begin(), runs_.end(), [](const ElementRun& a, const ElementRun& b) { return a.first < b.first; });
      for (std::size_t i = 1; i < runs_.size(); ++i)
        if (runs_[i].first < runs_[i - 1].first + runs_[i - 1].count)
          tree_->fail(zone, fmt::format("has two elements with number {}", runs_[i].first));
    } else {
      grid = read_grid(zone);
    }
    for (const std::string& list : labelled(zone, "ZoneBC_t"))
      for (const std::string& condition : labelled(list, "BC_t")) {
        if (grid) read_condition_on_grid(*grid, condition);
        else read_condition(condition);
      }
    if (!one_of_several) return;
    const std::array after = cell_counts();
    for (const CellKind kind : all_cell_kinds()) {
      const auto k = static_cast<std::size_t>(kind);
      if (traits(kind).dimension == 3 || highest_ == traits(kind).dimension)
        append(raw_.group(name_of(zone)).cells, {kind, before[k], after[k] - before[k]});
    }
  }
  std::array<Index, cell_kind_count> cell_counts() const {
    std::array<Index, cell_kind_count> counts{};
    for (const CellKind kind : all_cell_kinds()) counts[static_cast<std::size_t>(kind)] = raw_.cell_count(kind);
    return counts;
  }

  void read_points(const std::string& zone) {
    std::string coordinates = zone + "/GridCoordinates";
    if (!tree_->has(coordinates)) tree_->fail(zone, "has no GridCoordinates");
    std::size_t count = 0;
    constexpr std::array axes{"CoordinateX", "CoordinateY", "CoordinateZ"};
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const std::string axis = coordinates + "/" + axes[k];
      if (!tree_->has(axis)) {
        if (k == 0) tree_->fail(coordinates, "has no CoordinateX: Ritz reads Cartesian coordinates");
        continue;
      }
      const std::vector<double> x = tree_->reals(axis + "/ data");
      if (k == 0) {
        count = x.size();
        raw_.points.resize(raw_.points.size() + 3 * count);
      }
      if (x.size() != count) tree_->fail(axis, fmt::format("has {} values, and CoordinateX {}", x.size(), count));
      for (std::size_t i = 0; i < count; ++i) raw_.points[3 * (static_cast<std::size_t>(first_node_) + i) + k] = x[i];
    }
    node_count_ = static_cast<std::int64_t>(count);
  }

  void read_section(const std::string& section) {
    const std::vector<std::int64_t> about = integers(section), range = integers(section + "/ElementRange");
    if (about.empty() || range.size() < 2 || range[1] < range[0])
      tree_->fail(section, "has no element type or no range");
    const std::vector<std::int64_t> numbers = integers(section + "/ElementConnectivity");
    std::size_t at = 0;
    const bool mixed = about[0] == cgns_mixed;
    for (std::int64_t element = range[0]; element <= range[1];) {
      const std::int64_t type = mixed ? next(numbers, at, section) : about[0];
      const std::optional<CellKind> kind = kind_here(type, section);
      if (!kind && type != cgns_node)
        throw Error(
            Exit::mesh,
            fmt::format("section '{}' of '{}' holds elements of type {}", name_of(section), tree_->path(), type),
            "Ritz has no such cells (polygons and polyhedra, NGON_n and NFACE_n, wedges of order 3 or 4, or cells "
            "without some of their nodes)",
            "write BAR, TRI, QUAD, TETRA, PYRA, PENTA and HEXA elements of order 1 or 2");
      const std::int64_t count = mixed ? 1 : range[1] - range[0] + 1;
      const auto width = static_cast<std::size_t>(kind ? file_node_count(raw_.node_sets, *kind) : 1);
      if (count > static_cast<std::int64_t>((numbers.size() - at) / width))
        tree_->fail(section,
                    fmt::format("has elements {} to {}, but only {} node numbers", range[0], range[1], numbers.size()));
      if (kind)
        add_cells(section, *kind, element, count,
                  std::span(numbers).subspan(at, static_cast<std::size_t>(count) * width));
      else add_run({element, count, {}, 0}), point_elements_ += count;
      at += static_cast<std::size_t>(count) * width;
      element += count;
    }
  }
  // The kind for elements of a type; appends their nodes in the order of the kind. Empty for points and for kinds that
  // Ritz does not have.
  std::optional<CellKind> kind_here(std::int64_t type, const std::string& section) {
    const auto high = std::ranges::find(high_order_elements, type, &HighOrderElement::type);
    const bool is_high = high != high_order_elements.end();
    const std::optional<CellKind> kind = is_high ? complete_quadratic(high->shape) : kind_of(type);
    if (!kind) return kind;
    NodeSet& set = raw_.node_sets[static_cast<std::size_t>(*kind)];
    const int order = is_high ? high->order : 0;
    if (set.order == order) return kind;
    if (raw_.cell_count(*kind) > 0)
      throw Error(Exit::mesh,
                  fmt::format("section '{}' of '{}' holds elements of type {}", name_of(section), tree_->path(), type),
                  "others of the same shape are of another order; cells of order 3 and more are taken at order 2, and "
                  "then they must be all of one order",
                  "write elements of one order");
    set = is_high ? node_set(*high) : NodeSet{};
    return kind;
  }
  std::int64_t next(const std::vector<std::int64_t>& numbers, std::size_t& at, const std::string& section) const {
    if (at >= numbers.size()) tree_->fail(section, "has fewer node numbers than its elements need");
    return numbers[at++];
  }
  void add_cells(const std::string& section, CellKind kind, std::int64_t element, std::int64_t count,
                 std::span<const std::int64_t> numbers) {
    std::vector<Node>& nodes = raw_.nodes_of(kind);
    const Index position = raw_.cell_count(kind);
    const std::size_t before = nodes.size();
    const bool own_nodes = raw_.node_sets[static_cast<std::size_t>(kind)].nodes.empty();
    append_cells(nodes, numbers, static_cast<int>(file_node_count(raw_.node_sets, kind)),
                 own_nodes ? cgns_node_order(kind) : std::span<const int>());
    for (std::size_t i = before; i < nodes.size(); ++i)
      nodes[i] = nodes[i] < 0 || nodes[i] >= node_count_ ? Node{-1} : static_cast<Node>(nodes[i] + first_node_);
    add_run({element, count, kind, position});
    append(raw_.group(name_of(section)).cells, {kind, position, count});
    highest_ = std::max(highest_, traits(kind).dimension);
  }
  void add_run(const ElementRun& run) {
    if (!runs_.empty() && runs_.back().kind == run.kind && runs_.back().first + runs_.back().count == run.first)
      runs_.back().count += run.count;
    else runs_.push_back(run);
  }

  StructuredGrid read_grid(const std::string& zone) {
    const std::vector<std::int64_t> extents = integers(zone);  // of points, of cells, of points on boundaries
    const std::size_t dimension = extents.size() / 3;
    if (dimension < 2 || dimension > 3 || extents.size() != 3 * dimension)
      tree_->fail(zone, fmt::format("has {} numbers as its size; structured zones of 2 and 3 dimensions have 6 and 9",
                                    extents.size()));
    std::array<Index, 3> points{1, 1, 1};
    std::int64_t count = 1;
    for (std::size_t d = 0; d < dimension; ++d) {
      if (extents[d] < 2 || extents[d] > node_count_ / count)
        tree_->fail(zone, fmt::format("has {} points in direction {}, and {} coordinates in all", extents[d], d + 1,
                                      node_count_));
      count *= points[d] = static_cast<Index>(extents[d]);
    }
    if (count != node_count_) tree_->fail(zone, fmt::format("has {} points, and {} coordinates", count, node_count_));
    StructuredGrid grid(static_cast<int>(dimension), points, static_cast<Node>(first_node_));
    grid.turn_to_positive(raw_.points);
    first_cell_ = raw_.cell_count(structured_kind(grid.dimension()));
    add_patch(raw_.group(name_of(zone)), grid, grid.all());
    structured_ = true;
    highest_ = std::max(highest_, grid.dimension());
    return grid;
  }
  void add_patch(RawGroup& group, const StructuredGrid& grid, const StructuredRange& range) {
    const CellKind kind = structured_kind(range.dimension());
    const Index before = raw_.cell_count(kind);
    grid.append_cells(range, raw_.nodes_of(kind));
    append(group.cells, {kind, before, raw_.cell_count(kind) - before});
  }

  // Ranges of points or faces become facets (or cells, when they fill the zone's dimension), lists of points stay
  // points.
  void read_condition_on_grid(const StructuredGrid& grid, const std::string& condition) {
    const std::string where = text(condition + "/GridLocation");
    const bool of_points = where.empty() || where == "Vertex";
    const auto dimension = static_cast<std::size_t>(grid.dimension());
    if (tree_->has(condition + "/PointRange")) {
      const StructuredRange range = read_range(grid, condition + "/PointRange", where);
      for (const std::string& name : names_of_condition(condition)) {
        RawGroup& group = raw_.group(name);
        if (range.dimension() == grid.dimension()) {
          for (const auto& [first, count] : grid.rows_of_cells(range))
            append(group.cells, {structured_kind(grid.dimension()), first_cell_ + first, count});
        } else if (range.dimension() + 1 == grid.dimension()) add_patch(group, grid, range);
        else std::ranges::copy(grid.nodes(range), std::back_inserter(group.nodes));
      }
    } else if (tree_->has(condition + "/PointList")) {
      if (!of_points)
        tree_->fail(
            condition,
            fmt::format("is a list at '{}'; of structured zones Ritz reads ranges, and lists of points", where));
      const std::vector<std::int64_t> list = integers(condition + "/PointList");
      for (const std::string& name : names_of_condition(condition))
        for (std::size_t i = 0; i + dimension <= list.size(); i += dimension) {
          std::array<Index, 3> at{};
          for (std::size_t d = 0; d < dimension; ++d) at[d] = point_along(grid, d, list[i + d], condition);
          raw_.group(name).nodes.push_back(grid.node(at[0], at[1], at[2]));
        }
    }
  }
  Index point_along(const StructuredGrid& grid, std::size_t direction, std::int64_t number,
                    const std::string& place) const {
    const Index count = grid.points_along(static_cast<int>(direction));
    if (number < 1 || number > count)
      tree_->fail(place,
                  fmt::format("names point {} in direction {}, and the zone has {}", number, direction + 1, count));
    return static_cast<Index>(number - 1);
  }
  // "FaceCenter" and the like count faces: they lie on the points of one direction, and between those of the others.
  StructuredRange read_range(const StructuredGrid& grid, const std::string& path, const std::string& where) const {
    const std::vector<std::int64_t> ends = integers(path);
    const auto dimension = static_cast<std::size_t>(grid.dimension());
    if (ends.size() != 2 * dimension)
      tree_->fail(path, fmt::format("has {} numbers; the zone has {} dimensions", ends.size(), dimension));
    StructuredRange range{};
    const bool of_points = where.empty() || where == "Vertex", of_cells = where == "CellCenter";
    std::size_t across = dimension;  // the direction that faces look in
    for (std::size_t d = 0; d < dimension; ++d) {
      const std::int64_t count = grid.points_along(static_cast<int>(d));
      const bool at_an_end = ends[d] == ends[dimension + d] && (ends[d] == 1 || ends[d] == count);
      if (where == std::string{"IJK"[d]} + "FaceCenter" ||
          (!where.starts_with("I") && !where.starts_with("J") && !where.starts_with("K") && at_an_end &&
           across == dimension))
        across = d;
    }
    if (!of_points && !of_cells && across == dimension)
      tree_->fail(path, "is a range of faces inside of the zone that look nowhere: no end of it is an end of the zone");
    for (std::size_t d = 0; d < dimension; ++d) {
      const bool between = of_cells || (!of_points && d != across);
      range.first[d] = point_along(grid, d, std::min(ends[d], ends[dimension + d]), path);
      range.last[d] = point_along(grid, d, std::max(ends[d], ends[dimension + d]) + between, path);
    }
    return range;
  }

  // A boundary condition is a region of its own name, of its families, and of those that these belong to (where Gmsh
  // has physical groups).
  std::vector<std::string> names_of_condition(const std::string& condition) const {
    std::vector<std::string> names{name_of(condition)};
    const auto add_families = [&](const std::string& member) {
      for (const char* kind : {"FamilyName_t", "AdditionalFamilyName_t"})
        for (const std::string& path : labelled(member, kind))
          if (const std::string family = text(path); !family.empty() && std::ranges::find(names, family) == names.end())
            names.push_back(family);
    };
    add_families(condition);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (const std::string family = base_ + "/" + names[i]; tree_->has(family)) add_families(family);
    return names;
  }
  void read_condition(const std::string& condition) {
    bool of_elements = false;
    std::vector<std::int64_t> list;
    for (const char* child : {"PointList", "PointRange", "ElementList", "ElementRange"}) {
      const std::string path = condition + "/" + child;
      if (!tree_->has(path)) continue;
      list = integers(path);
      of_elements = child[0] == 'E';
      if (std::string_view(child).ends_with("Range")) {
        if (list.size() != 2 || list[0] < 1 || list[1] < list[0] || list[1] > highest_number())
          tree_->fail(path, "is no range of numbers of this zone");
        const std::int64_t first = list[0], last = list[1];
        list.clear();
        for (std::int64_t i = first; i <= last; ++i) list.push_back(i);
      }
      break;
    }
    if (const std::string where = text(condition + "/GridLocation"); !where.empty() && where != "Vertex")
      of_elements = true;
    for (const std::string& name : names_of_condition(condition)) {
      RawGroup& group = raw_.group(name);
      for (const std::int64_t number : list) {
        if (of_elements) add_element(group, number, condition);
        else if (number < 1 || number > node_count_)
          tree_->fail(condition, fmt::format("names node {}, and the zone has {}", number, node_count_));
        else group.nodes.push_back(static_cast<Node>(first_node_ + number - 1));
      }
    }
  }
  std::int64_t highest_number() const {
    return std::max(node_count_, runs_.empty() ? 0 : runs_.back().first + runs_.back().count - 1);
  }
  void add_element(RawGroup& group, std::int64_t number, const std::string& condition) {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), number,
                                        [](std::int64_t n, const ElementRun& run) { return n < run.first; });
    if (after == runs_.begin() || number >= std::prev(after)->first + std::prev(after)->count)
      tree_->fail(condition, fmt::format("names element {}, which no section of the zone has", number));
    const ElementRun& run = *std::prev(after);
    if (run.kind) append(group.cells, {*run.kind, run.position + number - run.first, 1});
  }

  // Zones repeat the points of the faces between them.
  void join_zones(std::vector<std::string>& notices) {
    Index joined = 0;
    const std::vector<Node> number = join_points(raw_.points, joined);
    if (joined == 0) return;
    notices.push_back(
        fmt::format("{} points of zones of '{}' that lie on another were joined with it", joined, tree_->path()));
    const auto rename = [&number](std::vector<Node>& nodes) {
      for (Node& node : nodes)
        if (node >= 0) node = number[static_cast<std::size_t>(node)];
    };
    for (std::vector<Node>& nodes : raw_.nodes) rename(nodes);
    for (RawGroup& group : raw_.groups) rename(group.nodes);
  }

  std::unique_ptr<Hdf5Tree> tree_;
  RawMesh raw_;
  std::string base_;             // its path
  Index first_node_ = 0;         // of the zone
  std::int64_t node_count_ = 0;  // of the zone
  std::int64_t point_elements_ = 0;
  int highest_ = 0;               // dimension of the cells so far
  Index first_cell_ = 0;          // of the zone, when it is structured
  bool structured_ = false;       // one of the zones: a ring of cells closes where its points coincide
  std::vector<ElementRun> runs_;  // of the zone, ascending
};

}  // namespace

MeshData read_cgns(const std::string& path, std::vector<std::string>& notices, bool structural) {
  return CgnsReader(path, structural).read(notices);
}

}  // namespace ritz
