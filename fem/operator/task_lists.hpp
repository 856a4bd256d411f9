// Lists by which the element results of a task are summed, made for its chunks, and a forecast of their sizes. Private
// to fem/operator.
#pragma once

#include "fem/operator/list_sizes.hpp"
#include "fem/operator/scatter_plan.hpp"
#include "fem/operator/task_terms.hpp"

#include <memory>
#include <vector>

namespace ritz {

// Sources count all pairs of nodes, also of matrices whose kernels store half. By a GPU where it can.
std::shared_ptr<ScatterPlan> task_lists(const TaskTerms& terms, const TaskOutline& outline);

// Numbers of the task's result: of all unknowns, or entries of the matrix.
Index target_numbers(const TaskTerms& terms, const TaskOutline& outline);

// Samples of nodes of the fields with the elements around them, made at first use: for forecasts of one operator.
class NodeSamples {
 public:
  explicit NodeSamples(const TaskTerms& terms) : terms_(&terms) {}
  const ElementsAround& around(int field);

 private:
  const TaskTerms* terms_;
  std::vector<std::unique_ptr<const ElementsAround>> of_field_;
};

// pairs: entries of the pattern of a matrix, of nodes; 0: as many as elements fill.
ScatterSizes task_list_sizes(const TaskTerms& terms, const TaskOutline& outline, Index pairs, NodeSamples& samples);

}  // namespace ritz
