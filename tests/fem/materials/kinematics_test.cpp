// Facts of each kinematics with each measure of strain: forces are derivatives of strain energy, moduli are derivatives
// of forces, a rotation of the body turns its stress.
#include "fem/materials/kinematics.hpp"
#include "tests/fem/materials/every_law.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ritz {
namespace {

constexpr Strain measures[] = {Strain::small, Strain::green_lagrange, Strain::logarithmic};

template <Space space>
struct Rows {
  double v[rows_of(space)];
};

// General gradients, none, and such with two equal stretches.
template <Space space>
std::vector<Rows<space>> gradients() {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-0.25, 0.25);
  std::vector<Rows<space>> all{Rows<space>{}};
  for (int i = 0; i < 4; ++i) {
    Rows<space> g;
    for (double& x : g.v) x = number(random);
    all.push_back(g);
  }
  Rows<space> equal{};
  equal.v[0] = equal.v[rows_of(space) == 9 ? 4 : 3] = 0.2;
  all.push_back(equal);
  return all;
}

template <Space space>
void expect_consistent_forces() {
  constexpr int R = rows_of(space);
  const LinearElastic law{1000, 0.3};
  for (const Strain measure : measures)
    for (const Rows<space>& rows : gradients<space>()) {
      double none = 0, P[R], A[moduli_of(space, true)], full[R * R];
      const auto response = [&](const Rows<space>& g) {
        return response_of(law, {}, strain_of(gradient_tensor<space>(g.v), measure), &none, &none);
      };
      nominal_response<space, true>(gradient_tensor<space>(rows.v), measure, response(rows), P, A);
      nominal_response<space, false>(gradient_tensor<space>(rows.v), measure, response(rows), P, full);
      const double h = 1e-3;
      const auto energy = [&](int k, double step) {
        Rows<space> g = rows;
        g.v[k] += step;
        const Symmetric<double> e = strain_of(gradient_tensor<space>(g.v), measure);
        return 0.5 * contract(e, response(g).stress);
      };
      const auto force = [&](int r, int k, double step) {
        Rows<space> g = rows;
        double moved[R];
        g.v[k] += step;
        nominal_stress<space>(gradient_tensor<space>(g.v), measure, response(g).stress, moved);
        return moved[r];
      };
      const auto slope = [&](const auto& f) { return (8 * (f(h) - f(-h)) - f(2 * h) + f(-2 * h)) / (12 * h); };
      for (int k = 0; k < R; ++k) {
        EXPECT_NEAR(P[k], slope([&](double x) { return energy(k, x); }), 1e-6);
        for (int r = 0; r < R; ++r) {
          const double want = slope([&](double x) { return force(r, k, x); });
          EXPECT_NEAR(A[modulus_at(space, true, r, k)], want, 2e-6) << r << k << static_cast<int>(measure);
          EXPECT_NEAR(full[r * R + k], want, 2e-6);
        }
      }
    }
}

TEST(Kinematics, ForcesAndModuliAreDerivativesOfTheEnergyInSpace) { expect_consistent_forces<Space::solid>(); }
TEST(Kinematics, ForcesAndModuliAreDerivativesOfTheEnergyInThePlane) { expect_consistent_forces<Space::plane>(); }
TEST(Kinematics, ForcesAndModuliAreDerivativesOfTheEnergyInRevolution) {
  expect_consistent_forces<Space::revolution>();
}

TEST(Kinematics, ARotationTurnsCauchysStressAndChangesNoStrain) {
  std::mt19937 random(2);
  for (const Strain measure : {Strain::green_lagrange, Strain::logarithmic})
    for (const auto& rows : gradients<Space::solid>()) {
      const Tensor<double> H = gradient_tensor<Space::solid>(rows.v), F = deformation(H);
      Tensor<double> any = Tensor<double>::identity();
      for (auto& row : any.v)
        for (double& x : row) x += std::uniform_real_distribution<double>(-0.6, 0.6)(random);
      const Tensor<double> Q = polar(any).rotation;
      Tensor<double> turned_H = Q * F;
      for (int i = 0; i < 3; ++i) turned_H(i, i) -= 1;
      const Symmetric<double> e = strain_of(H, measure), same = strain_of(turned_H, measure) - e;
      EXPECT_LT(contract(same, same), 1e-26);
      const Symmetric<double> stress = elastic_stress(ElasticModuli::from(1000, 0.3), e);
      const Symmetric<double> difference =
          turned(Q, cauchy_stress(H, measure, stress)) - cauchy_stress(turned_H, measure, stress);
      EXPECT_LT(contract(difference, difference), 1e-20);
    }
}

TEST(Kinematics, ForcesBalanceCauchysStress) {
  // P F^T = J sigma
  for (const Strain measure : {Strain::green_lagrange, Strain::logarithmic})
    for (const auto& rows : gradients<Space::solid>()) {
      const Tensor<double> H = gradient_tensor<Space::solid>(rows.v), F = deformation(H);
      const Symmetric<double> stress = elastic_stress(ElasticModuli::from(1000, 0.3), strain_of(H, measure));
      double P[9];
      nominal_stress<Space::solid>(H, measure, stress, P);
      const Tensor<double> kirchhoff = gradient_tensor<Space::solid>(P) * transposed(F);
      const Symmetric<double> sigma = cauchy_stress(H, measure, stress);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(kirchhoff(i, j), det(F) * sigma(i, j), 1e-11);
    }
}

// Hencky's law: along principal axes the Kirchhoff stress is the elastic stress of the logarithms of the stretches.
TEST(Kinematics, LogarithmicStrainHasHenckysStress) {
  Tensor<double> H{};
  H(0, 0) = 0.5;
  H(1, 1) = -0.2;
  const ElasticModuli m = ElasticModuli::from(1000, 0.3);
  const Symmetric<double> sigma =
      cauchy_stress(H, Strain::logarithmic, elastic_stress(m, strain_of(H, Strain::logarithmic)));
  const double trace = std::log(1.5 * 0.8), J = 1.5 * 0.8;
  EXPECT_NEAR(sigma[0] * J, 2 * m.shear * std::log(1.5) + (m.bulk - 2 * m.shear / 3) * trace, 1e-11);
  EXPECT_NEAR(sigma[2] * J, (m.bulk - 2 * m.shear / 3) * trace, 1e-11);
}

}  // namespace
}  // namespace ritz
