#include "apps/ritz/deck_names.hpp"

#include "io/files/text_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <ranges>

namespace ritz {
namespace {

const char* noun(RegionKind kind) {
  return kind == RegionKind::cells ? "elements" : kind == RegionKind::facets ? "faces" : "nodes";
}

}  // namespace

void DeckNotes::lack(const DeckCard& card, const std::string& why) {
  DeckGap gap{card.file, card.line, "*" + card.keyword, why};
  if (std::ranges::find(gaps_, gap) == gaps_.end()) gaps_.push_back(std::move(gap));
}

void DeckNotes::note(const DeckCard& card, const std::string& what) {
  const std::string file = std::filesystem::path(card.file).filename().string();
  notes_.emplace_back(&card, fmt::format("*{} at {}:{}: {}", card.keyword, file, card.line, what));
}

void DeckNotes::add_number(const DeckCard& card, const std::string& number) {
  std::vector<std::string>& known = numbers_[&card];
  if (std::ranges::find(known, number) == known.end()) known.push_back(number);
}

void DeckNotes::sort() {
  std::ranges::stable_sort(notes_, {}, [](const auto& note) { return note.first; });
}

std::vector<DeckGap> DeckNotes::gaps() const {
  std::vector<DeckGap> gaps = gaps_;
  for (const auto& [card, numbers] : numbers_) {
    const char* const s = numbers.size() > 1 ? "s" : "";
    gaps.push_back(
        {card->file, card->line, "*" + card->keyword,
         fmt::format("it names {} node{} or element{} by number ({}{}): put them into a set", numbers.size(), s, s,
                     fmt::join(numbers | std::views::take(3), ", "), numbers.size() > 3 ? ", ..." : "")});
  }
  std::ranges::stable_sort(gaps, {}, [](const DeckGap& gap) { return std::pair(gap.file, gap.line); });
  return gaps;
}

std::vector<std::string> DeckNotes::notes() const {
  std::vector<std::string> texts;
  for (const auto& [card, text] : notes_) texts.push_back(text);
  return texts;
}

const DeckMaterial* material_of(const DeckSection& section, const std::vector<DeckMaterial>& materials) {
  const auto found = std::ranges::find_if(
      materials, [&](const DeckMaterial& each) { return upper(each.name) == upper(section.material); });
  return found != materials.end() ? &*found : nullptr;
}

const Region* Deck::region_named(const DeckCard& card, const std::string& name,
                                 std::initializer_list<RegionKind> kinds) const {
  if (const Region* region = regions.find(name, kinds)) return region;
  if (!name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); })) {
    notes.add_number(card, name);
    return nullptr;
  }
  const Region* other = regions.find(name, node_sets);
  notes.lack(card, other != nullptr
                       ? fmt::format("'{}' is a set of {}, not of {}", name, noun(other->kind), noun(*kinds.begin()))
                       : fmt::format("the mesh has no set or surface '{}'", name));
  return nullptr;
}

const Region* Deck::node_set(const DeckCard& card, std::size_t line) const {
  const std::string* by_number = numbers.set_for(card, line);
  if (by_number != nullptr && by_number->empty()) return nullptr;  // a line before this one has its node
  const std::string name = by_number != nullptr ? *by_number : card.text(line, 0);
  const Region* region = region_named(card, name, node_sets);
  if (region == nullptr || is_turned(card, *region)) return nullptr;
  if (facts.is_frame() || !regions.hidden_by_facets(*region)) return region;
  notes.lack(card,
             fmt::format("'{}' is a set of nodes and a surface in another place: give one of them another name", name));
  return nullptr;
}

// With a note: *TRANSFORM gives nodes of this region other axes than x, y, z.
bool Deck::is_turned(const DeckCard& card, const Region& region) const {
  if (facts.is_heat()) return false;
  const std::vector<Node> nodes = nodes_in(regions.mesh(), region);
  for (const DeckCard* transform : facts.turned) {
    const Region* turned = regions.find(transform->parameter("NSET"), node_sets);
    if (turned == nullptr) continue;
    std::vector<Node> both;
    std::ranges::set_intersection(nodes, nodes_in(regions.mesh(), *turned), std::back_inserter(both));
    if (both.empty()) continue;
    notes.lack(card, fmt::format("{} nodes of '{}' have axes of their own by *TRANSFORM (line {}): left out",
                                 both.size(), region.name, transform->line));
    return true;
  }
  return false;
}

}  // namespace ritz
