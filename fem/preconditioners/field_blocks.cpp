#include "fem/preconditioners/field_blocks.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/forms/mass.hpp"
#include "fem/launch/constraint_kernels.hpp"
#include "fem/launch/field_part_kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vector_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/sparse_products.hpp"
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

class FieldBlocks::Maker {
 public:
  Maker(const MixedOperator& equations, const MixedConstraints& supports, BlockOperator& K, double pivot,
        MixedShape shape, FieldBlocks& to)
      : equations_(equations),
        supports_(supports),
        K_(K),
        all_ranks_(K.device()),
        pivot_(pivot),
        shape_(shape),
        to_(to),
        order_(to.order_) {}

  void make() {
    const std::size_t fields = place(equations_.field_count());
    to_.schur_.resize(fields);
    to_.fields_.resize(fields);
    to_.summed_rows_.resize(fields);
    supports_.transform(K_);
    for (int k = 0; k < equations_.field_count(); ++k) find_diagonal(k);
    choose_order();
    for (int k = 0; k < equations_.field_count(); ++k) find_update(k);
    supports_.eliminate_transformed(K_, pivot_);
    // Pivots in the unit of each block: beside those of another field it would be lost in its coarsest inverse.
    for (int k = 0; k < equations_.field_count(); ++k)
      if (const double own = largest_owned(k, diagonals_[place(k)]); own != 0)
        K_.square(k)->eliminate(supports_.mask(k), own);
    for (const int k : order_) to_.fields_[place(k)] = before(k).empty() ? of_own_block(k) : of_schur_complement(k);
    to_.triangle_ = triangle();
  }

 private:
  const Ghosts* ghosts(int k) const { return K_.layout().ghosts(k); }
  Index owned(int k) const { return K_.layout().size(k); }  // unknowns
  // use(those of the field's numbers that this rank owns)
  template <class Use>
  auto of_owned(int k, const Vector& values, const Use& use) const {
    if (ghosts(k) == nullptr) return use(values);
    Vector own(values.device(), owned(k), "vectors");
    if (!own.empty()) values.device().machine().copy_on_device(own.data(), values.data(), own.bytes());
    return use(own);
  }
  // Ghosts get the owners' values, [unknown of the field].
  void complete(int k, Vector& values) const {
    if (ghosts(k) != nullptr) ghosts(k)->fetch(values, equations_.space(k).components());
  }
  double largest_owned(int k, const Vector& values) const { return of_owned(k, values, max_abs); }
  double total_owned(int k, const Vector& values) const {
    return of_owned(k, values, [](const Vector& own) {
      Vector ones(own.device(), own.size(), "vectors");
      fill(1, ones);
      return dot(own, ones);
    });
  }
  Vector zeros(int k) const {
    Vector result(K_.device(), equations_.space(k).unknown_count(), "vectors");
    result.fill_zero();
    return result;
  }

  void find_diagonal(int k) {
    diagonals_.push_back(K_.square(k) != nullptr ? K_.square(k)->diagonal() : zeros(k));
    complete(k, diagonals_.back());
    is_positive_.push_back(of_owned(k, diagonal_of_free(k), all_positive));
    is_zero_.push_back(largest_owned(k, diagonals_.back()) == 0);
  }

  // The diagonal, with 1 where unknowns are held: no element may act there.
  Vector diagonal_of_free(int k) const {
    Vector result = zeros(k), held = zeros(k);
    copy(diagonals_.back(), result);
    fill(1, held);
    const auto& kernel = kernels<ConstraintKernels>(K_.device(), "ritz_fem_kernels", "constraints");
    kernel.set_zero(K_.device(), result.size(), supports_.mask(k).data(), 1, result.data());
    kernel.set_zero(K_.device(), held.size(), supports_.mask(k).data(), 0, held.data());
    axpy(1.0, held, result);
    return result;
  }

  void choose_order() {
    for (const bool wanted : {true, false})
      for (int k = 0; k < equations_.field_count(); ++k)
        if (is_positive(k) == wanted) order_.push_back(k);
  }
  bool is_positive(int k) const { return is_positive_[place(k)]; }
  // Fields with which forms couple k both ways, eliminated before it. What equations carry from field to field is left
  // to the iteration.
  std::vector<int> before(int k) const {
    std::vector<int> list;
    for (const int j : order_) {
      if (j == k) break;
      const bool coupled = K_.coupling(k, j) != nullptr && K_.coupling(j, k) != nullptr;
      if (is_positive(j) && coupled && equations_.couples(k, j)) list.push_back(j);
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
    Vector update = zeros(k);
    for (const int j : before(k)) {
      const RectangularMatrix &B = *K_.coupling(k, j), &C = *K_.coupling(j, k);
      K_.device().profile().count(B.values().bytes() + C.values().bytes());
      field_part_kernels(K_.device())
          .subtract_schur_diagonal(K_.device(), block_view(B), block_view(C), diagonals_[place(j)].data(),
                                   update.data());
    }
    complete(k, update);
    updates_.push_back(std::move(update));
  }

  FieldBlock of_own_block(int k) {
    const SparseMatrix* A = K_.square(k);
    if (A == nullptr || !is_positive(k))
      throw Error(ErrorKind::solver_options,
                  fmt::format("no preconditioner is known for the field '{}'", equations_.field_name(k)),
                  "its block of the matrix has a diagonal that is not positive, and no other field gives it a Schur "
                  "complement",
                  "use [solver] method = \"direct\", or a program with a preconditioner of your own");
    return {.cycle = cycle_of(k), .matrix = A};
  }

  FieldCycle cycle_of(int k) const {
    if (equations_.family(k) == Family::lagrange) return FieldCycle::nodes;
    return equations_.family(k) == Family::edge ? FieldCycle::edges : FieldCycle::polynomial;
  }

  FieldBlock of_schur_complement(int k) {
    const std::vector<int> earlier = before(k);
    const double trace = total_owned(k, diagonals_[place(k)]) + total_owned(k, updates_[place(k)]);
    const double sign = trace < 0 ? -1 : 1;
    const bool like_a_mass = std::ranges::all_of(earlier, [&](int j) { return differentiates(equations_, j); });
    std::unique_ptr<SparseMatrix>& S = to_.schur_[place(k)];
    if (like_a_mass) S = std::make_unique<SparseMatrix>(scaled_mass(k, sign));
    else if (ghosts(k) == nullptr)
      S = std::make_unique<SparseMatrix>(eliminated(k, sparse_matrix(schur_product(k, earlier, sign))));
    else to_.summed_rows_[place(k)] = schur_rows(k, earlier, sign);
    FieldBlock part{.matrix = S.get(), .factor = shape_ == MixedShape::diagonal ? 1 : sign};
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
    supports_.transform(k, M);
    Vector diagonal = M.diagonal(), scale = copy_of(updates_[place(k)]);
    complete(k, diagonal);
    field_part_kernels(K_.device()).positive_ratio(K_.device(), scale.size(), sign, diagonal.data(), scale.data());
    const double mean = total_owned(k, scale) / double(all_ranks_.total(owned(k)));
    field_part_kernels(K_.device()).root(K_.device(), scale.size(), mean, scale.data());
    scale_rows_and_columns(M, scale);
    if (K_.square(k) != nullptr) M = sparse_matrix(with_free_part(k, sign, block_view(M), false));
    return eliminated(k, std::move(M));
  }

  // Fields of several components: diagonal, which is as good as a mass up to a constant.
  SparseMatrix of_diagonal(int k, double sign) const {
    Vector update = copy_of(updates_[place(k)]);
    field_part_kernels(K_.device()).at_least(K_.device(), update.size(), sign, 1e-300, update.data());
    BlockMatrix S = diagonal_matrix(std::move(update));
    if (K_.square(k) != nullptr) S = with_free_part(k, sign, S.view(), false);
    return eliminated(k, sparse_matrix(std::move(S)));
  }

  // sign (D - sum of B diag(A)^-1 C). Over ranks: what the owned unknowns contribute, in rows of this rank and of
  // others.
  BlockMatrix schur_product(int k, const std::vector<int>& earlier, double sign) const {
    BlockMatrix S = diagonal_matrix(zeros(k));
    if (K_.square(k) != nullptr) S = with_free_part(k, sign, S.view(), true);
    for (const int j : earlier) S = sum(K_.device(), S.view(), -sign, product_by(k, j).view());
    return S;
  }

  // B diag(A)^-1 C with the owned unknowns of field j.
  BlockMatrix product_by(int k, int j) const {
    const RectangularMatrix &B = *K_.coupling(k, j), &C = *K_.coupling(j, k);
    Vector inverse = K_.square(j)->diagonal();
    kernels<VectorKernels>(K_.device(), solver_kernels, "vector").invert(K_.device(), inverse.size(), inverse.data());
    const Vector scaled = scaled_rows(C, inverse);
    const Array<Index> kept = kept_rows(C, owned(j));
    BlockMatrixView<double> view = block_view(C);
    view.values = scaled.data();
    view.offsets = kept.data();
    BlockMatrix result = product(K_.device(), block_view(B), view);
    sort_rows(result);
    return result;
  }

  // The same over ranks: rows of others travel to their owners. What the supports hold is empty in the products.
  BlockRows schur_rows(int k, const std::vector<int>& earlier, double sign) const {
    const HostMatrix own = host_matrix(schur_product(k, earlier, sign));
    const Index components = equations_.space(k).components();
    std::vector<Index> global, first_of_ranks;
    for (Index row = 0; row < own.rows(); ++row)
      global.push_back(ghosts(k)->global(row / components) * components + row % components);
    for (const Index node : ghosts(k)->first()) first_of_ranks.push_back(node * components);
    BlockRows S = summed_by_owners(own, global, first_of_ranks, ghosts(k)->ranks());
    const std::vector<std::uint8_t> held = supports_.mask(k).host();
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
      if (held[place(row)] != 0) value = largest > 0 ? largest : pivot_;
    });
    return S;
  }

  // A + sign D, with the field's own block D without what the supports have put on its diagonal; of owned rows alone,
  // or of all.
  BlockMatrix with_free_part(int k, double sign, const BlockMatrixView<double>& A, bool owned_alone) const {
    BlockMatrixView<double> D = block_view(*K_.square(k));
    if (owned_alone) D.rows = owned(k) / D.row_block;
    return sum(K_.device(), A, sign, D, &supports_.mask(k));
  }

  static Vector copy_of(const Vector& x) {
    Vector result(x.device(), x.size(), "vectors");
    copy(x, result);
    return result;
  }

  SparseMatrix eliminated(int k, SparseMatrix S) const {
    const double own = largest_owned(k, S.diagonal());
    S.eliminate(supports_.mask(k), own > 0 ? own : pivot_);
    return S;
  }

  const MixedOperator& equations_;
  const MixedConstraints& supports_;
  BlockOperator& K_;
  Communicator all_ranks_;
  double pivot_;
  MixedShape shape_;
  FieldBlocks& to_;
  std::vector<int>& order_;
  std::vector<Vector> diagonals_, updates_;  // [field]
  std::vector<bool> is_positive_, is_zero_;  // [field] on all ranks
};

FieldBlocks::FieldBlocks(const MixedOperator& equations, const MixedConstraints& supports, BlockOperator& K,
                         double pivot, MixedShape shape)
    : layout_(K.layout()) {
  Maker(equations, supports, K, pivot, shape, *this).make();
}

FieldBlocks::~FieldBlocks() = default;

BlockRows FieldBlocks::owned_rows(int field) const {
  const SparseMatrix* matrix = of_field(field).matrix;
  if (matrix == nullptr) return summed_rows_[place(field)];
  const Ghosts& ghosts = *layout_.ghosts(field);
  const Index per_node = matrix->pattern().rows() / ghosts.size();  // 1, or of scalars the components
  BlockRows rows = RowsOfMatrix(*matrix).range(0, ghosts.owned() * per_node);
  for (std::int32_t& column : rows.columns)
    column = static_cast<std::int32_t>(ghosts.global(column / per_node) * per_node + column % per_node);
  return rows;
}

}  // namespace ritz
