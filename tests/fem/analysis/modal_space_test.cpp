// Answers on modes against closed forms and direct solutions: residual vectors, harmonic and random response, spectra.
#include "fem/analysis/modal_space.hpp"

#include "fem/analysis/inertia_relief.hpp"
#include "fem/analysis/random_response.hpp"
#include "fem/analysis/response_spectrum.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/frames.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/elements/structure.hpp"

#include <gmock/gmock.h>
#include <numbers>
#include <random>

namespace ritz::test::modal_space_test {
namespace {

using ::testing::HasSubstr;
constexpr double pi = std::numbers::pi;

Device cpu() { return Device::named("cpu", 1); }

// Masses on springs in a row along x, which a support holds at its begin; a force at the last mass.
struct Row {
  explicit Row(std::vector<double> masses, double stiffness = 1000)
      : mesh(line_mesh({0, 0, 0}, {double(masses.size()), 0, 0}, static_cast<int>(masses.size()))), frames(mesh) {
    nodes.reserve(masses.size() + 1);  // frames refer to them
    frames.section("all", {.element = ritz::Bar{stiffness, 1}, .density = 1e-12, .size = 1});
    for (std::size_t i = 0; i <= masses.size(); ++i) {
      nodes.push_back({.name = "node", .kind = RegionKind::nodes, .nodes = {static_cast<Node>(i)}});
      if (i > 0) frames.mass(nodes.back(), {.total = masses[i - 1]});
    }
  }
  Model model() {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const int c : {0, 1, 2})
        if (i == 0 || c > 0) frames.loads.support(nodes[i], c, 0);
    frames.loads.force(nodes.back(), {1, 0, 0});
    return frames.model(cpu());
  }
  // x of a node, as a sum of columns.
  static ModalQuantity at(const ModalSpace& space, std::size_t node, bool is_acceleration = false) {
    ModalQuantity y{.columns = {}, .is_acceleration = is_acceleration};
    for (int k = 0; k < space.columns(); ++k) {
      std::vector<double> q(static_cast<std::size_t>(space.columns()), 0.0);
      q[static_cast<std::size_t>(k)] = 1;
      y.columns.push_back(space.motion(q).host()[3 * node]);
    }
    for (const int d : space.modes.directions) y.carried.push_back(d == 0 ? 1 : 0);
    return y;
  }

  Mesh mesh;
  std::vector<Region> nodes;
  Frames frames;
};

ModalBasis lowest(int count) { return {.modal = {{.count = count, .method = EigenMethod::lanczos}}}; }

TEST(ModalSpace, StaticLimitIsTheStaticSolution) {
  const Mesh mesh = box(4, 1, 1, {4, 1, 1}, CellKind::hex20);
  ElasticBody body(mesh);
  body.material("all", {.young = 200e9, .poisson = 0.3, .density = 8000});
  for (int c = 0; c < 3; ++c) body.loads.displacement("x0", c, 0);
  body.loads.traction("x1", {1e6, 2e6, 0});
  const Model model = body.model(cpu());
  const Vector exact = solve(model, Static{{.relative = 1e-12}}).u;
  for (const bool residual : {false, true}) {
    ModalBasis basis = lowest(2);
    basis.residual_vectors = residual;
    const ModalSpace space = solve(model, basis);
    EXPECT_EQ(space.columns(), residual ? 6 : 2);  // one load, three directions
    std::vector<double> q;
    for (const Complex& each : harmonic_response(space, {.excitations = {{.load = 0}}}, 0).q) q.push_back(each.real());
    Vector u = space.motion(q);
    axpy(-1.0, exact, u);
    if (residual) EXPECT_LE(norm2(u), 1e-8 * norm2(exact));
    else EXPECT_GE(norm2(u), 1e-2 * norm2(exact));
  }
}

// Inertia balances the force at the end: N = F x / L, so that the bar becomes longer by F L / 2 E A.
TEST(ModalSpace, FreeBarUnderAnEndForceStretchesAsInertiaRelief) {
  const Mesh mesh = line_mesh({0, 0, 0}, {2, 0, 0}, 8);
  Frames frames(mesh);
  frames.section("all", {.element = ritz::Bar{200e9, 1e-4}, .density = 8000, .size = 1e-4});
  const Region all{.name = "all nodes",
                   .kind = RegionKind::nodes,
                   .nodes = nodes_where(mesh, [](double, double, double) { return true; })};
  const Region last{.name = "last", .kind = RegionKind::nodes, .nodes = {8}};
  for (const int c : {1, 2}) frames.loads.support(all, c, 0);
  frames.loads.force(last, {1000, 0, 0});
  const ModalSpace space = solve(frames.model(cpu()), lowest(2));
  EXPECT_EQ(space.modes.rigid_count, 1);
  const double f = 1e-2 * space.modes.frequencies[1];
  std::vector<double> q;
  for (const Complex& each : harmonic_response(space, {.excitations = {{.load = 0}}}, f).q) q.push_back(each.real());
  q[0] = 0;  // the rigid motion
  const std::vector<double> u = space.motion(q).host();
  EXPECT_NEAR(u[3 * 8] - u[0], 1000 * 2 / (2 * 200e9 * 1e-4), 2e-4 * 5e-5);

  const ReliefSolution relief = solve(frames.model(cpu()), InertiaRelief{});
  EXPECT_EQ(relief.motions, 1);
  EXPECT_NEAR(relief.acceleration[0], 1000 / (8000 * 2e-4), 1e-9 * 625);
  const std::vector<double> v = relief.state.u.host();
  for (int n = 0; n <= 8; ++n) {  // F x^2 / 2 E A L, without the mean F L / 6 E A
    const double x = 0.25 * n, exact = 1000 / (200e9 * 1e-4) * (x * x / (2 * 2) - 2.0 / 6);
    EXPECT_NEAR(v[static_cast<std::size_t>(3 * n)], exact, 1e-2 * 5e-5) << n;
  }
  EXPECT_NEAR(v[3 * 8] - v[0], 5e-5, 1e-9 * 5e-5);
  EXPECT_LE(relief.state.residual, 1e-8);
}

TEST(InertiaRelief, AHeldBodyIsRefused) {
  Row row({1});
  try {
    solve(row.model(), InertiaRelief{});
    FAIL();
  } catch (const Error& error) { EXPECT_THAT(error.what(), HasSubstr("supports hold")); }
}

// Under its own weight a free body falls without stress.
TEST(InertiaRelief, AFallingBodyHasNoStress) {
  const Mesh mesh = box(2, 1, 1, {2, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = 200e9, .poisson = 0.3, .density = 8000});
  body.loads.gravity({0, 0, -9.81});
  const ReliefSolution s = solve(body.model(cpu()), InertiaRelief{});
  EXPECT_EQ(s.motions, 6);
  EXPECT_NEAR(s.acceleration[2], -9.81, 1e-9);
  EXPECT_LE(max_abs(s.state.u), 1e-18);  // of 8000 g L^2 / E = 2e-6
}

// Both modes of two masses are all there is: a dense complex system with C = alpha M + beta K has the same answer.
TEST(ModalSpace, TwoMassesAnswerAsTheirComplexSystem) {
  Row row({2, 1});
  const ModalSpace space = solve(row.model(), lowest(2));
  const Harmonic analysis{.damping = {.rayleigh = {.mass = 0.3, .stiffness = 1e-3}, .structural = 0.02},
                          .excitations = {{.load = 0, .size = 3.0, .phase = 0.7}}};
  for (const double f : {1.0, 2.7, 5.0, 20.0}) {
    const double w = 2 * pi * f, k = 1000;
    const Complex spring = k * Complex(1, w * 1e-3 + 0.02), load = std::polar(3.0, 0.7);
    const Complex a = 2.0 * spring + 2.0 * Complex(-w * w, 0.3 * w), d = spring + Complex(-w * w, 0.3 * w), b = -spring;
    const Complex determinant = a * d - b * b;
    const HarmonicMotion motion = harmonic_response(space, analysis, f);
    const Complex first = -b * load / determinant, second = a * load / determinant;
    EXPECT_LE(std::abs(motion.of(Row::at(space, 1)) - first), 1e-9 * std::abs(first)) << f;
    EXPECT_LE(std::abs(motion.of(Row::at(space, 2)) - second), 1e-9 * std::abs(second)) << f;
  }
}

// A base that is moved is a force -M t a in the moving frame, whichever of its motions is given.
TEST(ModalSpace, BaseMotionsAreOneMotion) {
  Row row({2, 1});
  const ModalSpace space = solve(row.model(), lowest(2));
  const double f = 4, w = 2 * pi * f;
  const auto answer = [&](Excitation::Motion motion, double size) {
    return harmonic_response(
        space, {.damping = {.ratio = 0.02}, .excitations = {{.direction = {1, 0, 0}, .motion = motion, .size = size}}},
        f);
  };
  const HarmonicMotion by_displacement = answer(Excitation::Motion::displacement, 1e-3),
                       by_velocity = answer(Excitation::Motion::velocity, 1e-3 * w),
                       by_acceleration = answer(Excitation::Motion::acceleration, 1e-3 * w * w);
  const ModalQuantity y = Row::at(space, 2), a = Row::at(space, 2, true);
  EXPECT_NEAR(std::abs(by_displacement.of(y)), std::abs(by_acceleration.of(y)), 1e-12);
  EXPECT_NEAR(std::abs(by_displacement.of(a)), std::abs(by_velocity.of(a)), 1e-9);
  // absolute: that of the base, and the relative one
  EXPECT_LE(std::abs(by_acceleration.of(a) - (1e-3 * w * w - w * w * by_acceleration.of(y))), 1e-12);
}

TEST(ModalSpace, HalfPowerWidthIsTwiceTheDampingRatio) {
  Row row({1});
  const ModalSpace space = solve(row.model(), lowest(1));
  const ModalDamping damping{.ratio = 0.01};
  const auto power = [&](double f) {
    return std::norm(harmonic_response(space, {.damping = damping, .excitations = {{.load = 0}}}, f).q[0]);
  };
  const double f0 = space.frequency(0), peak = peak_between(0.5 * f0, 2 * f0, power);
  const auto half_from = [&](double low, double high) {  // bisection between the peak and half of it
    while (high - low > 1e-10 * f0 || low - high > 1e-10 * f0) {
      const double middle = 0.5 * (low + high);
      (power(middle) > power(peak) / 2 ? low : high) = middle;
    }
    return low;
  };
  EXPECT_NEAR((half_from(peak, 2 * f0) - half_from(peak, 0.5 * f0)) / f0, 0.02, 1e-5);
  EXPECT_NEAR(peak, f0 * std::sqrt(1 - 2 * 1e-4), 1e-7 * f0);
}

TEST(ModalSpace, AnUndampedResonanceIsAnError) {
  Row row({1});
  const ModalSpace space = solve(row.model(), lowest(1));
  try {
    random_response(space, {.excitations = {{.load = 0, .size = 1.0}}, .low = 1, .high = 100});
    FAIL();
  } catch (const Error& error) { EXPECT_THAT(error.what(), HasSubstr("nothing damps")); }
}

// f = 100 Hz, Q = 25, 0.01 g^2/Hz: sqrt(pi f Q W / 2) = 6.2666 g (Miles, J. Aeronaut. Sci. 21, 1954); exactly
// sqrt(1 + 4 zeta^2) times that.
TEST(RandomResponse, AnOscillatorOnAShakenBaseFollowsMiles) {
  Row row({1}, std::pow(2 * pi * 100, 2));
  const ModalSpace space = solve(row.model(), lowest(1));
  const Random analysis{
      .damping = {.ratio = 0.02}, .excitations = {{.direction = {1, 0, 0}, .size = 0.01}}, .low = 1e-3, .high = 1e6};
  const RandomResponse response = random_response(space, analysis);
  const double miles = std::sqrt(pi / 2 * 100 * 25 * 0.01),
               rms = std::sqrt(response.mean_square(Row::at(space, 1, true)));
  EXPECT_NEAR(miles, 6.2666, 1e-4);
  EXPECT_NEAR(rms, miles * std::sqrt(1 + 4 * 4e-4), 1e-4 * miles);
  // of the displacement, sqrt(W / (64 pi^3 zeta f^3)), with as many crossings as the oscillator has periods
  const ModalQuantity y = Row::at(space, 1);
  EXPECT_NEAR(response.mean_square(y), 0.01 / (64 * std::pow(pi, 3) * 0.02 * 1e6), 1e-5 * response.mean_square(y));
  EXPECT_NEAR(std::sqrt(response.mean_square_rate(y) / response.mean_square(y)) / (2 * pi), 100, 1e-2);
}

// Sums of waves with random phases have the covariance; so has a quadratic form of three numbers, as von Mises' stress
// in a plane is.
TEST(RandomResponse, QuadraticFormsAgreeWithSamples) {
  Row row({2, 1, 1.5, 1});
  const ModalSpace space = solve(row.model(), lowest(4));
  const Random analysis{.damping = {.ratio = 0.05}, .excitations = {{.load = 0, .size = 2.0}}, .low = 0.5, .high = 12};
  const ModalQuantity stress[] = {Row::at(space, 1), Row::at(space, 3), Row::at(space, 4)};
  const auto form = [](double xx, double yy, double xy) { return xx * xx - xx * yy + yy * yy + 3 * xy * xy; };
  double exact = 0;
  for (const std::vector<double>& root : covariance_roots(random_response(space, analysis).displacement)) {
    double s[3] = {};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < root.size(); ++k) s[i] += stress[i].columns[k] * root[k];
    exact += form(s[0], s[1], s[2]);
  }
  constexpr int waves = 400, samples = 10000;
  const double step = (12 - 0.5) / waves;
  std::vector<std::array<Complex, 3>> transfer;
  for (int j = 0; j < waves; ++j) {
    const HarmonicMotion motion =
        harmonic_response(space, {.damping = analysis.damping, .excitations = {{.load = 0}}}, 0.5 + (j + 0.5) * step);
    transfer.push_back({motion.of(stress[0]), motion.of(stress[1]), motion.of(stress[2])});
  }
  std::mt19937 random(7);
  std::uniform_real_distribution<double> phases(0, 2 * pi);
  double mean = 0;
  for (int sample = 0; sample < samples; ++sample) {
    double s[3] = {};
    for (int j = 0; j < waves; ++j) {
      const Complex wave = std::polar(std::sqrt(2 * 2.0 * step), phases(random));
      for (std::size_t i = 0; i < 3; ++i) s[i] += (wave * transfer[static_cast<std::size_t>(j)][i]).real();
    }
    mean += form(s[0], s[1], s[2]) / samples;
  }
  EXPECT_NEAR(mean, exact, 0.02 * exact);
}

TEST(RandomResponse, RootsHaveTheCovariance) {
  Row row({2, 1, 1.5});
  const ModalSpace space = solve(row.model(), lowest(3));
  const Covariance C =
      random_response(space, {.damping = {.ratio = 0.03},
                              .excitations = {{.load = 0, .size = 2.0}, {.direction = {1, 0, 0}, .size = 5.0}},
                              .low = 1,
                              .high = 20})
          .acceleration;
  std::vector<double> sum(C.values.size(), 0.0);
  const auto n = static_cast<std::size_t>(C.size);
  for (const std::vector<double>& root : covariance_roots(C))
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) sum[i * n + j] += root[i] * root[j];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_NEAR(sum[i * n + j], C.values[i * n + j], 1e-10 * std::sqrt(C.values[i * n + i] * C.values[j * n + j]));
}

// Forces at both masses, and their sum.
ModalSpace two_inputs() {
  Row row({2, 1});
  row.frames.load_case("first").force(row.nodes[1], {1, 0, 0});
  row.frames.load_case("second").force(row.nodes[2], {1, 0, 0});
  auto& both = row.frames.load_case("both");
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) both.force(row.nodes[i], {1, 0, 0});
  ModalBasis basis = lowest(2);
  basis.loads_excite = false;
  return solve(row.model(), basis);
}

// S_y = |H_1|^2 S_1 + |H_2|^2 S_2 + 2 Re(gamma e^(i phase) H_1 H_2*) sqrt(S_1 S_2).
TEST(RandomResponse, CorrelatedLoadsAddByTheirCrossSpectrum) {
  const ModalSpace space = two_inputs();
  const ModalQuantity y = Row::at(space, 1);
  const ModalDamping damping{.ratio = 0.03};
  Random analysis{
      .damping = damping, .excitations = {{.load = 0, .size = 4.0}, {.load = 1, .size = 9.0}}, .low = 0.5, .high = 20};
  const auto transfer = [&](int load, double f) {
    return harmonic_response(space, {.damping = damping, .excitations = {{.load = load}}}, f).of(y);
  };
  for (const double f : {1.0, 3.0, 4.1, 12.0})
    for (const double coherence : {0.0, 0.36, 1.0})
      for (const double phase : {0.0, 70.0, 180.0}) {
        analysis.correlations = {{.coherence = coherence, .phase = phase}};
        const Complex a = transfer(0, f), b = transfer(1, f),
                      cross = std::polar(std::sqrt(coherence) * 6, phase * pi / 180);
        const double exact = 4 * std::norm(a) + 9 * std::norm(b) + 2 * (cross * a * std::conj(b)).real();
        EXPECT_NEAR(response_density(space, analysis, y, f), exact, 1e-10 * (4 * std::norm(a) + 9 * std::norm(b)));
      }
}

TEST(RandomResponse, OneSourceOfTwoLoadsIsTheirSum) {
  const ModalSpace space = two_inputs();
  const ModalQuantity y = Row::at(space, 2);
  Random analysis{.damping = {.ratio = 0.03}, .excitations = {{.load = 2, .size = 4.0}}, .low = 0.5, .high = 20};
  const double sum = random_response(space, analysis).mean_square(y);
  analysis.excitations = {{.load = 0, .size = 4.0}, {.load = 1, .size = 4.0}};
  analysis.correlations = {{}};
  EXPECT_NEAR(random_response(space, analysis).mean_square(y), sum, 1e-10 * sum);
  analysis.correlations.clear();
  const double apart = random_response(space, analysis).mean_square(y);
  double squares = 0;
  for (const int load : {0, 1}) {
    analysis.excitations = {{.load = load, .size = 4.0}};
    squares += random_response(space, analysis).mean_square(y);
  }
  EXPECT_NEAR(apart, squares, 1e-10 * squares);
  EXPECT_GT(sum, 1.2 * apart);
}

TEST(RandomResponse, CorrelationsThatContradictEachOtherAreAnError) {
  const ModalSpace space = two_inputs();
  Random analysis{.damping = {.ratio = 0.03}, .low = 1, .high = 2};
  for (const int load : {0, 1, 2}) analysis.excitations.push_back({.load = load, .size = 1.0});
  analysis.correlations = {{.first = 0, .second = 1}, {.first = 1, .second = 2}};
  EXPECT_THROW(random_response(space, analysis), Error);
  analysis.correlations.push_back({.first = 0, .second = 2});
  EXPECT_NO_THROW(random_response(space, analysis));
  analysis.correlations.back().second = 3;
  EXPECT_THROW(random_response(space, analysis), Error);
}

// By hand: w^2 and shapes of K = [2k -k; -k k], M = diag(2, 1) with k = 1000: w^2 = k (1 -+ 1 / sqrt 2), shapes
// (1, +- sqrt 2) / 2.
TEST(ResponseSpectrum, TwoMassesAddAsTheirSumsSay) {
  Row row({2, 1});
  const ModalSpace space = solve(row.model(), lowest(2));
  const double w1 = std::sqrt(1000 * (1 - std::sqrt(0.5))), w2 = std::sqrt(1000 * (1 + std::sqrt(0.5)));
  const FrequencyTable table({{0.5, 2.0}, {100, 8.0}}, FrequencyTable::Scale::log);
  const auto peak = [&](double w, double last) {  // of the last mass, whose shape is (1, last) / 2
    return (2 + last) / 2 * table(w / (2 * pi)) / (w * w) * last / 2;
  };
  const double a = peak(w1, std::sqrt(2)), b = peak(w2, -std::sqrt(2));
  const auto answer = [&](ModalSum sum) {
    const ResponseSpectrum analysis{
        .damping = {.ratio = 0.2}, .excitations = {{.direction = {1, 0, 0}, .size = table}}, .sum = sum};
    double total = 0;
    const std::vector<SpectrumPart> parts = response_spectrum(space, analysis);
    for (const std::vector<double>& q : parts.at(0).terms) {
      const double x = space.motion(q).host()[3 * 2];
      total += parts[0].absolute ? std::abs(x) : x * x;
    }
    return parts[0].absolute ? total : std::sqrt(total);
  };
  const double r = w2 / w1, z = 0.2;
  const double rho =
      8 * z * z * (1 + r) * std::pow(r, 1.5) / (std::pow(1 - r * r, 2) + 4 * z * z * r * std::pow(1 + r, 2));
  EXPECT_GT(rho, 0.05);
  EXPECT_NEAR(answer(ModalSum::srss), std::hypot(a, b), 1e-9);
  EXPECT_NEAR(answer(ModalSum::cqc), std::sqrt(a * a + b * b + 2 * rho * a * b), 1e-9);
  EXPECT_NEAR(answer(ModalSum::absolute), std::abs(a) + std::abs(b), 1e-9);
}

// A rigid base acceleration at high frequencies: modes and missing mass together carry all of the mass.
TEST(ResponseSpectrum, MissingMassIsTheStaticRest) {
  Row row({2, 1, 3, 1});
  const ModalSpace some = solve(row.model(), lowest(1)), all = solve(row.model(), lowest(4));
  EXPECT_NEAR(all.missing_mass(0), 0, 1e-9);
  const auto rest =
      response_spectrum(some, {.excitations = {{.direction = {1, 0, 0}, .size = 5.0}}, .sum = ModalSum::srss})
          .at(0)
          .terms.back();
  double of_modes[4] = {};
  for (int k = 1; k < 4; ++k) {
    std::vector<double> q(static_cast<std::size_t>(all.columns()), 0.0);
    const auto i = static_cast<std::size_t>(k);
    q[i] = -all.base[0][i] * 5 / all.stiffness[i];
    const std::vector<double> u = all.motion(q).host();
    for (std::size_t n = 0; n < 4; ++n) of_modes[n] += u[3 * (n + 1)];
  }
  const std::vector<double> u = some.motion(rest).host();
  for (std::size_t n = 0; n < 4; ++n) EXPECT_NEAR(u[3 * (n + 1)], of_modes[n], 1e-7 * std::abs(of_modes[0]));
}

TEST(FrequencyTable, PowersAreStraightInLogarithms) {
  const FrequencyTable table({{10, 0.01}, {1000, 1}}, FrequencyTable::Scale::log);
  EXPECT_NEAR(table(100), 0.1, 1e-15);
  EXPECT_EQ(table(5), 0.01);
  EXPECT_EQ(table.within(5), 0);
  EXPECT_NEAR(FrequencyTable({{10, 0}, {20, 1}}, FrequencyTable::Scale::linear)(15), 0.5, 1e-15);
  EXPECT_THROW(FrequencyTable({{10, 0}, {20, 1}}, FrequencyTable::Scale::log), Error);
  EXPECT_THROW(FrequencyTable({{10, 1}, {10, 2}}, FrequencyTable::Scale::linear), Error);
}

}  // namespace
}  // namespace ritz::test::modal_space_test
