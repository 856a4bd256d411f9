// Identities of tensors at a point, and derivatives of their functions against differences, also at equal eigenvalues.
#include "fem/numbers/tensor.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ritz {
namespace {

using S = Symmetric<double>;

double distance(const S& a, const S& b) {
  const S d = a - b;
  return std::sqrt(contract(d, d));
}
double distance(const Tensor<double>& a, const Tensor<double>& b) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += (a(i, j) - b(i, j)) * (a(i, j) - b(i, j));
  return std::sqrt(sum);
}

Tensor<double> random_tensor(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  Tensor<double> F = Tensor<double>::identity();
  for (auto& row : F.v)
    for (double& x : row) x += number(random);
  return F;
}

// Positive definite: general ones, the identity, two or three equal eigenvalues, nearly equal ones, diagonal ones.
std::vector<S> positive() {
  std::mt19937 random(7);
  std::vector<S> all;
  for (int i = 0; i < 20; ++i) all.push_back(right_cauchy_green(random_tensor(random, 0.4)));
  const Tensor<double> q = polar(random_tensor(random, 0.7)).rotation;
  for (const auto& [a, b, c] : std::vector<std::array<double, 3>>{{1, 1, 1},
                                                                  {2, 2, 0.5},
                                                                  {2, 0.5, 0.5},
                                                                  {1, 1 + 1e-9, 3},
                                                                  {1, 1 + 1e-5, 1 - 2e-5},
                                                                  {1, 1.03, 1.061},
                                                                  {1e-2, 1, 1e2},
                                                                  {1, 1 + 1e-14, 1}}) {
    all.push_back(S::diagonal(a, b, c));
    all.push_back(turned(q, S::diagonal(a, b, c)));
  }
  return all;
}

TEST(Tensor, TheInverseTimesTheTensorIsTheIdentity) {
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    const Tensor<double> F = random_tensor(random, 0.4);
    EXPECT_LT(distance(inverse(F) * F, Tensor<double>::identity()), 1e-13);
    const S C = right_cauchy_green(F);
    EXPECT_LT(distance(full(inverse(C)) * full(C), Tensor<double>::identity()), 1e-13);
    EXPECT_NEAR(det(C), det(F) * det(F), 1e-13);
    EXPECT_NEAR(det_less_one(C - S::identity()), det(C) - 1, 1e-13);
  }
}

TEST(Tensor, AStrainFarBelowRoundingOfOneIsNotLost) {
  Tensor<double> H{};
  H(0, 1) = 3e-20;
  EXPECT_DOUBLE_EQ(green_lagrange(H)[3], 1.5e-20);
  EXPECT_DOUBLE_EQ(det_less_one(S::diagonal(1e-20, 1e-20, 0)), 2e-20);
}

TEST(Tensor, EigenvectorsAreOrthonormalAndRebuildTheTensor) {
  for (const S& A : positive()) {
    const Spectrum<double> s = spectrum(A);
    EXPECT_LT(distance(s.vectors * transposed(s.vectors), Tensor<double>::identity()), 1e-14);
    EXPECT_LT(distance(turned(s.vectors, S::diagonal(s.values[0], s.values[1], s.values[2])), A),
              1e-14 * std::sqrt(contract(A, A)));
  }
}

TEST(Tensor, TheLogarithmInvertsTheExponential) {
  for (const S& A : positive()) {
    const double size = std::sqrt(contract(A, A));
    EXPECT_LT(distance(exp(log(A)), A), 1e-13 * size);
    EXPECT_LT(distance(squared(sqrt(A)), A), 1e-13 * size);
    EXPECT_LT(distance(power(A, 2.0), squared(A)), 1e-12 * size * size);
    EXPECT_NEAR(trace(log(A)), std::log(det(A)), 1e-12);
  }
}

TEST(Tensor, AnyDeformationIsARotationAfterAStretch) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const Tensor<double> F = random_tensor(random, 0.4);
    const Polar<double> p = polar(F);
    EXPECT_LT(distance(p.rotation * transposed(p.rotation), Tensor<double>::identity()), 1e-13);
    EXPECT_LT(distance(p.rotation * full(p.stretch), F), 1e-13);
  }
}

template <class F>
void expect_derivatives(const F& f, const S& A) {
  std::mt19937 random(11);
  Symmetric<Duals<double, 2>> x;
  S direction[2];
  for (int k = 0; k < 6; ++k) x[k] = A[k];
  for (int d = 0; d < 2; ++d) {
    direction[d] = symmetric_part(random_tensor(random, 1));
    for (int k = 0; k < 6; ++k) x[k].derivative[d] = direction[d][k];
  }
  const auto y = f(x);
  const double h = 1e-3 * std::min({spectrum(A).values[0], spectrum(A).values[1], spectrum(A).values[2]});
  for (int d = 0; d < 2; ++d) {
    // fourth order
    const auto at = [&](double step) { return f(A + step * direction[d]); };
    const S difference = (1 / (12 * h)) * (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h)));
    S derivative;
    for (int k = 0; k < 6; ++k) derivative[k] = y[k].derivative[d];
    EXPECT_LT(distance(derivative, difference), 3e-9 * (1 + std::sqrt(contract(difference, difference))));
  }
}

TEST(Tensor, FunctionsHaveTheDerivativesOfDifferencesAlsoAtEqualEigenvalues) {
  for (const S& A : positive()) {
    expect_derivatives([](const auto& a) { return log(a); }, A);
    expect_derivatives([](const auto& a) { return sqrt(a); }, A);
    expect_derivatives([](const auto& a) { return power(a, -1.3); }, A);
    expect_derivatives([](const auto& a) { return inverse(a); }, A);
    if (trace(A) < 20) expect_derivatives([](const auto& a) { return exp(a); }, A);
  }
}

double second_difference(double x, double y, double z) {
  return second_difference_of_log(x, std::log(x), y, std::log(y), z, std::log(z));
}

TEST(Tensor, SecondDifferencesOfTheLogarithmAreAccurateNearAndFar) {
  EXPECT_NEAR(second_difference(2, 2, 2), -0.5 / 4, 1e-15);
  const auto exact = [](long double x, long double y, long double z) {  // distinct numbers
    return std::log(x) / ((x - y) * (x - z)) + std::log(y) / ((y - x) * (y - z)) + std::log(z) / ((z - x) * (z - y));
  };
  for (const double w : {1e-2, 0.0199, 0.03, 0.0401, 0.1, 1.0, 50.0}) {
    const double x = 1.3, y = 1.3 * (1 + w), z = 1.3 * (1 + 2.1 * w);
    const auto want = static_cast<double>(exact(x, y, z));
    EXPECT_NEAR(second_difference(y, z, x), want, 3e-14 * std::abs(want) + 1e-17L / (w * w)) << w;
  }
  // (log'(x) - log[x, z]) / (x - z)
  EXPECT_NEAR(second_difference(3, 1, 1), (1 - std::log(3) / 2) / (1 - 3), 1e-14);
}

TEST(Duals, DerivativesOfSeveralDirectionsAreThoseOfEachAlone) {
  const auto f = [](const auto& x, const auto& y) {
    return sqrt(x * x + y) / exp(0.3 * y) + log(x) * pow(y, 1.7) - select(x - y, x, 2.0 * y);
  };
  const Duals<double, 2> both = f(Duals<double, 2>(1.2, 0), Duals<double, 2>(0.7, 1));
  const Dual<double> first = f(Dual<double>(1.2, 1), Dual<double>(0.7, 0)),
                     second = f(Dual<double>(1.2, 0), Dual<double>(0.7, 1));
  EXPECT_NEAR(both.value, first.value, 1e-15);
  EXPECT_NEAR(both.derivative[0], first.derivative, 1e-14);
  EXPECT_NEAR(both.derivative[1], second.derivative, 1e-14);
}

TEST(Duals, ARootHasTheDerivativesOfTheImplicitFunction) {
  // x^3 = a at a = 8: dx/da = 1/12
  const Duals<double, 1> a(8, 0), x = with_derivatives(2.0, 8.0 - a, 12.0);
  EXPECT_DOUBLE_EQ(x.value, 2);
  EXPECT_DOUBLE_EQ(x.derivative[0], 1.0 / 12);
}

}  // namespace
}  // namespace ritz
