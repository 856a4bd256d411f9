// The share that one process has of a linear system, for forecasts: all of it in one process, over ranks the part of
// one. Forecasts describe the stages of an analysis over a share, and so hold for any number of ranks.
//
//   const SystemShare whole({&equations}, 1, false);
//   StaticForecaster(whole, options, needs).with_matrix(SolverPath::multigrid_single);
//   SharesOfRanks ranks({&equations}, multigrid, no_matrix, 1, {.ranks = 64});
//   ranks.forecast(path_name, [&](const SystemShare& each) { ... });       // the same functions
//
// Private to fem/analysis.
#pragma once

#include "device/function_ref.hpp"
#include "fem/multigrid/p_multigrid_needs.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "fem/ranks/rank_shares.hpp"
#include "solvers/direct/direct_factor.hpp"
#include "solvers/direct/direct_solver.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

class SharesOfRanks;
struct ForecastPath;

// Rows of a matrix: assembled on the pattern of a space, and over ranks kept as rows of owned nodes with columns
// [owned | ghosts].
struct MatrixShare {
  explicit MatrixShare(const SpaceNeeds& whole);  // one process: the assembled matrix is kept
  MatrixShare(const RankParts::Part& part, const SpaceNeeds& whole);

  Index owned, all, entries;        // nodes; nodes and blocks of the rows, with those of ghosts
  MemoryNeeds of_part, part_lists;  // values on the pattern of the space, which stands apart, and lists of its rows
  MemoryNeeds values, lists;        // of the rows
  MemoryNeeds extended;             // the vector that its products read
  MemoryNeeds long_products;        // while multigrid is set up
  bool transformed = false;         // by equations between unknowns: then the values of the space go

  MemoryNeeds apart() const { return values + lists + extended; }  // another matrix on these rows
  MemoryNeeds kept() const { return transformed ? apart() : of_part + lists + extended; }
  // While supports are eliminated.
  MemoryNeeds at_most() const { return transformed ? of_part + part_lists + values + lists : kept(); }
  // Aggregates are those of the rank with their roots, so that half of the ghosts count.
  HierarchyShape shape(int dimension, int block, Nesting nesting) const;
};

class SystemShare {
 public:
  // One process. equations: on one space, such as stiffness and masses. counted: pairs of nodes are counted in the
  // pattern, which is made.
  SystemShare(std::vector<const Operator*> equations, int supports, bool counted);

  const Operator& equations(std::size_t i = 0) const { return *equations_[i]; }
  std::size_t equation_count() const { return equations_.size(); }
  const FunctionSpace& space() const { return equations_.front()->space(); }
  bool is_divided() const { return ranks_ != nullptr; }
  // Over ranks `standing` includes arrays of the whole model, which each rank has.
  const SpaceNeeds& needs() const { return needs_; }
  const MatrixShare& matrix() const { return matrix_; }
  Index unknowns() const { return matrix_.owned * space().components(); }

  MemoryNeeds vectors(Index count) const { return vectors_of(matrix_.owned, count); }
  MemoryNeeds with_ghosts(Index count) const { return vectors_of(all_, count); }
  // Copies of vectors with their ghosts: over ranks alone.
  MemoryNeeds copies_with_ghosts(Index count) const { return is_divided() ? with_ghosts(count) : MemoryNeeds(); }
  MemoryNeeds of_model(Index count) const;                    // vectors of all ranks' unknowns
  MemoryNeeds part_of(const MemoryNeeds& of_model) const;     // this share of them
  MemoryNeeds marked_nodes(const Operator& equations) const;  // of products without a matrix

  const HierarchyShape& shape() const;  // of the matrix of the first equations
  HierarchyNeeds hierarchy(SmoothedAggregationOptions multigrid, bool single_precision) const;
  PMultigridNeeds p_multigrid(const SmoothedAggregationOptions& multigrid, bool shifted) const;
  // By the analysis of the pattern, as in the run; over ranks from what one process needs. Throws what DirectSolver
  // throws.
  DirectSolver::Needs factor(DirectKind kind) const;
  // [bytes] On the host of one process, with the matrix as triplets; over ranks it is not part of the pool's forecast.
  Index host_of_factor(Index memory, DirectKind kind) const;

 private:
  friend class SharesOfRanks;
  SystemShare(std::vector<const Operator*> equations, const SharesOfRanks& ranks, const RankParts::Part& part);
  MemoryNeeds vectors_of(Index nodes, Index count) const {
    return MemoryNeeds().array<double>("vectors", nodes * space().components(), count);
  }

  std::vector<const Operator*> equations_;
  const SharesOfRanks* ranks_ = nullptr;  // null: one process
  SpaceNeeds needs_;
  MatrixShare matrix_;
  Index all_;  // nodes of the space
  mutable std::optional<HierarchyShape> shape_;
};

// The parts of a system over ranks, each laid out in turn as the run cuts them.
class SharesOfRanks {
 public:
  // equations: of the whole model. Throws Error: Exit::environment where the mesh is too small for so many ranks.
  SharesOfRanks(std::vector<const Operator*> equations, const SmoothedAggregationOptions& multigrid, bool no_matrix,
                int supports, const RanksQuestion& question);

  RanksForecast forecast(FunctionRef<ForecastPath(const SystemShare&)> of_share);

 private:
  friend class SystemShare;
  std::vector<const Operator*> equations_;
  RanksQuestion question_;
  RankParts parts_;
  SpaceNeeds pairs_;      // of the whole space, without those that equations between unknowns add
  HierarchyShape shape_;  // of the whole
};

}  // namespace ritz
