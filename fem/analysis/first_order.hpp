// d/dt m(u) + r(u, t) = 0 by a diagonally implicit method (solvers/time/diagonally_implicit.hpp). Private to fem.
#pragma once

#include "fem/analysis/implicit_steps.hpp"
#include "solvers/algebra/vectors.hpp"

#include <array>
#include <vector>

namespace ritz {

class FirstOrder final : public Integrator {
 public:
  FirstOrder(TimeProblem& problem, const TransientModel& model, const MessageSink& progress);

  void start() override;
  void resume() override;
  void begin_step() override;
  void return_to_begin() override { copy(before_, u_); }
  double take(const TimeStep& step) override;
  void finish_try() override { steps_.finish_try(); }
  void accept(const TimeStep& step) override;
  SolutionView view() override;
  void add_solves(SolveReport& summary) const override { steps_.add_solves(summary); }

  // For derivatives (fem/sensitivity/first_order_adjoint.cpp).
  ImplicitSteps& steps() { return steps_; }
  Stage present() const { return {state_.time, state_.time - state_.dt, u_.host()}; }  // between steps
  // Returns the method of the step of this number, 0 for the first; makes the tangent for its length.
  const DiagonallyImplicitMethod& use_step(Index number, double dt);

 private:
  static constexpr int most_stages = DiagonallyImplicitMethod::most_stages;

  void find_rates();
  void residual_of(const Vector& u, Vector& r) const;
  void take_stages(const DiagonallyImplicitMethod& method, const TimeStep& step);
  double estimate(const DiagonallyImplicitMethod& method, double dt, bool twice);
  void add_to_balance(double dt);
  std::vector<double> ranges_in_fields(const std::vector<double>& lowest, const std::vector<double>& highest) const;
  void widen(const std::vector<double>& u, std::vector<double>& lowest, std::vector<double>& highest) const;

  TimeProblem& problem_;
  State& state_;
  Equations &equations_, &rates_;
  Supports& supports_;
  ImplicitSteps steps_;
  const DiagonallyImplicitMethod& method_;
  std::vector<bool> has_rates_;                       // [component]
  const DiagonallyImplicitMethod* in_use_ = nullptr;  // in the last step
  Vector u_, before_, prescribed_, known_;            // known_: right-hand side of a stage
  Vector stored_, stored_before_;                     // m at the present stage, and at the begin of the step
  Vector work_;                                       // between steps: what held prescribed values in the last one
  std::array<Vector, most_stages> r_;                 // of each stage
  std::vector<double> reaction_;
  bool jumps_ = false, held_dirty_ = false;
};

MemoryNeeds first_order_vector_needs(Index unknowns);

}  // namespace ritz
