#include "fem/operator/evaluate.hpp"

#include "device/host_view.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/task_plans.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

// Adds one term's means over the group's cells, which begin at a batch of `means`.
void add_to_cells(const ElementGroup& group, Index batch, int components, const HostView<double>& means,
                  std::vector<double>& at_cells) {
  for (Index e = 0; e < static_cast<Index>(group.elements.size()); ++e)
    for (int i = 0; i < components; ++i)
      at_cells[static_cast<std::size_t>(group.elements[static_cast<std::size_t>(e)] * components + i)] +=
          means[((batch + e / lane_count) * components + i) * lane_count + e % lane_count];
}

struct CellSums {
  std::vector<double> at_nodes;  // [node][component], of all cells around the node
  std::vector<double> at_cells;  // [cell][component]
  std::vector<int> cells_at;     // [node] their number
};

CellSums sums_of(const Operator& equations, const Vector& u, const std::string& form, int k) {
  const FunctionSpace& space = equations.space();
  const ElementTerms& terms = equations.terms();
  TaskPlans& plans = equations.plans();
  const TaskPlan& plan = plans.plan_of_few_runs({OperatorTask::evaluate, form});
  Index batches = 0;
  for (std::size_t g = 0; g < plan.groups.size(); ++g)
    batches += std::ssize(plan.terms[g]) * terms.group(plan.groups[g]).batch_count();
  Vector sums(space.device(), space.node_count() * k, "results");
  Vector means(space.device(), batches * k * lane_count, "results");
  plans.run(plan, {.u = u.data(), .target = sums.data(), .cells = means.data()});
  CellSums result{.at_nodes = {},
                  .at_cells = std::vector<double>(static_cast<std::size_t>(space.mesh().cell_count() * k), 0.0),
                  .cells_at = std::vector<int>(static_cast<std::size_t>(space.node_count()), 0)};
  Index batch = 0;
  const HostView<double> cell_means(means);
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const ElementGroup& group = terms.group(plan.groups[g]);
    for (Index e = 0; e < group.element_count; ++e)
      for (int a = 0; a < group.node_count(); ++a) ++result.cells_at[static_cast<std::size_t>(group.node(e, a))];
    for (std::size_t term = 0; term < plan.terms[g].size(); ++term, batch += group.batch_count())
      add_to_cells(group, batch, k, cell_means, result.at_cells);
  }
  result.at_nodes = sums.host();
  return result;
}

}  // namespace

std::vector<double> results_elsewhere(const Operator& equations, const std::string& form, int components) {
  std::vector<double> elsewhere(static_cast<std::size_t>(components), 0.0);
  for (const Integral& integral : equations.integrals())
    if (integral.form.name == form)
      std::ranges::copy(integral.form.state_start,
                        elsewhere.begin() + integral.form.derived - std::ssize(integral.form.state_start));
  return elsewhere;
}

DerivedFields evaluate(const Operator& equations, const Vector& u, const std::string& form, LawResults of_laws) {
  const FunctionSpace& space = equations.space();
  check_size(space, u.size());
  DerivedFields fields;
  const int k = fields.components = results_of(equations.terms(), {OperatorTask::evaluate, form});
  if (k == 0) return fields;
  const std::vector<double> elsewhere = results_elsewhere(equations, form, k);
  equations.terms().points().set_law_results(of_laws);
  CellSums sums = sums_of(equations, u, form, k);
  equations.terms().points().set_law_results(LawResults::stress);
  fields.at_cells = std::move(sums.at_cells);
  for (Index n = 0; n < space.node_count(); ++n)
    for (int i = 0; i < k; ++i) {
      double& mean = sums.at_nodes[static_cast<std::size_t>(n * k + i)];
      const int count = sums.cells_at[static_cast<std::size_t>(n)];
      mean = count > 0 ? mean / count : elsewhere[static_cast<std::size_t>(i)];
    }
  fields.at_nodes = space.to_mesh(sums.at_nodes, k);
  if (!space.isoparametric()) fields.at_space_nodes = std::move(sums.at_nodes);
  return fields;
}

}  // namespace ritz
