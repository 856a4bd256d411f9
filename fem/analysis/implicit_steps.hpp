// The systems that steps in time solve: one linear system while the length of steps stays, and Newton's
// method. Private to fem.
//
//   ImplicitSteps steps(problem, model, observer.progress);
//   steps.use(1 / dt, dt);                                     // the factor of the rates
//   steps.balance(residual, prescribed, steps.place_of(step), u);
#pragma once

#include "device/function_ref.hpp"
#include "fem/analysis/attached.hpp"
#include "fem/analysis/integrator.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

// Kept by derivatives of each stage of a step, backwards in time (fem/sensitivity/step_adjoint.hpp).
struct Stage {
  double time = 0, since = 0;  // `since`: the begin of its step
  std::vector<double> u;
  // Places where the residual and the rates are taken; empty: u.
  std::vector<double> residual_at = {}, rates_at = {};
  // Weights with which adjoint fields do work: on the residual r without rates, and on what the rates give.
  std::vector<double> of_residual = {}, of_rates = {};
};

class ImplicitSteps {
 public:
  ImplicitSteps(TimeProblem& problem, const TransientModel& model, const MessageSink& progress);

  // A nonlinear system starts again in each step, so that what it keeps does not depend on where a run was resumed.
  void begin_step();
  void set_factor(double factor);  // of the rates in the equations
  double factor() const { return factor_; }
  // The same for a step of length dt, and for linear equations the tangent with it.
  void use(double factor, double dt);
  // Newton's method from u: residual = 0 for the free unknowns, whose tangent is that of the equations, at u where they
  // are nonlinear.
  using Residual = FunctionRef<void(const Vector& u, Vector& r)>;
  void balance(const Residual& residual, const Vector& prescribed, const std::string& place, Vector& u);
  double last_residual() const { return newton_.relative_residual() * newton_.reference(); }
  void make_tangent();                    // with another factor; of nonlinear equations the next balance does
  void need_tangent_at(const Vector& u);  // where the step did not make one
  std::string place_of(const TimeStep& step) const;
  // Does a step of this length show how far a load will move a body at rest, even if it was too long? Errors are then
  // relative to that, too: the scale does not vanish with the length of the step. Much longer steps would exaggerate.
  bool shows_scale(double dt) const;
  void filter(Vector& f, Vector& x);  // x = tangent^-1 of the free part of f, roughly

  void finish_try();
  void add_solves(SolveReport& summary) const;

  Newton& newton() { return newton_; }
  TangentSystem& system() { return *system_; }
  const std::shared_ptr<const Attached>& attached() const { return attached_; }  // to the rates

  // Stages are added to the list, where there is one.
  void trace_to(std::vector<Stage>* stages) { traced_ = stages; }
  bool is_traced() const { return traced_ != nullptr; }
  void trace(Stage stage);

 private:
  TimeProblem& problem_;
  const std::shared_ptr<TangentSystem> system_;
  Newton newton_;
  const std::shared_ptr<const Attached> attached_;
  double factor_ = -1;
  std::vector<Stage>* traced_ = nullptr;
};

}  // namespace ritz
