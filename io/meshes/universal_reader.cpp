// I-DEAS universal files, as I-DEAS, NX, Salome and Gmsh write them (SDRC, "Universal File Datasets"): nodes (2411,
// 781, 15), elements (2412), groups (2467, 2477, 2452, 2435) and units (164).
#include "io/meshes/other_readers.hpp"

#include "io/files/number_text.hpp"
#include "io/files/text_case.hpp"
#include "io/files/text_file.hpp"
#include "io/meshes/foreign_cells.hpp"
#include "io/meshes/node_numbers.hpp"
#include "io/meshes/raw_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ritz {
namespace universal {
namespace {

// Quadratic cells list their nodes around: corner, middle, corner, ...; bottom, vertical edges, top.
// [VTK's node] -> position in the file; empty: the same.
std::span<const int> universal_order(CellKind kind) {
  using enum CellKind;
  static constexpr std::array line{0, 2, 1};
  static constexpr std::array triangle{0, 2, 4, 1, 3, 5};
  static constexpr std::array quadrilateral{0, 2, 4, 6, 1, 3, 5, 7};
  static constexpr std::array tetrahedron{0, 2, 4, 9, 1, 3, 5, 6, 7, 8};
  static constexpr std::array pyramid{0, 2, 4, 6, 12, 1, 3, 5, 7, 8, 9, 10, 11};
  static constexpr std::array prism{0, 2, 4, 9, 11, 13, 1, 3, 5, 10, 12, 14, 6, 7, 8};
  static constexpr std::array hexahedron{0, 2, 4, 6, 12, 14, 16, 18, 1, 3, 5, 7, 13, 15, 17, 19, 8, 9, 10, 11};
  switch (kind) {
    case line3: return line;
    case tri6: return triangle;
    case quad8: return quadrilateral;
    case tet10: return tetrahedron;
    case pyramid13: return pyramid;
    case prism15: return prism;
    case hex20: return hexahedron;
    default: return {};
  }
}

struct Descriptors {  // of elements with the same shapes
  int first, last;    // the number of a descriptor
  std::vector<CellKind> kinds;
};

// Beams have a record of their own before their nodes.
bool is_beam(std::int64_t descriptor) { return descriptor == 11 || (descriptor >= 21 && descriptor <= 24); }

// Springs, rigid elements, lumped masses.
bool is_no_cell(std::int64_t descriptor) { return descriptor >= 121 && descriptor <= 161; }

std::optional<CellKind> kind_of_element(std::int64_t descriptor, std::int64_t nodes) {
  using enum CellKind;
  static const std::vector<Descriptors> list = {
      {11, 24, {line2, line3}},              // rods and beams
      {31, 32, {line2, line3}},              // pipes
      {41, 95, {tri3, tri6, quad4, quad8}},  // plane stress and strain, plates, membranes, axisymmetric solids, shells
      {111, 111, {tet4}},
      {118, 118, {tet10}},
      {112, 112, {prism6}},
      {113, 113, {prism15}},
      {115, 115, {hex8}},
      {116, 116, {hex20}},
      {171, 172, {line2, line3}},  // axisymmetric shells
      {312, 312, {pyramid5}},
      {313, 313, {pyramid13}}};
  for (const Descriptors& each : list)
    if (descriptor >= each.first && descriptor <= each.last)
      for (const CellKind kind : each.kinds)
        if (traits(kind).node_count == nodes) return kind;
  return std::nullopt;
}

struct Cell {
  std::int64_t label;
  CellKind kind;
  Index position;  // among those of its kind
  std::int64_t property;
};

struct Group {
  std::string name;
  std::vector<std::int64_t> nodes = {}, elements = {};  // labels
  Index others = 0;                                     // members that are neither
  const char* position = nullptr;
};

// Contents of the datasets that are read; nodes and elements by label.
struct Datasets {
  std::vector<std::int64_t> node_labels;
  std::vector<double> points;  // [node][3]
  std::vector<Cell> cells;
  std::map<CellKind, std::vector<std::int64_t>> cell_nodes;  // [cell][node]
  std::vector<Group> groups;
  bool has_groups = false;
  std::vector<std::string> units;                          // of length, other than metres
  std::set<std::int64_t> other_descriptors, other_labels;  // of elements that are no cells
  std::set<std::string> ignored;                           // numbers of datasets
};

struct Line {
  const char* start;
  std::string_view text;
};

bool is_mark(std::string_view text) { return trimmed(text) == "-1"; }

std::vector<std::int64_t> whole_numbers(const Line& line) {
  std::vector<std::int64_t> numbers;
  const char *position = line.start, *const end = line.start + line.text.size();
  while ((position = skip_blanks(position, end)) < end) {
    std::int64_t value = 0;
    const char* const stop = parse_number(position, end, value);
    if (stop == nullptr) break;
    numbers.push_back(value);
    position = stop;
  }
  return numbers;
}

// The lines of a file, one after the other.
class Lines {
 public:
  explicit Lines(const TextFile& file) : file_(file), at_(file.begin()) {}

  const TextFile& file() const { return file_; }
  bool at_end() const { return at_ >= file_.end(); }
  bool in_dataset() const { return !at_end() && !is_mark({at_, line_end(at_, file_.end())}); }
  Line next(const char* what) {
    if (at_end()) file_.fail(at_, fmt::format("expected {}, but the file ends", what), "it may have been cut short");
    const char* const start = at_;
    const char* const stop = line_end(at_, file_.end());
    at_ = std::min(stop + 1, file_.end());
    return {start, {start, stop}};
  }
  void skip_to_mark(const std::string& dataset) {
    while (in_dataset()) next("the end of a dataset");
    if (at_end())
      file_.fail(at_, fmt::format("dataset {} has no end", dataset),
                 "a line with -1 closes it; the file may have been cut short");
    next("the end of a dataset");
  }

  // The numbers of a line, `count` or more; a comment may follow them.
  std::vector<std::int64_t> integers(const Line& line, std::size_t count, const char* what) const {
    std::vector<std::int64_t> numbers = whole_numbers(line);
    if (numbers.size() < count)
      file_.fail_expected(line.start, what, fmt::format("its record has {} whole numbers or more", count));
    return numbers;
  }
  // Fortran's exponents have a D.
  std::array<double, 3> reals(const Line& line, const char* what) const {
    std::string words(line.text);
    std::ranges::replace(words, 'D', 'E');
    std::ranges::replace(words, 'd', 'e');
    const char *position = words.data(), *const end = position + words.size();
    std::array<double, 3> x{};
    for (double& value : x) {
      position = skip_blanks(position, end);
      const char* const stop = position == end ? nullptr : parse_number(position, end, value);
      if (stop == nullptr || !std::isfinite(value)) file_.fail_expected(line.start, what, "three numbers give a point");
      position = stop;
    }
    return x;
  }

 private:
  const TextFile& file_;
  const char* at_;
};

void read_nodes(Lines& lines, bool on_two_lines, Datasets& data) {
  while (lines.in_dataset()) {
    Line line = lines.next("a node");
    data.node_labels.push_back(lines.integers(line, 4, "a node's number, coordinate systems and color")[0]);
    if (on_two_lines) {
      line = lines.next("the coordinates of a node");
    } else {
      for (int word = 0; word < 4; ++word) {
        line.text.remove_prefix(std::min(line.text.find_first_not_of(" \t"), line.text.size()));
        line.text.remove_prefix(std::min(line.text.find_first_of(" \t"), line.text.size()));
      }
    }
    for (const double x : lines.reals(line, "the coordinates of a node")) data.points.push_back(x);
  }
}

std::vector<std::int64_t> read_element_nodes(Lines& lines, const Line& head, std::int64_t label, std::int64_t count) {
  std::vector<std::int64_t> nodes;
  while (std::ssize(nodes) < count) {
    const Line record = lines.next("the nodes of an element");
    const std::vector<std::int64_t> more = whole_numbers(record);
    if (more.empty() || is_mark(record.text))
      lines.file().fail_expected(record.start, fmt::format("{} nodes of element {}", count, label));
    nodes.insert(nodes.end(), more.begin(), more.end());
  }
  if (std::ssize(nodes) > count)
    lines.file().fail(head.start,
                      fmt::format("element {} has {} nodes, and its record {}", label, count, nodes.size()));
  return nodes;
}

void read_elements(Lines& lines, Datasets& data) {
  while (lines.in_dataset()) {
    const Line line = lines.next("an element");
    const std::vector<std::int64_t> head =
        lines.integers(line, 6, "an element's number, descriptor, properties, color and count of nodes");
    const std::int64_t label = head[0], descriptor = head[1], count = head[5];
    if (count < 1 || count > 1000)
      lines.file().fail(line.start, fmt::format("element {} has {} nodes", label, count),
                        "the sixth number is their count");
    if (is_beam(descriptor)) lines.next("the orientation of a beam");
    const std::vector<std::int64_t> nodes = read_element_nodes(lines, line, label, count);
    if (is_no_cell(descriptor)) {
      data.other_descriptors.insert(descriptor);
      data.other_labels.insert(label);
      continue;
    }
    const std::optional<CellKind> kind = kind_of_element(descriptor, count);
    if (!kind)
      lines.file().fail(
          line.start, fmt::format("elements with descriptor {} and {} nodes are not supported", descriptor, count),
          "leaving them out would leave a hole",
          "use lines, triangles, quadrilaterals, tetrahedra, wedges, bricks and pyramids of order 1 or 2");
    std::vector<std::int64_t>& of_kind = data.cell_nodes[*kind];
    data.cells.push_back({label, *kind, std::ssize(of_kind) / count, head[2]});
    of_kind.insert(of_kind.end(), nodes.begin(), nodes.end());
  }
}

void read_groups(Lines& lines, Datasets& data) {
  data.has_groups = true;
  while (lines.in_dataset()) {
    const Line line = lines.next("a group");
    const std::vector<std::int64_t> head = lines.integers(line, 8, "the eight numbers of a group");
    Group group{.name = std::string(trimmed(lines.next("the name of a group").text)), .position = line.start};
    if (group.name.empty()) group.name = fmt::format("group_{}", head[0]);
    for (std::int64_t left = head[7]; left > 0;) {
      const Line record = lines.next("the members of a group");
      const std::vector<std::int64_t> members = whole_numbers(record);
      if (members.empty() || members.size() % 4 != 0 || is_mark(record.text))
        lines.file().fail_expected(record.start, fmt::format("{} more members of group '{}'", left, group.name),
                                   "four numbers each");
      for (std::size_t i = 0; i < members.size() && left > 0; i += 4, --left)
        if (members[i] == 7) group.nodes.push_back(members[i + 1]);
        else if (members[i] == 8) group.elements.push_back(members[i + 1]);
        else ++group.others;
    }
    data.groups.push_back(std::move(group));
  }
}

// Lengths of the file are metres times the factor; as in other formats they are taken as they are.
void read_units(Lines& lines, Datasets& data) {
  lines.next("the units");
  const double length = lines.reals(lines.next("the factors of the units"), "the factors of the units")[0];
  if (length == 1 || !(length > 0)) return;
  std::string unit = fmt::format("{:.6g} m", 1 / length);
  for (const auto& [name, per_metre] : {std::pair{"mm", 1000.0}, {"cm", 100.0}, {"in", 1 / 0.0254}, {"ft", 1 / 0.3048}})
    if (std::abs(length / per_metre - 1) < 1e-4) unit = name;
  data.units.push_back(unit);
}

Datasets read_datasets(const TextFile& file) {
  Datasets data;
  for (Lines lines(file); !lines.at_end();) {
    if (!is_mark(lines.next("a dataset").text)) continue;
    const Line line = lines.next("the number of a dataset");
    const std::string_view text = trimmed(line.text);
    const std::string name(text.substr(0, text.find(' ')));
    if (name == "2411" || name == "781") read_nodes(lines, true, data);
    else if (name == "15") read_nodes(lines, false, data);
    else if (name == "2412") read_elements(lines, data);
    else if (name == "2467" || name == "2477" || name == "2452" || name == "2435") read_groups(lines, data);
    else if (name == "164") read_units(lines, data);
    else if (name == "71" || name == "780")
      file.fail(line.start, fmt::format("elements of the older dataset {} are not supported", name),
                "leaving them out would leave a hole", "write the file with dataset 2412");
    else data.ignored.insert(name);
    lines.skip_to_mark(name);
  }
  return data;
}

void add_cells(const Datasets& data, const NodeNumbers& number, RawMesh& raw) {
  if (number.has_duplicate())
    throw Error(ErrorKind::mesh_reference,
                fmt::format("node {} is defined twice in '{}'", number.duplicate(), raw.source), "",
                "write the file again with the mesher");
  for (const auto& [kind, labels] : data.cell_nodes) {
    std::vector<std::int64_t> from_one;
    for (const std::int64_t label : labels) {
      const Node node = number(label);
      if (node < 0)
        throw Error(ErrorKind::mesh_reference, fmt::format("node {} does not exist in '{}'", label, raw.source),
                    fmt::format("a {} uses it", traits(kind).name), "write the file with all nodes");
      from_one.push_back(std::int64_t{node} + 1);
    }
    append_cells(raw.nodes_of(kind), from_one, traits(kind).node_count, universal_order(kind));
  }
}

void add_group(const Group& group, const Datasets& data, const NodeNumbers& node, const NodeNumbers& element,
               const TextFile& file, RawGroup& to) {
  for (const std::int64_t label : group.elements) {
    const Node at = element(label);
    if (at >= 0) {
      const Cell& cell = data.cells[static_cast<std::size_t>(at)];
      append(to.cells, {cell.kind, cell.position, 1});
    } else if (!data.other_labels.contains(label)) {
      file.fail(group.position, fmt::format("group '{}' has element {}, which does not exist", group.name, label));
    }
  }
  for (const std::int64_t label : group.nodes) {
    const Node at = node(label);
    if (at < 0)
      file.fail(group.position, fmt::format("group '{}' has node {}, which does not exist", group.name, label));
    to.nodes.push_back(at);
  }
}

// Groups; in a file without any, those of properties.
void add_groups(const Datasets& data, const NodeNumbers& node, const TextFile& file, RawMesh& raw) {
  std::vector<std::int64_t> labels;
  for (const Cell& cell : data.cells) labels.push_back(cell.label);
  const NodeNumbers element(labels);
  if (element.has_duplicate())
    throw Error(ErrorKind::mesh_reference,
                fmt::format("element {} is defined twice in '{}'", element.duplicate(), raw.source), "",
                "write the file again with the mesher");
  for (const Group& group : data.groups) add_group(group, data, node, element, file, raw.group(group.name));
  if (data.has_groups) return;
  for (const Cell& cell : data.cells)
    if (cell.property > 0)
      append(raw.group(numbered_group(traits(cell.kind).dimension, cell.property)).cells,
             {cell.kind, cell.position, 1});
}

RawMesh raw_mesh(Datasets data, const TextFile& file, bool structural) {
  RawMesh raw;
  raw.source = file.path();
  raw.structural = structural;
  raw.points = std::move(data.points);
  const NodeNumbers number(data.node_labels);
  add_cells(data, number, raw);
  add_groups(data, number, file, raw);
  return raw;
}

void report_what_is_not_read(const Datasets& data, const std::string& path, std::vector<std::string>& notices) {
  for (const std::string& unit : data.units) report_unit_of_length(path, unit, notices);
  for (const Group& group : data.groups)
    if (group.others > 0)
      notices.push_back(fmt::format("group '{}' of '{}': {} members that are neither nodes nor elements are not read",
                                    group.name, path, group.others));
  if (!data.other_labels.empty())
    notices.push_back(fmt::format("'{}': {} springs, rigid elements or lumped masses (descriptors {}) are not read",
                                  path, data.other_labels.size(), fmt::join(data.other_descriptors, ", ")));
  if (!data.ignored.empty())
    notices.push_back(fmt::format("ignored in '{}': datasets {}", path, fmt::join(data.ignored, ", ")));
}

}  // namespace
}  // namespace universal

MeshData read_universal(const std::string& path, std::vector<std::string>& notices, bool structural) {
  const TextFile file(path);
  universal::Datasets data = universal::read_datasets(file);
  universal::report_what_is_not_read(data, path, notices);
  return mesh_of(universal::raw_mesh(std::move(data), file, structural), notices);
}

}  // namespace ritz
