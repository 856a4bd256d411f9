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
#include <string_view>
#include <utility>

namespace ritz {

struct Piece {
  std::string path;
  std::vector<Node> points;  // of the whole
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

// Values at the points and in the cells of a piece, as one text.
std::string packed(std::span<const Field> fields, std::span<const Node> entries, std::span<const Field> cell_fields,
                   std::span<const Index> cells) {
  Packed text;
  const auto add = [&](const std::vector<Field>& chosen_fields) {
    text.add(chosen_fields.size());
    for (const Field& field : chosen_fields) {
      text.add(field.name).add(field.components).add(field.component_names.size());
      for (const std::string& name : field.component_names) text.add(name);
      text.add(field.values);
    }
  };
  add(chosen<Node>(fields, entries));
  add(chosen<Index>(cell_fields, cells));
  return text.take();
}

std::vector<Field> unpacked(Unpacked& from) {
  std::vector<Field> fields(from.get<std::size_t>());
  for (Field& field : fields) {
    field.name = from.text();
    from.get(field.components);
    field.component_names.resize(from.get<std::size_t>());
    for (std::string& name : field.component_names) name = from.text();
    field.values = from.list<double>();
  }
  return fields;
}

void take_fields(std::string_view text, Piece& piece) {
  Unpacked from(text);
  piece.point_fields = unpacked(from);
  piece.cell_fields = unpacked(from);
}

std::string path_of_piece(const std::string& path, int rank) {
  return piece_path(std::filesystem::path(path).replace_extension(".vtu").string(), rank);
}

}  // namespace

// Equal pieces of the curve: of all ranks on the first one, else of this one.
const std::vector<Index>& ResultPieces::cells_of(int rank, const Mesh& mesh) {
  if (mesh_ != mesh) {
    mesh_ = mesh;
    const int count = ranks_ == nullptr ? 1 : ranks_->count(), here = ranks_ == nullptr ? 0 : ranks_->rank();
    const std::vector<Index> along = curve_order(mesh);
    cells_.assign(static_cast<std::size_t>(count), {});
    for (int r = here; r < (here == 0 ? count : here + 1); ++r) {
      std::vector<Index>& own = cells_[static_cast<std::size_t>(r)];
      own.assign(along.begin() + mesh.cell_count() * r / count, along.begin() + mesh.cell_count() * (r + 1) / count);
      std::ranges::sort(own);
    }
  }
  return cells_[static_cast<std::size_t>(rank)];
}

Piece ResultPieces::own_piece(const std::string& path, const Mesh& mesh, const VtuOptions& options) {
  const int rank = ranks_ == nullptr ? 0 : ranks_->rank();
  const std::vector<Index>& cells = cells_of(rank, mesh);
  const WrittenRegions regions = written_regions(mesh);
  Piece piece{.path = path_of_piece(path, rank), .regions = {{}, regions.names}, .options = options};
  piece.grid = piece_of(written_cells(mesh, options.cells), cells, piece.points);
  for (const Index cell : cells) piece.regions.numbers.push_back(regions.numbers[static_cast<std::size_t>(cell)]);
  piece.options.cells = nullptr;
  return piece;
}

std::vector<std::string> ResultPieces::write(const std::string& path, const Mesh& mesh,
                                             std::span<const Field> point_fields, std::span<const Field> cell_fields,
                                             const VtuOptions& options) {
  const int count = ranks_ == nullptr ? 1 : ranks_->count();
  std::vector<std::string> files{path};
  for (int rank = 0; rank < count; ++rank) files.push_back(path_of_piece(path, rank));
  const auto fields_of = [&](int rank) {
    std::vector<Node> points;
    const std::vector<Index>& cells = cells_of(rank, mesh);
    piece_of(written_cells(mesh, options.cells), cells, points);
    return packed(point_fields, points, cell_fields, cells);
  };
  const auto write_own = [&] {
    Piece first = own_piece(path, mesh, options);
    first.point_fields = chosen<Node>(point_fields, first.points);
    first.cell_fields = chosen<Index>(cell_fields, cells_of(0, mesh));
    ritz::write(first);
    write_index(path, index_text(first, std::span(files).subspan(1)));
  };
  try {
    if (ranks_ == nullptr) {
      write_own();
    } else {
      const std::string absolute = std::filesystem::absolute(path).string();
      ranks_->of_first(Packed().add(absolute).add(options.time).add(options.load_case).take());
      dealt_text(*ranks_, fields_of);
      ranks_->agree(write_own);
    }
  } catch (const Error&) {  // that of a lost rank, too
    for (const std::string& file : files) discard_temporary(file);
    throw;
  }
  return files;
}

void ResultPieces::follow(const Mesh& mesh, const VtuOptions& options) {
  const std::string text = ranks_->of_first({});
  if (text.empty()) return;
  Unpacked from(text);
  const std::string path = from.text();
  VtuOptions of_step = options;
  from.get(of_step.time);
  of_step.load_case = from.text();
  const std::string fields = dealt_text(*ranks_, [](int) { return std::string(); });
  ranks_->agree([&] {
    Piece own = own_piece(path, mesh, of_step);
    take_fields(fields, own);
    ritz::write(own);
  });
}

void ResultPieces::leave() {
  if (ranks_ != nullptr) ranks_->of_first({});
}

}  // namespace ritz
