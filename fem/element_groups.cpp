#include "fem/element_groups.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace ritz {
namespace {

// Numbers sets of integrals: signature 0 is the empty set; adding an integral to a set gives another number.
class Signatures {
 public:
  int with(int signature, int integral) {
    const auto [found, added] = next_.try_emplace({signature, integral}, static_cast<int>(sets_.size()));
    if (added) {
      std::vector<int> set = sets_[static_cast<std::size_t>(signature)];
      set.push_back(integral);
      sets_.push_back(std::move(set));
    }
    return found->second;
  }
  const std::vector<int>& set(int signature) const { return sets_[static_cast<std::size_t>(signature)]; }

 private:
  std::vector<std::vector<int>> sets_{{}};
  std::map<std::pair<int, int>, int> next_;
};

void pad_last_batch(ElementGroup& group) {
  const Index lanes = group.batch_count() * lane_count;
  for (Index lane = group.element_count; lane < lanes; ++lane)
    for (int a = 0; a < group.node_count(); ++a) {
      const auto base = static_cast<std::size_t>((lane / lane_count * group.node_count() + a) * lane_count);
      group.host_nodes[base + static_cast<std::size_t>(lane % lane_count)] = group.node(group.element_count - 1, a);
    }
}

template <class NodesOf>
void lay_out(ElementGroup& group, const FunctionSpace& space, const NodesOf& nodes_of) {
  group.host_nodes.resize(static_cast<std::size_t>(group.batch_count() * group.node_count() * lane_count));
  const int threads = space.device().threads();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index e = 0; e < group.element_count; ++e) {
    const auto& mesh_nodes = nodes_of(e);
    for (int a = 0; a < group.node_count(); ++a) {
      const auto base = static_cast<std::size_t>((e / lane_count * group.node_count() + a) * lane_count);
      group.host_nodes[base + static_cast<std::size_t>(e % lane_count)] = space.node_of(mesh_nodes[static_cast<std::size_t>(a)]);
    }
  }
  pad_last_batch(group);
  group.nodes = Array<std::int32_t>(space.device(), std::span<const Node>(group.host_nodes), "connectivity");
}

void add_cell_groups(const FunctionSpace& space, const std::vector<Integral>& integrals, std::vector<ElementGroup>& groups) {
  const Mesh& mesh = space.mesh();
  Signatures signatures;
  std::vector<int> signature(static_cast<std::size_t>(mesh.cell_count()), 0);
  for (std::size_t i = 0; i < integrals.size(); ++i) {
    if (integrals[i].form.codimension != 0) continue;
    const int id = static_cast<int>(i);
    if (integrals[i].everywhere)
      for (int& s : signature) s = signatures.with(s, id);
    else
      for (const Index cell : integrals[i].cells) {
        int& s = signature[static_cast<std::size_t>(cell)];
        s = signatures.with(s, id);
      }
  }
  std::map<std::pair<CellKind, int>, ElementGroup> by_key;
  ElementGroup* group = nullptr;
  std::pair<CellKind, int> current{};
  for (const Index cell : space.cell_order()) {
    const std::pair<CellKind, int> key{mesh.kind_of(cell), signature[static_cast<std::size_t>(cell)]};
    if (key.second == 0) continue;
    if (group == nullptr || key != current) {
      group = &by_key[key];
      current = key;
    }
    group->elements.push_back(cell);
  }
  for (auto& [key, made] : by_key) {
    made.kind = key.first;
    made.integrals = signatures.set(key.second);
    made.element_count = static_cast<Index>(made.elements.size());
    lay_out(made, space, [&](Index e) { return mesh.nodes_of(made.elements[static_cast<std::size_t>(e)]); });
    groups.push_back(std::move(made));
  }
}

void add_facet_groups(const FunctionSpace& space, const std::vector<Integral>& integrals, std::vector<ElementGroup>& groups) {
  const Mesh& mesh = space.mesh();
  std::vector<std::tuple<Index, int, int>> uses;  // cell, facet, integral
  for (std::size_t i = 0; i < integrals.size(); ++i)
    if (integrals[i].form.codimension == 1)
      for (const FacetOfCell& f : integrals[i].facets) uses.emplace_back(f.cell, f.facet, static_cast<int>(i));
  if (uses.empty()) return;
  std::vector<Index> rank(static_cast<std::size_t>(mesh.cell_count()));
  for (std::size_t position = 0; position < space.cell_order().size(); ++position)
    rank[static_cast<std::size_t>(space.cell_order()[position])] = static_cast<Index>(position);
  std::ranges::sort(uses, {}, [&](const auto& use) {
    return std::tuple{rank[static_cast<std::size_t>(std::get<0>(use))], std::get<1>(use), std::get<2>(use)};
  });
  Signatures signatures;
  std::map<std::pair<CellKind, int>, std::vector<FacetOfCell>> by_key;
  for (std::size_t first = 0, last = 0; first < uses.size(); first = last) {
    const auto [cell, facet, integral] = uses[first];
    int signature = 0;
    for (last = first; last < uses.size() && std::get<0>(uses[last]) == cell && std::get<1>(uses[last]) == facet; ++last)
      signature = signatures.with(signature, std::get<2>(uses[last]));
    const CellKind kind = traits(mesh.kind_of(cell)).facets[static_cast<std::size_t>(facet)].kind;
    by_key[{kind, signature}].push_back({cell, facet});
  }
  for (const auto& [key, facets] : by_key) {
    ElementGroup group;
    group.kind = key.first;
    group.integrals = signatures.set(key.second);
    group.element_count = static_cast<Index>(facets.size());
    lay_out(group, space, [&, &list = facets](Index e) { return mesh.nodes_of(list[static_cast<std::size_t>(e)]); });
    groups.push_back(std::move(group));
  }
}

}  // namespace

Integral Integral::over(FormValue form, const Region& region) {
  const bool fits = form.codimension == 0 ? region.kind == RegionKind::cells : region.kind == RegionKind::facets;
  if (!fits)
    throw Error(Exit::input,
                fmt::format("'{}' acts on {}, but region '{}' holds {}", form.name,
                            form.codimension == 0 ? "cells" : "facets", region.name,
                            region.kind == RegionKind::cells ? "cells" : region.kind == RegionKind::facets ? "facets" : "nodes"),
                {}, "name a region of the right kind");
  return {std::move(form), false, region.cells, region.facets};
}

std::vector<ElementGroup> element_groups(const FunctionSpace& space, const std::vector<Integral>& integrals) {
  std::vector<ElementGroup> groups;
  add_cell_groups(space, integrals, groups);
  add_facet_groups(space, integrals, groups);
  return groups;
}

}  // namespace ritz
