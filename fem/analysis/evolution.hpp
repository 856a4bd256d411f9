// The parts that evolutions in time share, whatever their order: the times of results, the control of the step, one
// linear system while the step stays, Newton's method, and what is kept from step to step. A method of one order says
// how a step is taken. Private to fem/analysis.
//
//   TransientResult result = first_order(model, options, observer)->solve();
#pragma once

#include "fem/analysis/attached.hpp"
#include "fem/analysis/transient.hpp"
#include "fem/ranks/transposed_tangent.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

class Evolution {
 public:
  virtual ~Evolution() = default;
  Evolution(const Evolution&) = delete;
  Evolution& operator=(const Evolution&) = delete;

  TransientResult solve();

  // For derivatives, backwards in time (fem/sensitivity/transient_adjoint.hpp).
  struct Stage {
    double time = 0, since = 0;  // `since`: the begin of its step
    std::vector<double> u;
    // Places where the residual and the rates are taken; empty: u.
    std::vector<double> residual_at = {}, rates_at = {};
    // Weights with which adjoint fields do work: on the residual r without rates, and on what the rates give.
    std::vector<double> of_residual = {}, of_rates = {};
  };
  struct Taken {
    TimeStep step;
    std::vector<Stage> stages;  // after the begin of the step; the last one is its end
  };
  struct Adjoint {
    std::vector<double> g, by_v;                // dJ/du at the present stage, and of second order dJ/dv, direct
    std::vector<double> of_residual, of_rates;  // weights that later stages give it
    std::vector<double> by_prescribed;          // sum over all stages so far
    // Parts that later steps give the unknown, its velocity and its acceleration where free; of second order.
    std::vector<double> u, v, a;
  };
  // Takes the steps again, with their lengths, from a state between steps. Returns the begin, with u alone, and them.
  std::pair<Stage, std::vector<Taken>> retrace(const State& from, std::span<const TimeStep> steps);
  // The adjoint of a step that retrace() took; the last of them first. `number`: 0 for the first of all. Stages get
  // their weights; g is used up.
  virtual void step_back(Taken& taken, Index number, Adjoint& adjoint) = 0;
  // The same of the begin: returns dJ/du, zero where values are prescribed. Stages may be added to it.
  virtual std::vector<double> end_at(std::vector<Stage>& begin, Adjoint& adjoint) = 0;

 protected:
  // `method`: its name. Observer and what the model refers to must outlive this.
  Evolution(const TransientModel& model, Transient options, const Observer& observer, std::string method,
            int error_order);

  virtual void start() = 0;       // from the values of state_.u
  virtual void resume() = 0;      // from state_, whose time is set
  virtual void begin_step() = 0;  // keeps what a step that is taken again begins with
  virtual void return_to_begin() = 0;
  // One step, all of its stages. Returns the estimate of its error over the tolerance; 0 where steps are fixed.
  virtual double take(const TimeStep& step) = 0;
  virtual void accept(const TimeStep& step) = 0;  // of the state: the unknowns, their rates, sums, internal variables
  virtual SolutionView view() = 0;
  virtual Stage present() = 0;  // between steps
  void trace(Stage stage);      // for retrace()
  bool is_traced() const { return traced_ != nullptr; }

  // The transposed tangent at u times x.
  Vector transposed_action(const Equations& of, const Vector& u, const Vector& x);
  // x with tangent^T x = g where unknowns are free.
  Vector solve_transposed(const Vector& u, const Vector& g);
  Vector on_device(const std::vector<double>& values) const;  // [unknown]
  void add_prescribed(Vector g, std::vector<double>& by_prescribed) const;

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  void set_time(double t, double since);
  void set_factors(double factor);  // of the rates in the equations
  // The same for a step of length dt, and for linear equations the tangent with it.
  void use(double factor, double dt);
  void check_residual_at_begin(const Vector& r) const;  // throws where it is not finite
  void set_points_at_begin();
  void set_first_size();
  // Does a step of this length show how far a load will move a body at rest, even if it was too long? Errors are then
  // relative to that, too: the scale does not vanish with the length of the step. Much longer steps would exaggerate.
  bool shows_scale(double dt) const { return dt <= part_that_shows_scale * options_.end; }
  // Newton's method from u: residual = 0 for the free unknowns, whose tangent is that of the equations, at u where they
  // are nonlinear.
  using Residual = std::function<void(const Vector& u, Vector& r)>;
  void balance(const Residual& residual, const Vector& prescribed, const std::string& place, Vector& u);
  double last_residual() const { return newton_.relative_residual() * newton_.reference(); }
  std::string place_of(const TimeStep& step) const;
  // x = tangent^-1 of the free part of f, roughly.
  void filter(Vector& f, Vector& x);

  Profile& profile() const { return equations_.device().profile(); }

  Equations &equations_, &rates_;
  Supports& supports_;
  Transient options_;
  const Observer& observer_;
  const bool linear_;  // one tangent for all steps of a length
  State state_;
  const double begin_;
  const std::unique_ptr<TangentSystem> system_;
  Newton newton_;
  const Attached attached_;  // to the rates
  static constexpr double part_that_shows_scale = 1e-3;
  double factor_ = -1, dt_in_use_ = 0;
  bool judges_;                  // the error of steps
  double residual_in_step_ = 0;  // the largest force that a stage left

 private:
  LinearSolverOptions linear_options() const;
  NewtonOptions newton_options() const;
  SolveReport summary() const;
  void keep();
  void advance(double target);
  TimeStep next_step_towards(double target) const;
  void begin_system();
  void check_length(const TimeStep& step) const;
  void tell();

  std::optional<TransposedTangent> transposed_, transposed_rates_;  // once they were needed
  const std::string method_;
  const bool second_order_;
  const StepControl control_;
  const LoadSamples* samples_;    // or null
  std::optional<Error> failure_;  // of the last try
  std::vector<Stage>* traced_ = nullptr;
};

std::unique_ptr<Evolution> first_order(const TransientModel& model, Transient options, const Observer& observer);
std::unique_ptr<Evolution> second_order(const TransientModel& model, Transient options, const Observer& observer);
MemoryNeeds first_order_vector_needs(Index unknowns);
MemoryNeeds second_order_vector_needs(Index unknowns);

}  // namespace ritz
