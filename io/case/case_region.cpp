// Questions whose answers are names of regions of a mesh.
#include "io/case/case_data.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/core.h>

namespace ritz {
namespace {

const char* noun_of(RegionKind kind) {
  switch (kind) {
    case RegionKind::cells: return "cells";
    case RegionKind::facets: return "facets";
    case RegionKind::nodes: return "nodes";
  }
  return "";
}

std::string nouns_of(std::initializer_list<RegionKind> kinds) {
  std::string text;
  for (const RegionKind kind : kinds) text += fmt::format("{}{}", text.empty() ? "" : " or ", noun_of(kind));
  return text;
}

std::string shortened_list(std::vector<std::string> names) {
  constexpr std::size_t most = 30;
  if (names.size() <= most) return quoted_list(names);
  const std::size_t left = names.size() - most;
  names.resize(most);
  return fmt::format("{} and {} more", quoted_list(names), left);
}

bool differ_in_case_only(const std::string& a, const std::string& b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// The first of `kinds` that has a region of this name; else one whose name differs by small and capital letters only,
// as sets of decks may, if there is no second one.
const Region* find_region(const Mesh& mesh, const std::string& name, std::initializer_list<RegionKind> kinds) {
  for (const RegionKind kind : kinds)
    for (const Region& region : mesh.regions())
      if (region.kind == kind && region.name == name) return &region;
  const Region* found = nullptr;
  for (const RegionKind kind : kinds)
    for (const Region& region : mesh.regions()) {
      if (region.kind != kind || !differ_in_case_only(region.name, name)) continue;
      if (found != nullptr && found->name != region.name) return nullptr;
      if (found == nullptr) found = &region;
    }
  return found;
}

std::vector<Node> sorted_nodes(const Mesh& mesh, const Region& region) {
  std::vector<Node> nodes = nodes_in(mesh, region);
  std::ranges::sort(nodes);
  return nodes;
}

// Nodes with the same name as the facets found, in another place: the author may have meant either.
bool is_ambiguous(const Mesh& mesh, const Region& found, std::initializer_list<RegionKind> kinds) {
  if (found.kind != RegionKind::facets || std::ranges::find(kinds, RegionKind::nodes) == kinds.end()) return false;
  const Region* nodes = find_region(mesh, found.name, {RegionKind::nodes});
  return nodes != nullptr && sorted_nodes(mesh, found) != sorted_nodes(mesh, *nodes);
}

std::vector<std::string> names_of(const Mesh& mesh, std::initializer_list<RegionKind> kinds) {
  std::vector<std::string> names;
  for (const Region& region : mesh.regions())
    if (std::ranges::find(kinds, region.kind) != kinds.end()) names.push_back(region.name);
  return names;
}

// Nodes of another region are a region of their own in the case.
std::string remedy_of_kind(const Region& other, std::initializer_list<RegionKind> kinds) {
  if (std::ranges::find(kinds, RegionKind::nodes) == kinds.end())
    return "name one of these, or add a physical group of that kind to the mesh";
  return fmt::format("name one of these, or a [[region]] with kind = \"nodes\" and of = \"{}\"", other.name);
}

void explain_unknown(const CaseAnswer& answer, const std::string& key_path, const std::string& name, const Mesh& mesh,
                     std::initializer_list<RegionKind> kinds) {
  const std::vector<std::string> valid = names_of(mesh, kinds);
  const Region* other_kind = nullptr;
  for (const Region& region : mesh.regions())
    if (region.name == name) other_kind = &region;
  const std::string near = nearest_match(name, valid);
  const std::string list =
      fmt::format("the regions of {} in '{}' are {}", nouns_of(kinds), mesh.source(), shortened_list(valid));
  if (other_kind != nullptr)
    return answer.wrong_text(ErrorKind::unknown_region,
                             fmt::format("'{}' names '{}', a region of {}, but a region of {} is needed,", key_path,
                                         name, noun_of(other_kind->kind), nouns_of(kinds)),
                             list, remedy_of_kind(*other_kind, kinds));
  answer.wrong_text(ErrorKind::unknown_region,
                    fmt::format("'{}' names the region '{}', which is not in the mesh,", key_path, name), list,
                    near.empty() ? "name one of these, or add a physical group to the mesh"
                                 : fmt::format("did you mean '{}'?", near));
}

}  // namespace

const Region* Case::Table::region(std::string_view key, std::string_view about, const Mesh& mesh,
                                  std::initializer_list<RegionKind> kinds) const {
  ask(key, "region", about, "", nouns_of(kinds));
  if (data_->survey) {
    for (const RegionKind kind : kinds)
      for (const Region& region : mesh.regions())
        if (region.kind == kind) return &region;
    return nullptr;
  }
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  if (answer.value() == nullptr) {
    const std::vector<std::string> names = names_of(mesh, kinds);
    answer.missing(names.empty()       ? "\"<name of a region>\""
                   : names.size() == 1 ? fmt::format("\"{}\"", names.front())
                                       : fmt::format("<one of {}>", shortened_list(names)),
                   where());
    return nullptr;
  }
  if (answer.value()->kind != CaseValue::Kind::text) {
    answer.wrong("the name of a region in quotes");
    return nullptr;
  }
  const std::string& name = answer.value()->text;
  const Region* found = find_region(mesh, name, kinds);
  if (found == nullptr) explain_unknown(answer, full_path(key), name, mesh, kinds);
  else if (is_ambiguous(mesh, *found, kinds))
    answer.wrong_text(ErrorKind::unknown_region,
                      fmt::format("'{}' names '{}', which is a region of facets and one of nodes in other places,",
                                  full_path(key), name),
                      "both are in the mesh under this name",
                      "give one of them another name there, or define a [[region]] for the intended one");
  return found;
}

std::vector<const Region*> Case::Table::regions(std::string_view key, std::string_view about, const Mesh& mesh,
                                                std::initializer_list<RegionKind> kinds) const {
  std::vector<const Region*> result;
  const std::vector<std::string> names = texts(key, about);
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  for (const std::string& name : names) {
    if (const Region* found = find_region(mesh, name, kinds)) result.push_back(found);
    else explain_unknown(answer, full_path(key), name, mesh, kinds);
  }
  return result;
}

}  // namespace ritz
