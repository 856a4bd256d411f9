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

Integral mass_of(const FieldsOperator& equations) {
  if (equations.space(0).mesh().dimension() == 3) return Integral::over_all_cells(Mass<1, 3>{1});
  return Integral::over_all_cells(Mass<1, 2>{1});
}

}  // namespace

bool differentiates(const FieldsOperator& equations, int field) {
  if (equations.terms().family(field) == Family::facet || equations.terms().family(field) == Family::cell) return false;
  return std::ranges::any_of(equations.terms().integrals(), [&](const MixedIntegral& each) {
    return each.form.codimension == 0 && each.couples(field, field) &&
           each.form.fields[place(each.position_of(field))].uses_gradient;
  });
}

double largest_ratio(FunctionRef<void(const Vector& x, Vector& y)> schur, const LinearOperator& inverse, Vector& x) {
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

namespace {

Vector copy_of(const Vector& x) {
  Vector result(x.device(), x.size(), "vectors");
  copy(x, result);
  return result;
}

// The system whose fields get blocks: its matrix has been transformed by the equations between unknowns, and still has
// the rows of supported ones. Vectors of a field hold its unknowns [owned | ghosts].
struct SystemOfFields {
  const FieldsOperator& equations;
  const FieldsConstraints& supports;
  BlockOperator& K;
  double pivot;
  MixedShape shape;

  const Device& device() const { return K.device(); }
  int count() const { return equations.field_count(); }
  const Ghosts* ghosts(int k) const { return K.layout().ghosts(k); }
  Index owned(int k) const { return K.layout().size(k); }  // unknowns
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
    if (ghosts(k) != nullptr) ghosts(k)->fetch(values, equations.space(k).components());
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
    Vector result(K.device(), equations.space(k).unknown_count(), "vectors");
    result.fill_zero();
    return result;
  }
};

// Diagonals of the blocks, what fields eliminated before add to them, and the order of elimination.
struct FieldDiagonals {
  std::vector<Vector> diagonals, updates;  // [field]
  std::vector<bool> is_positive, is_zero;  // [field] on all ranks
  std::vector<int> order;                  // of the fields: those with a positive diagonal first

  bool positive(int k) const { return is_positive[place(k)]; }
  // Fields with which forms couple k both ways, eliminated before it. What equations carry from field to field is left
  // to the iteration.
  std::vector<int> before(const SystemOfFields& system, int k) const {
    std::vector<int> list;
    for (const int j : order) {
      if (j == k) break;
      const bool coupled = system.K.coupling(k, j) != nullptr && system.K.coupling(j, k) != nullptr;
      if (positive(j) && coupled && system.equations.terms().couples(k, j)) list.push_back(j);
    }
    return list;
  }
};

// The diagonal, with 1 where unknowns are held: no element may act there.
Vector diagonal_of_free(const SystemOfFields& s, int k, const Vector& diagonal) {
  Vector result = s.zeros(k), held = s.zeros(k);
  copy(diagonal, result);
  fill(1, held);
  const auto& kernel = kernels<ConstraintKernels>(s.device(), "ritz_fem_kernels", "constraints");
  kernel.set_zero(s.device(), result.size(), s.supports[k].mask().data(), 1, result.data());
  kernel.set_zero(s.device(), held.size(), s.supports[k].mask().data(), 0, held.data());
  axpy(1.0, held, result);
  return result;
}

// The diagonal of -B diag(A)^-1 C over all fields before k, with the supports still in it: so the border of the body
// weighs as much as its inside.
Vector update_of(const SystemOfFields& s, const FieldDiagonals& found, int k) {
  Vector update = s.zeros(k);
  for (const int j : found.before(s, k)) {
    const RectangularMatrix &B = *s.K.coupling(k, j), &C = *s.K.coupling(j, k);
    s.device().profile().count(B.values().bytes() + C.values().bytes());
    field_part_kernels(s.device())
        .subtract_schur_diagonal(s.device(), block_view(B), block_view(C), found.diagonals[place(j)].data(),
                                 update.data());
  }
  s.complete(k, update);
  return update;
}

FieldDiagonals diagonals_of(const SystemOfFields& s) {
  FieldDiagonals found;
  for (int k = 0; k < s.count(); ++k) {
    Vector diagonal = s.K.square(k) != nullptr ? s.K.square(k)->diagonal() : s.zeros(k);
    s.complete(k, diagonal);
    found.is_positive.push_back(s.of_owned(k, diagonal_of_free(s, k, diagonal), all_positive));
    found.is_zero.push_back(s.largest_owned(k, diagonal) == 0);
    found.diagonals.push_back(std::move(diagonal));
  }
  for (const bool wanted : {true, false})
    for (int k = 0; k < s.count(); ++k)
      if (found.positive(k) == wanted) found.order.push_back(k);
  for (int k = 0; k < s.count(); ++k) found.updates.push_back(update_of(s, found, k));
  return found;
}

// Upper triangles are solved from the last field on, as it must be when the first ones are eliminated first.
BlockTriangle triangle_of(MixedShape shape, const std::vector<int>& order) {
  if (shape == MixedShape::diagonal) return BlockTriangle::none;
  if (std::ranges::is_sorted(order)) return BlockTriangle::upper;
  return std::ranges::is_sorted(order, std::greater{}) ? BlockTriangle::lower : BlockTriangle::none;
}

FieldCycle cycle_of(const FieldsOperator& equations, int k) {
  if (equations.terms().family(k) == Family::lagrange) return FieldCycle::nodes;
  return equations.terms().family(k) == Family::edge ? FieldCycle::edges : FieldCycle::polynomial;
}

// The field's block of the matrix, which is positive definite or close to it.
FieldBlock own_block(const SystemOfFields& s, const FieldDiagonals& found, int k) {
  const SparseMatrix* A = s.K.square(k);
  if (A == nullptr || !found.positive(k))
    throw Error(ErrorKind::solver_options,
                fmt::format("no preconditioner is known for the field '{}'", s.equations.terms().field_name(k)),
                "its block of the matrix has a diagonal that is not positive, and no other field gives it a Schur "
                "complement",
                "use [solver] method = \"direct\", or a program with a preconditioner of your own");
  return {.cycle = cycle_of(s.equations, k), .matrix = A};
}

// Approximate Schur complements of fields after those before them, times a sign.
class SchurComplements {
 public:
  SchurComplements(const SystemOfFields& system, const FieldDiagonals& found)
      : s_(system), found_(found), all_ranks_(system.device()) {}

  // sign (D + E M E) with the diagonal of M replaced by that of the update.
  SparseMatrix scaled_mass(int k, double sign) const {
    const FunctionSpace& space = s_.equations.space(k);
    if (space.components() != 1) return of_diagonal(k, sign);
    const Operator mass(space, {mass_of(s_.equations)});
    SparseMatrix M = mass.make_matrix();
    mass.assemble({}, M);
    s_.supports.transform(k, M);
    Vector diagonal = M.diagonal(), scale = copy_of(found_.updates[place(k)]);
    s_.complete(k, diagonal);
    field_part_kernels(s_.device()).positive_ratio(s_.device(), scale.size(), sign, diagonal.data(), scale.data());
    const double mean = s_.total_owned(k, scale) / double(all_ranks_.total(s_.owned(k)));
    field_part_kernels(s_.device()).root(s_.device(), scale.size(), mean, scale.data());
    scale_rows_and_columns(M, scale);
    if (s_.K.square(k) != nullptr) M = sparse_matrix(with_free_part(k, sign, block_view(M), false));
    return eliminated(k, std::move(M));
  }

  SparseMatrix of_product(int k, const std::vector<int>& earlier, double sign) const {
    return eliminated(k, sparse_matrix(schur_product(k, earlier, sign)));
  }

  // The same over ranks: rows of others travel to their owners. What the supports hold is empty in the products.
  BlockRows schur_rows(int k, const std::vector<int>& earlier, double sign) const {
    const HostMatrix own = host_matrix(schur_product(k, earlier, sign));
    const Index components = s_.equations.space(k).components();
    std::vector<Index> global, first_of_ranks;
    for (Index row = 0; row < own.rows(); ++row)
      global.push_back(s_.ghosts(k)->global(row / components) * components + row % components);
    for (const Index node : s_.ghosts(k)->first()) first_of_ranks.push_back(node * components);
    BlockRows S = summed_by_owners(own, global, first_of_ranks, s_.ghosts(k)->ranks());
    const std::vector<std::uint8_t> held = s_.supports[k].mask().host();
    const Index first = first_of_ranks[place(s_.ghosts(k)->ranks().rank())];
    const auto each_diagonal = [&](const auto& visit) {
      for (Index row = 0; row < S.count(); ++row)
        for (Index i = S.offsets[place(row)]; i < S.offsets[place(row) + 1]; ++i)
          if (S.columns[place(i)] == first + row) visit(row, S.values[place(i)]);
    };
    double largest = 0;
    each_diagonal([&](Index, double value) { largest = std::max(largest, std::abs(value)); });
    largest = all_ranks_.largest_of(largest);
    each_diagonal([&](Index row, double& value) {
      if (held[place(row)] != 0) value = largest > 0 ? largest : s_.pivot;
    });
    return S;
  }

 private:
  // Fields of several components: diagonal, which is as good as a mass up to a constant.
  SparseMatrix of_diagonal(int k, double sign) const {
    Vector update = copy_of(found_.updates[place(k)]);
    field_part_kernels(s_.device()).at_least(s_.device(), update.size(), sign, 1e-300, update.data());
    BlockMatrix S = diagonal_matrix(std::move(update));
    if (s_.K.square(k) != nullptr) S = with_free_part(k, sign, S.view(), false);
    return eliminated(k, sparse_matrix(std::move(S)));
  }

  // sign (D - sum of B diag(A)^-1 C). Over ranks: what the owned unknowns contribute, in rows of this rank and of
  // others.
  BlockMatrix schur_product(int k, const std::vector<int>& earlier, double sign) const {
    BlockMatrix S = diagonal_matrix(s_.zeros(k));
    if (s_.K.square(k) != nullptr) S = with_free_part(k, sign, S.view(), true);
    for (const int j : earlier) S = sum(s_.device(), S.view(), -sign, product_by(k, j).view());
    return S;
  }

  // B diag(A)^-1 C with the owned unknowns of field j.
  BlockMatrix product_by(int k, int j) const {
    const RectangularMatrix &B = *s_.K.coupling(k, j), &C = *s_.K.coupling(j, k);
    Vector inverse = s_.K.square(j)->diagonal();
    kernels<VectorKernels>(s_.device(), solver_kernels, "vector").invert(s_.device(), inverse.size(), inverse.data());
    const Vector scaled = scaled_rows(C, inverse);
    const Array<Index> kept = kept_rows(C, s_.owned(j));
    BlockMatrixView<double> view = block_view(C);
    view.values = scaled.data();
    view.offsets = kept.data();
    BlockMatrix result = product(s_.device(), block_view(B), view);
    sort_rows(result);
    return result;
  }

  // A + sign D, with the field's own block D without what the supports have put on its diagonal; of owned rows alone,
  // or of all.
  BlockMatrix with_free_part(int k, double sign, const BlockMatrixView<double>& A, bool owned_alone) const {
    BlockMatrixView<double> D = block_view(*s_.K.square(k));
    if (owned_alone) D.rows = s_.owned(k) / D.row_block;
    return sum(s_.device(), A, sign, D, &s_.supports[k].mask());
  }

  SparseMatrix eliminated(int k, SparseMatrix S) const {
    const double own = s_.largest_owned(k, S.diagonal());
    S.eliminate(s_.supports[k].mask(), own > 0 ? own : s_.pivot);
    return S;
  }

  const SystemOfFields& s_;
  const FieldDiagonals& found_;
  Communicator all_ranks_;
};

// A block with a matrix of its own, or its rows where their owners have summed them.
struct MadeBlock {
  FieldBlock block;
  std::unique_ptr<SparseMatrix> matrix = {};
  BlockRows rows = {};
};

// The block of a field that others are eliminated before.
MadeBlock schur_block(const SystemOfFields& s, const FieldDiagonals& found, int k) {
  const std::vector<int> earlier = found.before(s, k);
  const double trace = s.total_owned(k, found.diagonals[place(k)]) + s.total_owned(k, found.updates[place(k)]);
  const double sign = trace < 0 ? -1 : 1;
  const bool like_a_mass = std::ranges::all_of(earlier, [&](int j) { return differentiates(s.equations, j); });
  const SchurComplements complements(s, found);
  MadeBlock made;
  if (like_a_mass) made.matrix = std::make_unique<SparseMatrix>(complements.scaled_mass(k, sign));
  else if (s.ghosts(k) == nullptr)
    made.matrix = std::make_unique<SparseMatrix>(complements.of_product(k, earlier, sign));
  else made.rows = complements.schur_rows(k, earlier, sign);
  FieldBlock part{.matrix = made.matrix.get(), .factor = s.shape == MixedShape::diagonal ? 1 : sign};
  const bool plain = like_a_mass && !(found.positive(k) && differentiates(s.equations, k));
  part.cycle = plain ? FieldCycle::polynomial : like_a_mass ? cycle_of(s.equations, k) : FieldCycle::scalars;
  if (plain && found.is_zero[place(k)]) part.scaled_by = earlier;
  made.block = std::move(part);
  return made;
}

}  // namespace

FieldBlocks::FieldBlocks(const FieldsOperator& equations, const FieldsConstraints& supports, BlockOperator& K,
                         double pivot, MixedShape shape)
    : layout_(K.layout()) {
  const SystemOfFields system{equations, supports, K, pivot, shape};
  schur_.resize(place(system.count()));
  fields_.resize(place(system.count()));
  summed_rows_.resize(place(system.count()));
  supports.transform(K);
  const FieldDiagonals found = diagonals_of(system);
  supports.eliminate_transformed(K, pivot);
  // Pivots in the unit of each block: next to those of another field they would be lost in its coarsest inverse.
  for (int k = 0; k < system.count(); ++k)
    if (const double own = system.largest_owned(k, found.diagonals[place(k)]); own != 0)
      K.square(k)->eliminate(supports[k].mask(), own);
  for (const int k : found.order) {
    MadeBlock made =
        found.before(system, k).empty() ? MadeBlock{own_block(system, found, k)} : schur_block(system, found, k);
    fields_[place(k)] = std::move(made.block);
    schur_[place(k)] = std::move(made.matrix);
    summed_rows_[place(k)] = std::move(made.rows);
  }
  triangle_ = triangle_of(shape, found.order);
  order_ = found.order;
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
