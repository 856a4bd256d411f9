// Integrals of one field on groups of elements: which kernels compute a task on which elements, and from which
// arguments. An Operator owns one; its tasks are run by TaskPlans.
//
//   for (const ElementGroup& group : equations.terms().groups()) ...
#pragma once

#include "fem/operator/task_terms.hpp"

#include <cstddef>
#include <vector>

namespace ritz {

class ElementTerms final : public TaskTerms {
 public:
  using Task = OperatorTask;
  // time: others change it.
  ElementTerms(const FunctionSpace& space, std::vector<Integral> integrals, std::shared_ptr<const Time> time,
               ElementLists lists);

  const FunctionSpace& space() const { return space_; }
  const Device& device() const { return space_.device(); }
  const std::vector<Integral>& integrals() const { return integrals_; }
  const Integral& integral(int number) const { return integrals_[static_cast<std::size_t>(number)]; }
  const std::vector<ElementGroup>& groups() const { return *groups_; }
  std::shared_ptr<const std::vector<ElementGroup>> shared_groups() const { return groups_; }
  const ElementGroup& group(int number) const { return (*groups_)[static_cast<std::size_t>(number)]; }

  const FormKernels& kernels_of(Task task, const ElementGroup& group, const FormValue& form) const;
  // Are actions and diagonals of the form on these cells run by sum factorisation?
  bool by_tensors(const ElementGroup& group, const FormValue& form) const;
  int degree_of(Task task, const ElementGroup& group, const Integral& integral) const;  // of the quadrature
  // The kernel of the integral's task on the group, and its arguments but for vectors.
  AssemblyTerm term(Task task, const ElementGroup& group, const Integral& integral) const;
  Index law_workspace() const;  // numbers; 0 on a CPU, and without laws
  PointData& points() const override { return points_; }

  std::span<const FunctionSpace> fields() const override { return {&space_, 1}; }
  std::vector<std::shared_ptr<const ElementGroup>> groups_of(int field) const override;
  const Time& time() const override { return *time_; }
  double factor(int number) const override { return integral(number).factor; }
  // One for each form whose results have another size.
  std::vector<TaskJob> jobs_of(Task task) const override;
  TaskOutline outline(const TaskJob& job) const override;
  void add_terms(std::size_t g, TaskPlan& plan) const override;
  FunctionSpace::HostPattern pattern(const TaskJob&) const override { return space_.host_pattern(); }
  Index pattern_pairs(const TaskJob& job, NodeSamples&) const override;
  void add_point_needs(const TaskOutline& outline, PointData::Counted& counted, MemoryNeeds& needs) const override;

  void set_factor(std::size_t integral, double factor) { integrals_.at(integral).factor = factor; }
  void set_numbers(const std::vector<FormValue>& forms);  // [integral]

  // Node numbers of cells, which operators over ranks give back; tasks of this process write them again.
  void write_connectivity() const;
  void forget_connectivity() const;

 private:
  void check_cells(const FormValue& form, const ElementGroup& group) const;

  FunctionSpace space_;
  std::vector<Integral> integrals_;
  std::shared_ptr<const Time> time_;
  std::shared_ptr<std::vector<ElementGroup>> groups_;  // of operators with the same integrals, too
  mutable bool has_connectivity_;
  mutable PointData points_;
};

bool has_states(const ElementTerms& terms);                     // internal variables
int results_of(const ElementTerms& terms, const TaskJob& job);  // numbers at a point
MemoryNeeds needs_of_states(const ElementTerms& terms);         // of those that do not exist yet

// Throw Error for a vector of another space.
void check_size(const FunctionSpace& space, Index size);
const double* data_or_zero(const FunctionSpace& space, const Vector& u);  // null: an empty u, which is zero

// use(group, integral) for those with internal variables, in the order of PointStates::Values.
template <class Use>
void each_state(const ElementTerms& terms, const Use& use) {
  for (const ElementGroup& group : terms.groups())
    for (const int i : group.integrals)
      if (!terms.integral(i).form.state_start.empty()) use(group, terms.integral(i));
}

}  // namespace ritz
