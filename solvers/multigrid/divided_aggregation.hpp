// Smoothed aggregation over ranks (smoothed_aggregation.hpp is that of one): with the aggregates of one process, each
// of them a node of the rank that has its root. Levels are divided like the matrix until at most `replicated` unknowns
// are left; from there every rank has the whole hierarchy and computes the same. Before aggregates come nested levels,
// where there are some (divided_nesting.hpp). Cycles are in single precision by default.
//
//   const DividedAggregation multigrid(A, {.coordinates = &of_owned_nodes, .dimension = 3});
//
// Source: Tuminaro and Tong, Parallel smoothed aggregation multigrid, 2000 (aggregates of a maximal independent set of
// all ranks).
#pragma once

#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/multigrid/divided_nesting.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

struct DividedAggregationOptions {
  SmoothedAggregationOptions multigrid = {};  // coordinates: [owned | ghosts]; nested levels are those below
  const DividedNesting* nesting = nullptr;    // null: none
  Index replicated = 50000;                   // unknowns of all ranks
};

class DividedAggregation final : public LinearOperator {
 public:
  // All ranks make theirs together. A must outlive this. Throws Error(Exit::model) where a
  // diagonal entry is not positive.
  explicit DividedAggregation(const DividedMatrix& A, const DividedAggregationOptions& options = {});
  ~DividedAggregation() override;

  const Device& device() const override;
  Index rows() const override;
  void apply(const Vector& b, Vector& x) const override;  // one V-cycle from x = 0
  float* single_argument() const override;
  void apply_single(const Vector& b, Vector& x, const Vector* q, double* dots) const override;
  std::string name() const override;

  // Unknowns of all ranks, level by level; the last one is replicated, or where aggregates end.
  const std::vector<Index>& unknowns() const;
  int divided_levels() const;
  int nested_levels() const;  // of all levels, those with nested nodes below them

 private:
  struct Hierarchy;
  std::unique_ptr<Hierarchy> hierarchy_;
};

}  // namespace ritz
