// Facts of every law at one point: moduli are derivatives of the stress, symmetric where it is claimed, elastic at the
// start, and the same in all directions.
#include "tests/fem/materials/point_of_law.hpp"

#include <vector>

namespace ritz::test_laws {
namespace {

template <class L>
class EveryLaw : public testing::Test {};
template <class List>
struct TypesOf;
template <Law... L>
struct TypesOf<LawList<L...>> {
  using Types = testing::Types<L...>;
};
using Laws = TypesOf<BuiltInLaws>::Types;
TYPED_TEST_SUITE(EveryLaw, Laws);

TYPED_TEST(EveryLaw, TheModuliAreTheDerivativesOfTheStress) {
  along_a_path<TypeParam>([](LawAtPoint<TypeParam>& point, const S& strain) {
    const Response<double> r = point.at(strain);
    EXPECT_LT(size_of(r.stress - point.stress(strain)), 1e-12 * (1 + size_of(r.stress)));
    for (int k = 0; k < 6; ++k) {
      S along = S::zero();
      along[k] = k < 3 ? 1 : 0.5;
      const double h = 1e-5;
      const auto at = [&](double x) { return point.stress(strain + x * along); };
      const S slope = (1 / (12 * h)) * (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h)));
      for (int l = 0; l < 6; ++l) EXPECT_NEAR(r.moduli[l][k], slope[l], 1e-6 * 1000) << l << k;
    }
  });
}

// Threads of a GPU compute columns.
TYPED_TEST(EveryLaw, ColumnsOfTheModuliAloneAreThoseOfAllAtOnce) {
  along_a_path<TypeParam>([](LawAtPoint<TypeParam>& point, const S& strain) {
    const Response<double> r = point.at(strain);
    for (int k = 0; k < 6; ++k) {
      const Column<double> c =
          column_of(point.law, {point.time, point.temperature}, strain, k, point.before, point.now);
      EXPECT_LT(size_of(r.stress - c.stress), 1e-12 * (1 + size_of(r.stress)));
      for (int l = 0; l < 6; ++l) EXPECT_NEAR(r.moduli[l][k], c.moduli[l], 1e-9 * 1000);
    }
  });
}

TYPED_TEST(EveryLaw, TheModuliAreSymmetricWhereItIsClaimed) {
  if (!LawFacts<TypeParam>::symmetric) return;
  along_a_path<TypeParam>([](LawAtPoint<TypeParam>& point, const S& strain) {
    const Response<double> r = point.at(strain);
    for (int k = 0; k < 6; ++k)
      for (int l = 0; l < k; ++l) EXPECT_NEAR(r.moduli[k][l], r.moduli[l][k], 1e-10 * 1000);
  });
}

TYPED_TEST(EveryLaw, NoStrainIsNoStressAndTheModuliThereAreElastic) {
  LawAtPoint<TypeParam> point;
  const Response<double> r = point.at(S::zero());
  EXPECT_LT(size_of(r.stress), 1e-12);
  const double shear = r.moduli[3][3];
  EXPECT_GT(shear, 0);
  if (!std::is_same_v<TypeParam, Orthotropic> && !std::is_same_v<TypeParam, Anisotropic>) {
    EXPECT_NEAR(r.moduli[0][0] - r.moduli[0][1], 2 * shear, 1e-9 * shear);
  }
  for (int k = 0; k < 6; ++k)
    for (int l = 0; l < 6; ++l) EXPECT_TRUE(std::isfinite(r.moduli[k][l]));
}

TYPED_TEST(EveryLaw, TurnedStrainsHaveTurnedStresses) {
  if (!LawFacts<TypeParam>::isotropic) return;
  std::mt19937 random(9);
  Tensor<double> F = Tensor<double>::identity();
  for (auto& row : F.v)
    for (double& x : row) x += std::uniform_real_distribution<double>(-0.7, 0.7)(random);
  const Tensor<double> Q = polar(F).rotation;
  LawAtPoint<TypeParam> here, there;
  S strain = S::zero();
  for (int step = 0; step < 4; ++step) {
    strain += random_strain(random, 0.04);
    const S a = turned(Q, here.step(strain, 0.5)), b = there.step(turned(Q, strain), 0.5);
    EXPECT_LT(size_of(a - b), 1e-11 * (1 + size_of(a)));
  }
}

}  // namespace
}  // namespace ritz::test_laws
