// Modes of bodies of revolution with waves around them, from their meridians.
#include "fem/analysis/sector_modes.hpp"
#include "fem/analysis/whole_of_sector.hpp"

#include "device/error.hpp"
#include "fem/operator/operator.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/periodic_region.hpp"
#include "mesh/functions/point_expression.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace ritz::test::waves_of_revolution_test {
namespace {

constexpr double pi = std::numbers::pi;
const ElasticMaterial steel{.young = 200e9, .poisson = 0.3, .density = 8000};

Device cpu() { return Device::named("cpu", 1); }

// A rectangle, moved away from the axis.
Mesh ring(Index nx, Index ny, double inner, double width, double height, CellKind kind,
          const Distortion& distortion = {}) {
  MeshData data = rectangle_data(nx, ny, {width, height}, kind, distortion);
  transform_points(data, [=](std::span<double, 3> x) { x[0] += inner; });
  return Mesh(std::move(data));
}

ElasticBody body_of(const Mesh& mesh, const ElasticMaterial& material = steel) {
  ElasticBody body(mesh, PlaneKind::axisymmetric);
  body.waves = true;
  body.material("all", material);
  return body;
}

std::vector<SectorModes> modes_of(const Model& model, std::vector<int> waves, int count,
                                  EigenMethod method = EigenMethod::lanczos, std::vector<double> state = {}) {
  Modal modal{{.count = count, .method = method}};
  modal.begin.u = std::move(state);
  return solve(model, SectorModal{.modal = modal, .waves = std::move(waves)});
}

double nearest(const std::vector<double>& values, double to) {
  return *std::ranges::min_element(values, {}, [=](double each) { return std::abs(each - to); });
}

class WavesOfRevolution : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, WavesOfRevolution, ::testing::ValuesIn(cell_kinds(0, 2)), kind_name);

// Without waves along the axis and about it; with one across it and about a line across. The mass that moves across is
// that of the body.
TEST_P(WavesOfRevolution, RigidMotionsCauseNoForce) {
  const Mesh mesh = ring(2, 2, 0.6, 1, 1.2, kind(), {.random = 0.1});
  const Model body = body_of(mesh).model(cpu());
  using Motion = std::array<double, 3> (*)(const Point& x);
  const std::vector<std::pair<int, Motion>> motions = {{0,
                                                        [](const Point&) {
                                                          return std::array{0.0, 1.0, 0.0};
                                                        }},
                                                       {0,
                                                        [](const Point& x) {
                                                          return std::array{0.0, 0.0, x[0]};
                                                        }},
                                                       {1,
                                                        [](const Point&) {
                                                          return std::array{1.0, 0.0, -1.0};
                                                        }},
                                                       {1, [](const Point& x) {
                                                          return std::array{-x[1], x[0], x[1]};
                                                        }}};
  for (const auto& [waves, motion] : motions) {
    const Model model = with_waves(body, waves);
    std::vector<double> u, random;
    for (Node node = 0; node < model.space.node_count(); ++node)
      for (int c = 0; c < 3; ++c) {
        u.push_back(motion(model.space.point(node))[static_cast<std::size_t>(c)]);
        random.push_back(std::sin(1 + static_cast<double>(random.size())));
      }
    const Vector x(cpu(), std::span<const double>(u), "vectors"), y(cpu(), std::span<const double>(random), "vectors");
    const Operator stiffness(model.space, model.equations), masses(model.space, model.inertia);
    Vector force = model.space.zeros(), other = model.space.zeros();
    stiffness.residual(x, force);
    stiffness.residual(y, other);
    EXPECT_LT(norm2(force), 1e-12 * norm2(other)) << waves;
    masses.residual(x, force);
    if (u[0] == 1) { EXPECT_NEAR(dot(x, force), 8000 * 1.2 * pi * (1.6 * 1.6 - 0.36), 1e-6); }
  }
}

// Spherical symmetry: a toroidal mode of degree l has the same frequency with 0 to l waves around any axis. That of
// degree 2 of a hollow sphere of radii 1/2 and 1 has k = omega sqrt(rho / G) = 2.43537353564031, of degree 3
// 3.81320395296274: roots of the condition that f' = f / r at both radii, f of the spherical Bessel functions j and y.
std::vector<std::vector<double>> wave_numbers_of_sphere(CellKind kind, Index cells) {
  MeshData data = rectangle_data(cells, 6 * cells, {0.5, pi}, kind);
  transform_points(data, [](std::span<double, 3> x) {
    const double r = 0.5 + x[0], angle = x[1] - pi / 2;
    x[0] = std::max(0.0, r * std::cos(angle)), x[1] = r * std::sin(angle);
  });
  const Mesh mesh(std::move(data));
  std::vector<std::vector<double>> found;
  const double speed = std::sqrt(200e9 / 2.6 / 8000);
  for (const SectorModes& each : modes_of(body_of(mesh).model(cpu()), {0, 1, 2, 3}, 8)) {
    found.emplace_back();
    for (const double f : each.modes.frequencies) found.back().push_back(2 * pi * f / speed);
    EXPECT_EQ(each.modes.rigid_count, each.waves < 2 ? 2 : 0);
  }
  return found;
}

TEST(WavesOfRevolutionOnAxis, ToroidalModesOfASphereHaveOneFrequencyWithAllTheirWaves) {
  constexpr double of_degree[2] = {2.43537353564031, 3.81320395296274};
  const auto worst = [&](CellKind kind, Index cells) {
    double largest = 0;
    const std::vector<std::vector<double>> found = wave_numbers_of_sphere(kind, cells);
    for (std::size_t n = 0; n < found.size(); ++n)
      for (std::size_t degree = std::max<std::size_t>(n, 2); degree <= 3; ++degree)
        largest = std::max(largest, std::abs(nearest(found[n], of_degree[degree - 2]) / of_degree[degree - 2] - 1));
    EXPECT_GT(found[3].front(), 1.2 * found[2].front());  // of degree 3 and above
    return largest;
  };
  for (const CellKind kind : {CellKind::quad9, CellKind::quad8, CellKind::tri6}) {
    const double coarse = worst(kind, 1), fine = worst(kind, 2);
    EXPECT_LT(fine, 2e-3);
    EXPECT_GT(coarse / fine, 8);  // order 4 in the size of the cells
  }
  const double coarse = worst(CellKind::quad4, 2), fine = worst(CellKind::quad4, 4);
  EXPECT_GT(coarse / fine, 3);  // order 2
}

// In-plane bending of a thin ring: omega^2 = n^2 (n^2 - 1)^2 / (n^2 + 1) E I / (rho A R^4) (Soedel, Vibrations of
// Shells and Plates, 3rd ed. 2004, section 5.3). The tension N of a pressure from inside makes it 1 + N R^2 / (n^2 E I)
// times as large: the energy of N in the rotation (n^2 - 1) / (n R) is that of bending times this share.
TEST(WavesOfRevolutionOfARing, BendAsAThinRingAlsoUnderTension) {
  constexpr double R = 1, h = 0.01;
  const Mesh mesh = ring(1, 1, R - h / 2, h, h / 2, CellKind::quad9);  // above a plane of symmetry
  ElasticBody body = body_of(mesh);
  // p (R - h / 2) h around, and -p / 2 on h across: both stresses act on the rotation
  constexpr double pressure = 60e3, share = pressure * (R - h) * h / (200e9 * h * h * h * h / 12);
  body.loads.pressure("x0", pressure);
  body.loads.displacement("y0", 1, 0);
  const Model model = body.model(cpu(), {.order = 3});
  for (const bool loaded : {false, true})
    for (const SectorModes& each : modes_of(model, {2, 3, 4}, 3, EigenMethod::lanczos,
                                            loaded ? state_around(model, Static{}) : std::vector<double>())) {
      const double n = each.waves,
                   bending = n * n * (n * n - 1) * (n * n - 1) / (n * n + 1) * 200e9 / 8000 * h * h / 12,
                   exact = std::sqrt(bending * (loaded ? 1 + share / (n * n) : 1)) / (2 * pi);
      EXPECT_NEAR(nearest(each.modes.frequencies, exact), exact, 1e-3 * exact) << n;
      EXPECT_TRUE(each.pairs);
    }
}

// The same thick ring, a twelfth of it in space by hexahedra of order 2, and the meridian of this; at rest, and while
// it turns under a pressure from inside.
TEST(WavesOfRevolutionOfARing, AreThoseOfASectorInSpace) {
  MeshData data = box_data(1, 1, 4, {0.4, 0.3, pi / 6}, CellKind::hex27);
  transform_points(data, [](std::span<double, 3> x) {
    const double r = 0.8 + x[0], angle = x[2];
    x[0] = r * std::cos(angle), x[2] = -r * std::sin(angle);
  });
  const Mesh part(std::move(data)), meridian = ring(1, 1, 0.8, 0.4, 0.3, CellKind::quad9);
  ElasticBody solid(part), section = body_of(meridian);
  solid.material("all", steel);
  solid.loads.displacement("y0", 1, 0);
  section.loads.displacement("y0", 1, 0);
  const auto sector_of = [&] {
    Model sector = solid.model(cpu());
    const RotationAbout rotation{{0, 0, 0}, {0, 1, 0}, pi / 6};
    Periodic sides = periodic(sector.space, part.region("z1"), part.region("z0"), {.rotation = rotation});
    sector.cyclic.push_back({sector.relations.size(), sides.on_axis, rotation});
    sector.relations.push_back(std::move(sides.equations));
    return sector;
  };
  // A sector has those with 12 - n waves, too.
  const auto compare = [](const std::vector<SectorModes>& in_space, const std::vector<SectorModes>& revolved) {
    for (std::size_t n = 0; n < 3; ++n)
      for (const double f : revolved[n].modes.frequencies)
        EXPECT_NEAR(nearest(in_space[n].modes.frequencies, f), f, 2e-4 * f) << n;
  };
  const std::vector<SectorModes> at_rest = modes_of(section.model(cpu()), {0, 1, 2}, 4);
  for (const SectorModes& each : at_rest) EXPECT_EQ(each.modes.rigid_count, each.waves < 2 ? 1 : 0);
  compare(modes_of(sector_of(), {0, 1, 2}, 6), at_rest);
  for (ElasticBody* each : {&solid, &section}) {
    each->loads.pressure("x0", 16e9);
    each->rotates({.axis = {0, 1, 0}, .speed = 1200});
    each->loads.fix("y0");
  }
  LinearSolverOptions direct;
  direct.method = LinearMethod::direct;
  const Model sector = sector_of(), meridian_model = section.model(cpu());
  const std::vector<SectorModes> loaded =
      modes_of(meridian_model, {0, 1, 2}, 4, EigenMethod::lanczos, state_around(meridian_model, Static{direct}));
  compare(modes_of(sector, {0, 1, 2}, 6, EigenMethod::lanczos, solve(sector, Static{direct}).u.host()), loaded);
  const double unloaded = modes_of(meridian_model, {2}, 4).front().modes.frequencies[0];
  EXPECT_GT(std::abs(loaded[2].modes.frequencies[0] / unloaded - 1), 0.01);
}

// Iterations know the rigid motions, and find what factors find. Constants by formulas are those by numbers, and so are
// isotropic ones along axes.
TEST(WavesOfRevolutionOfARing, AreTheSameByAnyMethodAndAnyMaterial) {
  const Mesh mesh = ring(4, 6, 0, 1, 1, CellKind::tri3);
  ElasticMaterial formulas = steel, axes = steel;
  formulas.young = Coefficient(200e9 + 0 * PointExpression::x());
  formulas.density = Coefficient(8000 + 0 * PointExpression::y());
  axes.stiffness = StiffnessTensor::isotropic(200e9, 0.3);
  const auto frequencies = [](const ElasticMaterial& material, const Mesh& mesh, EigenMethod method) {
    std::vector<double> all;
    for (const SectorModes& each : modes_of(body_of(mesh, material).model(cpu()), {0, 1, 2}, 5, method))
      all.insert(all.end(), each.modes.frequencies.begin(), each.modes.frequencies.end());
    return all;
  };
  const std::vector<double> expected = frequencies(steel, mesh, EigenMethod::lanczos);
  for (const std::vector<double>& found :
       {frequencies(steel, mesh, EigenMethod::lobpcg), frequencies(formulas, mesh, EigenMethod::lanczos),
        frequencies(axes, mesh, EigenMethod::lanczos)})
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-6 * expected.back());
}

// A disc that touches the axis, moved across it as a whole.
TEST(WavesOfRevolutionOnAxis, TheWholeBodyMovesAsOne) {
  for (const CellKind kind : {CellKind::tri3, CellKind::quad4, CellKind::quad8, CellKind::tri6}) {
    const Mesh mesh = ring(2, 1, 0, 1, 0.5, kind);
    const WholeOfSector whole = WholeOfSector::of_meridian(mesh, 48);
    EXPECT_NEAR(loaded_size(whole.mesh(), whole.mesh().region("all"), {}, 0), 0.5 * 24 * std::sin(pi / 24),
                1e-12);  // 48 triangles, 1/2 high
    std::vector<double> a, b;
    for (Node node = 0; node < mesh.node_count(); ++node)
      a.insert(a.end(), {1.0, 0.0, 0.0}), b.insert(b.end(), {0.0, 0.0, -1.0});
    const std::vector<double> u = whole.shape(a, b, 3, 1, 0);
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], i % 3 == 0 ? 1 : 0, 1e-14);
  }
}

TEST(WavesOfRevolutionOfARing, RefuseWhatTheyDoNotKnow) {
  const Mesh mesh = ring(1, 1, 1, 1, 1, CellKind::quad4);
  const auto refused = [&](auto&& change) {
    ElasticBody body = body_of(mesh);
    change(body);
    EXPECT_THROW(body.model(cpu()), Error);
  };
  refused([](ElasticBody& body) { body.foundation("x0", {}); });
  refused([](ElasticBody& body) { body.large_displacements = true; });
  ElasticBody plane(mesh, PlaneKind::strain);
  plane.waves = true;
  plane.material("all", steel);
  EXPECT_THROW(plane.model(cpu()), Error);
  const Model model = body_of(mesh).model(cpu());
  EXPECT_THROW(modes_of(model, {}, 1), Error);
  EXPECT_THROW(modes_of(model, {-1}, 1), Error);
}

}  // namespace
}  // namespace ritz::test::waves_of_revolution_test
