#include "fem/analysis/transient.hpp"

#include "fem/analysis/implicit_evolution.hpp"

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
  std::unique_ptr<Evolution> evolution;
  if (options.central_differences) evolution = central_differences(model, std::move(options), observer);
  else if (model.second_order) evolution = second_order(model, std::move(options), observer);
  else evolution = first_order(model, std::move(options), observer);
  TransientResult result = evolution->solve();
  if (observer.record) observer.record(result.summary);
  return result;
}

MemoryNeeds transient_vector_needs(Index unknowns, bool second_order) {
  return second_order ? second_order_vector_needs(unknowns) : first_order_vector_needs(unknowns);
}

}  // namespace ritz
