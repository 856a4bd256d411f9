// The tasks of an operator of one field or of several: a plan for each, with the lists and buffers by which element
// results are summed, made at its first use. Owned by the operator.
//
//   equations.plans().forget(OperatorTask::action);              // its lists and buffers go back to the pool
#pragma once

#include "fem/launch/mixed_arguments.hpp"
#include "fem/operator/inner_chunks.hpp"
#include "fem/operator/task_lists.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

class Ghosts;
class OperatorStates;
struct MarkedNodes;
struct PointTangents;

// Everything that one task needs.
struct TaskPlan : TaskOutline {
  std::shared_ptr<const ScatterPlan> scatter;                // of tasks with the same groups and chunks: the same
  std::vector<std::vector<AssemblyTerm>> terms;              // [group]
  std::vector<std::vector<MixedArguments>> fields_of_terms;  // [group][term]; empty of one field
  // Memory that a run writes before it reads, in either precision; tasks with the same lists and block share it.
  std::shared_ptr<Vector> extension, workspace;
  Index read_bytes = 0;                      // of lists, connectivity and numbers at points: in each run
  mutable std::optional<InnerChunks> inner;  // of products over ranks
  int runs = 0;                              // so far, without lists
  Joints joints;                             // of a matrix: the lists are for its pattern
  // Are there lists, and are they those of another task, too? Matrices have their own.
  bool has_lists_for(const TaskOutline& other) const {
    return scatter != nullptr && !job.is_matrix() && !other.job.is_matrix() && groups == other.groups &&
           chunk_batches == other.chunk_batches;
  }
};

// Vectors that element kernels read and write in a run, besides their lists.
struct TaskVectors {
  const double* u = nullptr;
  double* target = nullptr;
  double* cells = nullptr;            // evaluation
  const double* direction = nullptr;  // action
  const float* single_direction = nullptr;
  const MarkedNodes* marked = nullptr;  // action
  const PointTangents* tangents = nullptr;
  const Ghosts* arriving = nullptr;  // action
};

class TaskPlans {
 public:
  using Task = OperatorTask;
  // states: internal variables, which a run brings up to date; null: there are none.
  explicit TaskPlans(const TaskTerms& terms, const OperatorStates* states = nullptr)
      : terms_(&terms), states_(states), samples_(terms) {}

  // Lists and buffers of a task go back to the pool; they are rebuilt when it is called again.
  void forget(Task task);
  void forget(const TaskJob& job) { plans_.erase(job); }
  void forget_all() { plans_.clear(); }
  // Gives back what assembly made for itself, which is as large as the matrix or larger.
  void forget_assembly();
  // Steps down that were taken since the last call, because memory was short: sentences for people.
  std::vector<std::string> take_steps_down() { return std::exchange(steps_down_, {}); }
  // Lists by which actions sum element results, for others that sum at the same nodes over the same cells in the same
  // chunks: null if their chunks differ, or if not all groups are cells that take part.
  std::shared_ptr<const ScatterPlan> lists_of_action(const std::vector<Index>& chunk_batches);

  // On a CPU, a residual, a diagonal or an evaluation has no lists before it has run so many times, unless other tasks
  // made them: they cost about ten runs. Equal bits.
  static constexpr int runs_without_lists = 3;
  const TaskPlan& plan(const TaskJob& job);
  // Perhaps without lists, of one field.
  const TaskPlan& plan_of_few_runs(const TaskJob& job);
  TaskPlan plan_of_one_run(const TaskJob& job) const;  // without lists and memory, not kept, of one field
  void run(const TaskPlan& plan, const TaskVectors& vectors) const;
  void run_single(const TaskPlan& plan, const TaskVectors& vectors, float* target) const;

  const std::map<TaskJob, TaskPlan>& made() const { return plans_; }
  bool has_lists(const TaskJob& job) const;
  // Forecast sizes of the lists: counted around a sample of nodes at the first call. pairs: of the matrix' pattern, 0:
  // they are counted.
  const ScatterSizes& list_sizes(const TaskOutline& outline, Index pairs);
  NodeSamples& samples() { return samples_; }

 private:
  TaskPlan outlined(TaskOutline outline) const;
  TaskPlan made_plan(const TaskJob& job);
  std::shared_ptr<const ScatterPlan> make_lists(const TaskPlan& plan) const;
  Index least_traffic(const TaskPlan& plan, Index number) const;
  template <class Real, class Run>
  void run_job(const TaskPlan& plan, const AssemblyJob<Real>& job, const Ghosts* arriving, const Run& run) const;
  // calls use(groups) with what the assembly loop wants to know
  template <class Use>
  void with_groups(const TaskPlan& plan, bool single, const TaskVectors& vectors, const Use& use) const;
  Joints joints_now(const TaskJob& job) const;
  const Device& device() const { return terms_->fields().front().device(); }

  const TaskTerms* terms_;
  const OperatorStates* states_;
  std::map<TaskJob, TaskPlan> plans_;
  std::vector<std::string> steps_down_;
  NodeSamples samples_;                         // for forecasts
  std::map<ListKey, ScatterSizes> list_sizes_;  // forecast
};

}  // namespace ritz
