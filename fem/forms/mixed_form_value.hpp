// A form of several fields as a value: its name, its parameters as bytes, its facts, and its coefficients. So operators
// need not be templates, and their kernels are found by name, as those of FormValue.
#pragma once

#include "fem/forms/form_value.hpp"
#include "fem/forms/mixed_form_record.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

struct MixedFormValue {
  template <MixedForm F>
  MixedFormValue(const F& form, std::vector<PointFunction> given_numbers = {})  // NOLINT: meant to become a value
      : MixedFormValue(mixed_record_of<F>(), FormValue(mixed_record_of<F>().form, "ritz_fem_kernels")) {
    std::memcpy(numbers.bytes.data(), &form, sizeof form);
    numbers.given = given_numbers.empty() ? own_numbers(form) : std::move(given_numbers);
  }
  // A registered form; form: its numbers and the module of its kernels.
  MixedFormValue(const MixedFormRecord& r, FormValue form)
      : name(r.form.name),
        dimension(r.form.dimension),
        codimension(r.form.codimension),
        fields(r.fields, r.fields + r.field_count),
        symmetric(r.form.symmetric),
        linear(r.form.linear),
        fluxes(r.fluxes),
        numbers(std::move(form)) {
    for (std::size_t test = 0; test < fields.size(); ++test)
      for (std::size_t trial = 0; trial < fields.size(); ++trial) couples[test][trial] = r.couples[test][trial];
  }

  int field_count() const { return static_cast<int>(fields.size()); }

  std::string name;
  int dimension, codimension;  // codimension 1: on facets
  std::vector<FieldFacts> fields;
  bool symmetric, linear;
  FluxesAtPoint fluxes;                                              // nullptr: a form on facets
  std::array<std::array<bool, most_fields>, most_fields> couples{};  // [test][trial]
  FormValue numbers;  // parameters, coefficients (FormValue::given), extra degree, module
};

}  // namespace ritz
