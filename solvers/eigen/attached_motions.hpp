// Springs and masses of a few motions u_j . x beside the matrices of an eigenvalue problem: the stiffness is
// K + U diag(stiffness) U^T, the mass M + U diag(mass) U^T. So a mass at the end of a surface's mean motion fills no
// matrix, however many unknowns take part in it.
#pragma once

#include "solvers/algebra/linear_operator.hpp"

#include <vector>

namespace ritz {

struct AttachedMotions {
  MultiVector U = {};                  // [unknown][motion]
  std::vector<double> stiffness = {};  // [motion] infinite: u_j . x = 0
  std::vector<double> mass = {};       // [motion]

  int count() const { return U.columns(); }
  bool holds(int motion) const;
  bool has_stiffness() const;  // or holds a motion
};

// A + U diag(weights) U^T. All of it must outlive this.
class WithMotions final : public LinearOperator {
 public:
  // No weight for motions that are held: vectors have none of them.
  WithMotions(const LinearOperator& A, const AttachedMotions& motions, const std::vector<double>& weights);
  const Device& device() const override { return A_.device(); }
  Index rows() const override { return A_.rows(); }
  void apply(const Vector& x, Vector& y) const override;
  void apply_block(const MultiVector& X, MultiVector& Y) const override;

 private:
  const LinearOperator& A_;
  const AttachedMotions& motions_;
  std::vector<double> weights_;
};

// The part of each column of R along the held motions leaves it: forces that hold them.
void remove_held_forces(const AttachedMotions& motions, MultiVector& R);

}  // namespace ritz
