#include "apps/cases/ground.hpp"

#include "apps/cases/formulas.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/point_inputs.hpp"
#include "fem/operator/operator.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ritz {
namespace {

Formula read_stiffness(const Case::Table& t, const char* key, const char* about) {
  const Formula value =
      t.formula(key, about, {.fallback = 0, .minimum = 0, .out_of_bounds = ErrorKind::material_value});
  if (value.depends_on_time())
    t.error(ErrorKind::wrong_value, key, fmt::format("'{}' depends on t", value.text()),
            "the ground does not change in time", "give a number, or a formula of the position");
  return value;
}

// The motion to which the ground answers: in an evolution with its damping in proportion to the stiffness.
Vector motion_of(const CaseModel& read, const SolutionView& s) {
  Vector motion = read.space().zeros();
  ritz::copy(s.u, motion);
  if (s.velocity != nullptr) axpy(read.model.damping.stiffness, *s.velocity, motion);
  return motion;
}

// [mesh node][component] residual of these integrals: forces of the body on the ground.
std::vector<double> forces_on_ground(const FunctionSpace& space, std::vector<Integral> integrals, const Vector& u) {
  Vector r = space.zeros();
  Operator(space, std::move(integrals)).residual(u, r);
  return space.forces_to_mesh(r);
}

// The ground's forces beside those of supports. Of supports alone where memory is short.
void add_to_reaction(Run& run, const CaseModel& read, const SolutionView& s, GroundForces& result) {
  std::vector<double>& reaction = result.reaction;
  const Model& model = read.model;
  std::vector<Integral> ground;
  for (const Exchange& each : model.exchanges)
    if (each.integral.form.state_start.empty()) ground.push_back(each.integral);
  result.complete = ground.size() == model.exchanges.size();
  if (!result.complete) run.log().notice("reactions are those of supports and of springs without a state");
  if (ground.empty()) return;
  try {
    const std::vector<double> forces = forces_on_ground(read.space(), std::move(ground), motion_of(read, s));
    for (std::size_t i = 0; i < reaction.size(); ++i) reaction[i] -= forces[i];
  } catch (const Error& error) {
    if (error.exit() != Exit::resources) throw;
    result.complete = false;
    run.log().notice(fmt::format("reactions are those of supports, without springs: {}", error.message()));
  }
}

// The sums of a linear solution's loads hold what the ground does where supports and equations move its nodes, which is
// no load.
void take_from_loads(Run& run, const CaseModel& read, std::span<const double> factors, GroundForces& result) try {
  std::vector<double>& applied = result.applied;
  std::vector<Integral> ground;
  for (const Exchange& each : read.model.exchanges) ground.push_back(each.integral);
  if (applied.empty() || ground.empty()) return;
  const std::vector<double> forces =
      forces_on_ground(read.space(), std::move(ground), read.supports->prescribed(factors));
  for (std::size_t i = 0; i < forces.size(); ++i) applied[i % applied.size()] += forces[i];
} catch (const Error& error) {
  if (error.exit() != Exit::resources) throw;
  result.complete = false;
  run.log().notice(
      fmt::format("loads include the forces of springs where supports move their nodes: {}", error.message()));
}

}  // namespace

void read_foundations(Case& input, const Mesh& mesh, ElasticBody& body) {
  for (const Case::Table& t : input.tables("foundation",
                                           "elastic ground under facets: force per area = stiffness times "
                                           "displacement")) {
    Foundation foundation{.origin = t.where()};
    const bool sound = input.sound();
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    foundation.normal = coefficient(read_stiffness(t, "stiffness", "along the normal of the facets [N/m^3]"));
    foundation.tangential = coefficient(read_stiffness(t, "tangential", "along the facets [N/m^3]"));
    const char* names[] = {"x", "y", "z"};
    for (int c = 0; c < mesh.dimension(); ++c)
      foundation.along[static_cast<std::size_t>(c)] =
          coefficient(read_stiffness(t, names[c], "along this axis, beside the other two [N/m^3]"));
    foundation.only_presses =
        t.choice("acts", "always; in compression: it presses and does not pull, so that the body lifts off",
                 {"always", "compression"}, "always") == "compression";
    if (sound && !input.sound()) foundation.normal = foundation.tangential = 1;  // so that no other errors follow
    body.foundation(region, std::move(foundation));
  }
}

void read_ground(Case& input, const Mesh& mesh, ElasticBody& body) {
  read_foundations(input, mesh, body);
  for (const Case::Table& t : input.tables("spring", "springs from nodes of a body to the ground")) {
    const Region* region = t.region("region", "nodes", mesh, {RegionKind::nodes});
    GroundSpring spring{.stiffness = {}, .origin = t.where()};
    spring.direction = optional_point(
        t, "direction", "of one spring, from the nodes to the ground; not given: along each axis", mesh.dimension());
    const std::vector<double> k = t.vector(
        "stiffness", "along each axis, or of a spring with a direction [N/m], shared by the nodes in equal parts",
        {.size = spring.direction ? 1 : mesh.dimension(), .minimum = 0});
    if (spring.direction) spring.along = k[0];
    else std::ranges::copy(k, spring.stiffness.begin());
    spring.only_presses = t.choice("acts", "always; in compression, with a direction: it presses and does not pull",
                                   {"always", "compression"}, "always") == "compression";
    if (spring.only_presses && !spring.direction)
      t.error(ErrorKind::prescribes_nothing, "acts", "a spring in compression without a direction",
              "along an axis both directions would be compression", "give direction, from the nodes to the ground");
    spring.each = t.flag("each", "the stiffness is that of each node, instead of all together", false);
    body.spring(region, std::move(spring));
  }
}

GroundForces ground_forces(Run& run, const CaseModel& read, const SolutionView& s) {
  GroundForces result{s.reaction, {s.applied.begin(), s.applied.end()}};
  add_to_reaction(run, read, s, result);
  take_from_loads(run, read, s.factors, result);
  return result;
}

void print_ground(Run& run, const CaseModel& read, const SolutionView& s) {
  const FunctionSpace& space = read.space();
  const auto components = static_cast<std::size_t>(space.components());
  std::vector<std::string> facts;
  for (const Exchange& each : read.model.exchanges) {
    std::vector<double> sums(components, 0.0);
    try {
      const std::vector<double> forces = forces_on_ground(space, {each.integral}, motion_of(read, s));
      for (std::size_t i = 0; i < forces.size(); ++i) sums[i % components] -= forces[i];
    } catch (const Error& error) {
      if (error.exit() != Exit::resources) throw;
      return run.log().notice(fmt::format("forces of the ground are not reported: {}", error.message()));
    }
    run.log().line("{} on '{}': ({:.6g}) N", each.kind, each.region->name,
                   fmt::join(without_rounding(sums, largest_of(sums)), ", "));
    facts.push_back(fmt::format("{} {}: {:.10g}", each.kind, each.region->name, fmt::join(sums, " ")));
  }
  if (!facts.empty()) run.results().facts()["ground"] = fmt::format("{}", fmt::join(facts, "; "));
}

}  // namespace ritz
