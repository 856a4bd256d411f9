#include "fem/preconditioners/fields_preconditioner_needs.hpp"

#include "fem/operator/space_needs.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/preconditioners/field_blocks.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/space/nested_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ritz {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

// Entries of the rows of owned nodes, and of those of ghosts that reach them.
Index entries_of(Index owned, Index ghosts, double of_row) {
  return std::llround(of_row * (double(owned) + 0.5 * double(ghosts)));
}

// The plan of FieldBlocks, from what couples alone: blocks of a field with itself count as positive.
class NeedsOfParts {
 public:
  NeedsOfParts(const FieldsShare& share, const SmoothedAggregationOptions& multigrid)
      : share_(share),
        equations_(*share.equations),
        multigrid_(multigrid),
        dimension_(equations_.space(0).mesh().dimension()) {}

  FieldsPreconditionerNeeds sum() {
    for (int k = 0; k < equations_.field_count(); ++k) add_part(k);
    if (live_.total() > most_.total()) most_ = live_;
    return {most_, live_};
  }

 private:
  bool own(int k) const { return equations_.has_block(k, k); }
  std::vector<int> before(int k) const {
    std::vector<int> list;
    for (int j = 0; j < equations_.field_count(); ++j)
      if (j != k && own(j) && (j < k || !own(k)) && equations_.terms().couples(k, j) &&
          equations_.terms().couples(j, k))
        list.push_back(j);
    return list;
  }
  Index owned(int k) const { return share_.owned[at(k)]; }
  Index ghosts(int k) const { return share_.ghosts[at(k)]; }
  double row_of(int k) const { return double(share_.pairs[at(k)]) / double(equations_.space(k).node_count()); }

  void add_part(int k) {
    const Index n = share_.unknowns(k), b = equations_.space(k).components();
    live_.array<double>("vectors", n, 3);  // of the block preconditioner
    const std::vector<int> earlier = before(k);
    if (earlier.empty()) {
      add_own_rows(owned(k), ghosts(k), row_of(k), b);
      if (equations_.terms().family(k) == Family::lagrange) return add_nodal_cycle(k);
      if (equations_.terms().family(k) == Family::edge) return add_auxiliary_spaces(k);
      return add_chebyshev(n);
    }
    const bool like_a_mass = std::ranges::all_of(earlier, [&](int j) { return differentiates(equations_, j); });
    if (!like_a_mass) return add_scalar_cycle(k, dimension_ == 3 ? 7 : 5);  // products join cells with a common facet
    add_matrix(n + ghosts(k) * b, entries_of(owned(k), ghosts(k), row_of(k)) * b * b);
    add_own_rows(owned(k), ghosts(k), row_of(k), b);
    if (own(k) && differentiates(equations_, k)) add_nodal_cycle(k);
    else add_chebyshev(n);
  }

  void add_matrix(Index rows, Index entries) {
    live_.array<double>("matrix", entries).array<std::int32_t>("pattern", entries).array<Index>("pattern", rows + 1);
  }
  // Over ranks cycles are those of the owned rows.
  void add_own_rows(Index owned, Index ghosts, double row, Index block) {
    if (share_.is_divided()) live_ += FieldsShare::rows(owned, ghosts, row, block);
  }
  void add_chebyshev(Index n) { live_.array<double>("vectors", n, 4); }
  void add_nodal_cycle(int k) {
    const FunctionSpace& space = equations_.space(k);
    live_.array<double>("coordinates", (owned(k) + ghosts(k)) * dimension_);
    const Nesting nesting = nesting_of(space);
    add_cycle({.rows = owned(k) + ghosts(k),
               .nonzeros = entries_of(owned(k), ghosts(k), row_of(k)),
               .block = space.components(),
               .dimension = dimension_,
               .nesting = nesting,
               .inverse = share_.is_divided() ? 0 : unknowns_of_inverse(space, nesting)},
              space.node_count(), multigrid_);
  }
  void add_scalar_cycle(int k, double row) {
    const Index b = equations_.space(k).components(), rows = owned(k) * b, others = ghosts(k) * b;
    add_matrix(rows + others, entries_of(rows, others, row));
    add_own_rows(rows, others, row, 1);
    add_cycle({.rows = rows + others,
               .nonzeros = entries_of(rows, others, row),
               .dimension = dimension_,
               .inverse = rows <= multigrid_.coarsest_size && !share_.is_divided() ? rows : 0},
              equations_.space(k).unknown_count(), multigrid_);
  }
  // nodes: of all ranks.
  void add_cycle(HierarchyShape shape, Index nodes, const SmoothedAggregationOptions& multigrid) {
    shape.half_storage = multigrid.half_storage && !share_.is_divided();
    const HierarchyNeeds hierarchy = share_.is_divided()
                                         ? hierarchy_needs(shape, nodes, multigrid_over_ranks(multigrid))
                                         : hierarchy_needs(shape, multigrid.single_precision);
    const MemoryNeeds set_up = live_ + hierarchy.set_up;
    if (set_up.total() > most_.total()) most_ = set_up;
    live_ += hierarchy.live;
  }
  // Unknowns that are left when aggregates of so many nodes have made few enough of them.
  Index after_aggregation(Index rows, double of_aggregate) const {
    while (rows > multigrid_.coarsest_size) rows = std::llround(double(rows) / of_aggregate);
    return rows;
  }
  // A P, and P^T A P while A P stands. A CPU appends rows before it knows how many entries they have; ranks have them
  // on the host.
  void add_products(Index first, Index second) {
    if (share_.is_divided()) return;
    const Index copies = equations_.device().is_gpu() ? 1 : 2,
                entries = std::max(copies * first, first + copies * second);
    MemoryNeeds set_up = live_;
    set_up.array<double>("multigrid set-up", entries).array<std::int32_t>("multigrid set-up", entries);
    if (set_up.total() > most_.total()) most_ = set_up;
  }
  // Matrices of corners, about as many neighbours as cells of the shape have there, and both prolongations. In double
  // precision. An aggregate is a node with its strong neighbours: all of them for gradients and between bricks; of a
  // component of vectors on simplices those along half of the edges, the others being across it. Ranks have equal
  // pieces of the corners.
  void add_auxiliary_spaces(int k) {
    const FunctionSpace& space = equations_.space(k);
    const Mesh& mesh = space.mesh();
    const Index edges = owned(k);
    add_chebyshev(edges);
    live_.array<double>("vectors", edges);
    const CellKind shape = traits(mesh.kind_of(0)).linear;
    const Index neighbours = shape == CellKind::tri3    ? 7
                             : shape == CellKind::quad4 ? 9
                             : shape == CellKind::tet4  ? 15
                                                        : 27;
    const Index at_an_edge = shape == CellKind::tri3    ? 4  // corners of the cells that share it
                             : shape == CellKind::quad4 ? 6
                             : shape == CellKind::tet4  ? 7
                                                        : 18;
    const Index all = std::min<Index>(mesh.node_count(), space.unknown_count()), corners = all / share_.ranks,
                others = std::llround(double(ghosts(k)) * double(corners) / double(edges));
    live_.array<double>("vectors", corners, 2);
    const bool simplices = shape == CellKind::tri3 || shape == CellKind::tet4;
    for (int each = 0; each <= dimension_; ++each) {
      const bool component = each < dimension_;
      const double of_aggregate = component && simplices ? 0.5 * double(neighbours) : double(neighbours);
      add_matrix(edges, 2 * edges);
      add_matrix(corners + others, 2 * edges);
      add_products(at_an_edge * edges, neighbours * corners);
      if (share_.is_divided()) add_own_rows(corners, others, double(neighbours), 1);
      else add_matrix(corners, neighbours * corners);
      add_cycle({.rows = corners + others,
                 .nonzeros = entries_of(corners, others, double(neighbours)),
                 .dimension = dimension_,
                 .inverse = share_.is_divided() ? 0 : after_aggregation(corners, of_aggregate)},
                all, edge_multigrid(multigrid_));
    }
  }

  const FieldsShare& share_;
  const FieldsOperator& equations_;
  const SmoothedAggregationOptions& multigrid_;
  int dimension_;
  MemoryNeeds live_, most_;
};

}  // namespace

FieldsShare::FieldsShare(const FieldsOperator& of) : equations(&of) {
  for (int k = 0; k < of.field_count(); ++k) {
    owned.push_back(of.space(k).node_count());
    ghosts.push_back(0);
    pairs.push_back(pairs_of_nodes(of.space(k)));
  }
}

Index FieldsShare::unknowns(int k) const { return owned[at(k)] * equations->space(k).components(); }

Index FieldsShare::unknowns() const {
  Index sum = 0;
  for (int k = 0; k < equations->field_count(); ++k) sum += unknowns(k);
  return sum;
}

Index FieldsShare::unknowns_of_ghosts() const {
  Index sum = 0;
  for (int k = 0; k < equations->field_count(); ++k) sum += ghosts[at(k)] * equations->space(k).components();
  return sum;
}

MemoryNeeds FieldsShare::rows(Index owned, Index ghosts, double row, Index block) {
  const Index entries = entries_of(owned, ghosts, row);
  return MemoryNeeds()
      .array<double>("matrix", entries * block * block)
      .array<std::int32_t>("pattern", entries)
      .array<Index>("pattern", owned + ghosts + 1)
      .array<Index>("pattern", owned + 1)
      .array<double>("vectors", (owned + ghosts) * block);
}

FieldsPreconditionerNeeds fields_preconditioner_needs(const FieldsShare& share,
                                                      const SmoothedAggregationOptions& multigrid) {
  return NeedsOfParts(share, multigrid).sum();
}

}  // namespace ritz
