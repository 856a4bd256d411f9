#include "fem/operator/task_plans.hpp"

#include "device/kernels.hpp"
#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/gpu_lists.hpp"
#include "fem/operator/list_sizes.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/single_assembly.hpp"
#include "fem/operator/slab_buffer.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/operator/linearisation.hpp"
#include "solvers/algebra/ghosts.hpp"

#include <algorithm>
#include <omp.h>

namespace ritz {
namespace {

// In the profile of a run.
const char* name_of_launch(OperatorTask task) {
  switch (task) {
    case OperatorTask::residual: return "residual";
    case OperatorTask::matrix: return "assembly";
    case OperatorTask::action: return "operator action";
    case OperatorTask::diagonal: return "diagonal";
    case OperatorTask::evaluate: return "evaluation";
  }
  return "";
}

}  // namespace

TaskPlan TaskPlans::outlined(const TaskJob& job, const TaskOutline& outline) const {
  TaskPlan plan;
  plan.task = job.task;
  plan.integrals = outline.integrals;
  plan.block = outline.block;
  plan.groups = outline.groups;
  plan.chunk_batches = outline.chunk_batches;
  plan.halves = outline.halves;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    std::vector<AssemblyTerm>& terms = plan.terms.emplace_back();
    const ElementGroup& group = terms_->group(plan.groups[g]);
    for (const int i : outline.integrals[g]) {
      terms.push_back(terms_->term(job.task, group, terms_->integral(i)));
      if (job.task == Task::evaluate) terms.back().arguments.law_results = outline.block;
    }
    terms.front().sums_chunks = outline.sums_chunks[g];
  }
  return plan;
}

TaskPlan TaskPlans::made_plan(const TaskJob& job) {
  const Device& device = terms_->device();
  const TaskOutline outline = outline_of(*terms_, job);
  const Index workspace = workspace_size(*terms_, outline);
  TaskPlan plan = outlined(job, outline);
  for (const auto& [other, made] : plans_) {
    if (!made.has_lists_for(job.task, plan)) continue;
    plan.scatter = made.scatter;
    if (made.block != plan.block) continue;
    plan.extension = made.extension;
    if (made.workspace->size() >= workspace) plan.workspace = made.workspace;
  }
  if (plan.scatter == nullptr) plan.scatter = make_lists(plan, outline.first_chunk);
  plan.stored_bytes =
      ScatterPlan::memory_needs(plan.scatter->sizes()).total() + terms_->points().bytes_read_by(plan.terms);
  if (plan.extension == nullptr)
    plan.extension = std::make_shared<Vector>(device, plan.scatter->extension_items() * plan.block, "assembly buffers");
  if (plan.workspace == nullptr)
    plan.workspace = std::make_shared<Vector>(slab_buffer(device, workspace, outline.widest, steps_down_));
  return plan;
}

std::shared_ptr<const ScatterPlan> TaskPlans::make_lists(const TaskPlan& plan,
                                                         const std::vector<Index>& first_chunk) const {
  std::shared_ptr<ScatterPlan> lists = whole_lists(plan, first_chunk);
  if (plan.is_matrix()) halve_sources(plan, *lists);
  return lists;
}

// Sources count all pairs of nodes.
std::shared_ptr<ScatterPlan> TaskPlans::whole_lists(const TaskPlan& plan, const std::vector<Index>& first_chunk) const {
  const std::vector<const ElementGroup*> groups = groups_of(plan);
  const SparsityPattern* const there = plan.is_matrix() ? terms_->space().pattern().get() : nullptr;
  if (std::optional<ScatterLists> made = lists_of_gpu(terms_->space(), groups, plan.chunk_batches, there))
    return std::make_shared<ScatterPlan>(std::move(*made));
  std::optional<FunctionSpace::HostPattern> pattern;
  if (plan.is_matrix()) pattern = terms_->space().host_pattern();
  const Index targets = pattern ? static_cast<Index>(pattern->columns.size()) : terms_->space().node_count();
  std::vector<std::unique_ptr<ChunkLister>> listers(static_cast<std::size_t>(omp_get_max_threads()));
  return std::make_shared<ScatterPlan>(
      terms_->device(), targets, first_chunk.back(), [&](Index chunk, ChunkSlots& out) {
        auto& lister = listers[static_cast<std::size_t>(omp_get_thread_num())];
        if (!lister) lister = std::make_unique<ChunkLister>(terms_->space().node_count());
        const auto g = static_cast<std::size_t>(std::ranges::upper_bound(first_chunk, chunk) - first_chunk.begin() - 1);
        const ElementGroup& group = *groups[g];
        const Index size = plan.chunk_batches[g] * lane_count, first = (chunk - first_chunk[g]) * size;
        const Index last = std::min(first + size, group.element_count);
        if (pattern) lister->list_pairs(group, *pattern, first, last, out);
        else lister->list_nodes(group, first, last, out);
      });
}

void TaskPlans::halve_sources(const TaskPlan& plan, ScatterPlan& lists) const {
  Index first = 0;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const ElementGroup& group = terms_->group(plan.groups[g]);
    const int nodes = group.node_count();
    const Index count = group.element_count * nodes * nodes;
    if (plan.halves[g])
      assembly_kernels(terms_->space()).halve(terms_->device(), lists.sources().data() + first, count, nodes);
    first += count;
  }
}

std::shared_ptr<const ScatterPlan> TaskPlans::lists_of_action(const std::vector<Index>& chunk_batches) {
  const TaskPlan& made = plan({Task::action});
  bool all_cells = made.groups.size() == terms_->groups().size();
  for (const ElementGroup& group : terms_->groups()) all_cells = all_cells && !group.elements.empty();
  return all_cells && made.chunk_batches == chunk_batches ? made.scatter : nullptr;
}

bool TaskPlans::has_lists(const TaskJob& job) const {
  const auto found = plans_.find(job);
  return found != plans_.end() && found->second.scatter != nullptr;
}

const TaskPlan& TaskPlans::plan(const TaskJob& job) {
  if (has_lists(job)) return plans_.at(job);
  auto phase = terms_->device().profile().phase("lists");
  return plans_.insert_or_assign(job, made_plan(job)).first->second;
}

const TaskPlan& TaskPlans::plan_of_few_runs(const TaskJob& job) {
  if (terms_->device().machine().is_apart()) return plan(job);
  auto found = plans_.find(job);
  if (found == plans_.end()) found = plans_.emplace(job, plan_of_one_run(job)).first;
  TaskPlan& known = found->second;
  if (known.scatter != nullptr) return known;
  const bool others_have_lists =
      std::ranges::any_of(plans_, [&](const auto& entry) { return entry.second.has_lists_for(job.task, known); });
  return others_have_lists || ++known.runs > runs_without_lists ? plan(job) : known;
}

TaskPlan TaskPlans::plan_of_one_run(const TaskJob& job) const { return outlined(job, outline_of(*terms_, job)); }

void TaskPlans::bring_states() const {
  if (over_ranks_ && has_states(*terms_)) over_ranks_->bring_states(*terms_, *states_);
}

std::vector<const ElementGroup*> TaskPlans::groups_of(const TaskPlan& plan) const {
  std::vector<const ElementGroup*> groups;
  for (const int g : plan.groups) groups.push_back(&terms_->group(g));
  return groups;
}

template <class Use>
void TaskPlans::with_groups(const TaskPlan& plan, bool single, const TaskVectors& vectors, const Use& use) const {
  bring_states();
  std::vector<std::vector<AssemblyTerm>> terms = plan.terms;
  std::vector<AssemblyGroup> groups(plan.groups.size());
  Index chunk = 0;
  double* cells = vectors.cells;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto number = static_cast<std::size_t>(plan.groups[g]);
    const ElementGroup& group = terms_->groups()[number];
    for (AssemblyTerm& term : terms[g]) {
      term.arguments.u = vectors.u;
      term.arguments.cell_values = cells;
      if (cells != nullptr) cells += group.batch_count() * plan.block * lane_count;
      term.arguments.direction = vectors.direction;
      term.arguments.single_direction = vectors.single_direction;
      if (single) term.kernel = term.single_kernel;
      if (vectors.marked != nullptr) {
        term.arguments.nodes = vectors.marked->nodes[number].data();
        term.arguments.prescribed = vectors.marked->prescribed;
      }
    }
    if (vectors.tangents != nullptr) take_tangents(*terms_, plan, g, *vectors.tangents, terms[g]);
    const int n = group.node_count(), pairs = plan.halves[g] ? half_count(n) : n * n;
    groups[g] = {terms[g].data(), static_cast<int>(terms[g].size()), group.batch_count(), plan.chunk_batches[g],
                 chunk,           plan.is_matrix() ? pairs : n,      plan.halves[g]};
    chunk += groups[g].chunk_count();
  }
  use(groups);
}

void TaskPlans::run(const TaskPlan& plan, const TaskVectors& vectors) const {
  terms_->device().profile().count(least_traffic(plan, sizeof(double)) +
                                   (vectors.tangents != nullptr ? vectors.tangents->bytes() : 0));
  const char* const name = name_of_launch(plan.task);
  with_groups(plan, false, vectors, [&](const std::vector<AssemblyGroup>& groups) {
    if (plan.scatter == nullptr) {
      const std::vector<const ElementGroup*> elements = groups_of(plan);
      const SingleAssembly job{name, groups, elements, &terms_->space(), plan.block, vectors.target};
      return plan.is_matrix() ? assemble_without_lists(job) : sum_without_lists(job);
    }
    const AssemblyJob<double> job{
        name,           groups.data(),          static_cast<int>(groups.size()), plan.scatter->view(),  plan.block,
        vectors.target, plan.extension->data(), plan.workspace->data(),          plan.workspace->size()};
    run_job(plan, job, vectors.arriving, assembly_kernels(terms_->space()).run);
  });
}

template <class Real, class Run>
void TaskPlans::run_job(const TaskPlan& plan, const AssemblyJob<Real>& job, const Ghosts* arriving,
                        const Run& run) const {
  const Device& device = terms_->device();
  if (arriving == nullptr) return run(device, job);
  if (device.machine().is_apart()) {
    arriving->finish_fetch();
    return run(device, job);
  }
  if (!plan.inner)
    plan.inner = inner_chunks({job.groups, plan.groups.size()}, groups_of(plan), static_cast<Node>(arriving->owned()),
                              device.threads());
  run_inner_first(device, job, *plan.inner, *arriving, run);
}

void TaskPlans::run_single(const TaskPlan& plan, const TaskVectors& vectors, float* target) const {
  const Device& device = terms_->device();
  device.profile().count(least_traffic(plan, sizeof(float)) +
                         (vectors.tangents != nullptr ? vectors.tangents->bytes() : 0));
  with_groups(plan, true, vectors, [&](const std::vector<AssemblyGroup>& groups) {
    const AssemblyJob<float> job{name_of_launch(plan.task),
                                 groups.data(),
                                 static_cast<int>(groups.size()),
                                 plan.scatter->view(),
                                 plan.block,
                                 target,
                                 reinterpret_cast<float*>(plan.extension->data()),
                                 reinterpret_cast<float*>(plan.workspace->data()),
                                 plan.workspace->size()};
    run_job(plan, job, vectors.arriving, assembly_kernels(terms_->space()).run_single);
  });
}

// [bytes] The least traffic of an assembly: connectivity, coordinates, u, and lists once; sums that several chunks
// share written and read again; and the target written once.
Index TaskPlans::least_traffic(const TaskPlan& plan, Index number) const {
  const Index unknowns = terms_->space().unknown_count();
  Index sum = terms_->space().geometry_coordinates().bytes() + number * unknowns;
  for (const ElementGroup* group : groups_of(plan))
    sum += group->element_count * group->node_count() * Index{sizeof(std::int32_t)};
  sum += plan.stored_bytes + (plan.extension == nullptr ? 0 : 2 * number * plan.extension->size());
  return sum + number * (plan.is_matrix() ? terms_->space().pattern()->nonzeros() * plan.block : unknowns);
}

const ScatterSizes& TaskPlans::list_sizes(const ListKey& key, Index pairs) {
  if (const auto known = list_sizes_.find(key); known != list_sizes_.end()) return known->second;
  const auto& [groups, chunk_batches, of_matrix] = key;
  if (of_matrix && pairs == 0) pairs = pairs_of_nodes(terms_->space());
  if (around_ == nullptr) around_ = std::make_shared<const ElementsAround>(terms_->space(), terms_->shared_groups());
  return list_sizes_.emplace(key, estimated_sizes(*around_, groups, chunk_batches, of_matrix, pairs)).first->second;
}

void TaskPlans::forget(Task task) {
  std::erase_if(plans_, [task](const auto& entry) { return entry.first.task == task; });
}

void TaskPlans::forget_assembly() {
  forget(Task::matrix);
  terms_->space().forget_host_pattern();
  terms_->device().memory().trim();
}

void TaskPlans::divide(std::shared_ptr<OperatorOverRanks> ranks) {
  over_ranks_ = std::move(ranks);
  plans_.clear();
  terms_->forget_connectivity();
}

}  // namespace ritz
