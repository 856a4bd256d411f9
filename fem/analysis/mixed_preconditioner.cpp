#include "fem/analysis/mixed_preconditioner.hpp"

#include "device/error.hpp"
#include "fem/analysis/edge_preconditioner.hpp"
#include "fem/forms/mass.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/space/nested_nodes.hpp"
#include "solvers/algebra/host_products.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/smoothers/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Integral mass_of(const MixedOperator& equations) {
  if (equations.space(0).mesh().dimension() == 3) return Integral::over_all_cells(Mass<1, 3>{1});
  return Integral::over_all_cells(Mass<1, 2>{1});
}

// Does the matrix of the field differentiate, like a diffusion, or not, like a mass? Divergences of facets are what
// couples them to a pressure.
bool differentiates(const MixedOperator& equations, int field) {
  if (equations.family(field) == Family::facet || equations.family(field) == Family::cell) return false;
  return std::ranges::any_of(equations.integrals(), [&](const MixedIntegral& each) {
    return each.form.codimension == 0 && each.couples(field, field) &&
           each.form.fields[at(each.position_of(field))].uses_gradient;
  });
}

}  // namespace

class MixedPreconditioner::Maker {
 public:
  Maker(const MixedOperator& equations, const MixedConstraints& supports, BlockOperator& K, double pivot, Shape shape,
        const SmoothedAggregationOptions& multigrid, MixedPreconditioner& to)
      : equations_(equations),
        supports_(supports),
        K_(K),
        pivot_(pivot),
        shape_(shape),
        multigrid_(multigrid),
        to_(to),
        parts_(at(equations.field_count())),
        updates_(parts_.size()) {}

  void make() {
    to_.schur_.resize(parts_.size());
    for (int k = 0; k < equations_.field_count(); ++k) {
      if (K_.square(k) != nullptr) diagonals_.push_back(K_.square(k)->diagonal().host());
      else diagonals_.emplace_back(at(static_cast<int>(K_.layout().size(k))), 0.0);
    }
    choose_order();
    for (int k = 0; k < equations_.field_count(); ++k) find_update(k);
    supports_.eliminate(K_, pivot_);
    // Pivots in the unit of each block: beside those of another field it would be lost in its coarsest inverse.
    for (int k = 0; k < equations_.field_count(); ++k)
      if (const double own = std::ranges::max(diagonals_[at(k)], {}, [](double d) { return std::abs(d); }); own != 0)
        supports_[k].eliminate(*K_.square(k), std::abs(own));
    for (const int k : order_) parts_[at(k)] = before(k).empty() ? of_own_block(k) : of_schur_complement(k);
    to_.all_ = std::make_unique<BlockPreconditioner>(K_, parts_, triangle());
  }

 private:
  void choose_order() {
    for (const bool wanted : {true, false})
      for (int k = 0; k < equations_.field_count(); ++k)
        if (is_positive(k) == wanted) order_.push_back(k);
  }
  bool is_positive(int k) const {
    return std::ranges::all_of(diagonals_[at(k)], [](double d) { return d > 0; });
  }
  bool is_zero(int k) const {
    return std::ranges::all_of(diagonals_[at(k)], [](double d) { return d == 0; });
  }
  // Fields with which k is coupled both ways, eliminated before it.
  std::vector<int> before(int k) const {
    std::vector<int> list;
    for (const int j : order_) {
      if (j == k) break;
      if (is_positive(j) && K_.coupling(k, j) != nullptr && K_.coupling(j, k) != nullptr) list.push_back(j);
    }
    return list;
  }

  // Upper triangles are solved from the last field on, as it must be when the first ones are eliminated first.
  BlockTriangle triangle() const {
    if (shape_ == Shape::diagonal) return BlockTriangle::none;
    if (std::ranges::is_sorted(order_)) return BlockTriangle::upper;
    return std::ranges::is_sorted(order_, std::greater{}) ? BlockTriangle::lower : BlockTriangle::none;
  }

  // The diagonal of -B diag(A)^-1 C over all fields before k, with the supports still in it: so the border of the body
  // weighs as much as its inside.
  void find_update(int k) {
    std::vector<double>& update = updates_[at(k)];
    update.assign(diagonals_[at(k)].size(), 0.0);
    for (const int j : before(k)) {
      const HostMatrix B = host_matrix(*K_.coupling(k, j));
      const HostMatrix C = transposed(host_matrix(*K_.coupling(j, k)), K_.layout().size(k));
      for (Index row = 0; row < B.rows(); ++row) {
        Index other = C.offsets[std::size_t(row)];
        for (Index i = B.offsets[std::size_t(row)]; i < B.offsets[std::size_t(row) + 1]; ++i) {
          const std::int32_t column = B.columns[std::size_t(i)];
          while (other < C.offsets[std::size_t(row) + 1] && C.columns[std::size_t(other)] < column) ++other;
          if (other == C.offsets[std::size_t(row) + 1]) break;
          if (C.columns[std::size_t(other)] == column)
            update[std::size_t(row)] -=
                B.values[std::size_t(i)] * C.values[std::size_t(other)] / diagonals_[at(j)][std::size_t(column)];
        }
      }
    }
  }

  BlockPart of_own_block(int k) {
    const SparseMatrix* A = K_.square(k);
    if (A == nullptr || !is_positive(k))
      throw Error(Exit::input, fmt::format("no preconditioner is known for the field '{}'", equations_.field_name(k)),
                  "its block of the matrix has a diagonal that is not positive, and no other field gives it a Schur "
                  "complement",
                  "use [solver] method = \"direct\", or a program with a preconditioner of your own");
    return {.matrix = A, .made = cycle_of(k, *A)};
  }

  std::shared_ptr<const LinearOperator> cycle_of(int k, const SparseMatrix& A) const {
    switch (equations_.family(k)) {
      case Family::lagrange: {
        SmoothedAggregationOptions options = multigrid_;
        const SolverGeometry geometry = solver_geometry(equations_.space(k));
        options.coordinates = geometry.coordinates;
        options.dimension = geometry.dimension;
        options.nested = geometry.nested;
        return std::make_shared<SmoothedAggregation>(A, options);
      }
      case Family::edge: return std::make_shared<EdgePreconditioner>(A, equations_.space(k), supports_[k], multigrid_);
      default: return std::make_shared<ChebyshevPreconditioner>(A);
    }
  }

  BlockPart of_schur_complement(int k) {
    const std::vector<int> earlier = before(k);
    double trace = 0;
    for (std::size_t i = 0; i < updates_[at(k)].size(); ++i) trace += diagonals_[at(k)][i] + updates_[at(k)][i];
    const double sign = trace < 0 ? -1 : 1;
    const bool like_a_mass = std::ranges::all_of(earlier, [&](int j) { return differentiates(equations_, j); });
    std::unique_ptr<SparseMatrix>& S = to_.schur_[at(k)];
    S = std::make_unique<SparseMatrix>(like_a_mass ? scaled_mass(k, sign) : schur_product(k, earlier, sign));
    std::shared_ptr<const LinearOperator> cycle;
    const bool plain = like_a_mass && !(is_positive(k) && differentiates(equations_, k));
    if (plain) cycle = std::make_shared<ChebyshevPreconditioner>(*S);
    else if (like_a_mass) cycle = cycle_of(k, *S);
    else cycle = std::make_shared<SmoothedAggregation>(*S, scalar_multigrid());
    const double largest = plain && is_zero(k) ? largest_ratio(k, earlier, *cycle) : 1;
    return {.matrix = S.get(), .factor = (shape_ == Shape::diagonal ? 1 : sign) / largest, .made = cycle};
  }

  SmoothedAggregationOptions scalar_multigrid() const {
    SmoothedAggregationOptions options = multigrid_;
    options.coordinates = nullptr;
    options.nested = {};
    return options;
  }

  // sign (D + E M E) with the diagonal of M replaced by that of the update.
  SparseMatrix scaled_mass(int k, double sign) const {
    const FunctionSpace& space = equations_.space(k);
    if (space.components() != 1) return of_diagonal(k, sign);
    const Operator mass(space, {mass_of(equations_)});
    SparseMatrix M = mass.make_matrix();
    mass.assemble({}, M);
    const std::vector<double> diagonal = M.diagonal().host();
    std::vector<double> scale(diagonal.size());
    double mean = 0;
    for (std::size_t i = 0; i < scale.size(); ++i)
      mean += std::max(0.0, sign * updates_[at(k)][i] / diagonal[i]) / double(scale.size());
    for (std::size_t i = 0; i < scale.size(); ++i) {
      const double own = sign * updates_[at(k)][i] / diagonal[i];
      scale[i] = std::sqrt(own > 1e-8 * mean ? own : mean);
    }
    HostMatrix S = host_matrix(M);
    for (Index row = 0; row < S.rows(); ++row)
      for (Index i = S.offsets[std::size_t(row)]; i < S.offsets[std::size_t(row) + 1]; ++i)
        S.values[std::size_t(i)] *= scale[std::size_t(row)] * scale[std::size_t(S.columns[std::size_t(i)])];
    if (K_.square(k) != nullptr) S = sum(S, sign, free_part(k));
    return eliminated(k, S);
  }

  // Fields of several components: diagonal, which is as good as a mass up to a constant.
  SparseMatrix of_diagonal(int k, double sign) const {
    HostMatrix S;
    S.offsets.push_back(0);
    for (std::size_t i = 0; i < updates_[at(k)].size(); ++i) {
      S.columns.push_back(static_cast<std::int32_t>(i));
      S.values.push_back(std::max(sign * updates_[at(k)][i], 1e-300));
      S.offsets.push_back(static_cast<Index>(i) + 1);
    }
    if (K_.square(k) != nullptr) S = sum(S, sign, free_part(k));
    return eliminated(k, S);
  }

  // sign (D - sum of B diag(A)^-1 C)
  SparseMatrix schur_product(int k, const std::vector<int>& earlier, double sign) const {
    HostMatrix S = scaled_identity(K_.layout().size(k), 0);
    if (K_.square(k) != nullptr) S = sum(S, sign, free_part(k));
    for (const int j : earlier) {
      std::vector<double> inverse = K_.square(j)->diagonal().host();
      for (double& d : inverse) d = 1 / d;
      const HostMatrix C = scaled_rows(host_matrix(*K_.coupling(j, k)), inverse);
      S = sum(S, -sign, product(host_matrix(*K_.coupling(k, j)), C, K_.layout().size(k)));
    }
    return eliminated(k, S);
  }

  // The field's own block without what the supports have put on its diagonal.
  HostMatrix free_part(int k) const {
    HostMatrix D = host_matrix(*K_.square(k));
    const std::vector<std::uint8_t>& held = supports_[k].host_mask();
    for (Index row = 0; row < D.rows(); ++row)
      for (Index i = D.offsets[std::size_t(row)]; i < D.offsets[std::size_t(row) + 1]; ++i)
        if (!held.empty() && held[std::size_t(row)] != 0) D.values[std::size_t(i)] = 0;
    return D;
  }

  SparseMatrix eliminated(int k, const HostMatrix& matrix) const {
    SparseMatrix S = sparse_matrix(K_.device(), matrix);
    const double own = max_abs(S.diagonal());
    supports_[k].eliminate(S, own > 0 ? own : pivot_);
    return S;
  }

  // The largest eigenvalue of S~^-1 B A^-1 C, by the power method with the cycles in place of the inverses: it brings
  // both parts to the same scale.
  double largest_ratio(int k, const std::vector<int>& earlier, const LinearOperator& inverse) const {
    constexpr int steps = 8;
    const Device& device = K_.device();
    Vector x(device, K_.layout().size(k), "vectors"), y(device, K_.layout().size(k), "vectors"),
        sum(device, K_.layout().size(k), "vectors");
    fill_start_vector(x);
    double ratio = 1;
    for (int step = 0; step < steps; ++step) {
      axpby(0, x, 1 / norm2(x), x);
      sum.fill_zero();
      for (const int j : earlier) {
        Vector w(device, K_.layout().size(j), "vectors"), z(device, K_.layout().size(j), "vectors");
        K_.coupling(j, k)->apply(x, w);
        parts_[at(j)].made->apply(w, z);
        K_.coupling(k, j)->apply(z, y);
        axpy(1, y, sum);
      }
      inverse.apply(sum, x);
      ratio = norm2(x);
      if (!(ratio > 0)) return 1;
    }
    return ratio;
  }

  const MixedOperator& equations_;
  const MixedConstraints& supports_;
  BlockOperator& K_;
  double pivot_;
  Shape shape_;
  const SmoothedAggregationOptions& multigrid_;
  MixedPreconditioner& to_;
  std::vector<BlockPart> parts_;
  std::vector<std::vector<double>> diagonals_, updates_;  // [field][unknown]
  std::vector<int> order_;
};

MixedPreconditioner::MixedPreconditioner(const MixedOperator& equations, const MixedConstraints& supports,
                                         BlockOperator& K, double pivot, Shape shape,
                                         const SmoothedAggregationOptions& multigrid) {
  Maker(equations, supports, K, pivot, shape, multigrid, *this).make();
}

MixedPreconditioner::~MixedPreconditioner() = default;

namespace {

// The plan of Maker, from what couples alone: blocks of a field with itself count as positive.
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
      if (j != k && own(j) && (j < k || !own(k)) && equations_.has_block(k, j) && equations_.has_block(j, k))
        list.push_back(j);
    return list;
  }

  void add_part(int k) {
    const FunctionSpace& space = equations_.space(k);
    const Index n = space.unknown_count();
    live_.array<double>("vectors", n, 3);  // of the block preconditioner
    const std::vector<int> earlier = before(k);
    if (earlier.empty()) {
      if (equations_.family(k) == Family::lagrange) return add_nodal_cycle(k);
      if (equations_.family(k) == Family::edge) return add_auxiliary_spaces(space);
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
    const Index corners = std::min<Index>(mesh.node_count(), edges);
    live_.array<double>("vectors", corners, 2);
    const bool simplices = shape == CellKind::tri3 || shape == CellKind::tet4;
    for (int each = 0; each <= dimension_; ++each) {
      const bool component = each < dimension_;
      const double of_aggregate = component && simplices ? 0.5 * double(neighbours) : double(neighbours);
      add_matrix(edges, 2 * edges);
      add_matrix(corners, 2 * edges);
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
