#include "fem/analysis/transient.hpp"

#include "fem/analysis/central_differences.hpp"
#include "fem/analysis/evolution.hpp"
#include "fem/analysis/first_order.hpp"
#include "fem/analysis/second_order.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ritz {

double TransientBalance::defect() const {
  double worst = 0;
  for (std::size_t c = 0; c < stored.size(); ++c)
    if (moved[c] > 0) worst = std::max(worst, std::abs(stored[c] - supplied[c] - prescribed[c]) / moved[c]);
  return worst;
}

double EnergyBalance::lost() const { return begin + by_loads + by_supports - kinetic - strain - inelastic - damped; }

TransientResult solve_transient(const TransientModel& model, Transient options, const Observer& observer) {
  TimeProblem problem(model, std::move(options));
  std::unique_ptr<Integrator> integrator;
  if (problem.options.central_differences) integrator = central_differences(problem, model);
  else if (model.second_order) integrator = std::make_unique<SecondOrder>(problem, model, observer.progress);
  else integrator = std::make_unique<FirstOrder>(problem, model, observer.progress);
  TransientResult result = evolve(problem, *integrator, observer);
  if (observer.record) observer.record(result.summary);
  return result;
}

MemoryNeeds transient_vector_needs(Index unknowns, bool second_order) {
  return second_order ? second_order_vector_needs(unknowns) : first_order_vector_needs(unknowns);
}

}  // namespace ritz
