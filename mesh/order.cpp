#include "mesh/order.hpp"

#include "mesh/cell_geometry.hpp"
#include "mesh/hash.hpp"
#include "mesh/radix_sort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace ritz {
namespace {

using Parents = FewNodes;  // the corners of an edge or quadrilateral

// The corners in whose middle each node of a quadratic kind lies (2 for edges, 4 for faces, more for cell centres).
std::vector<std::vector<int>> parents_of_nodes(CellKind kind) {
  const CellTraits& t = traits(kind);
  std::vector<std::vector<int>> parents(static_cast<std::size_t>(t.node_count));
  for (int i = 0; i < t.corner_count; ++i) parents[static_cast<std::size_t>(i)] = {i};
  if (t.order == 1) return parents;
  for (std::size_t e = 0; e < t.edges.size(); ++e)
    parents[static_cast<std::size_t>(t.corner_count) + e] = {t.edges[e][0], t.edges[e][1]};
  for (const Facet& facet : t.facets)
    if (facet.kind == CellKind::quad9)
      parents[static_cast<std::size_t>(facet.nodes[8])].assign(facet.nodes.begin(), facet.nodes.begin() + 4);
  for (auto& list : parents)
    if (list.empty())
      for (int i = 0; i < t.corner_count; ++i) list.push_back(i);
  return parents;
}

// How one block changes: which nodes are taken over, and which are made, from which corners and shape values.
struct Plan {
  CellKind from, to;
  std::vector<int> old_node;                  // [new local node] or -1
  std::vector<std::vector<int>> parents;      // [new local node]
  std::vector<std::vector<double>> values;    // [new local node][old local node], where made
  bool private_centre(std::size_t i) const {  // of the cell itself, not of an edge or face that others may share
    return parents[i].size() > (traits(to).dimension == 2 ? 2 : 4);
  }
};

Plan make_plan(CellKind from, CellKind to) {
  Plan plan{from, to, {}, parents_of_nodes(to), {}};
  const auto old_points = reference_nodes(from);
  for (const Point& xi : reference_nodes(to)) {
    const auto at = std::find(old_points.begin(), old_points.end(), xi);
    plan.old_node.push_back(at == old_points.end() ? -1 : static_cast<int>(at - old_points.begin()));
    plan.values.push_back(at == old_points.end() ? shape_values(from, xi) : std::vector<double>());
  }
  return plan;
}

// [old node] its number among the nodes that are taken over: those that the new cells use, and those that no cell ever
// used; -1: none.
std::vector<Node> kept_numbers(const MeshData& old, const std::vector<Plan>& plans) {
  constexpr std::uint8_t used = 1, kept = 2;
  std::vector<std::uint8_t> state(old.points.size() / 3);
  for (std::size_t b = 0; b < plans.size(); ++b) {
    for (const Node node : old.blocks[b].nodes) state[static_cast<std::size_t>(node)] |= used;
    for (Index c = 0; c < old.blocks[b].cell_count(); ++c)
      for (const int i : plans[b].old_node)
        if (i >= 0) state[static_cast<std::size_t>(old.blocks[b].cell(c)[static_cast<std::size_t>(i)])] |= kept;
  }
  std::vector<Node> numbers(state.size(), -1);
  Node next = 0;
  for (std::size_t i = 0; i < state.size(); ++i)
    if (state[i] != used) numbers[i] = next++;
  return numbers;
}

// Members that stay; and new nodes all of whose parents are members, except of points and in the middle of lines.
void renew_node_region(Region& region, bool are_points, const MeshData& old, const std::vector<Plan>& plans,
                       const std::vector<Node>& new_number, const std::vector<CellBlock>& blocks) {
  std::vector<std::uint8_t> member(old.points.size() / 3);
  for (const Node node : region.nodes) member[static_cast<std::size_t>(node)] = 1;
  region.nodes.clear();
  for (std::size_t i = 0; i < member.size(); ++i)
    if (member[i] != 0 && new_number[i] >= 0) region.nodes.push_back(new_number[i]);
  for (std::size_t b = 0; b < plans.size(); ++b)
    for (std::size_t i = 0; i < plans[b].parents.size(); ++i) {
      if (plans[b].old_node[i] >= 0 || are_points || traits(plans[b].to).dimension == 1) continue;
      for (Index c = 0; c < old.blocks[b].cell_count(); ++c) {
        const auto cell = old.blocks[b].cell(c);
        const auto& parents = plans[b].parents[i];
        if (std::all_of(parents.begin(), parents.end(), [&](int p) {
              return member[static_cast<std::size_t>(cell[static_cast<std::size_t>(p)])] != 0;
            }))
          region.nodes.push_back(blocks[b].nodes[static_cast<std::size_t>(c) * plans[b].parents.size() + i]);
      }
    }
  std::sort(region.nodes.begin(), region.nodes.end());
  region.nodes.erase(std::unique(region.nodes.begin(), region.nodes.end()), region.nodes.end());
}

// A place that needs a new node: slot = position in the block's new connectivity, counted through all blocks.
struct Slot {
  std::size_t block;
  Index cell;
  std::size_t local;
};

class Renewal {
 public:
  Renewal(const MeshData& data, int order, MidNodes mid_nodes) : old_(data) {
    new_.dimension = data.dimension;
    new_.structural = data.structural;
    new_.source = data.source;
    Index slots = 0;
    for (const CellBlock& block : data.blocks) {
      plans_.push_back(make_plan(block.kind, kind_with_order(block.kind, order, mid_nodes)));
      const auto n = static_cast<std::size_t>(traits(plans_.back().to).node_count);
      new_.blocks.push_back({plans_.back().to, std::vector<Node>(static_cast<std::size_t>(block.cell_count()) * n, -1),
                             block.first_cell, order > 1 ? block.curved : CurvedCells()});
      first_slot_.push_back(slots);
      slots += block.cell_count() * static_cast<Index>(n);
    }
  }

  MeshData run(std::span<const std::string> points) {
    new_number_ = kept_numbers(old_, plans_);
    keep_nodes();
    add_shared_nodes(2);
    add_shared_nodes(4);
    add_centres();
    new_.regions = old_.regions;
    for (Region& region : new_.regions)
      if (region.kind == RegionKind::nodes)
        renew_node_region(region, std::ranges::count(points, region.name) > 0, old_, plans_, new_number_, new_.blocks);
    return std::move(new_);
  }

 private:
  Slot slot(Index number) const {
    const auto block = static_cast<std::size_t>(std::upper_bound(first_slot_.begin(), first_slot_.end(), number) -
                                                first_slot_.begin() - 1);
    const Index n = traits(plans_[block].to).node_count, offset = number - first_slot_[block];
    return {block, offset / n, static_cast<std::size_t>(offset % n)};
  }

  void keep_nodes() {
    for (std::size_t i = 0; i < new_number_.size(); ++i)
      if (new_number_[i] >= 0) new_.points.insert(new_.points.end(), &old_.points[3 * i], &old_.points[3 * i] + 3);
    for (std::size_t b = 0; b < plans_.size(); ++b) {
      const Plan& plan = plans_[b];
      const std::size_t n = plan.old_node.size();
      Node* const out = new_.blocks[b].nodes.data();
#pragma omp parallel for schedule(static)
      for (Index c = 0; c < old_.blocks[b].cell_count(); ++c)
        for (std::size_t i = 0; i < n; ++i)
          if (plan.old_node[i] >= 0)
            out[static_cast<std::size_t>(c) * n + i] = new_number_[static_cast<std::size_t>(
                old_.blocks[b].cell(c)[static_cast<std::size_t>(plan.old_node[i])])];
    }
  }

  Parents parents_at(const Slot& s) const {
    Parents parents;
    const auto cell = old_.blocks[s.block].cell(s.cell);
    for (const int i : plans_[s.block].parents[s.local]) parents.insert(cell[static_cast<std::size_t>(i)]);
    return parents;
  }

  // One node for all slots with the same parents, placed by the lowest of them (the sort is stable). Keys are the two
  // ends of an edge, or two corners of a face; all corners then distinguish runs of equal keys.
  void add_shared_nodes(std::size_t parent_count) {
    const int bits = std::bit_width(old_.points.size() / 3);
    std::vector<KeyedIndex> slots;
    for (std::size_t b = 0; b < plans_.size(); ++b) {
      const Plan& plan = plans_[b];
      const std::size_t n = plan.parents.size();
      std::vector<std::size_t> locals;
      for (std::size_t i = 0; i < n; ++i)
        if (plan.old_node[i] < 0 && plan.parents[i].size() == parent_count && !plan.private_centre(i))
          locals.push_back(i);
      const std::size_t begin = slots.size(), m = locals.size();
      const Index count = old_.blocks[b].cell_count();
      slots.resize(begin + static_cast<std::size_t>(count) * m);
#pragma omp parallel for schedule(static)
      for (Index c = 0; c < count; ++c)
        for (std::size_t j = 0; j < m; ++j) {
          const Parents p = parents_at({b, c, locals[j]});
          const auto low = static_cast<std::uint64_t>(p.node[0]);
          const auto other = static_cast<std::uint64_t>(p.node[parent_count / 2]);
          slots[begin + static_cast<std::size_t>(c) * m + j] = {
              low << bits | other, first_slot_[b] + c * static_cast<Index>(n) + static_cast<Index>(locals[j])};
        }
    }
    radix_sort(slots, 2 * bits);
    if (parent_count == 2) {  // the key is the edge itself
      Node node = -1;
      for (std::size_t i = 0; i < slots.size(); ++i) {
        const Slot s = slot(slots[i].value);
        if (i == 0 || slots[i].key != slots[i - 1].key) node = add_node(s);
        connectivity(s) = node;
      }
      return;
    }
    std::vector<std::pair<Parents, Index>> run;
    for (std::size_t i = 0; i < slots.size();) {
      run.clear();
      const std::uint64_t key = slots[i].key;
      for (; i < slots.size() && slots[i].key == key; ++i)
        run.emplace_back(parents_at(slot(slots[i].value)), slots[i].value);
      std::sort(run.begin(), run.end());
      for (std::size_t first = 0, last; first < run.size(); first = last) {
        const Node node = add_node(slot(run[first].second));
        for (last = first; last < run.size() && run[last].first == run[first].first; ++last)
          connectivity(slot(run[last].second)) = node;
      }
    }
  }

  void add_centres() {
    for (std::size_t b = 0; b < plans_.size(); ++b)
      for (std::size_t i = 0; i < plans_[b].parents.size(); ++i)
        if (plans_[b].old_node[i] < 0 && plans_[b].private_centre(i))
          for (Index c = 0; c < old_.blocks[b].cell_count(); ++c) connectivity({b, c, i}) = add_node({b, c, i});
  }

  Node& connectivity(const Slot& s) {
    return new_.blocks[s.block].nodes[static_cast<std::size_t>(s.cell) * plans_[s.block].parents.size() + s.local];
  }

  Node add_node(const Slot& s) {
    const auto cell = old_.blocks[s.block].cell(s.cell);
    const std::vector<double>& values = plans_[s.block].values[s.local];
    Point x{};
    for (std::size_t i = 0; i < cell.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) x[k] += values[i] * old_.points[3 * static_cast<std::size_t>(cell[i]) + k];
    const auto node = static_cast<Index>(new_.points.size() / 3);
    if (node > std::numeric_limits<Node>::max())
      throw Error(ErrorKind::mesh_too_large, fmt::format("{} would have more than {} nodes", old_.source, node),
                  "node numbers have 32 bits", "keep linear cells, or split the mesh");
    new_.points.insert(new_.points.end(), x.begin(), x.end());
    return static_cast<Node>(node);
  }

  const MeshData& old_;
  MeshData new_;
  std::vector<Plan> plans_;        // [block]
  std::vector<Index> first_slot_;  // [block]
  std::vector<Node> new_number_;   // [old node] or -1
};

}  // namespace

CellKind kind_with_order(CellKind kind, int order, MidNodes mid_nodes) {
  if (order != 1 && order != 2)
    throw Error(ErrorKind::model_options, fmt::format("cells of order {}", order), "", "the orders are 1 and 2");
  const CellKind linear = traits(kind).linear;
  if (order == 1) return linear;
  const bool full = mid_nodes == MidNodes::full;
  switch (linear) {
    case CellKind::line2: return CellKind::line3;
    case CellKind::tri3: return CellKind::tri6;
    case CellKind::quad4: return full ? CellKind::quad9 : CellKind::quad8;
    case CellKind::tet4: return CellKind::tet10;
    case CellKind::hex8: return full ? CellKind::hex27 : CellKind::hex20;
    case CellKind::prism6: return full ? CellKind::prism18 : CellKind::prism15;
    case CellKind::pyramid5: return full ? CellKind::pyramid14 : CellKind::pyramid13;
    default: return linear;
  }
}

MeshData with_order(const MeshData& data, int order, MidNodes mid_nodes, std::span<const std::string> points) {
  return Renewal(data, order, mid_nodes).run(points);
}

Mesh with_order(const Mesh& mesh, int order, MidNodes mid_nodes, std::span<const std::string> points) {
  MeshData data{.dimension = mesh.dimension(),
                .structural = mesh.structural(),
                .points = {mesh.points().begin(), mesh.points().end()},
                .blocks = {mesh.blocks().begin(), mesh.blocks().end()},
                .regions = {mesh.regions().begin(), mesh.regions().end()},
                .source = mesh.source()};
  return Mesh(with_order(data, order, mid_nodes, points));
}

}  // namespace ritz
