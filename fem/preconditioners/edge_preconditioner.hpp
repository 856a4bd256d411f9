// A preconditioner of curl(a curl u) + b u on edges of order 1, by auxiliary spaces: a smoother of the edges, and
// multigrid of what the matrix makes of vectors at nodes and of gradients of nodal functions (Hiptmair and Xu, SIAM J.
// Numer. Anal. 45, 2007; a component of the vectors at a time: Kolev and Vassilevski, J. Comput. Math. 27, 2009).
//
//   const EdgePreconditioner M(K, space, supports);   Minres{}.solve(K, b, x, &M);
#pragma once

#include "device/function_ref.hpp"
#include "fem/space/constraints.hpp"
#include "solvers/algebra/rectangular_matrix.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"
#include "solvers/smoothers/chebyshev.hpp"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ritz {

// Corners at the ends of edges, in the order in which the edges meet them.
struct EdgeCorners {
  std::vector<Index> number;  // [mesh node] -1: none
  std::vector<bool> held;     // [corner] the end of an edge that is prescribed
};
EdgeCorners edge_corners(const FunctionSpace& space, const Constraints& supports);

// A space of nodal functions beside that of edges, on a part of a mesh: its prolongation to edges, and the matrix
// there.
struct EdgeSpaceOfPart {
  HostMatrix prolongation;  // [owned edge][node of the mesh]
  HostMatrix matrix;        // without what other ranks add
};
// Each component of vectors, then gradients, one after the other. The edges of the part are [owned | ghosts]. held:
// [mesh node]; one_more: a node that is held for gradients; -1: none. A needs the rows of `owned` edges. Throws
// Error: Exit::input for spaces of other unknowns than one for each edge.
void each_edge_space_of_part(const SparseMatrix& A, const FunctionSpace& space, const Constraints& supports,
                             const std::vector<bool>& held, Node one_more, Index owned,
                             FunctionRef<void(EdgeSpaceOfPart, bool needed)> visit);
// Does the matrix see this auxiliary space? largest: of its diagonal.
bool is_seen(double most, double largest);

// The part of right-hand sides on edges of order 1 that works on gradients of nodal functions. A matrix of curls does
// not see gradients: they are free, or a small term alone holds them, a gauge.
class EdgeGradients {
 public:
  // Throws Error: Exit::input as EdgePreconditioner does.
  EdgeGradients(const FunctionSpace& space, const Constraints& supports);
  // G phi with G^T (r - G phi) = 0: [edge], zero where edges are prescribed.
  std::vector<double> part_of(std::span<const double> r) const;
  Index corner_count() const;  // up to the last that is not held
  // How stiff gradients are beside other fields, about b h^2 / (30 a) of curl(a curl u) + b u; `multiply`: K x.
  double stiffness(const Device& device, FunctionRef<void(const Vector& x, Vector& y)> multiply) const;

 private:
  std::vector<double> gradient(const std::vector<double>& phi) const;      // G phi
  std::vector<double> transposed(std::span<const double> on_edges) const;  // G^T x

  std::vector<std::array<Index, 2>> ends_;  // [edge] corners from, to; -1: held
};

// The options of their cycles.
SmoothedAggregationOptions edge_multigrid(SmoothedAggregationOptions options);

class EdgePreconditioner final : public LinearOperator {
 public:
  // A: with the supports eliminated; it must outlive this. Throws Error: Exit::input for spaces of other unknowns than
  // one for each edge, and what SmoothedAggregation throws.
  EdgePreconditioner(const SparseMatrix& A, const FunctionSpace& space, const Constraints& supports,
                     SmoothedAggregationOptions multigrid = {});

  const Device& device() const override { return A_.device(); }
  Index rows() const override { return A_.rows(); }
  void apply(const Vector& x, Vector& y) const override;
  std::string name() const override;

 private:
  struct Auxiliary {
    std::unique_ptr<RectangularMatrix> up, down;
    std::unique_ptr<SparseMatrix> matrix;
    std::unique_ptr<SmoothedAggregation> cycle;
  };
  const SparseMatrix& A_;
  ChebyshevPreconditioner smoother_;
  std::vector<Auxiliary> spaces_;
  mutable Vector from_, to_, part_;
};

}  // namespace ritz
