#include "io/meshes/inp_types.hpp"

#include "io/meshes/raw_mesh.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace ritz {
namespace {

using enum CellKind;

struct CountAndKind {
  int number;  // after the family's letters: the node count, but for the exceptions below
  CellKind kind;
};

struct InpFamily {
  std::string_view letters;
  std::span<const CountAndKind> members;
  bool shell = false;
};

constexpr std::array solids{CountAndKind{4, tet4},     CountAndKind{5, pyramid5}, CountAndKind{6, prism6},
                            CountAndKind{8, hex8},     CountAndKind{10, tet10},   CountAndKind{13, pyramid13},
                            CountAndKind{15, prism15}, CountAndKind{20, hex20}};
constexpr std::array surfaces{CountAndKind{3, tri3},  CountAndKind{4, quad4}, CountAndKind{6, tri6},
                              CountAndKind{65, tri6}, CountAndKind{8, quad8}, CountAndKind{9, quad9}};
constexpr std::array lines_by_order{CountAndKind{21, line2}, CountAndKind{22, line3}, CountAndKind{23, line2},
                                    CountAndKind{31, line2}, CountAndKind{32, line3}, CountAndKind{33, line2}};
constexpr std::array lines_by_count{CountAndKind{2, line2}, CountAndKind{3, line3}};
constexpr std::array axisymmetric_lines{CountAndKind{1, line2}, CountAndKind{2, line3}};

// Longer letters come before their own beginnings.
// clang-format off
constexpr std::array families{
    InpFamily{"C3D", solids},    InpFamily{"DC3D", solids},   InpFamily{"AC3D", solids},    InpFamily{"QC3D", solids},
    InpFamily{"DCC3D", solids},  InpFamily{"EMC3D", solids},  InpFamily{"F3D", solids},     InpFamily{"FC3D", solids},
    InpFamily{"SC", solids},     InpFamily{"CSS", solids},
    InpFamily{"CPS", surfaces},  InpFamily{"CPE", surfaces},  InpFamily{"CPEG", surfaces},  InpFamily{"CAX", surfaces},
    InpFamily{"CGAX", surfaces}, InpFamily{"DC2D", surfaces}, InpFamily{"DCAX", surfaces},  InpFamily{"AC2D", surfaces},
    InpFamily{"ACAX", surfaces}, InpFamily{"DCC2D", surfaces}, InpFamily{"DCCAX", surfaces}, InpFamily{"EMC2D", surfaces},
    InpFamily{"S", surfaces, true},    InpFamily{"STRI", surfaces, true}, InpFamily{"DS", surfaces, true},    InpFamily{"M3D",
    surfaces, true},
    InpFamily{"R3D", surfaces, true},  InpFamily{"SFM3D", surfaces, true},
    InpFamily{"B", lines_by_order}, InpFamily{"PIPE", lines_by_order}, InpFamily{"ELBOW", lines_by_order},
    InpFamily{"T2D", lines_by_count}, InpFamily{"T3D", lines_by_count}, InpFamily{"R2D", lines_by_count},
    InpFamily{"RB2D", lines_by_count}, InpFamily{"RB3D", lines_by_count}, InpFamily{"DC1D", lines_by_count},
    InpFamily{"SAX", axisymmetric_lines}, InpFamily{"DSAX", axisymmetric_lines}, InpFamily{"MAX", axisymmetric_lines}};
// clang-format on

struct Parsed {
  const InpFamily* family = nullptr;
  int number = 0;
  std::string_view rest;
};

// InpFamily, number and suffix; the family with the longest letters that fit.
Parsed parse(std::string_view name) {
  Parsed best;
  for (const InpFamily& family : families) {
    if (!name.starts_with(family.letters) ||
        (best.family != nullptr && best.family->letters.size() > family.letters.size()))
      continue;
    int number = 0;
    const char* begin = name.data() + family.letters.size();
    const auto [stop, error] = std::from_chars(begin, name.data() + name.size(), number);
    if (error == std::errc{} && number > 0) best = {&family, number, {stop, name.data() + name.size()}};
  }
  return best;
}

// R, H, I, T, P, E, M, S, W, 5, ...: how it is integrated and which fields it carries, which a mesh does not need to
// know.
bool known_suffix(std::string_view rest) {
  return std::all_of(rest.begin(), rest.end(), [](char c) { return (c >= 'A' && c <= 'Z' && c != 'V') || c == '5'; });
}

using Corners = std::vector<int>;

// The faces S1, S2, ... by their corners, counted from 1 as in the manuals.
const std::vector<Corners>& faces_of(CellKind linear) {
  static const std::vector<Corners> tetrahedron = {{1, 2, 3}, {1, 4, 2}, {2, 4, 3}, {3, 4, 1}};
  static const std::vector<Corners> hexahedron = {{1, 2, 3, 4}, {5, 8, 7, 6}, {1, 5, 6, 2},
                                                  {2, 6, 7, 3}, {3, 7, 8, 4}, {4, 8, 5, 1}};
  static const std::vector<Corners> wedge = {{1, 2, 3}, {4, 6, 5}, {1, 4, 5, 2}, {2, 5, 6, 3}, {3, 6, 4, 1}};
  static const std::vector<Corners> pyramid = {{1, 2, 3, 4}, {1, 5, 2}, {2, 5, 3}, {3, 5, 4}, {4, 5, 1}};
  static const std::vector<Corners> triangle = {{1, 2}, {2, 3}, {3, 1}};
  static const std::vector<Corners> quadrilateral = {{1, 2}, {2, 3}, {3, 4}, {4, 1}};
  static const std::vector<Corners> line = {{1}, {2}};
  static const std::vector<Corners> none;
  switch (linear) {
    case tet4: return tetrahedron;
    case hex8: return hexahedron;
    case prism6: return wedge;
    case pyramid5: return pyramid;
    case tri3: return triangle;
    case quad4: return quadrilateral;
    case line2: return line;
    default: return none;
  }
}

}  // namespace

std::optional<InpType> inp_type(std::string_view name) {
  const Parsed parsed = parse(name);
  if (parsed.family == nullptr || !known_suffix(parsed.rest)) return std::nullopt;
  for (const CountAndKind& member : parsed.family->members)
    if (member.number == parsed.number)
      return InpType{member.kind, traits(member.kind).dimension == 1, parsed.family->shell};
  return std::nullopt;
}

InpUse inp_use(std::string_view name) {
  if (inp_type(name)) return InpUse::cell;
  const Parsed parsed = parse(name);
  const bool has_volume = parsed.family != nullptr && traits(parsed.family->members[0].kind).dimension > 1;
  return has_volume || name.starts_with("COH") || name.starts_with("CAXA") || name.starts_with("CCL")
             ? InpUse::unsupported
             : InpUse::nothing;
}

std::span<const int> inp_node_order(CellKind kind) {
  static constexpr std::array middle_second{0, 2, 1};
  return kind == line3 ? std::span<const int>(middle_second) : std::span<const int>();
}

std::optional<int> inp_facet(CellKind kind, int number) {
  const std::vector<Corners>& faces = faces_of(traits(kind).linear);
  if (number < 1 || number > static_cast<int>(faces.size())) return std::nullopt;
  Corners corners = faces[static_cast<std::size_t>(number - 1)];
  for (int& corner : corners) --corner;
  return facet_with_corners(kind, corners);
}

int inp_facet_number(CellKind kind, int facet) {
  for (int number = 1; number <= 6; ++number)
    if (inp_facet(kind, number) == facet) return number;
  return 0;
}

std::string inp_type_name(CellKind kind) {
  switch (kind) {
    case line2: return "T3D2";
    case line3: return "T3D3";
    case tri3: return "CPS3";
    case tri6: return "CPS6";
    case quad4: return "CPS4";
    case quad8: return "CPS8";
    case tet4: return "C3D4";
    case tet10: return "C3D10";
    case hex8: return "C3D8";
    case hex20: return "C3D20";
    case prism6: return "C3D6";
    case prism15: return "C3D15";
    case pyramid5: return "C3D5";
    default: return {};  // Abaqus and CalculiX have none of it
  }
}

}  // namespace ritz
