// Small models drawn at random: each ends in balance under all of its loads, or with a sentence that names increment,
// reason, place and remedy. RITZ_RANDOM_MODELS: how many (tools/long_checks.sh).
#include "fem/analysis/analysis.hpp"
#include "fem/materials/laws.hpp"
#include "fem/physics/any_form.hpp"
#include "fem/plugins/material.hpp"
#include "mesh/generators.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <random>

namespace ritz::test {
namespace {

using ::testing::HasSubstr;

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double between(double low, double high) { return low + (high - low) * (double(engine_()) / 4294967296.0); }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[engine_() % all.size()];
  }

 private:
  std::mt19937 engine_;  // the same numbers on every machine, unlike the distributions of the library
};

FormValue law(Draw& draw, Space space) {
  const Kinematics kinematics{space, true};
  switch (draw.one_of({0, 1, 2, 3})) {
    case 0: return material(LinearElastic{1000, draw.between(0, 0.4)}, kinematics);
    case 1: return material(NeoHooke{1000, draw.between(0.1, 0.45)}, kinematics);
    case 2: return material(J2{1000, 0.3, 0, Hardening::linear(draw.between(5, 50), draw.between(0, 200))}, kinematics);
    default: return material(MooneyRivlin{120, 40, 2000}, kinematics);
  }
}

struct Drawn {
  explicit Drawn(unsigned seed) : Drawn(Draw(seed)) {}
  explicit Drawn(Draw draw) : mesh(mesh_of(draw)), form(mesh) {
    const int dimension = mesh.dimension();
    form.material("all", law(draw, dimension == 3 ? Space::solid : Space::plane));
    for (int c = 0; c < dimension; ++c) form.loads.prescribe("x0", c, 0);
    if (draw.between(0, 1) < 0.3) {
      form.loads.prescribe("x1", 0, draw.between(-0.5, 1.5));
    } else {
      std::vector<Coefficient> traction;
      for (int c = 0; c < dimension; ++c)
        traction.emplace_back(draw.between(-1, 1) * std::pow(10, draw.between(-1, 2)));
      form.loads.load("x1", traction);
    }
  }
  static Mesh mesh_of(Draw& draw) {
    const double length = draw.between(1, 6);
    if (draw.between(0, 1) < 0.6)
      return rectangle(4, 1, {length, 1}, draw.one_of({CellKind::quad4, CellKind::quad8, CellKind::tri6}));
    return box(2, 1, 1, {length, 1, 1}, draw.one_of({CellKind::hex8, CellKind::tet10}));
  }
  Mesh mesh;
  AnyForm form;
};

TEST(RandomModels, AllEndInBalanceOrWithASentence) {
  const char* const asked = std::getenv("RITZ_RANDOM_MODELS");
  const unsigned count = asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : 6;
  int in_balance = 0, refused = 0;
  std::size_t steps = 0;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const Drawn drawn(seed);
    try {
      const NonlinearSolution s =
          solve(drawn.form.model(Device::named("cpu")),
                Nonlinear{.sizes = {.smallest = 0.002}, .linear = {.method = LinearMethod::direct}});
      EXPECT_LE(s.residual, 1e-8) << seed;
      EXPECT_EQ(s.part, 1) << seed;
      steps += s.steps.size();
      ++in_balance;
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::not_converged) << seed;
      EXPECT_THAT(error.message(), HasSubstr("Newton's method did not converge in increment")) << seed;
      EXPECT_THAT(error.why(), HasSubstr("of the loads are in balance")) << seed;
      EXPECT_NE(error.fix(), "") << seed;
      if (asked != nullptr) fmt::print("{}: {}\n   {}\n   {}\n", seed, error.message(), error.why(), error.fix());
      ++refused;
    }
  }
  EXPECT_EQ(in_balance + refused, static_cast<int>(count));
  EXPECT_GT(in_balance, refused);
  if (asked != nullptr) fmt::print("{} in balance after {} steps, {} with a sentence\n", in_balance, steps, refused);
}

}  // namespace
}  // namespace ritz::test
