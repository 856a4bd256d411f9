// `ritz element check` of forms of several fields finds every planted fault by the check of its name, and nothing in
// the forms of the library.
#include "device/error.hpp"
#include "fem/forms/parameter_bounds.hpp"
#include "fem/plugins/element_check.hpp"
#include "fem/plugins/form_catalogue.hpp"
#include "tests/device/back_ends.hpp"
#include "tests/fem/mixed/faulty_mixed_forms.hpp"

#include <gtest/gtest.h>
#include <set>

namespace ritz::test {
namespace {

using Names = std::set<std::string>;

std::string failures(const std::vector<CheckResult>& results) {
  std::string text;
  for (const CheckResult& r : results)
    if (!r.passed)
      text += r.check + " on " + r.on + ": " + std::to_string(r.number) + " against " + std::to_string(r.limit) + "\n";
  return text;
}

template <MixedFault fault>
std::vector<CheckResult> check() {
  MixedFormValue form = FaultyPair<fault>{};
  form.numbers.module = "ritz_mixed_forms";
  std::vector<MixedFormOnDevice> devices;
  for (const std::string& name : back_ends({"cpu:v3", "cpu:v4"})) devices.push_back({Device::named(name, 1), form});
  return check_mixed_form(devices);
}

template <MixedFault fault>
void expect_found(const std::string& by, const Names& perhaps = {}) {
  const std::vector<CheckResult> results = check<fault>();
  Names failed;
  for (const CheckResult& r : results)
    if (!r.passed) failed.insert(r.check);
  EXPECT_TRUE(failed.contains(by)) << failures(results);
  for (const std::string& name : failed) EXPECT_TRUE(name == by || perhaps.contains(name)) << failures(results);
}

TEST(MixedFormCheck, PassesWhatIsSound) {
  const std::vector<CheckResult> results = check<MixedFault::none>();
  EXPECT_TRUE(all_passed(results)) << failures(results);
  EXPECT_GE(results.size(), 18u);  // two shapes, nine checks
}
TEST(MixedFormCheck, FindsABlockThatIsNotTheOthersTranspose) {
  expect_found<MixedFault::not_symmetric>("symmetric tangent");
}
// Kernels believe the claim and take the tangent at rest.
TEST(MixedFormCheck, FindsAFluxThatIsNotLinear) {
  expect_found<MixedFault::not_linear>("linear", {"tangent", "quadrature"});
}
TEST(MixedFormCheck, FindsALostDerivative) { expect_found<MixedFault::wrong_tangent>("tangent"); }
TEST(MixedFormCheck, FindsWhatIsNoNumber) { expect_found<MixedFault::not_finite>("finite"); }
TEST(MixedFormCheck, FindsACouplingThatIsDenied) { expect_found<MixedFault::hidden_coupling>("couplings", {"blocks"}); }
TEST(MixedFormCheck, FindsATimeThatIsNotDeclared) { expect_found<MixedFault::reads_time>("constant in time"); }

TEST(MixedFormCheck, PassesTheFormsOfTheLibrary) {
  const Device device = Device::named("cpu", 2);
  const FormCatalogue catalogue(device);
  const std::vector<std::string> names = catalogue.mixed_forms();
  EXPECT_GE(names.size(), 14u);
  for (const std::string& name : names) {
    const FormRecord& record = catalogue.find_mixed(name).record->form;
    if (name.starts_with("volume_pressure")) continue;  // solids make it alone: mixed_solid_test.cpp
    EXPECT_TRUE(record.declared || record.given_count > 0) << name;
    std::map<std::string, double> numbers;
    for (int i = 0; i < record.parameter_count; ++i)
      numbers[record.parameters[i].facts.name] = example_of(record.parameters[i].facts);
    for (int i = 0; i < record.given_count; ++i) numbers[record.given[i].name] = example_of(record.given[i]);
    const auto results = check_mixed_form({{device, catalogue.make_mixed(name, numbers)}});
    EXPECT_TRUE(all_passed(results)) << name << "\n" << failures(results);
  }
}

TEST(MixedFormCheck, NumbersAreNamedAndBounded) {
  const FormCatalogue catalogue(Device::named("cpu", 1));
  EXPECT_THROW(catalogue.make_mixed("stokes2", {{"viscosity", -1}}), Error);
  EXPECT_THROW(catalogue.make_mixed("stokes2", {{"density", 1}}), Error);
  EXPECT_THROW(catalogue.make_mixed("no_such_form", {}), Error);
  EXPECT_THROW(catalogue.find("stokes2"), Error);
  const Device device = Device::named("cpu", 1);
  const auto with = [&](double viscosity) {
    return MixedFormOnDevice{device, catalogue.make_mixed("stokes2", {{"viscosity", viscosity}})};
  };
  EXPECT_TRUE(same_forces(with(2), with(2)));
  EXPECT_FALSE(same_forces(with(2), with(3)));
}

}  // namespace
}  // namespace ritz::test
