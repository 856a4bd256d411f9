// Forms of several fields on groups of elements: their families, how elements see their unknowns, and which form
// couples which fields. A FieldsOperator owns one; its tasks are run by TaskPlans.
//
//   equations.terms().family(0);   equations.terms().couples(0, 1);
#pragma once

#include "fem/launch/mixed_arguments.hpp"
#include "fem/operator/coupling_patterns.hpp"
#include "fem/operator/task_terms.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

class FieldsTerms final : public TaskTerms {
 public:
  // time: others change it. met_before: as field_groups() takes it.
  FieldsTerms(Spaces spaces, std::shared_ptr<const Time> time, std::vector<MixedIntegral> integrals,
              const std::vector<std::vector<Node>>& met_before);
  FieldsTerms(const FieldsTerms&) = delete;
  FieldsTerms& operator=(const FieldsTerms&) = delete;

  const Spaces& spaces() const { return spaces_; }
  int field_count() const { return static_cast<int>(spaces_.size()); }
  const FunctionSpace& space(int field) const { return spaces_.at(static_cast<std::size_t>(field)); }
  Family family(int field) const { return families_.at(static_cast<std::size_t>(field)); }
  std::string field_name(int field) const;  // as the forms have it
  const std::vector<MixedIntegral>& integrals() const { return integrals_; }
  bool couples(int test, int trial) const;  // by a form of several fields, not by equations
  const CouplingPatterns& patterns() const { return patterns_; }

  void set_factor_of_rates(double factor);
  void set_factor(std::size_t integral, double factor) { integrals_[integral].factor = factor; }
  // Other numbers of the forms, as many forms as integrals, of the same names: parameters and coefficients.
  void set_numbers(const std::vector<MixedFormValue>& forms);

  std::span<const FunctionSpace> fields() const override { return spaces_; }
  std::vector<std::shared_ptr<const ElementGroup>> groups_of(int field) const override;
  PointData& points() const override { return points_; }
  const Time& time() const override { return *time_; }
  double factor(int integral) const override { return integrals_[static_cast<std::size_t>(integral)].factor; }
  std::vector<TaskJob> jobs_of(OperatorTask task) const override;
  TaskOutline outline(const TaskJob& job) const override;
  void add_terms(std::size_t g, TaskPlan& plan) const override;
  FunctionSpace::HostPattern pattern(const TaskJob& job) const override;
  Index pattern_pairs(const TaskJob& job, NodeSamples& samples) const override;
  void add_point_needs(const TaskOutline& outline, PointData::Counted& counted, MemoryNeeds& needs) const override;

 private:
  void check_fields(const MixedIntegral& integral) const;
  int degree_of(const MixedFormValue& form, const FieldGroup& group) const;
  ReferenceTable table(const FieldGroup& group, int field, int degree) const;
  MixedArguments arguments(const TaskJob& job, const FieldGroup& group, const MixedIntegral& integral,
                           int degree) const;

  Spaces spaces_;
  std::shared_ptr<const Time> time_;
  std::vector<MixedIntegral> integrals_;
  std::vector<Family> families_;  // [field]
  std::vector<Index> first_;      // [field] where its unknowns begin in vectors, with ghosts
  std::shared_ptr<std::vector<FieldGroup>> groups_;
  CouplingPatterns patterns_;
  mutable PointData points_;
};

}  // namespace ritz
