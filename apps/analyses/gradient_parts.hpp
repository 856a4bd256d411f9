// Parts that the gradients of statics and of evolutions in time share: the probe, its weights, the numbers by which it
// is derived, and the fields of the results. Private to apps/analyses/gradient*.
#pragma once

#include "apps/analyses/gradient.hpp"
#include "apps/results/probe_weights.hpp"
#include "fem/sensitivity/derived_work.hpp"
#include "fem/sensitivity/linear_statics.hpp"
#include "fem/sensitivity/transient_adjoint.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// nullopt: what it lacks was added to the errors of the case.
std::optional<ProbeWeights> probe_of(Run& run, const CaseModel& read);
// nullptr: of the unknown, its rate or reactions.
const DerivedResult* derived_of(const CaseModel& read, const ProbeWeights& probe);
// [unknown], of all fields
std::vector<double> weights_of_unknowns(const CaseModel& read, const ProbeWeights& probe);
// The probe of a derived field as a function of what forms derive, at this solution.
DerivedWork derived_work(const CaseModel& read, const DerivedResult& of, const ProbeWeights& probe,
                         std::span<const double> factors, const Time& time, const Vector& u);
// Adds what the number changes in the probe at a fixed solution.
void add_derived(DerivedWork& work, const DifferentiatedNumber& number, const Model& model,
                 std::span<const double> factors, const std::vector<double>& u, std::vector<double>& sum);

// Areas and volumes of means and integrals contain the thickness of plane models.
inline constexpr const char* thickness_key = "model.thickness";
// Adds, where the number is the thickness, what that of each cell alone changes in these areas, at this solution.
// of: the derived field of the probe; null: it is of the unknown.
void add_by_areas(const CaseModel& read, const DifferentiatedNumber& number, const DerivedResult* of,
                  const ProbeWeights& probe, std::span<const double> factors, const Time& time,
                  const std::vector<double>& u, std::vector<double>& sum);

// The keys as variables: arrays where they may be formulas, else numbers with which the case is read again.
class GradientNumbers {
 public:
  GradientNumbers(Run& run, const CaseModel& read);
  GradientNumbers(const GradientNumbers&) = delete;
  GradientNumbers& operator=(const GradientNumbers&) = delete;
  std::span<const DifferentiatedNumber> all() const { return all_; }

 private:
  std::vector<ModelNumber> own_;
  std::vector<DifferentiatedNumber> all_;
};

// The factor of each load case in the solution of which the gradient is taken; nullopt: there is none of this name.
std::optional<std::vector<double>> factors_of(const CaseModel& read, const LoadCases& analysis);

// These options with a tolerance that leaves derivatives ten digits.
LinearSolverOptions accurate_adjoint(LinearSolverOptions options);

std::vector<Field> gradient_fields(const CaseModel& read);          // [key], without values
std::vector<Field> gradient_without_values(const CaseModel& read);  // [key], of numbers that are none
// Results have them from here on: those by positions at nodes, others in cells.
void carry_gradient(Run& run, const CaseModel& read, std::vector<Field> fields);
// Sums to the log and the report.
void report_gradient(Run& run, const GradientInput& gradient, const std::vector<Field>& fields);

}  // namespace ritz
