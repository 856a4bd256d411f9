// Tasks of the forms of one field: ElementTerms as TaskPlans sees them.
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/operator/element_terms.hpp"
#include "fem/operator/result_sizes.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/operator/task_plans.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace ritz {
namespace {

bool takes_part(const TaskJob& job, const FormValue& form) {
  if (job.task == OperatorTask::residual) return true;
  if (job.task != OperatorTask::evaluate) return form.has_matrix;
  return form.derived > 0 && (job.form.empty() ? form.codimension == 0 : form.name == job.form);
}

// For the only integral of a group: whether its kernels can sum the results of a chunk, which must fit in shared
// memory.
bool can_sum_chunks(const ElementTerms& terms, OperatorTask task, const ElementGroup& group,
                    const std::vector<int>& integrals) {
  if (integrals.size() != 1) return false;
  const Integral& integral = terms.integral(integrals.front());
  if (!integral.form.linear) return false;  // it may work with point tangents
  const FormKernels& found = terms.kernels_of(task, group, integral.form);
  if (task == OperatorTask::action) return found.sums_actions;
  return task == OperatorTask::matrix && found.sums_matrices &&
         terms.points().table(group, terms.degree_of(task, group, integral)).point_count == 1;
}

// Whether a GPU's kernels of all matrices of a group store half of their blocks: of symmetric forms, but for those of
// simplices that sum chunks, and for whole elements.
bool can_halve(const ElementTerms& terms, const ElementGroup& group, const std::vector<int>& integrals) {
  return std::ranges::all_of(integrals, [&](int i) {
    const FormValue& form = terms.integral(i).form;
    return form.symmetric && form.cell < 0 && !terms.kernels_of(OperatorTask::matrix, group, form).sums_matrices;
  });
}

}  // namespace

// Numbers of results. Laws with different internal variables give strain and stress alone, as forms of elasticity do.
int results_of(const ElementTerms& terms, const TaskJob& job) {
  std::vector<const FormValue*> forms;
  for (const Integral& integral : terms.integrals())
    if (takes_part(job, integral.form)) forms.push_back(&integral.form);
  if (forms.empty()) return 0;
  const FormValue& first = *forms.front();
  const auto other = std::ranges::find_if(forms, [&](const FormValue* f) { return f->derived != first.derived; });
  if (other == forms.end()) return first.law.kernel.empty() ? first.derived : summed_results(first.derived);
  for (const FormValue* form : forms)
    if (form->law.kernel.empty() && form->derived != results_of_law)
      throw Error(ErrorKind::internal, fmt::format("'{}' derives {} quantities, '{}' {}", first.name, first.derived,
                                                   (*other)->name, (*other)->derived));
  return results_of_law;
}

MemoryNeeds needs_of_states(const ElementTerms& terms) {
  MemoryNeeds needs;
  each_state(terms, [&](const ElementGroup& group, const Integral& integral) {
    terms.points().add_state_needs(group, integral, needs);
  });
  return needs;
}

std::vector<std::shared_ptr<const ElementGroup>> ElementTerms::groups_of(int) const {
  std::vector<std::shared_ptr<const ElementGroup>> list;
  for (const ElementGroup& group : *groups_) list.emplace_back(groups_, &group);
  return list;
}

std::vector<TaskJob> ElementTerms::jobs_of(Task task) const {
  std::set<int> sizes;
  std::set<std::string> names;
  bool have_laws = false;  // then strain and stress of all forms are evaluated, too
  for (const Integral& integral : integrals_)
    if (task == Task::evaluate && takes_part({task}, integral.form)) {
      sizes.insert(integral.form.derived);
      names.insert(integral.form.name);
      have_laws = have_laws || !integral.form.law.kernel.empty();
    }
  if (sizes.size() < 2) return {{task}};
  std::vector<TaskJob> jobs;
  if (have_laws) jobs.push_back({task});
  for (const std::string& name : names) jobs.push_back({task, name});
  return jobs;
}

TaskOutline ElementTerms::outline(const TaskJob& job) const {
  const int c = space_.components();
  TaskOutline result{.job = job};
  result.block = job.is_matrix() ? c * c : job.task == Task::evaluate ? results_of(*this, job) : c;
  for (std::size_t g = 0; g < groups_->size(); ++g) {
    const ElementGroup& group = (*groups_)[g];
    GroupTask part{.group = static_cast<int>(g), .fields = {{&group, 0, c, 0}}, .integrals = {}, .items = 0};
    for (const int i : group.integrals)
      if (takes_part(job, integral(i).form)) part.integrals.push_back(i);
    if (part.integrals.empty()) continue;
    const int nodes = group.node_count();
    part.items = job.is_matrix() ? nodes * nodes : nodes;
    if (can_sum_chunks(*this, job.task, group, part.integrals)) part.summed_numbers = c;  // a row of each block
    else if (job.is_matrix() && can_halve(*this, group, part.integrals)) part.half_items = half_count(nodes);
    result.add(device(), std::move(part),
               "omit [solver] operator, with method cg, gmres or bicgstab or none; or take a lower order");
  }
  return result;
}

void ElementTerms::add_terms(std::size_t g, TaskPlan& plan) const {
  for (const int i : plan.integrals[g]) {
    AssemblyTerm& made = plan.terms[g].emplace_back(term(plan.job.task, group(plan.groups[g]), integral(i)));
    if (plan.job.task == Task::evaluate) made.arguments.law_results = plan.block;
  }
}

Index ElementTerms::pattern_pairs(const TaskJob& job, NodeSamples&) const {
  return job.is_matrix() ? pairs_of_nodes(space_) : 0;
}

// Numbers at quadrature points as term() requests them.
void ElementTerms::add_point_needs(const TaskOutline& outline, PointData::Counted& counted, MemoryNeeds& needs) const {
  const Task task = outline.job.task;
  if (task == Task::residual) needs += needs_of_states(*this);
  points_.add_law_needs(law_workspace(), counted, needs);
  for (std::size_t g = 0; g < outline.groups.size(); ++g) {
    const ElementGroup& group = this->group(outline.groups[g]);
    for (const int i : outline.integrals[g]) {
      const FormValue& form = integral(i).form;
      if (form.cell >= 0) continue;
      const int degree = degree_of(task, group, integral(i)), points = points_.table(group, degree).point_count;
      points_.add_coefficient_needs(group, form, degree, points, counted, needs);
      if ((task == Task::action || task == Task::diagonal) && by_tensors(group, form))
        points_.add_geometry_needs(group, points, counted, needs);
    }
  }
}

}  // namespace ritz
