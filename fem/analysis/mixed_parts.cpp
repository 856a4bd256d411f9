#include "fem/analysis/mixed_parts.hpp"

#include "device/error.hpp"
#include "fem/forms/mass.hpp"
#include "solvers/algebra/host_products.hpp"
#include "solvers/algebra/vectors.hpp"

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

}  // namespace

bool differentiates(const MixedOperator& equations, int field) {
  if (equations.family(field) == Family::facet || equations.family(field) == Family::cell) return false;
  return std::ranges::any_of(equations.integrals(), [&](const MixedIntegral& each) {
    return each.form.codimension == 0 && each.couples(field, field) &&
           each.form.fields[at(each.position_of(field))].uses_gradient;
  });
}

double largest_ratio(const std::function<void(const Vector& x, Vector& y)>& schur, const LinearOperator& inverse,
                     Vector& x) {
  constexpr int steps = 8;
  Vector y(x.device(), x.size(), "vectors");
  fill_start_vector(x);
  double ratio = 1;
  for (int step = 0; step < steps; ++step) {
    axpby(0, x, 1 / norm2(x), x);
    schur(x, y);
    inverse.apply(y, x);
    ratio = norm2(x);
    if (!(ratio > 0)) return 1;
  }
  return ratio;
}

class MixedParts::Maker {
 public:
  Maker(const MixedOperator& equations, const MixedConstraints& supports, BlockOperator& K, double pivot,
        MixedShape shape, MixedParts& to)
      : equations_(equations),
        supports_(supports),
        K_(K),
        pivot_(pivot),
        shape_(shape),
        to_(to),
        order_(to.order_),
        updates_(at(equations.field_count())) {}

  void make() {
    to_.schur_.resize(updates_.size());
    to_.fields_.resize(updates_.size());
    for (int k = 0; k < equations_.field_count(); ++k) {
      if (K_.square(k) != nullptr) diagonals_.push_back(K_.square(k)->diagonal().host());
      else diagonals_.emplace_back(static_cast<std::size_t>(K_.layout().size(k)), 0.0);
    }
    choose_order();
    for (int k = 0; k < equations_.field_count(); ++k) find_update(k);
    supports_.eliminate(K_, pivot_);
    // Pivots in the unit of each block: beside those of another field it would be lost in its coarsest inverse.
    for (int k = 0; k < equations_.field_count(); ++k)
      if (const double own = std::ranges::max(diagonals_[at(k)], {}, [](double d) { return std::abs(d); }); own != 0)
        supports_[k].eliminate(*K_.square(k), std::abs(own));
    for (const int k : order_) to_.fields_[at(k)] = before(k).empty() ? of_own_block(k) : of_schur_complement(k);
    to_.triangle_ = triangle();
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
    if (shape_ == MixedShape::diagonal) return BlockTriangle::none;
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

  FieldPart of_own_block(int k) {
    const SparseMatrix* A = K_.square(k);
    if (A == nullptr || !is_positive(k))
      throw Error(Exit::input, fmt::format("no preconditioner is known for the field '{}'", equations_.field_name(k)),
                  "its block of the matrix has a diagonal that is not positive, and no other field gives it a Schur "
                  "complement",
                  "use [solver] method = \"direct\", or a program with a preconditioner of your own");
    return {.cycle = cycle_of(k), .matrix = A};
  }

  FieldCycle cycle_of(int k) const {
    if (equations_.family(k) == Family::lagrange) return FieldCycle::nodes;
    return equations_.family(k) == Family::edge ? FieldCycle::edges : FieldCycle::polynomial;
  }

  FieldPart of_schur_complement(int k) {
    const std::vector<int> earlier = before(k);
    double trace = 0;
    for (std::size_t i = 0; i < updates_[at(k)].size(); ++i) trace += diagonals_[at(k)][i] + updates_[at(k)][i];
    const double sign = trace < 0 ? -1 : 1;
    const bool like_a_mass = std::ranges::all_of(earlier, [&](int j) { return differentiates(equations_, j); });
    std::unique_ptr<SparseMatrix>& S = to_.schur_[at(k)];
    S = std::make_unique<SparseMatrix>(like_a_mass ? scaled_mass(k, sign) : schur_product(k, earlier, sign));
    FieldPart part{.matrix = S.get(), .factor = shape_ == MixedShape::diagonal ? 1 : sign};
    const bool plain = like_a_mass && !(is_positive(k) && differentiates(equations_, k));
    part.cycle = plain ? FieldCycle::polynomial : like_a_mass ? cycle_of(k) : FieldCycle::scalars;
    if (plain && is_zero(k)) part.scaled_by = earlier;
    return part;
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

  const MixedOperator& equations_;
  const MixedConstraints& supports_;
  BlockOperator& K_;
  double pivot_;
  MixedShape shape_;
  MixedParts& to_;
  std::vector<int>& order_;
  std::vector<std::vector<double>> diagonals_, updates_;  // [field][unknown]
};

MixedParts::MixedParts(const MixedOperator& equations, const MixedConstraints& supports, BlockOperator& K, double pivot,
                       MixedShape shape) {
  Maker(equations, supports, K, pivot, shape, *this).make();
}

MixedParts::~MixedParts() = default;

}  // namespace ritz
