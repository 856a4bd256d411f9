#include "fem/operator/task_plans.hpp"

#include "device/kernels.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/operator/operator_states.hpp"
#include "fem/operator/single_assembly.hpp"
#include "fem/operator/slab_buffer.hpp"
#include "solvers/algebra/ghosts.hpp"

#include <algorithm>

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

std::vector<const ElementGroup*> elements_of(const TaskPlan& plan) {
  std::vector<const ElementGroup*> elements;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) elements.push_back(&plan.elements(g));
  return elements;
}

void halve_sources(const TaskPlan& plan, const Device& device, ScatterPlan& lists) {
  Index first = 0;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const Index count = plan.elements(g).element_count * plan.items[g];
    if (plan.halves[g])
      assembly_kernels(device).halve(device, lists.sources().data() + first, count, plan.elements(g).node_count());
    first += count;
  }
}

// [bytes] Connectivity of all fields.
Index bytes_of_nodes(const TaskPlan& plan) {
  Index sum = 0;
  for (const std::vector<FieldOfGroup>& fields : plan.fields)
    for (const FieldOfGroup& field : fields)
      sum += field.elements->element_count * field.elements->node_count() * Index{sizeof(std::int32_t)};
  return sum;
}

// Parts of the fields' vectors for terms of several fields.
void set_fields(const std::vector<FieldOfGroup>& fields, const TaskVectors& vectors, MixedArguments& arguments) {
  const auto part = [](const double* all, Index first) { return all == nullptr ? nullptr : all + first; };
  for (std::size_t j = 0; j < fields.size(); ++j) {
    arguments.fields[j].u = part(vectors.u, fields[j].first);
    arguments.fields[j].direction = part(vectors.direction, fields[j].first);
  }
}

}  // namespace

TaskPlan TaskPlans::outlined(TaskOutline outline) const {
  TaskPlan plan{std::move(outline)};
  plan.joints = joints_now(plan.job);
  plan.terms.resize(plan.groups.size());
  plan.fields_of_terms.resize(plan.groups.size());
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    terms_->add_terms(g, plan);
    plan.terms[g].front().sums_chunks = plan.sums_chunks[g];
  }
  plan.read_bytes = terms_->fields().front().geometry_coordinates().bytes() + bytes_of_nodes(plan);
  return plan;
}

TaskPlan TaskPlans::made_plan(const TaskJob& job) {
  TaskOutline outline = terms_->outline(job);
  const Index workspace = workspace_size(device(), outline);
  TaskPlan plan = outlined(std::move(outline));
  for (const auto& [other, made] : plans_) {
    if (!made.has_lists_for(plan)) continue;
    plan.scatter = made.scatter;
    if (made.block != plan.block) continue;
    plan.extension = made.extension;
    if (made.workspace->size() >= workspace) plan.workspace = made.workspace;
  }
  if (plan.scatter == nullptr) plan.scatter = make_lists(plan);
  plan.read_bytes +=
      ScatterPlan::memory_needs(plan.scatter->sizes()).total() + terms_->points().bytes_read_by(plan.terms);
  if (plan.extension == nullptr)
    plan.extension =
        std::make_shared<Vector>(device(), plan.scatter->extension_items() * plan.block, "assembly buffers");
  if (plan.workspace == nullptr)
    plan.workspace = std::make_shared<Vector>(slab_buffer(device(), workspace, plan.widest, steps_down_));
  return plan;
}

std::shared_ptr<const ScatterPlan> TaskPlans::make_lists(const TaskPlan& plan) const {
  std::shared_ptr<ScatterPlan> lists = task_lists(*terms_, plan);
  if (plan.job.is_matrix()) halve_sources(plan, device(), *lists);
  return lists;
}

std::shared_ptr<const ScatterPlan> TaskPlans::lists_of_action(const std::vector<Index>& chunk_batches) {
  const TaskPlan& made = plan({Task::action});
  const auto groups = terms_->groups_of(0);
  const bool all_cells = made.groups.size() == groups.size() &&
                         std::ranges::none_of(groups, [](const auto& group) { return group->elements.empty(); });
  return all_cells && made.chunk_batches == chunk_batches ? made.scatter : nullptr;
}

bool TaskPlans::has_lists(const TaskJob& job) const {
  const auto found = plans_.find(job);
  return found != plans_.end() && found->second.scatter != nullptr && found->second.joints == joints_now(job);
}

Joints TaskPlans::joints_now(const TaskJob& job) const {
  if (!job.is_matrix()) return {};
  return joints_of(terms_->fields()[static_cast<std::size_t>(job.row)],
                   terms_->fields()[static_cast<std::size_t>(job.column)]);
}

const TaskPlan& TaskPlans::plan(const TaskJob& job) {
  if (has_lists(job)) return plans_.at(job);
  auto phase = device().profile().phase("lists");
  return plans_.insert_or_assign(job, made_plan(job)).first->second;
}

const TaskPlan& TaskPlans::plan_of_few_runs(const TaskJob& job) {
  if (device().machine().is_apart()) return plan(job);
  auto found = plans_.find(job);
  if (found == plans_.end()) found = plans_.emplace(job, plan_of_one_run(job)).first;
  TaskPlan& known = found->second;
  if (known.scatter != nullptr) return known;
  const bool others_have_lists =
      std::ranges::any_of(plans_, [&](const auto& entry) { return entry.second.has_lists_for(known); });
  return others_have_lists || ++known.runs > runs_without_lists ? plan(job) : known;
}

TaskPlan TaskPlans::plan_of_one_run(const TaskJob& job) const { return outlined(terms_->outline(job)); }

template <class Use>
void TaskPlans::with_groups(const TaskPlan& plan, bool single, const TaskVectors& vectors, const Use& use) const {
  if (states_ != nullptr) states_->bring();
  std::vector<std::vector<AssemblyTerm>> terms = plan.terms;
  std::vector<std::vector<MixedArguments>> fields_of_terms = plan.fields_of_terms;
  std::vector<AssemblyGroup> groups(plan.groups.size());
  double* cells = vectors.cells;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const ElementGroup& elements = plan.elements(g);
    for (std::size_t t = 0; t < terms[g].size(); ++t) {
      ElementArguments& arguments = terms[g][t].arguments;
      arguments.time = terms_->time();
      arguments.factor = terms_->factor(plan.integrals[g][t]);
      if (!fields_of_terms[g].empty()) {
        set_fields(plan.fields[g], vectors, fields_of_terms[g][t]);
        arguments.form = &fields_of_terms[g][t];
        continue;
      }
      arguments.u = vectors.u;
      arguments.cell_values = cells;
      if (cells != nullptr) cells += elements.batch_count() * plan.block * lane_count;
      arguments.direction = vectors.direction;
      arguments.single_direction = vectors.single_direction;
      if (single) terms[g][t].kernel = terms[g][t].single_kernel;
      if (vectors.marked != nullptr) {
        arguments.nodes = vectors.marked->nodes[static_cast<std::size_t>(plan.groups[g])].data();
        arguments.prescribed = vectors.marked->prescribed;
      }
    }
    if (vectors.tangents != nullptr) take_tangents(*terms_, plan, g, *vectors.tangents, terms[g]);
    groups[g] = {terms[g].data(),        static_cast<int>(terms[g].size()),
                 elements.batch_count(), plan.chunk_batches[g],
                 plan.first_chunk[g],    plan.halves[g] ? half_count(elements.node_count()) : plan.items[g],
                 plan.halves[g]};
  }
  use(groups);
}

void TaskPlans::run(const TaskPlan& plan, const TaskVectors& vectors) const {
  device().profile().count(least_traffic(plan, sizeof(double)) +
                           (vectors.tangents != nullptr ? vectors.tangents->bytes() : 0));
  const char* const name = name_of_launch(plan.job.task);
  with_groups(plan, false, vectors, [&](const std::vector<AssemblyGroup>& groups) {
    if (plan.scatter == nullptr) {
      const std::vector<const ElementGroup*> elements = elements_of(plan);
      const SingleAssembly job{name, groups, elements, &terms_->fields().front(), plan.block, vectors.target};
      return plan.job.is_matrix() ? assemble_without_lists(job) : sum_without_lists(job);
    }
    const AssemblyJob<double> job{
        name,           groups.data(),          static_cast<int>(groups.size()), plan.scatter->view(),  plan.block,
        vectors.target, plan.extension->data(), plan.workspace->data(),          plan.workspace->size()};
    run_job(plan, job, vectors.arriving, assembly_kernels(device()).run);
  });
}

template <class Real, class Run>
void TaskPlans::run_job(const TaskPlan& plan, const AssemblyJob<Real>& job, const Ghosts* arriving,
                        const Run& run) const {
  if (arriving == nullptr) return run(device(), job);
  if (device().machine().is_apart()) {
    arriving->finish_fetch();
    return run(device(), job);
  }
  if (!plan.inner)
    plan.inner = inner_chunks({job.groups, plan.groups.size()}, elements_of(plan), static_cast<Node>(arriving->owned()),
                              device().threads());
  run_inner_first(device(), job, *plan.inner, *arriving, run);
}

void TaskPlans::run_single(const TaskPlan& plan, const TaskVectors& vectors, float* target) const {
  device().profile().count(least_traffic(plan, sizeof(float)) +
                           (vectors.tangents != nullptr ? vectors.tangents->bytes() : 0));
  with_groups(plan, true, vectors, [&](const std::vector<AssemblyGroup>& groups) {
    const AssemblyJob<float> job{name_of_launch(plan.job.task),
                                 groups.data(),
                                 static_cast<int>(groups.size()),
                                 plan.scatter->view(),
                                 plan.block,
                                 target,
                                 reinterpret_cast<float*>(plan.extension->data()),
                                 reinterpret_cast<float*>(plan.workspace->data()),
                                 plan.workspace->size()};
    run_job(plan, job, vectors.arriving, assembly_kernels(device()).run_single);
  });
}

// [bytes] The least traffic of an assembly: connectivity, coordinates, u, and lists once; sums that several chunks
// share written and read again; and the target written once.
Index TaskPlans::least_traffic(const TaskPlan& plan, Index number) const {
  Index unknowns = 0;
  for (const FunctionSpace& field : terms_->fields()) unknowns += field.unknown_count();
  const Index targets = target_numbers(*terms_, plan),
              extension = plan.extension == nullptr ? 0 : 2 * plan.extension->size();
  return plan.read_bytes + number * (unknowns + extension + targets);
}

const ScatterSizes& TaskPlans::list_sizes(const TaskOutline& outline, Index pairs) {
  const ListKey key = list_key(outline);
  if (const auto known = list_sizes_.find(key); known != list_sizes_.end()) return known->second;
  if (pairs == 0) pairs = terms_->pattern_pairs(outline.job, samples_);
  return list_sizes_.emplace(key, task_list_sizes(*terms_, outline, pairs, samples_)).first->second;
}

void TaskPlans::forget(Task task) {
  std::erase_if(plans_, [task](const auto& entry) { return entry.first.task == task; });
}

void TaskPlans::forget_assembly() {
  forget(Task::matrix);
  for (const FunctionSpace& field : terms_->fields()) field.forget_host_pattern();
  device().memory().trim();
}

}  // namespace ritz
