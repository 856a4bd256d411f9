#include "fem/operator/operator_needs.hpp"

#include "device/kernels.hpp"
#include "fem/operator/linearisation.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace ritz {
namespace {

// Lists and buffers that exist or were counted.
struct CountedLists {
  std::set<ListKey> lists;
  std::set<std::pair<ListKey, int>> buffers;  // by block
  std::map<std::pair<ListKey, int>, Index> workspaces;

  explicit CountedLists(const std::map<TaskJob, TaskPlan>& made) {
    for (const auto& [job, plan] : made) {
      if (plan.scatter == nullptr) continue;
      const auto key = lists.insert(list_key(plan)).first;
      buffers.emplace(*key, plan.block);
      Index& workspace = workspaces[{*key, plan.block}];
      workspace = std::max(workspace, plan.workspace->size());
    }
  }
  void add(const ListKey& key, int block, Index workspace, const ScatterSizes& sizes, MemoryNeeds& needs) {
    if (buffers.emplace(key, block).second) needs.array<double>("assembly buffers", sizes.extension * block);
    if (Index& largest = workspaces[{key, block}]; largest < workspace)
      needs.array<double>("assembly buffers", largest = workspace);
  }
};

}  // namespace

MemoryNeeds needs_of(const TaskTerms& terms, TaskPlans& plans, const std::vector<OperatorTask>& tasks, Index pairs) {
  MemoryNeeds needs;
  CountedLists counted(plans.made());
  PointData::Counted points;
  std::vector<TaskJob> jobs;
  for (const OperatorTask task : tasks) std::ranges::move(terms.jobs_of(task), std::back_inserter(jobs));
  for (const TaskJob& job : jobs) {
    if (plans.has_lists(job)) continue;
    const TaskOutline outline = terms.outline(job);
    if (outline.groups.empty()) continue;
    const ListKey key = list_key(outline);
    const ScatterSizes& sizes = plans.list_sizes(outline, pairs);
    if (counted.lists.insert(key).second) needs += ScatterPlan::memory_needs(sizes);
    terms.add_point_needs(outline, points, needs);
    counted.add(key, outline.block, workspace_size(terms.fields().front().device(), outline), sizes, needs);
  }
  return needs;
}

MemoryNeeds OperatorNeeds::of(const std::vector<Task>& tasks, Index pairs) const {
  return needs_of(*terms_, *plans_, tasks, pairs);
}

MemoryNeeds OperatorNeeds::assembled_once(Index pairs) const {
  return device_.machine().is_apart() ? of(Task::matrix, pairs) : without_lists(Task::matrix);
}

MemoryNeeds OperatorNeeds::without_lists(Task task) const {
  if (device_.machine().is_apart()) return of(task);
  MemoryNeeds needs;
  PointData::Counted points;
  for (const TaskJob& job : terms_->jobs_of(task)) terms_->add_point_needs(terms_->outline(job), points, needs);
  return needs;
}

MemoryNeeds OperatorNeeds::states() const { return needs_of_states(*terms_); }

MemoryNeeds OperatorNeeds::point_tangents() const { return needs_of_point_tangents(*terms_); }

// A GPU makes the lists of a task before the buffers of its assembly are there.
Index OperatorNeeds::making_lists(const std::vector<Task>& tasks, Index pairs) const {
  Index most = 0;
  if (!device_.is_gpu()) return most;
  for (const Task task : tasks) {
    const Index buffers = of(task, pairs).of("assembly buffers");
    for (const TaskJob& job : terms_->jobs_of(task)) {
      const TaskOutline outline = terms_->outline(job);
      if (outline.groups.empty() || plans_->has_lists(job)) continue;
      const ScatterSizes& sizes = plans_->list_sizes(outline, pairs);
      const Index items = task == Task::matrix ? pairs : terms_->space().node_count();
      most = std::max(most, list_scratch(items, sizes.sources, sizes.slots, sizes.extension) - buffers);
    }
  }
  return most;
}

Index OperatorNeeds::lists_on_a_gpu(Index pairs) const {
  return device_.machine().is_apart() ? 0 : of(Task::matrix, pairs).total() - assembled_once(pairs).total();
}

Index OperatorNeeds::slabs_on_a_gpu(const std::vector<Task>& tasks) const {
  if (assembly_kernels(device_).needs_workspace) return 0;
  std::map<std::pair<ListKey, int>, Index> slabs;  // shared as plans share them
  for (const Task task : tasks)
    for (const TaskJob& job : terms_->jobs_of(task)) {
      const TaskOutline outline = terms_->outline(job);
      Index& slab = slabs[{list_key(outline), outline.block}];
      slab = std::max(slab, outline.slab());
    }
  Index sum = 0;
  for (const auto& [key, slab] : slabs) sum += slab * Index{sizeof(double)};
  return sum;
}

Index OperatorNeeds::host_bytes() const {
  Index sum = 0;
  for (const ElementGroup& group : terms_->groups())
    sum += (device_.machine().is_apart() ? group.entry_count() * Index{sizeof(Node)} : 0) + group.elements.own_bytes() +
           static_cast<Index>(group.facets.size() * sizeof(FacetOfCell));
  return sum;
}

}  // namespace ritz
