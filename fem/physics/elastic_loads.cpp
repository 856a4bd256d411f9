#include "fem/physics/elastic_loads.hpp"

#include "fem/elements/loads.hpp"
#include "fem/forms/follower_pressure.hpp"
#include "fem/physics/load_forms.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {

ElasticLoads ElasticLoads::supports() const {
  ElasticLoads result(name_);
  result.displacements_ = displacements_;
  return result;
}

Point ElasticLoads::acceleration() const {
  Point result{};
  if (gravity_) std::ranges::copy(gravity_->acceleration, result.begin());
  return result;
}

void ElasticLoads::gravity(std::vector<double> acceleration, std::string origin) {
  gravity_ = {std::move(acceleration), std::move(origin)};
}
void ElasticLoads::body_force(On cells, std::vector<Coefficient> density, std::string origin) {
  body_forces_.push_back({std::move(cells), std::move(density), std::move(origin)});
}
void ElasticLoads::traction(On facets, std::vector<Coefficient> density, std::string origin) {
  tractions_.push_back({std::move(facets), std::move(density), std::move(origin)});
}
void ElasticLoads::force(On facets_or_nodes, std::vector<Coefficient> total, std::string origin) {
  forces_.push_back({std::move(facets_or_nodes), std::move(total), false, std::move(origin)});
}
void ElasticLoads::force_at_each(On nodes, std::vector<Coefficient> force, std::string origin) {
  forces_.push_back({std::move(nodes), std::move(force), true, std::move(origin)});
}
void ElasticLoads::remote_force(On facets, RemoteForce force, std::string origin) {
  remote_forces_.push_back({std::move(facets), force, std::move(origin)});
}
void ElasticLoads::pressure(On facets, Coefficient value, std::string origin, std::optional<bool> follows) {
  pressures_.push_back({std::move(facets), std::move(value), std::move(origin), follows});
}
void ElasticLoads::displacement(On region, int component, Coefficient value, std::string origin) {
  displacements_.push_back({std::move(region), component, std::move(value), std::move(origin)});
}
void ElasticLoads::fix(On region, std::string origin) {
  displacements_.push_back({std::move(region), -1, 0, std::move(origin)});
}

void ElasticLoads::temperature(Coefficient value, double reference, std::string origin) {
  temperature_ = {{std::move(value), reference}, std::move(origin)};
}

namespace {

bool is_of_nodes(const On& place, const Mesh& mesh) {
  try {
    return !place.is_missing() && place.in(mesh).kind == RegionKind::nodes;
  } catch (const Error&) { return false; }  // who looks for the region reports it
}

// Inner facets, between two cells, have no side that is "into the body".
void check_outside(const Mesh& mesh, const Region& region, const std::string& origin, ErrorList& errors) {
  if (const Index count = inner_facets(mesh, region); count > 0)
    errors.add(
        Error(ErrorKind::unknown_region,
              fmt::format("{} of the {} facets of '{}' lie between two cells", count, region.size(), region.name),
              "pressure acts into the body, and there it would have two directions",
              "name facets of the boundary, or give a [[traction]] with its direction")
            .at(origin));
}

}  // namespace

template <int G>
class ElasticLoads::Builder {
 public:
  Builder(const Body& body, Model& model, ErrorList& errors)
      : body_(body), mesh_(body.mesh), measure_(body.measure), model_(model), errors_(errors) {}

  void add(const ElasticLoads& from, std::vector<Integral>& integrals, std::vector<PrescribedValue>& prescribed) {
    if (from.gravity_ && check_size(from.gravity_->acceleration.size(), "gravity", from.gravity_->origin))
      check_along_axis(from.gravity_->acceleration[0], "gravity across the axis of a body of revolution",
                       "give 0 for x, or model the body in three dimensions; a spinning one takes [rotation]",
                       from.gravity_->origin);
    for (const auto& [place, value, origin] : from.body_forces_)
      if (const Region* region = loaded(place, RegionKind::cells, value, "body force", origin))
        integrals.push_back(Integral::over(load_form<G, G, 0>(value, measure_), *region));
    for (const auto& [place, value, origin] : from.tractions_)
      if (const Region* region = loaded(place, RegionKind::facets, value, "traction", origin))
        integrals.push_back(Integral::over(load_form<G, G, 1>(value, measure_), *region));
    for (const ElasticLoads::Force& force : from.forces_) add_force(force, integrals);
    for (const ElasticLoads::Remote& remote : from.remote_forces_) add_remote_force(remote, integrals);
    for (const ElasticLoads::Pressure& each : from.pressures_) add_pressure(each, integrals);
    for (const auto& [place, component, value, origin] : from.displacements_) {
      const Region* region =
          find_region(place, mesh_, {RegionKind::facets, RegionKind::nodes, RegionKind::cells}, origin, errors_);
      const int components = body_.components;
      if (component >= components)
        errors_.add(Error(ErrorKind::model_options, fmt::format("a displacement of component {}", component),
                          fmt::format("displacements have {} components, and these count from 0", components))
                        .at(origin));
      if (region == nullptr || component >= components) continue;
      for (int c = 0; c < components; ++c)
        if (component < 0 || component == c) prescribed.push_back({region, c, value, origin});
    }
  }

 private:
  static constexpr ParameterFacts any_value{.name = "value"};

  void add_pressure(const ElasticLoads::Pressure& pressure, std::vector<Integral>& integrals) {
    const auto& [place, p, origin, follows] = pressure;
    const Region* region = find_region(place, mesh_, {RegionKind::facets}, origin, errors_);
    if (region == nullptr || !has_size(mesh_, *region, measure_, origin, errors_)) return;
    check_outside(mesh_, *region, origin, errors_);
    check(p, any_value, *region, origin);
    const bool large = body_.large_displacements;
    if (follows.value_or(false) && !large)
      errors_.add(Error(ErrorKind::model_options, "a pressure that follows the surface, at small displacements",
                        "there the surface does not turn", "omit it, or set large_displacement = true")
                      .at(origin));
    if (large && body_.pressures_follow && follows.value_or(true)) {
      integrals.push_back(
          Integral::over({FollowerPressure<G>{measure_.weight, measure_.axisymmetric}, {p.function()}}, *region));
      integrals.back().is_load = true;
      model_.linear = model_.definite = false;
      return;
    }
    const ritz::Pressure<G> form{.weight = measure_.weight, .axisymmetric = measure_.axisymmetric};
    integrals.push_back(Integral::over({form, {p.function()}}, *region));
  }

  void add_force(const ElasticLoads::Force& force, std::vector<Integral>& integrals) {
    const auto& [place, value, each, origin] = force;
    const bool on_nodes = each || is_of_nodes(place, mesh_);
    const RegionKind kind = G == 3 && on_nodes ? RegionKind::nodes : RegionKind::facets;
    const Region* region = loaded(place, kind, value, "force", origin);
    if (region == nullptr) return;
    if (kind == RegionKind::nodes) return add_force_at_nodes(*region, value, each, origin, integrals);
    if (value[0].is_number())
      check_along_axis(value[0].number(), "a total force across the axis of a body of revolution",
                       "give 0 for x; for a load outwards all around use a [[traction]] or a [[pressure]]", origin);
    else if (measure_.axisymmetric)
      errors_.add(Error(ErrorKind::model_options, "a total force across the axis of a body of revolution",
                        "its radial part is a formula; a load that is the same all around has a resultant along the "
                        "axis (y) only",
                        "give 0 for x; for a load outwards all around use a [[traction]] or a [[pressure]]")
                      .at(origin));
    const double share = 1 / loaded_size(mesh_, *region, measure_, model_.space.order());
    integrals.push_back(Integral::over(load_form<G, G, 1>(value, measure_, share), *region));
  }

  void add_remote_force(const ElasticLoads::Remote& remote, std::vector<Integral>& integrals) {
    const auto& [place, force, origin] = remote;
    const Region* region = find_region(place, mesh_, {RegionKind::facets}, origin, errors_);
    if (!check_size(force.force.size(), "remote force", origin) || region == nullptr) return;
    const std::vector<Coefficient> traction = equivalent_traction(mesh_, *region, force, model_.space.order());
    integrals.push_back(Integral::over(load_form<G, G, 1>(traction, measure_), *region));
  }

  // The parts are equal: the force at a node is no density, whatever its cells measure.
  void add_force_at_nodes(const Region& region, const std::vector<Coefficient>& value, bool each,
                          const std::string& origin, std::vector<Integral>& integrals) {
    if (!all_numbers(value))
      return errors_.add(Error(ErrorKind::formula_syntax,
                               fmt::format("a formula for the force at the nodes of '{}'", region.name), {},
                               "give numbers, or name facets")
                             .at(origin));
    const FunctionSpace& space = model_.space;
    if (const auto none = std::ranges::find_if(region.nodes, [&](Node n) { return space.node_of(n) < 0; });
        none != region.nodes.end())
      return errors_.add(
          no_node_for(fmt::format("the force at '{}'{} acts", region.name, at_origin(origin)), space, *none));
    const double part = each ? 1 : 1 / static_cast<double>(region.nodes.size());
    if constexpr (G == 3)
      integrals.push_back(Integral::at_nodes(
          NodeLoad<3>{{part * value[0].number(), part * value[1].number(), part * value[2].number()}, {}},
          region.nodes));
  }

  // The region on which a load acts; null where it does not suit the place, with an error.
  const Region* loaded(const On& place, RegionKind kind, const std::vector<Coefficient>& value, const char* what,
                       const std::string& origin) {
    const Region* region = find_region(place, mesh_, {kind}, origin, errors_);
    if (!check_size(value.size(), what, origin) || region == nullptr ||
        !has_size(mesh_, *region, measure_, origin, errors_))
      return nullptr;
    for (const Coefficient& each : value) check(each, any_value, *region, origin);
    return region;
  }

  bool check_size(std::size_t size, const char* what, const std::string& origin) {
    if (size == static_cast<std::size_t>(G)) return true;
    errors_.add(Error(ErrorKind::model_options, fmt::format("the {} has {} numbers", what, size), {},
                      fmt::format("give {}, one for each dimension of the mesh", G))
                    .at(origin));
    return false;
  }

  // The load on a body of revolution is the same all around: forces across the axis as a whole are not.
  void check_along_axis(double radial, const char* what, const char* fix, const std::string& origin) {
    if (!measure_.axisymmetric || radial == 0) return;
    errors_.add(Error(ErrorKind::model_options, what,
                      fmt::format("it has the radial part {:g}; a load that is the same all around has a resultant "
                                  "along the axis (y) only",
                                  radial),
                      fix)
                    .at(origin));
  }

  void check(const Coefficient& value, const ParameterFacts& facts, const Region& region, const std::string& origin) {
    check_values(value, facts, mesh_, region, origin, errors_);
  }

  const Body body_;
  const Mesh& mesh_;
  const BodyMeasure measure_;
  Model& model_;
  ErrorList& errors_;
};

template <int G>
void ElasticLoads::add_to(Model& model, const Body& body, std::vector<Integral>& integrals,
                          std::vector<PrescribedValue>& prescribed, ErrorList& errors) const {
  Builder<G>(body, model, errors).add(*this, integrals, prescribed);
}
template void ElasticLoads::add_to<2>(Model&, const Body&, std::vector<Integral>&, std::vector<PrescribedValue>&,
                                      ErrorList&) const;
template void ElasticLoads::add_to<3>(Model&, const Body&, std::vector<Integral>&, std::vector<PrescribedValue>&,
                                      ErrorList&) const;

}  // namespace ritz
