#include "fem/operator/fields_operator_needs.hpp"

#include "fem/operator/fields_operator.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/operator/space_needs.hpp"

#include <vector>

namespace ritz {
namespace {

Index pairs_of_coupling(const FieldsOperator& equations, int row, int column) {
  const FieldsTerms& terms = equations.terms();
  if (const Index known = terms.patterns().known_pairs(row, column); known > 0) return known;
  NodeSamples& samples = equations.plans().samples();
  const Index of_cells = terms.couples(row, column) ? pairs_between(samples.around(row), samples.around(column)) : 0;
  return of_cells + terms.patterns().pairs_by_equations(row, column);
}

}  // namespace

MemoryNeeds matrix_needs(const FieldsOperator& equations) {
  MemoryNeeds needs;
  for (int row = 0; row < equations.field_count(); ++row)
    for (int column = 0; column < equations.field_count(); ++column) {
      if (!equations.has_block(row, column)) continue;
      const FunctionSpace& rows = equations.space(row);
      const Index scalars = Index{rows.components()} * equations.space(column).components();
      if (row == column) {
        const Index pairs = pairs_of_nodes(rows);
        if (!rows.has_pattern())
          needs.array<Index>("pattern", rows.node_count() + 1).array<std::int32_t>("pattern", pairs);
        needs.array<double>("matrix", pairs * scalars);
        continue;
      }
      const Index pairs = pairs_of_coupling(equations, row, column);
      needs.array<Index>("pattern", rows.unknown_count() + 1)
          .array<std::int32_t>("pattern", pairs * scalars)
          .array<double>("matrix", pairs * scalars);
    }
  return needs;
}

MemoryNeeds list_needs(const FieldsOperator& equations, bool of_matrix, bool of_vectors) {
  using Task = OperatorTask;
  std::vector<Task> tasks;
  if (of_vectors) tasks = {Task::residual, Task::action};
  if (of_matrix) tasks.push_back(Task::matrix);
  MemoryNeeds needs = needs_of(equations.terms(), equations.plans(), tasks);
  for (int k = 0; k < equations.field_count(); ++k) {
    const Operator* const alone = equations.of_field(k);
    if (alone == nullptr) continue;
    if (of_vectors) needs += OperatorNeeds(*alone).of({Task::residual, Task::action});
    if (!of_matrix || !adds_matrix(alone)) continue;
    const Index block = Index{alone->space().components()} * alone->space().components();
    needs += OperatorNeeds(*alone).of({Task::matrix});  // and what is added to the block
    needs.array<double>("matrix", pairs_of_nodes(alone->space()) * block);
  }
  return needs;
}

}  // namespace ritz
