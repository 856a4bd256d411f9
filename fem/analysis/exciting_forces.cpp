#include "fem/analysis/exciting_forces.hpp"

#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ritz {
namespace {

// Loads outside of load cases.
IntegralsOfFields loads_outside(const Model& model) {
  IntegralsOfFields loads;
  std::ranges::copy_if(model.equations, std::back_inserter(loads.of_one),
                       [](const Integral& each) { return !each.form.has_matrix; });
  std::ranges::copy_if(model.of_fields.equations, std::back_inserter(loads.of_several),
                       [](const MixedIntegral& each) { return !each.form.numbers.has_matrix; });
  return loads;
}

}  // namespace

ExcitingForces exciting_forces(const Model& model, bool outside, const OwnModel& own) {
  ExcitingForces result{.directions = own.directions()};
  const auto add = [&](const std::string& name, const IntegralsOfFields& loads) {
    result.names.push_back(name);
    Vector& force = result.loads.emplace_back(own.zeros());
    own.of(loads)->residual(own.zeros(), force);
    axpby(0.0, force, -1.0, force);
  };
  if (const IntegralsOfFields loads = loads_outside(model);
      outside && !(loads.of_one.empty() && loads.of_several.empty()))
    add("loads", loads);
  for (const ModelLoadCase& each : model.load_cases) add(each.name, {each.loads, each.loads_of_fields});
  for (const int d : result.directions)
    result.inertia.push_back(own.mass_times(result.translations.emplace_back(own.translation(d))));
  return result;
}

}  // namespace ritz
