#include "fem/analysis/exciting_forces.hpp"

#include "fem/analysis/attached.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace ritz {
namespace {

// Minus the residual at rest, with what dependent unknowns pass on.
Vector force_of(const Model& model, const std::vector<Integral>& loads) {
  Vector r = model.space.zeros();
  Operator(model.space, loads).residual(model.space.zeros(), r);
  axpby(0.0, r, -1.0, r);
  return r;
}

Vector moved_along(const FunctionSpace& space, int direction) {
  std::vector<double> moved(static_cast<std::size_t>(space.unknown_count()), 0.0);
  for (auto i = static_cast<std::size_t>(direction); i < moved.size();
       i += static_cast<std::size_t>(space.components()))
    moved[i] = 1;
  return Vector(space.device(), std::span<const double>(moved), "vectors");
}

}  // namespace

ExcitingForces exciting_forces(const Model& model, bool outside, const Setup& setup) {
  ExcitingForces result;
  std::vector<Integral> loads;
  std::ranges::copy_if(model.equations, std::back_inserter(loads),
                       [](const Integral& each) { return !each.form.has_matrix; });
  const auto add = [&](const std::string& name, Vector force) {
    result.names.push_back(name);
    result.loads.push_back(std::move(force));
  };
  if (outside && !loads.empty()) add("loads", force_of(model, loads));
  for (const ModelLoadCase& each : model.load_cases) add(each.name, force_of(model, each.loads));
  const Attached attached = attached_to(model.space, model.attached, setup.supports().common());
  for (int d = 0; d < std::min(model.space.components(), 3); ++d) {  // of beams and shells: not their rotations
    if (model.rigid == RigidModes::axisymmetric && d != 1) continue;
    result.directions.push_back(d);
    const Vector& t = result.translations.emplace_back(moved_along(model.space, d));
    Vector& f = result.inertia.emplace_back(model.space.zeros());
    setup.rates().residual(t, f);
    attached.add_masses(1, t, f);
  }
  return result;
}

}  // namespace ritz
