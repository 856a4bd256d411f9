// The preconditioner of edges of order 1 over ranks (edge_preconditioner.hpp is that of one process): each rank has the
// rows of its edges in every prolongation, and a piece of the corners with the rows of the matrices there. Private to
// fem/analysis.
//
//   std::vector<EdgeSpaceShare> mine = share_of(rank, ranks, first_edge, last_edge, spaces);     // the first rank
//   const DividedEdgePreconditioner M(A, std::move(mine), multigrid, ranks);                     // all of them
#pragma once

#include "device/ranks/packed.hpp"
#include "fem/analysis/edge_preconditioner.hpp"
#include "solvers/algebra/block_rows.hpp"
#include "solvers/multigrid/divided_aggregation.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

struct EdgeSpaceShare {
  BlockRows prolongation;  // [owned edge], columns are corners of the whole
  BlockRows matrix;        // [owned corner]
};

// Corners are dealt out in equal pieces, in their order along the edges.
std::vector<EdgeSpaceShare> share_of(int rank, int ranks, Index first_edge, Index last_edge,
                                     const std::vector<EdgeSpace>& spaces);
void add(Packed& to, const std::vector<EdgeSpaceShare>& spaces);
std::vector<EdgeSpaceShare> unpacked_edge_spaces(Unpacked& from);

class DividedEdgePreconditioner final : public LinearOperator {
 public:
  // All ranks make theirs together, while a WorkTogether lives. A must outlive this. Throws what DividedAggregation
  // throws.
  DividedEdgePreconditioner(const DividedMatrix& A, std::vector<EdgeSpaceShare> spaces,
                            const DividedAggregationOptions& multigrid, Ranks& ranks);

  const Device& device() const override { return A_.device(); }
  Index rows() const override { return A_.rows(); }
  void apply(const Vector& x, Vector& y) const override;
  std::string name() const override;

 private:
  struct Auxiliary {
    std::unique_ptr<RectangularMatrix> up, down;  // between owned edges and [owned corners | ghosts]
    std::unique_ptr<DividedMatrix> matrix;
    std::unique_ptr<DividedAggregation> cycle;
  };
  const DividedMatrix& A_;
  std::unique_ptr<const Ghosts> corners_;
  std::unique_ptr<LinearOperator> smoother_;
  std::vector<Auxiliary> spaces_;
  mutable Vector all_, from_, to_, part_;  // [owned corners | ghosts], [owned corner] twice, [owned edge]
};

}  // namespace ritz
