#include "fem/preconditioners/mixed_preconditioner.hpp"

#include "device/host_memory.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/space/nested_nodes.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/chosen_preconditioner.hpp"
#include "solvers/smoothers/chebyshev.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// The inverse of the block of beams and shells: their matrix is ill-conditioned, and small next to that of solids.
class FactorOfField final : public LinearOperator {
 public:
  explicit FactorOfField(const SparseMatrix& A)
      : rows_(A.rows()), device_(A.device()), factor_(A, DirectKind::symmetric) {}
  const Device& device() const override { return device_; }
  Index rows() const override { return rows_; }
  void apply(const Vector& x, Vector& y) const override { factor_.solve(x, y); }
  std::string name() const override { return "factor"; }

 private:
  Index rows_;
  Device device_;
  mutable DirectSolver factor_;
};

std::shared_ptr<const LinearOperator> cycle_of(const FieldBlock& part, const FunctionSpace& space,
                                               const Constraints& supports, SmoothedAggregationOptions multigrid) {
  switch (part.cycle) {
    case FieldCycle::nodes: {
      if (space.mesh().structural()) return std::make_shared<FactorOfField>(*part.matrix);
      const SolverGeometry geometry = solver_geometry(space);
      multigrid.coordinates = geometry.coordinates;
      multigrid.dimension = geometry.dimension;
      multigrid.nested = geometry.nested;
      return std::make_shared<SmoothedAggregation>(*part.matrix, multigrid);
    }
    case FieldCycle::scalars:
      multigrid.coordinates = nullptr;
      multigrid.nested = {};
      return std::make_shared<SmoothedAggregation>(*part.matrix, multigrid);
    case FieldCycle::edges: return std::make_shared<EdgePreconditioner>(*part.matrix, space, supports, multigrid);
    default: return std::make_shared<ChebyshevPreconditioner>(*part.matrix);
  }
}

// The cycle of a field over ranks, with this rank's rows of its matrix.
class CycleOverRanks final : public LinearOperator {
 public:
  CycleOverRanks(int k, const FieldBlocks& parts, const FunctionSpace& space, const Constraints& supports,
                 const SmoothedAggregationOptions& multigrid, const WholeMeshCalls& whole) {
    const FieldBlock& part = parts.of_field(k);
    Ranks& ranks = space.ghosts()->ranks();
    SmoothedAggregationOptions options = multigrid_over_ranks(multigrid);
    std::vector<EdgeSpaceShare> edges;
    if (part.cycle == FieldCycle::edges)
      edges = edge_spaces(*part.matrix, space, supports, space.ghosts()->owned(), whole.corners(k), ranks);
    matrix_ = divided_matrix(ranks, space.device(), parts.owned_rows(k));
    return_freed_host_memory();
    if (part.cycle == FieldCycle::edges) {
      cycle_ = std::make_unique<DividedEdgePreconditioner>(*matrix_, std::move(edges), options, ranks);
      return;
    }
    if (part.cycle == FieldCycle::nodes) {
      coordinates_ = coordinates(space);
      options.coordinates = &coordinates_;
      options.dimension = space.mesh().dimension();
      if (multigrid.levels != MultigridLevels::aggregation)
        options.nested = [levels = whole.nesting(k)] { return levels; };
    }
    const bool polynomial = part.cycle == FieldCycle::polynomial;
    cycle_ = preconditioner_of(*matrix_, polynomial ? PreconditionerKind::chebyshev : PreconditionerKind::multigrid,
                               options);
  }

  const Device& device() const override { return matrix_->device(); }
  Index rows() const override { return matrix_->rows(); }
  void apply(const Vector& x, Vector& y) const override { cycle_->apply(x, y); }
  std::string name() const override { return cycle_->name(); }

 private:
  // [owned | ghosts of the matrix][dimension]
  Vector coordinates(const FunctionSpace& space) const {
    const int dimension = space.mesh().dimension();
    std::vector<double> values;
    for (Index node = 0; node < space.ghosts()->owned(); ++node) {
      const Point x = space.point(static_cast<Node>(node));
      values.insert(values.end(), x.begin(), x.begin() + dimension);
    }
    values.resize(static_cast<std::size_t>(matrix_->ghosts().size() * dimension));
    matrix_->ghosts().fetch(values, dimension);
    return {space.device(), std::span<const double>(values), "coordinates"};
  }

  std::unique_ptr<DividedMatrix> matrix_;
  Vector coordinates_;
  std::unique_ptr<LinearOperator> cycle_;
};

// y = B A^-1 C x for the field k, summed over these fields, by their cycles.
void apply_schur(const BlockOperator& K, int k, const std::vector<int>& fields, const std::vector<BlockPart>& parts,
                 const Vector& x, Vector& y) {
  Vector more(K.device(), y.size(), "vectors");
  y.fill_zero();
  for (const int j : fields) {
    Vector w(K.device(), K.layout().size(j), "vectors"), z(K.device(), K.layout().size(j), "vectors");
    K.multiply(j, k, x, w);
    parts[static_cast<std::size_t>(j)].made->apply(w, z);
    K.multiply(k, j, z, more);
    axpy(1, more, y);
  }
}

}  // namespace

MixedPreconditioner::MixedPreconditioner(const MixedOperator& equations, const MixedConstraints& supports,
                                         BlockOperator& K, double pivot, MixedShape shape,
                                         const SmoothedAggregationOptions& multigrid, const WholeMeshCalls& whole)
    : parts_(equations, supports, K, pivot, shape) {
  std::vector<BlockPart> parts(static_cast<std::size_t>(equations.field_count()));
  for (const int k : parts_.order()) {
    const FieldBlock& part = parts_.of_field(k);
    BlockPart& made = parts[static_cast<std::size_t>(k)];
    made = {.matrix = part.matrix, .factor = part.factor};
    if (K.layout().is_divided())
      made.made = std::make_shared<CycleOverRanks>(k, parts_, equations.space(k), supports[k], multigrid, whole);
    else made.made = cycle_of(part, equations.space(k), supports[k], multigrid);
    if (part.scaled_by.empty()) continue;
    Vector x(K.device(), K.layout().size(k), "vectors");
    made.factor /= largest_ratio([&](const Vector& v, Vector& y) { apply_schur(K, k, part.scaled_by, parts, v, y); },
                                 *made.made, x);
  }
  all_ = std::make_unique<BlockPreconditioner>(K, std::move(parts), parts_.triangle());
}

MixedPreconditioner::~MixedPreconditioner() = default;

namespace {

// The plan of FieldBlocks, from what couples alone: blocks of a field with itself count as positive.
class NeedsOfParts {
 public:
  NeedsOfParts(const MixedOperator& equations, const SmoothedAggregationOptions& multigrid)
      : equations_(equations), multigrid_(multigrid), dimension_(equations.space(0).mesh().dimension()) {}

  MixedPreconditionerNeeds sum() {
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

  void add_part(int k) {
    const FunctionSpace& space = equations_.space(k);
    const Index n = space.unknown_count();
    live_.array<double>("vectors", n, 3);  // of the block preconditioner
    const std::vector<int> earlier = before(k);
    if (earlier.empty()) {
      if (equations_.terms().family(k) == Family::lagrange) return add_nodal_cycle(k);
      if (equations_.terms().family(k) == Family::edge) return add_auxiliary_spaces(space);
      return add_chebyshev(n);
    }
    const Index pairs = pairs_of_nodes(space) * space.components() * space.components();
    const bool like_a_mass = std::ranges::all_of(earlier, [&](int j) { return differentiates(equations_, j); });
    add_matrix(n, like_a_mass ? pairs : n * (dimension_ == 3 ? 7 : 5));  // products join cells with a common facet
    if (!like_a_mass) add_scalar_cycle(n, n * (dimension_ == 3 ? 7 : 5));
    else if (own(k) && differentiates(equations_, k)) add_nodal_cycle(k);
    else add_chebyshev(n);
  }

  void add_matrix(Index rows, Index entries) {
    live_.array<double>("matrix", entries).array<std::int32_t>("pattern", entries).array<Index>("pattern", rows + 1);
  }
  void add_chebyshev(Index n) { live_.array<double>("vectors", n, 4); }
  void add_nodal_cycle(int k) {
    const FunctionSpace& space = equations_.space(k);
    live_.array<double>("coordinates", space.node_count() * dimension_);
    const Nesting nesting = nesting_of(space);
    add_cycle({.rows = space.node_count(),
               .nonzeros = pairs_of_nodes(space),
               .block = space.components(),
               .dimension = dimension_,
               .nesting = nesting,
               .half_storage = multigrid_.half_storage,
               .inverse = unknowns_of_inverse(space, nesting)},
              multigrid_.single_precision);
  }
  void add_scalar_cycle(Index rows, Index pairs) {
    add_cycle({.rows = rows,
               .nonzeros = pairs,
               .dimension = dimension_,
               .half_storage = multigrid_.half_storage,
               .inverse = rows <= multigrid_.coarsest_size ? rows : 0},
              multigrid_.single_precision);
  }
  void add_cycle(const HierarchyShape& shape, bool single_precision) {
    const HierarchyNeeds hierarchy = hierarchy_needs(shape, single_precision);
    const MemoryNeeds set_up = live_ + hierarchy.set_up;
    if (set_up.total() > most_.total()) most_ = set_up;
    live_ += hierarchy.live;
  }
  // Unknowns that are left when aggregates of so many nodes have made few enough of them.
  Index after_aggregation(Index rows, double of_aggregate) const {
    while (rows > multigrid_.coarsest_size) rows = std::llround(double(rows) / of_aggregate);
    return rows;
  }
  // A P, then P^T A P beside it. A CPU appends rows before it knows how many entries they have.
  void add_products(Index first, Index second) {
    const Index copies = equations_.device().is_gpu() ? 1 : 2,
                entries = std::max(copies * first, first + copies * second);
    MemoryNeeds set_up = live_;
    set_up.array<double>("multigrid set-up", entries).array<std::int32_t>("multigrid set-up", entries);
    if (set_up.total() > most_.total()) most_ = set_up;
  }
  // Matrices of corners, about as many neighbours as cells of the shape have there, and both prolongations. In double
  // precision. An aggregate is a node with its strong neighbours: all of them for gradients and between bricks; of a
  // component of vectors on simplices those along half of the edges, the others being across it.
  void add_auxiliary_spaces(const FunctionSpace& space) {
    const Mesh& mesh = space.mesh();
    const Index edges = space.unknown_count();
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
    const Index corners = std::min<Index>(mesh.node_count(), edges);
    live_.array<double>("vectors", corners, 2);
    const bool simplices = shape == CellKind::tri3 || shape == CellKind::tet4;
    for (int each = 0; each <= dimension_; ++each) {
      const bool component = each < dimension_;
      const double of_aggregate = component && simplices ? 0.5 * double(neighbours) : double(neighbours);
      add_matrix(edges, 2 * edges);
      add_matrix(corners, 2 * edges);
      add_products(at_an_edge * edges, neighbours * corners);
      add_matrix(corners, neighbours * corners);
      add_cycle({.rows = corners,
                 .nonzeros = neighbours * corners,
                 .dimension = dimension_,
                 .inverse = after_aggregation(corners, of_aggregate)},
                false);
    }
  }

  const MixedOperator& equations_;
  const SmoothedAggregationOptions& multigrid_;
  int dimension_;
  MemoryNeeds live_, most_;
};

}  // namespace

MixedPreconditionerNeeds mixed_preconditioner_needs(const MixedOperator& equations,
                                                    const SmoothedAggregationOptions& multigrid) {
  return NeedsOfParts(equations, multigrid).sum();
}

}  // namespace ritz
