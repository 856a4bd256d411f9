#include "io/vtk/vtu_reader.hpp"

#include "io/meshes/flat_mesh.hpp"
#include "io/meshes/foreign_cells.hpp"
#include "io/meshes/raw_mesh.hpp"
#include "io/meshes/vtk_cells.hpp"
#include "io/vtk/legacy_vtk.hpp"
#include "io/vtk/vtk_library.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include <fmt/core.h>

namespace ritz {
namespace {

// Pieces of a file repeat the points between them. Returns the new number of each point.
std::vector<Node> join_pieces(std::vector<double>& points, const std::string& path, std::vector<std::string>& notices) {
  Index joined = 0;
  std::vector<Node> number = join_points(points, joined);
  if (joined > 0) notices.push_back(fmt::format("{} points that the pieces of '{}' share were joined", joined, path));
  return number;
}

// Numbers of regions; a quantity of the same name, such as a share of a material, is none.
bool holds_whole_numbers(const GridArray& array) {
  return std::ranges::all_of(array.values,
                             [](double value) { return std::abs(value) < 1e15 && value == std::floor(value); });
}

const GridArray* region_array(const UnstructuredGrid& grid) {
  for (const std::string_view name : region_array_names)
    if (const auto found = grid.cell_arrays.find(std::string(name)); found != grid.cell_arrays.end())
      if (found->second.components == 1 && holds_whole_numbers(found->second)) return &found->second;
  return nullptr;
}

const std::vector<std::string>* texts_named(const UnstructuredGrid& grid, const char* name) {
  const auto found = grid.field_texts.find(name);
  return found == grid.field_texts.end() ? nullptr : &found->second;
}

// Our own writer names its regions; others only number them.
std::string region_name(const UnstructuredGrid& grid, std::int64_t id) {
  const std::vector<std::string>* names = texts_named(grid, "region_names");
  if (names != nullptr && id >= 1 && id <= std::ssize(*names)) return (*names)[static_cast<std::size_t>(id - 1)];
  return fmt::format("region_{}", id);
}

// The regions that our own writer put into tables. `cell_number` [cell of the file] is the number in the mesh, or -1.
std::vector<Region> regions_of_tables(const UnstructuredGrid& grid, const std::vector<std::string>& names,
                                      const std::vector<Index>& cell_number, const std::string& path) {
  std::vector<Region> regions;
  constexpr std::array kinds{"cells", "facets", "nodes"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto fail = [&](const char* what) {
      throw Error(Exit::mesh, fmt::format("the table of region '{}' in '{}' {}", names[i], path, what), "",
                  "write the file again");
    };
    bool found_any = false;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const auto found = grid.field_arrays.find(fmt::format("region_table_{}_{}", kinds[k], i));
      if (found == grid.field_arrays.end()) continue;
      found_any = true;
      const GridArray& table = found->second;
      if (table.components != 1) fail("has several components");
      if (!holds_whole_numbers(table)) fail("holds what is no whole number");
      Region region{names[i], static_cast<RegionKind>(k), {}, {}, {}};
      const auto cell = [&](double value) {
        const auto number = static_cast<Index>(value);
        if (number < 0 || number >= std::ssize(cell_number) || cell_number[static_cast<std::size_t>(number)] < 0)
          fail("names a cell that is not there");
        return cell_number[static_cast<std::size_t>(number)];
      };
      const auto small = [&](double value) {
        if (value < 0 || value > std::numeric_limits<Node>::max()) fail("names a node or a facet that is not there");
        return static_cast<Node>(value);
      };
      if (region.kind == RegionKind::facets && table.values.size() % 2 != 0) fail("has an odd number of entries");
      for (std::size_t entry = 0; entry < table.values.size(); ++entry) {
        const double value = table.values[entry];
        if (region.kind == RegionKind::cells) region.cells.push_back(cell(value));
        else if (region.kind == RegionKind::nodes) region.nodes.push_back(small(value));
        else if (entry % 2 == 0) region.facets.push_back({cell(value), small(table.values[entry + 1])});
      }
      sort_unique(region.cells);
      sort_unique(region.nodes);
      regions.push_back(std::move(region));
    }
    if (!found_any) fail("is missing");
  }
  return regions;
}

CellBlock& block_of(MeshData& data, CellKind kind) {
  for (CellBlock& block : data.blocks)
    if (block.kind == kind) return block;
  data.blocks.push_back({kind, {}, 0});
  return data.blocks.back();
}

void check_counts(const UnstructuredGrid& grid, const std::string& path) {
  if (grid.types.empty())
    throw Error(Exit::mesh, fmt::format("'{}' holds no cells", path),
                fmt::format("it has {} points", grid.points.size() / 3), "check what was exported");
  if (grid.points.size() / 3 > std::numeric_limits<Node>::max())
    throw Error(Exit::mesh, fmt::format("'{}' holds {} points", path, grid.points.size() / 3),
                "Ritz numbers nodes with 31 bits");
  if (grid.points.empty())
    throw Error(Exit::mesh, fmt::format("'{}' holds cells but no points", path), "it may have been cut short",
                "write the file again");
  const GridArray* regions = region_array(grid);
  for (const std::size_t count : {regions != nullptr ? regions->values.size() : grid.types.size(),
                                  grid.ghosts.empty() ? grid.types.size() : grid.ghosts.size()})
    if (count != grid.types.size())
      throw Error(Exit::mesh, fmt::format("'{}' holds {} numbers for {} cells", path, count, grid.types.size()), "",
                  "write the file again");
}

// The mesh of a grid, and its regions.
class GridMesh {
 public:
  GridMesh(UnstructuredGrid grid, const std::string& path, std::vector<std::string>& said, bool structures = false)
      : grid_(std::move(grid)),
        path_(path),
        said_(said),
        structures_(structures),
        connectivity_(grid_, path),
        cells_(cells_of(grid_, connectivity_, path)),
        regions_(region_array(grid_)) {}

  // [component] of an array of the file, as the mesh that was read has its nodes or cells.
  std::vector<double> at_nodes(const GridArray& array) const {
    if (!lowered_.unneeded.empty())
      throw Error(Exit::input, fmt::format("fields of '{}', which has cells of order 3 or more", path_),
                  "its mesh is read with other nodes", "write those results with [output] cells = \"mesh\"");
    if (joined_.empty()) return array.values;
    std::vector<double> values = renumbered(array, joined_, data_.points.size() / 3);
    check_joined(array, values);
    return values;
  }
  std::vector<double> in_cells(const GridArray& array) {
    Index count = 0;
    for (const CellBlock& block : data_.blocks) count += block.cell_count();
    return renumbered(array, cell_numbers(), static_cast<std::size_t>(count));
  }

  MeshData take() { return std::move(data_); }

  void read() {
    data_.source = path_;
    data_.points = std::move(grid_.points);
    data_.structural = structures_ && is_of_structures();
    data_.dimension = data_.structural ? 3 : cells_.dimension;
    if (grid_.has_pieces) joined_ = join_pieces(data_.points, path_, said_);
    if (cells_.has_high_order()) {
      nodes_of_kind_ = nodes_by_kind(connectivity_, cells_, joined_);
      lowered_ = lower_order(nodes_of_kind_, cells_.node_sets, data_.points, KeepMaps::where_they_differ, path_, said_);
    }
    for (std::size_t cell = 0; cell < grid_.types.size(); ++cell) add_cell(cell);
    number_blocks(data_);
    flatten_plane_mesh(data_, said_);
    const std::vector<std::string>* tables = texts_named(grid_, "region_table_names");
    if (tables != nullptr) data_.regions = regions_of_tables(grid_, *tables, cell_numbers(), path_);
    else add_numbered_regions();
    drop_points(data_, lowered_.unneeded);
    if (tables == nullptr && regions_ == nullptr)
      said_.push_back(fmt::format("'{}' has no cell array 'region': its only region is 'all'", path_));
    add_region_all(data_);
  }

 private:
  // Points of pieces that stand at one place have one value, or none, which is not a number.
  void check_joined(const GridArray& array, const std::vector<double>& values) const {
    double largest = 0;
    for (const double each : array.values)
      if (std::isfinite(each)) largest = std::max(largest, std::abs(each));
    const auto width = static_cast<std::size_t>(array.components);
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      const auto node = static_cast<std::size_t>(joined_[i / width]);
      const double other = values[node * width + i % width];
      const double own = array.values[i];
      if (own == other || (std::isnan(own) && std::isnan(other)) || std::abs(own - other) <= 1e-6 * largest) continue;
      throw Error(Exit::input,
                  fmt::format("'{}' has the values {:g} and {:g} at ({:g}, {:g}, {:g})", path_, own, other,
                              data_.points[3 * node], data_.points[3 * node + 1], data_.points[3 * node + 2]),
                  "nodes of parts that touch are not told apart in pieces",
                  "write those results with [output] format = \"vtu\"");
    }
  }

  bool is_of_structures() const {
    const std::vector<double>& x = data_.points;
    bool is_flat = true;
    for (std::size_t i = 2; i < x.size(); i += 3) is_flat = is_flat && x[i] == x[2];
    const bool has_lines =
        std::ranges::any_of(cells_.counts, [](const auto& of) { return traits(of.first).dimension == 1; });
    return cells_.dimension < 3 && (has_lines || !is_flat);
  }

  // new_number [entry of the array]; -1: it is left out
  template <class Number>
  static std::vector<double> renumbered(const GridArray& array, const std::vector<Number>& new_number,
                                        std::size_t count) {
    const auto width = static_cast<std::size_t>(array.components);
    std::vector<double> result(count * width);
    for (std::size_t i = 0; i < new_number.size(); ++i)
      if (new_number[i] >= 0)
        std::copy_n(array.values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                    result.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(new_number[i]) * width));
    return result;
  }

  // Does another piece have the cell?
  bool is_duplicate(std::size_t cell) const {
    constexpr std::uint8_t duplicate = 1;  // vtkDataSetAttributes::DUPLICATECELL
    return !grid_.ghosts.empty() && (grid_.ghosts[cell] & duplicate) != 0;
  }

  void add_cell(std::size_t cell) {
    const CellTraits& kind = *cells_.kinds[cell];
    const Index number = next_[static_cast<std::size_t>(kind.kind)]++;
    if (is_duplicate(cell)) return;
    Node numbers[27];
    const std::span<Node> nodes(numbers, static_cast<std::size_t>(kind.node_count));
    if (!lowered_.unneeded.empty()) {
      std::copy_n(nodes_of_kind_[static_cast<std::size_t>(kind.kind)].begin() + number * kind.node_count, nodes.size(),
                  nodes.begin());
    } else {
      connectivity_.nodes_of(cell, nodes);
      if (!joined_.empty())
        for (Node& node : nodes) node = joined_[static_cast<std::size_t>(node)];
    }
    const auto id = regions_ != nullptr ? static_cast<std::int64_t>(regions_->values[cell]) : 0;
    if (is_body(data_, kind.kind)) add_to_block(kind, number, id, nodes);
    else if (regions_ != nullptr) add_to_boundary(kind, id, nodes);
  }

  void add_to_block(const CellTraits& kind, Index number, std::int64_t id, std::span<const Node> nodes) {
    CellBlock& block = block_of(data_, kind.kind);
    if (block.nodes.empty())
      block.nodes.reserve(static_cast<std::size_t>(cells_.counts.at(kind.kind) * kind.node_count));
    if (regions_ != nullptr) {
      if (members_ == nullptr || id != last_id_) members_ = &cells_of_region_[id];
      last_id_ = id;
      append(*members_, {kind.kind, block.cell_count(), 1});
    }
    block.curved.append(lowered_.curved[static_cast<std::size_t>(kind.kind)], number, block.cell_count());
    block.nodes.insert(block.nodes.end(), nodes.begin(), nodes.end());
  }

  void add_to_boundary(const CellTraits& kind, std::int64_t id, std::span<const Node> nodes) {
    if (kind.dimension > 0 && kind.dimension == data_.dimension - 1) {
      NamedCells& surface = surfaces_[{id, kind.kind}];
      surface.names = {region_name(grid_, id)};
      surface.cells.kind = kind.kind;
      surface.cells.nodes.insert(surface.cells.nodes.end(), nodes.begin(), nodes.end());
    } else {
      Region& region = region_named(data_, region_name(grid_, id), RegionKind::nodes);
      region.nodes.insert(region.nodes.end(), nodes.begin(), nodes.end());
    }
  }

  // [cell of the file] its number in the mesh; -1: it is none of its cells.
  std::vector<Index> cell_numbers() {
    std::vector<Index> numbers;
    std::map<CellKind, Index> next;
    for (std::size_t cell = 0; cell < cells_.kinds.size(); ++cell) {
      const CellTraits& kind = *cells_.kinds[cell];
      const bool is_there = is_body(data_, kind.kind) && !is_duplicate(cell);
      numbers.push_back(is_there ? block_of(data_, kind.kind).first_cell + next[kind.kind]++ : -1);
    }
    return numbers;
  }

  void add_numbered_regions() {
    const bool own_file = texts_named(grid_, "region_names") != nullptr;
    for (const auto& [id, runs] : cells_of_region_) {
      if (own_file && id == 0) continue;  // cells of no region
      Region& region = region_named(data_, region_name(grid_, id), RegionKind::cells);
      for (const CellRun& run : runs)
        for (Index i = 0; i < run.count; ++i)
          region.cells.push_back(block_of(data_, run.kind).first_cell + run.first + i);
      sort_unique(region.cells);
    }
    std::vector<NamedCells> named;
    for (auto& [key, surface] : surfaces_) named.push_back(std::move(surface));
    add_facet_regions(data_, named, said_);
    for (Region& region : data_.regions) sort_unique(region.nodes);
  }

  UnstructuredGrid grid_;
  const std::string& path_;
  std::vector<std::string>& said_;
  const bool structures_;
  const VtkConnectivity connectivity_;
  const VtkCells cells_;
  const GridArray* regions_;
  MeshData data_;
  std::vector<Node> joined_;
  CellsByKind nodes_of_kind_;
  LoweredCells lowered_;
  std::array<Index, cell_kind_count> next_{};  // [kind]: number of the next cell in nodes_of_kind_
  std::map<std::int64_t, std::vector<CellRun>> cells_of_region_;
  std::vector<CellRun>* members_ = nullptr;  // of the last cell's region
  std::int64_t last_id_ = 0;
  std::map<std::pair<std::int64_t, CellKind>, NamedCells> surfaces_;
};

MeshData mesh_of(UnstructuredGrid grid, const std::string& path, std::vector<std::string>& said) {
  check_counts(grid, path);
  GridMesh reader(std::move(grid), path, said);
  reader.read();
  return reader.take();
}

UnstructuredGrid grid_with(const std::string& path, const std::string& array) {
  return read_grid(path, path.ends_with(".pvtu") ? VtkFormat::parallel : VtkFormat::xml, array);
}

}  // namespace

std::vector<std::string> vtu_fields(const std::string& path) {
  const UnstructuredGrid grid = grid_with(path, {});
  std::vector<std::string> names = grid.point_array_names;
  std::ranges::copy(grid.cell_array_names, std::back_inserter(names));
  return names;
}

VtuField read_vtu_field(const std::string& path, const std::string& array, FieldPlace place, bool structures) {
  std::vector<std::string> unsaid;
  UnstructuredGrid grid = grid_with(path, array);
  const bool at_nodes = grid.point_arrays.contains(array) && place != FieldPlace::cells,
             in_cells = grid.cell_arrays.contains(array) && place != FieldPlace::nodes &&
                        (place != FieldPlace::nodes_first || !at_nodes);
  if (at_nodes && in_cells)
    throw Error(Exit::input, fmt::format("'{}' has fields '{}' at its points and in its cells", path, array), {},
                "say which one: at = \"nodes\" or at = \"cells\"");
  if (!at_nodes && !in_cells) {
    std::vector<std::string> names;
    if (place != FieldPlace::cells) names = grid.point_array_names;
    if (place != FieldPlace::nodes) std::ranges::copy(grid.cell_array_names, std::back_inserter(names));
    const std::string near = nearest_match(array, names);
    throw Error(Exit::input,
                fmt::format("'{}' has no field '{}' {}", path, array,
                            place == FieldPlace::nodes   ? "at its points"
                            : place == FieldPlace::cells ? "in its cells"
                                                         : "at its points or in its cells"),
                names.empty() ? "it has none at all" : fmt::format("it has {}", quoted_list(names)),
                near.empty() ? "name one of them" : fmt::format("did you mean '{}'?", near));
  }
  check_counts(grid, path);
  const GridArray values = in_cells ? grid.cell_arrays.at(array) : grid.point_arrays.at(array);
  GridMesh reader(std::move(grid), path, unsaid, structures);
  reader.read();
  VtuField field{.mesh = {}, .in_cells = in_cells, .components = values.components, .values = {}};
  field.values = in_cells ? reader.in_cells(values) : reader.at_nodes(values);
  field.mesh = reader.take();
  return field;
}

MeshData read_vtu(const std::string& path, std::vector<std::string>* notices, VtkFormat format) {
  std::vector<std::string> own_notices;
  return mesh_of(format == VtkFormat::legacy ? read_legacy_vtk(path) : read_grid(path, format), path,
                 notices != nullptr ? *notices : own_notices);
}

}  // namespace ritz
