// Nastran bulk data (MSC and NX Nastran Quick Reference Guides): entries of 8-character, 16-character or
// comma-separated fields.
#include "io/meshes/other_readers.hpp"

#include "device/error.hpp"
#include "io/files/input_file.hpp"
#include "io/files/number_text.hpp"
#include "io/files/text_case.hpp"
#include "io/files/text_file.hpp"
#include "io/meshes/node_numbers.hpp"
#include "io/meshes/raw_mesh.hpp"
#include "mesh/cell_geometry.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <filesystem>
#include <list>
#include <map>
#include <numbers>
#include <span>
#include <set>

#include <fmt/format.h>

namespace ritz {
namespace nastran {
namespace {

constexpr int deepest_entry_include = 32;
constexpr std::size_t most_fields = 64;  // of an entry that we read

struct Entry {
  std::string name;                      // "CHEXA", without the star of the large field
  std::vector<std::string_view> fields;  // after the name
  const TextFile* file = nullptr;
  const char* position = nullptr;
};

// The fields of one line after the first.
void add_fields(std::string_view line, bool large, std::vector<std::string_view>& fields) {
  if (line.find(',') != std::string_view::npos) {  // free field
    std::size_t start = 0;
    for (int number = 0;; ++number) {
      const std::size_t comma = line.find(',', start);
      const std::string_view field =
          line.substr(start, comma == std::string_view::npos ? std::string_view::npos : comma - start);
      if (number > 0 && number <= (large ? 4 : 8)) fields.push_back(trimmed(field));  // field 10 names the continuation
      if (comma == std::string_view::npos) break;
      start = comma + 1;
    }
    const std::size_t per_line = large ? 4 : 8;
    while (fields.size() % per_line != 0) fields.push_back({});
    return;
  }
  const std::size_t width = large ? 16 : 8, count = large ? 4 : 8;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = 8 + i * width;
    fields.push_back(at < line.size() ? trimmed(line.substr(at, width)) : std::string_view());
  }
}

struct Form {
  std::string_view name;
  int first_node;                   // position among the fields
  std::vector<CellKind> kinds;      // by the number of nodes: linear, quadratic
  std::span<const int> order = {};  // [VTK's node] -> position in the entry, of the quadratic kind
};

// Vertical edges come before those of the top.
constexpr std::array nastran_hex20{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 12, 13, 14, 15};
constexpr std::array nastran_prism15{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11};

const Form* form_named(std::string_view name) {
  using enum CellKind;
  static const std::vector<Form> list = {{"CTETRA", 2, {tet4, tet10}},
                                         {"CPENTA", 2, {prism6, prism15}, nastran_prism15},
                                         {"CHEXA", 2, {hex8, hex20}, nastran_hex20},
                                         {"CPYRAM", 2, {pyramid5, pyramid13}},
                                         {"CPYRA", 2, {pyramid5, pyramid13}},
                                         {"CTRIA3", 2, {tri3}},
                                         {"CTRIAR", 2, {tri3}},
                                         {"CTRIA6", 2, {tri6}},
                                         {"CQUAD4", 2, {quad4}},
                                         {"CQUADR", 2, {quad4}},
                                         {"CQUAD8", 2, {quad8}},
                                         {"CQUAD", 2, {quad4, quad8, quad9}},
                                         {"CQUAD9", 2, {quad9}},
                                         {"CSHEAR", 2, {quad4}},
                                         {"CTRAX3", 2, {tri3}},
                                         {"CTRAX6", 2, {tri6}},
                                         {"CQUADX4", 2, {quad4}},
                                         {"CQUADX8", 2, {quad8}},
                                         {"CPLSTN3", 2, {tri3}},
                                         {"CPLSTN4", 2, {quad4}},
                                         {"CPLSTN6", 2, {tri6}},
                                         {"CPLSTN8", 2, {quad8}},
                                         {"CPLSTS3", 2, {tri3}},
                                         {"CPLSTS4", 2, {quad4}},
                                         {"CPLSTS6", 2, {tri6}},
                                         {"CPLSTS8", 2, {quad8}},
                                         {"CBAR", 2, {line2}},
                                         {"CBEAM", 2, {line2}},
                                         {"CROD", 2, {line2}},
                                         {"CTUBE", 2, {line2}},
                                         {"CBEAM3", 2, {line3}},
                                         {"CONROD", 1, {line2}}};
  for (const Form& form : list)
    if (form.name == name) return &form;
  return nullptr;
}

// Keys of sections (ReadOptions::section_keys): one that a case has in any case, and none.
constexpr std::string_view always_there = "*", no_key = "";

// Fields of cells and grid points, after their name and by position, that change results and are not of the mesh.
struct OtherFields {
  std::string_view names;  // of entries
  std::size_t first, count;
  std::string_view what, remedy;
  std::string_view key = always_there;  // of ReadOptions::section_keys
};

constexpr std::string_view section_orientation = "give orientation in each [[section]] of beams";
constexpr std::string_view section_offset =
    "give offset_y and offset_z in each [[section]] of beams, 0 where there is none; move the nodes by what lies along "
    "the beam";
constexpr std::string_view no_releases =
    "beams of Ritz have no releases: a member that is hinged at both ends is a bar";
constexpr std::string_view section_thickness = "give thickness in the [[section]] of its region";
constexpr std::string_view material_axes = "give the axes of the material by [[orientation]], if it has directions";
constexpr std::string_view no_shell_offset = "shells of Ritz lie on their nodes: move these";

std::span<const OtherFields> other_fields() {
  static constexpr OtherFields list[] = {
      {"CBAR CBEAM", 4, 3, "orientation (X1, X2, X3 or G0)", section_orientation, "orientation"},
      {"CBEAM3", 5, 3, "orientation (X1, X2, X3 or G0)", section_orientation, "orientation"},
      {"CBAR CBEAM", 7, 1, "OFFT", section_offset},
      {"CBAR CBEAM", 8, 2, "pin flags (PA, PB)", no_releases, no_key},
      {"CBAR CBEAM", 10, 6, "offsets (W1A, W2A, W3A, W1B, W2B, W3B)", section_offset, "offset"},
      {"CBEAM3", 8, 9, "offsets (W1A ... W3C)", section_offset, "offset"},
      {"CBEAM3", 17, 3, "twists (TWA, TWB, TWC)", "sections of Ritz do not twist along a beam", no_key},
      {"CBEAM", 16, 2, "warping points (SA, SB)", "beams of Ritz do not warp", no_key},
      {"CBEAM3", 20, 3, "warping points (SA, SB, SC)", "beams of Ritz do not warp", no_key},
      {"CONROD", 3, 5, "material and section (MID, A, J, C, NSM)", "give a [[section]] with element = \"bar\""},
      {"CTRIA3 CTRIAR", 5, 1, "THETA or MCID", material_axes},
      {"CQUAD4 CQUADR", 6, 1, "THETA or MCID", material_axes},
      {"CTRIA6", 8, 1, "THETA or MCID", material_axes},
      {"CQUAD8", 14, 1, "THETA or MCID", material_axes},
      {"CQUAD CQUAD9", 11, 1, "THETA or MCID", material_axes},
      {"CTRAX3 CPLSTN3 CPLSTS3", 5, 1, "THETA", material_axes},
      {"CQUADX4 CPLSTN4 CPLSTS4", 6, 1, "THETA", material_axes},
      {"CTRAX6 CPLSTN6 CPLSTS6", 8, 1, "THETA", material_axes},
      {"CQUADX8 CPLSTN8 CPLSTS8", 10, 1, "THETA", material_axes},
      {"CTRIA3 CTRIAR", 6, 1, "ZOFFS", no_shell_offset, no_key},
      {"CQUAD4 CQUADR", 7, 1, "ZOFFS", no_shell_offset, no_key},
      {"CTRIA6", 9, 1, "ZOFFS", no_shell_offset, no_key},
      {"CQUAD8", 15, 1, "ZOFFS", no_shell_offset, no_key},
      {"CTRIA3 CTRIAR", 9, 4, "thickness (TFLAG, T1, T2, T3)", section_thickness},
      {"CQUAD4 CQUADR", 9, 5, "thickness (TFLAG, T1, T2, T3, T4)", section_thickness},
      {"CTRIA6", 10, 4, "thickness (T1, T2, T3, TFLAG)", section_thickness},
      {"CQUAD8", 10, 4, "thickness (T1, T2, T3, T4)", section_thickness},
      {"CQUAD8", 16, 1, "TFLAG", section_thickness},
      {"GRID", 6, 1, "supports (PS)", "give them as supports of the case"},
      {"GRDSET", 6, 1, "supports (PS)", "give them as supports of the case"}};
  return list;
}

// Rows of other_fields() of an entry.
std::span<const std::size_t> other_fields_of(std::string_view entry) {
  static const auto rows = [] {
    std::map<std::string, std::vector<std::size_t>, std::less<>> by_entry;
    for (std::size_t row = 0; row < other_fields().size(); ++row)
      for (std::string_view names = other_fields()[row].names; !names.empty();) {
        const std::size_t end = std::min(names.find(' '), names.size());
        by_entry[std::string(names.substr(0, end))].push_back(row);
        names.remove_prefix(std::min(end + 1, names.size()));
      }
    return by_entry;
  }();
  const auto found = rows.find(entry);
  return found == rows.end() ? std::span<const std::size_t>() : std::span<const std::size_t>(found->second);
}

// "0.", "-0.0", "0.E+0": real zeros, which are the defaults. A whole 0 names the basic system.
bool is_real_zero(std::string_view text) {
  return text.find('.') != std::string_view::npos && text.find_first_of("123456789") == std::string_view::npos;
}

// Elements that are no cells.
bool is_scalar_element(std::string_view name) {
  static const std::set<std::string_view> list = {
      "CBUSH",  "CBUSH1D", "CBUSH2D", "CELAS1", "CELAS2", "CELAS3", "CELAS4", "CDAMP1", "CDAMP2", "CDAMP3", "CDAMP4",
      "CMASS1", "CMASS2",  "CMASS3",  "CMASS4", "CONM1",  "CONM2",  "CGAP",   "CVISC",  "CWELD",  "CFAST",  "RBE1",
      "RBE2",   "RBE3",    "RBAR",    "RROD",   "PLOTEL", "CHBDYE", "CHBDYG", "CHBDYP", "GENEL"};
  return list.contains(name);
}

struct System {  // of coordinates: origin and axes in basic coordinates
  char type = 'R';
  Point origin{};
  std::array<Point, 3> axes{Point{1, 0, 0}, Point{0, 1, 0}, Point{0, 0, 1}};
};

Point unit(const Point& a) {
  const double length = std::hypot(a[0], a[1], a[2]);
  return {a[0] / length, a[1] / length, a[2] / length};
}

Point basic(const System& system, Point x) {
  const double degree = std::numbers::pi / 180;
  if (system.type == 'C') x = {x[0] * std::cos(x[1] * degree), x[0] * std::sin(x[1] * degree), x[2]};
  if (system.type == 'S')  // radius, angle from z, angle about z
    x = {x[0] * std::sin(x[1] * degree) * std::cos(x[2] * degree),
         x[0] * std::sin(x[1] * degree) * std::sin(x[2] * degree), x[0] * std::cos(x[1] * degree)};
  Point result = system.origin;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t k = 0; k < 3; ++k) result[k] += x[a] * system.axes[a][k];
  return result;
}

// Entries of a deck and of the files that it includes. Lines are joined into entries; comments start with $.
class EntryReader {
 public:
  explicit EntryReader(std::list<TextFile>& files) : files_(files) {}

  // Calls take(entry) for each.
  template <std::invocable<const Entry&> Take>
  void read(const std::string& path, const Take& take) {
    folder_ = std::filesystem::path(path).parent_path();
    read_file(path, 0, take);
  }
  bool has_end() const { return ended_; }  // ENDDATA

 private:
  template <class Take>
  void read_file(const std::string& path, int depth, const Take& take) {
    const TextFile& file = files_.emplace_back(path);
    bool in_bulk = depth > 0 || !has_begin_bulk(file);
    Entry entry;
    for (const char* position = file.begin(); position < file.end() && !ended_;) {
      const char* stop = line_end(position, file.end());
      std::string_view line(position, stop);
      line = line.substr(0, line.find('$'));
      while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
      const char* start = position;
      position = stop < file.end() ? stop + 1 : stop;
      if (line.empty()) continue;
      if (line.find('\t') != std::string_view::npos && line.find(',') == std::string_view::npos)
        file.fail(start, "a line of fixed fields holds a tab", "its width is not known",
                  "replace tabs by blanks, or write free fields with commas");
      const std::string head = upper(trimmed(line.substr(0, std::min<std::size_t>(line.find(','), 8))));
      if (!in_bulk) {
        in_bulk = upper(trimmed(line)).starts_with("BEGIN") && upper(line).find("BULK") != std::string::npos;
        continue;
      }
      const bool goes_on = line[0] == '+' || line[0] == '*' || head.empty();
      if (goes_on) {
        if (entry.file == nullptr) file.fail(start, "a continuation line without an entry");
        if (entry.fields.size() < most_fields) add_fields(line, line[0] == '*', entry.fields);
        continue;
      }
      if (entry.file != nullptr) take(entry);
      entry = {};
      if (head.starts_with("INCLUDE")) {
        read_file(included(file, start, line, depth), depth + 1, take);
        continue;
      }
      if (head == "ENDDATA" || head.starts_with("BEGIN")) {
        ended_ = ended_ || head == "ENDDATA";
        continue;
      }
      const bool large = head.ends_with('*');
      entry.name = large ? head.substr(0, head.size() - 1) : head;
      while (!entry.name.empty() && is_blank(entry.name.back())) entry.name.pop_back();
      entry.file = &file;
      entry.position = start;
      add_fields(line, large, entry.fields);
    }
    if (entry.file != nullptr) take(entry);
  }

  static bool has_begin_bulk(const TextFile& file) {
    for (const char* position = file.begin(); position < file.end();) {
      const char* stop = line_end(position, file.end());
      const std::string_view line = trimmed({position, stop});
      if (line.size() >= 5 && (line[0] == 'B' || line[0] == 'b') && upper(line.substr(0, 80)).starts_with("BEGIN"))
        return true;
      if (line.size() >= 4 && (line[0] == 'G' || line[0] == 'g') && upper(line.substr(0, 4)) == "GRID") return false;
      position = stop + 1;
    }
    return false;
  }

  std::string included(const TextFile& file, const char* place, std::string_view line, int depth) {
    std::string_view name = trimmed(trimmed(line).substr(7));
    if (name.size() >= 2 && (name.front() == '\'' || name.front() == '"')) name = name.substr(1, name.size() - 2);
    if (depth >= deepest_entry_include)
      file.fail(place, fmt::format("'{}' is included at depth {}", std::string(name), depth + 1),
                "files include each other in a circle");
    std::filesystem::path path{std::string(name)};
    if (path.is_relative()) path = folder_ / path;
    if (const std::string lack = lack_of_input(path.string()); !lack.empty())
      file.fail(place, fmt::format("the file '{}' to include {}", path.string(), lack), "", "check the name");
    if (++file_count_ > 10000) file.fail(place, "more than 10000 files are included");
    return path.string();
  }

  std::list<TextFile>& files_;
  std::filesystem::path folder_;
  int file_count_ = 0;
  bool ended_ = false;
};

struct Grid {
  Point x;
  std::int64_t system;  // of its coordinates; -1: the default
};

struct PropertyCells {
  std::int64_t property;
  CellRun cells;
};

struct OtherField {
  Index count = 0;
  std::string place, value;  // of the first
};

// Contents of a deck that are of the mesh, by label.
struct BulkData {
  std::list<TextFile> files;         // that entries are in
  std::vector<std::int64_t> labels;  // [grid]
  std::vector<Grid> grids;
  std::map<std::int64_t, Entry> systems;
  std::int64_t default_system = 0;
  std::map<CellKind, std::vector<std::int64_t>> cell_nodes;  // [cell][node]
  std::vector<PropertyCells> properties;
  std::map<std::pair<std::string, std::size_t>, OtherField> other_fields;  // by entry and row of other_fields()
  std::map<std::string, Index> scalar_elements;                            // by entry
  std::set<std::string> ignored;                                           // names of entries
};

std::string_view field(const Entry& entry, std::size_t number) {
  return number < entry.fields.size() ? entry.fields[number] : std::string_view();
}
std::int64_t integer(const Entry& entry, std::size_t number, const char* what, std::int64_t blank) {
  const std::string_view text = field(entry, number);
  std::int64_t value = blank;
  if (text.empty()) return value;
  if (parse_number(text.data(), text.data() + text.size(), value) == text.data() + text.size()) return value;
  entry.file->fail(entry.position, fmt::format("{} of a {} is '{}'", what, entry.name, text),
                   "expected a whole number");
}
std::int64_t identity(const Entry& entry) {
  const std::int64_t value = integer(entry, 0, "the number", 0);
  if (value < 1)
    entry.file->fail(entry.position,
                     fmt::format("the number of a {} is '{}'", entry.name, std::string(field(entry, 0))),
                     "numbers are 1 or more");
  return value;
}

// 1.5, 15.-1, 1.5+3, 1.5E3, 1.5D3: the letter of the exponent may be left out.
double real(const Entry& entry, std::size_t number, const char* what) {
  const std::string_view text = field(entry, number);
  if (text.empty()) return 0;
  char copy[40];
  std::size_t length = 0;
  bool exponent = false;
  for (std::size_t i = 0; i < text.size() && length + 2 < sizeof(copy); ++i) {
    char c = text[i];
    const bool sign = c == '+' || c == '-';
    if (c == 'd' || c == 'D' || c == 'E') c = 'e';
    if (sign && length > 0 && !exponent && copy[length - 1] != 'e') copy[length++] = 'e';
    if (c == 'e' || (sign && length > 0)) exponent = true;
    if (!(c == '+' && length == 0) && !(c == '+' && length > 0 && copy[length - 1] == 'e')) copy[length++] = c;
  }
  double value = 0;
  const auto [stop, error] = std::from_chars(copy, copy + length, value);
  if (error == std::errc{} && stop == copy + length && std::isfinite(value) && text.size() < sizeof(copy) - 2)
    return value;
  entry.file->fail(entry.position, fmt::format("{} of a {} is '{}'", what, entry.name, text), "expected a number");
}

// Fields of a cell other than its nodes change results, and none of them is of the mesh.
void note_other_fields(const Entry& entry, BulkData& bulk) {
  for (const std::size_t row : other_fields_of(entry.name)) {
    const OtherFields& other = other_fields()[row];
    if (entry.fields.size() <= other.first) continue;
    const std::size_t end = std::min(entry.fields.size(), other.first + other.count);
    const std::span<const std::string_view> given = std::span(entry.fields).subspan(other.first, end - other.first);
    const auto says = [&](std::string_view text) {
      return !text.empty() && !is_real_zero(text) && !(other.what == "OFFT" && upper(text) == "GGG");
    };
    if (std::ranges::none_of(given, says)) continue;
    OtherField& seen = bulk.other_fields[{entry.name, row}];
    if (seen.count++ > 0) continue;
    seen.value = fmt::format("{}", fmt::join(given, ", "));
    seen.place = fmt::format("{} {} in line {} of '{}'", entry.name, trimmed(field(entry, 0)),
                             entry.file->line_of(entry.position), entry.file->path());
  }
}

void take_grid(const Entry& entry, BulkData& bulk) {
  bulk.labels.push_back(identity(entry));
  bulk.grids.push_back({{real(entry, 2, "x"), real(entry, 3, "y"), real(entry, 4, "z")},
                        integer(entry, 1, "the coordinate system", -1)});
}

void take_system(const Entry& entry, BulkData& bulk) {
  if (entry.name[4] == '1')
    entry.file->fail(entry.position, fmt::format("{} is not supported", entry.name),
                     "it places coordinates by grid points", "use CORD2R, CORD2C or CORD2S");
  if (entry.name != "CORD2R" && entry.name != "CORD2C" && entry.name != "CORD2S")
    entry.file->fail(entry.position, fmt::format("{} is not supported", entry.name),
                     "Ritz reads CORD2R, CORD2C and CORD2S");
  bulk.systems[identity(entry)] = entry;
}

void take_cell(const Entry& entry, const Form& form, BulkData& bulk) {
  const std::int64_t element = identity(entry);
  const std::int64_t property = form.name == "CONROD" ? 0 : integer(entry, 1, "the property", element);
  std::array<std::int64_t, 27> nodes{};
  const int most = traits(form.kinds.back()).node_count;
  int given = 0, last = 0;
  for (int i = 0; i < most; ++i) {
    nodes[static_cast<std::size_t>(i)] =
        integer(entry, static_cast<std::size_t>(form.first_node + i), "a grid point", 0);
    if (nodes[static_cast<std::size_t>(i)] > 0) ++given, last = i + 1;
  }
  const auto kind =
      std::find_if(form.kinds.begin(), form.kinds.end(), [&](CellKind k) { return traits(k).node_count >= last; });
  const int wanted = kind == form.kinds.end() ? 0 : traits(*kind).node_count;
  if (kind == form.kinds.end() || given != wanted)
    entry.file->fail(
        entry.position, fmt::format("{} {} has {} grid points", entry.name, element, given),
        wanted > 0 ? fmt::format("expected {}; cells with some mid nodes only are not supported", wanted) : "",
        "give it all its mid nodes, or none");
  std::vector<std::int64_t>& list = bulk.cell_nodes[*kind];
  const bool reorder = !form.order.empty() && traits(*kind).order == 2;
  for (int i = 0; i < wanted; ++i)
    list.push_back(nodes[static_cast<std::size_t>(reorder ? form.order[static_cast<std::size_t>(i)] : i)]);
  if (property < 1) return;
  const Index position = std::ssize(list) / wanted - 1;
  if (!bulk.properties.empty())
    if (auto& [last_property, run] = bulk.properties.back();
        last_property == property && run.kind == *kind && run.first + run.count == position) {
      ++run.count;
      return;
    }
  bulk.properties.push_back({property, {*kind, position, 1}});
}

void take(const Entry& entry, BulkData& bulk) {
  note_other_fields(entry, bulk);
  if (entry.name == "GRID") return take_grid(entry, bulk);
  if (entry.name.starts_with("CORD") && entry.name.size() == 6) return take_system(entry, bulk);
  if (entry.name == "GRDSET") {
    bulk.default_system = integer(entry, 1, "the coordinate system", 0);
    return;
  }
  if (const Form* form = form_named(entry.name)) return take_cell(entry, *form, bulk);
  if (is_scalar_element(entry.name)) {
    ++bulk.scalar_elements[entry.name];
    return;
  }
  for (const std::string_view shape : {"CHEX", "CTET", "CPEN", "CPYR", "CQUAD", "CTRI", "CTRA", "CPLST"})
    if (entry.name.starts_with(shape))
      entry.file->fail(entry.position, fmt::format("elements {} are not supported", entry.name),
                       "leaving them out would leave a hole",
                       "use CTETRA, CPENTA, CHEXA, CPYRAM, CTRIA3, CTRIA6, CQUAD4 and CQUAD8");
  if (entry.name.starts_with('='))  // repeats the entry before it, with increments
    entry.file->fail(entry.position, "entries that are repeated by '=' are not supported",
                     "leaving them out would leave a hole", "let the preprocessor write all entries");
  bulk.ignored.insert(entry.name);
}

// A system in basic coordinates; systems may be defined in others.
System system_named(std::int64_t number, const BulkData& bulk, const Entry* from = nullptr, int depth = 0) {
  if (number == 0) return {};
  const auto found = bulk.systems.find(number);
  if (found == bulk.systems.end())
    throw Error(ErrorKind::mesh_reference,
                fmt::format("coordinate system {} is used in '{}' but not defined", number, bulk.files.front().path()),
                "", "include the file that defines it");
  if (depth > 64) from->file->fail(from->position, fmt::format("coordinate system {} is defined by itself", number));
  const Entry& entry = found->second;
  const System parent = system_named(integer(entry, 1, "the reference system", 0), bulk, &entry, depth + 1);
  Point p[3];
  for (std::size_t i = 0; i < 3; ++i)
    p[i] = basic(parent, {real(entry, 2 + 3 * i, "a coordinate"), real(entry, 3 + 3 * i, "a coordinate"),
                          real(entry, 4 + 3 * i, "a coordinate")});
  System system;
  system.type = entry.name[5];
  system.origin = p[0];
  system.axes[2] = unit(minus(p[1], p[0]));
  system.axes[1] = unit(cross(system.axes[2], minus(p[2], p[0])));
  system.axes[0] = cross(system.axes[1], system.axes[2]);
  for (const double c : {system.axes[0][0], system.axes[1][0], system.axes[2][0]})
    if (!std::isfinite(c))
      entry.file->fail(entry.position, fmt::format("the points of coordinate system {} lie on one line", number));
  return system;
}

// [node][3], in basic coordinates.
std::vector<double> points_of(const BulkData& bulk) {
  std::vector<double> points;
  std::map<std::int64_t, System> known;
  for (const Grid& grid : bulk.grids) {
    const std::int64_t number = grid.system < 0 ? bulk.default_system : grid.system;
    Point x = grid.x;
    if (number != 0) {
      const auto [system, is_new] = known.try_emplace(number);
      if (is_new) system->second = system_named(number, bulk);
      x = basic(system->second, x);
    }
    points.insert(points.end(), x.begin(), x.end());
  }
  return points;
}

CellsByKind cells_of(const BulkData& bulk) {
  CellsByKind cells;
  const NodeNumbers numbers(bulk.labels);
  if (numbers.has_duplicate())
    throw Error(ErrorKind::mesh_reference,
                fmt::format("GRID {} is defined twice in '{}'", numbers.duplicate(), bulk.files.front().path()),
                "every grid point has one place", "renumber them");
  for (const auto& [kind, labels] : bulk.cell_nodes)
    for (const std::int64_t label : labels) {
      const Node node = numbers(label);
      if (node < 0)
        throw Error(ErrorKind::mesh_reference,
                    fmt::format("grid point {} does not exist in '{}'", label, bulk.files.front().path()),
                    fmt::format("a {} uses it", traits(kind).name), "include the file that defines it");
      cells[static_cast<std::size_t>(kind)].push_back(node);
    }
  return cells;
}

void report_what_is_not_read(const BulkData& bulk, const std::set<std::string>* section_keys,
                             std::vector<std::string>& notices) {
  ErrorList errors;
  for (const auto& [key, seen] : bulk.other_fields) {
    const OtherFields& other = other_fields()[key.second];
    const std::string text = fmt::format("{} of {} {} are not read, the first of {}: {}", other.what, seen.count,
                                         key.first, seen.place, seen.value);
    const bool replaced =
        section_keys == nullptr || other.key == always_there || section_keys->contains(std::string(other.key));
    if (replaced) notices.push_back(text + "; " + std::string(other.remedy));
    else
      errors.add(Error(ErrorKind::deck_card, text, "results without them are those of another structure",
                       other.key == no_key ? fmt::format("{}; or remove them from the file", other.remedy)
                                           : std::string(other.remedy)));
  }
  errors.throw_if_any();
  const std::string& path = bulk.files.front().path();
  for (const auto& [name, count] : bulk.scalar_elements)
    notices.push_back(fmt::format("{} {} in '{}' are not cells and were omitted", count, name, path));
  if (!bulk.ignored.empty())
    notices.push_back(fmt::format("only the mesh of '{}' is read; ignored: {}", path, fmt::join(bulk.ignored, ", ")));
}

}  // namespace
}  // namespace nastran

MeshData read_nastran(const std::string& path, std::vector<std::string>& notices, bool structural,
                      const std::set<std::string>* section_keys) {
  nastran::BulkData bulk;
  nastran::EntryReader reader(bulk.files);
  reader.read(path, [&](const nastran::Entry& entry) { nastran::take(entry, bulk); });
  if (!reader.has_end()) notices.push_back(fmt::format("'{}' has no ENDDATA: check that it was not cut short", path));
  RawMesh raw;
  raw.source = path;
  raw.structural = structural;
  raw.points = nastran::points_of(bulk);
  raw.nodes = nastran::cells_of(bulk);
  for (const auto& [property, cells] : bulk.properties)
    append(raw.group(numbered_group(traits(cells.kind).dimension, property)).cells, cells);
  nastran::report_what_is_not_read(bulk, section_keys, notices);
  return mesh_of(std::move(raw), notices);
}

}  // namespace ritz
