#include "fem/plugins/law_at_point.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/launch/law_inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

constexpr std::array<std::pair<const char*, SpecimenTest>, 5> tests = {{{"uniaxial", SpecimenTest::uniaxial},
                                                                        {"biaxial", SpecimenTest::biaxial},
                                                                        {"planar", SpecimenTest::planar},
                                                                        {"shear", SpecimenTest::shear},
                                                                        {"volumetric", SpecimenTest::volumetric}}};

// Rows of the gradient that follow from vanishing stress.
std::vector<int> free_rows(SpecimenTest test) {
  if (test == SpecimenTest::uniaxial) return {4, 8};
  if (test == SpecimenTest::biaxial || test == SpecimenTest::planar) return {8};
  return {};
}

}  // namespace

std::optional<SpecimenTest> specimen_test(std::string_view name) {
  for (const auto& [each, test] : tests)
    if (name == each) return test;
  return std::nullopt;
}

std::vector<std::string> specimen_tests() {
  std::vector<std::string> names;
  for (const auto& [each, test] : tests) names.emplace_back(each);
  return names;
}

LawAtPoint::LawAtPoint(const Device& cpu, MaterialLaw law, bool large)
    : device_(cpu),
      law_(std::move(law)),
      form_(law_.form({.large = large})),
      before_(form_.state_start),
      now_(form_.state_start) {}

LawAtPoint::Response LawAtPoint::respond(const Tensor<double>& gradient, const Time& time) {
  const Symmetric<double> strain = strain_of(gradient, form_.law.measure);
  const auto spread = [](std::span<const double> numbers) {  // over all lanes
    std::vector<double> all;
    for (const double each : numbers) all.insert(all.end(), lane_count, each);
    return all;
  };
  std::vector<double> in = spread(strain.v), before = spread(before_), now = before, stress(6 * lane_count),
                      moduli(36 * lane_count);
  const std::vector<double> temperature(lane_count, temperature_);
  kernels<LawKernel>(device_, form_.law.module, form_.law.kernel)(device_, LawCall{{.law = form_.bytes.data(),
                                                                                    .packs = 1,
                                                                                    .strain = in.data(),
                                                                                    .before = before.data(),
                                                                                    .now = now.data(),
                                                                                    .stress = stress.data(),
                                                                                    .moduli = moduli.data(),
                                                                                    .plane_stress = false,
                                                                                    .measure = form_.law.measure,
                                                                                    .time = time},
                                                                                   temperature.data()});
  for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = now[i * lane_count];
  ritz::Response<double> r;
  for (int k = 0; k < 6; ++k) {
    r.stress[k] = stress[static_cast<std::size_t>(k * lane_count)];
    for (int l = 0; l < 6; ++l) r.moduli[k][l] = moduli[static_cast<std::size_t>((6 * k + l) * lane_count)];
  }
  Response result;
  nominal_response<Space::solid, false>(gradient, form_.law.measure, r, result.stress, result.moduli);
  return result;
}

PointOfTest LawAtPoint::step(SpecimenTest test, double strain, const Time& time) {
  accept();
  if (test == SpecimenTest::shear) gradient_(0, 1) = strain;
  else gradient_(0, 0) = strain;
  if (test == SpecimenTest::biaxial || test == SpecimenTest::volumetric) gradient_(1, 1) = strain;
  if (test == SpecimenTest::volumetric) gradient_(2, 2) = strain;
  const std::vector<int> free = free_rows(test);
  constexpr int most = 60;
  for (int i = 0;; ++i) {
    const Response r = respond(gradient_, time);
    double left = 0, size = 0;
    for (const int row : free) {
      left = std::max(left, std::abs(r.stress[row]));
      size = std::max(size, std::abs(r.at(row, row)));
    }
    if (!(left > 1e-12 * size) && std::isfinite(r.stress[0])) {
      const Tensor<double> F = deformation(gradient_);
      const int row = test == SpecimenTest::shear ? 1 : 0;
      const double nominal = r.stress[row];
      const bool large = form_.law.measure != Strain::small;
      // of shear the Cauchy stress xy is P_xY for F = 1 + shear: F_yY = 1, J = 1
      const double cauchy = !large ? nominal : nominal * (row == 1 ? 1 : F(0, 0) / det(F));
      return {strain, nominal, cauchy, gradient_(2, 2), now_};
    }
    if (i == most || !std::isfinite(left))
      throw Error(ErrorKind::newton_not_converged,
                  fmt::format("Newton's method found no strain across without stress: the law '{}' at the strain {:g}",
                              form_.name, strain),
                  "from the state before the step", "take more steps, or other parameters");
    std::array<double, 2> change{};
    if (free.size() == 1) {
      change[0] = r.stress[free[0]] / r.at(free[0], free[0]);
    } else {
      const double a = r.at(4, 4), b = r.at(4, 8), c = r.at(8, 4), d = r.at(8, 8), whole = a * d - b * c;
      change = {(d * r.stress[4] - b * r.stress[8]) / whole, (a * r.stress[8] - c * r.stress[4]) / whole};
    }
    for (std::size_t k = 0; k < free.size(); ++k) {
      double& across = gradient_(free[k] / 3, free[k] / 3);  // thinner by a half at most
      across = std::max(across - change[k], 0.5 * (across - 1));
    }
  }
}

}  // namespace ritz
