#include "fem/analysis/exciting_forces.hpp"

#include "fem/analysis/attached.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <iterator>

namespace ritz {
namespace {

// Minus the residual at rest, with what dependent unknowns pass on.
Vector force_of(const OwnField& field, const std::vector<Integral>& loads) {
  Vector r = field.zeros();
  field.of(loads).residual(field.zeros(), r);
  axpby(0.0, r, -1.0, r);
  return r;
}

}  // namespace

ExcitingForces exciting_forces(const Model& model, bool outside, const OwnField& field, const Operator& masses) {
  ExcitingForces result;
  std::vector<Integral> loads;
  std::ranges::copy_if(model.equations, std::back_inserter(loads),
                       [](const Integral& each) { return !each.form.has_matrix; });
  const auto add = [&](const std::string& name, Vector force) {
    result.names.push_back(name);
    result.loads.push_back(std::move(force));
  };
  if (outside && !loads.empty()) add("loads", force_of(field, loads));
  for (const ModelLoadCase& each : model.load_cases) add(each.name, force_of(field, each.loads));
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
