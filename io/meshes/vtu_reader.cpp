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
      throw Error(ErrorKind::mesh_reference, fmt::format("the table of region '{}' in '{}' {}", names[i], path, what),
                  "", "write the file again");
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
    throw Error(ErrorKind::mesh_without_cells, fmt::format("'{}' holds no cells", path),
                fmt::format("it has {} points", grid.points.size() / 3), "check what was exported");
  if (grid.points.size() / 3 > std::numeric_limits<Node>::max())
    throw Error(ErrorKind::mesh_too_large, fmt::format("'{}' holds {} points", path, grid.points.size() / 3),
                "Ritz numbers nodes with 31 bits");
  if (grid.points.empty())
    throw Error(ErrorKind::mesh_without_cells, fmt::format("'{}' holds cells but no points", path),
                "it may have been cut short", "write the file again");
  const GridArray* regions = region_array(grid);
  for (const std::size_t count : {regions != nullptr ? regions->values.size() : grid.types.size(),
                                  grid.ghosts.empty() ? grid.types.size() : grid.ghosts.size()})
    if (count != grid.types.size())
      throw Error(ErrorKind::mesh_contents,
                  fmt::format("'{}' holds {} numbers for {} cells", path, count, grid.types.size()), "",
                  "write the file again");
}

// The mesh of a grid, and the numbers there of its points and cells.
struct GridMesh {
  MeshData data;
  std::vector<Node> joined;         // [point of the grid]; empty: the same
  bool has_other_nodes = false;     // cells of order 3 or more are taken at order 2
  std::vector<Index> cell_numbers;  // [cell of the grid]; -1: none of the cells
};

// Nodes of cells as the mesh has them.
struct GridNodes {
  std::vector<Node> joined;  // [point of the grid]; empty: the same
  CellsByKind by_kind;       // [kind][cell][node] where `lowered` has some
  LoweredCells lowered;
};

// Cells by the number of their region.
struct RegionCells {
  std::map<std::int64_t, std::vector<CellRun>> cells;
  std::map<std::pair<std::int64_t, CellKind>, NamedCells> surfaces;
};

// new_number [entry of the array]; -1: it is left out
template <class Number>
std::vector<double> renumbered(const GridArray& array, const std::vector<Number>& new_number, std::size_t count) {
  const auto width = static_cast<std::size_t>(array.components);
  std::vector<double> result(count * width);
  for (std::size_t i = 0; i < new_number.size(); ++i)
    if (new_number[i] >= 0)
      std::copy_n(array.values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  result.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(new_number[i]) * width));
  return result;
}

// Points of pieces that stand at one place have one value, or none, which is not a number.
void check_joined(const GridArray& array, const std::vector<double>& values, const GridMesh& mesh) {
  double largest = 0;
  for (const double each : array.values)
    if (std::isfinite(each)) largest = std::max(largest, std::abs(each));
  const auto width = static_cast<std::size_t>(array.components);
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const auto node = static_cast<std::size_t>(mesh.joined[i / width]);
    const double other = values[node * width + i % width];
    const double own = array.values[i];
    if (own == other || (std::isnan(own) && std::isnan(other)) || std::abs(own - other) <= 1e-6 * largest) continue;
    throw Error(ErrorKind::initial_values,
                fmt::format("'{}' has the values {:g} and {:g} at ({:g}, {:g}, {:g})", mesh.data.source, own, other,
                            mesh.data.points[3 * node], mesh.data.points[3 * node + 1], mesh.data.points[3 * node + 2]),
                "nodes of parts that touch are not told apart in pieces",
                "write those results with [output] format = \"vtu\"");
  }
}

// [node][component] of an array of the file.
std::vector<double> values_at_nodes(const GridArray& array, const GridMesh& mesh) {
  if (mesh.has_other_nodes)
    throw Error(ErrorKind::initial_values,
                fmt::format("fields of '{}', which has cells of order 3 or more", mesh.data.source),
                "its mesh is read with other nodes", "write those results with [output] cells = \"mesh\"");
  if (mesh.joined.empty()) return array.values;
  std::vector<double> values = renumbered(array, mesh.joined, mesh.data.points.size() / 3);
  check_joined(array, values, mesh);
  return values;
}

// Cells of lower dimensions in results of Ritz are parts of the body; in other files they may be its boundary.
bool has_solids_and_structures(const UnstructuredGrid& grid, const VtkCells& cells) {
  return texts_named(grid, "region_names") != nullptr && cells.dimension == 3 &&
         std::ranges::any_of(cells.counts, [](const auto& of) {
           return traits(of.first).dimension == 1 || traits(of.first).dimension == 2;
         });
}

bool is_of_structures(const std::vector<double>& x, const VtkCells& cells) {
  bool is_flat = true;
  for (std::size_t i = 2; i < x.size(); i += 3) is_flat = is_flat && x[i] == x[2];
  const bool has_lines =
      std::ranges::any_of(cells.counts, [](const auto& of) { return traits(of.first).dimension == 1; });
  return cells.dimension < 3 && (has_lines || !is_flat);
}

// Does another piece have the cell?
bool is_duplicate(const UnstructuredGrid& grid, std::size_t cell) {
  constexpr std::uint8_t duplicate = 1;  // vtkDataSetAttributes::DUPLICATECELL
  return !grid.ghosts.empty() && (grid.ghosts[cell] & duplicate) != 0;
}

void add_to_boundary(const CellTraits& kind, std::int64_t id, const std::string& name, std::span<const Node> nodes,
                     MeshData& data, RegionCells& regions) {
  if (kind.dimension > 0 && kind.dimension == data.dimension - 1) {
    NamedCells& surface = regions.surfaces[{id, kind.kind}];
    surface.names = {name};
    surface.cells.kind = kind.kind;
    surface.cells.nodes.insert(surface.cells.nodes.end(), nodes.begin(), nodes.end());
  } else {
    Region& region = region_named(data, name, RegionKind::nodes);
    region.nodes.insert(region.nodes.end(), nodes.begin(), nodes.end());
  }
}

// Cells of the mesh, and of its boundary by the numbers of their regions.
RegionCells add_cells(const UnstructuredGrid& grid, const VtkConnectivity& connectivity, const VtkCells& cells,
                      const GridNodes& from, MeshData& data) {
  const GridArray* const regions = region_array(grid);
  RegionCells result;
  std::array<Index, cell_kind_count> next{};  // [kind] number of the next cell in from.by_kind
  std::vector<CellRun>* members = nullptr;    // of the last cell's region
  std::int64_t last_id = 0;
  for (std::size_t cell = 0; cell < grid.types.size(); ++cell) {
    const CellTraits& kind = *cells.kinds[cell];
    const auto k = static_cast<std::size_t>(kind.kind);
    const Index number = next[k]++;
    if (is_duplicate(grid, cell)) continue;
    Node numbers[27];
    const std::span<Node> nodes(numbers, static_cast<std::size_t>(kind.node_count));
    if (!from.lowered.unneeded.empty()) {
      std::copy_n(from.by_kind[k].begin() + number * kind.node_count, nodes.size(), nodes.begin());
    } else {
      connectivity.nodes_of(cell, nodes);
      if (!from.joined.empty())
        for (Node& node : nodes) node = from.joined[static_cast<std::size_t>(node)];
    }
    const auto id = regions != nullptr ? static_cast<std::int64_t>(regions->values[cell]) : 0;
    if (!is_body(data, kind.kind)) {
      if (regions != nullptr) add_to_boundary(kind, id, region_name(grid, id), nodes, data, result);
      continue;
    }
    CellBlock& block = block_of(data, kind.kind);
    if (block.nodes.empty())
      block.nodes.reserve(static_cast<std::size_t>(cells.counts.at(kind.kind) * kind.node_count));
    if (regions != nullptr) {
      if (members == nullptr || id != last_id) members = &result.cells[id];
      last_id = id;
      append(*members, {kind.kind, block.cell_count(), 1});
    }
    block.curved.append(from.lowered.curved[k], number, block.cell_count());
    block.nodes.insert(block.nodes.end(), nodes.begin(), nodes.end());
  }
  return result;
}

// [cell of the file] its number in the mesh; -1: it is none of its cells.
std::vector<Index> cell_numbers(const UnstructuredGrid& grid, const VtkCells& cells, const MeshData& data) {
  std::vector<Index> numbers;
  std::map<CellKind, Index> next;
  for (std::size_t cell = 0; cell < cells.kinds.size(); ++cell) {
    const CellTraits& kind = *cells.kinds[cell];
    const bool is_there = is_body(data, kind.kind) && !is_duplicate(grid, cell);
    numbers.push_back(
        is_there ? std::ranges::find(data.blocks, kind.kind, &CellBlock::kind)->first_cell + next[kind.kind]++ : -1);
  }
  return numbers;
}

void add_numbered_regions(const UnstructuredGrid& grid, RegionCells regions, MeshData& data,
                          std::vector<std::string>& said) {
  const bool own_file = texts_named(grid, "region_names") != nullptr;
  for (const auto& [id, runs] : regions.cells) {
    if (own_file && id == 0) continue;  // cells of no region
    Region& region = region_named(data, region_name(grid, id), RegionKind::cells);
    for (const CellRun& run : runs)
      for (Index i = 0; i < run.count; ++i) region.cells.push_back(block_of(data, run.kind).first_cell + run.first + i);
    sort_unique(region.cells);
  }
  std::vector<NamedCells> named;
  for (auto& [key, surface] : regions.surfaces) named.push_back(std::move(surface));
  add_facet_regions(data, named, said);
  for (Region& region : data.regions) sort_unique(region.nodes);
}

struct GridUse {
  bool structures = false;     // lines and surfaces may be bodies
  bool cells_by_grid = false;  // GridMesh::cell_numbers are needed
};

GridMesh mesh_of(UnstructuredGrid grid, const std::string& path, std::vector<std::string>& said, const GridUse& use) {
  check_counts(grid, path);
  const VtkConnectivity connectivity(grid, path);
  const VtkCells cells = cells_of(grid, connectivity, path);
  GridMesh mesh;
  MeshData& data = mesh.data;
  data.source = path;
  data.points = std::move(grid.points);
  data.structural = use.structures && (is_of_structures(data.points, cells) || has_solids_and_structures(grid, cells));
  data.dimension = data.structural ? 3 : cells.dimension;
  GridNodes nodes;
  if (grid.has_pieces) nodes.joined = join_pieces(data.points, path, said);
  if (cells.has_high_order()) {
    nodes.by_kind = nodes_by_kind(connectivity, cells, nodes.joined);
    nodes.lowered = lower_order(nodes.by_kind, cells.node_sets, data.points, KeepMaps::where_they_differ, path, said);
  }
  RegionCells regions = add_cells(grid, connectivity, cells, nodes, data);
  number_blocks(data);
  flatten_plane_mesh(data, said);
  const std::vector<std::string>* tables = texts_named(grid, "region_table_names");
  if (tables != nullptr || use.cells_by_grid) mesh.cell_numbers = cell_numbers(grid, cells, data);
  if (tables != nullptr) data.regions = regions_of_tables(grid, *tables, mesh.cell_numbers, path);
  else add_numbered_regions(grid, std::move(regions), data, said);
  drop_points(data, nodes.lowered.unneeded);
  if (tables == nullptr && region_array(grid) == nullptr)
    said.push_back(fmt::format("'{}' has no cell array 'region': its only region is 'all'", path));
  add_region_all(data);
  mesh.has_other_nodes = !nodes.lowered.unneeded.empty();
  mesh.joined = std::move(nodes.joined);
  return mesh;
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
    throw Error(ErrorKind::initial_values,
                fmt::format("'{}' has fields '{}' at its points and in its cells", path, array), {},
                "say which one: at = \"nodes\" or at = \"cells\"");
  if (!at_nodes && !in_cells) {
    std::vector<std::string> names;
    if (place != FieldPlace::cells) names = grid.point_array_names;
    if (place != FieldPlace::nodes) std::ranges::copy(grid.cell_array_names, std::back_inserter(names));
    const std::string near = nearest_match(array, names);
    throw Error(ErrorKind::initial_values,
                fmt::format("'{}' has no field '{}' {}", path, array,
                            place == FieldPlace::nodes   ? "at its points"
                            : place == FieldPlace::cells ? "in its cells"
                                                         : "at its points or in its cells"),
                names.empty() ? "it has none at all" : fmt::format("it has {}", quoted_list(names)),
                near.empty() ? "name one of them" : fmt::format("did you mean '{}'?", near));
  }
  const GridArray values = in_cells ? grid.cell_arrays.at(array) : grid.point_arrays.at(array);
  GridMesh mesh = mesh_of(std::move(grid), path, unsaid, {structures, in_cells});
  VtuField field{.mesh = {}, .in_cells = in_cells, .components = values.components, .values = {}};
  field.values = in_cells ? renumbered(values, mesh.cell_numbers, static_cast<std::size_t>(cell_count(mesh.data)))
                          : values_at_nodes(values, mesh);
  field.mesh = std::move(mesh.data);
  return field;
}

MeshData read_vtu(const std::string& path, std::vector<std::string>* notices, VtkFormat format) {
  std::vector<std::string> own_notices;
  return mesh_of(format == VtkFormat::legacy ? read_legacy_vtk(path) : read_grid(path, format), path,
                 notices != nullptr ? *notices : own_notices, {})
      .data;
}

}  // namespace ritz
