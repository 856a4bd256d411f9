#include "fem/physics/ground.hpp"

#include "fem/elements/bar.hpp"
#include "fem/elements/ground_spring.hpp"
#include "fem/elements/plane_node.hpp"
#include "fem/forms/foundation.hpp"
#include "fem/physics/oblique_support.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

constexpr ParameterFacts not_negative{.name = "stiffness", .minimum = 0};

// Which stiffnesses act anywhere.
struct Acting {
  bool normal = false, tangential = false;
  std::array<bool, 3> along{};
  bool any() const { return normal || tangential || std::ranges::count(along, true) > 0; }
};

// Two directions across the first, of length 1; the first one alone in the plane.
std::vector<Point> directions_across(const Point& normal, int dimension) {
  if (dimension == 2) return {{-normal[1], normal[0], 0}};
  const Point axis = std::abs(normal[0]) < 0.7 ? Point{1, 0, 0} : Point{0, 1, 0};
  const Point across = cross(normal, axis);
  const double size = length(across);
  const Point first{across[0] / size, across[1] / size, across[2] / size};
  return {first, cross(normal, first)};
}

void add_row(Node node, const Point& direction, int dimension, LinearEquations& rows) {
  std::vector<UnknownTerm> row;
  for (int c = 0; c < dimension; ++c)
    if (const double factor = direction[static_cast<std::size_t>(c)]; factor != 0) row.push_back({node, c, factor});
  rows.add(row);
}

void hold(const Acting& acting, const Region& region, const std::string& origin, Model& model) {
  const FunctionSpace& space = model.space;
  const int dimension = space.mesh().dimension();
  if (acting.normal && acting.tangential) return model.held.push_back({space.nodes_in(region)});
  for (int c = 0; c < dimension; ++c)
    if (acting.along[static_cast<std::size_t>(c)]) model.held.push_back({space.nodes_in(region), c});
  if (!acting.normal && !acting.tangential) return;
  LinearEquations rows{.origin = origin};
  for (const NodeNormal& each : node_normals(space, region)) {
    if (acting.normal) add_row(each.node, each.normal, dimension, rows);
    if (acting.tangential)
      for (const Point& direction : directions_across(each.normal, dimension))
        add_row(each.node, direction, dimension, rows);
  }
  model.held_along.push_back(std::move(rows));
}

template <int G>
FormValue winkler(const Foundation& input, const BodyMeasure& measure) {
  const auto& [n, t, along, only_presses, origin] = input;
  if (only_presses) return {PressedGround<G>{measure.weight, measure.axisymmetric}, {n.function()}};
  std::vector<PointFunction> given = {n.function(), t.function()};
  for (std::size_t d = 0; d < G; ++d) given.push_back(along[d].function());
  return {Winkler<G>{.weight = measure.weight, .axisymmetric = measure.axisymmetric}, given};
}

}  // namespace

template <int G>
void add_foundation(const On& facets, const Foundation& input, const BodyMeasure& measure, Model& model,
                    ErrorList& errors) {
  const Mesh& mesh = model.space.mesh();
  const std::string& origin = input.origin;
  const Region* region = find_region(facets, mesh, {RegionKind::facets}, origin, errors);
  if (region == nullptr || !has_size(mesh, *region, measure, origin, errors)) return;
  const auto acts = [&](const Coefficient& stiffness) {
    check_values(stiffness, not_negative, mesh, *region, origin, errors);
    return largest(stiffness, mesh, *region) > 0;
  };
  Acting acting{.normal = acts(input.normal), .tangential = acts(input.tangential)};
  for (std::size_t d = 0; d < G; ++d) acting.along[d] = acts(input.along[d]);
  if (!acting.any())
    return errors.add(Error(ErrorKind::prescribes_nothing, "this foundation has no stiffness", {},
                            "give a stiffness along the normal in N/m^3, a tangential one, or those along axes")
                          .at(origin));
  if (input.only_presses && (acting.tangential || std::ranges::count(acting.along, true) > 0))
    return errors.add(
        Error(ErrorKind::prescribes_nothing, "ground that only presses has stiffness along the facets or axes",
              "it would end at once where the body lifts off", "give the stiffness along the normal alone")
            .at(origin));
  if (input.only_presses) model.linear = false;
  model.equations.push_back(Integral::over(winkler<G>(input, measure), *region));
  model.exchanges.push_back({"foundation", region, model.equations.back()});
  hold(acting, *region, origin, model);
}

template void add_foundation<2>(const On&, const Foundation&, const BodyMeasure&, Model&, ErrorList&);
template void add_foundation<3>(const On&, const Foundation&, const BodyMeasure&, Model&, ErrorList&);

namespace {

// Are all nodes of the region those of the field? Else there is an error.
bool stand_on_nodes(const Region& region, const GroundSpring& input, const FunctionSpace& space, ErrorList& errors) {
  const auto none = std::ranges::find_if(region.nodes, [&](Node n) { return space.node_of(n) < 0; });
  if (none == region.nodes.end()) return true;
  errors.add(
      no_node_for(fmt::format("the spring at '{}'{} stands", region.name, at_origin(input.origin)), space, *none));
  return false;
}

void add_spring_along(const Region& region, const GroundSpring& input, Model& model, ErrorList& errors) {
  const FunctionSpace& space = model.space;
  const int dimension = space.mesh().dimension();
  Point d = *input.direction;
  const double size = length(d);
  if (!(input.along > 0) || !(size > 0) || (dimension == 2 && d[2] != 0))
    return errors.add(Error(ErrorKind::prescribes_nothing, "this spring has no stiffness",
                            fmt::format("stiffness = {:g} along ({:g}, {:g}, {:g})", input.along, d[0], d[1], d[2]),
                            "give a stiffness above 0 in N/m, and a direction in which the nodes move")
                          .at(input.origin));
  if (!stand_on_nodes(region, input, space, errors)) return;
  for (double& each : d) each /= size;
  const double k = input.each ? input.along : input.along / static_cast<double>(region.nodes.size());
  const auto at_nodes = [&](auto element) { return Integral::at_nodes(element, region.nodes); };
  if (input.only_presses) {
    model.linear = false;
    model.equations.push_back(dimension == 2 ? at_nodes(PressedSpring<2>{k, {d[0], d[1], 0}})
                                             : at_nodes(PressedSpring<3>{k, {d[0], d[1], d[2]}}));
  } else {
    model.equations.push_back(dimension == 2 ? at_nodes(SpringAlong<2>{k, {d[0], d[1], 0}})
                                             : at_nodes(SpringAlong<3>{k, {d[0], d[1], d[2]}}));
  }
  model.exchanges.push_back({"spring", &region, model.equations.back()});
  LinearEquations rows{.origin = input.origin};
  for (const Node node : space.nodes_in(region)) add_row(node, d, dimension, rows);
  model.held_along.push_back(std::move(rows));
}

}  // namespace

void add_spring(const On& nodes, const GroundSpring& input, Model& model, ErrorList& errors) {
  const FunctionSpace& space = model.space;
  const std::string& origin = input.origin;
  const Region* region = find_region(nodes, space.mesh(), {RegionKind::nodes}, origin, errors);
  if (region == nullptr) return;
  if (input.direction) return add_spring_along(*region, input, model, errors);
  const std::array<double, 3>& k = input.stiffness;
  if (std::ranges::any_of(k, [](double each) { return !(each >= 0); }) || std::ranges::count(k, 0.0) == 3)
    return errors.add(Error(ErrorKind::prescribes_nothing, "this spring has no stiffness",
                            fmt::format("stiffness = [{:g}, {:g}, {:g}]", k[0], k[1], k[2]),
                            "give numbers of at least 0 in N/m, one of them above 0")
                          .at(origin));
  const bool plane = space.mesh().dimension() == 2;
  if (plane && k[2] > 0)
    return errors.add(Error(ErrorKind::model_options, "a spring along z of a plane model",
                            "its nodes move along x and y", "give a stiffness along these")
                          .at(origin));
  if (!stand_on_nodes(*region, input, space, errors)) return;
  const double part = input.each ? 1 : 1 / static_cast<double>(region->nodes.size());
  model.equations.push_back(
      plane ? Integral::at_nodes(PlaneNodeSpring{{part * k[0], part * k[1]}}, region->nodes)
            : Integral::at_nodes(NodeSpring<3>{{part * k[0], part * k[1], part * k[2]}, {}}, region->nodes));
  model.exchanges.push_back({"spring", region, model.equations.back()});
  for (int c = 0; c < 3; ++c)
    if (k[static_cast<std::size_t>(c)] > 0) model.held.push_back({space.nodes_in(*region), c});
}

}  // namespace ritz
