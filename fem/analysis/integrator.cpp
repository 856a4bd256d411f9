#include "fem/analysis/integrator.hpp"

#include "fem/analysis/mean_supports.hpp"
#include "fem/ranks/part_of_model.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {

std::shared_ptr<const Attached> attached_of(const TransientModel& model) {
  if (model.means != nullptr) return model.means->attached();
  const Equations& all = model.part != nullptr ? model.part->equations_of_all() : model.equations;
  return std::make_shared<const Attached>(attached_to(all, model.attached, model.supports, model.part));
}

TimeProblem::TimeProblem(const TransientModel& model, Transient given)
    : equations(model.equations.shared()),
      rates(model.rates.shared()),
      supports(model.supports.shared()),
      options(std::move(given)),
      second_order(model.second_order),
      linear(equations->facts().linear && !equations->facts().matrix_varies_in_time && !equations->facts().has_states),
      samples(model.samples),
      state(std::move(options.begin)),
      begin(state.time),
      judges(options.fixed_step == 0) {
  std::ranges::sort(options.output);
  // Times that differ by rounding are one, and those next to the end are the end.
  const double rounding = 1e-9 * options.end;
  const auto same =
      std::ranges::unique(options.output, [rounding](double one, double next) { return next - one <= rounding; });
  options.output.erase(same.begin(), same.end());
  std::erase_if(options.output, [&](double t) { return t <= begin || t >= options.end - rounding; });
  options.output.push_back(options.end);
}

Vector TimeProblem::on_device(const std::vector<double>& values) const {
  return Vector(equations->device(), std::span<const double>(values), "vectors");
}

void TimeProblem::set_time(double t, double since) const {
  equations->inputs().set_time({t, t - since});
  rates->inputs().set_time({t, t - since});
  if (supports->varies_in_time()) supports->set_time(t);
}

void TimeProblem::check_residual_at_begin(const Vector& r) const {
  if (std::isfinite(norm2(r))) return;
  throw Error(
      ErrorKind::not_finite,
      fmt::format("the residual at {} is not finite at the begin, t = {:g}", not_finite_in(*equations, r), begin),
      "a load, a coefficient or the form itself overflows there", "check the values of the case file and the form");
}

void TimeProblem::set_points_at_begin() const {
  if (state.points.empty()) equations->states().reset();
  else equations->states().set(state.points);
}

void TimeProblem::set_first_size() {
  state.control.size = options.fixed_step > 0   ? options.fixed_step
                       : options.first_step > 0 ? options.first_step
                                                : 1e-3 * (options.end - begin);
  if (options.largest_step > 0) state.control.size = std::min(state.control.size, options.largest_step);
}

}  // namespace ritz
