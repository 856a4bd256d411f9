#include "io/vtk/legacy_vtk.hpp"

#include "device/error.hpp"
#include "io/files/big_endian.hpp"
#include "io/files/number_text.hpp"
#include "io/files/text_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace ritz {
namespace {

enum class Kind { bit, signed_integer, unsigned_integer, real, text };
struct NumberType {
  std::string_view name;
  Kind kind;
  std::size_t size;  // [bytes] in binary files
};
// VTK writes a vtkIdType as an int; a long is what it is on 64-bit systems that are not Windows.
constexpr std::array number_types{NumberType{"bit", Kind::bit, 0},
                                  NumberType{"char", Kind::signed_integer, 1},
                                  NumberType{"signed_char", Kind::signed_integer, 1},
                                  NumberType{"unsigned_char", Kind::unsigned_integer, 1},
                                  NumberType{"short", Kind::signed_integer, 2},
                                  NumberType{"unsigned_short", Kind::unsigned_integer, 2},
                                  NumberType{"int", Kind::signed_integer, 4},
                                  NumberType{"unsigned_int", Kind::unsigned_integer, 4},
                                  NumberType{"vtkidtype", Kind::signed_integer, 4},
                                  NumberType{"long", Kind::signed_integer, 8},
                                  NumberType{"unsigned_long", Kind::unsigned_integer, 8},
                                  NumberType{"vtktypeint64", Kind::signed_integer, 8},
                                  NumberType{"vtktypeuint64", Kind::unsigned_integer, 8},
                                  NumberType{"float", Kind::real, 4},
                                  NumberType{"double", Kind::real, 8},
                                  NumberType{"string", Kind::text, 0},
                                  NumberType{"utf8_string", Kind::text, 0},
                                  NumberType{"vtktypeint32", Kind::signed_integer, 4},  // of meshio
                                  NumberType{"vtktypeuint32", Kind::unsigned_integer, 4}};
constexpr NumberType plain_int = number_types[6], plain_float = number_types[13], plain_byte = number_types[3];

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// Names are written with %20 for a blank, and so on.
std::string decoded(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char *from = text.data() + i + 1, *to = from + 2;
    const bool is_code = text[i] == '%' && i + 2 < text.size() && std::from_chars(from, to, byte, 16).ptr == to;
    name += is_code ? static_cast<char>(byte) : text[i];
    if (is_code) i += 2;
  }
  return name;
}

template <class T>
T stored_number(NumberType type, const char* place) {
  const bool is_signed = type.kind == Kind::signed_integer;
  if (type.kind == Kind::real)
    return static_cast<T>(type.size == 4 ? big_endian_number<float>(place) : big_endian_number<double>(place));
  switch (type.size) {
    case 1:
      return is_signed ? static_cast<T>(big_endian_number<std::int8_t>(place))
                       : static_cast<T>(big_endian_number<std::uint8_t>(place));
    case 2:
      return is_signed ? static_cast<T>(big_endian_number<std::int16_t>(place))
                       : static_cast<T>(big_endian_number<std::uint16_t>(place));
    case 4:
      return is_signed ? static_cast<T>(big_endian_number<std::int32_t>(place))
                       : static_cast<T>(big_endian_number<std::uint32_t>(place));
    default:
      return is_signed ? static_cast<T>(big_endian_number<std::int64_t>(place))
                       : static_cast<T>(big_endian_number<std::uint64_t>(place));
  }
}

// Words, lines and arrays of a file, one after the other.
class LegacyText {
 public:
  explicit LegacyText(const std::string& path) : file_(path), at_(file_.begin()), end_(file_.end()) {}

  const TextFile& file() const { return file_; }
  [[noreturn]] void fail(const char* place, const std::string& what, const std::string& why = {}) const {
    file_.fail(place, what, why);
  }
  bool is_binary() const { return binary_; }
  void set_binary(bool binary) { binary_ = binary; }

  const char* next() { return at_ = skip_blanks(at_, end_); }  // the start of the next word
  bool at_end() { return next() == end_; }
  const char* at() const { return at_; }
  void move_to(const char* place) { at_ = place; }
  std::string_view word(const char* what) {
    if (at_end()) file_.fail_expected(at_, what);
    const char* start = at_;
    at_ = token_end(at_, end_);
    return {start, at_};
  }
  std::string keyword() { return lower_case(word("a keyword")); }
  // Up to the end of the line, which is passed.
  std::string_view rest_of_line() {
    const char *start = at_, *stop = line_end(at_, end_);
    at_ = stop < end_ ? stop + 1 : end_;
    if (stop > start && stop[-1] == '\r') --stop;
    return {start, stop};
  }
  std::int64_t count(const char* what) {
    if (at_end()) file_.fail_expected(at_, what);
    const char* start = at_;
    std::int64_t value = 0;
    const char* stop = parse_number(start, end_, value);
    if (stop == nullptr) file_.fail_expected(start, what);
    if (value < 0) fail(start, fmt::format("{} is {}", what, value));
    at_ = stop;
    return value;
  }
  NumberType type() {
    const std::string_view name = word("a type of numbers");
    const auto found = std::ranges::find(number_types, lower_case(name), &NumberType::name);
    if (found == number_types.end()) fail(name.data(), fmt::format("'{}' is no type of numbers", name));
    return *found;
  }

  template <class T>
  std::vector<T> numbers(NumberType type, std::int64_t count, std::int64_t columns, const char* what) {
    if (type.kind == Kind::text || (std::is_integral_v<T> && type.kind == Kind::real))
      fail(at_, fmt::format("{} cannot be of type {}", what, type.name));
    std::vector<T> values(static_cast<std::size_t>(total(type, count, columns, what)));
    begin_data();
    if (!binary_) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = text_number<T>(type, i, values.size(), what);
      return values;
    }
    if (type.kind == Kind::bit) {
      const char* bits = bytes((values.size() + 7) / 8, what);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(bits[i / 8] >> (7 - i % 8) & 1);
      return values;
    }
    const char* stored = bytes(values.size() * type.size, what);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = stored_number<T>(type, stored + i * type.size);
    return values;
  }
  std::vector<std::string> texts(std::int64_t count, const char* what) {
    total(number_types[15], count, 1, what);
    rest_of_line();
    std::vector<std::string> list;
    for (std::int64_t i = 0; i < count; ++i) {
      if (at_ == end_) file_.fail_expected(at_, fmt::format("text {} of {} of {}", i + 1, count, what));
      list.push_back(decoded(binary_ ? text_of_length(what) : rest_of_line()));
    }
    return list;
  }
  // Ends with an empty line.
  void skip_metadata() {
    rest_of_line();
    while (at_ < end_) {
      const std::string_view line = rest_of_line();
      if (std::ranges::all_of(line, is_blank)) return;
    }
  }
  void begin_data() {
    if (binary_) rest_of_line();
  }
  // The total of `count` rows of `columns` numbers; throws where the file cannot hold them.
  std::int64_t total(NumberType type, std::int64_t count, std::int64_t columns, const char* what) {
    const std::int64_t left = end_ - at_;
    const std::int64_t bits =
        binary_ ? (type.kind == Kind::bit ? 1 : static_cast<std::int64_t>(std::max(type.size, std::size_t{1})) * 8)
                : 16;
    const std::int64_t most = (left + 1) * 8 / bits;
    if (columns > 0 && count > most / columns)
      fail(at_,
           fmt::format("{} has {} numbers, but only {} bytes are left", what, fmt::format("{} x {}", count, columns),
                       left),
           "the file was cut short, or a count is wrong");
    return count * columns;
  }

 private:
  const char* bytes(std::size_t size, const char* what) {
    if (size > static_cast<std::size_t>(end_ - at_))
      fail(at_, fmt::format("{} takes {} bytes, but only {} are left", what, size, end_ - at_),
           "the file was cut short");
    return std::exchange(at_, at_ + size);
  }
  template <class T>
  T text_number(NumberType type, std::size_t i, std::size_t n, const char* what) {
    const auto refuse = [&] {
      file_.fail_expected(at_, fmt::format("number {} of {} of {}", i + 1, n, what),
                          "an array is shorter than its count, or a count is wrong");
    };
    if (at_end()) refuse();
    if (type.kind != Kind::real) {
      std::int64_t value = 0;
      const char* stop = parse_number(at_, end_, value);
      if (stop == nullptr) refuse();
      at_ = stop;
      return static_cast<T>(value);
    }
    double value = 0;
    const char* stop = parse_number(at_, end_, value);
    if (stop == nullptr) refuse();
    at_ = stop;
    return static_cast<T>(value);
  }
  // The two highest bits say how many bytes the length has (vtkDataWriter::WriteArray).
  std::string_view text_of_length(const char* what) {
    const auto first = static_cast<unsigned char>(*bytes(1, what));
    const int more = first >> 6 == 3 ? 0 : first >> 6 == 2 ? 1 : first >> 6 == 1 ? 3 : 7;
    std::uint64_t length = first & 0x3f;
    for (const char *next = bytes(static_cast<std::size_t>(more), what), *stop = next + more; next < stop; ++next)
      length = length << 8 | static_cast<unsigned char>(*next);
    return {bytes(length, what), length};
  }

  TextFile file_;
  const char *at_, *end_;
  bool binary_ = false;
};

// Contents so far: data of points and cells must have as many rows as there are.
struct LegacyMesh {
  bool in_two_lists = false, has_points = false;
  std::int64_t point_count = 0, cell_count = -1;  // -1: CELLS has not come
  UnstructuredGrid grid;
};

bool is_wanted(const std::string& name) {
  return std::ranges::find(region_array_names, name) != region_array_names.end();
}

// An array that may be wanted: its numbers or texts, kept under its name.
void read_array(LegacyText& text, const std::string& name, std::int64_t columns, std::int64_t rows, NumberType type,
                bool of_field, bool wanted, UnstructuredGrid& grid) {
  const std::string what = fmt::format("the array '{}'", name);
  if (type.kind == Kind::text) {
    text.total(type, rows, columns, what.c_str());
    std::vector<std::string> list = text.texts(rows * columns, what.c_str());
    if (wanted && of_field) grid.field_texts[name] = std::move(list);
    return;
  }
  if (rows == 0 || columns == 0) return text.begin_data();
  std::vector<double> values = text.numbers<double>(type, rows, columns, what.c_str());
  if (wanted) (of_field ? grid.field_arrays : grid.cell_arrays)[name] = {static_cast<int>(columns), std::move(values)};
}

// True for files from version 5, which keep cells in two lists.
bool read_head(LegacyText& text) {
  const std::string_view first = text.rest_of_line();
  const std::size_t version = first.find("Version");
  double number = 0;
  if (version != std::string_view::npos) {
    const char* start = skip_blanks(first.data() + version + 7, first.data() + first.size());
    std::from_chars(start, first.data() + first.size(), number);
  }
  if (!(number >= 1 && number < 6))
    text.fail(first.data(), fmt::format("'{}' names no version of the format from 1 to 5", first));
  text.rest_of_line();  // title
  const char* start = text.next();
  const std::string form = text.keyword();
  if (form != "ascii" && form != "binary") text.file().fail_expected(start, "ASCII or BINARY");
  text.set_binary(form == "binary");
  start = text.next();
  if (text.keyword() != "dataset") text.file().fail_expected(start, "DATASET");
  start = text.next();
  if (const std::string set = text.keyword(); set != "unstructured_grid")
    throw Error(ErrorKind::mesh_format, fmt::format("'{}' is not an unstructured grid of VTK", text.file().path()),
                fmt::format("it is of another type, '{}' in line {}", set, text.file().line_of(start)),
                "save it as an unstructured grid, for example with ParaView");
  return number >= 5;
}

// [node count, nodes ...] for each cell.
void read_one_list(LegacyText& text, const char* start, LegacyMesh& mesh) {
  mesh.cell_count = text.count("the number of cells");
  const std::int64_t size = text.count("the size of the list of cells");
  const std::vector<std::int64_t> list = text.numbers<std::int64_t>(plain_int, size, 1, "CELLS");
  if (mesh.cell_count > size)
    text.fail(start, fmt::format("{} cells do not fit a list of {} numbers", mesh.cell_count, size));
  mesh.grid.offsets.reserve(static_cast<std::size_t>(mesh.cell_count) + 1);
  mesh.grid.connectivity.reserve(static_cast<std::size_t>(size - mesh.cell_count));
  mesh.grid.offsets.push_back(0);
  std::int64_t at = 0;
  for (std::int64_t cell = 0; cell < mesh.cell_count; ++cell) {
    const std::int64_t nodes = at < size ? list[static_cast<std::size_t>(at)] : -1;
    if (nodes < 0 || nodes > size - at - 1)
      text.fail(start,
                fmt::format("the list of cell {} has {} points, and {} numbers are left in CELLS", cell, nodes,
                            std::max(size - at - 1, std::int64_t{0})),
                fmt::format("CELLS announces {} cells in {} numbers", mesh.cell_count, size));
    const auto from = list.begin() + at + 1;
    mesh.grid.connectivity.insert(mesh.grid.connectivity.end(), from, from + nodes);
    mesh.grid.offsets.push_back(std::ssize(mesh.grid.connectivity));
    at += nodes + 1;
  }
  if (at != size)
    text.fail(start,
              fmt::format("the lists of {} cells have {} numbers, and CELLS announces {}", mesh.cell_count, at, size));
}

void read_two_lists(LegacyText& text, LegacyMesh& mesh) {
  const std::int64_t offsets = text.count("the number of offsets"),
                     points = text.count("the number of points of cells");
  mesh.cell_count = std::max(offsets - 1, std::int64_t{0});
  for (const auto& [name, size, list] :
       {std::tuple{"offsets", offsets, &mesh.grid.offsets}, {"connectivity", points, &mesh.grid.connectivity}}) {
    const char* place = text.next();
    if (text.keyword() != name) text.file().fail_expected(place, name);
    *list = text.numbers<std::int64_t>(text.type(), size, 1, name);
  }
}

void read_field(LegacyText& text, bool of_grid, bool of_cells, LegacyMesh& mesh) {
  text.word("the name of a field");
  for (std::int64_t left = text.count("the number of arrays"); left > 0; --left) {
    std::string name(text.word("the name of an array"));
    if (lower_case(name) == "metadata") {
      text.skip_metadata();
      name = text.word("the name of an array");
    }
    if (name == "NULL_ARRAY") continue;
    name = decoded(name);
    const std::int64_t columns = text.count("the number of components"), rows = text.count("the number of rows");
    const NumberType of = text.type();
    const bool wanted = of_grid ? name.starts_with("region_") : of_cells && is_wanted(name);
    if (wanted && of_cells && rows != mesh.cell_count)
      text.fail(text.at(), fmt::format("the array '{}' has {} rows for {} cells", name, rows, mesh.cell_count));
    if (columns > std::numeric_limits<int>::max())
      text.fail(text.at(), fmt::format("the array '{}' has {} components", name, columns));
    read_array(text, name, columns, rows, of, of_grid, wanted, mesh.grid);
  }
}

// False: no attribute stands here.
bool read_attribute(LegacyText& text, std::int64_t rows, bool of_cells, LegacyMesh& mesh) {
  const char* start = text.next();
  const std::string kind = text.keyword();
  const auto take = [&](std::int64_t columns, std::optional<NumberType> of = {}) {
    const std::string name = decoded(text.word("the name of an array"));
    const NumberType as = of ? *of : text.type();
    read_array(text, name, columns, rows, as, false, of_cells && is_wanted(name), mesh.grid);
  };
  if (kind == "scalars") {
    const std::string name = decoded(text.word("the name of an array"));
    const NumberType of = text.type();
    const std::string_view rest = text.rest_of_line();
    std::int64_t columns = 1;
    const char* first = skip_blanks(rest.data(), rest.data() + rest.size());
    if (first < rest.data() + rest.size() && parse_number(first, rest.data() + rest.size(), columns) == nullptr)
      text.file().fail_expected(first, "the number of components");
    if (columns < 1) text.fail(start, fmt::format("'{}' has {} components", name, columns));
    const char* table = text.next();
    if (text.keyword() != "lookup_table") text.file().fail_expected(table, "LOOKUP_TABLE");
    text.word("the name of a table");
    read_array(text, name, columns, rows, of, false, of_cells && is_wanted(name), mesh.grid);
  } else if (kind == "vectors" || kind == "normals" || kind == "tangents") {
    take(3);
  } else if (kind == "tensors") {
    take(9);
  } else if (kind == "tensors6") {
    take(6);
  } else if (kind == "global_ids" || kind == "pedigree_ids" || kind == "edge_flags" || kind == "rationalweights") {
    take(1);
  } else if (kind == "higherorderdegrees") {
    const std::string name = decoded(text.word("the name of an array"));
    const NumberType of = text.type();
    std::vector<double> values = text.numbers<double>(of, rows, 3, "HIGHERORDERDEGREES");
    if (of_cells) mesh.grid.degrees = {3, std::move(values)};
  } else if (kind == "texture_coordinates") {
    const std::string name = decoded(text.word("the name of an array"));
    const std::int64_t columns = text.count("the number of components");
    read_array(text, name, columns, rows, text.type(), false, false, mesh.grid);
  } else if (kind == "color_scalars") {
    const std::string name = decoded(text.word("the name of an array"));
    const std::int64_t columns = text.count("the number of components");
    read_array(text, name, columns, rows, text.is_binary() ? plain_byte : plain_float, false, false, mesh.grid);
  } else if (kind == "lookup_table") {
    const std::string name = decoded(text.word("the name of a table"));
    read_array(text, name, 4, text.count("the size of a table"), text.is_binary() ? plain_byte : plain_float, false,
               false, mesh.grid);
  } else if (kind == "field") {
    read_field(text, false, of_cells, mesh);
  } else if (kind == "metadata") {
    text.skip_metadata();
  } else {
    text.move_to(start);
    return false;
  }
  return true;
}

void read_section(LegacyText& text, LegacyMesh& mesh) {
  const char* start = text.next();
  const std::string name = text.keyword();
  if (name == "points") {
    if (mesh.has_points) text.fail(start, "POINTS come twice");
    mesh.point_count = text.count("the number of points");
    const NumberType of = text.type();
    mesh.grid.points = text.numbers<double>(of, mesh.point_count, 3, "POINTS");
    mesh.has_points = true;
  } else if (name == "cells") {
    if (mesh.cell_count >= 0) text.fail(start, "CELLS come twice");
    if (mesh.in_two_lists) read_two_lists(text, mesh);
    else read_one_list(text, start, mesh);
  } else if (name == "cell_types") {
    const std::int64_t types = text.count("the number of cell types");
    if (types != mesh.cell_count)
      text.fail(start,
                fmt::format("there are {} cell types for {} cells", types, std::max(mesh.cell_count, std::int64_t{0})));
    mesh.grid.types.clear();
    for (const std::int64_t number : text.numbers<std::int64_t>(plain_int, types, 1, "CELL_TYPES")) {
      if (number < 0 || number > 255) text.fail(text.at(), fmt::format("{} is no cell type of VTK", number));
      mesh.grid.types.push_back(static_cast<std::uint8_t>(number));
    }
  } else if (name == "field") {
    read_field(text, true, false, mesh);
  } else if (name == "metadata") {
    text.skip_metadata();
  } else if (name == "cell_data" || name == "point_data") {
    const bool of_cells = name == "cell_data";
    const std::int64_t rows = text.count("the number of rows"),
                       all = of_cells ? std::max(mesh.cell_count, std::int64_t{0}) : mesh.point_count;
    if (rows != all)
      text.fail(start,
                fmt::format("the data are for {} {}, and there are {}", rows, of_cells ? "cells" : "points", all));
    while (!text.at_end() && read_attribute(text, rows, of_cells, mesh)) {}
  } else {
    text.file().fail_expected(start, "POINTS, CELLS, CELL_TYPES, CELL_DATA or POINT_DATA");
  }
}

}  // namespace

UnstructuredGrid read_legacy_vtk(const std::string& path) {
  LegacyText text(path);
  LegacyMesh mesh;
  mesh.in_two_lists = read_head(text);
  while (!text.at_end()) read_section(text, mesh);
  if (mesh.has_points && mesh.point_count > 0 &&
      std::ssize(mesh.grid.types) != std::max(mesh.cell_count, std::int64_t{0}))
    text.fail(text.at(),
              fmt::format("the file ends with {} cell types for {} cells", mesh.grid.types.size(), mesh.cell_count));
  return std::move(mesh.grid);
}

}  // namespace ritz
