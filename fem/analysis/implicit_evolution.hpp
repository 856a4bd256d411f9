// Evolutions whose steps solve equations: one linear system while the step stays, Newton's method, and the discrete
// adjoint of the steps. Private to fem/analysis.
#pragma once

#include "device/function_ref.hpp"
#include "fem/analysis/attached.hpp"
#include "fem/analysis/evolution.hpp"
#include "fem/analysis/transposed_tangent.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

class ImplicitEvolution : public Evolution {
 public:
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
  ImplicitEvolution(const TransientModel& model, Transient options, const Observer& observer, std::string method,
                    int error_order);

  virtual Stage present() = 0;  // between steps
  void trace(Stage stage);      // for retrace()
  bool is_traced() const { return traced_ != nullptr; }

  // The transposed tangent at u times x.
  Vector transposed_action(const Equations& of, const Vector& u, const Vector& x);
  // x with tangent^T x = g where unknowns are free.
  Vector solve_transposed(const Vector& u, const Vector& g);
  Vector on_device(const std::vector<double>& values) const;  // [unknown]
  void add_prescribed(Vector g, std::vector<double>& by_prescribed) const;

  void set_factors(double factor);  // of the rates in the equations
  // The same for a step of length dt, and for linear equations the tangent with it.
  void use(double factor, double dt);
  // Does a step of this length show how far a load will move a body at rest, even if it was too long? Errors are then
  // relative to that, too: the scale does not vanish with the length of the step. Much longer steps would exaggerate.
  bool shows_scale(double dt) const { return dt <= part_that_shows_scale * options_.end; }
  // Newton's method from u: residual = 0 for the free unknowns, whose tangent is that of the equations, at u where they
  // are nonlinear.
  using Residual = FunctionRef<void(const Vector& u, Vector& r)>;
  void balance(const Residual& residual, const Vector& prescribed, const std::string& place, Vector& u);
  double last_residual() const { return newton_.relative_residual() * newton_.reference(); }
  std::string place_of(const TimeStep& step) const;
  // x = tangent^-1 of the free part of f, roughly.
  void filter(Vector& f, Vector& x);

  // A nonlinear system starts again in each step, so that what it keeps does not depend on where a run was resumed.
  void begin_system();
  void finish_try() override;
  void add_solves(SolveReport& summary) const override;

  const std::shared_ptr<TangentSystem> system_;
  Newton newton_;
  const std::shared_ptr<const MeanSupports> means_;  // the supports, where they have prescribed means; else null
  const std::shared_ptr<const Attached> attached_;   // masses to the rates; springs and means that are held
  static constexpr double part_that_shows_scale = 1e-3;
  double factor_ = -1;

 private:
  LinearSolverOptions linear_options() const;
  NewtonOptions newton_options() const;

  const FieldOfRank* const part_;                                   // null: one process, or several fields
  std::optional<TransposedTangent> transposed_, transposed_rates_;  // once they were needed
  std::vector<Stage>* traced_ = nullptr;
};

}  // namespace ritz
