// A form of several fields: the physics at one point of a mixed problem. Each field has a space of its own on one mesh.
// A form pairs a flux of every field with that field's test function:
//
//   residual(v) = sum over fields k of  integral of  f_k.value . v_k + f_k.gradient : grad v_k
//
// It is a plain struct, as forms of one field are (fem/forms/form.hpp), with a list of its fields:
//
//   struct Stokes {
//     static constexpr const char* name = "my_stokes";
//     static constexpr int dimension = 2;
//     static constexpr std::array<FieldFacts, 2> fields{{
//         {.name = "velocity", .components = 2, .order = 2, .uses_value = false, .uses_gradient = true},
//         {.name = "pressure", .components = 1, .order = 1, .uses_value = true, .uses_gradient = false}}};
//     template <class T>
//     constexpr void operator()(const Location<T, 2>&, const MixedFields<T, Stokes>& u,
//                               MixedFields<T, Stokes>& f) const {
//       const auto& [v, p] = u;
//       auto& [momentum, mass] = f;
//       ...
//     }
//   };
//
// v and p are Fields<T, components, dimension> (other families: below); so are the fluxes, which begin as zero.
// Optional members, with their defaults: symmetric = false, linear = false, extra_degree = 0 and varies_in_time =
// false, as in fem/forms/form.hpp;
//   couples(test, trial) = true   static constexpr: false where the flux of field `test` does not depend on field
//                                 `trial`, so that this block of the matrix does not exist
//   parameters, given             its numbers, and those that vary from point to point: the call operator takes a
//                                 Location<T, dimension, number of them> then, and reads location.given[i]
//   codimension = 0               1: it is integrated over facets; location.normal is the outward normal there, and the
//                                 fields, with their gradients, are those of the cell that the facet belongs to
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"

#include <array>
#include <tuple>
#include <utility>

namespace ritz {

inline constexpr int most_fields = 4;

// The places of the unknowns of a field, and what it does between cells:
//   lagrange  at nodes: continuous; Fields<T, components, dimension>
//   cell      polynomials in each cell, which jump, of order 0 or 1; Fields<T, components, dimension>, no gradient
//   facet     fluxes through facets, Raviart and Thomas: the normal component is continuous; FacetField<T, dimension>
//   edge      circulations along edges, Nedelec's first kind: the tangential component is; EdgeField<T, dimension>
// The order of facets and edges is 1 or 2; components is 1: an unknown is a number, the field a vector.
enum class Family { lagrange, cell, facet, edge };

struct FieldFacts {
  const char* name;  // in messages and results: "velocity"
  int components;    // 1 to 6
  int order;         // of the space that spaces_of() makes; operators take any other order of Lagrange fields, too
  bool uses_value = true, uses_gradient = true;  // which of them enter, of the field and of its test function: value
                                                 // and gradient, divergence or curl
  Family family = Family::lagrange;
};

template <class T, int G>
struct FacetField {
  T value[G];
  T divergence;
};
template <class T, int G>
struct EdgeField {
  T value[G];
  T curl[G == 3 ? 3 : 1];  // in two dimensions its component across the plane
};

// The fields of a form at a point, as a tuple: get<k>(), or structured bindings.
template <class... Members>
struct FieldSet {};
template <class First, class... Others>
struct FieldSet<First, Others...> {
  First first;
  FieldSet<Others...> others;

  template <std::size_t k>
  constexpr auto& get() {
    if constexpr (k == 0) return first;
    else return others.template get<k - 1>();
  }
  template <std::size_t k>
  constexpr const auto& get() const {
    if constexpr (k == 0) return first;
    else return others.template get<k - 1>();
  }
};

template <class T, int G, int C, Family family>
struct FieldAt {
  using Type = Fields<T, C, G>;
};
template <class T, int G, int C>
struct FieldAt<T, G, C, Family::facet> {
  using Type = FacetField<T, G>;
};
template <class T, int G, int C>
struct FieldAt<T, G, C, Family::edge> {
  using Type = EdgeField<T, G>;
};

template <class T, class F, class Numbers = std::make_index_sequence<F::fields.size()>>
struct FieldSetOf;
template <class T, class F, std::size_t... k>
struct FieldSetOf<T, F, std::index_sequence<k...>> {
  using Set = FieldSet<typename FieldAt<T, F::dimension, F::fields[k].components, F::fields[k].family>::Type...>;
};
template <class T, class F>
using MixedFields = typename FieldSetOf<T, F>::Set;

// A plain struct that states its facts and fits into a kernel argument.
template <class F>
concept MixedForm = std::is_trivially_copyable_v<F> &&(sizeof(F) <= largest_form) && requires {
  { F::name } -> std::convertible_to<const char*>;
  { F::dimension } -> std::convertible_to<int>;
  { F::fields[0] } -> std::convertible_to<FieldFacts>;
};

// The optional facts with their defaults.
template <MixedForm F>
struct MixedFormFacts {
  static constexpr int count = static_cast<int>(F::fields.size());
  static_assert(count >= 1 && count <= most_fields, "a form has 1 to 4 fields");
  // clang-format off
  static constexpr bool symmetric =
      [] { if constexpr (requires { F::symmetric; }) return F::symmetric; else return false; }();
  static constexpr bool linear =
      [] { if constexpr (requires { F::linear; }) return F::linear; else return false; }();
  static constexpr int extra_degree =
      [] { if constexpr (requires { F::extra_degree; }) return F::extra_degree; else return 0; }();
  static constexpr bool varies_in_time =
      [] { if constexpr (requires { F::varies_in_time; }) return F::varies_in_time; else return false; }();
  static constexpr int from_law = 0;  // laws of materials are of one field
  static constexpr int given =
      [] { if constexpr (requires { F::given; }) return int(F::given.size()); else return 0; }();
  static constexpr int codimension =
      [] { if constexpr (requires { F::codimension; }) return F::codimension; else return 0; }();
  // clang-format on
  static constexpr int state = 0;  // numbers kept at a point
  static constexpr bool couples(int test, int trial) {
    if constexpr (requires { F::couples(test, trial); }) return F::couples(test, trial);
    else return true;
  }
};

}  // namespace ritz

template <class... Members>
struct std::tuple_size<ritz::FieldSet<Members...>> : std::integral_constant<std::size_t, sizeof...(Members)> {};
template <std::size_t k, class First, class... Others>
struct std::tuple_element<k, ritz::FieldSet<First, Others...>> : std::tuple_element<k - 1, ritz::FieldSet<Others...>> {
};
template <class First, class... Others>
struct std::tuple_element<0, ritz::FieldSet<First, Others...>> {
  using type = First;
};
