#include "mesh/facets.hpp"

#include "device/parallel_errors.hpp"
#include "mesh/radix_sort.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <tuple>

namespace ritz {
namespace {

FacetTable make_table(CellKind kind) {
  FacetTable table{};
  for (const Facet& facet : traits(kind).facets) {
    FacetTable::Entry& entry = table.facets[table.facet_count++];
    entry.corner_count = static_cast<std::uint8_t>(traits(facet.kind).corner_count);
    entry.node_count = static_cast<std::uint8_t>(facet.nodes.size());
    std::copy(facet.nodes.begin(), facet.nodes.end(), entry.nodes);
  }
  return table;
}

struct Side {
  Node lowest;         // the lowest corner
  std::uint64_t sign;  // 1 or 2^64 - 1: which way the facet looks, seen from its corners alone
};

// The corners run around the facet; from the lowest on they go up or down, and the other side's go the other way.
Side side_of(const Node* cell, const FacetTable::Entry& facet) {
  const unsigned n = facet.corner_count;
  unsigned at = 0;
  Node lowest = cell[facet.nodes[0]];
  for (unsigned i = 1; i < n; ++i)
    if (cell[facet.nodes[i]] < lowest) lowest = cell[facet.nodes[i]], at = i;
  const Node next = cell[facet.nodes[at + 1 == n ? 0 : at + 1]];
  const Node last = cell[facet.nodes[at == 0 ? n - 1 : at - 1]];
  const bool up = n > 2 ? next < last : at == 0;
  return {lowest, up ? std::uint64_t{1} : ~std::uint64_t{0}};
}

// Adds the signed hashes of all facets of a block to the sums at their lowest corners.
void add_signed_hashes(const CellBlock& block, std::vector<std::uint64_t>& sums) {
  const FacetTable& table = facet_table(block.kind);
  const Index count = block.cell_count();
  const int n = traits(block.kind).node_count;
  const Node* const nodes = block.nodes.data();
  const bool alone = omp_get_max_threads() == 1;
#pragma omp parallel for schedule(static)
  for (Index c = 0; c < count; ++c) {
    const Node* const cell = nodes + c * n;
    std::uint64_t mixed[27];
    for (int i = 0; i < n; ++i) mixed[i] = mix(cell[i]);
    Node at[6];
    std::uint64_t sum[6];
    int used = 0;
    for (int f = 0; f < table.facet_count; ++f) {
      const FacetTable::Entry& facet = table.facets[f];
      std::uint64_t hash = 0;
      for (int i = 0; i < facet.node_count; ++i) hash += mixed[facet.nodes[i]];
      const Side side = side_of(cell, facet);
      int slot = 0;  // facets of a cell mostly share their lowest corner: one atomic addition for all of them
      while (slot < used && at[slot] != side.lowest) ++slot;
      if (slot == used) at[used] = side.lowest, sum[used++] = 0;
      sum[slot] += side.sign * mix(hash);
    }
    for (int s = 0; s < used; ++s) {
      std::uint64_t& here = sums[static_cast<std::size_t>(at[s])];
      if (alone) here += sum[s];
      else std::atomic_ref(here).fetch_add(sum[s], std::memory_order_relaxed);
    }
  }
}

// The facets of a block whose lowest corner is marked, in ascending order, keyed by the hash of their corners.
void collect_marked(const CellBlock& block, const std::vector<std::uint8_t>& marked, std::vector<KeyedIndex>& found) {
  const FacetTable& table = facet_table(block.kind);
  const Index count = block.cell_count();
  const int n = traits(block.kind).node_count, corner_count = traits(block.kind).corner_count;
  std::vector<std::vector<KeyedIndex>> parts(static_cast<std::size_t>(omp_get_max_threads()));
  ParallelErrors errors;
#pragma omp parallel
  {
    std::vector<KeyedIndex>& mine = parts[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
    for (Index c = 0; c < count; ++c) {
      const Node* const cell = block.nodes.data() + c * n;
      bool any = false;
      for (int i = 0; i < corner_count; ++i) any |= marked[static_cast<std::size_t>(cell[i])] != 0;
      if (!any) continue;
      for (int f = 0; f < table.facet_count; ++f) {
        const FacetTable::Entry& facet = table.facets[f];
        if (!marked[static_cast<std::size_t>(side_of(cell, facet).lowest)]) continue;
        std::uint64_t hash = 0;
        for (int i = 0; i < facet.corner_count; ++i) hash += mix(cell[facet.nodes[i]]);
        errors.run([&] { mine.push_back({hash & 0x1FFFFFFFF, (block.first_cell + c) * 8 + f}); });
      }
    }
  }
  errors.rethrow();
  for (const auto& part : parts) found.insert(found.end(), part.begin(), part.end());
}

struct Seen {  // one facet of one cell, exactly
  FewNodes corners;
  FacetOfCell facet;
  std::uint64_t sign;
  std::uint64_t node_hash;  // of all its nodes
};

Seen look_at(const MeshData& data, Index code) {
  const Index cell = code / 8;
  const CellBlock& block = block_holding(data, cell);
  const auto nodes = block.cell(cell - block.first_cell);
  const FacetTable::Entry& facet = facet_table(block.kind).facets[code % 8];
  std::uint64_t hash = 0;
  for (int i = 0; i < facet.node_count; ++i) hash += mix(nodes[facet.nodes[i]]);
  return {ritz::corners_of(nodes, facet), {cell, static_cast<int>(code % 8)}, side_of(nodes.data(), facet).sign, hash};
}

void classify(std::span<const Seen> same_corners, bool is_line_mesh, FacetSurvey& survey) {
  const std::size_t count = same_corners.size();
  const Seen& first = same_corners[0];
  if (count == 1) survey.boundary.push_back(first.facet);
  if (count == 1 || is_line_mesh) return;  // any number of bars may meet in a node
  if (count > 2 || first.sign == same_corners[1].sign) survey.crowded.emplace_back(first.facet, same_corners[1].facet);
  else if (first.node_hash != same_corners[1].node_hash)
    survey.mismatched.emplace_back(first.facet, same_corners[1].facet);
}

// Runs of equal keys, sorted exactly by their corners, then classified.
void classify_groups(const MeshData& data, std::span<const KeyedIndex> sorted, FacetSurvey& survey) {
  std::vector<Seen> run;
  for (std::size_t i = 0; i < sorted.size();) {
    run.clear();
    const std::uint64_t key = sorted[i].key;
    for (; i < sorted.size() && sorted[i].key == key; ++i) run.push_back(look_at(data, sorted[i].value));
    std::stable_sort(run.begin(), run.end(), [](const Seen& a, const Seen& b) { return a.corners < b.corners; });
    for (std::size_t first = 0, last; first < run.size(); first = last) {
      last = first + 1;
      while (last < run.size() && run[last].corners == run[first].corners) ++last;
      classify(std::span(run).subspan(first, last - first), data.dimension == 1, survey);
    }
  }
}

bool facet_before(const FacetOfCell& a, const FacetOfCell& b) {
  return std::tie(a.cell, a.facet) < std::tie(b.cell, b.facet);
}

}  // namespace

const FacetTable& facet_table(CellKind kind) {
  static const std::vector<FacetTable> all = [] {
    std::vector<FacetTable> list;
    for (const CellKind k : all_cell_kinds()) list.push_back(make_table(k));
    return list;
  }();
  return all[static_cast<std::size_t>(kind)];
}

FewNodes corners_of(std::span<const Node> cell_nodes, const FacetTable::Entry& facet) {
  FewNodes corners;
  for (std::size_t i = 0; i < facet.corner_count; ++i) corners.insert(cell_nodes[facet.nodes[i]]);
  return corners;
}

FacetSurvey survey_facets(const MeshData& data) {
  const std::size_t node_count = data.points.size() / 3;
  std::vector<std::uint64_t> sums(node_count);
  const auto has_facets = [&](const CellBlock& block) {  // those of volumes alone, among beams and shells
    return !data.structural || traits(block.kind).dimension == 3;
  };
  for (const CellBlock& block : data.blocks)
    if (has_facets(block)) add_signed_hashes(block, sums);
  std::vector<std::uint8_t> marked(node_count);
  for (std::size_t i = 0; i < node_count; ++i) marked[i] = sums[i] != 0 || data.dimension == 1;

  std::vector<KeyedIndex> found;
  for (const CellBlock& block : data.blocks)
    if (has_facets(block)) collect_marked(block, marked, found);
  radix_sort(found, 33);
  FacetSurvey survey;
  classify_groups(data, found, survey);
  std::sort(survey.boundary.begin(), survey.boundary.end(), facet_before);
  const auto by_first = [](const FacetSurvey::Pair& a, const FacetSurvey::Pair& b) {
    return facet_before(a.first, b.first);
  };
  std::sort(survey.crowded.begin(), survey.crowded.end(), by_first);
  std::sort(survey.mismatched.begin(), survey.mismatched.end(), by_first);
  return survey;
}

std::vector<std::pair<Index, Index>> duplicate_cells(const MeshData& data) {
  std::vector<KeyedIndex> cells;
  for (const CellBlock& block : data.blocks)
    for (Index c = 0; c < block.cell_count(); ++c) {
      std::uint64_t hash = 0;
      for (const Node node : block.cell(c).first(static_cast<std::size_t>(traits(block.kind).corner_count)))
        hash += mix(node);
      cells.push_back({hash & 0x1FFFFFFFF, block.first_cell + c});
    }
  radix_sort(cells, 33);
  const auto corners_of = [&data](Index cell) {
    const CellBlock& block = block_holding(data, cell);
    const auto nodes = block.cell(cell - block.first_cell);
    std::vector<Node> corners(nodes.begin(), nodes.begin() + traits(block.kind).corner_count);
    std::sort(corners.begin(), corners.end());
    return corners;
  };
  std::vector<std::pair<Index, Index>> duplicates;
  for (std::size_t first = 0, last; first < cells.size(); first = last) {
    last = first + 1;
    while (last < cells.size() && cells[last].key == cells[first].key) ++last;
    for (std::size_t i = first + 1; i < last; ++i)
      for (std::size_t j = first; j < i; ++j)
        if (corners_of(cells[i].value) == corners_of(cells[j].value)) {
          duplicates.emplace_back(cells[j].value, cells[i].value);
          break;
        }
  }
  std::sort(duplicates.begin(), duplicates.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return duplicates;
}

std::vector<FacetOfCell> boundary_facets(const Mesh& mesh) { return mesh.contents_->boundary_facets; }

}  // namespace ritz
