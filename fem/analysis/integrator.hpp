// Integration in time: what is integrated, and the functions that a method of taking steps consists of. evolve()
// (evolution.hpp) chooses the lengths of the steps. Private to fem.
//
//   TimeProblem problem(model, options);
//   FirstOrder integrator(problem, model, observer.progress);
//   TransientResult result = evolve(problem, integrator, observer);
#pragma once

#include "fem/analysis/transient.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

struct Attached;  // fem/analysis/attached.hpp

// The equations to integrate, and how far they have come: of the loop over steps, of the method, and of its adjoint.
struct TimeProblem {
  TimeProblem(const TransientModel& model, Transient given);
  TimeProblem(const TimeProblem&) = delete;
  TimeProblem& operator=(const TimeProblem&) = delete;

  Profile& profile() const { return equations->device().profile(); }
  Vector on_device(const std::vector<double>& values) const;  // [unknown]
  void set_time(double t, double since) const;
  void set_points_at_begin() const;
  void set_first_size();
  void check_residual_at_begin(const Vector& r) const;  // throws where it is not finite

  const std::shared_ptr<Equations> equations, rates;
  const std::shared_ptr<Supports> supports;
  Transient options;  // without the begin
  const bool second_order;
  const bool linear;                                 // one tangent for all steps of a length
  const std::shared_ptr<const LoadSamples> samples;  // or null
  State state;
  const double begin;
  bool judges;                                         // the error of steps
  double dt_in_use = 0;                                // the length for which a tangent is there
  double residual_in_step = 0, reference_in_step = 0;  // the largest force that a stage left, and that it had
};

// Masses and held means that join the inertia of the model.
std::shared_ptr<const Attached> attached_of(const TransientModel& model);

// A method. The state of the problem is that between steps.
class Integrator {
 public:
  virtual ~Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  virtual void start() = 0;     // from the values of state.u
  virtual void resume() = 0;    // from the state, whose time is set
  virtual void begin_step() {}  // keeps what a step that is taken again begins with
  virtual void return_to_begin() {}
  // One step, all of its stages. Returns the estimate of its error over the tolerance; 0 where errors are not judged.
  virtual double take(const TimeStep& step) = 0;
  virtual void finish_try() {}                    // after a step that was taken or failed
  virtual void accept(const TimeStep& step) = 0;  // of the state: the unknowns, their rates, sums, internal variables
  virtual SolutionView view() = 0;
  virtual void add_solves(SolveReport& /*summary*/) const {}

  const std::string name;
  const int error_order;  // of the local error that take() estimates

 protected:
  Integrator(std::string its_name, int order) : name(std::move(its_name)), error_order(order) {}
};

}  // namespace ritz
