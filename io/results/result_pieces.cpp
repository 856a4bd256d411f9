#include "io/results/result_pieces.hpp"

#include "device/ranks/packed.hpp"
#include "device/ranks/ranks.hpp"
#include "io/files/atomic_file.hpp"
#include "io/results/pvd_writer.hpp"
#include "io/vtk/vtk_library.hpp"
#include "mesh/curve_order.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <utility>

namespace ritz {

struct Piece {
  std::string path;
  WrittenPiece grid;
  WrittenRegions regions;
  std::vector<Field> point_fields, cell_fields;
  VtuOptions options;
};

namespace {

// Flushed under its temporary name.
void write(const Piece& piece) {
  vtk_library().write_piece(piece.path, piece.grid.view(), piece.regions, piece.point_fields, piece.cell_fields,
                            piece.options);
  flush_temporary(piece.path);
}

template <class Number>
std::vector<double> chosen(const Field& field, std::span<const Number> entries) {
  const auto width = static_cast<std::size_t>(field.components);
  std::vector<double> values;
  values.reserve(entries.size() * width);
  for (const Number entry : entries) {
    const auto from = field.values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(entry) * width);
    values.insert(values.end(), from, from + field.components);
  }
  return values;
}

template <class Number>
std::vector<Field> chosen(std::span<const Field> fields, std::span<const Number> entries) {
  std::vector<Field> result;
  for (const Field& field : fields)
    result.push_back({.name = field.name,
                      .components = field.components,
                      .values = chosen(field, entries),
                      .component_names = field.component_names});
  return result;
}

std::string arrays_text(const char* tag, const std::vector<Field>& fields, const char* number, bool regions) {
  std::string text = fmt::format("    <{}>\n", tag);
  for (const Field& field : fields) {
    const int components = field.components == 2 && field.component_names.empty() ? 3 : field.components;
    text += fmt::format("      <PDataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n", number,
                        escaped(field.name), components);
  }
  if (regions) text += "      <PDataArray type=\"Int32\" Name=\"region\" NumberOfComponents=\"1\"/>\n";
  return text + fmt::format("    </{}>\n", tag);
}

std::string index_text(const Piece& first, std::span<const std::string> pieces) {
  const char* const number = first.options.single_precision ? "Float32" : "Float64";
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n  <PUnstructuredGrid GhostLevel=\"0\">\n";
  text += arrays_text("PPointData", first.point_fields, number, false);
  text += arrays_text("PCellData", first.cell_fields, number, true);
  text +=
      "    <PPoints>\n      <PDataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"/>\n    </PPoints>\n";
  for (const std::string& piece : pieces)
    text += fmt::format("    <Piece Source=\"{}\"/>\n", escaped(std::filesystem::path(piece).filename().string()));
  return text + "  </PUnstructuredGrid>\n</VTKFile>\n";
}

void write_index(const std::string& path, const std::string& text) {
  std::ofstream file(temporary_path(path), std::ios::binary);
  file << text;
  file.close();
  if (!file) fail_to_write(path, "the index of the pieces could not be written");
  flush_temporary(path);
}

// An equal piece of the curve.
std::vector<Index> cells_of_rank(const Mesh& mesh, int rank, int ranks) {
  const std::vector<Index> along = curve_order(mesh);
  std::vector<Index> own(along.begin() + mesh.cell_count() * rank / ranks,
                         along.begin() + mesh.cell_count() * (rank + 1) / ranks);
  std::ranges::sort(own);
  return own;
}

std::string path_of_piece(const std::string& path, int rank) {
  return piece_path(std::filesystem::path(path).replace_extension(".vtu").string(), rank);
}

}  // namespace

Piece ResultPieces::own_piece(const std::string& path, const Mesh& mesh, const Fields& fields,
                              const VtuOptions& options) {
  const int rank = ranks_ == nullptr ? 0 : ranks_->rank(), count = ranks_ == nullptr ? 1 : ranks_->count();
  if (std::exchange(mesh_, &mesh) != &mesh) cells_ = cells_of_rank(mesh, rank, count);
  const WrittenRegions regions = written_regions(mesh);
  Piece piece{.path = path_of_piece(path, rank), .regions = {{}, regions.names}, .options = options};
  std::vector<Node> points;
  piece.grid = piece_of(written_cells(mesh, options.cells), cells_, points);
  for (const Index cell : cells_) piece.regions.numbers.push_back(regions.numbers[static_cast<std::size_t>(cell)]);
  piece.point_fields = chosen<Node>(fields.point, points);
  piece.cell_fields = chosen<Index>(fields.cell, cells_);
  piece.options.cells = nullptr;
  return piece;
}

std::vector<std::string> ResultPieces::write(const std::string& path, const Mesh& mesh,
                                             std::span<const Field> point_fields, std::span<const Field> cell_fields,
                                             const VtuOptions& options) {
  const int count = ranks_ == nullptr ? 1 : ranks_->count();
  std::vector<std::string> files{path};
  for (int rank = 0; rank < count; ++rank) files.push_back(path_of_piece(path, rank));
  const auto write_own = [&] {
    const Piece first = own_piece(path, mesh, {point_fields, cell_fields}, options);
    ritz::write(first);
    write_index(path, index_text(first, std::span(files).subspan(1)));
  };
  try {
    if (ranks_ == nullptr) {
      write_own();
    } else {
      const std::string absolute = std::filesystem::absolute(path).string();
      ranks_->of_first(Packed().add(absolute).add(options.time).add(options.load_case).take());
      ranks_->agree(write_own);
    }
  } catch (const Error&) {  // that of a lost rank, too
    for (const std::string& file : files) discard_temporary(file);
    throw;
  }
  return files;
}

void ResultPieces::follow(const Mesh& mesh, std::span<const Field> point_fields, std::span<const Field> cell_fields,
                          const VtuOptions& options) {
  const std::string text = ranks_->of_first({});
  if (text.empty()) return;
  Unpacked from(text);
  const std::string path = from.text();
  VtuOptions of_step = options;
  from.get(of_step.time);
  of_step.load_case = from.text();
  ranks_->agree([&] { ritz::write(own_piece(path, mesh, {point_fields, cell_fields}, of_step)); });
}

void ResultPieces::leave() {
  if (ranks_ != nullptr) ranks_->of_first({});
}

}  // namespace ritz
