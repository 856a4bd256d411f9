// Memory of the device for the preconditioner of several fields (fem/preconditioners/fields_preconditioner.hpp), beside
// the matrix: of one process, or of one of several ranks.
//
//   fields_preconditioner_needs(FieldsShare(equations), options.multigrid).live.total();
#pragma once

#include "fem/operator/fields_operator.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <vector>

namespace ritz {

// The unknowns of several fields that one process has: all of them, or over ranks its nodes of each field, beside which
// stand those of others that cells join with them.
struct FieldsShare {
  explicit FieldsShare(const FieldsOperator& equations);  // one process

  const FieldsOperator* equations;   // of all ranks
  std::vector<Index> pairs;          // [field] of nodes that share a cell, of all ranks
  std::vector<Index> owned, ghosts;  // [field] nodes
  double of_cells = 1;               // of those of all ranks
  int ranks = 1;

  bool is_divided() const { return ranks > 1; }
  Index unknowns(int k) const;
  Index unknowns() const;            // of all fields
  Index unknowns_of_ghosts() const;  // likewise
  // Rows of a matrix with columns [owned | ghosts], and the vector that its products read. About half of what the row
  // of a ghost has reaches owned nodes. entries: of a row, in blocks.
  static MemoryNeeds rows(Index owned, Index ghosts, double entries, Index block);
};

struct FieldsPreconditionerNeeds {
  MemoryNeeds set_up, live;  // while it is made, and then with its vectors
};
FieldsPreconditionerNeeds fields_preconditioner_needs(const FieldsShare& share,
                                                      const SmoothedAggregationOptions& multigrid);

}  // namespace ritz
