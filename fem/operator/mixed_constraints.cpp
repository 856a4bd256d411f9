#include "fem/operator/mixed_constraints.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/launch/constraint_kernels.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
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

MixedConstraints::MixedConstraints(Spaces spaces) : spaces_(std::move(spaces)), layout_(layout_of(spaces_)) {
  for (const auto& space : spaces_) of_field_.emplace_back(*space);
}

void MixedConstraints::finish() {
  for (Constraints& each : of_field_) {
    if (!each.equations().empty())
      throw Error(Exit::model, "a mixed problem was given equations between unknowns",
                  "only prescribed values are eliminated from matrices of several fields",
                  "prescribe values, or join the parts in the mesh");
    each.finish();
  }
  host_mask_.clear();
  for (int k = 0; k < layout_.count(); ++k) {
    const std::vector<std::uint8_t>& mask = (*this)[k].host_mask();
    host_mask_.insert(host_mask_.end(), mask.begin(), mask.begin() + layout_.size(k));
  }
}

bool MixedConstraints::varies_in_time() const { return std::ranges::any_of(of_field_, &Constraints::varies_in_time); }

void MixedConstraints::set_time(double t) {
  for (Constraints& each : of_field_)
    if (each.varies_in_time()) each.set_time(t);
}

void MixedConstraints::set_values(Vector& u, double factor) const {
  const Layout local = layout_.local();
  for (int k = 0; k < layout_.count(); ++k) {
    Vector part = layout_.part(u, k);
    if (!layout_.is_divided()) {
      (*this)[k].set_values(part, factor);
    } else {
      Vector all(u.device(), local.size(k), "vectors");
      layout_.fetch(k, part, all);
      (*this)[k].set_values(all, factor);
      u.device().machine().copy_on_device(part.data(), all.data(), part.bytes());
    }
    layout_.put(part, k, u);
  }
}

void MixedConstraints::zero_where(std::uint8_t eliminated, Vector& r) const {
  layout_.check(r);
  for (int k = 0; k < layout_.count(); ++k)
    table(r.device())
        .set_zero(r.device(), layout_.size(k), (*this)[k].mask().data(), eliminated, r.data() + layout_.first(k));
}

void MixedConstraints::set_zero(Vector& r) const { zero_where(1, r); }
void MixedConstraints::keep_prescribed(Vector& r) const { zero_where(0, r); }

void MixedConstraints::apply_pivot(double pivot, const Vector& x, Vector& y) const {
  for (int k = 0; k < layout_.count(); ++k) {
    const Vector part = layout_.part(x, k);
    Vector result = layout_.part(y, k);
    (*this)[k].apply_pivot(pivot, part, result);
    layout_.put(result, k, y);
  }
}

void MixedConstraints::eliminate(BlockOperator& K, double pivot) const {
  for (int row = 0; row < layout_.count(); ++row) {
    if ((*this)[row].count() > 0 && K.square(row) == nullptr)
      K.set(row, diagonal_matrix(*spaces_[static_cast<std::size_t>(row)]));
    if (K.square(row) != nullptr) (*this)[row].eliminate(*K.square(row), pivot);
    for (int column = 0; column < layout_.count(); ++column)
      if (column != row && K.coupling(row, column) != nullptr)
        K.coupling(row, column)->eliminate((*this)[row].mask(), (*this)[column].mask());
  }
}

void MixedAction::apply(const Vector& x, Vector& y) const {
  copy(x, x_);
  constraints_.set_zero(x_);
  equations_.action(u_, x_, y);
  constraints_.set_zero(y);
  constraints_.apply_pivot(pivot_, x, y);
}

}  // namespace ritz
