// Fields from one space to another on the same mesh: values of `from` at the nodes of `to`, element by element, without
// a matrix; and the transpose. Both sum over elements: `weights` (1 / number of cells around a node of `to`) make
//
//   y = weights * (interpolation x)        and        x = transposed (weights * y)
//
// the interpolation and its transpose; callers fuse the product with other work.
#pragma once

#include "fem/operator/operator.hpp"
#include "fem/launch/assembly.hpp"
#include "fem/operator/scatter_plan.hpp"

#include <memory>

namespace ritz {

// Real: of the vectors.
template <class Real>
class SpaceTransfer {
 public:
  // Spaces of one mesh and one number of components.
  SpaceTransfer(const FunctionSpace& from, const FunctionSpace& to);
  // The same between the spaces of two operators with the same integrals: their lists serve here, too, where they are
  // about all cells.
  SpaceTransfer(const Operator& from, const Operator& to);

  void sum_interpolated(const Array<Real>& x, Array<Real>& y) const;  // y on `to`
  void sum_transposed(const Array<Real>& y, Array<Real>& x) const;    // x on `from`
  std::vector<Real> weights() const;                                  // [unknown of `to`]

 private:
  // One direction: from the elements' nodes of one space to sums at the nodes of the other.
  struct Direction {
    std::vector<Vector> tables;        // [group] [node out][node in]
    std::vector<Index> chunk_batches;  // [group]
    std::shared_ptr<const ScatterPlan> scatter;
    Array<Real> extension, workspace;
  };
  Direction make_direction(const std::vector<ElementGroup>& in, const std::vector<ElementGroup>& out,
                           const FunctionSpace& out_space, const Operator* with_lists, bool transposed) const;
  void run(const Direction& direction, const std::vector<ElementGroup>& in, const std::vector<ElementGroup>& out,
           const Array<Real>& x, Array<Real>& y) const;

  FunctionSpace from_, to_;
  std::shared_ptr<const std::vector<ElementGroup>> from_groups_, to_groups_;
  Direction forward_, backward_;
};

}  // namespace ritz
