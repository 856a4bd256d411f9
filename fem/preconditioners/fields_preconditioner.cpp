#include "fem/preconditioners/fields_preconditioner.hpp"

#include "device/host_memory.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/space/nested_nodes.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/chosen_preconditioner.hpp"
#include "solvers/smoothers/chebyshev.hpp"

#include <algorithm>

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

FieldsPreconditioner::FieldsPreconditioner(const FieldsOperator& equations, const FieldsConstraints& supports,
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

FieldsPreconditioner::~FieldsPreconditioner() = default;

}  // namespace ritz
