#include "apps/ritz/deck_sections.hpp"

#include "io/files/text_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numbers>

namespace ritz {

std::optional<DeckShell> shell_of(const DeckCard& card) {
  if (!card.parameters.contains("COMPOSITE")) return DeckShell{card.number(0, 0), card.parameter("MATERIAL")};
  DeckShell shell{0, card.text(0, 2)};
  for (std::size_t layer = 0; layer < card.data.size(); ++layer) {
    if (upper(card.text(layer, 2)) != upper(shell.material) || !card.text(layer, 3).empty()) return std::nullopt;
    shell.thickness += card.number(layer, 0);
  }
  return shell;
}

std::vector<std::string> shell_lines(const DeckShell& shell, const std::set<CellKind>& kinds) {
  return {fmt::format("element = \"{}\"", kinds.contains(CellKind::tri3) ? "shell3" : "shell"),
          fmt::format("thickness = {}", shell.thickness)};
}

namespace {

std::vector<std::string> circle_lines(double diameter) {
  return {"profile = \"circle\"", fmt::format("diameter = {}", diameter)};
}

// CalculiX gives the diameters along the directions 1 and 2, Abaqus one number, the radius.
std::vector<std::string> round_lines(double a, double b) {
  if (b == 0) return circle_lines(2 * a);
  if (a == b) return circle_lines(a);
  const double area = std::numbers::pi / 4 * a * b;
  return {fmt::format("area = {}  # of an ellipse {} x {}", area, a, b),
          fmt::format("inertia_y = {}", area * b * b / 16),
          fmt::format("inertia_z = {}", area * a * a / 16),
          fmt::format("torsion = {}", area * a * a * b * b / (4 * (a * a + b * b))),
          fmt::format("shear_area_y = {}", 0.9 * area),
          fmt::format("shear_area_z = {}", 0.9 * area)};
}

bool is_even_box(const DeckCard& card) {
  const double wall = card.number(0, 2);
  return wall > 0 && card.number(0, 3) == wall && card.number(0, 4) == wall && card.number(0, 5) == wall;
}

}  // namespace

std::vector<std::string> bar_lines(const DeckCard& card) {
  const double area = card.number(0, 0);
  return {"element = \"bar\"", fmt::format("area = {}", area > 0 ? area : 1.0)};
}

std::string doubtful_size(const DeckCard& card) {
  if (upper(card.parameter("SECTION")) != "CIRC" || !card.text(0, 1).empty()) return "";
  return fmt::format(
      "SECTION=CIRC with the one number {0}: it was taken as the radius, as Abaqus does; CalculiX takes "
      "it as the diameter, so for its decks write diameter = {0}",
      card.number(0, 0));
}

// The local direction 1 of the deck is Ritz's local y.
std::vector<std::string> beam_lines(const DeckCard& card) {
  const std::string shape = upper(card.parameter("SECTION"));
  std::vector<std::string> lines{"element = \"beam\""};
  const double a = card.number(0, 0), b = card.number(0, 1);
  if (shape == "RECT")
    lines.insert(lines.end(), {"profile = \"rectangle\"", fmt::format("height = {}", a), fmt::format("width = {}", b)});
  else if (shape == "CIRC") std::ranges::copy(round_lines(a, b), std::back_inserter(lines));
  else if (shape == "BOX" && is_even_box(card))
    lines.insert(lines.end(), {"profile = \"box\"", fmt::format("height = {}", a), fmt::format("width = {}", b),
                               fmt::format("wall = {}", card.number(0, 2))});
  else if (shape == "PIPE")
    lines.insert(lines.end(), {"profile = \"tube\"", fmt::format("diameter = {}", 2 * a), fmt::format("wall = {}", b)});
  else lines.push_back(fmt::format("# SECTION={}: give its profile, docs/structures.md", shape));
  const double x = card.number(1, 0), y = card.number(1, 1), z = card.number(1, 2);
  if (x != 0 || y != 0 || z != 0) lines.push_back(fmt::format("orientation = [{}, {}, {}]", x, y, z));
  return lines;
}

std::string lacks_element(const DeckCard& card, const std::set<CellKind>& kinds) {
  if (card.keyword == "SHELL SECTION") {
    for (const CellKind kind : kinds)
      if (kind != CellKind::tri3 && kind != CellKind::quad4)
        return fmt::format("shells of {} are not in Ritz: those of 3 and 4 nodes are", traits(kind).name);
    return kinds.size() > 1 ? "it has triangles and quadrilaterals: divide the set, one takes shell3, the other shell"
                            : "";
  }
  for (const CellKind kind : kinds)
    if (kind != CellKind::line2)
      return fmt::format("beams of {} are not in Ritz: those of 2 nodes are", traits(kind).name);
  return "";
}

}  // namespace ritz
