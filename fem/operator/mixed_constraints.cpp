#include "fem/operator/mixed_constraints.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/launch/constraint_kernels.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace ritz {
namespace {

const ConstraintKernels& table(const Device& device) {
  return kernels<ConstraintKernels>(device, "ritz_fem_kernels", "constraints");
}

std::unique_ptr<SparseMatrix> diagonal_matrix(const FunctionSpace& space) {
  std::vector<Index> offsets(static_cast<std::size_t>(space.node_count()) + 1);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(space.node_count()));
  std::iota(offsets.begin(), offsets.end(), Index{0});
  std::iota(columns.begin(), columns.end(), 0);
  return std::make_unique<SparseMatrix>(std::make_shared<SparsityPattern>(space.device(), offsets, columns),
                                        space.components());
}

}  // namespace

MixedConstraints::MixedConstraints(Spaces spaces)
    : spaces_(std::move(spaces)), layout_(layout_of(spaces_)), joined_(spaces_.size()) {
  for (const auto& space : spaces_) of_field_.emplace_back(*space);
}

void MixedConstraints::relate(int field, DependentRows rows) {
  const FunctionSpace& space = (*this)[field].space();
  joined_.at(static_cast<std::size_t>(field)).of_part =
      std::make_shared<const DependentUnknowns>(space, std::move(rows));
}

void MixedConstraints::finish() {
  host_mask_.clear();
  transforms_.clear();
  for (int k = 0; k < layout_.count(); ++k) {
    Constraints& each = (*this)[k];
    if (layout_.is_divided() && !each.equations().empty())
      throw Error(Exit::internal, "a part of a mesh was given equations between unknowns of several fields");
    each.finish();
    const std::vector<std::uint8_t>& prescribed = each.host_mask();
    host_mask_.insert(host_mask_.end(), prescribed.begin(), prescribed.begin() + layout_.size(k));
    if (dependent(k) == nullptr) continue;
    Joined& joined = joined_[static_cast<std::size_t>(k)];
    if (joined.of_part) each.space().couple(joined.of_part->couplings(prescribed));
    std::vector<std::uint8_t> dependents(prescribed.size(), 0), eliminated = prescribed;
    const DependentRows& rows = dependent(k)->rows();
    for (const std::int32_t unknown : rows.unknown)
      dependents[static_cast<std::size_t>(unknown)] = eliminated[static_cast<std::size_t>(unknown)] = 1;
    std::vector<std::uint8_t> constrained = eliminated;
    for (const std::int32_t unknown : rows.followed) constrained[static_cast<std::size_t>(unknown)] = 1;
    const auto upload = [&](std::span<const std::uint8_t> marks) {
      return Array<std::uint8_t>(each.space().device(), marks, "constraints");
    };
    joined.dependent = upload(dependents);
    joined.eliminated = upload(eliminated);
    joined.constrained = upload(constrained);
  }
}

const DependentUnknowns* MixedConstraints::dependent(int field) const {
  const Joined& joined = joined_.at(static_cast<std::size_t>(field));
  return joined.of_part ? joined.of_part.get() : (*this)[field].dependent();
}

// Without equations those that are prescribed.
const Array<std::uint8_t>& MixedConstraints::marks(int field, Array<std::uint8_t> Joined::*kind) const {
  return dependent(field) == nullptr ? (*this)[field].mask() : joined_[static_cast<std::size_t>(field)].*kind;
}

const Array<std::uint8_t>& MixedConstraints::mask(int field) const { return marks(field, &Joined::eliminated); }

bool MixedConstraints::varies_in_time() const { return std::ranges::any_of(of_field_, &Constraints::varies_in_time); }

void MixedConstraints::set_time(double t) {
  for (Constraints& each : of_field_)
    if (each.varies_in_time()) each.set_time(t);
}

// change(field with its ghosts), whose owned unknowns are then those of x
template <class Change>
void MixedConstraints::with_ghosts(int field, Vector& x, const Change& change) const {
  Vector part = layout_.part(x, field);
  if (!layout_.is_divided()) {
    change(part);
  } else {
    Vector all(x.device(), layout_.local().size(field), "vectors");
    layout_.fetch(field, part, all);
    change(all);
    x.device().machine().copy_on_device(part.data(), all.data(), part.bytes());
  }
  layout_.put(part, field, x);
}

void MixedConstraints::set_values(Vector& u, double factor) const {
  for (int k = 0; k < layout_.count(); ++k)
    with_ghosts(k, u, [&](Vector& all) {
      (*this)[k].set_values(all, factor);
      if (const auto& of_part = joined_[static_cast<std::size_t>(k)].of_part) of_part->set(all, factor);
    });
}

// change(dependent unknowns of a field, the field) where it has equations
template <class Change>
void MixedConstraints::each_with_equations(Vector& x, const Change& change) const {
  for (int k = 0; k < layout_.count(); ++k)
    if (dependent(k) != nullptr) with_ghosts(k, x, [&](Vector& all) { change(*dependent(k), all); });
}

void MixedConstraints::set_linear(Vector& x) const {
  each_with_equations(x, [](const DependentUnknowns& each, Vector& all) { each.set_linear(all); });
}
void MixedConstraints::gather(Vector& r) const {
  each_with_equations(r, [](const DependentUnknowns& each, Vector& all) { each.gather(all); });
}

void MixedConstraints::gather_diagonal(Vector& diagonal) const {
  each_with_equations(diagonal, [](const DependentUnknowns& each, Vector& all) { each.gather_diagonal(all); });
}

bool MixedConstraints::has_dependent() const {
  bool any = false;
  for (int k = 0; k < layout_.count(); ++k) any = any || dependent(k) != nullptr;
  return any;
}

void MixedConstraints::zero_where(Array<std::uint8_t> Joined::*kind, bool marked, Vector& r) const {
  layout_.check(r);
  for (int k = 0; k < layout_.count(); ++k)
    table(r.device())
        .set_zero(r.device(), layout_.size(k), marks(k, kind).data(), marked ? 1 : 0, r.data() + layout_.first(k));
}

void MixedConstraints::set_zero(Vector& r) const { zero_where(&Joined::eliminated, true, r); }
void MixedConstraints::keep_prescribed(Vector& r) const { zero_where(&Joined::eliminated, false, r); }
void MixedConstraints::keep_constrained(Vector& r) const { zero_where(&Joined::constrained, false, r); }

void MixedConstraints::apply_pivot(double pivot, const Vector& x, Vector& y) const {
  Vector held(x.device(), x.size(), "vectors");
  copy(x, held);
  keep_prescribed(held);
  set_zero(y);
  axpy(pivot, held, y);
}

const CouplingTransform& MixedConstraints::transform_of(int row, int column, const RectangularMatrix& K) const {
  const auto known = transforms_.find({row, column});
  if (known != transforms_.end() && known->second.suits(K)) return known->second;
  static const DependentRows none;
  const auto rows = [&](int k) -> const DependentRows& {
    return dependent(k) != nullptr ? dependent(k)->rows() : none;
  };
  CouplingTransform made(K, rows(row), rows(column));
  return transforms_.insert_or_assign({row, column}, std::move(made)).first->second;
}

void MixedConstraints::transform(int field, SparseMatrix& A) const {
  if (dependent(field) == nullptr) return;
  const FunctionSpace& space = *spaces_[static_cast<std::size_t>(field)];
  if (space.has_pattern() && A.pattern().nonzeros() != space.pattern()->nonzeros())
    throw Error(Exit::internal,
                fmt::format("a matrix of {} pairs of nodes was given to constraints that join {}",
                            A.pattern().nonzeros(), space.pattern()->nonzeros()),
                "equations between unknowns have joined nodes since it was made",
                "finish the supports before the matrix is made");
  dependent(field)->transform(A);
  const Vector diagonal = A.diagonal();
  Vector ones(diagonal.device(), diagonal.size(), "vectors");
  fill(1, ones);
  A.eliminate(marks(field, &Joined::dependent), std::copysign(max_abs(diagonal), dot(diagonal, ones)));
}

void MixedConstraints::transform(BlockOperator& K) const {
  static const Array<std::uint8_t> none;
  const auto dependents = [&](int k) -> const Array<std::uint8_t>& {
    return dependent(k) != nullptr ? marks(k, &Joined::dependent) : none;
  };
  for (int row = 0; row < layout_.count(); ++row) {
    SparseMatrix* const square = K.square(row);
    const bool of_pivots = square != nullptr && square->pattern().nonzeros() == square->pattern().rows();
    if (square != nullptr && !of_pivots) transform(row, *square);  // equations join rows of others
    for (int column = 0; column < layout_.count(); ++column) {
      RectangularMatrix* const coupling = column != row ? K.coupling(row, column) : nullptr;
      if (coupling == nullptr || (dependent(row) == nullptr && dependent(column) == nullptr)) continue;
      transform_of(row, column, *coupling).apply(*coupling);
      coupling->eliminate(dependents(row), dependents(column));
    }
  }
}

void MixedConstraints::eliminate_transformed(BlockOperator& K, double pivot) const {
  for (int row = 0; row < layout_.count(); ++row) {
    if (((*this)[row].count() > 0 || dependent(row) != nullptr) && K.square(row) == nullptr)
      K.set(row, diagonal_matrix(*spaces_[static_cast<std::size_t>(row)]));
    if (K.square(row) != nullptr) K.square(row)->eliminate(mask(row), pivot);
    for (int column = 0; column < layout_.count(); ++column)
      if (column != row && K.coupling(row, column) != nullptr)
        K.coupling(row, column)->eliminate(mask(row), mask(column));
  }
}

void MixedConstraints::eliminate(BlockOperator& K, double pivot) const {
  transform(K);
  eliminate_transformed(K, pivot);
}

void MixedAction::apply(const Vector& x, Vector& y) const {
  copy(x, x_);
  constraints_.set_zero(x_);
  constraints_.set_linear(x_);
  equations_.action(u_, x_, y);
  constraints_.gather(y);
  constraints_.apply_pivot(pivot_, x, y);
}

}  // namespace ritz
