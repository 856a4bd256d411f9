#include "fem/operator/matrix_free.hpp"

#include "device/memory_shortage.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/operator/linearisation.hpp"
#include "solvers/algebra/vectors.hpp"

namespace ritz {
namespace {

std::shared_ptr<const Vector> copied_unless_zero(const Vector& u) {
  if (u.empty() || max_abs(u) == 0) return std::make_shared<const Vector>();
  auto result = std::make_shared<Vector>(u.device(), u.size(), "vectors");
  copy(u, *result);
  return result;
}

Vector first_of(const Vector& x, Index count) {
  Vector result(x.device(), count, "vectors");
  x.device().machine().copy_on_device(result.data(), x.data(), result.bytes());
  return result;
}

// There is no p-multigrid for order 1.
bool keeps_tangents(const Operator& equations) { return equations.space().order() > 1; }

}  // namespace

MatrixFree::MatrixFree(const Operator& equations, const Constraints& constraints, const Vector& u,
                       std::optional<double> pivot, const DividedField* field)
    : equations_(equations),
      constraints_(constraints),
      given_pivot_(pivot),
      u_(copied_unless_zero(u)),
      field_of_rank_(field),
      keeps_tangents_(keeps_tangents(equations)),
      marked_(marked_nodes(equations, constraints)) {
  if (constraints.dependent() != nullptr || field != nullptr) field_ = equations.space().zeros();
  if (field != nullptr) product_ = equations.space().zeros();
  refresh();
}

void MatrixFree::move_to(const Vector& u) { u_ = copied_unless_zero(u); }

MemoryNeeds MatrixFree::point_needs(const Operator& equations) {
  return keeps_tangents(equations) ? OperatorNeeds(equations).point_tangents() : MemoryNeeds();
}

void MatrixFree::keep_no_tangents() {
  keeps_tangents_ = false;
  tangents_ = {};
}

void MatrixFree::refresh() {
  made_at_ = u_;
  tangents_ = {};
  const auto make_with_tangents = [&] {
    tangents_ = point_tangents(equations_, *u_);
    make_diagonal();
  };
  if (keeps_tangents_ && !memory_shortage(make_with_tangents)) return;
  tangents_ = {};
  make_diagonal();
}

void MatrixFree::make_diagonal() {
  diagonal_ = Vector();
  diagonal_ = Linearisation(equations_, *u_, &tangents_).diagonal();
  if (field_of_rank_ != nullptr) diagonal_ = first_of(diagonal_, rows());
  if (constraints_.dependent() != nullptr) constraints_.dependent()->gather_diagonal(diagonal_);
  pivot_ = given_pivot_ ? *given_pivot_ : max_abs(diagonal_);
  Vector ones(equations_.space().device(), diagonal_.size(), "vectors");
  fill(1.0, ones);
  constraints_.apply_pivot(pivot_, ones, diagonal_);
}

Vector MatrixFree::diagonal() const {
  Vector d(diagonal_.device(), diagonal_.size(), "vectors");
  copy(diagonal_, d);
  return d;
}

void MatrixFree::apply_over_ranks(const Vector& x, Vector& y) const {
  const Ghosts& ghosts = *field_of_rank_->ghosts;
  device().machine().copy_on_device(field_.data(), x.data(), x.bytes());
  const bool follows = constraints_.dependent() != nullptr;
  if (follows) {
    constraints_.set_zero(field_);
    constraints_.set_linear(field_);
  }
  ghosts.begin_fetch(field_, equations_.space().components());
  Linearisation(equations_, *u_).action(field_, product_, follows ? nullptr : &marked_, &ghosts);
  constraints_.gather(product_);
  device().machine().copy_on_device(y.data(), product_.data(), y.bytes());
}

void MatrixFree::apply_without_pivot(const Vector& x, Vector& y) const {
  if (field_of_rank_ != nullptr) {
    apply_over_ranks(x, y);
  } else if (field_.empty()) {
    Linearisation(equations_, *u_).action(x, y, &marked_);
  } else {
    copy(x, field_);
    constraints_.set_zero(field_);
    constraints_.set_linear(field_);
    equations_.action(*u_, field_, y);
    constraints_.gather(y);
  }
}

void MatrixFree::apply(const Vector& x, Vector& y) const {
  apply_without_pivot(x, y);
  constraints_.apply_pivot(pivot_, x, y);
}

void MatrixFree::apply_dot(const Vector& x, Vector& y, double* xy) const {
  apply_without_pivot(x, y);
  constraints_.apply_pivot_dot(pivot_, x, y, xy);
}

}  // namespace ritz
