#include "apps/ritz/deck_supports.hpp"

#include "io/files/text_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace ritz {

int unknown_in(double value) { return value >= 0 && value < 1000 ? static_cast<int>(value) : -1; }

std::vector<int> unknowns_of(const DeckCard& card, std::size_t line) {
  static const std::map<std::string, std::vector<int>> kinds{{"ENCASTRE", {1, 2, 3, 4, 5, 6}},
                                                             {"PINNED", {1, 2, 3}},
                                                             {"XSYMM", {1, 5, 6}},
                                                             {"YSYMM", {2, 4, 6}},
                                                             {"ZSYMM", {3, 4, 5}}};
  if (const auto kind = kinds.find(upper(card.text(line, 1))); kind != kinds.end()) return kind->second;
  const int first = unknown_in(card.number(line, 1));
  const int last = card.text(line, 2).empty() ? first : unknown_in(card.number(line, 2));
  std::vector<int> list;
  for (int i = first; i <= last; ++i) list.push_back(i);
  return list;
}

void hold_at(std::vector<DeckSupport>& supports, const Region& region, int unknown, double value) {
  const auto same = std::ranges::find_if(supports, [&](const DeckSupport& each) { return each.region == &region; });
  if (same != supports.end()) same->values[unknown] = value;
  else supports.push_back({&region, {{unknown, value}}});
}

std::vector<std::string> conflicts_of(const std::vector<DeckSupport>& supports, const Mesh& mesh) {
  std::map<int, std::unordered_map<Node, const DeckSupport*>> holders;  // by unknown
  std::map<std::pair<const DeckSupport*, const DeckSupport*>, std::set<Node>> conflicts;
  for (const DeckSupport& support : supports) {
    const std::vector<Node> nodes = nodes_in(mesh, *support.region);
    for (const auto& [unknown, value] : support.values)
      for (const Node node : nodes)
        if (const auto [at, is_new] = holders[unknown].try_emplace(node, &support);
            !is_new && at->second->values.at(unknown) != value)
          conflicts[{at->second, &support}].insert(node);
  }
  std::vector<std::string> notes;
  for (const auto& [pair, nodes] : conflicts)
    notes.push_back(
        fmt::format("{} nodes of '{}' are held at another value as nodes of '{}': the deck takes the later, the case "
                    "refuses both; take them out of one of the regions",
                    nodes.size(), pair.second->region->name, pair.first->region->name));
  return notes;
}

}  // namespace ritz
