// Numbers for forms of the registry, whatever they are, and comparison of two devices: for tests that launch the
// kernels of every form.
#pragma once

#include "fem/forms/parameter_bounds.hpp"
#include "fem/plugins/element_check_model.hpp"
#include "fem/plugins/form_catalogue.hpp"
#include "tests/fem/models.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace ritz::test::every_form {

inline const Device& one_cpu() {
  static const Device device = Device::named("cpu", 1);
  return device;
}
inline const FormCatalogue& built_in_forms() {
  static const FormCatalogue catalogue(one_cpu());
  return catalogue;
}

// Numbers between 0 and 1 whose low bytes are zero: to a form that reads a flag there, it is false.
inline double sample_number(int i) { return (37 * i % 64 + 1) / 64.0; }

// Numbers that vary from point to point; their examples tell what suits the form.
inline std::vector<PointFunction> sample_functions(int count, const ParameterFacts* facts) {
  std::vector<PointFunction> given;
  for (int i = 0; i < count; ++i) {
    const double example = example_of(facts[i]), number = example != 0 && example != 1 ? example : sample_number(i + 3);
    given.emplace_back(number * (1 + 0.01 * PointExpression::x()));
  }
  return given;
}

// The form of a record with its declared numbers by example. One that declares none has numbers in all places that its
// prototype leaves at zero.
inline FormValue sample_form(const FormRecord& record, const std::string& module) {
  FormValue form(record, module);
  for (int i = 0; i < record.parameter_count; ++i)
    set_parameter(form, record.parameters[i], example_of(record.parameters[i].facts));
  const int words = record.declared ? 0 : static_cast<int>(record.size / sizeof(double));
  for (int i = 0; i < words; ++i) {
    std::byte* const place = form.bytes.data() + static_cast<std::size_t>(i) * sizeof(double);
    std::uint64_t bits = 0;
    std::memcpy(&bits, place, sizeof bits);
    const double number = sample_number(i);
    if (bits == 0) std::memcpy(place, &number, sizeof number);
  }
  form.given = sample_functions(record.given_count, record.given);
  return form;
}
inline FormValue sample_form(const std::string& name) {
  const FormCatalogue::Entry& entry = built_in_forms().find(name);
  return entry.completed(sample_form(*entry.record, entry.module));
}

using Results = std::map<std::string, std::vector<double>>;

inline std::vector<double> in_double(const Array<float>& x) {
  const std::vector<float> values = x.host();
  return {values.begin(), values.end()};
}

// Results in single precision have "single" in their names.
inline void expect_same(const Results& expected, const Results& found) {
  for (const auto& [what, numbers] : expected) {
    ASSERT_TRUE(found.contains(what)) << what;
    ASSERT_EQ(found.at(what).size(), numbers.size()) << what;
    const double size = norm(numbers), difference = norm(sum(1, numbers, -1, found.at(what)));
    EXPECT_LE(relative(difference, size), what.find("single") != std::string::npos ? 5e-5 : 1e-11) << what;
  }
}

}  // namespace ritz::test::every_form
