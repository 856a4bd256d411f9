// VTK's own reader of its XML files, in the module ritz_vtk: what a file says becomes plain arrays. It runs in a child
// process (io/files/child_process.hpp).
#include "io/vtk/vtk_library.hpp"

#include "device/error.hpp"
#include "io/files/mapped_file.hpp"
#include "io/vtk/vtk_errors.hpp"
#include "io/vtk/vtu_sizes.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <new>

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkStringArray.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLPUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <fmt/core.h>

namespace ritz {
namespace {

// A count that the file cannot hold would make VTK allocate without limit.
void require_plausible_counts(const std::string& path) {
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
          ErrorKind::mesh_contents,
          fmt::format("'{}' announces {}{}\" in {} bytes", path, name, std::string_view(start, stop), bytes.size()),
          "the file cannot hold that many", "write the file again");
  }
}

template <class Reader>
vtkSmartPointer<vtkUnstructuredGrid> run(Reader& reader, const std::string& path) {
  const VtkErrors errors;
  try {
    reader.Update();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::mesh_unreadable, fmt::format("'{}' asks for more memory than there is", path),
                "its counts may be damaged", "write the file again");
  }
  if (!errors.text().empty() || reader.GetErrorCode() != 0)
    throw Error(ErrorKind::mesh_contents, fmt::format("VTK cannot read '{}'", path), errors.text(),
                "write the file again");
  return vtkUnstructuredGrid::SafeDownCast(reader.GetOutput());
}

template <class Reader>
vtkSmartPointer<vtkUnstructuredGrid> read_xml(const std::string& path, bool& has_pieces) {
  require_plausible_counts(path);
  vtkNew<Reader> reader;
  reader->SetFileName(path.c_str());
  {
    const VtkErrors errors;
    if (reader->CanReadFile(path.c_str()) == 0)
      throw Error(ErrorKind::mesh_format, fmt::format("'{}' is not an unstructured grid of VTK", path),
                  "it is no VTK XML file, or of another type (poly data, structured grid), or it is damaged",
                  "save it as an unstructured grid (.vtu), for example with ParaView");
  }
  auto grid = run(*reader, path);
  check_array_sizes(MappedFile(path, false).bytes(), path);
  if constexpr (requires { reader->GetNumberOfPieces(); }) has_pieces = reader->GetNumberOfPieces() > 1;
  else has_pieces = true;
  return grid;
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

GridArray numbers_of(vtkDataArray& array) {
  const int components = array.GetNumberOfComponents();
  GridArray numbers{components, std::vector<double>(static_cast<std::size_t>(array.GetNumberOfTuples() * components))};
  for (vtkIdType tuple = 0; tuple < array.GetNumberOfTuples(); ++tuple)
    array.GetTuple(tuple, numbers.values.data() + tuple * components);
  return numbers;
}

template <class Number>
std::vector<std::int64_t> widened(const Number* numbers, vtkIdType count) {
  return {numbers, numbers + count};
}

void take_cells(vtkUnstructuredGrid& from, UnstructuredGrid& grid) {
  vtkCellArray& cells = *from.GetCells();
  const vtkIdType lists = cells.GetNumberOfOffsets(), numbers = cells.GetNumberOfConnectivityIds();
  if (cells.IsStorage64Bit()) {
    grid.offsets = widened(cells.GetOffsetsArray64()->GetPointer(0), lists);
    grid.connectivity = widened(cells.GetConnectivityArray64()->GetPointer(0), numbers);
  } else {
    grid.offsets = widened(cells.GetOffsetsArray32()->GetPointer(0), lists);
    grid.connectivity = widened(cells.GetConnectivityArray32()->GetPointer(0), numbers);
  }
  grid.types.resize(static_cast<std::size_t>(from.GetNumberOfCells()));
  for (vtkIdType cell = 0; cell < from.GetNumberOfCells(); ++cell)
    grid.types[static_cast<std::size_t>(cell)] = static_cast<std::uint8_t>(from.GetCellType(cell));
}

void take_array(vtkFieldData& from, const std::string& name, std::map<std::string, GridArray>& arrays,
                std::vector<std::string>& names) {
  for (int i = 0; i < from.GetNumberOfArrays(); ++i)
    if (const char* each = from.GetArrayName(i); each != nullptr) names.emplace_back(each);
  vtkDataArray* array = name.empty() ? nullptr : vtkDataArray::SafeDownCast(from.GetAbstractArray(name.c_str()));
  if (array != nullptr) arrays[name] = numbers_of(*array);
}

void take_field_data(vtkFieldData& from, UnstructuredGrid& grid) {
  for (int i = 0; i < from.GetNumberOfArrays(); ++i) {
    vtkAbstractArray* const array = from.GetAbstractArray(i);
    if (array == nullptr || array->GetName() == nullptr || !std::string_view(array->GetName()).starts_with("region_"))
      continue;
    if (auto* const texts = vtkStringArray::SafeDownCast(array); texts != nullptr) {
      std::vector<std::string>& list = grid.field_texts[array->GetName()];
      for (vtkIdType k = 0; k < texts->GetNumberOfValues(); ++k) list.push_back(texts->GetValue(k));
    } else if (auto* const numbers = vtkDataArray::SafeDownCast(array); numbers != nullptr) {
      grid.field_arrays[array->GetName()] = numbers_of(*numbers);
    }
  }
}

}  // namespace

UnstructuredGrid with_vtk::read(const std::string& path, VtkFormat format, const std::string& array) {
  ::setenv("VTK_SMP_BACKEND_IN_USE", "Sequential", 1);  // other threads are not in the child
  UnstructuredGrid grid;
  const vtkSmartPointer<vtkUnstructuredGrid> from = format == VtkFormat::parallel
                                                        ? read_xml<vtkXMLPUnstructuredGridReader>(path, grid.has_pieces)
                                                        : read_xml<vtkXMLUnstructuredGridReader>(path, grid.has_pieces);
  if (from == nullptr) return grid;
  if (from->GetPoints() != nullptr) grid.points = points_of(*from);
  if (from->GetNumberOfCells() > 0) take_cells(*from, grid);
  for (const std::string_view name : region_array_names)
    if (vtkDataArray* regions = from->GetCellData()->GetArray(std::string(name).c_str()); regions != nullptr)
      grid.cell_arrays[std::string(name)] = numbers_of(*regions);
  take_array(*from->GetCellData(), array, grid.cell_arrays, grid.cell_array_names);
  take_array(*from->GetPointData(), array, grid.point_arrays, grid.point_array_names);
  if (vtkDataArray* degrees = from->GetCellData()->GetHigherOrderDegrees(); degrees != nullptr)
    grid.degrees = numbers_of(*degrees);
  if (vtkUnsignedCharArray* ghosts = from->GetCellGhostArray(); ghosts != nullptr && format == VtkFormat::parallel)
    grid.ghosts.assign(ghosts->GetPointer(0), ghosts->GetPointer(0) + ghosts->GetNumberOfValues());
  take_field_data(*from->GetFieldData(), grid);
  return grid;
}

}  // namespace ritz
