// Parts that forecasts over ranks have in common: a space in parts, each laid out in turn. Private to fem/analysis.
//
//   RankParts parts(whole, RankParts::Cut::equal, ranks);
//   parts.each([&](const RankParts::Part& part) { ... });   parts.count_neighbours(shares);
#pragma once

#include "device/function_ref.hpp"
#include "fem/ranks/rank_shares.hpp"
#include "fem/ranks/space_part.hpp"
#include "fem/operator/space_needs.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ritz {

// Additions of equations between unknowns to the rows of a part.
struct CoupledRows : CoupledCount {
  std::vector<Index> reached = {};  // as the whole space numbers them, ascending; those reached without them, too
};

// Rows of T^T K T, where nodes follow others. A node that follows others keeps its column: it may do so in some
// components alone.
class PartCouplings {
 public:
  explicit PartCouplings(const FunctionSpace& space);
  // Counts for nodes [first, last). reached: without the equations.
  CoupledRows of(Index first, Index last, const std::vector<Index>& reached) const;

 private:
  bool is_coupled(Node node) const;
  void columns_of(Node row, std::vector<Node>& columns) const;
  Index longest(const std::vector<Node>& columns) const;
  void add_around(Node center, std::vector<Node>& columns) const;

  const NodeCouplings& couplings_;
  std::vector<std::vector<Node>> neighbours_;  // [node] of those that are coupled, and of those beside them
  std::unordered_map<Node, Index> length_;     // of the row of a node that others follow
};

class RankParts {
 public:
  enum class Cut { equal, whole_cells };
  // Throws Error: Exit::environment where the mesh is too small for so many ranks.
  RankParts(const FunctionSpace& whole, Cut cut, int ranks, int supports = 1);
  ~RankParts();
  RankParts(const RankParts&) = delete;
  RankParts& operator=(const RankParts&) = delete;

  struct Part {
    int rank;
    const SpacePart& nodes;
    const PartIntegrals& integrals;
    Index owned, ghosts;  // nodes
    bool related;         // have unknowns of the whole space equations between them?
    const CoupledRows& coupled;
    SpaceNeeds needs = {};  // once the equations are laid out: of its space now, with the tables of reference cells
    const FunctionSpace& space() const { return nodes.space(); }
    Index all() const { return owned + ghosts; }
  };
  // Parts of the equations, one after the other.
  void each(const std::vector<Integral>& all, FunctionRef<void(Part&)> visit);

  // Messages of products and, for each rank, nodes that it sends.
  void count_neighbours(std::vector<RankShare>& shares) const;
  const SpaceNeeds& whole() const { return of_whole_; }  // as it is now, without a pattern
  MemoryNeeds tables() const;                            // of reference cells, which each rank has
  SpaceNeeds needs_of_part(const FunctionSpace& part) const;
  int ranks() const { return ranks_; }

 private:
  SpaceCutter cutter() const;
  [[noreturn]] void refuse(const std::string& what) const;

  FunctionSpace space_;
  int ranks_;
  Cut cut_;
  std::vector<Index> first_;                 // [rank + 1]
  std::vector<std::vector<Index>> reached_;  // [rank] by products
  SpaceNeeds of_whole_;
};

// [bytes] of products that the set-up of multigrid takes with the long rows of equations between unknowns.
MemoryNeeds long_products_of(const CoupledCount& coupled, int block, int dimension);

// The level of order 1 that every rank has beside p-multigrid of its part.
HierarchyNeeds level_of_all_ranks(const FunctionSpace& part, const FunctionSpace& whole, const HierarchyShape& shape,
                                  const SmoothedAggregationOptions& multigrid);

}  // namespace ritz
