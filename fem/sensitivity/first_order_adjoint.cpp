#include "fem/analysis/first_order.hpp"
#include "fem/sensitivity/step_adjoint.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ritz {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class FirstOrderAdjoint final : public StepAdjoint {
 public:
  FirstOrderAdjoint(const TransientModel& model, Transient options)
      : StepAdjoint(model, std::move(options)), integrator_(problem_, model, {}) {}

 private:
  Integrator& integrator() override { return integrator_; }
  ImplicitSteps& steps() override { return integrator_.steps(); }
  Stage present() override { return integrator_.present(); }

  void step_back(TakenStep& taken, Index number, AdjointSums& sums) override {
    const DiagonallyImplicitMethod& method = integrator_.use_step(number, taken.step.dt);
    std::array<Vector, DiagonallyImplicitMethod::most_stages> lambda;
    Vector sum = zeros();
    const auto weighted = [&](int stage) {  // what stages after this one give it
      Vector weights = zeros();
      for (int k = std::max(stage + 1, 1); k < method.stages; ++k)
        axpy(method.weight[at(k)][at(stage)] / method.diagonal, lambda[at(k)], weights);
      return weights;
    };
    for (int i = method.last(); i > 0; --i) {
      const bool is_end = i == method.last();
      Stage& stage = taken.stages[at(i - 1)];
      const Vector u = on_device(stage.u);
      problem_.set_time(stage.time, stage.since);
      Vector of_residual = is_end ? on_device(sums.of_residual) : weighted(i);
      Vector of_rates = is_end ? on_device(sums.of_rates) : zeros();
      const std::vector<double> direct = is_end ? sums.g : std::vector<double>(sums.g.size(), 0.0);
      lambda[at(i)] = solve_transposed(u, derivative_at(u, direct, of_residual, of_rates));
      axpy(1.0, lambda[at(i)], of_residual);
      axpy(steps().factor(), lambda[at(i)], of_rates);
      axpy(-steps().factor(), lambda[at(i)], sum);
      add_prescribed(derivative_at(u, direct, of_residual, of_rates), sums.by_prescribed);
      stage.of_residual = of_residual.host();
      stage.of_rates = of_rates.host();
    }
    sums.of_residual = weighted(0).host();
    sums.of_rates = sum.host();
    std::ranges::fill(sums.g, 0.0);
  }

  // dJ/du of a stage: direct, less the transposed tangents of what these weights do work on. The equations hold the
  // rates times the present factor.
  Vector derivative_at(const Vector& u, const std::vector<double>& g, const Vector& of_residual,
                       const Vector& of_rates) {
    Vector result = on_device(g), beside = zeros();
    axpy(-1.0, transposed_action(*problem_.equations, u, of_residual), result);
    copy(of_rates, beside);
    axpy(-std::max(steps().factor(), 0.0), of_residual, beside);
    axpy(-1.0, transposed_action(*problem_.rates, u, beside), result);
    return result;
  }

  // The begin has no equations.
  std::vector<double> end_at(std::vector<Stage>& begin, AdjointSums& sums) override {
    Stage& stage = begin.front();
    problem_.set_time(stage.time, stage.since);
    Vector g = derivative_at(on_device(stage.u), sums.g, on_device(sums.of_residual), on_device(sums.of_rates)),
           held = zeros();
    copy(g, held);
    add_prescribed(std::move(held), sums.by_prescribed);
    stage.of_residual = sums.of_residual;
    stage.of_rates = sums.of_rates;
    problem_.supports->gather(g);
    problem_.supports->set_zero(g);
    return g.host();
  }

  FirstOrder integrator_;
};

}  // namespace

std::unique_ptr<StepAdjoint> first_order_adjoint(const TransientModel& model, Transient options) {
  return std::make_unique<FirstOrderAdjoint>(model, std::move(options));
}

}  // namespace ritz
