#include "io/results/vtkhdf_writer.hpp"

#include "device/process/stop_request.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/commit_group.hpp"
#include "io/hdf5/hdf5_file.hpp"
#include "io/vtk/written_cells.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/core.h>

namespace ritz {
namespace {

constexpr const char* root = "/VTKHDF";

std::string in_root(const std::string& name) { return fmt::format("{}/{}", root, name); }

template <class T>
Hdf5Rows owned(std::string dataset, Hdf5Type type, int columns, const std::vector<T>& values) {
  Hdf5Rows rows{.dataset = std::move(dataset),
                .type = type,
                .rows = values.size() / static_cast<std::size_t>(std::max(columns, 1)),
                .columns = columns};
  const auto bytes = std::as_bytes(std::span(values));
  rows.own.assign(bytes.begin(), bytes.end());
  return rows;
}

Hdf5Rows numbers(const std::string& name, std::vector<std::int64_t> values, int columns = 0) {
  return owned(in_root(name), Hdf5Type::int64, columns, values);
}

std::vector<std::string> cell_region_names(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const Region& region : mesh.regions())
    if (region.kind == RegionKind::cells && region.name != "all") names.push_back(region.name);
  return names;
}

// A cell of several regions shows the first; 0 is no region but "all".
std::vector<std::int32_t> cell_regions(const Mesh& mesh) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(mesh.cell_count()), 0);
  std::int32_t number = 0;
  for (const Region& region : mesh.regions()) {
    if (region.kind != RegionKind::cells || region.name == "all") continue;
    ++number;
    for (const Index cell : region.cells)
      if (numbers[static_cast<std::size_t>(cell)] == 0) numbers[static_cast<std::size_t>(cell)] = number;
  }
  return numbers;
}

// Data that is written once. `use` takes each dataset in turn, so that only one is in memory.
template <class Use>
void mesh_datasets(const Mesh& mesh, const WrittenCells& written, const Use& use) {
  std::vector<std::int64_t> connectivity, offsets{0};
  std::vector<std::uint8_t> types;
  for (const WrittenBlock& block : written.blocks)
    for (Index cell = 0; cell < block.cell_count(); ++cell) {
      const std::span<const Node> nodes = block.cell(cell);
      connectivity.insert(connectivity.end(), nodes.begin(), nodes.end());
      offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
      types.push_back(static_cast<std::uint8_t>(block.vtk_type));
    }
  use(numbers("NumberOfPoints", {written.point_count()}));
  use(numbers("NumberOfCells", {written.cell_count()}));
  use(numbers("NumberOfConnectivityIds", {static_cast<std::int64_t>(connectivity.size())}));
  use(Hdf5Rows{.dataset = in_root("Points"),
               .rows = static_cast<std::uint64_t>(written.point_count()),
               .columns = 3,
               .data = written.points.data()});
  use(numbers("Connectivity", std::move(connectivity)));
  use(numbers("Offsets", std::move(offsets)));
  use(owned(in_root("Types"), Hdf5Type::uint8, 0, types));
  use(owned(in_root("CellData/region"), Hdf5Type::int32, 0, cell_regions(mesh)));
  if (const auto names = cell_region_names(mesh); !names.empty())
    use(text_rows(in_root("FieldData/region_names"), names));
}

template <class Number>
std::vector<Number> converted(const Field& field, int columns) {
  const std::size_t entries = field.values.size() / static_cast<std::size_t>(field.components);
  std::vector<Number> result(entries * static_cast<std::size_t>(columns), 0);
  for (std::size_t entry = 0; entry < entries; ++entry)
    for (int i = 0; i < field.components; ++i)
      result[entry * static_cast<std::size_t>(columns) + static_cast<std::size_t>(i)] = static_cast<Number>(
          field.values[entry * static_cast<std::size_t>(field.components) + static_cast<std::size_t>(i)]);
  return result;
}

Hdf5Rows rows_of(const char* group, const Field& field, Index entries, bool single_precision) {
  if (field.components < 1 || static_cast<Index>(field.values.size()) != entries * field.components)
    throw Error(ErrorKind::internal, fmt::format("field '{}' has {} values for {} entries of {} components", field.name,
                                                 field.values.size(), entries, field.components));
  const bool plane_vector = field.components == 2 && field.component_names.empty();
  const int columns = plane_vector ? 3 : field.components == 1 ? 0 : field.components;
  const std::string dataset = in_root(fmt::format("{}/{}", group, field.name));
  if (single_precision)
    return owned(dataset, Hdf5Type::float32, columns, converted<float>(field, std::max(columns, 1)));
  if (plane_vector) return owned(dataset, Hdf5Type::float64, columns, converted<double>(field, columns));
  return {
      .dataset = dataset, .rows = static_cast<std::uint64_t>(entries), .columns = columns, .data = field.values.data()};
}

// The rows that a step adds to the datasets of numbers and names. The mesh is the same in every step: offsets of 0.
template <class Use>
void step_datasets(const Mesh& mesh, const WrittenCells& written, const ResultStep& step, int number, const Use& use) {
  use(owned(in_root("Steps/Values"), Hdf5Type::float64, 0, std::vector<double>{step.time}));
  for (const char* name : {"PartOffsets", "PointOffsets"}) use(numbers(fmt::format("Steps/{}", name), {0}));
  use(numbers("Steps/NumberOfParts", {1}));
  for (const char* name : {"CellOffsets", "ConnectivityIdOffsets"}) use(numbers(fmt::format("Steps/{}", name), {0}, 1));
  for (const Field& field : step.point_fields)
    use(numbers("Steps/PointDataOffsets/" + field.name, {number * written.point_count()}));
  for (const Field& field : step.cell_fields)
    use(numbers("Steps/CellDataOffsets/" + field.name, {number * mesh.cell_count()}));
  use(numbers("Steps/CellDataOffsets/region", {0}));
  if (const auto names = static_cast<std::int64_t>(cell_region_names(mesh).size()); names > 0) {
    use(numbers("Steps/FieldDataOffsets/region_names", {0}));
    use(numbers("Steps/FieldDataSizes/region_names", {1, names}, 2));
  }
  if (step.load_case.empty()) return;
  use(text_rows(in_root("FieldData/load_case"), {step.load_case}));
  use(numbers("Steps/FieldDataOffsets/load_case", {number}));
  use(numbers("Steps/FieldDataSizes/load_case", {1, 1}, 2));
}

void make_groups(Hdf5File& file) {
  file.make_group(root);
  constexpr std::array<std::int64_t, 2> version{2, 0};
  file.set_attribute(root, "Version", version);
  file.set_attribute(root, "Type", "UnstructuredGrid");
  for (const char* name : {"PointData", "CellData", "FieldData", "Steps", "Steps/PointDataOffsets",
                           "Steps/CellDataOffsets", "Steps/FieldDataOffsets", "Steps/FieldDataSizes"})
    file.make_group(in_root(name));
}

}  // namespace

VtkhdfSeries::VtkhdfSeries(std::string path, VtuOptions options, ResultFolder* folder)
    : ResultSeries(folder, path), path_(std::move(path)), options_(std::move(options)) {
  if (options_.compression == Compression::lz4)
    throw Error(ErrorKind::output_options, "the format vtkhdf has no lz4 compression",
                "HDF5 supports it only by plugins, which readers lack", "use compression = \"zlib\" or \"none\"");
}

VtkhdfSeries::~VtkhdfSeries() { discard_temporary(path_); }

std::string VtkhdfSeries::add(const Mesh& mesh, const ResultStep& step) {
  JournalEntry entry{
      .series = folder() != nullptr ? folder()->relative(path_) : path_, .step = step_count(), .time = step.time};
  try {
    if (!removal_) removal_ = std::make_unique<RemovedWhenStopped>(temporary_path(path_));
    entry.files.push_back({.path = entry.series});
    write_spare(mesh, step, entry.files.front());
    if (folder() != nullptr) folder()->make_room();
  } catch (...) {
    discard_temporary(path_);
    has_spare_ = false;
    if (step_count() == 0) growing_.clear();
    throw;
  }
  has_spare_ = step_count() > 0 ? exchange_file(path_) : (commit_file(path_), false);
  settle_file(path_);  // no group may hold back what the next step is added to
  if (step.also)
    for (JournalFile& file : step.also()) entry.files.push_back(std::move(file));
  if (folder() != nullptr) folder()->commit(std::move(entry));
  return path_;
}

void VtkhdfSeries::write_spare(const Mesh& mesh, const ResultStep& step, JournalFile& committed) {
  const std::string spare = temporary_path(path_);
  const WrittenCells written = written_cells(mesh, step.cells);
  if (step_count() > 0 && growing_.empty() && !taken_up_) {
    if (folder() != nullptr) path_within(folder()->path(), folder()->relative(path_));  // both files are written to
    take_up(mesh, written);
  }
  if (step_count() > 0 && !has_spare_) copy_to_temporary(path_);
  const std::unique_ptr<Hdf5File> file =
      step_count() == 0 ? Hdf5File::create(spare) : Hdf5File::open_for_writing(spare);
  const auto record = [&](const Hdf5Rows& rows, std::uint64_t first) {
    committed.slabs.push_back({rows.dataset, first, rows.rows, rows.crc32()});
  };
  if (step_count() == 0) {
    make_groups(*file);
    mesh_datasets(mesh, written, [&](const Hdf5Rows& rows) {
      file->write(rows);
      record(rows, 0);
    });
  } else {
    bring_up_to_date(*file);
  }
  std::size_t known = 0;
  const auto add = [&](const Hdf5Rows& rows) {
    if (step_count() == 0) growing_.push_back(rows.dataset);
    else if (known >= growing_.size() || growing_[known] != rows.dataset)
      throw Error(ErrorKind::internal, fmt::format("step {} of '{}' has other fields than the first: '{}'",
                                                   step_count(), path_, rows.dataset));
    ++known;
    record(rows, file->has(rows.dataset) ? file->row_count(rows.dataset) : 0);
    file->append(rows, options_.compression != Compression::none);
  };
  for (const Field& field : step.point_fields)
    add(rows_of("PointData", field, written.point_count(), options_.single_precision));
  for (const Field& field : step.cell_fields)
    add(rows_of("CellData", field, mesh.cell_count(), options_.single_precision));
  step_datasets(mesh, written, step, step_count(), add);
  if (known != growing_.size())
    throw Error(ErrorKind::internal, fmt::format("step {} of '{}' lacks '{}'", step_count(), path_, growing_[known]));
  const std::array<std::int64_t, 1> steps{step_count() + 1};
  file->set_attribute(in_root("Steps"), "NSteps", steps);
  file->close();
}

// The file is from before the run was stopped. What is done here leaves it and the spare byte for byte as they would be
// had the run gone on.
void VtkhdfSeries::take_up(const Mesh& mesh, const WrittenCells& written) {
  taken_up_ = true;
  std::set<std::string> once;
  mesh_datasets(mesh, written, [&](const Hdf5Rows& rows) { once.insert(rows.dataset); });
  for (const JournalSlab& slab : committed().front().files.front().slabs)
    if (!once.contains(slab.dataset)) growing_.push_back(slab.dataset);
  // It may hold a step that never came to the journal.
  const bool is_ahead = Hdf5File::open(path_)->numbers(in_root("Steps"), "NSteps").front() != step_count();
  if (is_ahead) {
    build_spare(step_count(), once);
    commit_file(path_);
    settle_file(path_);
  }
  if (step_count() > 1) build_spare(step_count() - 1, once);
  has_spare_ = step_count() > 1;
}

// Steps come to the two files in turns: the first to one; then the spare gets the step that it lacks and the new one.
void VtkhdfSeries::build_spare(int steps, const std::set<std::string>& once) const {
  const std::string spare = temporary_path(path_);
  const std::unique_ptr<Hdf5File> source = Hdf5File::open(path_);
  for (int done = 0; done < steps;) {
    const int until = done == 0 ? 1 : done == 1 && steps % 2 == 0 ? 2 : done + 2;
    const std::unique_ptr<Hdf5File> file = done == 0 ? Hdf5File::create(spare) : Hdf5File::open_for_writing(spare);
    if (done == 0) make_groups(*file);
    for (; done < until; ++done)
      for (const JournalSlab& slab : committed()[static_cast<std::size_t>(done)].files.front().slabs) {
        const Hdf5Rows rows = source->read(slab.dataset, slab.first_row, slab.row_count);
        if (once.contains(slab.dataset)) file->write(rows);
        else file->append(rows, options_.compression != Compression::none);
      }
    const std::array<std::int64_t, 1> count{done};
    file->set_attribute(in_root("Steps"), "NSteps", count);
    file->close();
  }
}

// The step that was committed last, read from where it was committed.
void VtkhdfSeries::bring_up_to_date(Hdf5File& spare) const {
  if (spare.numbers(in_root("Steps"), "NSteps").front() == step_count()) return;
  const std::unique_ptr<Hdf5File> committed = Hdf5File::open(path_);
  for (const std::string& dataset : growing_) {
    const std::uint64_t before = spare.row_count(dataset), now = committed->row_count(dataset);
    spare.append(committed->read(dataset, before, now - before), options_.compression != Compression::none);
  }
}

}  // namespace ritz
