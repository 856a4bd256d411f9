// Integrals of an operator on groups of elements, as the engine of its tasks (TaskPlans) sees them: those of one field
// (ElementTerms), or of several (FieldsTerms). Which groups take part in a task, by which kernels, and where the
// entries of their results stand.
#pragma once

#include "fem/operator/point_data.hpp"
#include "fem/operator/task_outline.hpp"

#include <memory>
#include <span>
#include <vector>

namespace ritz {

class NodeSamples;
struct TaskPlan;

class TaskTerms {
 public:
  virtual ~TaskTerms() = default;
  virtual std::span<const FunctionSpace> fields() const = 0;
  virtual std::vector<std::shared_ptr<const ElementGroup>> groups_of(int field) const = 0;  // all, in one order
  virtual PointData& points() const = 0;
  virtual const Time& time() const = 0;
  virtual double factor(int integral) const = 0;

  virtual std::vector<TaskJob> jobs_of(OperatorTask task) const = 0;
  virtual TaskOutline outline(const TaskJob& job) const = 0;
  // The terms of group g of the plan, but for vectors, the time and factors; of several fields their arguments, too.
  virtual void add_terms(std::size_t g, TaskPlan& plan) const = 0;
  // Positions of the entries of a matrix: of nodes of the column's field in rows of the other's.
  virtual FunctionSpace::HostPattern pattern(const TaskJob& job) const = 0;
  virtual Index pattern_pairs(const TaskJob& job,
                              NodeSamples& samples) const = 0;  // a forecast; 0: as elements fill it
  // Memory of numbers at points that the task will make.
  virtual void add_point_needs(const TaskOutline& outline, PointData::Counted& counted, MemoryNeeds& needs) const = 0;
};

}  // namespace ritz
