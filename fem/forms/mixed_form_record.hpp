// Description of a registered form of several fields, as plain data that a kernel module registers with its kernels.
// With it, a form can be found by name and made of named numbers (FormCatalogue::make_mixed).
#pragma once

#include "fem/forms/form_record.hpp"
#include "fem/forms/mixed_form.hpp"

#include <string>

namespace ritz {

struct MixedFormRecord {
  FormRecord form;  // name, dimension, claims and numbers; what is said of its one unknown has no meaning
  int field_count;
  FieldFacts fields[most_fields];
  bool couples[most_fields][most_fields];  // [test][trial]
};

inline std::string mixed_record_name(const char* form) { return std::string(form) + "/fields"; }

template <MixedForm F>
MixedFormRecord mixed_record_of() {
  using Facts = MixedFormFacts<F>;
  static_assert(Facts::given <= 8, "at most 8 numbers of a form vary from point to point");
  MixedFormRecord r{};
  r.form.name = F::name;
  r.form.dimension = F::dimension;
  r.form.codimension = Facts::codimension;
  r.form.extra_degree = Facts::extra_degree;
  r.form.symmetric = Facts::symmetric;
  r.form.linear = Facts::linear;
  r.form.varies_in_time = Facts::varies_in_time;
  r.form.cell = -1;
  r.form.unknown = r.form.derives = r.form.derived_names = "";
  describe_numbers<F>(r.form);
  if constexpr (Facts::given > 0)
    for (const ParameterFacts& facts : F::given) r.form.given[r.form.given_count++] = facts;
  r.field_count = Facts::count;
  for (int k = 0; k < Facts::count; ++k) {
    r.fields[k] = F::fields[static_cast<std::size_t>(k)];
    for (int trial = 0; trial < Facts::count; ++trial) {
      r.couples[k][trial] = Facts::couples(k, trial);
      r.form.has_matrix = r.form.has_matrix || r.couples[k][trial];
    }
  }
  return r;
}

}  // namespace ritz
