#include "apps/ritz/deck_numbers.hpp"

#include "io/files/text_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <ranges>

namespace ritz {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "S3" of the labels P3, S3, F3 and R3 of a face.
std::string face_of(const std::string& label) {
  const bool known = label.size() == 2 && std::string("PSFR").find(label[0]) != std::string::npos;
  return known && label[1] >= '1' && label[1] <= '6' ? "S" + label.substr(1) : "";
}

std::string from_field(const DeckCard& card, std::size_t line, std::size_t field) {
  return fmt::format("{}", fmt::join(card.data[line] | std::views::drop(field), ","));
}

}  // namespace

DeckNumbers::DeckNumbers(const std::vector<DeckCard>& cards) {
  for (const DeckCard& card : cards) {
    if (card.keyword == "BOUNDARY" || card.keyword == "CLOAD") add_nodes(card);
    for (const char* keyword : {"DLOAD", "DFLUX", "FILM", "RADIATE"})
      if (card.keyword == keyword) add_faces(card);
  }
}

// Nodes with the same lines are one set.
void DeckNumbers::add_nodes(const DeckCard& card) {
  std::map<std::string, std::string> all;                                   // [node] what its lines say
  std::map<std::string, std::pair<Lines, std::vector<std::size_t>>> alike;  // [what they say] nodes, lines of the first
  for (std::size_t line = 0; line < card.data.size(); ++line)
    if (is_number(card.text(line, 0))) all[card.text(line, 0)] += from_field(card, line, 1) + ";";
  for (std::size_t line = 0; line < card.data.size(); ++line) {
    if (!is_number(card.text(line, 0))) continue;
    auto& [nodes, lines] = alike[all[card.text(line, 0)]];
    if (std::ranges::find(nodes, card.text(line, 0)) == nodes.end()) nodes.push_back(card.text(line, 0));
    if (nodes.front() == card.text(line, 0)) lines.push_back(line);
    names_[{&card, line}] = "";
  }
  for (const auto& [what, group] : alike)
    for (const std::size_t line : group.second) names_[{&card, line}] = named("NSET", group.first);
}

// Faces of elements of one load are one surface; a set of elements has its own.
void DeckNumbers::add_faces(const DeckCard& card) {
  std::map<std::string, std::pair<Lines, std::size_t>> alike;  // [load] faces, its first line
  for (std::size_t line = 0; line < card.data.size(); ++line) {
    const std::string face = face_of(upper(card.text(line, 1))), load = from_field(card, line, 2);
    if (face.empty()) continue;
    const std::string entry = fmt::format("{}, {}", card.text(line, 0), face);
    if (!is_number(card.text(line, 0))) {
      names_[{&card, line}] = named("SURFACE", {entry});
      continue;
    }
    const auto [at, is_new] = alike.try_emplace(load, Lines{}, line);
    at->second.first.push_back(entry);
    names_[{&card, line}] = "";
  }
  for (const auto& [load, group] : alike) names_[{&card, group.second}] = named("SURFACE", group.first);
}

const std::string& DeckNumbers::named(const std::string& keyword, Lines lines) {
  std::ranges::sort(lines);
  const auto [at, is_new] = sets_.try_emplace({keyword, std::move(lines)});
  if (is_new) at->second = fmt::format("{}_of_the_deck_{}", keyword == "NSET" ? "nodes" : "faces", sets_.size());
  return at->second;
}

std::string DeckNumbers::text(const std::string& deck) const {
  std::string text = fmt::format(
      "** Sets and surfaces of what cards name by number, by ritz case from.\n"
      "*INCLUDE, INPUT=\"{}\"\n",
      deck);
  for (const auto& [set, name] : sets_)
    text += set.first == "NSET"
                ? fmt::format("*NSET, NSET={}\n{}\n", name, fmt::join(set.second, "\n"))
                : fmt::format("*SURFACE, NAME={}, TYPE=ELEMENT\n{}\n", name, fmt::join(set.second, "\n"));
  return text;
}

const std::string* DeckNumbers::set_for(const DeckCard& card, std::size_t line) const {
  const auto found = names_.find({&card, line});
  return found != names_.end() ? &found->second : nullptr;
}

}  // namespace ritz
