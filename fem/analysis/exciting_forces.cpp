#include "fem/analysis/exciting_forces.hpp"

#include "device/function_ref.hpp"
#include "fem/analysis/attached.hpp"
#include "fem/operator/fields_operator.hpp"
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

// residual_of(loads): at rest, with what dependent unknowns pass on.
void add_loads(const Model& model, bool outside, FunctionRef<Vector(const IntegralsOfFields&)> residual_of,
               ExcitingForces& result) {
  const auto add = [&](const std::string& name, const IntegralsOfFields& loads) {
    result.names.push_back(name);
    Vector force = residual_of(loads);
    axpby(0.0, force, -1.0, force);
    result.loads.push_back(std::move(force));
  };
  if (const IntegralsOfFields loads = loads_outside(model);
      outside && !(loads.of_one.empty() && loads.of_several.empty()))
    add("loads", loads);
  for (const ModelLoadCase& each : model.load_cases) add(each.name, {each.loads, each.loads_of_fields});
}

}  // namespace

ExcitingForces exciting_forces(const Model& model, bool outside, AnswersOfFields& answers,
                               std::vector<int> directions) {
  ExcitingForces result{.directions = std::move(directions)};
  add_loads(
      model, outside,
      [&](const IntegralsOfFields& loads) {
        const FieldsOperator all(model.spaces(), loads.of_several, loads.of_one);
        Vector r = all.zeros();
        all.residual(all.zeros(), r);
        return answers.own(r);
      },
      result);
  for (const int d : result.directions) {
    const Vector& t = result.translations.emplace_back(answers.translation(d));
    Vector& f = result.inertia.emplace_back(answers.zeros());
    copy(answers.mass_times(t), f);
  }
  return result;
}

ExcitingForces exciting_forces(const Model& model, bool outside, const OwnField& field, const Operator& masses) {
  ExcitingForces result;
  add_loads(
      model, outside,
      [&](const IntegralsOfFields& loads) {
        Vector r = field.zeros();
        field.of(loads.of_one).residual(field.zeros(), r);
        return r;
      },
      result);
  const Attached attached = attached_to(Spaces{model.space}, model.attached, field.supports(), field.part());
  const Operator& own_masses = field.own(masses);
  for (int d = 0; d < std::min(model.space.components(), 3); ++d) {  // of beams and shells: not their rotations
    if (model.rigid == RigidModes::axisymmetric && d != 1) continue;
    result.directions.push_back(d);
    const Vector& t = result.translations.emplace_back(field.translation(d));
    Vector& f = result.inertia.emplace_back(field.zeros());
    own_masses.residual(t, f);
    attached.add_masses(1, t, f);
  }
  return result;
}

}  // namespace ritz
