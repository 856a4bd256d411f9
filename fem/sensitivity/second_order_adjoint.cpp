#include "fem/analysis/second_order.hpp"
#include "fem/sensitivity/step_adjoint.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

class SecondOrderAdjoint final : public StepAdjoint {
 public:
  SecondOrderAdjoint(const TransientModel& model, Transient options)
      : StepAdjoint(model, std::move(options)), integrator_(problem_, model, {}) {}

 private:
  Integrator& integrator() override { return integrator_; }
  ImplicitSteps& steps() override { return integrator_.steps(); }
  Stage present() override { return integrator_.present(); }

  // Full vectors become those of the free unknowns.
  Vector free_part(Vector x) const {
    problem_.supports->gather(x);
    problem_.supports->set_zero(x);
    return x;
  }
  Vector free_inertia_of(const Vector& x) {
    Vector forces = zeros();
    integrator_.inertia_of(x, forces);
    return free_part(std::move(forces));
  }
  // The transposed tangent of the residual, without the rates.
  Vector tangent_of_residual(const Vector& w, const Vector& x) {
    const double factor = steps().factor();
    steps().set_factor(0);
    Vector y = transposed_action(*problem_.equations, w, x);
    steps().set_factor(factor);
    return y;
  }
  static const std::vector<double>& place_of_residual(const Stage& stage) {
    return stage.residual_at.empty() ? stage.u : stage.residual_at;
  }

  struct Motion {
    Vector u, v, a;
  };
  // Parts that the unknowns between steps give J: directly, through later steps, through later residuals at w.
  Motion given_to(const Stage& stage, const AdjointSums& sums) {
    Vector by_u = on_device(sums.g), by_v = on_device(sums.by_v);
    const Vector by_w = tangent_of_residual(on_device(place_of_residual(stage)), on_device(sums.of_residual));
    axpy(-1.0, by_w, by_u);
    axpy(-integrator_.damping().stiffness, by_w, by_v);
    Motion result{free_part(std::move(by_u)), free_part(std::move(by_v)), on_device(sums.a)};
    axpy(1.0, on_device(sums.u), result.u);
    axpy(1.0, on_device(sums.v), result.v);
    return result;
  }
  // Once all weights of the residual of a stage are known.
  void add_prescribed_of(const Stage& stage, const AdjointSums& sums, std::vector<double>& by_prescribed) {
    Vector held = on_device(sums.g);
    axpy(-1.0, tangent_of_residual(on_device(place_of_residual(stage)), on_device(stage.of_residual)), held);
    add_prescribed(std::move(held), by_prescribed);
  }
  static void use_up(AdjointSums& sums) {
    std::ranges::fill(sums.g, 0.0);
    std::ranges::fill(sums.by_v, 0.0);
  }

  // A step solves F(a_1) = (1 - f) r(w_1) + f r(w_0) + M x = 0 with Newmark's kinematics: dF/da_1 is the tangent of the
  // step times (1 - f) dw/da.
  void step_back(TakenStep& taken, Index, AdjointSums& sums) override {
    const double h = taken.step.dt, m = integrator_.method().alpha_m, f = integrator_.method().alpha_f,
                 from_a = integrator_.damping().mass, gamma = integrator_.method().gamma;
    integrator_.use_step(h);
    Stage& stage = taken.stages.front();
    problem_.set_time(stage.time, stage.since);
    const Vector w = on_device(place_of_residual(stage));
    Motion by = given_to(stage, sums);
    Vector rest = zeros();
    copy(by.a, rest);
    axpy(integrator_.per_u(h), by.u, rest);
    axpy(gamma * h, by.v, rest);
    Vector lambda = solve_transposed(w, rest);
    axpby(0.0, lambda, 1 / ((1 - f) * integrator_.per_a(h)), lambda);
    Vector weights = on_device(sums.of_residual);
    axpy(1 - f, lambda, weights);
    const Vector by_w = free_part(tangent_of_residual(w, lambda)), by_masses = free_inertia_of(lambda);
    axpy(-(1 - f), by_w, by.u);
    axpy(-(1 - f) * integrator_.damping().stiffness, by_w, by.v);
    axpy(-(1 - f) * from_a, by_masses, by.v);
    stage.of_residual = weights.host();
    stage.of_rates = lambda.host();
    add_prescribed_of(stage, sums, sums.by_prescribed);
    sums.u = by.u.host();
    copy(by.v, rest);
    axpy(h, by.u, rest);
    axpy(-f * from_a, by_masses, rest);
    sums.v = rest.host();
    axpby(h * (1 - gamma), by.v, 0.0, rest);
    axpy(h * h * (0.5 - integrator_.method().beta), by.u, rest);
    axpy(-m, by_masses, rest);
    sums.a = rest.host();
    axpby(0.0, lambda, f, lambda);
    sums.of_residual = lambda.host();
    use_up(sums);
  }

  std::vector<double> end_at(std::vector<Stage>& begin, AdjointSums& sums) override {
    Stage& stage = begin.front();
    problem_.set_time(stage.time, stage.since);
    const Vector w = on_device(place_of_residual(stage)), u = on_device(stage.u);
    Motion by = given_to(stage, sums);
    Vector mu = zeros();
    integrator_.solve_masses(u, by.a, mu);
    problem_.supports->set_linear(mu);
    const Vector by_w = free_part(tangent_of_residual(w, mu));
    axpy(-1.0, by_w, by.u);
    axpy(-integrator_.damping().stiffness, by_w, by.v);
    axpy(-integrator_.damping().mass, free_inertia_of(mu), by.v);
    sums.v = by.v.host();
    Vector weights = on_device(sums.of_residual);
    axpy(1.0, mu, weights);
    stage.of_residual = weights.host();
    stage.of_rates = mu.host();
    add_prescribed_of(stage, sums, sums.by_prescribed);
    use_up(sums);
    if (!problem_.options.from_equilibrium) return by.u.host();
    steps().set_factor(0);
    steps().make_tangent();
    Stage rest{stage.time, stage.since, stage.u};
    rest.of_residual = solve_transposed(u, by.u).host();
    add_prescribed_of(rest, sums, sums.by_prescribed);
    begin.push_back(std::move(rest));
    return std::vector<double>(sums.g.size(), 0.0);
  }

  SecondOrder integrator_;
};

}  // namespace

std::unique_ptr<StepAdjoint> second_order_adjoint(const TransientModel& model, Transient options) {
  return std::make_unique<SecondOrderAdjoint>(model, std::move(options));
}

}  // namespace ritz
