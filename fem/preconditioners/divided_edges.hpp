// The preconditioner of edges of order 1 over ranks (edge_preconditioner.hpp is that of one process): each rank has the
// rows of its edges in every prolongation, and a piece of the corners with the rows of the matrices there. Private to
// fem/analysis.
//
//   const CornersOfPart corners = corners_at(edge_corners(space, supports), nodes);     // of all
//   std::vector<EdgeSpaceShare> mine = edge_spaces(A, space, supports, owned, corners, ranks);      // all of them
//   const DividedEdgePreconditioner M(K, std::move(mine), multigrid, ranks);
#pragma once

#include "fem/preconditioners/edge_preconditioner.hpp"
#include "solvers/algebra/block_rows.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

struct EdgeSpaceShare {
  BlockRows prolongation;  // [owned edge], columns are corners of the whole
  BlockRows matrix;        // [owned corner]
};

// Corners of a part of a mesh, by its nodes.
struct CornersOfPart {
  std::vector<Index> number = {};       // [mesh node] among the corners of the whole; -1: none
  std::vector<std::uint8_t> held = {};  // [mesh node]
  Index count = 0;                      // of the whole
  bool none_is_held = false;            // of them
};
CornersOfPart corners_at(const EdgeCorners& corners, const std::vector<Node>& mesh_nodes);

// A: of the part, with the supports eliminated; the first `owned` edges are those of this rank. Corners belong to ranks
// in equal pieces. All ranks call it together. Throws what each_edge_space_of_part() does.
std::vector<EdgeSpaceShare> edge_spaces(const SparseMatrix& A, const FunctionSpace& space, const Constraints& supports,
                                        Index owned, const CornersOfPart& corners, Ranks& ranks);

class DividedEdgePreconditioner final : public LinearOperator {
 public:
  // All ranks make theirs together. A must outlive this. Throws what SmoothedAggregation
  // throws.
  DividedEdgePreconditioner(const DividedMatrix& A, std::vector<EdgeSpaceShare> spaces,
                            const SmoothedAggregationOptions& multigrid, Ranks& ranks);

  const Device& device() const override { return A_.device(); }
  Index rows() const override { return A_.rows(); }
  void apply(const Vector& x, Vector& y) const override;
  std::string name() const override;

 private:
  struct Auxiliary {
    std::unique_ptr<RectangularMatrix> up, down;  // between owned edges and [owned corners | ghosts]
    std::unique_ptr<DividedMatrix> matrix;
    std::unique_ptr<SmoothedAggregation> cycle;
  };
  const DividedMatrix& A_;
  std::unique_ptr<const Ghosts> corners_;
  std::unique_ptr<LinearOperator> smoother_;
  std::vector<Auxiliary> spaces_;
  mutable Vector all_, from_, to_, part_;  // [owned corners | ghosts], [owned corner] twice, [owned edge]
};

}  // namespace ritz
