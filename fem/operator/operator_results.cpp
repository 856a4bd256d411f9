// Derived quantities and point states as fields: Operator::evaluate.
#include "fem/operator/operator.hpp"

#include "device/host_view.hpp"

#include <algorithm>

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

}  // namespace

DerivedFields Operator::evaluate(const Vector& u, const std::string& form) const {
  check_vector(u);
  const Job job{Task::evaluate, form};
  DerivedFields fields;
  const int k = fields.components = results_of(job);
  if (k == 0) return fields;
  std::vector<double> elsewhere(static_cast<std::size_t>(k), 0.0);  // the state as it started
  for (const Integral& integral : integrals_)
    if (integral.form.name == form)
      std::ranges::copy(integral.form.state_start,
                        elsewhere.begin() + integral.form.derived - std::ssize(integral.form.state_start));
  if (over_ranks_) {
    fields.at_space_nodes = std::move(elsewhere);  // of one node; it returns those of all, or none on this rank
    over_ranks_->evaluate(*this, u, form, fields);
    if (fields.at_space_nodes.empty()) return fields;
    fields.at_nodes = space_->to_mesh(fields.at_space_nodes, k);
    if (space_->isoparametric()) fields.at_space_nodes = {};
    return fields;
  }
  fields.at_cells.assign(static_cast<std::size_t>(space_->mesh().cell_count() * k), 0.0);
  const Plan& p = plan_of_few_runs(job);
  Index batches = 0;
  for (std::size_t g = 0; g < p.groups.size(); ++g)
    batches += std::ssize(p.terms[g]) * groups_[static_cast<std::size_t>(p.groups[g])].batch_count();
  Vector sums(space_->device(), space_->node_count() * k, "results");
  Vector means(space_->device(), batches * k * lane_count, "results");
  run(p, "evaluation", false, {.u = u.data(), .target = sums.data(), .cells = means.data()});
  std::vector<int> cells_at(static_cast<std::size_t>(space_->node_count()), 0);
  Index batch = 0;
  const HostView<double> cell_means(means);
  for (std::size_t g = 0; g < p.groups.size(); ++g) {
    const ElementGroup& group = groups_[static_cast<std::size_t>(p.groups[g])];
    for (Index e = 0; e < group.element_count; ++e)
      for (int a = 0; a < group.node_count(); ++a) ++cells_at[static_cast<std::size_t>(group.node(e, a))];
    for (std::size_t term = 0; term < p.terms[g].size(); ++term, batch += group.batch_count())
      add_to_cells(group, batch, k, cell_means, fields.at_cells);
  }
  std::vector<double> node_means = sums.host();
  for (Index n = 0; n < space_->node_count(); ++n)
    for (int i = 0; i < k; ++i) {
      double& mean = node_means[static_cast<std::size_t>(n * k + i)];
      const int count = cells_at[static_cast<std::size_t>(n)];
      mean = count > 0 ? mean / count : elsewhere[static_cast<std::size_t>(i)];
    }
  fields.at_nodes = space_->to_mesh(node_means, k);
  if (!space_->isoparametric()) fields.at_space_nodes = std::move(node_means);
  return fields;
}

}  // namespace ritz
