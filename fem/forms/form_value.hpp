// A form of any type as a value: its name, its parameters as bytes, and its facts. So operators need not be templates,
// and their kernels are found by name.
#pragma once

#include "fem/forms/form_record.hpp"
#include "fem/forms/point_function.hpp"
#include "fem/forms/strain.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

// The law of materials of a form, and the strain that it takes (fem/materials).
struct LawOfForm {
  std::string kernel = {}, module = {};
  Strain measure = Strain::small;
  bool plane_stress = false;
  // The coefficients `given` at a point: strains without stress (0, 1 of all directions, 3), then six coordinates of
  // the material's axes 1 and 2, then the parameters of the law that vary.
  int free_strains = 0;
  bool has_axes = false;
  std::uint32_t varying = 0;  // bit k: parameter k of the law's record
  int before_temperature() const { return free_strains + (has_axes ? 6 : 0) + std::popcount(varying); }
  bool operator==(const LawOfForm&) const = default;
};

// The numbers() of a form, or of one of several fields, as functions.
template <class F>
std::vector<PointFunction> own_numbers(const F& form) {
  std::vector<PointFunction> numbers;
  if constexpr (requires { form.numbers(); })
    for (const double each : form.numbers()) numbers.push_back(constant(each));
  return numbers;
}

struct FormValue {
  // Without functions the form is given its own numbers(), if it has some.
  template <Form F>
  FormValue(const F& form, std::vector<PointFunction> given_numbers = {})  // NOLINT: a form is meant to become a value
      : name(F::name),
        kernels(F::name),
        components(F::components),
        dimension(F::dimension),
        codimension(FormFacts<F>::codimension),
        derived(FormFacts<F>::evaluated),
        extra_degree(FormFacts<F>::extra_degree),
        uses_value(F::uses_value),
        has_matrix(FormFacts<F>::has_matrix),
        symmetric(FormFacts<F>::symmetric),
        linear(FormFacts<F>::linear),
        reads_time(FormFacts<F>::varies_in_time),
        given_count(FormFacts<F>::given),
        given(std::move(given_numbers)) {
    std::memcpy(bytes.data(), &form, sizeof form);
    if (given.empty()) given = own_numbers(form);
    if constexpr (FormFacts<F>::state > 0) keep(F::state);
  }

  template <WholeElement E>
  FormValue(const E& element) : FormValue(record_of_element<E>(), "ritz_fem_kernels") {  // NOLINT: likewise
    std::memcpy(bytes.data(), &element, sizeof element);
  }

  // The form with its default parameters.
  FormValue(const FormRecord& r, std::string module_name)
      : name(r.name),
        kernels(r.name),
        components(r.components),
        dimension(r.dimension),
        codimension(r.codimension),
        derived(r.derived),
        extra_degree(r.extra_degree),
        uses_value(r.uses_value),
        has_matrix(r.has_matrix),
        symmetric(r.symmetric),
        linear(r.linear),
        reads_time(r.varies_in_time),
        cell(r.cell),
        given_count(r.given_count),
        // not at the start of a line, where nvcc sees a C++20 module
        state_points(r.state_points),
        module(std::move(module_name)) {
    std::memcpy(bytes.data(), r.prototype, r.size);
    keep(r.states());
    derived += static_cast<int>(state_start.size());
  }

  // Does the form read the time, or one of the numbers given to it vary?
  bool varies_in_time() const { return reads_time || std::ranges::any_of(given, &PointFunction::varies_in_time); }
  // Does one of the numbers given to it vary from point to point?
  bool varies_in_space() const { return std::ranges::any_of(given, &PointFunction::varies_in_space); }

  std::string name;
  std::string kernels;  // the name that they are registered under: `name`, but for forms of a law
  // Kernels of an assumed gradient for linear hexahedra and quadrilaterals, in place of them; others have their own.
  std::string cell_kernels = {};
  LawOfForm law = {};  // without a kernel: the form is of no law
  int components, dimension, codimension;
  int derived;           // numbers that are evaluated for results: derived quantities, then the point state
  int extra_degree;      // of the quadrature, on top of what the cell asks for
  bool reduced = false;  // two points a direction in quadrilaterals of 8 nodes and hexahedra of 20
  bool uses_value, has_matrix, symmetric, linear, reads_time;
  int cell = -1;  // CellKind of a whole element, which acts on the first `components` unknowns of a node; -1: a form
  int given_count;
  std::vector<PointFunction> given;         // numbers or functions: given_count of them
  int state_points = 0;                     // of a whole element; those of the quadrature else
  std::vector<double> state_start;          // of the numbers that it keeps at a point
  std::string module = "ritz_fem_kernels";  // where its kernels are
  alignas(std::max_align_t) std::array<std::byte, largest_form> bytes{};

 private:
  void keep(std::span<const StateFacts> state) {
    for (const StateFacts& each : state)
      state_start.insert(state_start.end(), static_cast<std::size_t>(each.components), each.start);
  }
};

}  // namespace ritz
