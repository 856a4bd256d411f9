// A form of several fields as a value: its name, its parameters as bytes, and its facts. So operators need not be
// templates, and their kernels are found by name, as those of FormValue.
#pragma once

#include "fem/forms/mixed_form.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace ritz {

struct MixedFormValue {
  template <MixedForm F>
  MixedFormValue(const F& form)  // NOLINT: a form is meant to become a value
      : name(F::name),
        dimension(F::dimension),
        extra_degree(MixedFormFacts<F>::extra_degree),
        fields(F::fields.begin(), F::fields.end()),
        symmetric(MixedFormFacts<F>::symmetric),
        linear(MixedFormFacts<F>::linear),
        varies_in_time(MixedFormFacts<F>::varies_in_time) {
    for (int test = 0; test < MixedFormFacts<F>::count; ++test)
      for (int trial = 0; trial < MixedFormFacts<F>::count; ++trial)
        couples[static_cast<std::size_t>(test)][static_cast<std::size_t>(trial)] =
            MixedFormFacts<F>::couples(test, trial);
    std::memcpy(bytes.data(), &form, sizeof form);
  }

  int field_count() const { return static_cast<int>(fields.size()); }

  std::string name;
  int dimension, extra_degree;
  std::vector<FieldFacts> fields;
  bool symmetric, linear, varies_in_time;
  std::array<std::array<bool, most_fields>, most_fields> couples{};  // [test][trial]
  std::string module = "ritz_fem_kernels";                           // where its kernels are
  alignas(std::max_align_t) std::array<std::byte, largest_form> bytes{};
};

}  // namespace ritz
