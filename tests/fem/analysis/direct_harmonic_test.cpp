// Harmonic response without modes: the same as with all of them, and damping that modes cannot have.
#include "fem/analysis/direct_harmonic.hpp"

#include "device/error.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/frames.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/elements/structure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace ritz::test::direct_harmonic_test {
namespace {

Device cpu() { return Device::named("cpu", 1); }

// Real and imaginary part of the displacements, one after the other.
std::vector<double> displacements(const ModalSpace& space, const HarmonicMotion& motion) {
  std::vector<double> real, imaginary;
  for (const Complex& each : motion.q) {
    real.push_back(each.real());
    imaginary.push_back(each.imag());
  }
  std::vector<double> u = space.motion(real).host();
  const std::vector<double> v = space.motion(imaginary).host();
  u.insert(u.end(), v.begin(), v.end());
  return u;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double relative) {
  double size = 0;
  for (const double each : b) size = std::max(size, std::abs(each));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], relative * size) << i;
}

struct Bar {
  Bar() : mesh(box(2, 1, 1, {2, 1, 1}, CellKind::hex8)), body(mesh) {
    body.material("all", {.young = 200e9, .poisson = 0.3, .density = 8000});
    for (int c = 0; c < 3; ++c) body.loads.displacement("x0", c, 0);
    body.loads.traction("x1", {1e6, 2e6, 5e5});
    model = body.model(cpu());
  }
  Mesh mesh;
  ElasticBody body;
  Model model;
};

TEST(DirectHarmonic, IsThatOfAllModesUnderRayleighAndStructuralDamping) {
  const Bar bar;
  ModalBasis all{.modal = {{.count = 24, .method = EigenMethod::lanczos}}};  // 8 free nodes
  const ModalSpace space = solve(bar.model, all);
  const RayleighDamping rayleigh{.mass = 20, .stiffness = 1e-5};
  const std::vector<Excitation> excitations = {
      {.load = 0, .size = 2.0, .phase = 0.4},
      {.direction = {0, 1, 2}, .motion = Excitation::Motion::displacement, .size = 1e-4}};
  const Harmonic by_modes{.damping = {.rayleigh = rayleigh, .structural = 0.03}, .excitations = excitations};
  DirectHarmonicSystem system(bar.model, {.rayleigh = rayleigh, .structural = 0.03});
  const DirectResponse direct = system.solve({10, 150, space.frequency(0), 900}, excitations);
  for (const HarmonicMotion& motion : direct.motions) {
    const HarmonicMotion modal = harmonic_response(space, by_modes, motion.frequency);
    expect_near(displacements(direct.space, motion), displacements(space, modal), 1e-6);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(motion.carried[d], modal.carried[d]);
  }
}

// Two hundred frequencies over several resonances, of which a few are solved.
TEST(DirectHarmonic, BetweenSolvedFrequenciesIsTheAnswerWithinItsEstimate) {
  const Bar bar;
  std::vector<double> frequencies;
  for (int i = 0; i < 200; ++i) frequencies.push_back(20 + 8 * i);
  const std::vector<Excitation> excitations = {{.load = 0, .size = 2.0, .phase = 0.4},
                                               {.direction = {0, 1, 2}, .size = 3.0}};
  const DirectHarmonic analysis{.rayleigh = {.mass = 20, .stiffness = 1e-6}, .losses = {{{1}, 0.02}}};
  DirectHarmonicSystem system(bar.model, analysis);
  const DirectResponse all = system.solve(frequencies, excitations);
  EXPECT_EQ(all.solved, 200);
  for (const double tolerance : {1e-2, 1e-6}) {
    const DirectResponse few = system.solve(frequencies, excitations, tolerance);
    EXPECT_LE(few.solved, 16);
    EXPECT_LE(few.error, tolerance);
    for (std::size_t i = 0; i < frequencies.size(); i += 7) {
      expect_near(displacements(few.space, few.motions[i]), displacements(all.space, all.motions[i]),
                  std::max(10 * tolerance, 1e-8));
      EXPECT_EQ(few.motions[i].carried[1], all.motions[i].carried[1]);
    }
  }
}

TEST(DirectHarmonic, TheLossFactorOfAllCellsIsStructuralDamping) {
  const Bar bar;
  DirectHarmonicSystem whole(bar.model, {.structural = 0.2}), parts(bar.model, {.losses = {{{0}, 0.2}, {{1}, 0.2}}}),
      half(bar.model, {.losses = {{{1}, 0.2}}});
  const std::vector<Excitation> load = {{.load = 0}};
  const DirectResponse a = whole.solve({200}, load), b = parts.solve({200}, load), c = half.solve({200}, load);
  expect_near(displacements(b.space, b.motions[0]), displacements(a.space, a.motions[0]), 1e-10);
  EXPECT_GT(std::abs(c.space.motion({0, 1}).host().back() / a.space.motion({0, 1}).host().back() - 1), 0.1);
}

// u = f / (k - w^2 m + i w c)
TEST(DirectHarmonic, ADashpotOnAMassOnASpring) {
  const Mesh mesh = line_mesh({0, 0, 0}, {1, 0, 0}, 1);
  Frames frames(mesh);
  frames.section("all", {.element = ritz::Bar{1000, 1}, .density = 1e-12, .size = 1});
  const std::vector<Region> nodes = {{.name = "first", .kind = RegionKind::nodes, .nodes = {0}},
                                     {.name = "last", .kind = RegionKind::nodes, .nodes = {1}}};
  frames.mass(nodes[1], {.total = 2});
  for (std::size_t i = 0; i < 2; ++i)
    for (const int c : {0, 1, 2})
      if (i == 0 || c > 0) frames.loads.support(nodes[i], c, 0);
  frames.loads.force(nodes[1], {3, 0, 0});
  const Model model = frames.model(cpu());
  DirectHarmonicSystem system(model, {.dashpots = {{{1}, {7, 0, 0}}}});
  const DirectResponse r = system.solve({1, 3.5588, 20}, {{.load = 0}});
  for (const HarmonicMotion& motion : r.motions) {
    const double w = 2 * std::numbers::pi * motion.frequency;
    const Complex exact = 3.0 / Complex(1000 - 2 * w * w, 7 * w);
    const std::vector<double> u = displacements(r.space, motion);
    EXPECT_NEAR(u[3], exact.real(), 1e-10 * std::abs(exact)) << motion.frequency;
    EXPECT_NEAR(u[9], exact.imag(), 1e-10 * std::abs(exact)) << motion.frequency;
  }
}

}  // namespace
}  // namespace ritz::test::direct_harmonic_test
