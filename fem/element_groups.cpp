#include "fem/element_groups.hpp"

#include "device/error.hpp"
#include "device/parallel_errors.hpp"
#include "fem/cells/tabulation.hpp"
#include "fem/straight_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace ritz {
namespace {

// Numbers sets of integrals: signature 0 is the empty set; adding an integral to a set gives another number.
class Signatures {
 public:
  int with(int signature, int integral) {
    const std::pair asked(signature, integral);
    if (asked == last_) return answer_;  // of millions of cells
    const auto [found, added] = next_.try_emplace(asked, static_cast<int>(sets_.size()));
    if (added) {
      std::vector<int> set = sets_[static_cast<std::size_t>(signature)];
      set.push_back(integral);
      sets_.push_back(std::move(set));
    }
    last_ = asked;
    return answer_ = found->second;
  }
  const std::vector<int>& set(int signature) const { return sets_[static_cast<std::size_t>(signature)]; }

 private:
  std::vector<std::vector<int>> sets_{{}};
  std::map<std::pair<int, int>, int> next_;
  std::pair<int, int> last_{-1, -1};
  int answer_ = 0;
};

// Numbers of `width` nodes per element as [batch][node][lane]; the last batch is padded with its last element.
// reader() gives each thread its own function from an element to its nodes.
template <class Reader>
std::vector<Node> interleaved(Index elements, int width, int threads, const Reader& reader) {
  const Index batches = (elements + lane_count - 1) / lane_count;
  std::vector<Node> result(static_cast<std::size_t>(batches * width * lane_count));
  ParallelErrors errors;
#pragma omp parallel num_threads(threads)
  {
    auto nodes_of = reader();
#pragma omp for schedule(static)
    for (Index batch = 0; batch < batches; ++batch)
      errors.run([&] {
        for (Index lane = batch * lane_count; lane < (batch + 1) * lane_count; ++lane) {
          const auto& nodes = nodes_of(std::min(lane, elements - 1));
          Node* out = result.data() + batch * width * lane_count + lane % lane_count;
          for (int a = 0; a < width; ++a) out[a * lane_count] = nodes[static_cast<std::size_t>(a)];
        }
      });
  }
  errors.rethrow();
  return result;
}

// A reader of what nodes_of(element, buffer) gives.
template <class NodesOf>
auto buffered(const NodesOf& nodes_of) {
  return [&nodes_of] {
    return [&nodes_of, nodes = std::vector<Node>()](Index element) mutable -> const std::vector<Node>& {
      nodes_of(element, nodes);
      return nodes;
    };
  };
}

// Elements whose geometry is that of their corners, and the others, in order. Where all are of one sort, nothing is copied.
template <class Element, class IsStraight>
std::array<std::vector<Element>, 2> straight_and_bent(std::vector<Element> elements, bool none, const IsStraight& is_straight) {
  std::array<std::vector<Element>, 2> result;
  const auto straight = none ? 0 : std::ranges::count_if(elements, is_straight);
  if (straight == 0 || straight == std::ssize(elements)) {
    result[straight > 0 ? 0 : 1] = std::move(elements);
    return result;
  }
  for (const Element& element : elements) result[is_straight(element) ? 0 : 1].push_back(element);
  return result;
}

// `reader` of the space's nodes, geometry_of(element, buffer) for the mesh's.
template <class Reader, class GeometryOf>
void lay_out(ElementGroup& group, const FunctionSpace& space, Layout layout, const Reader& reader, const GeometryOf& geometry_of) {
  const int threads = space.device().threads(), width = traits(group.geometry).node_count;
  const bool shared = space.isoparametric() && group.geometry == group.kind;
  if (layout == Layout::counted) {
    group.nodes = Array<std::int32_t>(space.device(), group.entry_count(), "connectivity");
    if (!shared) group.own_geometry = Array<std::int32_t>(space.device(), group.batch_count() * lane_count * width, "connectivity");
    return;
  }
  group.host_nodes = interleaved(group.element_count, group.node_count(), threads, reader);
  group.nodes = Array<std::int32_t>(space.device(), std::span<const Node>(group.host_nodes), "connectivity");
  if (shared) return;
  const auto geometry_nodes_of = [&](Index element, std::vector<Node>& nodes) {
    geometry_of(element, nodes);
    for (Node& node : nodes) node = space.geometry_node_of(node);
  };
  const std::vector<Node> geometry = interleaved(group.element_count, width, threads, buffered(geometry_nodes_of));
  group.own_geometry = Array<std::int32_t>(space.device(), std::span<const Node>(geometry), "connectivity");
}

// Whole elements ask for all nodes of their kind.
bool has_whole(const std::vector<int>& set, const std::vector<Integral>& integrals) {
  return std::ranges::any_of(set, [&](int i) { return integrals[static_cast<std::size_t>(i)].form.cell >= 0; });
}

void add_cell_groups(const FunctionSpace& space, const std::vector<Integral>& integrals, Layout layout, std::vector<ElementGroup>& groups) {
  const Mesh& mesh = space.mesh();
  Signatures signatures;
  int everywhere = 0;
  std::vector<int> signature;  // [cell]; empty: everywhere the same
  for (std::size_t i = 0; i < integrals.size(); ++i) {
    if (integrals[i].form.codimension != 0) continue;
    const int id = static_cast<int>(i);
    const bool all = integrals[i].everywhere || static_cast<Index>(integrals[i].cells.size()) == mesh.cell_count();
    if (all && signature.empty()) {
      everywhere = signatures.with(everywhere, id);
      continue;
    }
    if (signature.empty()) signature.assign(static_cast<std::size_t>(mesh.cell_count()), everywhere);
    if (all)
      for (int& s : signature) s = signatures.with(s, id);
    else
      for (const Index cell : integrals[i].cells) {
        int& s = signature[static_cast<std::size_t>(cell)];
        s = signatures.with(s, id);
      }
  }
  if (signature.empty() && everywhere == 0) return;
  std::map<std::pair<CellKind, int>, std::vector<Index>> by_key;
  const auto cells = space.cell_order();
  if (signature.empty() && mesh.blocks().size() == 1) {
    by_key[{mesh.blocks().front().kind, everywhere}].assign(cells.begin(), cells.end());
  } else {
    std::vector<Index>* group = nullptr;
    std::pair<CellKind, int> current{};
    for (const Index cell : cells) {
      const std::pair<CellKind, int> key{mesh.kind_of(cell), signature.empty() ? everywhere : signature[static_cast<std::size_t>(cell)]};
      if (key.second == 0) continue;
      if (group == nullptr || key != current) {
        group = &by_key[key];
        current = key;
      }
      group->push_back(cell);
    }
  }
  for (auto& [key, all] : by_key) {
    const std::vector<int>& set = signatures.set(key.second);
    const bool by_nodes = traits(key.first).order == 1 || has_whole(set, integrals);
    auto parts = straight_and_bent(std::move(all), by_nodes, [&](Index cell) { return space.is_straight(cell); });
    for (const bool straight : {true, false}) {
      if (parts[straight ? 0 : 1].empty()) continue;
      ElementGroup group;
      group.kind = key.first;
      group.geometry = straight ? traits(key.first).linear : key.first;
      group.element = &space.element(key.first);
      group.integrals = set;
      group.elements = std::move(parts[straight ? 0 : 1]);
      group.element_count = static_cast<Index>(group.elements.size());
      const auto cell_of = [&list = group.elements](Index e) { return list[static_cast<std::size_t>(e)]; };
      lay_out(
          group, space, layout, [&] { return [&, nodes_of = FunctionSpace::CellNodes(space)](Index e) mutable { return nodes_of(cell_of(e)); }; },
          [&](Index e, std::vector<Node>& nodes) {
            const auto of_cell = mesh.nodes_of(cell_of(e));
            nodes.assign(of_cell.begin(), of_cell.end());
          });
      groups.push_back(std::move(group));
    }
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
  for (auto& [key, all] : by_key) {
    const std::vector<int>& set = signatures.set(key.second);
    const bool by_nodes = traits(key.first).order == 1 || has_whole(set, integrals);
    const auto parts = straight_and_bent(std::move(all), by_nodes, [&, straight = Straightness(mesh, key.first)](const FacetOfCell& f) { return straight(mesh.nodes_of(f)); });
    for (const bool straight : {true, false}) {
      const std::vector<FacetOfCell>& facets = parts[straight ? 0 : 1];
      if (facets.empty()) continue;
      ElementGroup group;
      group.kind = key.first;
      group.geometry = straight ? traits(key.first).linear : key.first;
      group.integrals = set;
      group.element_count = static_cast<Index>(facets.size());
      const auto facet_of = [&facets](Index e) { return facets[static_cast<std::size_t>(e)]; };
      const auto [first_cell, first_facet] = facets.front();
      group.element = space.facet_element(mesh.kind_of(first_cell), first_facet).element;
      const auto nodes_of = [&](Index e, std::vector<Node>& nodes) {
        const FacetOfCell f = facet_of(e);
        std::vector<Node> cell_nodes;
        space.nodes_of(f.cell, cell_nodes);
        nodes.clear();
        for (const int a : space.facet_element(mesh.kind_of(f.cell), f.facet).nodes) nodes.push_back(cell_nodes[static_cast<std::size_t>(a)]);
      };
      lay_out(group, space, Layout::written, buffered(nodes_of), [&](Index e, std::vector<Node>& nodes) { nodes = mesh.nodes_of(facet_of(e)); });
      groups.push_back(std::move(group));
    }
  }
}

// Elements of one node each, as loads and springs at nodes are.
void add_node_groups(const FunctionSpace& space, const std::vector<Integral>& integrals, std::vector<ElementGroup>& groups) {
  static const ReferenceElement vertex = cell_element(CellKind::vertex1);
  for (std::size_t i = 0; i < integrals.size(); ++i) {
    const std::vector<Node>& list = integrals[i].nodes;
    if (list.empty()) continue;
    for (const Node node : list)
      if (space.node_of(node) < 0)
        throw Error(Exit::model, fmt::format("'{}' acts on node {}, which no cell of the mesh uses", integrals[i].form.name, node), {},
                    "name nodes that belong to cells");
    ElementGroup group;
    group.kind = group.geometry = CellKind::vertex1;
    group.element = &vertex;
    group.integrals = {static_cast<int>(i)};
    group.element_count = static_cast<Index>(list.size());
    const auto node_of = [&](Index e) { return list[static_cast<std::size_t>(e)]; };
    const auto nodes_of = [&](Index e, std::vector<Node>& nodes) { nodes.assign(1, space.node_of(node_of(e))); };
    lay_out(group, space, Layout::written, buffered(nodes_of), [&](Index e, std::vector<Node>& nodes) { nodes.assign(1, node_of(e)); });
    groups.push_back(std::move(group));
  }
}

}  // namespace

int order_of(const ElementGroup& group) { return std::max(group.element->quadrature_order(), traits(group.geometry).order); }

int quadrature_degree(const FormValue& form, const ElementGroup& group) {
  const CellKind shape = traits(group.kind).linear;
  return form.extra_degree + (form.uses_value ? mass_degree(shape, order_of(group)) : stiffness_degree(shape, order_of(group)));
}

bool Integral::same_place(const Integral& other) const {
  const auto facts = [](const FormValue& f) { return std::tie(f.name, f.module, f.components, f.dimension, f.cell, f.given_count); };
  return facts(form) == facts(other.form) && everywhere == other.everywhere && cells == other.cells && facets == other.facets && nodes == other.nodes;
}

Integral Integral::over(FormValue form, const Region& region) {
  if (form.cell == static_cast<int>(CellKind::vertex1)) throw Error(Exit::input, fmt::format("'{}' acts on nodes", form.name), {}, "use Integral::at_nodes");
  const bool fits = form.codimension == 0 ? region.kind == RegionKind::cells : region.kind == RegionKind::facets;
  if (!fits)
    throw Error(Exit::input,
                fmt::format("'{}' acts on {}, but region '{}' holds {}", form.name,
                            form.codimension == 0 ? "cells" : "facets", region.name,
                            region.kind == RegionKind::cells ? "cells" : region.kind == RegionKind::facets ? "facets" : "nodes"),
                {}, "name a region of the right kind");
  return {std::move(form), false, region.cells, region.facets};
}

ElementNodes::ElementNodes(const FunctionSpace& space, const ElementGroup& group)
    : group_(&group), of_cell_(space), nodes_(static_cast<std::size_t>(group.node_count())) {}

std::vector<ElementGroup> element_groups(const FunctionSpace& space, const std::vector<Integral>& integrals, Layout layout) {
  std::vector<ElementGroup> groups;
  add_cell_groups(space, integrals, layout, groups);
  add_facet_groups(space, integrals, groups);
  add_node_groups(space, integrals, groups);
  return groups;
}

}  // namespace ritz
