#include "fem/analysis/static_answers.hpp"

#include "fem/analysis/analysis.hpp"
#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/physics/free_body.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ritz {

LinearSolverOptions options_of_answers(const LinearSolverOptions& options, const Model& model) {
  LinearSolverOptions linear = promised(options, model);
  linear.relative = std::min(linear.relative, 1e-10);
  linear.rounding_error = std::max(linear.rounding_error, 1e-6);
  linear.one_of_many = true;
  return linear;
}

StaticAnswers::StaticAnswers(const Model& model, const State& begin, const LinearSolverOptions& options,
                             const Setup& setup, bool is_free)
    : setup_(setup) {
  if (is_free) {
    stopped_.emplace(model);
    stop_free_motions(model, *stopped_);
    for (Constraints* each : stopped_->all()) each->finish();
  }
  const bool has_points =
      std::ranges::any_of(model.equations, [](const Integral& each) { return !each.form.state_start.empty(); });
  const bool stressed = !begin.u.empty() && !has_points;
  if (stressed) {
    std::vector<Integral> all = model.equations;
    std::ranges::move(geometric_integrals(model, "vibration on modes"), std::back_inserter(all));
    stressed_.emplace(model.space, std::move(all));
  }
  LinearSolverOptions linear = options_of_answers(options, model);
  if (stressed) {
    linear.operator_kind = OperatorKind::matrix;
    divide_like(setup.equations(), *stressed_);
  }
  field_.emplace(stressed ? *stressed_ : setup.equations(), (stopped_ ? *stopped_ : setup.supports()).common(), linear);
  system_.emplace(field_->equations(), linear, LinearSystem::Keeps::solver, field_->part());
  attached_ =
      std::make_shared<const Attached>(attached_to(Spaces{model.space}, model.attached, supports(), field_->part()));
  if (attached_->any()) system_->set_beside(attached_, 1, 0);
  system_->linearise(field_->own(begin.u), supports());  // empty: at rest
}

const Vector& StaticAnswers::mass_times(const Vector& x) {
  if (moved_.empty()) moved_ = field_->zeros();
  field_->own(setup_.rates()).residual(x, moved_);
  attached_->add_masses(1, x, moved_);
  return moved_;
}

}  // namespace ritz
