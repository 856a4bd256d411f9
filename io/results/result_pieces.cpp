#include "io/results/result_pieces.hpp"

#include "device/memory_shortage.hpp"
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

namespace ritz {
namespace {

constexpr std::string_view mark = "piece ";  // no order of a RankHelper begins like this

struct Piece {
  std::string path;
  WrittenPiece grid;
  WrittenRegions regions;
  std::vector<Field> point_fields, cell_fields;
  VtuOptions options;
};

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

void add(Packed& to, const std::vector<Field>& fields) {
  to.add(fields.size());
  for (const Field& field : fields) {
    to.add(field.name).add(field.components).add(field.values).add(field.component_names.size());
    for (const std::string& name : field.component_names) to.add(name);
  }
}

std::vector<Field> fields(Unpacked& from) {
  std::vector<Field> result(from.get<std::size_t>());
  for (Field& field : result) {
    field.name = from.text();
    from.get(field.components);
    field.values = from.list<double>();
    field.component_names.resize(from.get<std::size_t>());
    for (std::string& name : field.component_names) name = from.text();
  }
  return result;
}

std::string packed(const Piece& piece) {
  Packed to;
  to.add(piece.path).add(piece.grid.points).add(piece.grid.blocks.size());
  for (const WrittenPiece::Block& block : piece.grid.blocks)
    to.add(block.vtk_type).add(block.node_count).add(block.nodes);
  to.add(piece.regions.numbers).add(piece.regions.names.size());
  for (const std::string& name : piece.regions.names) to.add(name);
  add(to, piece.point_fields);
  add(to, piece.cell_fields);
  const VtuOptions& options = piece.options;
  to.add(options.compression).add(options.single_precision).add(options.inline_data).add(options.load_case);
  to.add(options.time.has_value()).add(options.time.value_or(0));
  return std::string(mark) + to.take();
}

Piece unpacked(std::string_view text) {
  Unpacked from(text.substr(mark.size()));
  Piece piece;
  piece.path = from.text();
  piece.grid.points = from.list<double>();
  piece.grid.blocks.resize(from.get<std::size_t>());
  for (WrittenPiece::Block& block : piece.grid.blocks) {
    from.get(block.vtk_type);
    from.get(block.node_count);
    block.nodes = from.list<Node>();
  }
  piece.regions.numbers = from.list<int>();
  piece.regions.names.resize(from.get<std::size_t>());
  for (std::string& name : piece.regions.names) name = from.text();
  piece.point_fields = fields(from);
  piece.cell_fields = fields(from);
  from.get(piece.options.compression);
  from.get(piece.options.single_precision);
  from.get(piece.options.inline_data);
  piece.options.load_case = from.text();
  const auto has_time = from.get<bool>();
  const auto time = from.get<double>();
  if (has_time) piece.options.time = time;
  return piece;
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

// Equal pieces of the curve.
std::vector<std::vector<Index>> cells_of_ranks(const Mesh& mesh, int ranks) {
  const std::vector<Index> along = curve_order(mesh);
  std::vector<std::vector<Index>> cells(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Index>& own = cells[static_cast<std::size_t>(rank)];
    const auto begin = along.begin() + mesh.cell_count() * rank / ranks;
    own.assign(begin, along.begin() + mesh.cell_count() * (rank + 1) / ranks);
    std::ranges::sort(own);
  }
  return cells;
}

std::string packed(const Error& error) {
  return Packed().add(error.exit()).add(error.message()).add(error.why()).add(error.fix()).take();
}

Error error_of(std::string_view answer) {
  Unpacked from(answer);
  const auto exit = from.get<Exit>();
  const std::string message = from.text(), why = from.text(), fix = from.text();
  return {exit, message, why, fix};
}

}  // namespace

bool is_piece(std::string_view text) { return text.starts_with(mark); }

std::string written_piece(std::string_view text) {
  try {
    write(unpacked(text));
  } catch (const Error& error) { return packed(error); } catch (const std::bad_alloc&) {
    return packed(host_memory_error());
  }
  return {};
}

std::vector<std::string> ResultPieces::write(const std::string& path, const Mesh& mesh,
                                             std::span<const Field> point_fields, std::span<const Field> cell_fields,
                                             const VtuOptions& options) {
  const int count = ranks_ == nullptr ? 1 : ranks_->count();
  if (mesh_ != &mesh) cells_ = cells_of_ranks(mesh, count);
  mesh_ = &mesh;
  const WrittenCells whole = written_cells(mesh, options.cells);
  const WrittenRegions regions = written_regions(mesh);
  const std::string stem = std::filesystem::absolute(path).replace_extension(".vtu").string();
  std::vector<std::string> files{path};
  Piece first;
  for (int rank = count - 1; rank >= 0; --rank) {
    const std::vector<Index>& cells = cells_[static_cast<std::size_t>(rank)];
    Piece piece{.path = piece_path(stem, rank), .regions = {{}, regions.names}, .options = options};
    std::vector<Node> points;
    piece.grid = piece_of(whole, cells, points);
    for (const Index cell : cells) piece.regions.numbers.push_back(regions.numbers[static_cast<std::size_t>(cell)]);
    piece.point_fields = chosen<Node>(point_fields, points);
    piece.cell_fields = chosen<Index>(cell_fields, cells);
    piece.options.cells = nullptr;
    if (rank > 0) ranks_->send(rank, packed(piece));
    else first = std::move(piece);
  }
  for (int rank = 0; rank < count; ++rank)
    files.push_back(piece_path(std::filesystem::path(path).replace_extension(".vtu").string(), rank));
  std::optional<Error> failed;
  try {
    ritz::write(first);
    write_index(path, index_text(first, std::span(files).subspan(1)));
  } catch (const Error& error) { failed = error; }
  try {
    for (int rank = 1; rank < count; ++rank)
      if (const std::string answer = ranks_->wait(rank); !answer.empty() && !failed) failed = error_of(answer);
    if (failed) throw Error(*failed);
  } catch (const Error&) {  // that of a lost rank, too
    for (const std::string& file : files) discard_temporary(file);
    throw;
  }
  return files;
}

}  // namespace ritz
