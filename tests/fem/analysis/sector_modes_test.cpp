// Modes of one sector with waves around: those of the whole body.
#include "fem/analysis/sector_modes.hpp"

#include "fem/analysis/direct_harmonic.hpp"
#include "fem/analysis/engine_order.hpp"

#include "device/error.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/periodic_region.hpp"
#include "mesh/functions/point_expression.hpp"
#include "mesh/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace ritz::test::sector_modes_test {
namespace {

constexpr double turn = 2 * std::numbers::pi;

Device cpu() { return Device::named("cpu", 1); }

// Joins the sides of the body by the rotation that moves y0 onto y1.
Model sector_of(const ElasticBody& body, const Region& onto, const Region& region, double angle) {
  Model model = body.model(cpu());
  const RotationAbout rotation{{0, 0, 0}, {0, 0, 1}, angle};
  Periodic sides = periodic(model.space, region, onto, {.rotation = rotation});
  model.cyclic.push_back({model.relations.size(), sides.on_axis, rotation});
  model.relations.push_back(std::move(sides.equations));
  return model;
}

// Frequencies of the whole body, ascending; rigid motions are zero.
std::vector<double> all_of(const std::vector<SectorModes>& found, std::size_t count) {
  std::vector<double> all;
  for (const SectorModes& each : found)
    for (const double f : each.modes.frequencies) all.insert(all.end(), each.pairs ? 2 : 1, f);
  std::ranges::sort(all);
  all.resize(std::min(all.size(), count));
  return all;
}

void expect_same(const std::vector<double>& of_sector, const std::vector<double>& of_whole) {
  ASSERT_EQ(of_sector.size(), of_whole.size());
  for (std::size_t k = 0; k < of_whole.size(); ++k) EXPECT_NEAR(of_sector[k], of_whole[k], 1e-6 * of_whole.back()) << k;
}

// A free block, of which four quarters meet in an axis: rigid motions have no wave or one.
TEST(SectorModes, AreThoseOfAWholeBlockWithAnAxis) {
  const Mesh quarter = box(2, 2, 1, {1, 1, 0.5}, CellKind::hex8);
  MeshData data = box_data(4, 4, 1, {2, 2, 0.5}, CellKind::hex8);
  transform_points(data, [](std::span<double, 3> x) { x[0] -= 1, x[1] -= 1; });
  const Mesh block(std::move(data));
  const ElasticMaterial steel{.young = 200e9, .poisson = 0.3, .density = 8000};
  ElasticBody part(quarter), whole(block);
  part.material("all", steel);
  whole.material("all", steel);
  // the rotation by a quarter of a turn moves the side on x, which is y0, onto that on y
  const Model sector = sector_of(part, quarter.region("y0"), quarter.region("x0"), turn / 4);
  EXPECT_EQ(sector_count(sector), 4);
  const Modal modal{{.count = 8, .method = EigenMethod::lanczos}};
  const std::vector<SectorModes> found = solve(sector, SectorModal{.modal = modal});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].modes.rigid_count, 2);  // along the axis and about it
  EXPECT_EQ(found[1].modes.rigid_count, 2);  // across it and about a line across, twice each
  EXPECT_EQ(found[2].modes.rigid_count, 0);
  EXPECT_TRUE(found[1].pairs && !found[2].pairs);
  const VibrationModes modes = solve(whole.model(cpu()), Modal{{.count = 20, .method = EigenMethod::lanczos}});
  EXPECT_EQ(modes.rigid_count, 6);
  expect_same(all_of(found, 20), modes.frequencies);
}

// A bladed wheel of six sectors, pulled outwards, and the same as one mesh.
struct Wheel {
  static MeshData part(Index cells, double angle) {
    MeshData data = box_data(3, cells, 1, {3, angle, 0.3}, CellKind::hex8);
    transform_points(data, [](std::span<double, 3> x) {
      const double phi = x[1], r = 1 + x[0] * (1 + 0.2 * std::cos(6 * phi));
      x[0] = r * std::cos(phi), x[1] = r * std::sin(phi);
    });
    return data;
  }
  static Mesh whole() {
    MeshData data = part(12, turn);
    std::map<std::array<std::int64_t, 3>, Node> place;
    std::vector<Node> to;
    const auto count = static_cast<Node>(data.points.size() / 3);
    for (Node node = 0; node < count; ++node) {
      std::array<std::int64_t, 3> key{};
      for (std::size_t d = 0; d < 3; ++d)
        key[d] = std::llround(1e6 * data.points[3 * static_cast<std::size_t>(node) + d]);
      to.push_back(place.emplace(key, node).first->second);
    }
    for (CellBlock& block : data.blocks)
      for (Node& node : block.nodes) node = to[static_cast<std::size_t>(node)];
    std::erase_if(data.regions, [](const Region& each) { return each.name == "y0" || each.name == "y1"; });
    return Mesh(std::move(data));
  }
  static ElasticBody body(const Mesh& mesh) {
    ElasticBody result(mesh);
    result.material("all", {.young = 1e9, .poisson = 0.3, .density = 1000});
    result.loads.fix("x0");
    // N/m^3, as of a wheel that turns; its stretch is small
    result.loads.body_force("all", {PointExpression::x() * 4e6, PointExpression::y() * 4e6, 0.0});
    return result;
  }
};

Node nearest(const Mesh& mesh, std::span<const double, 3> x) {
  const auto distance = [&](Node node) {
    const std::span<const double, 3> y = mesh.point(node);
    return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
  };
  Node best = 0;
  for (Node node = 0; node < mesh.node_count(); ++node)
    if (distance(node) < distance(best)) best = node;
  return best;
}

TEST(SectorModes, WithWavesAndUnderPreloadAreThoseOfTheWholeWheel) {
  const Mesh sixth(Wheel::part(2, turn / 6));
  const Mesh mesh = Wheel::whole();
  const Model sector = sector_of(Wheel::body(sixth), sixth.region("y0"), sixth.region("y1"), turn / 6);
  const Model whole = Wheel::body(mesh).model(cpu());
  const auto frequencies = [](const Model& model, const Modal& modal) { return solve(model, modal).frequencies; };
  Modal of_whole{{.count = 24, .method = EigenMethod::lanczos}},
      of_sector{{.count = 7, .method = EigenMethod::lanczos}};
  const std::vector<double> at_rest = frequencies(whole, of_whole);
  expect_same(all_of(solve(sector, SectorModal{.modal = of_sector}), 24), at_rest);
  LinearSolverOptions direct;
  direct.method = LinearMethod::direct;
  of_whole.begin.u = solve(whole, Static{direct}).u.host();
  of_sector.begin.u = solve(sector, Static{direct}).u.host();
  const std::vector<double> stressed = frequencies(whole, of_whole);
  EXPECT_GT(stressed.front(), 1.02 * at_rest.front());
  const std::vector<SectorModes> found = solve(sector, SectorModal{.modal = of_sector});
  expect_same(all_of(found, 24), stressed);
  // with one wave, the side at an angle has R (a cos angle + b sin angle) of that at zero, and b likewise
  const double c = std::cos(turn / 6), s = std::sin(turn / 6);
  const std::vector<double> a = sector.space.to_mesh(found[1].part(0, false)),
                            b = sector.space.to_mesh(found[1].part(0, true));
  double largest = 0;
  for (const double each : a) largest = std::max(largest, std::abs(each));
  for (const Node node : nodes_in(sixth, sixth.region("y0"))) {
    const std::span<const double, 3> x = sixth.point(node);
    const std::array<double, 3> turned = {c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]};
    const std::size_t from = 3 * static_cast<std::size_t>(node),
                      to = 3 * static_cast<std::size_t>(nearest(sixth, turned));
    const auto expect_turned = [&](const std::vector<double>& found_there, const std::array<double, 3>& u) {
      const std::array<double, 3> v = {c * u[0] - s * u[1], s * u[0] + c * u[1], u[2]};
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(found_there[to + d], v[d], 1e-9 * largest) << node << ' ' << d;
    };
    std::array<double, 3> of_a{}, of_b{};
    for (std::size_t d = 0; d < 3; ++d) {
      of_a[d] = c * a[from + d] + s * b[from + d];
      of_b[d] = c * b[from + d] - s * a[from + d];
    }
    expect_turned(a, of_a);
    expect_turned(b, of_b);
  }
}

// Loads of the wheel that go around, f (cos n theta + i sin n theta): two load cases, the second a quarter of a period
// ahead. `f` points outwards and along the axis.
ElasticBody excited(const Mesh& mesh, int order) {
  ElasticBody body = Wheel::body(mesh);
  const PointExpression x = PointExpression::x(), y = PointExpression::y(),
                        phase = order * PointExpression::of(PointOperation::angle, {y, x});
  for (const auto& [name, part] : {std::pair{"cosine", PointExpression::of(PointOperation::cosine, {phase})},
                                   {"sine", PointExpression::of(PointOperation::sine, {phase})}})
    body.load_case(name).traction("x1", {x * part, y * part, part});
  return body;
}

// Motion at the nodes of the wheel in its first sector, by all of the equations; of the sector on enough modes, with
// residual vectors, whose error falls with the fourth power of the frequencies.
TEST(SectorModes, AnswerLoadsThatGoAroundAsTheWholeWheel) {
  const Mesh sixth(Wheel::part(2, turn / 6));
  const Mesh mesh = Wheel::whole();
  const ModalDamping damping{.rayleigh = {.mass = 5, .stiffness = 1e-5}};
  const std::vector<Excitation> both = {{.load = 0}, {.load = 1, .phase = turn / 4}};
  for (const auto& [order, index] : {std::pair{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 2}, {11, 1}}) {
    const Model sector = sector_of(excited(sixth, order), sixth.region("y0"), sixth.region("y1"), turn / 6);
    const EngineOrder around_axis = engine_order(sector, order);
    EXPECT_EQ(around_axis.waves, index);
    EXPECT_EQ(around_axis.backward, order >= 4);
    const ModalBasis basis{.modal = {{.count = 20, .relative = 1e-10, .method = EigenMethod::lanczos}},
                           .loads_excite = false};
    const ModalSpace space = solve(sector, basis, around_axis);
    const double frequency = 1.1 * space.modes.frequencies.front();
    const HarmonicMotion of_sector =
        harmonic_response(space, {.damping = damping, .excitations = around(both, space, around_axis)}, frequency);
    const Model wheel = excited(mesh, order).model(cpu());
    DirectHarmonicSystem system(wheel, {.rayleigh = damping.rayleigh, .loads_excite = false});
    const DirectResponse of_wheel = system.solve({frequency}, both);
    for (const bool imaginary : {false, true}) {
      const auto motion = [&](const Model& of, const ModalSpace& in, const HarmonicMotion& m) {
        std::vector<double> q;
        for (const Complex& each : m.q) q.push_back(imaginary ? each.imag() : each.real());
        return of.space.to_mesh(in.motion(q));
      };
      const std::vector<double> ours = motion(sector, space, of_sector),
                                theirs = motion(wheel, of_wheel.space, of_wheel.motions[0]);
      double largest = 0;
      for (const double each : theirs) largest = std::max(largest, std::abs(each));
      for (Node node = 0; node < sixth.node_count(); ++node) {
        const Node same = nearest(mesh, sixth.point(node));
        for (Index d = 0; d < 3; ++d)
          EXPECT_NEAR(ours[static_cast<std::size_t>(3 * node + d)], theirs[static_cast<std::size_t>(3 * same + d)],
                      1e-6 * largest)
              << order << ' ' << node << ' ' << d;
      }
    }
  }
}

TEST(SectorModes, TakeSectorsThatMakeAWholeTurn) {
  const Mesh quarter = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  ElasticBody part(quarter);
  part.material("all", {.young = 1, .poisson = 0.3, .density = 1});
  EXPECT_THROW(sector_count(part.model(cpu())), Error);
  Model sector = sector_of(part, quarter.region("y0"), quarter.region("x0"), turn / 4);
  EXPECT_THROW(check(sector, SectorModal{.waves = {3}}), Error);
  EXPECT_NO_THROW(check(sector, SectorModal{.waves = {2}}));
  sector.cyclic.front().rotation.angle = 1;
  EXPECT_THROW(sector_count(sector), Error);
}

}  // namespace
}  // namespace ritz::test::sector_modes_test
