#include "fem/space/pattern_size.hpp"

#include "fem/cells/reference_element.hpp"

namespace ritz {
namespace {

// Nodes on the closed entity, and inside of it.
struct EntityPairs {
  Index closed = 0, inner = 0;
  Index pairs = 0;  // ordered pairs that no smaller entity holds
};

// The entities of one kind of cell. Two nodes of a conforming mesh share cells exactly when some entity holds both; the
// smallest such entity is one, so pairs are counted entity by entity.
class Entities {
 public:
  Entities(CellKind kind, int order) : kind_(kind), order_(order) {
    edge_.closed = order > 0 ? order + 1 : traits(kind).order + 1;
    edge_.inner = edge_.closed - 2;
    edge_.pairs = edge_.closed * edge_.closed - 2;
  }
  EntityPairs edge() const { return edge_; }
  EntityPairs facet(CellKind kind) const {
    return bounded(nodes_on(kind), traits(kind).corner_count, traits(kind).corner_count);
  }
  EntityPairs cell() const {
    const CellTraits& t = traits(kind_);
    const bool flat = t.dimension == 2;
    EntityPairs result = bounded(nodes_on(kind_), t.corner_count, flat ? t.corner_count : std::ssize(t.edges));
    if (flat) return result;
    for (const Facet& f : t.facets) {
      result.inner -= facet(f.kind).inner;
      result.pairs -= facet(f.kind).pairs;
    }
    return result;
  }

 private:
  Index nodes_on(CellKind kind) const {
    return order_ > 0 ? lagrange_element(traits(kind).linear, order_).node_count() : traits(kind).node_count;
  }
  // Without corners, edges and what they hold.
  EntityPairs bounded(Index nodes, Index corners, Index edges) const {
    return {nodes, nodes - corners - edges * edge_.inner, nodes * nodes - corners - edges * edge_.pairs};
  }

  CellKind kind_;
  int order_;
  EntityPairs edge_;
};

}  // namespace

PatternSize pattern_size(const EntityCounts& counts, int order) {
  PatternSize size{counts.vertices, counts.vertices};
  const auto add = [&size](Index count, const EntityPairs& entity) {
    size.nodes += count * entity.inner;
    size.pairs += count * entity.pairs;
  };
  bool edges_done = false, facets_done[2] = {counts.dimension < 3, counts.dimension < 3};
  for (const auto& [kind, count] : counts.cells) {
    const Entities entities(kind, order);
    add(count, entities.cell());
    if (!edges_done) add(counts.edges, entities.edge());
    edges_done = true;
    if (counts.dimension < 3) continue;
    for (const Facet& facet : traits(kind).facets) {
      const bool triangle = traits(facet.kind).corner_count == 3;
      if (facets_done[triangle]) continue;
      facets_done[triangle] = true;
      add(triangle ? counts.triangles : counts.quadrilaterals, entities.facet(facet.kind));
    }
  }
  return size;
}

}  // namespace ritz
