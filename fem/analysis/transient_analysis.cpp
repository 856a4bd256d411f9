#include "fem/analysis/setup.hpp"

#include <algorithm>
#include <utility>

namespace ritz {

void check(const Model& model, const Transient&) {
  if (model.capacity.empty())
    throw Error(Exit::model, "an evolution in time of a model without capacity", "nothing says what the body stores",
                "give the materials a density and a specific heat");
  if (!model.load_cases.empty())
    throw Error(Exit::model, "load cases of an evolution in time",
                "each load case is a state of its own, and here one state follows the other",
                "omit [time] or the load cases; loads may be formulas of t");
}

std::vector<Integral> with_capacity(const Model& model) {
  std::vector<Integral> all = model.equations;
  all.insert(all.end(), model.capacity.begin(), model.capacity.end());
  return all;
}

bool is_linear_in_time(const Model& model) {
  return model.linear && std::ranges::all_of(model.capacity, [](const Integral& i) { return i.form.linear; });
}

TransientResult solve(const Model& model, Transient analysis, const Observer& observer, const Prepared& prepared) {
  check(model, analysis);
  const Setup setup(model, prepared, Setup::Held::not_needed, with_capacity(model), model.capacity);
  if (analysis.begin.u.empty()) analysis.begin = uniform_state(model, model.start);
  analysis.linear = promised(analysis.linear, model);
  return solve_transient({setup.equations(), model.equations.size(), setup.rates(), *setup.supports().all().front()},
                         std::move(analysis), within_ranges(model, observer));
}

Forecast forecast(const Model& model, const Transient& analysis, const Prepared&) {
  LinearSolverOptions linear = analysis.linear;
  linear.one_of_many = is_linear_in_time(model);
  const Operator capacity = counted(model, model.capacity);
  return forecast_of(
      model, with_capacity(model), linear,
      {.results = 2,
       .stages = 1,
       .shows_stages = true,
       .beside = transient_vector_needs(*model.space) + capacity.memory_needs(Operator::Task::residual)});
}

}  // namespace ritz
