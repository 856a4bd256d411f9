// Forms by name, made of named numbers with bounds.
#include "fem/plugins/form_catalogue.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <gmock/gmock.h>

namespace ritz::test {
namespace {

FormCatalogue catalogue() {
  Plugin tests;
  tests.module = "ritz_test_forms";
  return FormCatalogue(Device::named("cpu", 1), {tests});
}

Error error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) { return error; }
  return Error(ErrorKind{}, "no error");
}

TEST(DeclaredForm, MadeOfNamedNumbersIsTheForm) {
  const FormValue named = catalogue().make("diffusion3", {{"conductivity", 2.5}}), direct = Diffusion<3>{2.5};
  EXPECT_EQ(named.bytes, direct.bytes);
  EXPECT_EQ(named.name, direct.name);
  EXPECT_EQ(named.derived, direct.derived);
  const FormValue energy = catalogue().make("test_elastic_energy", {{"mu", 3}}),
                  same = FromEnergy<ElasticEnergy>{{1, 3}};
  EXPECT_EQ(energy.bytes, same.bytes);  // lambda by its fallback
  EXPECT_TRUE(energy.symmetric);
  EXPECT_EQ(energy.module, "ritz_test_forms");
}

TEST(DeclaredForm, ListsThoseOfPluginsApart) {
  const FormCatalogue c = catalogue();
  EXPECT_THAT(c.forms(), ::testing::IsSupersetOf({"diffusion2", "elasticity", "convection3", "test_coupled"}));
  EXPECT_THAT(c.forms_of_plugins(), ::testing::Contains("test_coupled"));
  EXPECT_THAT(c.forms_of_plugins(), ::testing::Not(::testing::Contains("elasticity")));
}

TEST(DeclaredForm, ErrorsNameTheParameterItsMeaningAndItsBounds) {
  const FormCatalogue c = catalogue();
  const Error low = error_of([&] { c.make("diffusion3", {{"conductivity", 0}}); });
  EXPECT_EQ(low.exit(), Exit::model);
  EXPECT_THAT(low.message(), ::testing::HasSubstr("'conductivity' of 'diffusion3' is 0"));
  EXPECT_THAT(low.fix(), ::testing::HasSubstr("above 0"));
  const Error high = error_of([&] { c.make("test_elastic_energy", {{"mu", 10.5}}); });
  EXPECT_THAT(high.fix(), ::testing::HasSubstr("above 0"));
  EXPECT_THAT(high.fix(), ::testing::HasSubstr("at most 10"));
  EXPECT_EQ(error_of([&] { c.make("test_elastic_energy", {{"mu", 10}}); }).exit(), Exit::ok);
  EXPECT_EQ(error_of([&] { c.make("test_elastic_energy", {{"mu", std::nan("")}}); }).exit(), Exit::model);
  const Error missing = error_of([&] { c.make("diffusion3", {}); });
  EXPECT_EQ(missing.exit(), Exit::input);
  EXPECT_THAT(missing.message(), ::testing::HasSubstr("'conductivity'"));
  EXPECT_THAT(error_of([&] {
                c.make("diffusion3", {{"conductvity", 1}});
              }).fix(),
              ::testing::HasSubstr("did you mean 'conductivity'?"));
  EXPECT_THAT(error_of([&] { c.make("difusion3", {}); }).fix(), ::testing::HasSubstr("did you mean 'diffusion3'?"));
  EXPECT_THAT(error_of([&] { c.make("test_coupled", {}); }).message(), ::testing::HasSubstr("declares no parameters"));
}

}  // namespace
}  // namespace ritz::test
