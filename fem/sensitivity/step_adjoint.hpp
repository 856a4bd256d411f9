// Discrete adjoints of the steps of an evolution in time, as they were taken: each method has one. Private to
// fem/sensitivity.
//
//   const std::unique_ptr<StepAdjoint> adjoint = first_order_adjoint(model, options);
//   auto [begin, taken] = adjoint->retrace(from, steps);
//   adjoint->step_back(taken.back(), number, sums);
#pragma once

#include "fem/analysis/implicit_steps.hpp"
#include "fem/analysis/transposed_tangent.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ritz {

// Steps that were taken again.
struct TakenStep {
  TimeStep step;
  std::vector<Stage> stages;  // after the begin of the step; the last one is its end
};
struct AdjointSums {
  std::vector<double> g, by_v;                // dJ/du at the present stage, and of second order dJ/dv, direct
  std::vector<double> of_residual, of_rates;  // weights that later stages give it
  std::vector<double> by_prescribed;          // sum over all stages so far
  // Parts that later steps give the unknown, its velocity and its acceleration where free; of second order.
  std::vector<double> u, v, a;
};

class StepAdjoint {
 public:
  virtual ~StepAdjoint() = default;
  StepAdjoint(const StepAdjoint&) = delete;
  StepAdjoint& operator=(const StepAdjoint&) = delete;

  // Takes the steps again, with their lengths, from a state between steps. Returns the begin, with u alone, and them.
  std::pair<Stage, std::vector<TakenStep>> retrace(const State& from, std::span<const TimeStep> steps);
  // The adjoint of a step that retrace() took; the last of them first. `number`: 0 for the first of all. Stages get
  // their weights; g is used up.
  virtual void step_back(TakenStep& taken, Index number, AdjointSums& sums) = 0;
  // The same of the begin: returns dJ/du, zero where values are prescribed. Stages may be added to it.
  virtual std::vector<double> end_at(std::vector<Stage>& begin, AdjointSums& sums) = 0;

 protected:
  StepAdjoint(const TransientModel& model, Transient options);

  virtual Integrator& integrator() = 0;
  virtual ImplicitSteps& steps() = 0;
  virtual Stage present() = 0;

  // The transposed tangent at u times x.
  Vector transposed_action(const Equations& of, const Vector& u, const Vector& x);
  // x with tangent^T x = g where unknowns are free.
  Vector solve_transposed(const Vector& u, const Vector& g);
  void add_prescribed(Vector g, std::vector<double>& by_prescribed) const;
  Vector on_device(const std::vector<double>& values) const { return problem_.on_device(values); }
  Vector zeros() const { return problem_.equations->zeros(); }

  TimeProblem problem_;

 private:
  const OwnField* const part_;                                      // null: one process, or several fields
  std::optional<TransposedTangent> transposed_, transposed_rates_;  // once they were needed
};

std::unique_ptr<StepAdjoint> first_order_adjoint(const TransientModel& model, Transient options);
std::unique_ptr<StepAdjoint> second_order_adjoint(const TransientModel& model, Transient options);

}  // namespace ritz
