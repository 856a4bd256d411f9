#include "fem/analysis/static_answers.hpp"

#include "device/error.hpp"
#include "fem/analysis/analysis.hpp"
#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/analysis/modal_space.hpp"
#include "fem/ranks/divisible.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace ritz {
namespace {

std::shared_ptr<const Equations> with_stiffness_of_stress(const Model& model, const Setup& setup) {
  std::vector<Integral> all = model.equations;
  std::ranges::move(geometric_integrals(model, "vibration on modes"), std::back_inserter(all));
  if (model.has_fields())
    return std::make_shared<const FieldsOperator>(model.spaces(), std::vector<MixedIntegral>(), all);
  auto stressed = std::make_shared<const Operator>(model.space, std::move(all));
  divide_like(setup.equations(), *stressed);
  return stressed;
}

}  // namespace

LinearSolverOptions options_of_answers(const LinearSolverOptions& options, const Model& model) {
  LinearSolverOptions linear = promised(options, model);
  linear.relative = std::min(linear.relative, 1e-10);
  linear.rounding_error = std::max(linear.rounding_error, 1e-6);
  linear.one_of_many = true;
  linear.method = method_of_answers(linear.method, model);
  return linear;
}

StaticAnswers::StaticAnswers(const Model& model, const State& begin, const LinearSolverOptions& options,
                             const Setup& setup, bool is_free) {
  if (is_free) stopped_.emplace(model);
  const bool has_points =
      std::ranges::any_of(model.equations, [](const Integral& each) { return !each.form.state_start.empty(); });
  LinearSolverOptions linear = options_of_answers(options, model);
  if (!begin.u.empty() && !has_points) {
    stressed_ = with_stiffness_of_stress(model, setup);
    linear.operator_kind = OperatorKind::matrix;
  }
  const VibratingOperators all = operators_of(setup);
  own_.emplace(model,
               VibratingOperators{stressed_ ? *stressed_ : all.equations, all.masses,
                                  stopped_ ? stopped_->supports() : all.supports},
               linear);
  system_ = own_->tangent(own_->own(begin.u), linear);  // empty: at rest
}

Vector StaticAnswers::free_part(const Vector& f) const {
  Vector b = zeros();
  copy(f, b);
  own_->supports().gather(b);
  own_->supports().set_zero(b);
  return b;
}

Vector StaticAnswers::to(const Vector& f) {
  Vector u = zeros();
  const Vector b = free_part(f);
  if (norm2(b) == 0) return u;
  const SolveReport report = system_->solve(b, u);
  if (!report.converged())
    throw Error(
        ErrorKind::not_converged,
        fmt::format("the linear solver ({}) stopped for a residual vector: {}", report.method, name_of(report.reason)),
        report.where, advice_for(report.reason));
  own_->supports().set_linear(u);
  return u;
}

}  // namespace ritz
