#include "fem/analysis/mixed_parts.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "fem/forms/mass.hpp"
#include "solvers/algebra/host_products.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/summed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace ritz {
namespace {

std::size_t place(Index i) { return static_cast<std::size_t>(i); }

Integral mass_of(const MixedOperator& equations) {
  if (equations.space(0).mesh().dimension() == 3) return Integral::over_all_cells(Mass<1, 3>{1});
  return Integral::over_all_cells(Mass<1, 2>{1});
}

}  // namespace

bool differentiates(const MixedOperator& equations, int field) {
  if (equations.family(field) == Family::facet || equations.family(field) == Family::cell) return false;
  return std::ranges::any_of(equations.integrals(), [&](const MixedIntegral& each) {
    return each.form.codimension == 0 && each.couples(field, field) &&
           each.form.fields[place(each.position_of(field))].uses_gradient;
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
        all_ranks_(K.device()),
        pivot_(pivot),
        shape_(shape),
        to_(to),
        order_(to.order_),
        updates_(place(equations.field_count())) {}

  void make() {
    to_.schur_.resize(updates_.size());
    to_.fields_.resize(updates_.size());
    to_.summed_rows_.resize(updates_.size());
    for (int k = 0; k < equations_.field_count(); ++k) find_diagonal(k);
    choose_order();
    for (int k = 0; k < equations_.field_count(); ++k) find_update(k);
    supports_.eliminate(K_, pivot_);
    // Pivots in the unit of each block: beside those of another field it would be lost in its coarsest inverse.
    for (int k = 0; k < equations_.field_count(); ++k)
      if (const double own = largest_owned(k, diagonals_[place(k)]); own != 0)
        supports_[k].eliminate(*K_.square(k), own);
    for (const int k : order_) to_.fields_[place(k)] = before(k).empty() ? of_own_block(k) : of_schur_complement(k);
    to_.triangle_ = triangle();
  }

 private:
  const Ghosts* ghosts(int k) const { return to_.ghosts_ == nullptr ? nullptr : (*to_.ghosts_)[place(k)].get(); }
  Index owned(int k) const {  // unknowns
    return ghosts(k) == nullptr ? K_.layout().size(k) : ghosts(k)->owned() * equations_.space(k).components();
  }
  std::span<const double> owned_of(int k, const std::vector<double>& values) const {
    return std::span(values).first(place(owned(k)));
  }
  // Ghosts get the owners' values, [unknown of the field].
  void complete(int k, std::vector<double>& values) const {
    if (ghosts(k) != nullptr) ghosts(k)->fetch(values, equations_.space(k).components());
  }
  double largest_owned(int k, const std::vector<double>& values) const {
    double largest = 0;
    for (const double value : owned_of(k, values)) largest = std::max(largest, std::abs(value));
    return all_ranks_.largest_of(largest);
  }
  bool holds_for_all(int k, const std::function<bool(double)>& holds) const {
    return all_ranks_.largest_of(std::ranges::all_of(owned_of(k, diagonals_[place(k)]), holds) ? 0 : 1) == 0;
  }

  void find_diagonal(int k) {
    if (K_.square(k) != nullptr) diagonals_.push_back(K_.square(k)->diagonal().host());
    else diagonals_.emplace_back(place(K_.layout().size(k)), 0.0);
    complete(k, diagonals_.back());
    is_positive_.push_back(holds_for_all(k, [](double d) { return d > 0; }));
    is_zero_.push_back(holds_for_all(k, [](double d) { return d == 0; }));
  }

  void choose_order() {
    for (const bool wanted : {true, false})
      for (int k = 0; k < equations_.field_count(); ++k)
        if (is_positive(k) == wanted) order_.push_back(k);
  }
  bool is_positive(int k) const { return is_positive_[place(k)]; }
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
    std::vector<double>& update = updates_[place(k)];
    update.assign(diagonals_[place(k)].size(), 0.0);
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
                B.values[std::size_t(i)] * C.values[std::size_t(other)] / diagonals_[place(j)][std::size_t(column)];
        }
      }
    }
    complete(k, update);
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
    for (std::size_t i = 0; i < place(owned(k)); ++i) trace += diagonals_[place(k)][i] + updates_[place(k)][i];
    const double sign = all_ranks_.sum_of(trace) < 0 ? -1 : 1;
    const bool like_a_mass = std::ranges::all_of(earlier, [&](int j) { return differentiates(equations_, j); });
    std::unique_ptr<SparseMatrix>& S = to_.schur_[place(k)];
    if (like_a_mass) S = std::make_unique<SparseMatrix>(scaled_mass(k, sign));
    else if (ghosts(k) == nullptr) S = std::make_unique<SparseMatrix>(schur_product(k, earlier, sign));
    else to_.summed_rows_[place(k)] = schur_rows(k, earlier, sign);
    FieldPart part{.matrix = S.get(), .factor = shape_ == MixedShape::diagonal ? 1 : sign};
    const bool plain = like_a_mass && !(is_positive(k) && differentiates(equations_, k));
    part.cycle = plain ? FieldCycle::polynomial : like_a_mass ? cycle_of(k) : FieldCycle::scalars;
    if (plain && is_zero_[place(k)]) part.scaled_by = earlier;
    return part;
  }

  // sign (D + E M E) with the diagonal of M replaced by that of the update.
  SparseMatrix scaled_mass(int k, double sign) const {
    const FunctionSpace& space = equations_.space(k);
    if (space.components() != 1) return of_diagonal(k, sign);
    const Operator mass(space, {mass_of(equations_)});
    SparseMatrix M = mass.make_matrix();
    mass.assemble({}, M);
    std::vector<double> diagonal = M.diagonal().host();
    complete(k, diagonal);
    std::vector<double> scale(diagonal.size());
    const Index count = all_ranks_.total(owned(k));
    double mean = 0;
    for (std::size_t i = 0; i < place(owned(k)); ++i)
      mean += std::max(0.0, sign * updates_[place(k)][i] / diagonal[i]) / double(count);
    mean = all_ranks_.sum_of(mean);
    for (std::size_t i = 0; i < scale.size(); ++i) {
      const double own = sign * updates_[place(k)][i] / diagonal[i];
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
    for (std::size_t i = 0; i < updates_[place(k)].size(); ++i) {
      S.columns.push_back(static_cast<std::int32_t>(i));
      S.values.push_back(std::max(sign * updates_[place(k)][i], 1e-300));
      S.offsets.push_back(static_cast<Index>(i) + 1);
    }
    if (K_.square(k) != nullptr) S = sum(S, sign, free_part(k));
    return eliminated(k, S);
  }

  // sign (D - sum of B diag(A)^-1 C)
  SparseMatrix schur_product(int k, const std::vector<int>& earlier, double sign) const {
    HostMatrix S = scaled_identity(K_.layout().size(k), 0);
    if (K_.square(k) != nullptr) S = sum(S, sign, free_part(k));
    for (const int j : earlier) S = sum(S, -sign, product_by(k, j));
    return eliminated(k, S);
  }

  // B diag(A)^-1 C. Over ranks: what the owned unknowns of field j contribute, in rows of this rank and of others.
  HostMatrix product_by(int k, int j) const {
    std::vector<double> inverse = K_.square(j)->diagonal().host();
    for (double& d : inverse) d = 1 / d;
    HostMatrix C = scaled_rows(host_matrix(*K_.coupling(j, k)), inverse);
    const Index entries = C.offsets[place(owned(j))];
    for (std::size_t row = place(owned(j)) + 1; row < C.offsets.size(); ++row) C.offsets[row] = entries;
    return product(host_matrix(*K_.coupling(k, j)), C, K_.layout().size(k));
  }

  // The same over ranks: rows of others travel to their owners. What the supports hold is empty in the products.
  BlockRows schur_rows(int k, const std::vector<int>& earlier, double sign) const {
    HostMatrix own = scaled_identity(K_.layout().size(k), 0);
    if (K_.square(k) != nullptr) own = sum(own, sign, owned_part(k, free_part(k)));
    for (const int j : earlier) own = sum(own, -sign, product_by(k, j));
    const Index components = equations_.space(k).components();
    std::vector<Index> global, first_of_ranks;
    for (Index row = 0; row < own.rows(); ++row)
      global.push_back(ghosts(k)->global(row / components) * components + row % components);
    for (const Index node : ghosts(k)->first()) first_of_ranks.push_back(node * components);
    BlockRows S = summed_by_owners(own, global, first_of_ranks, ghosts(k)->ranks());
    const std::vector<std::uint8_t>& held = supports_[k].host_mask();
    const Index first = first_of_ranks[place(ghosts(k)->ranks().rank())];
    const auto each_diagonal = [&](const auto& visit) {
      for (Index row = 0; row < S.count(); ++row)
        for (Index i = S.offsets[place(row)]; i < S.offsets[place(row) + 1]; ++i)
          if (S.columns[place(i)] == first + row) visit(row, S.values[place(i)]);
    };
    double largest = 0;
    each_diagonal([&](Index, double value) { largest = std::max(largest, std::abs(value)); });
    largest = all_ranks_.largest_of(largest);
    each_diagonal([&](Index row, double& value) {
      if (!held.empty() && held[place(row)] != 0) value = largest > 0 ? largest : pivot_;
    });
    return S;
  }

  // Without the rows of ghosts, which their owners have.
  HostMatrix owned_part(int k, HostMatrix D) const {
    const Index entries = D.offsets[place(owned(k))];
    for (std::size_t row = place(owned(k)) + 1; row < D.offsets.size(); ++row) D.offsets[row] = entries;
    D.columns.resize(place(entries));
    D.values.resize(place(entries));
    return D;
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
    const double own = largest_owned(k, S.diagonal().host());
    supports_[k].eliminate(S, own > 0 ? own : pivot_);
    return S;
  }

  const MixedOperator& equations_;
  const MixedConstraints& supports_;
  BlockOperator& K_;
  Communicator all_ranks_;
  double pivot_;
  MixedShape shape_;
  MixedParts& to_;
  std::vector<int>& order_;
  std::vector<std::vector<double>> diagonals_, updates_;  // [field][unknown]
  std::vector<bool> is_positive_, is_zero_;               // [field] on all ranks
};

MixedParts::MixedParts(const MixedOperator& equations, const MixedConstraints& supports, BlockOperator& K, double pivot,
                       MixedShape shape, const GhostsOfFields* ghosts)
    : ghosts_(ghosts) {
  Maker(equations, supports, K, pivot, shape, *this).make();
}

MixedParts::~MixedParts() = default;

BlockRows MixedParts::owned_rows(int field) const {
  const SparseMatrix* matrix = of_field(field).matrix;
  if (matrix == nullptr) return summed_rows_[place(field)];
  const Ghosts& ghosts = *(*ghosts_)[place(field)];
  const Index per_node = matrix->pattern().rows() / ghosts.size();  // 1, or of scalars the components
  BlockRows rows = RowsOfMatrix(*matrix).range(0, ghosts.owned() * per_node);
  for (std::int32_t& column : rows.columns)
    column = static_cast<std::int32_t>(ghosts.global(column / per_node) * per_node + column % per_node);
  return rows;
}

}  // namespace ritz
