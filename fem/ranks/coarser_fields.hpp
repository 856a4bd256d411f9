// Equations between unknowns on the coarser fields of p-multigrid over ranks. The first rank has those of the whole
// fields, and deals them out; the others ask for theirs. Private to fem/analysis.
//
//   WholeCoarserFields fields(constraints);                                      // the first rank
//   DependentNodeRows own = fields.deal_relations(2, nodes);   ...(1, nodes);   fields.forget();
//   DependentNodeRows own = ask_for_relations(nodes);                            // another one, at the same time
#pragma once

#include "fem/space/constraints.hpp"
#include "solvers/algebra/ghosts.hpp"
#include "solvers/multigrid/divided_transform.hpp"

#include <memory>
#include <vector>

namespace ritz {

class WholeCoarserFields {
 public:
  explicit WholeCoarserFields(const Constraints& finest);  // which must outlive this
  ~WholeCoarserFields();

  // nodes: of the next coarser field, of an order, on this rank; its numbers are those of the whole field.
  DependentNodeRows deal_relations(int order, const Ghosts& nodes);
  const FunctionSpace& coarsest() const;  // so far
  void forget();

 private:
  struct Field;
  const Constraints& finest_;
  std::vector<std::unique_ptr<Field>> fields_;
};

DependentNodeRows ask_for_relations(const Ghosts& nodes);

}  // namespace ritz
