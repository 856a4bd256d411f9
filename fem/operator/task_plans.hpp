// The tasks of an operator: a plan for each, with the lists and buffers by which element results are summed, made at
// its first use. Several ranks may do the tasks together instead. Owned by Operator.
//
//   equations.plans().forget(OperatorTask::action);              // its lists and buffers go back to the pool
#pragma once

#include "fem/operator/inner_chunks.hpp"
#include "fem/operator/operator_over_ranks.hpp"
#include "fem/operator/scatter_plan.hpp"
#include "fem/operator/task_outline.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

class ElementsAround;
class Ghosts;
class Operator;
struct MarkedNodes;
struct PointTangents;

// Everything that one task needs.
struct TaskPlan {
  OperatorTask task;
  std::vector<int> groups;                       // which element groups take part
  std::vector<std::vector<int>> integrals;       // of each of them, as its terms
  std::vector<Index> chunk_batches;              // of each of them
  std::vector<bool> halves;                      // of each of them: element results are half of the matrix
  std::shared_ptr<const ScatterPlan> scatter;    // of tasks with the same groups and chunks: the same
  std::vector<std::vector<AssemblyTerm>> terms;  // of each of them
  int block = 0;                                 // numbers per item
  // Memory that a run writes before it reads, in either precision; tasks with the same lists and block share it.
  std::shared_ptr<Vector> extension, workspace;
  Index stored_bytes = 0;                    // of lists, and of numbers of forms at points: read in each run
  mutable std::optional<InnerChunks> inner;  // of products over ranks
  int runs = 0;                              // so far, without lists
  bool is_matrix() const { return task == OperatorTask::matrix; }
  // Are there lists, and are they those of another task, too? Matrices have their own.
  bool has_lists_for(OperatorTask other, const TaskPlan& its) const {
    return scatter != nullptr && !is_matrix() && other != OperatorTask::matrix && groups == its.groups &&
           chunk_batches == its.chunk_batches;
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
  TaskPlans(ElementTerms& terms, OperatorStates& states) : terms_(&terms), states_(&states) {}

  // Lists and buffers of a task go back to the pool; they are rebuilt when it is called again.
  void forget(Task task);
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
  const TaskPlan& plan_of_few_runs(const TaskJob& job);  // perhaps without lists
  TaskPlan plan_of_one_run(const TaskJob& job) const;    // without lists and memory, not kept
  void run(const TaskPlan& plan, const TaskVectors& vectors) const;
  void run_single(const TaskPlan& plan, const TaskVectors& vectors, float* target) const;
  // use(number of the integral, its ElementArguments) for all plans that were made
  template <class Use>
  void each_term(const Use& use) {
    for (auto& [job, plan] : plans_)
      for (std::size_t g = 0; g < plan.terms.size(); ++g)
        for (std::size_t t = 0; t < plan.terms[g].size(); ++t)
          use(static_cast<std::size_t>(plan.integrals[g][t]), plan.terms[g][t].arguments);
  }

  const std::map<TaskJob, TaskPlan>& made() const { return plans_; }
  bool has_lists(const TaskJob& job) const;
  // Forecast sizes of the lists: counted around a sample of nodes at the first call. pairs: of the matrix' pattern, 0:
  // they are counted.
  const ScatterSizes& list_sizes(const ListKey& key, Index pairs);

  // From now on results are the work of several ranks, and internal variables are on their parts. The connectivity and
  // the lists of all cells go; another task rebuilds them. Null: all work is this process's.
  void divide(std::shared_ptr<OperatorOverRanks> ranks);
  OperatorOverRanks* over_ranks() const { return over_ranks_.get(); }
  void bring_states() const;  // where those of ranks are newer

 private:
  TaskPlan outlined(const TaskJob& job, const TaskOutline& outline) const;
  TaskPlan made_plan(const TaskJob& job);
  std::shared_ptr<const ScatterPlan> make_lists(const TaskPlan& plan, const std::vector<Index>& first_chunk) const;
  std::shared_ptr<ScatterPlan> whole_lists(const TaskPlan& plan, const std::vector<Index>& first_chunk) const;
  void halve_sources(const TaskPlan& plan, ScatterPlan& lists) const;
  std::vector<const ElementGroup*> groups_of(const TaskPlan& plan) const;
  Index least_traffic(const TaskPlan& plan, Index number) const;
  template <class Real, class Run>
  void run_job(const TaskPlan& plan, const AssemblyJob<Real>& job, const Ghosts* arriving, const Run& run) const;
  // calls use(groups) with what the assembly loop wants to know
  template <class Use>
  void with_groups(const TaskPlan& plan, bool single, const TaskVectors& vectors, const Use& use) const;

  ElementTerms* terms_;
  OperatorStates* states_;
  std::map<TaskJob, TaskPlan> plans_;
  std::vector<std::string> steps_down_;
  std::map<ListKey, ScatterSizes> list_sizes_;    // forecast
  std::shared_ptr<const ElementsAround> around_;  // a sample of nodes for forecasts
  std::shared_ptr<OperatorOverRanks> over_ranks_;
};

}  // namespace ritz
