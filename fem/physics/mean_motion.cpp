#include "fem/physics/mean_motion.hpp"

#include "fem/operator/operator.hpp"
#include "fem/physics/load_forms.hpp"
#include "fem/physics/place.hpp"
#include "fem/physics/remote_force.hpp"

#include <fmt/format.h>

namespace ritz {

// The weights are the loads of unit forces and moments on the unknowns, so that work and mean motion agree to rounding
// on curved facets and in fields of any order.
MeanMotion::MeanMotion(const FunctionSpace& space, const Region& facets, const std::optional<Point>& reference,
                       const std::string& origin) {
  const Mesh& mesh = space.mesh();
  if (space.components() != 3 || mesh.dimension() != 3)
    throw Error(ErrorKind::relation, "a coupling of a field that is no displacement in space",
                fmt::format("the unknown has {} components in {} dimensions", space.components(), mesh.dimension()),
                "couplings are of solids")
        .at(origin);
  for (const Node node : space.nodes_in(facets))
    for (std::int32_t c = 0; c < 3; ++c) unknowns_.push_back(3 * node + c);
  const Vector at_rest = space.zeros();
  Vector r = space.zeros();
  for (std::size_t motion = 0; motion < weights_.size(); ++motion) {
    RemoteForce unit{.at = reference};
    (motion < 3 ? unit.force : unit.moment)[motion % 3] = 1;
    const std::vector<Coefficient> traction = equivalent_traction(mesh, facets, unit, space.order());
    const Operator load(space, {Integral::over(load_form<3, 3, 1>(traction, BodyMeasure{}), facets)});
    load.residual(at_rest, r);
    const std::vector<double> forces = r.host();
    for (const std::int32_t unknown : unknowns_) weights_[motion].push_back(-forces[static_cast<std::size_t>(unknown)]);
  }
}

double MeanMotion::work(std::size_t motion, std::span<const double> u) const {
  double sum = 0;
  for (std::size_t i = 0; i < unknowns_.size(); ++i)
    sum += weights_[motion][i] * u[static_cast<std::size_t>(unknowns_[i])];
  return sum;
}

std::vector<UnknownTerm> MeanMotion::terms(std::size_t motion) const {
  std::vector<UnknownTerm> result;
  for (std::size_t i = 0; i < unknowns_.size(); ++i)
    result.push_back({static_cast<Node>(unknowns_[i] / 3), unknowns_[i] % 3, weights_[motion][i]});
  return result;
}

RigidMotion MeanMotion::of(std::span<const double> u) const {
  RigidMotion result;
  for (std::size_t motion = 0; motion < weights_.size(); ++motion)
    (motion < 3 ? result.displacement : result.rotation)[motion % 3] = work(motion, u);
  return result;
}

}  // namespace ritz
