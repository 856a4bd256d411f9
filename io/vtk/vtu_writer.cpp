#include "io/vtk/vtk_library.hpp"

#include "device/process/stop_request.hpp"
#include "io/files/atomic_file.hpp"
#include "io/vtk/vtk_errors.hpp"
#include "io/vtk/written_cells.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include <unistd.h>

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkStringArray.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <fmt/core.h>

namespace ritz {
namespace {

// VTK reads our memory; it neither writes to it nor frees it.
template <class Array, class T>
vtkSmartPointer<Array> array_over(std::span<const T> values, int components) {
  auto array = vtkSmartPointer<Array>::New();
  array->SetNumberOfComponents(components);
  array->SetArray(const_cast<T*>(values.data()), static_cast<vtkIdType>(values.size()), 1);
  return array;
}

vtkSmartPointer<vtkPoints> points_of(std::span<const double> coordinates) {
  auto points = vtkSmartPointer<vtkPoints>::New();
  points->SetData(array_over<vtkDoubleArray>(coordinates, 3));
  return points;
}

template <class Array>
void set_cells(const WrittenCells& written, vtkCellArray& cells) {
  using Number = typename Array::ValueType;
  vtkNew<Array> offsets;
  offsets->SetNumberOfValues(written.cell_count() + 1);
  Number* offset = offsets->GetPointer(0);
  Number total = *offset++ = 0;
  for (const WrittenBlock& block : written.blocks)
    for (Index cell = 0; cell < block.cell_count(); ++cell) *offset++ = total += static_cast<Number>(block.node_count);
  if constexpr (std::is_same_v<Number, Node>)
    if (written.blocks.size() == 1 && written.blocks[0].node_count == written.blocks[0].stride) {
      cells.SetData(offsets, array_over<Array>(written.blocks[0].nodes, 1));
      return;
    }
  vtkNew<Array> connectivity;
  connectivity->SetNumberOfValues(total);
  Number* next = connectivity->GetPointer(0);
  for (const WrittenBlock& block : written.blocks)
    for (Index cell = 0; cell < block.cell_count(); ++cell) next = std::ranges::copy(block.cell(cell), next).out;
  cells.SetData(offsets, connectivity);
}

void set_cells(const WrittenCells& written, vtkUnstructuredGrid& grid) {
  vtkNew<vtkUnsignedCharArray> types;
  types->SetNumberOfValues(written.cell_count());
  unsigned char* type = types->GetPointer(0);
  std::size_t entries = 0;
  for (const WrittenBlock& block : written.blocks) {
    type = std::fill_n(type, block.cell_count(), static_cast<unsigned char>(block.vtk_type));
    entries += block.nodes.size();
  }
  vtkNew<vtkCellArray> cells;
  if (entries <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    set_cells<vtkTypeInt32Array>(written, *cells);
  else set_cells<vtkTypeInt64Array>(written, *cells);
  grid.SetPoints(points_of(written.points));
  grid.SetCells(types, cells);
}

std::vector<std::string> component_names(const Field& field) {
  if (!field.component_names.empty()) return field.component_names;
  switch (field.components) {
    case 2:
    case 3: return {"X", "Y", "Z"};
    case 6: return {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};
    case 9: return {"XX", "XY", "XZ", "YX", "YY", "YZ", "ZX", "ZY", "ZZ"};
    default: return {};
  }
}

template <class Array>
vtkSmartPointer<vtkDataArray> copied(const Field& field, int components) {
  auto array = vtkSmartPointer<Array>::New();
  const auto entries = static_cast<vtkIdType>(field.values.size()) / field.components;
  array->SetNumberOfComponents(components);
  array->SetNumberOfTuples(entries);
  auto* to = array->GetPointer(0);
  const double* from = field.values.data();
  for (vtkIdType entry = 0; entry < entries; ++entry, from += field.components, to += components)
    for (int i = 0; i < components; ++i)
      to[i] = i < field.components ? static_cast<typename Array::ValueType>(from[i]) : 0;
  return array;
}

vtkSmartPointer<vtkDataArray> array_of(const Field& field, Index entries, const char* where,
                                       const VtuOptions& options) {
  if (field.components < 1 || static_cast<Index>(field.values.size()) != entries * field.components)
    throw Error(ErrorKind::internal, fmt::format("field '{}' has {} values for {} {} of {} components", field.name,
                                                 field.values.size(), entries, where, field.components));
  const bool plane_vector = field.components == 2 && field.component_names.empty();
  const int components = plane_vector ? 3 : field.components;
  vtkSmartPointer<vtkDataArray> array;
  if (options.single_precision) array = copied<vtkFloatArray>(field, components);
  else if (plane_vector) array = copied<vtkDoubleArray>(field, components);
  else array = array_over<vtkDoubleArray>(std::span<const double>(field.values), components);
  array->SetName(field.name.c_str());
  const std::vector<std::string> names = component_names(field);
  for (std::size_t i = 0; i < names.size() && components > 1; ++i)
    array->SetComponentName(static_cast<vtkIdType>(i), names[i].c_str());
  return array;
}

void add_regions(const WrittenRegions& regions, bool with_names, vtkUnstructuredGrid& grid) {
  vtkNew<vtkStringArray> names;
  names->SetName("region_names");
  for (const std::string& name : regions.names) names->InsertNextValue(name);
  vtkNew<vtkIntArray> numbers;
  numbers->SetName("region");
  numbers->SetNumberOfValues(static_cast<vtkIdType>(regions.numbers.size()));
  std::ranges::copy(regions.numbers, numbers->GetPointer(0));
  grid.GetCellData()->AddArray(numbers);
  if (with_names) grid.GetFieldData()->AddArray(names);
}

// One array of numbers per region: cells; pairs of cell and facet; nodes. Names apart, since attributes of VTK's XML
// files are not escaped.
void add_region_tables(const Mesh& mesh, vtkUnstructuredGrid& grid) {
  vtkNew<vtkStringArray> names;
  names->SetName("region_table_names");
  for (std::size_t i = 0; i < mesh.regions().size(); ++i) {
    const Region& region = mesh.regions()[i];
    names->InsertNextValue(region.name);
    vtkNew<vtkTypeInt64Array> table;
    constexpr std::array kinds{"cells", "facets", "nodes"};
    table->SetName(fmt::format("region_table_{}_{}", kinds[static_cast<std::size_t>(region.kind)], i).c_str());
    for (const Index cell : region.cells) table->InsertNextValue(cell);
    for (const FacetOfCell& facet : region.facets) {
      table->InsertNextValue(facet.cell);
      table->InsertNextValue(facet.facet);
    }
    for (const Node node : region.nodes) table->InsertNextValue(node);
    grid.GetFieldData()->AddArray(table);
  }
  grid.GetFieldData()->AddArray(names);
}

void add_time(double time, vtkUnstructuredGrid& grid) {
  vtkNew<vtkDoubleArray> value;
  value->SetName("TimeValue");
  value->InsertNextValue(time);
  grid.GetFieldData()->AddArray(value);
}

void add_load_case(const std::string& name, vtkUnstructuredGrid& grid) {
  vtkNew<vtkStringArray> text;
  text->SetName("load_case");
  text->InsertNextValue(name);
  grid.GetFieldData()->AddArray(text);
}

void set_compression(vtkXMLWriter& writer, Compression compression) {
  switch (compression) {
    case Compression::none: return writer.SetCompressorTypeToNone();
    case Compression::lz4: return writer.SetCompressorTypeToLZ4();
    case Compression::zlib: return writer.SetCompressorTypeToZLib();
  }
}

void write_grid(const std::string& path, vtkUnstructuredGrid& grid, const VtuOptions& options) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) fail_to_write(path, std::strerror(errno));
  const RemovedWhenStopped removal(temporary_path(path));
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  const VtkErrors errors;
  writer->SetInputData(&grid);
  writer->SetFileName(temporary_path(path).c_str());
  if (options.inline_data) writer->SetDataModeToBinary();
  else writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOff();
  writer->SetHeaderTypeToUInt64();
  set_compression(*writer, options.compression);
  const bool written = writer->Write() != 0 && writer->GetErrorCode() == vtkErrorCode::NoError;
  if (written && errors.text().empty()) return;
  discard_temporary(path);
  std::string reason = errors.text();
  if (writer->GetErrorCode() == vtkErrorCode::OutOfDiskSpaceError) reason = std::strerror(ENOSPC);
  if (reason.empty()) reason = vtkErrorCode::GetStringFromErrorCode(writer->GetErrorCode());
  fail_to_write(path, reason);
}

}  // namespace

namespace {

void fill(const WrittenCells& written, std::span<const Field> point_fields, std::span<const Field> cell_fields,
          const VtuOptions& options, vtkUnstructuredGrid& grid) {
  set_cells(written, grid);
  for (const Field& field : point_fields)
    grid.GetPointData()->AddArray(array_of(field, written.point_count(), "nodes", options));
  for (const Field& field : cell_fields)
    grid.GetCellData()->AddArray(array_of(field, written.cell_count(), "cells", options));
  if (options.time) add_time(*options.time, grid);
  if (!options.load_case.empty() && !options.inline_data) add_load_case(options.load_case, grid);
}

}  // namespace

void with_vtk::write_mesh(const std::string& path, const Mesh& mesh, std::span<const Field> point_fields,
                          std::span<const Field> cell_fields, const VtuOptions& options) {
  vtkNew<vtkUnstructuredGrid> grid;
  const WrittenCells written = written_cells(mesh, options.cells);
  fill(written, point_fields, cell_fields, options, *grid);
  if (options.regions) add_regions(written_regions(mesh), !options.inline_data, *grid);
  if (options.region_tables) add_region_tables(mesh, *grid);
  write_grid(path, *grid, options);
  if (!options.staged) commit_file(path);
}

void with_vtk::write_piece(const std::string& path, const WrittenCells& cells, const WrittenRegions& regions,
                           std::span<const Field> point_fields, std::span<const Field> cell_fields,
                           const VtuOptions& options) {
  vtkNew<vtkUnstructuredGrid> grid;
  fill(cells, point_fields, cell_fields, options, *grid);
  add_regions(regions, !options.inline_data, *grid);
  write_grid(path, *grid, options);
}

void with_vtk::write_cells(const std::string& path, const MeshData& data, std::span<const Field> cell_fields) {
  vtkNew<vtkUnstructuredGrid> grid;
  const WrittenCells written = written_cells(data.points, data.blocks);
  set_cells(written, *grid);
  const VtuOptions options;
  for (const Field& field : cell_fields)
    grid->GetCellData()->AddArray(array_of(field, written.cell_count(), "cells", options));
  write_grid(path, *grid, options);
  commit_file(path);
}

}  // namespace ritz
