// M a + C v + r(u, t) = 0 by the generalised-alpha method. M has the masses of reference points, too.
// Stiffness-proportional damping is taken into the residual: for linear equations K u + b K v = K w with w = u + b v.
// At the end of a step w = w_ahead + s (u - u_ahead), so that
//
//   (r(w, t) + factor M w - what is known) / s = 0
//
// has the tangent r' + factor M, and is all that a step solves: v and a follow from u. Unknowns at the begin of the
// step have no mark, those at its end a _1, and those that a = 0 at the end would lead to are called ahead.
//
// A field without inertia, such as a pressure, is in balance at each moment. Its a is zero, and its v, except where
// damping takes the place of r(u) by r(w). Private to fem.
#pragma once

#include "fem/analysis/implicit_steps.hpp"
#include "fem/analysis/support_motion.hpp"
#include "solvers/time/generalised_alpha.hpp"

#include <memory>
#include <vector>

namespace ritz {

class SecondOrder final : public Integrator {
 public:
  SecondOrder(TimeProblem& problem, const TransientModel& model, const MessageSink& progress);

  void start() override;
  void resume() override;
  void begin_step() override { steps_.begin_step(); }
  double take(const TimeStep& step) override;
  void finish_try() override { steps_.finish_try(); }
  void accept(const TimeStep& step) override;
  SolutionView view() override;
  void add_solves(SolveReport& summary) const override { steps_.add_solves(summary); }

  // For derivatives (fem/sensitivity/second_order_adjoint.cpp).
  ImplicitSteps& steps() { return steps_; }
  Stage present();  // between steps
  const GeneralisedAlpha& method() const { return method_; }
  const RayleighDamping& damping() const { return damping_; }
  double per_u(double h) const { return method_.beta * h * h; }                               // du / da at the end
  double per_a(double h) const { return per_u(h) + damping_.stiffness * method_.gamma * h; }  // dw / da
  void use_step(double h);                           // makes the tangent for this length
  void inertia_of(const Vector& x, Vector& forces);  // M x
  void solve_masses(const Vector& u, Vector& f, Vector& x) const;

 private:
  void find_w(const Vector& u, const Vector& v, Vector& w) const;
  void whole_residual(const Vector& w, Vector& r);
  void residual_of(const Vector& w, Vector& r);
  void stay_across_means(FunctionRef<void(Vector&, Vector&)> solve, Vector& x) const;
  void find_fields_with_inertia();
  void put_others(const Vector& others, Vector& x);
  void begin_fields_without_inertia();
  void balance_without_inertia(const Vector& v, Vector& x);
  void find_equilibrium();
  void find_first_acceleration();
  void find_given_motion();
  void trace_step(const TimeStep& step);
  void find_w_at_end(double s, const Vector& u);
  void look_ahead(double t, double h);
  double estimate(double h);
  void find_forces(const Vector& u, const Vector& v, const Vector& r, Vector& inner, Vector& force, Vector& drag);
  double work_of_supports();
  void find_acceleration(double part, const Vector& before, const Vector& after, Vector& result);

  TimeProblem& problem_;
  State& state_;
  Equations &equations_, &rates_;
  Supports& supports_;
  ImplicitSteps steps_;
  const GeneralisedAlpha method_;
  const RayleighDamping damping_;
  const std::unique_ptr<Equations> loads_;  // those integrals of the equations that are forces from outside
  Vector u_, v_, a_, r_, u_1_, v_1_, a_1_, r_1_;
  Vector u_ahead_, v_ahead_, w_ahead_, w_, known_;
  SupportMotion motion_;
  Vector work_, product_;
  Vector inner_, force_, drag_, inner_1_, force_1_, drag_1_;  // of the body, the loads and damping
  std::vector<double> reaction_;
  double largest_ = 0;
  Vector given_;         // of traced steps: find_given_motion()
  Vector with_inertia_;  // [unknown] 1: its field has inertia; empty: all have
};

MemoryNeeds second_order_vector_needs(Index unknowns);

}  // namespace ritz
