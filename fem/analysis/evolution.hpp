// The parts that evolutions in time share, whatever their method: the times of results, the control of the step, and
// what is kept from step to step. A method says how a step is taken. Private to fem/analysis.
//
//   TransientResult result = first_order(model, options, observer)->solve();
#pragma once

#include "fem/analysis/transient.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ritz {

class ImplicitEvolution;  // fem/analysis/implicit_evolution.hpp

class Evolution {
 public:
  virtual ~Evolution() = default;
  Evolution(const Evolution&) = delete;
  Evolution& operator=(const Evolution&) = delete;

  TransientResult solve();

 protected:
  // `method`: its name.
  Evolution(const TransientModel& model, Transient options, const Observer& observer, std::string method,
            int error_order);

  virtual void start() = 0;       // from the values of state_.u
  virtual void resume() = 0;      // from state_, whose time is set
  virtual void begin_step() = 0;  // keeps what a step that is taken again begins with
  virtual void return_to_begin() {}
  // One step, all of its stages. Returns the estimate of its error over the tolerance; 0 where steps are fixed.
  virtual double take(const TimeStep& step) = 0;
  virtual void accept(const TimeStep& step) = 0;  // of the state: the unknowns, their rates, sums, internal variables
  virtual SolutionView view() = 0;
  virtual void finish_try() {}  // after a step that was taken or failed
  virtual void add_solves(SolveReport& /*summary*/) const {}

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  void set_time(double t, double since);
  void check_residual_at_begin(const Vector& r) const;  // throws where it is not finite
  void set_points_at_begin();
  void set_first_size();

  Profile& profile() const { return equations_->device().profile(); }

  const std::shared_ptr<Equations> equations_, rates_;
  const std::shared_ptr<Supports> supports_;
  Transient options_;
  const Observer observer_;
  const bool linear_;  // one tangent for all steps of a length
  State state_;
  const double begin_;
  double dt_in_use_ = 0;
  bool judges_;                                          // the error of steps
  double residual_in_step_ = 0, reference_in_step_ = 0;  // the largest force that a stage left, and that it had

 private:
  SolveReport summary() const;
  void keep();
  void advance(double target);
  TimeStep next_step_towards(double target) const;
  void check_length(const TimeStep& step) const;
  void tell();

  const std::string method_;
  const bool second_order_;
  const StepControl control_;
  const std::shared_ptr<const LoadSamples> samples_;  // or null
  std::optional<Error> failure_;                      // of the last try
};

std::unique_ptr<ImplicitEvolution> first_order(const TransientModel& model, Transient options,
                                               const Observer& observer);
std::unique_ptr<ImplicitEvolution> second_order(const TransientModel& model, Transient options,
                                                const Observer& observer);
std::unique_ptr<Evolution> central_differences(const TransientModel& model, Transient options,
                                               const Observer& observer);
MemoryNeeds first_order_vector_needs(Index unknowns);
MemoryNeeds second_order_vector_needs(Index unknowns);

}  // namespace ritz
