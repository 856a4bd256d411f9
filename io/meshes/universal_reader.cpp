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

class UniversalReader {
 public:
  UniversalReader(const std::string& path, std::vector<std::string>& notices)
      : file_(path), at_(file_.begin()), notices_(notices) {
    raw_.source = path;
  }

  MeshData read(bool structural) {
    raw_.structural = structural;
    while (find_dataset()) read_dataset();
    finish_cells();
    finish_groups();
    if (!left_out_.empty())
      notices_.push_back(fmt::format("'{}': {} springs, rigid elements or lumped masses (descriptors {}) are not read",
                                     file_.path(), left_out_labels_.size(), fmt::join(left_out_, ", ")));
    if (!ignored_.empty())
      notices_.push_back(fmt::format("ignored in '{}': datasets {}", file_.path(), fmt::join(ignored_, ", ")));
    return mesh_of(std::move(raw_), notices_);
  }

 private:
  struct Line {
    const char* start = nullptr;
    std::string_view text;
  };

  bool has_line() const { return at_ < file_.end(); }
  Line next_line(const char* what) {
    if (!has_line()) file_.fail(at_, fmt::format("expected {}, but the file ends", what), "it may have been cut short");
    const char* const start = at_;
    const char* const stop = line_end(at_, file_.end());
    at_ = std::min(stop + 1, file_.end());
    return {start, {start, stop}};
  }
  static bool is_mark(std::string_view text) { return trimmed(text) == "-1"; }

  // Words of a line; a comment may follow the numbers that are asked for.
  std::vector<std::int64_t> integers(std::size_t count, const char* what) {
    return integers(next_line(what), count, what);
  }
  std::vector<std::int64_t> integers(const Line& line, std::size_t count, const char* what) const {
    std::vector<std::int64_t> numbers = whole_numbers(line);
    if (numbers.size() < count)
      file_.fail_expected(line.start, what, fmt::format("its record has {} whole numbers or more", count));
    return numbers;
  }
  std::vector<std::int64_t> whole_numbers(const Line& line) const {
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

  // Fortran's exponents have a D.
  std::array<double, 3> reals(std::string_view text, const char* start, const char* what) const {
    std::string words(text);
    std::ranges::replace(words, 'D', 'E');
    std::ranges::replace(words, 'd', 'e');
    const char *position = words.data(), *const end = position + words.size();
    std::array<double, 3> x{};
    for (double& value : x) {
      position = skip_blanks(position, end);
      const char* const stop = position == end ? nullptr : parse_number(position, end, value);
      if (stop == nullptr || !std::isfinite(value)) file_.fail_expected(start, what, "three numbers give a point");
      position = stop;
    }
    return x;
  }

  bool find_dataset() {
    while (has_line())
      if (is_mark(next_line("a dataset").text)) return true;
    return false;
  }

  void read_dataset() {
    const Line line = next_line("the number of a dataset");
    const std::string_view text = trimmed(line.text);
    const std::string name(text.substr(0, text.find(' ')));
    if (name == "2411" || name == "781") read_nodes(true);
    else if (name == "15") read_nodes(false);
    else if (name == "2412") read_elements();
    else if (name == "2467" || name == "2477" || name == "2452" || name == "2435") read_groups();
    else if (name == "164") read_units();
    else if (name == "71" || name == "780")
      file_.fail(line.start, fmt::format("elements of the older dataset {} are not supported", name),
                 "leaving them out would leave a hole", "write the file with dataset 2412");
    else ignored_.insert(name);
    while (has_line() && !is_mark(std::string_view(at_, line_end(at_, file_.end())))) next_line("the end of a dataset");
    if (!has_line())
      file_.fail(at_, fmt::format("dataset {} has no end", name),
                 "a line with -1 closes it; the file may have been cut short");
    next_line("the end of a dataset");
  }

  bool dataset_goes_on() const { return has_line() && !is_mark({at_, line_end(at_, file_.end())}); }

  void read_nodes(bool on_two_lines) {
    while (dataset_goes_on()) {
      const Line line = next_line("a node");
      labels_.push_back(integers(line, 4, "a node's number, coordinate systems and color")[0]);
      std::string_view rest = line.text;
      const char* start = line.start;
      if (on_two_lines) {
        const Line second = next_line("the coordinates of a node");
        rest = second.text;
        start = second.start;
      } else {
        for (int word = 0; word < 4; ++word) {
          rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
          rest.remove_prefix(std::min(rest.find_first_of(" \t"), rest.size()));
        }
      }
      for (const double x : reals(rest, start, "the coordinates of a node")) raw_.points.push_back(x);
    }
  }

  void read_elements() {
    while (dataset_goes_on()) {
      const Line line = next_line("an element");
      const std::vector<std::int64_t> head =
          integers(line, 6, "an element's number, descriptor, properties, color and count of nodes");
      const std::int64_t label = head[0], descriptor = head[1], count = head[5];
      if (count < 1 || count > 1000)
        file_.fail(line.start, fmt::format("element {} has {} nodes", label, count), "the sixth number is their count");
      if (is_beam(descriptor)) next_line("the orientation of a beam");
      std::vector<std::int64_t> nodes;
      while (std::ssize(nodes) < count) {
        const Line record = next_line("the nodes of an element");
        const std::vector<std::int64_t> more = whole_numbers(record);
        if (more.empty() || is_mark(record.text))
          file_.fail_expected(record.start, fmt::format("{} nodes of element {}", count, label));
        nodes.insert(nodes.end(), more.begin(), more.end());
      }
      if (std::ssize(nodes) > count)
        file_.fail(line.start, fmt::format("element {} has {} nodes, and its record {}", label, count, nodes.size()),
                   "");
      if (is_no_cell(descriptor)) {
        left_out_.insert(descriptor);
        left_out_labels_.insert(label);
        continue;
      }
      const std::optional<CellKind> kind = kind_of_element(descriptor, count);
      if (!kind)
        file_.fail(line.start,
                   fmt::format("elements with descriptor {} and {} nodes are not supported", descriptor, count),
                   "leaving them out would leave a hole",
                   "use lines, triangles, quadrilaterals, tetrahedra, wedges, bricks and pyramids of order 1 or 2");
      cells_.push_back({label, *kind, std::ssize(numbers_[*kind]) / count, head[2]});
      numbers_[*kind].insert(numbers_[*kind].end(), nodes.begin(), nodes.end());
    }
  }

  void read_groups() {
    has_groups_ = true;
    while (dataset_goes_on()) {
      const Line line = next_line("a group");
      const std::vector<std::int64_t> head = integers(line, 8, "the eight numbers of a group");
      Group group{.name = std::string(trimmed(next_line("the name of a group").text)), .position = line.start};
      if (group.name.empty()) group.name = fmt::format("group_{}", head[0]);
      for (std::int64_t left = head[7]; left > 0;) {
        const Line record = next_line("the members of a group");
        const std::vector<std::int64_t> members = whole_numbers(record);
        if (members.empty() || members.size() % 4 != 0 || is_mark(record.text))
          file_.fail_expected(record.start, fmt::format("{} more members of group '{}'", left, group.name),
                              "four numbers each");
        for (std::size_t i = 0; i < members.size() && left > 0; i += 4, --left)
          if (members[i] == 7) group.nodes.push_back(members[i + 1]);
          else if (members[i] == 8) group.elements.push_back(members[i + 1]);
          else ++group.others;
      }
      groups_.push_back(std::move(group));
    }
  }

  // Lengths of the file are metres times the factor; as in other formats they are taken as they are.
  void read_units() {
    next_line("the units");
    const Line factors = next_line("the factors of the units");
    const double length = reals(factors.text, factors.start, "the factors of the units")[0];
    if (length == 1 || !(length > 0)) return;
    std::string unit = fmt::format("{:.6g} m", 1 / length);
    for (const auto& [name, per_metre] :
         {std::pair{"mm", 1000.0}, {"cm", 100.0}, {"in", 1 / 0.0254}, {"ft", 1 / 0.3048}})
      if (std::abs(length / per_metre - 1) < 1e-4) unit = name;
    report_unit_of_length(file_.path(), unit, notices_);
  }

  void finish_cells() {
    const NodeNumbers number(labels_);
    if (number.has_duplicate())
      throw Error(Exit::mesh, fmt::format("node {} is defined twice in '{}'", number.duplicate(), file_.path()), "",
                  "write the file again with the mesher");
    for (const auto& [kind, labels] : numbers_) {
      std::vector<std::int64_t> from_one;
      for (const std::int64_t label : labels) {
        const Node node = number(label);
        if (node < 0)
          throw Error(Exit::mesh, fmt::format("node {} does not exist in '{}'", label, file_.path()),
                      fmt::format("a {} uses it", traits(kind).name), "write the file with all nodes");
        from_one.push_back(std::int64_t{node} + 1);
      }
      append_cells(raw_.nodes_of(kind), from_one, traits(kind).node_count, universal_order(kind));
    }
  }

  void finish_groups() {
    std::vector<std::int64_t> labels;
    for (const Cell& cell : cells_) labels.push_back(cell.label);
    const NodeNumbers element(labels), node(labels_);
    if (element.has_duplicate())
      throw Error(Exit::mesh, fmt::format("element {} is defined twice in '{}'", element.duplicate(), file_.path()), "",
                  "write the file again with the mesher");
    for (const Group& group : groups_) {
      RawGroup& to = raw_.group(group.name);
      for (const std::int64_t label : group.elements) {
        const Node at = element(label);
        if (at >= 0)
          append(to.cells,
                 {cells_[static_cast<std::size_t>(at)].kind, cells_[static_cast<std::size_t>(at)].position, 1});
        else if (!left_out_labels_.contains(label))
          file_.fail(group.position, fmt::format("group '{}' has element {}, which does not exist", group.name, label));
      }
      for (const std::int64_t label : group.nodes) {
        const Node at = node(label);
        if (at < 0)
          file_.fail(group.position, fmt::format("group '{}' has node {}, which does not exist", group.name, label));
        to.nodes.push_back(at);
      }
      if (group.others > 0)
        notices_.push_back(
            fmt::format("group '{}' of '{}': {} members that are neither nodes nor elements are not read", group.name,
                        file_.path(), group.others));
    }
    if (has_groups_) return;
    for (const Cell& cell : cells_)
      if (cell.property > 0)
        append(raw_.group(numbered_group(traits(cell.kind).dimension, cell.property)).cells,
               {cell.kind, cell.position, 1});
  }

  struct Cell {
    std::int64_t label;
    CellKind kind;
    Index position;  // among those of its kind
    std::int64_t property;
  };
  struct Group {
    std::string name;
    std::vector<std::int64_t> nodes = {}, elements = {};
    Index others = 0;
    const char* position = nullptr;
  };

  const TextFile file_;
  const char* at_;
  std::vector<std::string>& notices_;
  RawMesh raw_;
  std::vector<std::int64_t> labels_;  // of nodes
  std::map<CellKind, std::vector<std::int64_t>> numbers_;
  std::vector<Cell> cells_;
  std::vector<Group> groups_;
  bool has_groups_ = false;
  std::set<std::int64_t> left_out_, left_out_labels_;  // descriptors; elements
  std::set<std::string> ignored_;
};

}  // namespace

MeshData read_universal(const std::string& path, std::vector<std::string>& notices, bool structural) {
  return UniversalReader(path, notices).read(structural);
}

}  // namespace ritz
