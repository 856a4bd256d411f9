#include "apps/ritz/deck_sections.hpp"

#include "io/files/text_case.hpp"

#include <fmt/format.h>

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

// The local direction 1 of the deck is Ritz's local y.
std::vector<std::string> beam_lines(const DeckCard& card) {
  const std::string shape = upper(card.parameter("SECTION"));
  std::vector<std::string> lines{"element = \"beam\""};
  const double a = card.number(0, 0), b = card.number(0, 1);
  if (shape == "RECT")
    lines.insert(lines.end(), {"profile = \"rectangle\"", fmt::format("height = {}", a), fmt::format("width = {}", b)});
  else if (shape == "CIRC") lines.insert(lines.end(), {"profile = \"circle\"", fmt::format("diameter = {}", 2 * a)});
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
