// Description of a registered form: its facts and its declared parameters, as plain data that a kernel module registers
// with its kernels. With it, a form can be found by name and made of named numbers.
//
//   const FormRecord& record = form_record("my_diffusion", device, module);      // fem/plugins/form_catalogue.hpp
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/whole_element.hpp"
#include "fem/forms/parameter.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>
#include <span>

namespace ritz {

struct ParameterRecord {
  ParameterFacts facts;
  std::size_t offset;  // of the first double in the form
  int count;           // 1, or 3 for a vector
};

struct FormRecord {
  const char* name;
  const char* unknown;  // name of the field in results: "temperature"
  const char* derives;  // of the derived quantities: "heat_flux"
  int components, dimension, codimension, derived, extra_degree;
  bool uses_value, uses_gradient, has_matrix, symmetric, linear, objective, small_displacements, rate_independent,
      of_revolution, varies_in_time;
  bool of_law;                // works on what a law of materials leaves at points: no form of its own
  bool declared;              // all that it holds has a declaration: it can be made of named numbers
  int cell;                   // CellKind that a whole element stands on (fem/elements); -1: a form, on any cell
  const char* derived_names;  // of the components, with blanks between them; "": none
  int given_count;
  ParameterFacts given[8];  // numbers that may vary from point to point
  int state_count;
  StateFacts state[8];  // quantities kept at points
  int state_points;     // of a whole element; those of the quadrature else
  int parameter_count;
  ParameterRecord parameters[32];
  std::size_t size;
  alignas(std::max_align_t) std::byte prototype[largest_form];  // F{}

  std::span<const StateFacts> states() const { return {state, static_cast<std::size_t>(state_count)}; }
};

// Size, prototype and declared parameters.
template <class F>
void describe_numbers(FormRecord& r) {
  r.declared = std::is_empty_v<F>;
  if constexpr (requires(const F& form) { form.numbers(); }) {
    static_assert(std::tuple_size_v<decltype(F{}.numbers())> == F::given.size(), "a number for each entry of `given`");
    r.declared = sizeof(F) == sizeof(F{}.numbers());
  }
  r.size = sizeof(F);
  F* form = new (r.prototype) F{};
  if constexpr (requires { F::parameters; }) {
    static_assert(std::size(F::parameters) <= 32, "a form has at most 32 declared parameters");
    for (const auto& p : F::parameters) {
      const double* first = p.member != nullptr ? &(form->*(p.member)) : (form->*(p.vector));
      const auto* place = reinterpret_cast<const std::byte*>(first);
      r.parameters[r.parameter_count++] = {p.facts, static_cast<std::size_t>(place - r.prototype),
                                           p.member != nullptr ? 1 : 3};
    }
    r.declared = true;
  }
}

template <class F>
void describe_state(FormRecord& r) {
  if constexpr (requires { F::state; }) {
    static_assert(F::state.size() <= 8, "at most 8 quantities are kept at points");
    for (const StateFacts& facts : F::state) r.state[r.state_count++] = facts;
  }
}

template <Form F>
FormRecord record_of() {
  using Facts = FormFacts<F>;
  FormRecord r{};
  r.cell = -1;
  r.derived_names = "";
  r.name = F::name;
  r.unknown = Facts::unknown;
  r.derives = Facts::derives;
  r.components = F::components;
  r.dimension = F::dimension;
  r.codimension = Facts::codimension;
  r.derived = Facts::derived;
  r.extra_degree = Facts::extra_degree;
  r.uses_value = F::uses_value;
  r.uses_gradient = F::uses_gradient;
  r.has_matrix = Facts::has_matrix;
  r.symmetric = Facts::symmetric;
  r.linear = Facts::linear;
  r.objective = Facts::objective;
  r.small_displacements = Facts::small_displacements;
  r.rate_independent = Facts::rate_independent;
  r.of_revolution = Facts::of_revolution;
  r.varies_in_time = Facts::varies_in_time;
  r.of_law = Facts::from_law > 0;
  describe_numbers<F>(r);
  if constexpr (Facts::given > 0) {
    static_assert(Facts::given <= 8, "at most 8 numbers of a form may vary from point to point");
    for (const ParameterFacts& facts : F::given) r.given[r.given_count++] = facts;
  }
  describe_state<F>(r);
  return r;
}

// The same of a whole element.
template <WholeElement E>
FormRecord record_of_element() {
  using Facts = WholeElementFacts<E>;
  FormRecord r{};
  r.name = E::name;
  r.unknown = Facts::unknown;
  r.derives = Facts::derives;
  r.derived_names = Facts::derived_names;
  r.components = E::components;
  r.dimension = Facts::dimension;
  r.derived = Facts::derived;
  r.uses_value = r.uses_gradient = true;
  r.has_matrix = Facts::has_matrix;
  r.symmetric = Facts::symmetric;
  r.linear = Facts::linear;
  r.objective = Facts::objective;
  r.small_displacements = Facts::small_displacements;
  r.cell = static_cast<int>(E::cell);
  r.rate_independent = Facts::rate_independent;
  r.state_points = Facts::state_points;
  describe_numbers<E>(r);
  describe_state<E>(r);
  return r;
}

}  // namespace ritz
