#include "io/vtk/vtk_library.hpp"

#include "io/files/mapped_file.hpp"
#include "io/meshes/flat_mesh.hpp"
#include "io/meshes/foreign_cells.hpp"
#include "io/meshes/raw_mesh.hpp"
#include "io/vtk/vtk_errors.hpp"
#include "mesh/lagrange_cells.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <algorithm>
#include <map>
#include <new>
#include <optional>

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkStringArray.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridReader.h>
#include <vtkXMLPUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <fmt/core.h>

namespace ritz {
namespace {

// VTK's Lagrange cells of order 1 and 2 have the node orders of the older cells.
const CellTraits* cell_of(int vtk_type, int node_count) {
  constexpr int lagrange_curve = 68;
  struct Lagrange {
    int type, dimension, corner_count;
  };
  constexpr std::array lagrange{Lagrange{lagrange_curve, 1, 2},
                                Lagrange{69, 2, 3},
                                Lagrange{70, 2, 4},
                                Lagrange{71, 3, 4},
                                Lagrange{72, 3, 8},
                                Lagrange{73, 3, 6}};
  for (const CellKind kind : all_cell_kinds()) {
    const CellTraits& cell = traits(kind);
    if (cell.node_count != node_count) continue;
    if (cell.vtk_type == vtk_type) return &cell;
    for (const Lagrange& other : lagrange)
      if (other.type == vtk_type && other.dimension == cell.dimension && other.corner_count == cell.corner_count)
        return &cell;
  }
  return nullptr;
}

// Lagrange cells of order 3 and more; VTK has no such pyramids.
struct HighOrderCell {
  CellKind kind;  // that they are taken as
  int order;
};
std::optional<HighOrderCell> high_order_cell(int vtk_type, int node_count) {
  constexpr int cubic_line = 35, highest_order = 10;
  using enum CellKind;
  for (const CellKind shape : {line2, tri3, quad4, tet4, hex8, prism6})
    for (int order = 3; order <= highest_order; ++order) {
      const LagrangeType type = lagrange_type(shape, order);
      if (type.node_count == node_count &&
          (type.vtk_type == vtk_type || (vtk_type == cubic_line && shape == line2 && order == 3)))
        return HighOrderCell{complete_quadratic(shape), order};
    }
  return std::nullopt;
}

// A count that the file cannot hold would make VTK allocate without limit.
void refuse_absurd_counts(const std::string& path) {
  const MappedFile file(path, false);
  const std::string_view bytes = file.bytes();
  constexpr std::int64_t best_compression = 1100;  // of zlib
  for (const char* name : {"NumberOfPoints=\"", "NumberOfCells=\""}) {
    const std::size_t found = bytes.substr(0, 1 << 16).find(name);
    if (found == std::string_view::npos) continue;
    const char* start = bytes.data() + found + std::string_view(name).size();
    std::int64_t count = -1;
    const auto [stop, error] = std::from_chars(start, bytes.data() + bytes.size(), count);
    if (error != std::errc{} || count < 0 || count > static_cast<std::int64_t>(bytes.size()) * best_compression)
      throw Error(
          Exit::mesh,
          fmt::format("'{}' announces {}{}\" in {} bytes", path, name, std::string_view(start, stop), bytes.size()),
          "the file cannot hold that many", "write the file again");
  }
}

// The same for legacy files, whose counts stand behind words at the start of a line.
void refuse_absurd_legacy_counts(const std::string& path) {
  const MappedFile file(path, false);
  const std::string_view bytes = file.bytes();
  for (const std::string_view word :
       {"\nPOINTS ", "\nCELLS ", "\nCELL_TYPES ", "\nPOINT_DATA ", "\nCELL_DATA ", "\nFIELD "})
    for (std::size_t at = 0; (at = bytes.find(word, at)) != std::string_view::npos; at += word.size()) {
      const char* start = bytes.data() + at + word.size();
      std::int64_t count = 0;
      const auto [stop, error] = std::from_chars(start, bytes.data() + bytes.size(), count);
      if (error == std::errc::result_out_of_range || count < 0 || count > static_cast<std::int64_t>(bytes.size()))
        throw Error(Exit::mesh,
                    fmt::format("'{}' announces{}{} in {} bytes", path, word.substr(1), std::string_view(start, stop),
                                bytes.size()),
                    "the file cannot hold that many", "write the file again");
    }
}

template <class Reader>
vtkSmartPointer<vtkUnstructuredGrid> run(Reader& reader, const std::string& path) {
  const VtkErrors errors;
  try {
    reader.Update();
  } catch (const std::bad_alloc&) {
    throw Error(Exit::mesh, fmt::format("'{}' asks for more memory than there is", path), "its counts may be damaged",
                "write the file again");
  }
  if (!errors.text().empty() || reader.GetErrorCode() != 0)
    throw Error(Exit::mesh, fmt::format("VTK cannot read '{}'", path), errors.text(), "write the file again");
  return vtkUnstructuredGrid::SafeDownCast(reader.GetOutput());
}

template <class Reader>
vtkSmartPointer<vtkUnstructuredGrid> read_xml(const std::string& path, bool& has_pieces) {
  refuse_absurd_counts(path);
  vtkNew<Reader> reader;
  reader->SetFileName(path.c_str());
  {
    const VtkErrors errors;
    if (reader->CanReadFile(path.c_str()) == 0)
      throw Error(Exit::mesh, fmt::format("'{}' is not an unstructured grid of VTK", path),
                  "it is no VTK XML file, or of another type (poly data, structured grid), or it is damaged",
                  "save it as an unstructured grid (.vtu), for example with ParaView");
  }
  auto grid = run(*reader, path);
  if constexpr (requires { reader->GetNumberOfPieces(); }) has_pieces = reader->GetNumberOfPieces() > 1;
  else has_pieces = true;
  return grid;
}

vtkSmartPointer<vtkUnstructuredGrid> read_legacy(const std::string& path) {
  refuse_absurd_legacy_counts(path);
  vtkNew<vtkUnstructuredGridReader> reader;
  reader->SetFileName(path.c_str());
  reader->ReadAllScalarsOn();
  {
    const VtkErrors errors;
    if (reader->IsFileUnstructuredGrid() == 0)
      throw Error(Exit::mesh, fmt::format("'{}' is not an unstructured grid of VTK", path),
                  "it is of another type (poly data, structured grid), or it is damaged",
                  "save it as an unstructured grid, for example with ParaView");
  }
  return run(*reader, path);
}

// Pieces of a file repeat the points between them. Returns the new number of each point.
std::vector<Node> join_pieces(std::vector<double>& points, const std::string& path, std::vector<std::string>& notices) {
  Index joined = 0;
  std::vector<Node> number = join_points(points, joined);
  if (joined > 0) notices.push_back(fmt::format("{} points that the pieces of '{}' share were joined", joined, path));
  return number;
}

std::vector<double> points_of(vtkUnstructuredGrid& grid) {
  std::vector<double> points(3 * static_cast<std::size_t>(grid.GetNumberOfPoints()));
  if (const auto* doubles = vtkDoubleArray::SafeDownCast(grid.GetPoints()->GetData());
      doubles != nullptr && !points.empty()) {
    std::copy_n(const_cast<vtkDoubleArray*>(doubles)->GetPointer(0), points.size(), points.data());
    return points;
  }
  for (vtkIdType point = 0; point < grid.GetNumberOfPoints(); ++point)
    grid.GetPoints()->GetPoint(point, points.data() + 3 * point);
  return points;
}

// Numbers of regions; a quantity of the same name, such as a share of a material, is none.
bool holds_whole_numbers(vtkDataArray& array) {
  if (array.GetDataType() != VTK_FLOAT && array.GetDataType() != VTK_DOUBLE) return true;
  for (vtkIdType i = 0; i < array.GetNumberOfTuples(); ++i)
    if (const double value = array.GetTuple1(i); !(std::abs(value) < 1e15) || value != std::floor(value)) return false;
  return true;
}

vtkDataArray* region_array(vtkUnstructuredGrid& grid) {
  for (const char* name :
       {"region", "material", "MaterialIds", "gmsh:physical", "CellEntityIds", "attribute", "medit:ref"})
    if (vtkDataArray* array = grid.GetCellData()->GetArray(name);
        array != nullptr && array->GetNumberOfComponents() == 1 && holds_whole_numbers(*array))
      return array;
  return nullptr;
}

// Our own writer names its regions; others only number them.
std::string region_name(vtkUnstructuredGrid& grid, std::int64_t id) {
  auto* names = vtkStringArray::SafeDownCast(grid.GetFieldData()->GetAbstractArray("region_names"));
  if (names != nullptr && id >= 1 && id <= names->GetNumberOfValues()) return names->GetValue(id - 1);
  return fmt::format("region_{}", id);
}

// The regions that our own writer put into tables; empty when there are none. `cell_number` [cell of the file] is the
// number in the mesh, or -1.
std::vector<Region> regions_of_tables(vtkUnstructuredGrid& grid, const std::vector<Index>& cell_number,
                                      const std::string& path) {
  std::vector<Region> regions;
  auto* names = vtkStringArray::SafeDownCast(grid.GetFieldData()->GetAbstractArray("region_table_names"));
  if (names == nullptr) return regions;
  const auto fail = [&](vtkIdType i, const char* what) {
    throw Error(Exit::mesh,
                fmt::format("the table of region '{}' in '{}' {}", std::string(names->GetValue(i)), path, what), "",
                "write the file again");
  };
  constexpr std::array kinds{"cells", "facets", "nodes"};
  for (vtkIdType i = 0; i < names->GetNumberOfValues(); ++i)
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      vtkDataArray* table = grid.GetFieldData()->GetArray(fmt::format("region_table_{}_{}", kinds[k], i).c_str());
      if (table == nullptr) continue;
      Region region{names->GetValue(i), static_cast<RegionKind>(k), {}, {}, {}};
      const auto value = [&](vtkIdType entry) { return static_cast<Index>(table->GetTuple1(entry)); };
      const auto cell = [&](vtkIdType entry) {
        const Index number = value(entry);
        if (number < 0 || number >= std::ssize(cell_number) || cell_number[static_cast<std::size_t>(number)] < 0)
          fail(i, "names a cell that is not there");
        return cell_number[static_cast<std::size_t>(number)];
      };
      if (table->GetNumberOfComponents() != 1) fail(i, "has several components");
      const vtkIdType count = table->GetNumberOfTuples();
      if (region.kind == RegionKind::facets && count % 2 != 0) fail(i, "has an odd number of entries");
      for (vtkIdType entry = 0; entry < count; ++entry) {
        if (region.kind == RegionKind::cells) region.cells.push_back(cell(entry));
        else if (region.kind == RegionKind::nodes) region.nodes.push_back(static_cast<Node>(value(entry)));
        else if (entry % 2 == 0) region.facets.push_back({cell(entry), static_cast<int>(value(entry + 1))});
      }
      sort_unique(region.cells);
      sort_unique(region.nodes);
      regions.push_back(std::move(region));
    }
  return regions;
}

// VTK's connectivity, whichever width its numbers have: its own access by cell copies each list.
class Connectivity {
 public:
  explicit Connectivity(vtkUnstructuredGrid& grid) : point_count_(grid.GetNumberOfPoints()) {
    vtkCellArray& cells = *grid.GetCells();
    if (cells.IsStorage64Bit()) {
      wide_ = cells.GetConnectivityArray64()->GetPointer(0);
      wide_offsets_ = cells.GetOffsetsArray64()->GetPointer(0);
    } else {
      narrow_ = cells.GetConnectivityArray32()->GetPointer(0);
      narrow_offsets_ = cells.GetOffsetsArray32()->GetPointer(0);
    }
  }
  Index node_count(vtkIdType cell) const { return offset(cell + 1) - offset(cell); }
  // Copies the nodes of a cell; throws for points that are not there.
  void nodes_of(vtkIdType cell, std::span<Node> nodes, const std::string& path) const {
    const Index first = offset(cell);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto at = static_cast<std::size_t>(first) + i;
      const Index point = wide_ != nullptr ? static_cast<Index>(wide_[at]) : static_cast<Index>(narrow_[at]);
      if (point < 0 || point >= point_count_)
        throw Error(Exit::mesh, fmt::format("cell {} of '{}' uses point {}", cell, path, point),
                    fmt::format("there are {} points, numbered from 0", point_count_), "write the file again");
      nodes[i] = static_cast<Node>(point);
    }
  }

 private:
  Index offset(vtkIdType cell) const {
    return wide_ != nullptr ? static_cast<Index>(wide_offsets_[cell]) : static_cast<Index>(narrow_offsets_[cell]);
  }
  Index point_count_;
  const vtkTypeInt64 *wide_ = nullptr, *wide_offsets_ = nullptr;
  const vtkTypeInt32 *narrow_ = nullptr, *narrow_offsets_ = nullptr;
};

struct Cells {
  std::vector<const CellTraits*> kinds;  // of each cell
  std::map<CellKind, Index> counts;
  NodeSets node_sets;  // of cells of order 3 and more
  int dimension = 0;
  bool has_high_order() const {
    return std::ranges::any_of(node_sets, [](const NodeSet& set) { return !set.nodes.empty(); });
  }
};

// Cells of one kind and of several orders cannot be told apart later; nor have we cells of one order in one direction
// and another in the next.
const CellTraits* take_high_order(const HighOrderCell& cell, bool equal_degrees, Cells& cells) {
  NodeSet& set = cells.node_sets[static_cast<std::size_t>(cell.kind)];
  if (!equal_degrees || (set.order != cell.order && cells.counts.contains(cell.kind))) return nullptr;
  if (set.nodes.empty()) set = {cell.order, lagrange_nodes(traits(cell.kind).linear, cell.order)};
  return &traits(cell.kind);
}

Cells kinds_of(vtkUnstructuredGrid& grid, const Connectivity& connectivity, const std::string& path) {
  Cells cells;
  std::map<std::pair<int, int>, Index> unsupported;
  std::pair<int, int> last{-1, -1};
  vtkDataArray* degrees = grid.GetCellData()->GetHigherOrderDegrees();
  const auto equal_degrees = [degrees](vtkIdType cell, int dimension) {
    for (int axis = 1; degrees != nullptr && axis < std::min(dimension, degrees->GetNumberOfComponents()); ++axis)
      if (degrees->GetComponent(cell, axis) != degrees->GetComponent(cell, 0)) return false;
    return true;
  };
  bool is_high = false;
  Index* counted = nullptr;
  CellKind counted_kind{};
  cells.kinds.reserve(static_cast<std::size_t>(grid.GetNumberOfCells()));
  const CellTraits* kind = nullptr;
  for (vtkIdType cell = 0; cell < grid.GetNumberOfCells(); ++cell) {
    const int type = grid.GetCellType(cell);
    const auto node_count = static_cast<int>(connectivity.node_count(cell));
    if (last != std::pair(type, node_count) || is_high) {
      kind = cell_of(type, node_count);
      const auto high = kind == nullptr ? high_order_cell(type, node_count) : std::nullopt;
      is_high = high.has_value();
      if (high) kind = take_high_order(*high, equal_degrees(cell, traits(high->kind).dimension), cells);
      else if (kind != nullptr && !cells.node_sets[static_cast<std::size_t>(kind->kind)].nodes.empty()) kind = nullptr;
    }
    last = {type, node_count};
    if (kind == nullptr) ++unsupported[{type, node_count}];
    else cells.dimension = std::max(cells.dimension, kind->dimension);
    cells.kinds.push_back(kind);
    if (kind == nullptr) continue;
    if (counted == nullptr || counted_kind != kind->kind) counted = &cells.counts[counted_kind = kind->kind];
    ++*counted;
  }
  if (unsupported.empty()) return cells;
  std::string list;
  for (const auto& [what, count] : unsupported)
    list += fmt::format("{}{} cells of VTK type {} with {} nodes", list.empty() ? "" : ", ", count, what.first,
                        what.second);
  throw Error(Exit::mesh, fmt::format("'{}' holds {}", path, list),
              cells.has_high_order() ? "Ritz has no such cells, or none of several orders from 3 in one shape"
                                     : "Ritz has no such cells",
              "use lines, triangles, quadrilaterals, tetrahedra, hexahedra, wedges and pyramids of order 1 or 2");
}

CellsByKind nodes_by_kind(const Connectivity& connectivity, const Cells& cells, const std::vector<Node>& joined,
                          const std::string& path) {
  CellsByKind nodes;
  for (std::size_t cell = 0; cell < cells.kinds.size(); ++cell) {
    const CellKind kind = cells.kinds[cell]->kind;
    std::vector<Node>& of_kind = nodes[static_cast<std::size_t>(kind)];
    const std::size_t before = of_kind.size();
    of_kind.resize(before + static_cast<std::size_t>(file_node_count(cells.node_sets, kind)));
    connectivity.nodes_of(static_cast<vtkIdType>(cell), std::span(of_kind).subspan(before), path);
    if (!joined.empty())
      for (Node& node : std::span(of_kind).subspan(before)) node = joined[static_cast<std::size_t>(node)];
  }
  return nodes;
}

CellBlock& block_of(MeshData& data, CellKind kind) {
  for (CellBlock& block : data.blocks)
    if (block.kind == kind) return block;
  data.blocks.push_back({kind, {}, 0});
  return data.blocks.back();
}

}  // namespace

MeshData with_vtk::read(const std::string& path, std::vector<std::string>& said, VtkFormat format) {
  bool has_pieces = false;
  const vtkSmartPointer<vtkUnstructuredGrid> grid = format == VtkFormat::legacy ? read_legacy(path)
                                                    : format == VtkFormat::parallel
                                                        ? read_xml<vtkXMLPUnstructuredGridReader>(path, has_pieces)
                                                        : read_xml<vtkXMLUnstructuredGridReader>(path, has_pieces);
  if (grid->GetNumberOfCells() == 0)
    throw Error(Exit::mesh, fmt::format("'{}' holds no cells", path),
                fmt::format("it has {} points", grid->GetNumberOfPoints()), "check what was exported");
  if (grid->GetNumberOfPoints() > std::numeric_limits<Node>::max())
    throw Error(Exit::mesh, fmt::format("'{}' holds {} points", path, grid->GetNumberOfPoints()),
                "Ritz numbers nodes with 31 bits");
  const Connectivity connectivity(*grid);
  const Cells cells = kinds_of(*grid, connectivity, path);
  vtkDataArray* regions = region_array(*grid);
  const vtkUnsignedCharArray* ghosts = format == VtkFormat::parallel ? grid->GetCellGhostArray() : nullptr;

  MeshData data;
  data.source = path;
  data.dimension = cells.dimension;
  if (grid->GetPoints() == nullptr)
    throw Error(Exit::mesh, fmt::format("'{}' holds cells but no points", path), "it may have been cut short",
                "write the file again");
  data.points = points_of(*grid);
  const std::vector<Node> joined = has_pieces ? join_pieces(data.points, path, said) : std::vector<Node>();
  CellsByKind nodes_of_kind;
  LoweredCells lowered;
  if (cells.has_high_order()) {
    nodes_of_kind = nodes_by_kind(connectivity, cells, joined, path);
    lowered = lower_order(nodes_of_kind, cells.node_sets, data.points, KeepMaps::where_they_differ, path, said);
  }
  std::array<Index, cell_kind_count> next{};  // [kind]: number of the next cell in `nodes_of_kind`
  std::map<std::int64_t, std::vector<CellRun>> cells_of_region;
  std::vector<CellRun>* members = nullptr;  // of the last cell's region
  std::int64_t last_id = 0;
  std::map<std::pair<std::int64_t, CellKind>, NamedCells> surfaces;
  for (vtkIdType cell = 0; cell < grid->GetNumberOfCells(); ++cell) {
    const CellTraits& kind = *cells.kinds[static_cast<std::size_t>(cell)];
    const Index number = next[static_cast<std::size_t>(kind.kind)]++;
    if (ghosts != nullptr && (ghosts->GetValue(cell) & vtkDataSetAttributes::DUPLICATECELL) != 0) continue;
    Node numbers[27];
    const std::span<Node> nodes(numbers, static_cast<std::size_t>(kind.node_count));
    if (!lowered.unneeded.empty()) {
      std::copy_n(nodes_of_kind[static_cast<std::size_t>(kind.kind)].begin() + number * kind.node_count, nodes.size(),
                  nodes.begin());
    } else {
      connectivity.nodes_of(cell, nodes, path);
      if (!joined.empty())
        for (Node& node : nodes) node = joined[static_cast<std::size_t>(node)];
    }
    const auto id = regions != nullptr ? static_cast<std::int64_t>(regions->GetTuple1(cell)) : 0;
    if (kind.dimension == data.dimension) {
      CellBlock& block = block_of(data, kind.kind);
      if (block.nodes.empty())
        block.nodes.reserve(static_cast<std::size_t>(cells.counts.at(kind.kind) * kind.node_count));
      if (regions != nullptr) {
        if (members == nullptr || id != last_id) members = &cells_of_region[id];
        last_id = id;
        append(*members, {kind.kind, block.cell_count(), 1});
      }
      block.curved.append(lowered.curved[static_cast<std::size_t>(kind.kind)], number, block.cell_count());
      block.nodes.insert(block.nodes.end(), nodes.begin(), nodes.end());
    } else if (regions != nullptr && kind.dimension > 0 && kind.dimension == data.dimension - 1) {
      NamedCells& surface = surfaces[{id, kind.kind}];
      surface.names = {region_name(*grid, id)};
      surface.cells.kind = kind.kind;
      surface.cells.nodes.insert(surface.cells.nodes.end(), nodes.begin(), nodes.end());
    } else if (regions != nullptr) {
      Region& region = region_named(data, region_name(*grid, id), RegionKind::nodes);
      region.nodes.insert(region.nodes.end(), nodes.begin(), nodes.end());
    }
  }
  number_blocks(data);
  flatten_plane_mesh(data, said);
  if (grid->GetFieldData()->GetAbstractArray("region_table_names") != nullptr) {
    std::vector<Index> cell_number;
    std::map<CellKind, Index> next;
    for (const CellTraits* kind : cells.kinds)
      cell_number.push_back(
          kind->dimension == data.dimension ? block_of(data, kind->kind).first_cell + next[kind->kind]++ : -1);
    data.regions = regions_of_tables(*grid, cell_number, path);
    drop_points(data, lowered.unneeded);
    add_region_all(data);
    return data;
  }
  const bool own_file = grid->GetFieldData()->GetAbstractArray("region_names") != nullptr;
  for (const auto& [id, runs] : cells_of_region) {
    if (own_file && id == 0) continue;  // cells of no region
    Region& region = region_named(data, region_name(*grid, id), RegionKind::cells);
    for (const CellRun& run : runs)
      for (Index i = 0; i < run.count; ++i) region.cells.push_back(block_of(data, run.kind).first_cell + run.first + i);
    sort_unique(region.cells);
  }
  std::vector<NamedCells> named;
  for (auto& [key, surface] : surfaces) named.push_back(std::move(surface));
  add_facet_regions(data, named, said);
  for (Region& region : data.regions) sort_unique(region.nodes);
  drop_points(data, lowered.unneeded);
  if (regions == nullptr)
    said.push_back(fmt::format("'{}' has no cell array 'region': its only region is 'all'", path));
  add_region_all(data);
  return data;
}

}  // namespace ritz
