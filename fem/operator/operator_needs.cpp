// Memory that an operator will take, and the traffic of its tasks: Operator::memory_needs and related functions.
#include "fem/launch/point_geometry.hpp"
#include "fem/operator/list_sizes.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/space_needs.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace ritz {

MemoryNeeds Operator::memory_needs(const std::vector<Task>& tasks, Index pairs) const {
  MemoryNeeds needs;
  std::set<ListKey> lists;                    // that are there, or counted
  std::set<std::pair<ListKey, int>> buffers;  // by block
  std::map<std::pair<ListKey, int>, Index> workspaces;
  PointNumbers points;
  for (const auto& [job, plan] : plans_) {
    if (plan.scatter == nullptr) continue;
    const auto key = lists.emplace(plan.groups, plan.chunk_batches, job.task == Task::matrix).first;
    buffers.emplace(*key, plan.block);
    Index& workspace = workspaces[{*key, plan.block}];
    workspace = std::max(workspace, plan.workspace->size());
  }
  std::vector<Job> jobs;
  for (const Task task : tasks) std::ranges::move(jobs_of(task), std::back_inserter(jobs));
  for (const Job& job : jobs) {
    const Task task = job.task;
    if (const auto found = plans_.find(job); found != plans_.end() && found->second.scatter != nullptr) continue;
    const Outline outline = this->outline(job);
    if (outline.groups.empty()) continue;
    const ListKey key(outline.groups, outline.chunk_batches, task == Task::matrix);
    auto known = list_sizes_.find(key);
    if (known == list_sizes_.end()) {
      if (task == Task::matrix && pairs == 0) pairs = pairs_of_nodes(*space_);
      if (around_ == nullptr) around_ = std::make_shared<const ElementsAround>(*space_, groups_);
      known = list_sizes_
                  .emplace(key, estimated_sizes(*around_, outline.groups, outline.chunk_batches, task == Task::matrix,
                                                pairs))
                  .first;
    }
    const ScatterSizes& sizes = known->second;
    if (lists.insert(key).second) needs += ScatterPlan::memory_needs(sizes);
    if (task == Task::residual) needs += state_needs();
    add_numbers_at_points(task, outline, points, needs);
    if (buffers.emplace(key, outline.block).second)
      needs.array<double>("assembly buffers", sizes.extension * outline.block);
    if (Index& workspace = workspaces[{key, outline.block}]; workspace < workspace_size(outline))
      needs.array<double>("assembly buffers", workspace = workspace_size(outline));
  }
  return needs;
}

MemoryNeeds Operator::single_assembly_needs(Index pairs) const {
  if (space_->device().machine().is_apart()) return memory_needs(Task::matrix, pairs);
  return needs_without_lists(Task::matrix);
}

MemoryNeeds Operator::needs_without_lists(Task task) const {
  if (space_->device().machine().is_apart()) return memory_needs(task);
  MemoryNeeds needs;
  PointNumbers points;
  if (task == Task::residual) needs += state_needs();
  for (const Job& job : jobs_of(task)) add_numbers_at_points(task, outline(job), points, needs);
  return needs;
}

Index Operator::lists_on_a_gpu(Index pairs) const {
  if (space_->device().machine().is_apart()) return 0;
  return memory_needs(Task::matrix, pairs).total() - single_assembly_needs(pairs).total();
}

// A GPU makes the lists of a task before the buffers of its assembly are there.
Index Operator::making_lists(const std::vector<Task>& tasks, Index pairs) const {
  Index most = 0;
  if (!space_->device().is_gpu()) return most;
  for (const Task task : tasks) {
    const Index buffers = memory_needs(task, pairs).of("assembly buffers");  // counts the lists
    for (const Job& job : jobs_of(task)) {
      const Outline outline = this->outline(job);
      const auto known = list_sizes_.find({outline.groups, outline.chunk_batches, task == Task::matrix});
      if (known == list_sizes_.end()) continue;
      const ScatterSizes& sizes = known->second;
      const Index items = task == Task::matrix ? pairs : space_->node_count();
      most = std::max(most, list_scratch(items, sizes.sources, sizes.slots, sizes.extension) - buffers);
    }
  }
  return most;
}

std::vector<Operator::Job> Operator::jobs_of(Task task) const {
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
  std::vector<Job> jobs;
  if (have_laws) jobs.push_back({task});
  for (const std::string& name : names) jobs.push_back({task, name});
  return jobs;
}

// Numbers that the task needs at quadrature points, as make_term requests them.
void Operator::add_numbers_at_points(Task task, const Outline& outline, PointNumbers& known, MemoryNeeds& needs) const {
  if (law_workspace_.empty() && !std::exchange(known.laws, true)) {
    if (const Index size = law_workspace_size(); size > 0) needs.array<double>("laws at points", size);
  }
  for (std::size_t g = 0; g < outline.groups.size(); ++g) {
    const ElementGroup& group = groups_[static_cast<std::size_t>(outline.groups[g])];
    for (const int i : outline.integrals[g]) {
      const Integral& integral = integrals_[static_cast<std::size_t>(i)];
      if (integral.form.cell >= 0) continue;
      const int degree = degree_of(task, group, integral), points = table(group, degree).point_count;
      const Index entries = group.batch_count() * points * lane_count;
      if (integral.form.given_count > 0 && !given_.contains({&group, &integral, degree}) &&
          known.arrays.emplace(&group, i, degree).second) {
        needs.array<double>("given numbers", entries * integral.form.given_count);
        fields_.add_needs(*space_, group, points, integral.form, known.fields, needs);
      }
      const bool by_lines = (task == Task::action || task == Task::diagonal) && by_tensors(group, integral.form);
      const bool stored = by_lines && group.geometry->order > 1;
      if (stored && !point_geometry_.contains({&group, points}) && known.arrays.emplace(&group, -1, points).second)
        needs.array<double>("point geometry", entries * point_geometry_entries(group.element->dimension()));
    }
  }
}

Index Operator::host_bytes() const {
  const bool apart = space_->device().machine().is_apart();
  Index sum = 0;
  for (const ElementGroup& group : groups_)
    sum += (apart ? group.entry_count() * Index{sizeof(Node)} : 0) + group.elements.own_bytes() +
           static_cast<Index>(group.facets.size() * sizeof(FacetOfCell));
  return sum;
}

// [bytes] The numbers given at points, what points keep, and their geometry, as far as the terms have it.
Index Operator::stored_at_points(const std::vector<std::vector<AssemblyTerm>>& terms) const {
  Index sum = 0;
  const auto add = [&sum](const double* used, const Vector& array) {
    sum += used != nullptr && used == array.data() ? array.bytes() : 0;
  };
  for (const auto& group : terms)
    for (const AssemblyTerm& term : group) {
      for (const auto& [key, array] : given_) add(term.arguments.given, array);
      for (const auto& [key, array] : point_geometry_) add(term.arguments.point_geometry, array);
      for (const auto& [key, array] : states_) add(term.arguments.state, array);
    }
  return sum;
}

// [bytes] The least traffic of an assembly: connectivity, coordinates, u, and lists once; sums that several chunks
// share written and read again; and the target written once.
Index Operator::least_traffic(const Plan& plan, bool matrix, Index number) const {
  const Index unknowns = space_->unknown_count();
  Index sum = space_->geometry_coordinates().bytes() + number * unknowns;
  for (const int g : plan.groups) {
    const ElementGroup& group = groups_[static_cast<std::size_t>(g)];
    const Index n = group.node_count();
    sum += group.element_count * n * Index{sizeof(std::int32_t)};
  }
  sum += plan.stored_bytes + (plan.extension == nullptr ? 0 : 2 * number * plan.extension->size());
  return sum + number * (matrix ? space_->pattern()->nonzeros() * plan.block : unknowns);
}

}  // namespace ritz
