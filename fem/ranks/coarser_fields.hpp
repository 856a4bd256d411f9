// Equations between unknowns on the coarser fields of p-multigrid over ranks: each rank has the whole fields, and takes
// the rows of its nodes. Private to fem/analysis.
//
//   WholeCoarserFields fields(constraints);
//   DependentNodeRows own = fields.relations(2, nodes);   ...(1, nodes);   fields.forget();
#pragma once

#include "fem/space/constraints.hpp"
#include "solvers/algebra/ghosts.hpp"
#include "solvers/multigrid/divided_transform.hpp"

#include <memory>
#include <vector>

namespace ritz {

class WholeCoarserFields {
 public:
  explicit WholeCoarserFields(const Constraints& finest);
  ~WholeCoarserFields();

  // nodes: of the next coarser field, of an order, on this rank; its numbers are those of the whole field.
  DependentNodeRows relations(int order, const Ghosts& nodes);
  const FunctionSpace& coarsest() const;  // so far
  void forget();

 private:
  struct Field;
  Constraints finest_;
  std::vector<std::unique_ptr<Field>> fields_;
};

}  // namespace ritz
