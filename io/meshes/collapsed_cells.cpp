#include "io/meshes/collapsed_cells.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

namespace ritz {
namespace {

using Nodes = std::vector<Node>;

struct Replacement {
  CellKind kind;
  Nodes nodes;
};

struct Place {
  CellKind kind;
  Index position;
};

// Without repeated neighbours, the last and the first included.
Nodes without_repeats(std::span<const Node> nodes) {
  Nodes list;
  for (const Node node : nodes)
    if (list.empty() || list.back() != node) list.push_back(node);
  while (list.size() > 1 && list.back() == list.front()) list.pop_back();
  return list;
}

Nodes facet_nodes(CellKind kind, std::span<const Node> cell, std::size_t facet) {
  Nodes nodes;
  for (const int local : traits(kind).facets[facet].nodes) nodes.push_back(cell[static_cast<std::size_t>(local)]);
  return without_repeats(nodes);
}

// Facets that are left, by their nodes; a facet with a node twice at opposite corners is none.
std::multiset<std::set<Node>> facets_of(CellKind kind, std::span<const Node> cell) {
  std::multiset<std::set<Node>> facets;
  const auto least = static_cast<std::size_t>(traits(kind).dimension);
  for (std::size_t f = 0; f < traits(kind).facets.size(); ++f)
    if (const Nodes nodes = facet_nodes(kind, cell, f); nodes.size() >= least)
      facets.emplace(nodes.begin(), nodes.end());
  return facets;
}

std::optional<CellKind> kind_with(int dimension, std::size_t corner_count) {
  if (dimension == 2) return corner_count == 3 ? std::optional(CellKind::tri3) : std::nullopt;
  return corner_count == 6   ? std::optional(CellKind::prism6)
         : corner_count == 5 ? std::optional(CellKind::pyramid5)
         : corner_count == 4 ? std::optional(CellKind::tet4)
                             : std::nullopt;
}

// One facet of the cell becomes facet `target` of the new kind; edges of the cell lead to the other nodes.
std::optional<Nodes> built_on(CellKind old_kind, std::span<const Node> cell, const Nodes& base, CellKind kind,
                              const Facet& target) {
  constexpr Node open = -1;
  Nodes nodes(static_cast<std::size_t>(traits(kind).node_count), open);
  for (std::size_t i = 0; i < base.size(); ++i) nodes[static_cast<std::size_t>(target.nodes[i])] = base[i];
  const auto is_base = [&](Node node) { return std::ranges::find(base, node) != base.end(); };
  for (const auto& edge : traits(kind).edges)
    for (const auto& [a, b] : {std::pair(edge[0], edge[1]), std::pair(edge[1], edge[0])}) {
      const Node from = nodes[static_cast<std::size_t>(a)];
      if (from == open || !is_base(from) || nodes[static_cast<std::size_t>(b)] != open) continue;
      for (const auto& old : traits(old_kind).edges)
        for (const auto& [c, d] : {std::pair(old[0], old[1]), std::pair(old[1], old[0])})
          if (cell[static_cast<std::size_t>(c)] == from && !is_base(cell[static_cast<std::size_t>(d)]))
            nodes[static_cast<std::size_t>(b)] = cell[static_cast<std::size_t>(d)];
    }
  if (std::ranges::count(nodes, open) > 0 || facets_of(kind, nodes) != facets_of(old_kind, cell)) return std::nullopt;
  return nodes;
}

std::optional<Replacement> replacement_of(CellKind old_kind, std::span<const Node> cell) {
  const std::set<Node> unique(cell.begin(), cell.end());
  if (unique.size() == cell.size()) return std::nullopt;
  const std::optional<CellKind> kind = kind_with(traits(old_kind).dimension, unique.size());
  if (!kind) return std::nullopt;
  if (*kind == CellKind::tri3)
    if (const Nodes nodes = without_repeats(cell); nodes.size() == 3) return Replacement{*kind, nodes};
  // Wedges stand on a triangle, pyramids on the quadrilateral.
  const std::size_t base_size = *kind == CellKind::pyramid5 ? 4 : 3;
  for (const Facet& target : traits(*kind).facets) {
    if (target.nodes.size() != base_size) continue;
    for (std::size_t f = 0; f < traits(old_kind).facets.size(); ++f)
      if (const Nodes base = facet_nodes(old_kind, cell, f); base.size() == base_size)
        if (const std::optional<Nodes> nodes = built_on(old_kind, cell, base, *kind, target))
          return Replacement{*kind, *nodes};
  }
  return std::nullopt;
}

std::vector<CellRun> moved(const std::vector<CellRun>& runs, CellKind kind, const std::vector<Place>& places) {
  std::vector<CellRun> result;
  for (const CellRun& run : runs) {
    if (run.kind != kind) {
      append(result, run);
      continue;
    }
    for (Index i = run.first; i < run.first + run.count; ++i)
      append(result, {places[static_cast<std::size_t>(i)].kind, places[static_cast<std::size_t>(i)].position, 1});
  }
  return result;
}

// Facets that have collapsed to an edge or a node are left out.
std::vector<FacetPlace> moved(const RawMesh& raw, const std::vector<FacetPlace>& facets, CellKind kind,
                              const Nodes& old_nodes, const std::vector<Place>& places) {
  std::vector<FacetPlace> result;
  const auto width = static_cast<std::size_t>(traits(kind).node_count);
  for (const FacetPlace& facet : facets) {
    if (facet.kind != kind) {
      result.push_back(facet);
      continue;
    }
    const Place place = places[static_cast<std::size_t>(facet.position)];
    if (place.kind == kind) {
      result.push_back({kind, place.position, facet.facet});
      continue;
    }
    const auto old_cell = std::span(old_nodes).subspan(static_cast<std::size_t>(facet.position) * width, width);
    const Nodes wanted = facet_nodes(kind, old_cell, static_cast<std::size_t>(facet.facet));
    const auto n = static_cast<std::size_t>(traits(place.kind).node_count);
    const auto cell = std::span(raw.nodes[static_cast<std::size_t>(place.kind)])
                          .subspan(static_cast<std::size_t>(place.position) * n, n);
    for (std::size_t f = 0; f < traits(place.kind).facets.size(); ++f) {
      const Nodes own = facet_nodes(place.kind, cell, f);
      if (std::set<Node>(own.begin(), own.end()) == std::set<Node>(wanted.begin(), wanted.end()))
        result.push_back({place.kind, place.position, static_cast<int>(f)});
    }
  }
  return result;
}

void replace_cells(RawMesh& raw, CellKind kind, std::map<std::pair<CellKind, CellKind>, Index>& counts) {
  const auto width = static_cast<std::size_t>(traits(kind).node_count);
  const Nodes old_nodes = raw.nodes_of(kind);
  const std::size_t count = old_nodes.size() / width;
  std::vector<std::uint8_t> repeats(count);
#pragma omp parallel for schedule(static) if (count > 100000)
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < i; ++j) repeats[c] |= old_nodes[c * width + i] == old_nodes[c * width + j] ? 1 : 0;
  if (std::ranges::count(repeats, 1) == 0) return;
  std::vector<Place> places;
  Nodes kept;
  for (std::size_t c = 0; c < count; ++c) {
    const auto cell = std::span(old_nodes).subspan(c * width, width);
    const std::optional<Replacement> made = repeats[c] != 0 ? replacement_of(kind, cell) : std::nullopt;
    if (!made) {
      places.push_back({kind, static_cast<Index>(kept.size() / width)});
      kept.insert(kept.end(), cell.begin(), cell.end());
      continue;
    }
    places.push_back({made->kind, raw.cell_count(made->kind)});
    Nodes& nodes = raw.nodes_of(made->kind);
    nodes.insert(nodes.end(), made->nodes.begin(), made->nodes.end());
    ++counts[{kind, made->kind}];
  }
  raw.nodes_of(kind) = std::move(kept);
  for (RawGroup& group : raw.groups) {
    group.facets = moved(raw, group.facets, kind, old_nodes, places);
    group.cells = moved(group.cells, kind, places);
    group.free_facets_of = moved(group.free_facets_of, kind, places);
  }
}

}  // namespace

void replace_collapsed_cells(RawMesh& raw, std::vector<std::string>& notices) {
  std::map<std::pair<CellKind, CellKind>, Index> counts;
  for (const CellKind kind : {CellKind::quad4, CellKind::hex8, CellKind::prism6, CellKind::pyramid5})
    if (raw.cell_count(kind) > 0) replace_cells(raw, kind, counts);
  for (const auto& [kinds, count] : counts)
    notices.push_back(fmt::format("{} cell{} of kind {} in '{}' repeat{} nodes and became {}", count,
                                  count == 1 ? "" : "s", traits(kinds.first).name, raw.source, count == 1 ? "s" : "",
                                  traits(kinds.second).name));
}

}  // namespace ritz
