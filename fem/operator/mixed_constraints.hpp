// Prescribed values of a mixed problem: those of each space, on vectors and matrices of all.
//
//   MixedConstraints fixed(equations.spaces());
//   fixed[0].prescribe(mesh.region("wall"), 0, 0.0, "no slip");   ...   fixed.finish();
//   fixed.set_values(u);   equations.residual(u, r);   fixed.set_zero(r);   fixed.eliminate(K, 1);   // K du = -r
#pragma once

#include "fem/operator/mixed_operator.hpp"
#include "fem/space/constraints.hpp"

#include <vector>

namespace ritz {

class MixedConstraints final : public Supports {
 public:
  explicit MixedConstraints(Spaces spaces);

  Constraints& operator[](int field) { return of_field_.at(static_cast<std::size_t>(field)); }
  const Constraints& operator[](int field) const { return of_field_.at(static_cast<std::size_t>(field)); }
  // Throws what Constraints::finish() does, and Error(Exit::model) for equations between unknowns: mixed problems know
  // prescribed values only.
  void finish();

  void set_values(Vector& u, double part = 1) const override;
  void set_linear(Vector&) const override {}  // no unknown follows others
  void gather(Vector&) const override {}
  void gather_diagonal(Vector&) const override {}
  void set_zero(Vector& r) const override;
  void keep_prescribed(Vector& r) const override;
  void keep_constrained(Vector& r) const override { keep_prescribed(r); }
  bool has_dependent() const override { return false; }
  const std::vector<std::uint8_t>& host_mask() const override { return host_mask_; }
  bool varies_in_time() const override;
  void set_time(double t) override;
  // Rows and columns of prescribed unknowns become zero, their diagonal entries `pivot`. Where a field with prescribed
  // values has no diagonal block, it gets one that holds its diagonal alone.
  void eliminate(BlockOperator& K, double pivot) const;
  void apply_pivot(double pivot, const Vector& x, Vector& y) const;  // y_i = pivot x_i where prescribed

 private:
  Spaces spaces_;
  Layout layout_;
  void zero_where(std::uint8_t eliminated, Vector& r) const;

  std::vector<Constraints> of_field_;
  std::vector<std::uint8_t> host_mask_;  // [owned unknown]
};

// The tangent of equations at u without a matrix, with prescribed unknowns eliminated as MixedConstraints::eliminate
// does. All must outlive it; an empty u is zero.
class MixedAction final : public LinearOperator {
 public:
  MixedAction(const MixedOperator& equations, const MixedConstraints& constraints, const Vector& u, double pivot)
      : equations_(equations), constraints_(constraints), u_(u), pivot_(pivot), x_(equations.zeros()) {}
  const Device& device() const override { return equations_.device(); }
  Index rows() const override { return equations_.layout().total(); }
  void apply(const Vector& x, Vector& y) const override;
  std::string name() const override { return "matrix-free"; }

 private:
  const MixedOperator& equations_;
  const MixedConstraints& constraints_;
  const Vector& u_;
  double pivot_;
  mutable Vector x_;
};

}  // namespace ritz
