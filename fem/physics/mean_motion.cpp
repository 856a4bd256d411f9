#include "fem/physics/mean_motion.hpp"

#include "fem/operator/operator.hpp"
#include "fem/physics/load_forms.hpp"
#include "fem/physics/place.hpp"

#include <fmt/format.h>
#include <numbers>

namespace ritz {

bool has_mean_motion(std::size_t motion, int dimension, bool of_revolution) {
  if (dimension == 3) return true;
  return of_revolution ? motion == 1 : motion == 0 || motion == 1 || motion == 5;
}

// A thickness cancels: the traction of a given force is inversely proportional to it.
Integral traction_on(const FunctionSpace& space, const Region& facets, const RemoteForce& load, bool of_revolution) {
  const BodyMeasure measure = of_revolution ? BodyMeasure{2 * std::numbers::pi, true} : BodyMeasure{};
  const std::vector<Coefficient> traction = equivalent_traction(space.mesh(), facets, load, space.order(), measure);
  return Integral::over(
      space.mesh().dimension() == 2 ? load_form<2, 2, 1>(traction, measure) : load_form<3, 3, 1>(traction, measure),
      facets);
}

// The weights are the loads of unit forces and moments on the unknowns, so that work and mean motion agree to rounding
// on curved facets and in fields of any order.
MeanMotion::MeanMotion(const FunctionSpace& space, const Region& facets, const std::optional<Point>& reference,
                       const std::string& origin, bool of_revolution)
    : components_(space.components()) {
  const int dimension = space.mesh().dimension();
  if (components_ != dimension || dimension < 2)
    throw Error(ErrorKind::relation, "a coupling of a field that is no displacement",
                fmt::format("the unknown has {} components in {} dimensions", components_, dimension),
                "couplings are of solids, plane bodies and bodies of revolution")
        .at(origin);
  for (const Node node : space.nodes_in(facets))
    for (std::int32_t c = 0; c < components_; ++c) unknowns_.push_back(components_ * node + c);
  const Vector at_rest = space.zeros();
  Vector r = space.zeros();
  for (std::size_t motion = 0; motion < weights_.size(); ++motion) {
    if (!has_mean_motion(motion, dimension, of_revolution)) continue;
    RemoteForce unit{.at = reference};
    (motion < 3 ? unit.force : unit.moment)[motion % 3] = 1;
    const Operator load(space, {traction_on(space, facets, unit, of_revolution)});
    load.residual(at_rest, r);
    const std::vector<double> forces = r.host();
    for (const std::int32_t unknown : unknowns_) weights_[motion].push_back(-forces[static_cast<std::size_t>(unknown)]);
  }
}

double MeanMotion::work(std::size_t motion, std::span<const double> u) const {
  double sum = 0;
  for (std::size_t i = 0; i < weights_[motion].size(); ++i)
    sum += weights_[motion][i] * u[static_cast<std::size_t>(unknowns_[i])];
  return sum;
}

std::vector<UnknownTerm> MeanMotion::terms(std::size_t motion) const {
  std::vector<UnknownTerm> result;
  for (std::size_t i = 0; i < weights_[motion].size(); ++i)
    result.push_back({static_cast<Node>(unknowns_[i] / components_), unknowns_[i] % components_, weights_[motion][i]});
  return result;
}

RigidMotion MeanMotion::of(std::span<const double> u) const {
  RigidMotion result;
  for (std::size_t motion = 0; motion < weights_.size(); ++motion)
    (motion < 3 ? result.displacement : result.rotation)[motion % 3] = work(motion, u);
  return result;
}

}  // namespace ritz
