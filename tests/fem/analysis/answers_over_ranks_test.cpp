// Answers to vibration over ranks are those of one process: a row for each, with all of its numbers. Threads pose as
// ranks.
#include "fem/analysis/complex_modes.hpp"
#include "fem/analysis/inertia_relief.hpp"
#include "fem/analysis/random_response.hpp"
#include "fem/analysis/response_spectrum.hpp"
#include "fem/analysis/substructure.hpp"
#include "fem/analysis/time_history.hpp"
#include "fem/physics/elastic_body.hpp"
#include "mesh/generators.hpp"
#include "tests/solvers/thread_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace ritz::test::answers_over_ranks_test {
namespace {

using Numbers = std::vector<double>;

const Mesh& bar() {
  static const Mesh mesh = box(6, 2, 1, {3, 1.1, 0.7}, CellKind::hex8);
  return mesh;
}

// Held at x = 0 unless it is free; pushed at the other end.
Model body(bool is_free = false) {
  ElasticBody body(bar());
  body.material("all", {.young = 200e9, .poisson = 0.3, .density = 8000});
  if (!is_free)
    for (int c = 0; c < 3; ++c) body.loads.displacement("x0", c, 0);
  body.loads.force("x1", {1e5, 2e5, -5e4});
  body.load_case("across").force("y1", {0, 0, 1e5});
  Model model = body.model(Device::named("cpu", 1));  // a device for each rank
  if (is_free) model.load_cases.clear();
  return model;
}

ModalBasis basis(Ranks* ranks) {
  ModalBasis basis{.modal = {{.count = 5, .relative = 1e-9, .method = EigenMethod::lobpcg, .ranks = ranks}}};
  basis.linear.ranks = ranks;
  return basis;
}

ModalSpace space_of(const Model& model, Ranks* ranks) { return solve(model, basis(ranks)); }

// The motion of the last node, or its acceleration.
std::vector<ModalQuantity> quantities(const Model& model, const ModalSpace& space) {
  std::vector<ModalQuantity> all(4);
  const auto unknown = static_cast<std::size_t>(model.space.unknown_count()) - 3;
  for (std::size_t i = 0; i < all.size(); ++i) all[i].is_acceleration = i == 3;
  for (int k = 0; k < space.columns(); ++k) {
    Numbers q(static_cast<std::size_t>(space.columns()), 0.0);
    q[static_cast<std::size_t>(k)] = 1;
    const Numbers u = space.motion(q).host();
    for (std::size_t i = 0; i < all.size(); ++i) all[i].columns.push_back(u[unknown + i % 3]);
  }
  all[3].carried = {1, 0, 0};
  return all;
}

const ModalDamping damped{.ratio = 0.02, .rayleigh = {.mass = 10, .stiffness = 1e-6}};
const std::vector<Excitation> shaken{{.load = -1, .direction = {1, 0.5, 0}, .size = 2.0}};

Numbers harmonic(Ranks* ranks) {
  const Model model = body();
  const ModalSpace space = space_of(model, ranks);
  Numbers result = space.modes.frequencies;
  for (const double f : {0.0, 100.0, 190.0})
    for (const ModalQuantity& each : quantities(model, space)) {
      const Complex value =
          harmonic_response(space, {.damping = damped, .excitations = {{.load = 1, .phase = 0.3}, {.load = 0}}}, f)
              .of(each);
      result.insert(result.end(), {value.real(), value.imag()});
    }
  return result;
}

Numbers random(Ranks* ranks) {
  const Model model = body();
  const ModalSpace space = space_of(model, ranks);
  const RandomResponse response =
      random_response(space, {.damping = damped, .excitations = shaken, .low = 10, .high = 1000});
  Numbers result;
  for (const ModalQuantity& each : quantities(model, space)) result.push_back(std::sqrt(response.mean_square(each)));
  return result;
}

Numbers spectrum(Ranks* ranks) {
  const Model model = body();
  const ModalSpace space = space_of(model, ranks);
  Numbers squares(static_cast<std::size_t>(model.space.unknown_count()), 0.0);
  for (const SpectrumPart& part : response_spectrum(space, {.damping = damped, .excitations = shaken}))
    for (const Numbers& q : part.terms) {
      const Numbers u = space.motion(q).host();
      for (std::size_t i = 0; i < u.size(); ++i) squares[i] += u[i] * u[i];
    }
  return squares;
}

Numbers history(Ranks* ranks) {
  const Model model = body();
  const ModalSpace space = space_of(model, ranks);
  const TimeHistory forces{
      .damping = damped, .times = {0, 1e-3, 3e-3}, .forces = {{shaken.front(), {0, 9, 0}}, {{.load = 0}, {0, 1, 1}}}};
  MotionInTime motion(space, forces);
  while (!motion.at_end()) motion.advance();
  Numbers result;
  for (const ModalQuantity& each : quantities(model, space)) result.push_back(motion.now().of(each));
  return result;
}

Numbers complex(Ranks* ranks) {
  const Model model = body();
  std::vector<Dashpot> dashpots{{model.space.nodes_in(bar().region("x1")), {0, 3e6, 1e6}}};
  const ComplexModal analysis{.damping = damped, .dashpots = dashpots, .frame = TurningFrame{{1, 0, 0}, 50}};
  const ModalSpace space = solve(model, complex_basis(model, basis(ranks), analysis));
  Numbers result;
  for (const ComplexMode& each : complex_modes(model, space, analysis))
    result.insert(result.end(), {each.value.real(), each.value.imag()});
  return result;
}

// Values over their largest size.
void append(Numbers values, Numbers& to) {
  double size = 0;
  for (const double each : values) size = std::max(size, std::abs(each));
  for (const double each : values) to.push_back(each / size);
}

Numbers relief(Ranks* ranks) {
  const ReliefSolution s = solve(body(true), InertiaRelief{{.relative = 1e-11, .ranks = ranks}});
  Numbers result;
  for (const Numbers& each : {s.state.u.host(), s.acceleration, s.state.applied}) append(each, result);
  EXPECT_LE(s.state.residual, 1e-8);
  EXPECT_EQ(s.motions, 6);
  return result;
}

// Modes may have the other sign.
Numbers substructure(Ranks* ranks, bool with_modes) {
  Model model = body();
  model.load_cases.clear();
  Substructure analysis{.interface = {{.region = &bar().region("x1")}}, .linear = {.ranks = ranks}};
  if (with_modes) analysis.modal = basis(ranks).modal;
  const ReducedModel reduced = reduce(model, analysis);
  Numbers result, q(static_cast<std::size_t>(reduced.size()), 0.0);
  for (std::size_t i = 0; i < reduced.interface.size(); ++i) q[i] = 1.0 + double(i);
  append(reduced.recovered(q).host(), result);
  for (std::vector<Numbers> all = reduced.loads; Numbers each : {reduced.stiffness, reduced.mass, all[0], all[1]}) {
    for (double& value : each) value = std::abs(value);
    append(std::move(each), result);
  }
  return result;
}

struct Answer {
  std::string name;
  Numbers (*of)(Ranks*);
};
void PrintTo(const Answer& answer, std::ostream* out) { *out << answer.name; }

const Answer table[] = {
    {"Harmonic", harmonic},
    {"Random", random},
    {"Spectrum", spectrum},
    {"History", history},
    {"Complex", complex},
    {"InertiaRelief", relief},
    {"Guyan", [](Ranks* ranks) { return substructure(ranks, false); }},
    {"CraigBampton", [](Ranks* ranks) { return substructure(ranks, true); }},
};

class AnswersOverRanks : public ::testing::TestWithParam<Answer> {};
INSTANTIATE_TEST_SUITE_P(Of, AnswersOverRanks, ::testing::ValuesIn(table),
                         [](const auto& answer) { return answer.param.name; });

TEST_P(AnswersOverRanks, AreThoseOfOneProcess) {
  const Numbers alone = GetParam().of(nullptr);
  double size = 0;
  for (const double each : alone) size = std::max(size, std::abs(each));
  ASSERT_GT(size, 0);
  testing::on_ranks(3, [&](Ranks& ranks) {
    const Numbers mine = GetParam().of(&ranks);
    ASSERT_EQ(mine.size(), alone.size());
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_NEAR(mine[i], alone[i], 1e-8 * size) << i;
  });
}

}  // namespace
}  // namespace ritz::test::answers_over_ranks_test
