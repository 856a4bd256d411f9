// A form: the physics at one point. It pairs a flux with the test function v,
//
//   residual(v) = integral of  f.value . v + f.gradient : grad v      (over cells, or over facets)
//
// and is written once as a plain struct with a templated call operator that computes f from the unknown u:
//
//   struct Diffusion {                                      // -div(k grad u)
//     static constexpr const char* name = "diffusion";
//     static constexpr int components = 1;                  // of u and v
//     static constexpr int dimension = 3;                   // of space
//     static constexpr bool uses_value = false, uses_gradient = true;   // what of u and v enters
//     double conductivity;                                  // [W/(m K)], carried by value into kernels
//     template <class T>
//     constexpr void operator()(const Location<T, 3>&, const Fields<T, 1, 3>& u, Fields<T, 1, 3>& f) const {
//       for (int d = 0; d < 3; ++d) f.gradient[0][d] = conductivity * u.gradient[0][d];
//     }
//   };
//
// T is double in a CUDA thread, a Pack of eight elements on the CPU, and Dual<...> of either while the stiffness is
// derived. Optional members, with their defaults:
//   codimension = 0    1: the form lives on facets; location.normal points out of the cell; only values, no gradients
//   symmetric = false  the tangent is symmetric: half of it is computed
//   linear = false     the tangent does not depend on u
//   has_matrix = true  false: a load, its tangent is zero
//   extra_degree = 0   the quadrature is exact for polynomials of so much higher degree (weights such as r)
//   derived = 0        number of derived quantities; then also
//                      template <class T> constexpr void derive(location, u, T* out) const
//   objective = false  rigid motions (of one component: constants) cause no residual, and linear fields are balanced in
//                      a body of one material: claims that `ritz element check` tests
//   unknown = "u", derives = "derived"    names of the fields in results
//   parameters         what its numbers mean, and which values they may have: fem/forms/parameter.hpp
//   given              numbers that may vary from point to point (std::array<ParameterFacts, n> given): the call
//                      operator takes a Location<T, G, number of them> and reads location.given[i]; numbers and
//                      formulas of the case file give them
//   numbers()          those of `given` that the form holds (std::array<double, n>), where C++ gives it no functions
//   state              numbers kept at every point from increment to increment (fem/forms/point_state.hpp); the call
//                      operator takes them after u, as they were and as they will be, and derive() takes the present
//                      ones after u
//   small_displacements = linear  u enters by its small strain alone: rigid rotations are infinitesimal
//   rate_independent = false      with a state: an increment without a change of u changes nothing
//   varies_in_time = false        the call operator reads location.t or location.dt, the time and the length of the
//   step
//                                 that ends there: both are 0 in analyses without time, so guard what divides by dt
//   from_law = 0       numbers that a law of materials leaves at each point, after `given`
//   (fem/materials/from_law.hpp); the
//                      form has its derivative written out, tangent(location, du, f)
//   coupled = 0        of a form of a law: vectors by which the tangent couples the points of a cell
//                      (fem/materials/from_cell_law.hpp)
//   of_revolution = false         in two dimensions: a body of revolution about the y axis, x = r; f is multiplied by 2
//                                 pi r
//
// Forms of three dimensions are made ones of the plane by fem/forms/in_plane.hpp.
#pragma once

#include "fem/forms/point_state.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace ritz {

template <class T, int G, int Given = 0>
struct Location {
  T x[G];                // position [length]
  T normal[G];           // unit outward normal; on facets only
  T given[Given];        // what the form's list `given` names
  double t = 0, dt = 0;  // fem/forms/time.hpp
};
template <class T, int G>
struct Location<T, G, 0> {
  T x[G];
  T normal[G];
  double t = 0, dt = 0;
};

template <class T, int C, int G>
struct Fields {
  T value[C];
  T gradient[C][G];  // [component][direction]
};

// [bytes] Forms are copied into kernels with their arguments, for which CUDA has room for 4 KiB.
inline constexpr std::size_t largest_form = 512;

// A plain struct that states its facts and fits into a kernel argument.
template <class F>
concept Form = std::is_trivially_copyable_v<F> &&(sizeof(F) <= largest_form) && requires {
  { F::name } -> std::convertible_to<const char*>;
  { F::components } -> std::convertible_to<int>;
  { F::dimension } -> std::convertible_to<int>;
  { F::uses_value } -> std::convertible_to<bool>;
  { F::uses_gradient } -> std::convertible_to<bool>;
};

// The optional facts with their defaults.
template <Form F>
struct FormFacts {
  // clang-format off
  static constexpr int codimension =
      [] { if constexpr (requires { F::codimension; }) return F::codimension; else return 0; }();
  static constexpr bool symmetric =
      [] { if constexpr (requires { F::symmetric; }) return F::symmetric; else return false; }();
  static constexpr bool linear =
      [] { if constexpr (requires { F::linear; }) return F::linear; else return false; }();
  static constexpr bool has_matrix =
      [] { if constexpr (requires { F::has_matrix; }) return F::has_matrix; else return true; }();
  static constexpr int derived =
      [] { if constexpr (requires { F::derived; }) return F::derived; else return 0; }();
  static constexpr int extra_degree =
      [] { if constexpr (requires { F::extra_degree; }) return F::extra_degree; else return 0; }();
  static constexpr bool objective =
      [] { if constexpr (requires { F::objective; }) return F::objective; else return false; }();
  static constexpr const char* unknown =
      [] { if constexpr (requires { F::unknown; }) return F::unknown; else return "u"; }();
  static constexpr const char* derives =
      [] { if constexpr (requires { F::derives; }) return F::derives; else return "derived"; }();
  static constexpr int given =
      [] { if constexpr (requires { F::given; }) return int(F::given.size()); else return 0; }();
  static constexpr bool small_displacements =
      [] { if constexpr (requires { F::small_displacements; }) return F::small_displacements; else return linear; }();
  static constexpr bool rate_independent =
      [] { if constexpr (requires { F::rate_independent; }) return F::rate_independent; else return false; }();
  static constexpr bool of_revolution =
      [] { if constexpr (requires { F::of_revolution; }) return F::of_revolution; else return false; }();
  static constexpr bool varies_in_time =
      [] { if constexpr (requires { F::varies_in_time; }) return F::varies_in_time; else return false; }();
  static constexpr int from_law =
      [] { if constexpr (requires { F::from_law; }) return F::from_law; else return 0; }();
  static constexpr int coupled =
      [] { if constexpr (requires { F::coupled; }) return F::coupled; else return 0; }();
  // clang-format on
  // Numbers that a law leaves of a cell after those at its points.
  static constexpr int from_cell(int points) {
    if constexpr (coupled > 0) return coupled * (points * F::rows + coupled);
    else return 0;
  }
  static constexpr int state = state_numbers_of<F>();  // numbers at a point
  static_assert(state == 0 || !linear, "a form with a point state is not linear");
  static constexpr int evaluated = derived + state;  // numbers in results
  // Slots of one component: its value, then its gradient, as far as they are used.
  static constexpr int gradient_slots = F::uses_gradient ? F::dimension : 0;
  static constexpr int first_gradient_slot = F::uses_value ? 1 : 0;
  static constexpr int slots = first_gradient_slot + gradient_slots;
};

// Integrals over 2 pi r dA: a fact of the form's type, or its member `axisymmetric`.
template <Form F>
constexpr bool is_of_revolution(const F& form) {
  if constexpr (FormFacts<F>::of_revolution) return true;
  else if constexpr (requires { form.axisymmetric; }) return form.axisymmetric;
  else return false;
}

}  // namespace ritz
