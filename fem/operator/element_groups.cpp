#include "fem/operator/element_groups.hpp"

#include "device/error.hpp"
#include "device/parallel_errors.hpp"
#include "fem/cells/facet_rule.hpp"
#include "fem/cells/tabulation.hpp"
#include "fem/space/straight_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
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

// Writes numbers of `width` nodes per element as [batch][node][lane]; the last batch is padded with its last element.
// reader() gives each thread its own function from an element to its nodes.
template <class Reader>
void interleave(Index elements, int width, int threads, const Reader& reader, Node* result) {
  const Index batches = (elements + lane_count - 1) / lane_count;
  ParallelErrors errors;
#pragma omp parallel num_threads(threads)
  {
    auto nodes_of = reader();
#pragma omp for schedule(static)
    for (Index batch = 0; batch < batches; ++batch)
      errors.run([&] {
        for (Index lane = batch * lane_count; lane < (batch + 1) * lane_count; ++lane) {
          const auto& nodes = nodes_of(std::min(lane, elements - 1));
          Node* out = result + batch * width * lane_count + lane % lane_count;
          for (int a = 0; a < width; ++a) out[a * lane_count] = nodes[static_cast<std::size_t>(a)];
        }
      });
  }
  errors.rethrow();
}

// The same as an array on the device. on_host: the copy that the host reads, where it cannot read the array.
template <class Reader>
Array<std::int32_t> interleaved(const Device& device, Index elements, int width, const Reader& reader,
                                std::vector<Node>& on_host) {
  const Index size = (elements + lane_count - 1) / lane_count * width * lane_count;
  Array<std::int32_t> result(device, size, "connectivity");
  if (!device.machine().is_apart()) {
    interleave(elements, width, device.threads(), reader, result.data());
  } else {
    on_host.resize(static_cast<std::size_t>(size));
    interleave(elements, width, device.threads(), reader, on_host.data());
    result.upload(on_host);
  }
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

// The maps of cells, or facets: one element for each kind.
std::shared_ptr<const ReferenceElement> map_of_kind(CellKind kind) {
  static const std::vector<std::shared_ptr<const ReferenceElement>> all = [] {
    std::vector<std::shared_ptr<const ReferenceElement>> list;
    for (const CellKind k : all_cell_kinds()) list.push_back(std::make_shared<const ReferenceElement>(cell_element(k)));
    return list;
  }();
  return all[static_cast<std::size_t>(kind)];
}

// nullptr: the cell's nodes define its map.
const LagrangePolynomials* own_map(const FunctionSpace& space, Index cell) {
  return space.first_curved_point(cell) < 0 ? nullptr : space.mesh().block_of(cell).curved.functions.get();
}

// Elements whose geometry is that of their corners, those with all nodes, and then those of each map of their own.
template <class Element>
struct Parts {
  std::vector<Element> straight, bent;
  std::vector<std::vector<Element>> curved;  // in the order of their first elements
};

// If all are of one sort, nothing is copied.
template <class Element, class IsStraight, class OwnMap>
Parts<Element> split(std::vector<Element> elements, bool any_straight, const IsStraight& is_straight, bool any_curved,
                     const OwnMap& own_map) {
  Parts<Element> parts;
  const auto straight = any_straight ? std::ranges::count_if(elements, is_straight) : 0;
  if (straight == std::ssize(elements)) parts.straight = std::move(elements);
  else if (straight == 0 && !any_curved) parts.bent = std::move(elements);
  else {
    std::vector<const LagrangePolynomials*> maps;
    for (const Element& element : elements) {
      const LagrangePolynomials* map = any_curved ? own_map(element) : nullptr;
      if (map != nullptr) {
        const auto place = static_cast<std::size_t>(std::ranges::find(maps, map) - maps.begin());
        if (place == maps.size()) {
          maps.push_back(map);
          parts.curved.emplace_back();
        }
        parts.curved[place].push_back(element);
      } else {
        (any_straight && is_straight(element) ? parts.straight : parts.bent).push_back(element);
      }
    }
  }
  return parts;
}

// `reader` of the space's nodes, geometry_nodes_of(element, buffer) of the points of the geometry that `coordinates_of`
// the group has.
template <class Reader, class GeometryNodesOf>
void lay_out(ElementGroup& group, const FunctionSpace& space, ElementLists lists, const Reader& reader,
             const GeometryNodesOf& geometry_nodes_of) {
  const int width = group.geometry->node_count();
  const bool shared = space.isoparametric() && !group.curved && group.geometry == map_of_kind(group.kind);
  if (lists == ElementLists::counted) {
    group.nodes = Array<std::int32_t>(space.device(), group.entry_count(), "connectivity");
    if (!shared)
      group.own_geometry =
          Array<std::int32_t>(space.device(), group.batch_count() * lane_count * width, "connectivity");
    return;
  }
  group.nodes = interleaved(space.device(), group.element_count, group.node_count(), reader, group.nodes_on_host);
  group.host_nodes = group.nodes_on_host;
  if (!space.device().machine().is_apart())
    group.host_nodes = {group.nodes.data(), static_cast<std::size_t>(group.nodes.size())};
  if (shared) return;
  std::vector<Node> geometry;
  group.own_geometry = interleaved(space.device(), group.element_count, width, buffered(geometry_nodes_of), geometry);
}

// The corners, or all nodes, of what the mesh has there.
void take_nodes(const FunctionSpace& space, std::span<const Node> mesh_nodes, const ElementGroup& group,
                std::vector<Node>& nodes) {
  nodes.clear();
  for (const Node node : mesh_nodes.first(static_cast<std::size_t>(group.geometry->node_count())))
    nodes.push_back(space.geometry_node_of(node));
}

// Whole elements need all nodes of their kind.
bool has_whole(const std::vector<int>& set, const std::vector<Integral>& integrals) {
  return std::ranges::any_of(set, [&](int i) { return integrals[static_cast<std::size_t>(i)].form.cell >= 0; });
}

// The integrals over each cell, as numbers of sets.
struct IntegralsOfCells {
  Signatures signatures;
  int everywhere = 0;
  std::vector<int> by_cell;  // empty: everywhere the same
  int of(Index cell) const { return by_cell.empty() ? everywhere : by_cell[static_cast<std::size_t>(cell)]; }
};

IntegralsOfCells integrals_of_cells(const Mesh& mesh, const std::vector<Integral>& integrals) {
  IntegralsOfCells result;
  for (std::size_t i = 0; i < integrals.size(); ++i) {
    if (integrals[i].form.codimension != 0) continue;
    const auto add_to = [&](int& set) { set = result.signatures.with(set, static_cast<int>(i)); };
    const bool all = integrals[i].everywhere || static_cast<Index>(integrals[i].cells.size()) == mesh.cell_count();
    if (all && result.by_cell.empty()) {
      add_to(result.everywhere);
      continue;
    }
    if (result.by_cell.empty()) result.by_cell.assign(static_cast<std::size_t>(mesh.cell_count()), result.everywhere);
    if (all) std::ranges::for_each(result.by_cell, add_to);
    else
      for (const Index cell : integrals[i].cells) add_to(result.by_cell[static_cast<std::size_t>(cell)]);
  }
  return result;
}

using GroupKey = std::pair<CellKind, int>;  // with the set of integrals

// In the order of the space.
std::map<GroupKey, std::vector<Index>> cells_by_key(const FunctionSpace& space, const IntegralsOfCells& sets) {
  const Mesh& mesh = space.mesh();
  std::map<GroupKey, std::vector<Index>> by_key;
  const auto cells = space.cell_order();
  if (sets.by_cell.empty() && sets.everywhere == 0) return by_key;
  if (sets.by_cell.empty() && mesh.blocks().size() == 1) {
    by_key[{mesh.blocks().front().kind, sets.everywhere}].assign(cells.begin(), cells.end());
    return by_key;
  }
  std::vector<Index>* group = nullptr;
  GroupKey current{};
  for (const Index cell : cells) {
    const GroupKey key{mesh.kind_of(cell), sets.of(cell)};
    if (key.second == 0) continue;
    if (group == nullptr || key != current) {
      group = &by_key[key];
      current = key;
    }
    group->push_back(cell);
  }
  return by_key;
}

void lay_out_cells(ElementGroup& group, const FunctionSpace& space, ElementLists lists) {
  const auto cell_of = [&](Index e) { return group.elements[static_cast<std::size_t>(e)]; };
  lay_out(
      group, space, lists,
      [&] { return [&, nodes_of = FunctionSpace::CellNodes(space)](Index e) mutable { return nodes_of(cell_of(e)); }; },
      [&](Index e, std::vector<Node>& nodes) {
        if (!group.curved) return take_nodes(space, space.mesh().nodes_of(cell_of(e)), group, nodes);
        nodes.resize(static_cast<std::size_t>(group.geometry->node_count()));
        std::iota(nodes.begin(), nodes.end(), space.first_curved_point(cell_of(e)));
      });
}

// One map from reference coordinates serves all cells of a group.
struct GroupMap {
  std::shared_ptr<const ReferenceElement> geometry;
  bool curved = false;  // by points of its own
};

ElementGroup cell_group(const FunctionSpace& space, CellKind kind, const std::vector<int>& set, GroupMap map,
                        CellList cells, ElementLists lists) {
  ElementGroup group;
  group.kind = kind;
  group.geometry = std::move(map.geometry);
  group.curved = map.curved;
  group.element = &space.element(kind);
  group.integrals = set;
  group.elements = std::move(cells);
  group.element_count = static_cast<Index>(group.elements.size());
  if (lists != ElementLists::when_needed) lay_out_cells(group, space, lists);
  return group;
}

void add_cell_groups(const FunctionSpace& space, const std::vector<Integral>& integrals, ElementLists lists,
                     std::vector<ElementGroup>& groups) {
  const Mesh& mesh = space.mesh();
  IntegralsOfCells sets = integrals_of_cells(mesh, integrals);
  const auto any_straight = [&](CellKind kind, bool by_nodes) { return !by_nodes && traits(kind).order > 1; };
  const auto any_curved = [&](bool by_nodes) { return !by_nodes && !space.curved_coordinates().empty(); };
  if (sets.by_cell.empty() && sets.everywhere != 0 && mesh.blocks().size() == 1) {  // perhaps one group has all cells
    const CellKind kind = mesh.blocks().front().kind;
    const std::vector<int>& set = sets.signatures.set(sets.everywhere);
    const bool by_nodes = has_whole(set, integrals);
    if (!any_straight(kind, by_nodes) && !any_curved(by_nodes)) {
      groups.push_back(cell_group(space, kind, set, {map_of_kind(kind)}, CellList::all_of(space), lists));
      return;
    }
  }
  for (auto& [key, all] : cells_by_key(space, sets)) {
    const CellKind kind = key.first;
    const std::vector<int>& set = sets.signatures.set(key.second);
    const bool by_nodes = has_whole(set, integrals);
    Parts<Index> parts = split(
        std::move(all), any_straight(kind, by_nodes), [&](Index cell) { return space.is_straight(cell); },
        any_curved(by_nodes), [&](Index cell) { return own_map(space, cell); });
    const auto add = [&](std::vector<Index>& cells, GroupMap map) {
      if (!cells.empty())
        groups.push_back(cell_group(space, kind, set, std::move(map), CellList(std::move(cells)), lists));
    };
    add(parts.straight, {map_of_kind(traits(kind).linear)});
    add(parts.bent, {map_of_kind(kind)});
    for (std::vector<Index>& cells : parts.curved)
      add(cells,
          {std::make_shared<const ReferenceElement>(element_of(mesh.block_of(cells[0]).curved.functions)), true});
  }
}

using FacetUse = std::tuple<Index, int, int>;  // cell, facet, integral

std::vector<FacetUse> in_order_of_cells(const FunctionSpace& space, std::vector<FacetUse> uses) {
  std::ranges::sort(uses);
  std::vector<bool> has_uses(static_cast<std::size_t>(space.mesh().cell_count()), false);
  for (const FacetUse& use : uses) has_uses[static_cast<std::size_t>(std::get<0>(use))] = true;
  std::vector<FacetUse> ordered;
  ordered.reserve(uses.size());
  for (const Index cell : space.cell_order()) {
    if (!has_uses[static_cast<std::size_t>(cell)]) continue;
    const auto of_cell = std::ranges::equal_range(uses, cell, {}, [](const FacetUse& use) { return std::get<0>(use); });
    ordered.insert(ordered.end(), of_cell.begin(), of_cell.end());
  }
  return ordered;
}

// Facets with the integrals over them, in the order of the space's cells.
std::map<GroupKey, std::vector<FacetOfCell>> facets_by_key(const FunctionSpace& space, std::vector<FacetUse> uses,
                                                           Signatures& signatures) {
  const Mesh& mesh = space.mesh();
  uses = in_order_of_cells(space, std::move(uses));
  std::map<GroupKey, std::vector<FacetOfCell>> by_key;
  for (std::size_t first = 0, last = 0; first < uses.size(); first = last) {
    const auto [cell, facet, integral] = uses[first];
    int signature = 0;
    for (last = first; last < uses.size() && std::get<0>(uses[last]) == cell && std::get<1>(uses[last]) == facet;
         ++last)
      signature = signatures.with(signature, std::get<2>(uses[last]));
    const CellKind kind = traits(mesh.kind_of(cell)).facets[static_cast<std::size_t>(facet)].kind;
    by_key[{kind, signature}].push_back({cell, facet});
  }
  return by_key;
}

// traces: [facet] of cells with a map of their own; else empty.
ElementGroup facet_group(const FunctionSpace& space, CellKind kind, const std::vector<int>& set,
                         std::shared_ptr<const ReferenceElement> geometry, std::span<const FacetOfCell> facets,
                         std::span<const Trace> traces) {
  const Mesh& mesh = space.mesh();
  ElementGroup group;
  group.kind = kind;
  group.geometry = std::move(geometry);
  group.curved = !traces.empty();
  group.integrals = set;
  group.facets.assign(facets.begin(), facets.end());
  group.element_count = static_cast<Index>(facets.size());
  const auto [first_cell, first_facet] = facets.front();
  group.element = space.facet_element(mesh.kind_of(first_cell), first_facet).element;
  const auto nodes_of = [&](Index e, std::vector<Node>& nodes) {
    const FacetOfCell f = facets[static_cast<std::size_t>(e)];
    std::vector<Node> cell_nodes;
    space.nodes_of(f.cell, cell_nodes);
    nodes.clear();
    for (const int a : space.facet_element(mesh.kind_of(f.cell), f.facet).nodes)
      nodes.push_back(cell_nodes[static_cast<std::size_t>(a)]);
  };
  lay_out(group, space, ElementLists::written, buffered(nodes_of), [&](Index e, std::vector<Node>& nodes) {
    const FacetOfCell f = facets[static_cast<std::size_t>(e)];
    if (!group.curved) return take_nodes(space, mesh.nodes_of(f), group, nodes);
    nodes.clear();
    for (const int a : traces[static_cast<std::size_t>(f.facet)].nodes)
      nodes.push_back(space.first_curved_point(f.cell) + a);
  });
  return group;
}

void add_facet_groups(const FunctionSpace& space, const std::vector<Integral>& integrals,
                      std::vector<ElementGroup>& groups) {
  const Mesh& mesh = space.mesh();
  std::vector<FacetUse> uses;
  for (std::size_t i = 0; i < integrals.size(); ++i)
    if (integrals[i].form.codimension == 1)
      for (const FacetOfCell& f : integrals[i].facets) uses.emplace_back(f.cell, f.facet, static_cast<int>(i));
  if (uses.empty()) return;
  Signatures signatures;
  for (auto& [key, all] : facets_by_key(space, std::move(uses), signatures)) {
    const CellKind kind = key.first;
    const std::vector<int>& set = signatures.set(key.second);
    const bool by_nodes = has_whole(set, integrals);
    const Parts<FacetOfCell> parts = split(
        std::move(all), !by_nodes && traits(kind).order > 1,
        [&, straight = Straightness(mesh, kind)](const FacetOfCell& f) {
          return own_map(space, f.cell) == nullptr && straight(mesh.nodes_of(f));
        },
        !by_nodes && !space.curved_coordinates().empty(), [&](const FacetOfCell& f) { return own_map(space, f.cell); });
    const auto add = [&](const std::vector<FacetOfCell>& facets, std::shared_ptr<const ReferenceElement> geometry,
                         std::span<const Trace> traces) {
      if (!facets.empty()) groups.push_back(facet_group(space, kind, set, std::move(geometry), facets, traces));
    };
    add(parts.straight, map_of_kind(traits(kind).linear), {});
    add(parts.bent, map_of_kind(kind), {});
    for (const std::vector<FacetOfCell>& list : parts.curved) {
      const ReferenceElement cell = element_of(mesh.block_of(list[0].cell).curved.functions);
      std::vector<Trace> traces;
      for (int f = 0; f < std::ssize(traits(cell.shape).facets); ++f) traces.push_back(trace_of(cell, f));
      // Facets of one kind have one trace, whichever their number in the cell.
      add(list, std::make_shared<const ReferenceElement>(traces[static_cast<std::size_t>(list[0].facet)].element),
          traces);
    }
  }
}

// Elements of one node each, as loads and springs at nodes are.
void add_node_groups(const FunctionSpace& space, const std::vector<Integral>& integrals,
                     std::vector<ElementGroup>& groups) {
  static const ReferenceElement vertex = cell_element(CellKind::vertex1);
  for (std::size_t i = 0; i < integrals.size(); ++i) {
    const std::vector<Node>& list = integrals[i].nodes;
    if (list.empty()) continue;
    for (const Node node : list)
      if (space.node_of(node) < 0) throw no_node_for(fmt::format("'{}' acts", integrals[i].form.name), space, node);
    ElementGroup group;
    group.kind = CellKind::vertex1;
    group.geometry = map_of_kind(CellKind::vertex1);
    group.element = &vertex;
    group.integrals = {static_cast<int>(i)};
    group.element_count = static_cast<Index>(list.size());
    const auto node_of = [&](Index e) { return list[static_cast<std::size_t>(e)]; };
    const auto nodes_of = [&](Index e, std::vector<Node>& nodes) { nodes.assign(1, space.node_of(node_of(e))); };
    lay_out(group, space, ElementLists::written, buffered(nodes_of),
            [&](Index e, std::vector<Node>& nodes) { nodes.assign(1, space.geometry_node_of(node_of(e))); });
    groups.push_back(std::move(group));
  }
}

}  // namespace

void forget_nodes_of_cells(std::vector<ElementGroup>& groups) {
  for (ElementGroup& group : groups) {
    if (group.elements.empty()) continue;
    group.host_nodes = {};
    group.nodes_on_host = {};
    group.nodes = {};
    group.own_geometry = {};
  }
}

void write_nodes_of_cells(const FunctionSpace& space, std::vector<ElementGroup>& groups) {
  for (ElementGroup& group : groups)
    if (!group.elements.empty()) lay_out_cells(group, space, ElementLists::written);
}

Index bytes_of_cells(const std::vector<ElementGroup>& groups) {
  Index sum = 0;
  for (const ElementGroup& group : groups)
    if (!group.elements.empty()) sum += group.nodes.bytes() + group.own_geometry.bytes();
  return sum;
}

int order_of(const ElementGroup& group) { return std::max(group.element->quadrature_order(), group.geometry->order); }

QuadratureRule rule_of(const ElementGroup& group, int degree) {
  return group.facet < 0 ? quadrature(group.kind, degree) : facet_rule(group.kind, group.facet, degree).rule;
}

bool can_be_reduced(CellKind kind, const ReferenceElement& element) {
  return (kind == CellKind::quad8 && element.node_count() == 8) ||
         (kind == CellKind::hex20 && element.node_count() == 20);
}

bool can_be_assumed(CellKind kind, const ReferenceElement& element) {
  return (kind == CellKind::hex8 || kind == CellKind::quad4) && element.node_count() == traits(kind).node_count;
}

int quadrature_degree(const FormValue& form, const ElementGroup& group) {
  const CellKind shape = traits(group.kind).linear;
  constexpr int two_points = 3;  // a direction
  if (form.reduced && group.facet < 0 && can_be_reduced(group.kind, *group.element)) return two_points;
  return form.extra_degree +
         (form.uses_value ? mass_degree(shape, order_of(group)) : stiffness_degree(shape, order_of(group)));
}

bool Integral::same_place(const Integral& other) const {
  const auto facts = [](const FormValue& f) {
    return std::tie(f.name, f.module, f.law, f.components, f.dimension, f.cell, f.given_count);
  };
  return facts(form) == facts(other.form) && form.varies_in_space() == other.form.varies_in_space() &&
         everywhere == other.everywhere && cells == other.cells && facets == other.facets && nodes == other.nodes;
}

std::vector<FormValue> forms_of(const std::vector<Integral>& integrals) {
  std::vector<FormValue> forms;
  for (const Integral& integral : integrals) forms.push_back(integral.form);
  return forms;
}

bool same_numbers(const FormValue& a, const FormValue& b) {
  const auto same = [](const PointFunction& x, const PointFunction& y) {
    const PointExpression &one = x.expression(), &other = y.expression();
    return one.is_number() && other.is_number() && one.number() == other.number();
  };
  return a.bytes == b.bytes && std::ranges::equal(a.given, b.given, same);
}

std::vector<Integral> loads_among(const std::vector<Integral>& integrals) {
  std::vector<Integral> loads;
  for (const Integral& each : integrals)
    if (!each.form.has_matrix && each.form.derived == 0 && !each.is_rate) loads.push_back(each);
  return loads;
}

std::vector<Integral> elastic_among(const std::vector<Integral>& integrals) {
  std::vector<Integral> elastic;
  for (const Integral& each : integrals)
    if ((each.form.has_matrix || each.form.derived > 0) && each.form.state_start.empty() && !each.is_load &&
        !each.is_rate)
      elastic.push_back(each);
  return elastic;
}

Integral Integral::over(FormValue form, const Region& region) {
  if (form.cell == static_cast<int>(CellKind::vertex1))
    throw Error(ErrorKind::model_options, fmt::format("'{}' acts on nodes", form.name), {}, "use Integral::at_nodes");
  const bool fits = form.codimension == 0 ? region.kind == RegionKind::cells : region.kind == RegionKind::facets;
  if (!fits)
    throw Error(ErrorKind::model_options,
                fmt::format("'{}' acts on {}, but region '{}' holds {}", form.name,
                            form.codimension == 0 ? "cells" : "facets", region.name,
                            region.kind == RegionKind::cells    ? "cells"
                            : region.kind == RegionKind::facets ? "facets"
                                                                : "nodes"),
                {}, "name a region of the right kind");
  if (region.has_all_cells) return over_all_cells(std::move(form));
  return {std::move(form), false, region.cells, region.facets};
}

ElementNodes::ElementNodes(const FunctionSpace& space, const ElementGroup& group)
    : group_(&group), of_cell_(space), nodes_(static_cast<std::size_t>(group.node_count())) {}

std::vector<ElementGroup> element_groups(const FunctionSpace& space, const std::vector<Integral>& integrals,
                                         ElementLists lists) {
  std::vector<ElementGroup> groups;
  add_cell_groups(space, integrals, lists, groups);
  add_facet_groups(space, integrals, groups);
  add_node_groups(space, integrals, groups);
  return groups;
}

}  // namespace ritz
