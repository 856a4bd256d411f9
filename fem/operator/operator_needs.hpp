// Memory that an operator will take: lists and buffers of tasks that have none yet, besides the tasks' vectors. Lists
// are counted around a sample of nodes: exact for small meshes, to a few per cent for large ones. Tasks over the same
// cells in the same chunks share lists: they are counted once.
//
//   const OperatorNeeds needs(equations);   needs.of({Task::residual, Task::action});   needs.assembled_once();
#pragma once

#include "device/memory_needs.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/task_plans.hpp"

#include <vector>

namespace ritz {

// Needs of the first call of each of the tasks, of one field or several: those of `of`, below.
MemoryNeeds needs_of(const TaskTerms& terms, TaskPlans& plans, const std::vector<OperatorTask>& tasks, Index pairs = 0);

class OperatorNeeds {
 public:
  using Task = OperatorTask;
  explicit OperatorNeeds(const Operator& equations)
      : terms_(&equations.terms()), plans_(&equations.plans()), device_(equations.device()) {}

  // Needs of the first call of each of the tasks. pairs: of the matrix' pattern; 0: they are counted.
  MemoryNeeds of(const std::vector<Task>& tasks, Index pairs = 0) const;
  MemoryNeeds of(Task task, Index pairs = 0) const { return of(std::vector{task}, pairs); }
  // Those of Linearisation::assemble_once(): without lists on a CPU.
  MemoryNeeds assembled_once(Index pairs = 0) const;
  // Those of the first TaskPlans::runs_without_lists runs; on other devices as of(task).
  MemoryNeeds without_lists(Task task) const;
  MemoryNeeds states() const;          // of states that do not exist yet
  MemoryNeeds point_tangents() const;  // of point_tangents(), at each call

  // [bytes] On top of the lists and buffers of one of these tasks, while a GPU makes its lists; 0 on a CPU. Where it
  // has less, the host makes them: a model fits a card without this.
  Index making_lists(const std::vector<Task>& tasks, Index pairs = 0) const;
  Index lists_on_a_gpu(Index pairs = 0) const;  // [bytes] that assembly would take there on top; 0 on a GPU
  // [bytes] Of element results, slab by slab, that these tasks would take on a GPU on top of what they take on this
  // CPU; 0 on a GPU.
  Index slabs_on_a_gpu(const std::vector<Task>& tasks) const;
  Index host_bytes() const;  // of the elements' lists on the host, when they are written

 private:
  const ElementTerms* terms_;
  TaskPlans* plans_;
  Device device_;
};

}  // namespace ritz
