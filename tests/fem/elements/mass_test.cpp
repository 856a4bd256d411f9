// Masses of beams, bars, shells and points: what they do to rigid motions, and frequencies that have closed forms.
#include "fem/analysis/vibration.hpp"
#include "fem/elements/mass.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/elements/structure.hpp"

#include <numbers>

namespace ritz::test::mass_test {
namespace {

constexpr double E = 200e9, nu = 0.3, G = E / (2 * (1 + nu)), rho = 8000;
constexpr double pi = std::numbers::pi;

// NAFEMS FV5: a deep beam of a square section, which twists without warping there.
const Beam deep = {.young = E,
                   .poisson = nu,
                   .area = 4,
                   .inertia_y = 4.0 / 3,
                   .inertia_z = 4.0 / 3,
                   .torsion = 8.0 / 3,
                   .shear_area_y = 10.0 / 3,
                   .shear_area_z = 10.0 / 3,
                   .orientation = {0, 1, 0}};

// Twice the kinetic energy of the motion u.
double moved(const Mesh& mesh, const Integral& mass, const std::vector<double>& u) {
  const FunctionSpace space(mesh, 6, Device::named("cpu", 1));
  const Operator masses(space, {mass});
  SparseMatrix M = masses.make_matrix();
  masses.assemble(space.zeros(), M);
  const Vector x = space.from_mesh(u);
  Vector y = space.zeros();
  M.apply(x, y);
  return dot(x, y);
}

std::vector<double> motion(const Mesh& mesh, int number) {
  return field(mesh, [&](double x, double y, double z) { return rigid(number, x, y, z); });
}

TEST(Mass, OfABeamMovesRigidlyAsItsSolid) {
  const Mesh mesh = line_mesh({0, 0, 0}, {2.5, 0, 0}, 3);
  Beam beam = deep;
  beam.inertia_y = 0.7;
  const Integral mass = Integral::over_all_cells(BeamMass{beam, rho});
  const double m = rho * 4 * 2.5;
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(moved(mesh, mass, motion(mesh, d)), m, 1e-9 * m);
  EXPECT_NEAR(moved(mesh, mass, motion(mesh, 3)), rho * 2.5 * (4.0 / 3 + 0.7), 1e-9 * m);
  EXPECT_NEAR(moved(mesh, mass, motion(mesh, 4)), m * 2.5 * 2.5 / 3 + rho * 2.5 * 0.7, 1e-9 * m);
  EXPECT_NEAR(moved(mesh, mass, motion(mesh, 5)), m * 2.5 * 2.5 / 3 + rho * 2.5 * 4 / 3, 1e-9 * m);
}

// Steiner: about the line of the nodes the axis has m a^2 besides; about the others its ends lie elsewhere.
TEST(Mass, OfABeamBesideItsNodesIsThatOfItsAxis) {
  const Mesh mesh = line_mesh({0, 0, 0}, {2.5, 0, 0}, 3);
  Beam beam = deep;  // local y along y, local z along z
  beam.offset_y = 0.3;
  beam.offset_z = -0.4;
  const Integral mass = Integral::over_all_cells(BeamMass{beam, rho});
  const double m = rho * 4 * 2.5, own = rho * 2.5 * 4 / 3;
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(moved(mesh, mass, motion(mesh, d)), m, 1e-9 * m);
  EXPECT_NEAR(moved(mesh, mass, motion(mesh, 3)), 2 * own + m * 0.25, 1e-9 * m);
  EXPECT_NEAR(moved(mesh, mass, motion(mesh, 4)), m * (2.5 * 2.5 / 3 + 0.16) + own, 1e-9 * m);
  EXPECT_NEAR(moved(mesh, mass, motion(mesh, 5)), m * (2.5 * 2.5 / 3 + 0.09) + own, 1e-9 * m);
}

TEST(Mass, OfABeamDoesNotDependOnItsDirectionInSpace) {
  const Mesh along = line_mesh({0, 0, 0}, {0, 0, 3}), across = line_mesh({1, 2, 3}, {2, 4, 5});  // both of length 3
  const Integral mass = Integral::over_all_cells(BeamMass{deep, rho});
  const auto bent = [](const Point& w, const Point& t) {
    std::vector<double> u(12, 0.0);
    for (std::size_t d = 0; d < 3; ++d) {
      u[d] = w[d];
      u[9 + d] = t[d];
    }
    return u;
  };
  const double a = moved(along, mass, bent({1, 0, 0}, {0, 1, 0}));
  // The same in axes turned: x' = (1, 2, 2) / 3; deflection along (2, -2, 1) / 3, turning about x' cross it = (2, 1,
  // -2) / 3.
  const double b = moved(across, mass, bent({2.0 / 3, -2.0 / 3, 1.0 / 3}, {2.0 / 3, 1.0 / 3, -2.0 / 3}));
  EXPECT_NEAR(a, b, 1e-10 * a);
}

TEST(Mass, OfAShellMovesRigidlyAsItsPlate) {
  const double t = 0.1, rotary = rho * t * t * t / 12;
  for (const CellKind kind : {CellKind::quad4, CellKind::tri3}) {
    const Mesh mesh = surface_mesh(3, 2, {3, 2}, flat, {}, kind);
    const Integral mass = kind == CellKind::quad4
                              ? Integral::over_all_cells(SurfaceMass<CellKind::quad4, 6>{rho * t, rotary})
                              : Integral::over_all_cells(SurfaceMass<CellKind::tri3, 6>{rho * t, rotary});
    const double m = rho * t * 6;
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(moved(mesh, mass, motion(mesh, d)), m, 1e-9 * m);
    EXPECT_NEAR(moved(mesh, mass, motion(mesh, 3)), m * (2 * 2 / 3.0) + 6 * rotary, 1e-9 * m);
    EXPECT_NEAR(moved(mesh, mass, motion(mesh, 4)), m * (3 * 3 / 3.0) + 6 * rotary, 1e-9 * m);
  }
}

std::vector<double> frequencies(const Mesh& mesh, const std::vector<Integral>& elastic,
                                const std::vector<Integral>& inertial, const std::vector<Hold>& holds, int count,
                                int components = 6) {
  const FunctionSpace space(mesh, components, Device::named("cpu", 1));
  const Operator stiffness(space, elastic), masses(space, inertial);
  Constraints fixed(space);
  for (const Hold& h : holds)
    for (const int c : h.components) fixed.prescribe(h.nodes, c, 0, "test");
  hold_untouched(touched_unknowns(space, elastic), fixed);
  fixed.finish();
  return solve_vibration(stiffness, masses, fixed, {},
                         {.count = count, .relative = 1e-9, .method = EigenMethod::lanczos})
      .frequencies;
}

// Timoshenko's beam on simple supports: the lower root omega^2 of
// rho^2 I A / (G A_s) w^4 - rho (A + I k^2 (1 + E A / (G A_s))) w^2 + E I k^4 = 0, k = n pi / L (Weaver, Timoshenko and
// Young, 1990, 5.12).
double bending(const Beam& beam, double L, int n) {
  const double k = n * pi / L, I = beam.inertia_z, A = beam.area;
  const double a = rho * rho * I * A / (G * beam.shear_area_y),
               b = rho * (A + I * k * k * (1 + E * A / (G * beam.shear_area_y))), c = E * I * std::pow(k, 4);
  return std::sqrt((b - std::sqrt(b * b - 4 * a * c)) / (2 * a)) / (2 * pi);
}

std::vector<double> simply_supported(const Beam& beam, int elements, int count) {
  const Mesh mesh = line_mesh({0, 0, 0}, {10, 0, 0}, elements);
  return frequencies(mesh, {Integral::over_all_cells(beam)}, {Integral::over_all_cells(BeamMass{beam, rho})},
                     {{{0}, {0, 1, 2, 3}}, {{static_cast<Node>(elements)}, {1, 2}}}, count);
}

TEST(Vibration, OfADeepBeamBendsTwistsAndStretchesAsFv5) {
  const std::vector<double> f = simply_supported(deep, 16, 7);
  const double twist = std::sqrt(G * deep.torsion / (rho * 8 / 3)) / 40, stretch = std::sqrt(E / rho) / 40;
  const double expected[] = {bending(deep, 10, 1), bending(deep, 10, 1), twist,    stretch,
                             bending(deep, 10, 2), bending(deep, 10, 2), 3 * twist};
  const double nafems[] = {42.649, 42.649, 77.542, 125.0, 148.31, 148.31, 233.10};
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_NEAR(f[k] / expected[k], 1, 4e-3) << k;
    EXPECT_NEAR(f[k] / nafems[k], 1, 0.012) << k;
  }
}

// Deflections are cubic in an element, shears constant.
TEST(Vibration, OfABeamConvergesWithTheFourthPowerWithoutShearAndTheSecondWithIt) {
  Beam rayleigh = deep;  // with rotary inertia, without shear deformation
  rayleigh.shear_area_y = rayleigh.shear_area_z = 0;
  const double k = 2 * pi / 10, I = deep.inertia_z;
  const double exact[] = {std::sqrt(E * I * std::pow(k, 4) / (rho * (deep.area + I * k * k))) / (2 * pi),
                          bending(deep, 10, 2)};
  const Beam* beams[] = {&rayleigh, &deep};
  for (const int i : {0, 1}) {
    const auto error = [&](int elements) {
      const std::vector<double> f = simply_supported(*beams[i], elements, 8);
      double least = 1e300;  // of the mode among twisting and stretching ones
      for (const double value : f) least = std::abs(value - exact[i]) < std::abs(least) ? value - exact[i] : least;
      return least;
    };
    const double coarse = error(6), fine = error(12);
    EXPECT_GT(fine, 0);  // consistent masses come from above
    EXPECT_NEAR(std::log2(coarse / fine), i == 0 ? 4 : 2, 0.2) << coarse << " " << fine;
  }
}

TEST(Vibration, OfPointMassesOnSpringsIsThatOfAChain) {
  // wall - k - m - k - m - k - wall: omega^2 = k/m, 3 k/m; across the chain the springs do nothing
  const Mesh mesh = line_mesh({0, 0, 0}, {3, 0, 0}, 3);
  const std::vector<double> f =
      frequencies(mesh, {Integral::over_all_cells(Spring{500})}, {Integral::at_nodes(node_mass<3>(2), {1, 2})},
                  {{{0, 3}, {0, 1, 2}}, {{1, 2}, {1, 2}}}, 2, 3);
  EXPECT_NEAR(f[0], std::sqrt(250.0) / (2 * pi), 1e-9);
  EXPECT_NEAR(f[1], std::sqrt(750.0) / (2 * pi), 1e-9);
}

TEST(Vibration, OfABarStretches) {
  const Mesh mesh = line_mesh({0, 0, 0}, {0, 0, 2}, 20);
  std::vector<Node> all(21);
  for (Node n = 0; n <= 20; ++n) all[static_cast<std::size_t>(n)] = n;
  const std::vector<double> f =
      frequencies(mesh, {Integral::over_all_cells(Bar{E, 0.01})}, {Integral::over_all_cells(LineMass{rho * 0.01})},
                  {{{0}, {2}}, {all, {0, 1}}}, 1, 3);
  EXPECT_NEAR(f[0] / (std::sqrt(E / rho) / 8), 1, 1e-3);
}

TEST(Vibration, OfASimplySupportedPlateIsNaviers) {
  const double t = 0.02, a = 2, b = 1.5, D = E * t * t * t / (12 * (1 - nu * nu));
  for (const CellKind kind : {CellKind::quad4, CellKind::tri3}) {
    const Mesh mesh = surface_mesh(20, 16, {a, b}, flat, {}, kind);
    const std::vector<Node> edge = nodes_where(
        mesh, [&](double x, double y, double) { return same(x, 0) || same(x, a) || same(y, 0) || same(y, b); });
    std::vector<Node> all;
    for (Node n = 0; n < mesh.node_count(); ++n) all.push_back(n);
    const bool quads = kind == CellKind::quad4;
    const Integral elastic =
        quads ? Integral::over_all_cells(Shell{{.young = E, .poisson = nu, .thickness = t, .orientation = {}}})
              : Integral::over_all_cells(Shell3{{.young = E, .poisson = nu, .thickness = t, .orientation = {}}});
    const double rotary = rho * t * t * t / 12;
    const Integral mass = quads ? Integral::over_all_cells(SurfaceMass<CellKind::quad4, 6>{rho * t, rotary})
                                : Integral::over_all_cells(SurfaceMass<CellKind::tri3, 6>{rho * t, rotary});
    const std::vector<double> f = frequencies(mesh, {elastic}, {mass}, {{edge, {2}}, {all, {0, 1, 5}}}, 3);
    const auto navier = [&](int m, int n) {
      return pi / 2 * (m * m / (a * a) + n * n / (b * b)) * std::sqrt(D / (rho * t));
    };
    EXPECT_NEAR(f[0] / navier(1, 1), 1, 0.01);
    EXPECT_NEAR(f[1] / navier(2, 1), 1, 0.02);
    EXPECT_NEAR(f[2] / navier(1, 2), 1, 0.02);
  }
}

}  // namespace
}  // namespace ritz::test::mass_test
