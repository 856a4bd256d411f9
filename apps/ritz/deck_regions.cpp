#include "apps/ritz/deck_regions.hpp"

#include "io/files/text_case.hpp"

#include <algorithm>
#include <array>

namespace ritz {
namespace {

int side_named(const std::string& face) {
  static constexpr std::array along{"SPOS", "SP", "POS", "S2"}, against{"SNEG", "SN", "NEG", "S1"};
  if (std::ranges::find(along, face) != along.end()) return 1;
  return std::ranges::find(against, face) != against.end() ? -1 : 0;
}

}  // namespace

DeckRegions::DeckRegions(MeshData mesh, const std::vector<DeckCard>& cards) : mesh_(std::move(mesh)) {
  for (const DeckCard& card : cards)
    for (std::size_t line = 0; card.keyword == "SURFACE" && line < card.data.size(); ++line)
      sides_[upper(card.parameter("NAME"))].insert(side_named(upper(card.text(line, 1))));
}

const Region* DeckRegions::find(const std::string& name, std::initializer_list<RegionKind> kinds) const {
  for (const RegionKind kind : kinds)
    for (const Region& region : mesh_.regions())
      if (region.kind == kind && upper(region.name) == upper(name)) return &region;
  return nullptr;
}

std::vector<const Region*> DeckRegions::elements_of(const std::string& name) const {
  if (const Region* region = find(name, {RegionKind::cells})) return {region};
  std::vector<const Region*> parts;
  for (const Region& region : mesh_.regions())
    if (region.kind == RegionKind::cells && upper(region.name).ends_with("." + upper(name))) parts.push_back(&region);
  return parts;
}

bool DeckRegions::hidden_by_facets(const Region& nodes) const {
  if (nodes.kind != RegionKind::nodes) return false;
  for (const Region& region : mesh_.regions())
    if (region.kind == RegionKind::facets && region.name == nodes.name)
      return nodes_in(mesh_, region) != nodes_in(mesh_, nodes);
  return false;
}

std::set<CellKind> DeckRegions::cell_kinds(const Region& cells) const {
  std::set<CellKind> kinds;
  for (const Index cell : cells.cells) kinds.insert(mesh_.kind_of(cell));
  return kinds;
}

// "Plate-1.Bottom" is the surface Bottom of an instance.
int DeckRegions::side_of(const Region& surface) const {
  const std::string name = upper(surface.name);
  auto found = sides_.find(name);
  if (found == sides_.end()) found = sides_.find(name.substr(name.rfind('.') + 1));
  return found != sides_.end() && found->second.size() == 1 ? *found->second.begin() : 0;
}

}  // namespace ritz
