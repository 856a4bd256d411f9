// The wanted facets go into a hash table, their corners are marked, and the cells are walked once: a cell matters only
// when as many of its corners are marked as a facet has.
#include "mesh/facets.hpp"

#include <atomic>
#include <bit>
#include <limits>

namespace ritz {
namespace {

std::uint64_t hash_of(const FewNodes& corners) {
  std::uint64_t hash = 0;
  for (int i = 0; i < corners.count; ++i) hash += mix(corners.node[i]);
  return mix(hash);
}

// Facets by their corners; each remembers the lowest (cell, facet) that was seen to have it.
class WantedFacets {
 public:
  explicit WantedFacets(std::size_t capacity) : slots_(std::bit_ceil(2 * capacity + 2), -1) {
    entries_.reserve(capacity);
  }

  Index insert(const FewNodes& corners) {
    std::size_t slot = first_slot(corners);
    for (; slots_[slot] >= 0; slot = next(slot))
      if (entries_[static_cast<std::size_t>(slots_[slot])].corners == corners) return slots_[slot];
    entries_.push_back({corners, none});
    return slots_[slot] = static_cast<Index>(entries_.size()) - 1;
  }

  void offer(const FewNodes& corners, Index code) {
    for (std::size_t slot = first_slot(corners); slots_[slot] >= 0; slot = next(slot)) {
      Entry& entry = entries_[static_cast<std::size_t>(slots_[slot])];
      if (entry.corners != corners) continue;
      const std::atomic_ref best(entry.code);
      Index seen = best.load(std::memory_order_relaxed);
      while (code < seen && !best.compare_exchange_weak(seen, code, std::memory_order_relaxed)) {}
      return;
    }
  }

  bool found(Index entry) const { return entries_[static_cast<std::size_t>(entry)].code != none; }
  FacetOfCell facet(Index entry) const {
    const Index code = entries_[static_cast<std::size_t>(entry)].code;
    return {code / 8, static_cast<int>(code % 8)};
  }

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();
  struct Entry {
    FewNodes corners;
    Index code;  // cell * 8 + facet
  };
  std::size_t first_slot(const FewNodes& corners) const { return hash_of(corners) & (slots_.size() - 1); }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  std::vector<Index> slots_;
  std::vector<Entry> entries_;
};

class Marks {  // of nodes; numbers outside the mesh are never marked
 public:
  explicit Marks(std::size_t node_count) : marks_(node_count) {}
  bool valid(Node node) const { return node >= 0 && static_cast<std::size_t>(node) < marks_.size(); }
  void set(Node node) { marks_[static_cast<std::size_t>(node)] = 1; }
  int operator[](Node node) const { return valid(node) ? marks_[static_cast<std::size_t>(node)] : 0; }

 private:
  std::vector<std::uint8_t> marks_;
};

// Puts the corners of all surface cells into the table; -1 for cells that cannot be facets.
std::vector<Index> register_wanted(const MeshData& data, std::span<const CellBlock> surface_cells, WantedFacets& wanted,
                                   Marks& marks) {
  std::vector<Index> entries;
  for (const CellBlock& block : surface_cells) {
    const CellTraits& t = traits(block.kind);
    for (Index c = 0; c < block.cell_count(); ++c) {
      const auto corners = block.cell(c).first(static_cast<std::size_t>(t.corner_count));
      bool possible = t.dimension == data.dimension - 1;
      for (const Node node : corners) possible = possible && marks.valid(node);
      FewNodes key;
      if (possible)
        for (const Node node : corners) {
          key.insert(node);
          marks.set(node);
        }
      entries.push_back(possible ? wanted.insert(key) : -1);
    }
  }
  return entries;
}

void walk_cells(const CellBlock& block, Index first_cell, const Marks& marks, WantedFacets& wanted) {
  const FacetTable& table = facet_table(block.kind);
  const int n = traits(block.kind).node_count, corner_count = traits(block.kind).corner_count;
  int least = corner_count;
  for (int f = 0; f < table.facet_count; ++f) least = std::min<int>(least, table.facets[f].corner_count);
  const Index count = block.cell_count();
#pragma omp parallel for schedule(static)
  for (Index c = 0; c < count; ++c) {
    const Node* const cell = block.nodes.data() + c * n;
    int marked = 0;
    for (int i = 0; i < corner_count; ++i) marked += marks[cell[i]];
    if (marked < least) continue;
    for (int f = 0; f < table.facet_count; ++f) {
      const FacetTable::Entry& facet = table.facets[f];
      bool all = true;
      for (int i = 0; i < facet.corner_count; ++i) all = all && marks[cell[facet.nodes[i]]] != 0;
      if (all) wanted.offer(corners_of({cell, static_cast<std::size_t>(n)}, facet), (first_cell + c) * 8 + f);
    }
  }
}

}  // namespace

std::vector<FacetOfCell> match_facets(const MeshData& data, std::span<const CellBlock> surface_cells,
                                      Index& unmatched) {
  Index surface_count = 0;
  for (const CellBlock& block : surface_cells) surface_count += block.cell_count();
  WantedFacets wanted(static_cast<std::size_t>(surface_count));
  Marks marks(data.points.size() / 3);
  const std::vector<Index> entries = register_wanted(data, surface_cells, wanted, marks);
  Index first_cell = 0;
  for (const CellBlock& block : data.blocks) {
    if (traits(block.kind).dimension == data.dimension) walk_cells(block, first_cell, marks, wanted);
    first_cell += block.cell_count();
  }
  unmatched = 0;
  std::vector<FacetOfCell> facets;
  facets.reserve(entries.size());
  for (const Index entry : entries) {
    const bool found = entry >= 0 && wanted.found(entry);
    facets.push_back(found ? wanted.facet(entry) : FacetOfCell{-1, -1});
    unmatched += !found;
  }
  return facets;
}

}  // namespace ritz
