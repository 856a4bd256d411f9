// Description of a registered form of several fields, as plain data that a kernel module registers with its kernels.
// With it, a form can be found by name and made of named numbers (FormCatalogue::make_mixed).
#pragma once

#include "fem/forms/form_record.hpp"
#include "fem/forms/mixed_form.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace ritz {

// The fluxes at one point, on the host. form: its bytes; given: its numbers there; u and f: the members of the fields
// and of the fluxes, one after the other.
using FluxesAtPoint = void (*)(const void* form, const double* x, const double* given, const double* u, double* f);

struct MixedFormRecord {
  FormRecord form;  // name, dimension, claims and numbers; what is said of its one unknown has no meaning
  int field_count;
  FieldFacts fields[most_fields];
  bool couples[most_fields][most_fields];  // [test][trial]
  FluxesAtPoint fluxes;                    // nullptr: a form on facets
};

inline std::string mixed_record_name(const char* form) { return std::string(form) + "/fields"; }

template <MixedForm F>
void fluxes_at_point(const void* form, const double* x, const double* given, const double* u, double* f) {
  constexpr int given_count = MixedFormFacts<F>::given;
  Location<double, F::dimension, given_count> at{};
  for (int i = 0; i < F::dimension; ++i) at.x[i] = x[i];
  if constexpr (given_count > 0)
    for (int i = 0; i < given_count; ++i) at.given[i] = given[i];
  MixedFields<double, F> fields{}, fluxes{};
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    const auto take = [&](auto& member) {
      std::memcpy(&member, u, sizeof member);
      u += sizeof member / sizeof(double);
    };
    (take(fields.template get<k>()), ...);
    (*static_cast<const F*>(form))(at, fields, fluxes);
    const auto give = [&](const auto& member) {
      std::memcpy(f, &member, sizeof member);
      f += sizeof member / sizeof(double);
    };
    (give(fluxes.template get<k>()), ...);
  }
  (std::make_index_sequence<F::fields.size()>());
}

template <MixedForm F>
MixedFormRecord mixed_record_of() {
  using Facts = MixedFormFacts<F>;
  static_assert(Facts::given <= 8, "at most 8 numbers of a form may vary from point to point");
  MixedFormRecord r{};
  r.form.name = F::name;
  r.form.dimension = F::dimension;
  r.form.codimension = Facts::codimension;
  r.form.extra_degree = Facts::extra_degree;
  r.form.symmetric = Facts::symmetric;
  r.form.linear = Facts::linear;
  r.form.varies_in_time = Facts::varies_in_time;
  if constexpr (Facts::codimension == 0) r.fluxes = fluxes_at_point<F>;
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
