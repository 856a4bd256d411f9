// Beams, bars and springs against the solutions of their differential equations, which they meet at the nodes.
#include "fem/operator/evaluate.hpp"
#include "tests/fem/elements/structure.hpp"

#include <numeric>

namespace ritz::test {
namespace {

constexpr double E = 210e9, nu = 0.3, G = E / (2 * (1 + nu)), L = 2.5;
const Beam steel = {.young = E,
                    .poisson = nu,
                    .area = 3e-3,
                    .inertia_y = 2e-6,
                    .inertia_z = 8e-6,
                    .torsion = 5e-6,
                    .shear_area_y = 1.8e-3,
                    .shear_area_z = 1.1e-3,
                    .orientation = {0, 0, 0}};

// A turn about an axis without symmetry: columns are the images of x, y, z.
struct Turn {
  Point x, y, z;
  Turn() {
    const double a = 0.7, b = -0.4, c = 1.1;
    const double ca = std::cos(a), sa = std::sin(a), cb = std::cos(b), sb = std::sin(b), cc = std::cos(c),
                 sc = std::sin(c);
    x = {ca * cb, sa * cb, -sb};
    y = {ca * sb * sc - sa * cc, sa * sb * sc + ca * cc, cb * sc};
    z = {ca * sb * cc + sa * sc, sa * sb * cc - ca * sc, cb * cc};
  }
  Point of(double p, double q, double r) const {
    return {p * x[0] + q * y[0] + r * z[0], p * x[1] + q * y[1] + r * z[1], p * x[2] + q * y[2] + r * z[2]};
  }
};

double along(const std::vector<double>& u, Node node, int first, const Point& axis) {
  const double* v = u.data() + 6 * node + first;
  return v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2];
}

// Clamped at its first node, in any direction in space, loaded at the other end by forces and moments in local axes.
struct Cantilever {
  Turn turn;
  std::unique_ptr<Structure> model;
  std::vector<double> u;
  Node tip;

  Cantilever(Beam beam, int elements, Point force, Point moment) : tip(elements) {
    std::ranges::copy(turn.y, beam.orientation);
    const Point f = turn.of(force[0], force[1], force[2]), m = turn.of(moment[0], moment[1], moment[2]);
    const NodeLoad<6> load{{f[0], f[1], f[2]}, {m[0], m[1], m[2]}};
    model = std::make_unique<Structure>(
        line_mesh({1, 2, 3}, {1 + L * turn.x[0], 2 + L * turn.x[1], 3 + L * turn.x[2]}, elements), 6,
        std::vector{Integral::over_all_cells(beam), Integral::at_nodes(load, {tip})});
    u = model->solve({{{0}, clamped}});
  }
};

TEST(Beam, OfOneElementBendsAndShearsAsTimoshenkos) {
  const double P = 1000;
  for (const int elements : {1, 3}) {
    const Cantilever y(steel, elements, {0, P, 0}, {}), z(steel, elements, {0, 0, P}, {});
    const double v = P * L * L * L / (3 * E * 8e-6) + P * L / (G * 1.8e-3),
                 w = P * L * L * L / (3 * E * 2e-6) + P * L / (G * 1.1e-3);
    EXPECT_NEAR(along(y.u, y.tip, 0, y.turn.y), v, 1e-8 * v);
    EXPECT_NEAR(along(y.u, y.tip, 3, y.turn.z), P * L * L / (2 * E * 8e-6), 1e-8 * v);
    EXPECT_NEAR(along(y.u, y.tip, 0, y.turn.z), 0, 1e-8 * v);
    EXPECT_NEAR(along(z.u, z.tip, 0, z.turn.z), w, 1e-8 * w);
    EXPECT_NEAR(along(z.u, z.tip, 3, z.turn.y), -P * L * L / (2 * E * 2e-6), 1e-8 * w);
  }
}

TEST(Beam, WithoutShearAreaBendsAsBernoullis) {
  Beam slender = steel;
  slender.shear_area_y = slender.shear_area_z = 0;
  const Cantilever y(slender, 2, {0, 1000, 0}, {});
  const double v = 1000 * L * L * L / (3 * E * 8e-6);
  EXPECT_NEAR(along(y.u, y.tip, 0, y.turn.y), v, 1e-8 * v);
}

TEST(Beam, StretchesAndTwists) {
  const Cantilever beam(steel, 1, {5e4, 0, 0}, {300, 0, 0});
  EXPECT_NEAR(along(beam.u, beam.tip, 0, beam.turn.x), 5e4 * L / (E * 3e-3), 1e-8 * L * 5e4 / (E * 3e-3));
  EXPECT_NEAR(along(beam.u, beam.tip, 3, beam.turn.x), 300 * L / (G * 5e-6), 1e-8 * 300 * L / (G * 5e-6));
}

TEST(Beam, UnderEndMomentsIsAnArc) {
  const Cantilever beam(steel, 1, {}, {0, 0, 800});
  const double curvature = 800 / (E * 8e-6);
  EXPECT_NEAR(along(beam.u, beam.tip, 3, beam.turn.z), curvature * L, 1e-8 * curvature * L);
  EXPECT_NEAR(along(beam.u, beam.tip, 0, beam.turn.y), curvature * L * L / 2, 1e-8 * curvature * L * L);
}

// Local y is upwards where nothing is said, and along x where the beam is vertical.
TEST(Beam, StandsUpright) {
  struct {
    Point end;
    Point force;
    double inertia, shear_area;
  } cases[] = {{{L, 0, 0}, {0, 0, 1000}, 8e-6, 1.8e-3},
               {{0, L, 0}, {0, 0, 1000}, 8e-6, 1.8e-3},
               {{0, L, 0}, {1000, 0, 0}, 2e-6, 1.1e-3},
               {{0, 0, L}, {1000, 0, 0}, 8e-6, 1.8e-3},
               {{0, 0, -L}, {0, 1000, 0}, 2e-6, 1.1e-3}};
  for (const auto& c : cases) {
    Structure model(line_mesh({0, 0, 0}, c.end), 6,
                    {Integral::over_all_cells(steel),
                     Integral::at_nodes(NodeLoad<6>{{c.force[0], c.force[1], c.force[2]}, {}}, {1})});
    const std::vector<double>& u = model.solve({{{0}, clamped}});
    const double expected = 1000 * L * L * L / (3 * E * c.inertia) + 1000 * L / (G * c.shear_area);
    EXPECT_NEAR((u[6] * c.force[0] + u[7] * c.force[1] + u[8] * c.force[2]) / 1000, expected, 1e-8 * expected);
  }
}

// 5 q L^4 / (384 E I) + q L^2 / (8 k G A) in the middle, met by two elements, since their nodes are exact.
TEST(Beam, UnderDistributedLoadIsExactAtItsNodes) {
  const double q = 4000;
  Structure model(line_mesh({0, 0, 0}, {L, 0, 0}, 2), 6,
                  {Integral::over_all_cells(steel), Integral::over_all_cells(LineLoad<6>{{0, 0, -q}})});
  model.solve({{{0}, {0, 1, 2, 3}}, {{2}, {1, 2}}});
  const double expected = 5 * q * std::pow(L, 4) / (384 * E * 8e-6) + q * L * L / (8 * G * 1.8e-3);
  EXPECT_NEAR(model.at(1, 2), -expected, 1e-8 * expected);
  EXPECT_NEAR(model.at(0, 4), q * std::pow(L, 3) / (24 * E * 8e-6), 1e-8 * expected);  // turns about +y: downwards
}

// Cut anywhere, a cantilever balances the load at its tip.
TEST(Beam, SectionForcesBalanceTheLoad) {
  const Point f{5e3, 1e3, -7e2}, m{90, -60, 40};
  Cantilever beam(steel, 2, f, m);
  const DerivedFields forces = evaluate(beam.model->equations, beam.model->space.from_mesh(beam.u));
  ASSERT_EQ(forces.components, 12);
  for (int cell = 0; cell < 2; ++cell)
    for (int end = 0; end < 2; ++end) {
      const double* at = forces.at_cells.data() + 12 * cell + 6 * end;
      const double rest = L - 0.5 * L * (cell + end);  // to the tip
      const double expected[6] = {f[0], f[1], f[2], m[0], m[1] - rest * f[2], m[2] + rest * f[1]};
      for (int k = 0; k < 6; ++k) EXPECT_NEAR(at[k], expected[k], 1e-7 * 5e3) << cell << " " << end << " " << k;
    }
}

Beam beside(Beam beam, double y, double z) {
  beam.offset_y = y;
  beam.offset_z = z;
  return beam;
}
Point crossed(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// A load at the node acts at the end of the axis with the moment of its arm, and the node moves with that end.
TEST(Beam, BesideItsNodesIsTheSameBeamOnRigidLinks) {
  const Point f{5e3, 1e3, -7e2}, m{90, -60, 40}, arm{0, 0.15, -0.4}, around = crossed(arm, f);
  for (const int elements : {1, 3}) {
    const Cantilever offset(beside(steel, arm[1], arm[2]), elements, f, m),
        plain(steel, elements, f, {m[0] - around[0], m[1] - around[1], m[2] - around[2]});
    const auto local = [](const Cantilever& c, int first) {
      return Point{along(c.u, c.tip, first, c.turn.x), along(c.u, c.tip, first, c.turn.y),
                   along(c.u, c.tip, first, c.turn.z)};
    };
    const Point turned = local(plain, 3), moved = local(plain, 0), by_turning = crossed(turned, arm);
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(local(offset, 3)[d], turned[d], 1e-8 * std::abs(turned[1]));
      EXPECT_NEAR(local(offset, 0)[d], moved[d] - by_turning[d], 1e-8 * std::abs(moved[2]));
    }
    const DerivedFields cut = evaluate(offset.model->equations, offset.model->space.from_mesh(offset.u)),
                        same = evaluate(plain.model->equations, plain.model->space.from_mesh(plain.u));
    for (std::size_t k = 0; k < cut.at_cells.size(); ++k)
      EXPECT_NEAR(cut.at_cells[k], same.at_cells[k], 1e-7 * 5e3) << k;
  }
}

TEST(Beam, BesideItsNodesCarriesLoadsAlongItsAxis) {
  const double q[3] = {300, -500, 800};
  const Beam offset = beside(steel, 0.15, -0.4);  // local y upwards: along z, local z along -y
  Structure carried(
      line_mesh({0, 0, 0}, {L, 0, 0}, 2), 6,
      {Integral::over_all_cells(offset), Integral::over_all_cells(OffsetLineLoad{offset, {q[0], q[1], q[2]}})});
  Structure plain(line_mesh({0, 0, 0}, {L, 0, 0}, 2), 6,
                  {Integral::over_all_cells(steel), Integral::over_all_cells(LineLoad<6>{{q[0], q[1], q[2]}})});
  carried.solve({{{0}, clamped}});
  plain.solve({{{0}, clamped}});
  const Point arm{0, 0.4, 0.15};
  const double size = std::abs(plain.at(2, 1));
  for (Node n = 1; n <= 2; ++n) {
    const Point turned{plain.at(n, 3), plain.at(n, 4), plain.at(n, 5)}, by_turning = crossed(turned, arm);
    for (int d = 0; d < 3; ++d) {
      EXPECT_NEAR(carried.at(n, d), plain.at(n, d) - by_turning[static_cast<std::size_t>(d)], 1e-8 * size);
      EXPECT_NEAR(carried.at(n, 3 + d), plain.at(n, 3 + d), 1e-8 * size);
    }
  }
}

// Two beams that share their nodes, the web's axis e below the flange's: I = I1 + I2 + A1 A2 / (A1 + A2) e^2 about the
// axis of both.
struct Tee {
  static constexpr double e = 0.12, I1 = 1e-7, I2 = 8e-6, A1 = 4e-3, A2 = 3e-3,
                          I = I1 + I2 + A1 * A2 / (A1 + A2) * e * e;
  std::unique_ptr<Structure> model;
  Tee(int elements, Point force, Point moment) {
    std::vector<Node> nodes;
    std::vector<Point> points;
    std::vector<Index> flange, web;
    for (int i = 0; i <= elements; ++i) points.push_back({L * i / elements, 0, 0});
    for (int twice = 0; twice < 2; ++twice)
      for (int i = 0; i < elements; ++i) {
        nodes.insert(nodes.end(), {i, i + 1});
        (twice == 0 ? flange : web).push_back(twice * elements + i);
      }
    const Beam one = {.young = E, .poisson = nu, .area = A1, .inertia_y = 1e-5, .inertia_z = I1, .torsion = 1e-6};
    const Beam other =
        beside({.young = E, .poisson = nu, .area = A2, .inertia_y = 1e-6, .inertia_z = I2, .torsion = 1e-6}, -e, 0);
    model = std::make_unique<Structure>(
        structure_mesh(points, CellKind::line2, nodes), 6,
        std::vector{Integral::over_cells(one, flange), Integral::over_cells(other, web),
                    Integral::at_nodes(NodeLoad<6>{{force[0], force[1], force[2]}, {moment[0], moment[1], moment[2]}},
                                       {elements})});
    model->solve({{{0}, clamped}});
  }
};

TEST(Beam, BesideAnotherMakesATee) {
  // of the flange, above the axis of both
  const double M = 2000, curvature = M / (E * Tee::I), above = Tee::e * Tee::A2 / (Tee::A1 + Tee::A2);
  const Tee bent(1, {}, {0, -M, 0});  // upwards
  EXPECT_NEAR(bent.model->at(1, 4), -curvature * L, 1e-8 * curvature * L);
  EXPECT_NEAR(bent.model->at(1, 2), 0.5 * curvature * L * L, 1e-8 * curvature * L * L);
  EXPECT_NEAR(bent.model->at(1, 0), -curvature * above * L, 1e-8 * curvature * L);
  const DerivedFields forces = evaluate(bent.model->equations, bent.model->solution.u);
  EXPECT_NEAR(forces.at_cells[0], -forces.at_cells[12], 1e-8 * std::abs(forces.at_cells[0]));
  EXPECT_NEAR(forces.at_cells[12], E * Tee::A2 * curvature * (Tee::e - above), 1e-8 * std::abs(forces.at_cells[0]));
}

// Fastened at the nodes only, where the moment varies they slip between them, and are softer: by less with the square
// of the elements' length.
TEST(Beam, BesideAnotherConvergesUnderAForce) {
  const double P = 1000, expected = P * L * L * L / (3 * E * Tee::I);
  const auto error = [&](int elements) { return expected - Tee(elements, {0, 0, P}, {}).model->at(elements, 2); };
  EXPECT_LT(error(4), 0);
  EXPECT_LT(std::abs(error(16)), 4e-3 * expected);
  EXPECT_NEAR(error(4) / error(8), 4, 0.02);
  EXPECT_NEAR(error(8) / error(16), 4, 0.02);
}

// A strip of shells bent to an arc with a stringer below it, as a composite section: no force, and E I times the
// curvature.
TEST(Beam, BelowAShellStiffensItAsItsStringer) {
  constexpr int columns = 4;
  constexpr double width = 0.5, t = 0.01, A2 = 1e-3, I2 = 2e-6, e = 0.06, A1 = width * t, I1 = width * t * t * t / 12,
                   curvature = 1e-4;
  constexpr double I = I1 + I2 + A1 * A2 / (A1 + A2) * e * e, above = e * A2 / (A1 + A2);
  MeshData data{.structural = true};
  std::vector<Node> quadrilaterals, lines;
  for (int i = 0; i <= columns; ++i)
    for (int j = 0; j <= 2; ++j) data.points.insert(data.points.end(), {L * i / columns, width * (0.5 * j - 0.5), 0});
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < 2; ++j)
      quadrilaterals.insert(quadrilaterals.end(), {3 * i + j, 3 * i + 3 + j, 3 * i + 4 + j, 3 * i + 1 + j});
    lines.insert(lines.end(), {3 * i + 1, 3 * i + 4});
  }
  data.blocks = {{CellKind::quad4, quadrilaterals}, {CellKind::line2, lines}};
  std::vector<Index> plates(2 * columns), stringer(columns);
  std::iota(plates.begin(), plates.end(), Index{0});
  std::iota(stringer.begin(), stringer.end(), Index{2 * columns});
  Shell plate{};
  plate.young = E;
  plate.thickness = t;
  plate.drilling = 0.01;
  const Beam below =
      beside({.young = E, .poisson = 0, .area = A2, .inertia_y = 1e-6, .inertia_z = I2, .torsion = 1e-6}, -e, 0);
  Structure model(Mesh(std::move(data)), 6,
                  {Integral::over_cells(plate, plates), Integral::over_cells(below, stringer)});
  const std::vector<Node> end{3 * columns, 3 * columns + 1, 3 * columns + 2};
  model.solve({{{0, 1, 2}, clamped}, {end, {0}, -curvature * above * L}, {end, {4}, -curvature * L}, {end, {3, 5}}});
  const std::vector<double> held = model.residual(model.u);
  double force = 0, moment = 0;
  for (const Node n : end) {
    force += held[static_cast<std::size_t>(6 * n)];
    moment += held[static_cast<std::size_t>(6 * n + 4)];
  }
  EXPECT_NEAR(moment, -E * I * curvature, 1e-7 * E * I * curvature);
  EXPECT_NEAR(force, 0, 1e-7 * E * A2 * e * curvature);
  EXPECT_NEAR(model.at(3 * columns + 1, 2), 0.5 * curvature * L * L, 1e-7 * curvature * L * L);
}

TEST(Bar, CarriesByItsLengthAndArea) {
  const double force = 7000, area = 4e-4;  // two bars under 45 degrees
  Structure model(structure_mesh({{-1, 0, 0}, {1, 0, 0}, {0, 0, -1}}, CellKind::line2, {0, 2, 1, 2}), 3,
                  {Integral::over_all_cells(Bar{E, area}), Integral::at_nodes(NodeLoad<3>{{0, 0, -force}, {}}, {2})});
  model.solve({{{0, 1}, {0, 1, 2}}, {{2}, {1}}});
  const double N = force / std::sqrt(2.0);
  EXPECT_NEAR(model.at(2, 2), -force * std::sqrt(2.0) / (E * area), 1e-12);
  for (const double axial : evaluate(model.equations, model.solution.u).at_cells) EXPECT_NEAR(axial, N, 1e-8 * N);
}

// A bar hangs at the tip of a beam: its other unknowns are nothing to it.
TEST(Bar, StandsBesideBeams) {
  const double P = 1000, area = 1e-5, H = 3;
  Mesh mesh = structure_mesh({{0, 0, 0}, {L, 0, 0}, {L, 0, H}}, CellKind::line2, {0, 1, 1, 2});
  Structure model(std::move(mesh), 6,
                  {Integral::over_cells(steel, {0}), Integral::over_cells(Bar{E, area}, {1}),
                   Integral::at_nodes(NodeLoad<6>{{0, 0, -P}, {}}, {1})});
  model.solve({{{0}, clamped}, {{2}, {0, 1, 2}}});
  const double beam = 1 / (L * L * L / (3 * E * 8e-6) + L / (G * 1.8e-3)), bar = E * area / H;
  EXPECT_NEAR(model.at(1, 2), -P / (beam + bar), 1e-10 * P / bar);
  EXPECT_EQ(model.at(2, 4), 0);
}

TEST(Spring, PullsAlongItsLine) {
  Structure model(line_mesh({0, 0, 0}, {0.3, 0.4, 0}), 3,
                  {Integral::over_all_cells(Spring{500}), Integral::at_nodes(NodeLoad<3>{{30, 40, 0}, {}}, {1})});
  model.solve({{{0}, {0, 1, 2}}, {{1}, {2}, 0}, {{1}, {1}, 0.02}});
  const double elongation = 0.6 * model.at(1, 0) + 0.8 * 0.02;
  EXPECT_NEAR(0.6 * 500 * elongation, 30, 1e-9);
}

TEST(NodeSpring, HoldsANode) {
  const NodeSpring<6> foundation{{100, 200, 400}, {10, 20, 40}};
  Structure model(line_mesh({0, 0, 0}, {1, 0, 0}), 6,
                  {Integral::over_all_cells(steel), Integral::at_nodes(foundation, {0}),
                   Integral::at_nodes(NodeLoad<6>{{1, 2, 3}, {4, 5, 6}}, {0})});
  model.solve({});
  const double expected[6] = {1. / 100, 2. / 200, 3. / 400, 4. / 10, 5. / 20, 6. / 40};
  for (int c = 0; c < 6; ++c) EXPECT_NEAR(model.at(0, c), expected[c], 1e-6);  // the beam is much stiffer: rounding
}

TEST(WholeElements, AreRefusedOnOtherCells) {
  const Mesh mesh = surface_mesh(1, 1, {1, 1}, flat);
  const FunctionSpace space(mesh, 6, Device::named("cpu", 1)), narrow(mesh, 3, Device::named("cpu", 1));
  EXPECT_THROW(Operator(space, {Integral::over_all_cells(steel)}), Error);
  EXPECT_THROW(Operator(narrow, {Integral::over_all_cells(Shell{{1, 0.3, 0.1}})}), Error);
}

TEST(WholeElements, OfNodesStandInSpacesOfAnyOrderThatHaveThem) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex20);
  const Device device = Device::named("cpu", 1);
  const auto springs = [&](Node node, int order) {
    const FunctionSpace space(mesh, 3, device, {.order = order});
    const Vector diagonal = Operator(space, {Integral::at_nodes(NodeSpring<3>{{1, 2, 4}, {}}, {node})}).diagonal({});
    double sum = 0;
    for (const double each : diagonal.host()) sum += each;
    return sum;
  };
  Node corner = 0, middle = 0;  // of an edge
  for (Node node = 0; node < static_cast<Node>(mesh.node_count()); ++node) {
    const auto x = mesh.point(node);
    (x[0] == 0.5 || x[1] == 0.5 || x[2] == 0.5 ? middle : corner) = node;
  }
  for (const int order : {1, 2, 3, 4}) EXPECT_DOUBLE_EQ(springs(corner, order), 7);
  for (const int order : {2, 4}) EXPECT_DOUBLE_EQ(springs(middle, order), 7);
  for (const int order : {1, 3}) try {
      springs(middle, order);
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(error.message().find("a mid node of the mesh"), std::string::npos) << error.message();
    }
}

TEST(StructuralMesh, MayHaveManyMeetingCellsButNoneWithoutLength) {
  EXPECT_EQ(structure_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}}, CellKind::line2,
                           {0, 1, 0, 2, 0, 3, 0, 4, 0, 4})
                .cell_count(),
            5);
  EXPECT_THROW(structure_mesh({{1, 0, 0}, {1, 0, 0}}, CellKind::line2, {0, 1}), Error);
  // crossed
  EXPECT_THROW(structure_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, CellKind::quad4, {0, 1, 2, 3}), Error);
}

}  // namespace
}  // namespace ritz::test
