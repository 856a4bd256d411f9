// Data at one quadrature point of an element: sizes of a form on a shape of cell, geometry, values and gradients of the
// unknown, and the form's flux and its derivative there. The engines (element_engine.hpp, element_actions.hpp,
// tensor_engine.hpp) are made of it.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/launch/element_arguments.hpp"
#include "fem/numbers/dual.hpp"

#include <limits>
#include <type_traits>

namespace ritz::RITZ_BACKEND {

// A table's numbers in the precision of T: a number, or lanes of them.
template <class T>
constexpr const auto& numbers_of(const ReferenceTable& table) {
  constexpr bool single = [] {
    if constexpr (requires { typename T::Real; }) return sizeof(typename T::Real) == sizeof(float);
    else return sizeof(T) == sizeof(float);
  }();
  if constexpr (single) return table.single;
  else return static_cast<const Tabulated<double>&>(table);
}

// Sizes of one form on one shape of cell, known at compile time; NodeCount 0: nodes are counted at run time. Those of
// the geometry are as many on linear cells; cells with more nodes may be straight, with a geometry of their corners.
template <Form F, int NodeCount, int ReferenceDimension>
struct Shape {
  using Facts = FormFacts<F>;
  static constexpr int D = ReferenceDimension, fixed_nodes = NodeCount;
  static constexpr int nodes(const ReferenceTable& t) { return NodeCount > 0 ? NodeCount : t.node_count; }
  static constexpr bool linear_cell = NodeCount > 0 && NodeCount <= (1 << ReferenceDimension);
  static constexpr int geometry_nodes(const ReferenceTable& t) {
    return linear_cell ? NodeCount : t.geometry_node_count;
  }
  static constexpr int G = F::dimension, C = F::components, S = Facts::slots;
  static constexpr bool on_facets = Facts::codimension == 1;
  static_assert(D + Facts::codimension == G);
  static_assert(!on_facets || !F::uses_gradient, "gradients on facets are not available");
  static constexpr int K = Facts::evaluated;
  // in the engines a Location holds the coefficients, then the point state, then what a law left
  static constexpr int M = Facts::given + Facts::state + Facts::from_law;
  static constexpr int place_size = 2 * G + M;  // numbers of a Location
  // matrix columns (nodes b) handled together
  static constexpr int column_tile = C == 1 ? (NodeCount > 0 && NodeCount < 4 ? NodeCount : 4) : 1;
};

template <class Sh, class T>
struct Geometry {
  Location<T, Sh::G, Sh::M> point;
  T inverse[Sh::D][Sh::G];  // of the Jacobian: d(reference)/d(space); cells only
  T measure;                // |d(space)/d(reference)|
};

// Missing values are not a number, so that no computation uses them unnoticed.
inline constexpr double unset = std::numeric_limits<double>::quiet_NaN();

// Jacobian, its inverse and determinant, position and, on facets, normal at one quadrature point.
template <class Sh, class T, class X>
constexpr Geometry<Sh, T> geometry_at(const X& x, const ReferenceTable& table, int q) {
  constexpr int D = Sh::D, G = Sh::G;
  const int N = Sh::geometry_nodes(table);
  const auto* values = numbers_of<T>(table).geometry_values + q * N;
  const auto* gradients = numbers_of<T>(table).geometry_gradients + q * N * D;
  Geometry<Sh, T> g{};
  T jacobian[G][D];
  for (int i = 0; i < G; ++i) {
    g.point.x[i] = 0.0;
    if constexpr (!Sh::on_facets) g.point.normal[i] = unset;
    for (int d = 0; d < D; ++d) jacobian[i][d] = 0.0;
  }
  for (int a = 0; a < N; ++a)
    for (int i = 0; i < G; ++i) {
      const T coordinate = x(a * G + i);
      g.point.x[i] += values[a] * coordinate;
      for (int d = 0; d < D; ++d) jacobian[i][d] += gradients[a * D + d] * coordinate;
    }
  using std::sqrt;
  if constexpr (Sh::on_facets && G == 3) {
    T normal[3];
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      normal[i] = jacobian[j][0] * jacobian[k][1] - jacobian[k][0] * jacobian[j][1];
    }
    g.measure = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int i = 0; i < 3; ++i) g.point.normal[i] = normal[i] / g.measure;
  } else if constexpr (Sh::on_facets) {
    g.measure = sqrt(jacobian[0][0] * jacobian[0][0] + jacobian[1][0] * jacobian[1][0]);
    g.point.normal[0] = jacobian[1][0] / g.measure;
    g.point.normal[1] = -jacobian[0][0] / g.measure;
  } else if constexpr (G == 3) {
    T cofactor[3][3];
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < 3; ++d) {
        const int j = (i + 1) % 3, k = (i + 2) % 3, e = (d + 1) % 3, f = (d + 2) % 3;
        cofactor[d][i] = jacobian[j][e] * jacobian[k][f] - jacobian[j][f] * jacobian[k][e];
      }
    g.measure = jacobian[0][0] * cofactor[0][0] + jacobian[1][0] * cofactor[0][1] + jacobian[2][0] * cofactor[0][2];
    const T scale = 1.0 / g.measure;
    for (int d = 0; d < 3; ++d)
      for (int i = 0; i < 3; ++i) g.inverse[d][i] = cofactor[d][i] * scale;
  } else {
    g.measure = jacobian[0][0] * jacobian[1][1] - jacobian[0][1] * jacobian[1][0];
    const T scale = 1.0 / g.measure;
    g.inverse[0][0] = jacobian[1][1] * scale;
    g.inverse[0][1] = -jacobian[0][1] * scale;
    g.inverse[1][0] = -jacobian[1][0] * scale;
    g.inverse[1][1] = jacobian[0][0] * scale;
  }
  return g;
}

// The integral's factor in the precision of T.
template <class T>
constexpr auto factor_of(const ElementArguments& arguments) {
  using Real = std::remove_cvref_t<decltype(*numbers_of<T>(arguments.table).weights)>;
  return static_cast<Real>(arguments.factor);
}

// By what the flux at a point is multiplied in an integral.
template <class Sh, class T>
constexpr T weight_at(const ElementArguments& arguments, const Geometry<Sh, T>& g, int q) {
  return factor_of<T>(arguments) * numbers_of<T>(arguments.table).weights[q] * g.measure;
}

// The same with the coefficients, the state and what a law left at the point, and the time.
template <class Sh, class T, bool WithLaw = true, class Team, class X>
constexpr Geometry<Sh, T> geometry_of(const Team& team, const ElementArguments& arguments, Index batch, const X& x,
                                      int q) {
  Geometry<Sh, T> g = geometry_at<Sh, T>(x, arguments.table, q);
  g.point.t = arguments.time.t;
  g.point.dt = arguments.time.dt;
  constexpr int given = Sh::Facts::given, state = Sh::Facts::state;
  const int points = arguments.table.point_count;
  if constexpr (given > 0) {
    for (int m = 0; m < given; ++m) g.point.given[m] = team.given(arguments, batch, q, points, m);
  }
  if constexpr (state > 0) {
    for (int i = 0; i < state; ++i)
      g.point.given[given + i] = team.state(arguments, batch, q * state + i, points * state);
  }
  if constexpr (WithLaw && Sh::Facts::from_law > 0) {
    constexpr int numbers = Sh::Facts::from_law;
    for (int i = 0; i < numbers; ++i)
      g.point.given[i] =
          team.from_law(arguments, batch, q * numbers + i, points * numbers + Sh::Facts::from_cell(points));
  }
  return g;
}

// Values and gradients of the unknown at a point, from slots basis(a * S + s) of every node.
template <class F, class Sh, class T, class U, class B>
constexpr Fields<T, Sh::C, Sh::G> fields_at(const U& u, int N, const B& basis) {
  constexpr int first = FormFacts<F>::first_gradient_slot;
  Fields<T, Sh::C, Sh::G> fields;
  for (int c = 0; c < Sh::C; ++c) {
    fields.value[c] = 0.0;
    for (int d = 0; d < Sh::G; ++d) fields.gradient[c][d] = 0.0;
  }
  for (int a = 0; a < N; ++a)
    for (int c = 0; c < Sh::C; ++c) {
      const T value = u(a * Sh::C + c);
      if constexpr (F::uses_value) { fields.value[c] += basis(a * Sh::S) * value; }
      if constexpr (F::uses_gradient) {
        for (int d = 0; d < Sh::G; ++d) fields.gradient[c][d] += basis(a * Sh::S + first + d) * value;
      }
    }
  return fields;
}

// Slots of all nodes at a point: value, then gradient in space.
template <class F, class Sh, class T, class B>
constexpr void basis_at(const Geometry<Sh, T>& g, const ReferenceTable& table, int q, const B& basis) {
  constexpr int first = FormFacts<F>::first_gradient_slot;
  const int N = Sh::nodes(table);
  const double* values = table.values + q * N;
  const double* gradients = table.gradients + q * N * Sh::D;
  for (int a = 0; a < N; ++a) {
    if constexpr (F::uses_value) { basis(a * Sh::S) = values[a]; }
    if constexpr (F::uses_gradient) {
      for (int i = 0; i < Sh::G; ++i) {
        T slope = gradients[a * Sh::D] * g.inverse[0][i];
        for (int d = 1; d < Sh::D; ++d) slope += gradients[a * Sh::D + d] * g.inverse[d][i];
        basis(a * Sh::S + first + i) = slope;
      }
    }
  }
}

// The same from nodal values alone, without slots at hand; gradients when WithGradient.
template <class Sh, bool WithGradient, class T, class U>
constexpr Fields<T, Sh::C, Sh::G> interpolate(const U& u, const Geometry<Sh, T>& g, const ReferenceTable& table,
                                              int q) {
  constexpr int C = Sh::C, D = Sh::D, G = Sh::G;
  const int N = Sh::nodes(table);
  const auto* values = numbers_of<T>(table).values + q * N;
  const auto* gradients = numbers_of<T>(table).gradients + q * N * D;
  Fields<T, C, G> fields{};
  T reference_gradient[C][D];
  for (int c = 0; c < C; ++c) {
    fields.value[c] = 0.0;
    for (int d = 0; d < D; ++d) reference_gradient[c][d] = 0.0;
  }
  for (int a = 0; a < N; ++a)
    for (int c = 0; c < C; ++c) {
      const T value = u(a * C + c);
      fields.value[c] += values[a] * value;
      if constexpr (WithGradient) {
        for (int d = 0; d < D; ++d) reference_gradient[c][d] += gradients[a * D + d] * value;
      }
    }
  if constexpr (WithGradient) {
    for (int c = 0; c < C; ++c)
      for (int i = 0; i < G; ++i) {
        T slope = reference_gradient[c][0] * g.inverse[0][i];
        for (int d = 1; d < D; ++d) slope += reference_gradient[c][d] * g.inverse[d][i];
        fields.gradient[c][i] = slope;
      }
  }
  return fields;
}

// The point as the form sees it, and the state before the increment, from what the engines carry.
template <class F, class T, int M>
constexpr Location<T, F::dimension, FormFacts<F>::given> location_of(const Location<T, F::dimension, M>& point) {
  Location<T, F::dimension, FormFacts<F>::given> here;
  here.t = point.t;
  here.dt = point.dt;
  for (int d = 0; d < F::dimension; ++d) {
    here.x[d] = point.x[d];
    here.normal[d] = point.normal[d];
  }
  if constexpr (FormFacts<F>::given > 0) {
    for (int m = 0; m < FormFacts<F>::given; ++m) here.given[m] = point.given[m];
  }
  return here;
}

// The flux at a point; `now`: the point state after the increment, nullptr if it is not needed.
template <class F, class T, int M>
constexpr void call_form(const F& form, const Location<T, F::dimension, M>& point,
                         const Fields<T, F::components, F::dimension>& u, Fields<T, F::components, F::dimension>& f,
                         T* now = nullptr) {
  constexpr int S = FormFacts<F>::state;
  if constexpr (S == 0) {
    form(point, u, f);
  } else {
    T before[S], after[S];
    for (int i = 0; i < S; ++i) before[i] = after[i] = point.given[FormFacts<F>::given + i];
    form(location_of<F>(point), u, before, after, f);
    if (now != nullptr) {
      for (int i = 0; i < S; ++i) now[i] = after[i];
    }
  }
}

// Derived quantities, then the point state, for results.
template <class F, class T, int M>
constexpr void derive_at(const F& form, const Location<T, F::dimension, M>& point,
                         const Fields<T, F::components, F::dimension>& u, T* out) {
  constexpr int S = FormFacts<F>::state, K = FormFacts<F>::derived;
  if constexpr (S == 0) {
    form.derive(point, u, out);
  } else {
    for (int i = 0; i < S; ++i) out[K + i] = point.given[FormFacts<F>::given + i];
    if constexpr (K > 0) form.derive(location_of<F>(point), u, out + K, out);
  }
}

// The place in dual numbers, whose derivatives vanish.
template <class T, int G, int M>
constexpr Location<Dual<T>, G, M> dual_place(const Location<T, G, M>& point) {
  using V = Dual<T>;
  Location<V, G, M> p;
  p.t = point.t;
  p.dt = point.dt;
  for (int d = 0; d < G; ++d) {
    p.x[d] = V(point.x[d], 0.0);
    p.normal[d] = V(point.normal[d], 0.0);
  }
  if constexpr (M > 0) {
    for (int m = 0; m < M; ++m) p.given[m] = V(point.given[m], 0.0);
  }
  return p;
}

// Derivative of the flux in the direction "component c of the unknown varies like these slots", times `weight`:
// out(i * S + s). The derivative is exact, by dual numbers.
template <class F, class Sh, class T, class B, class Out>
requires(FormFacts<F>::from_law == 0) constexpr void flux_derivative(const F& form,
                                                                     const Location<T, Sh::G, Sh::M>& point,
                                                                     const Fields<T, Sh::C, Sh::G>& u, int c,
                                                                     const B& slots, T weight, const Out& out) {
  using V = Dual<T>;
  constexpr int first = FormFacts<F>::first_gradient_slot;
  Fields<V, Sh::C, Sh::G> x, f{};  // what the form leaves out of f is zero
  for (int k = 0; k < Sh::C; ++k) {
    x.value[k] = V(u.value[k], 0.0);
    for (int d = 0; d < Sh::G; ++d) x.gradient[k][d] = V(u.gradient[k][d], 0.0);
  }
  if constexpr (F::uses_value) { x.value[c].derivative = slots(0); }
  if constexpr (F::uses_gradient) {
    for (int d = 0; d < Sh::G; ++d) x.gradient[c][d].derivative = slots(first + d);
  }
  call_form(form, dual_place(point), x, f);
  for (int i = 0; i < Sh::C; ++i) {
    if constexpr (F::uses_value) { out(i * Sh::S) = weight * f.value[i].derivative; }
    if constexpr (F::uses_gradient) {
      for (int d = 0; d < Sh::G; ++d) out(i * Sh::S + first + d) = weight * f.gradient[i][d].derivative;
    }
  }
}

// The same of a form whose moduli a law left at the point.
template <class F, class Sh, class T, class B, class Out>
requires(FormFacts<F>::from_law > 0) constexpr void flux_derivative(const F& form,
                                                                    const Location<T, Sh::G, Sh::M>& point,
                                                                    const Fields<T, Sh::C, Sh::G>&, int c,
                                                                    const B& slots, T weight, const Out& out) {
  constexpr int first = FormFacts<F>::first_gradient_slot;
  Fields<T, Sh::C, Sh::G> du{}, f{};
  for (int k = 0; k < Sh::C; ++k) {
    du.value[k] = 0.0;
    for (int d = 0; d < Sh::G; ++d) du.gradient[k][d] = 0.0;
  }
  if constexpr (F::uses_value) { du.value[c] = slots(0); }
  for (int d = 0; d < Sh::G; ++d) du.gradient[c][d] = slots(first + d);
  form.tangent(point, du, f);
  for (int i = 0; i < Sh::C; ++i) {
    if constexpr (F::uses_value) { out(i * Sh::S) = weight * f.value[i]; }
    for (int d = 0; d < Sh::G; ++d) out(i * Sh::S + first + d) = weight * f.gradient[i][d];
  }
}

// A few numbers of one item, with the call syntax of scratch memory.
template <class T>
struct LocalEntries {
  T* values;
  constexpr T& operator()(int i) const { return values[i]; }
};

// The same for entries numbered from `first`.
template <class T>
struct ShiftedEntries {
  T* values;
  int first;
  constexpr T& operator()(int i) const { return values[i - first]; }
};

// Derivative of the flux in the direction `du` of the unknown, exact by dual numbers.
template <class F, class Sh, class T>
requires(FormFacts<F>::from_law ==
         0) constexpr Fields<T, Sh::C, Sh::G> tangent_flux(const F& form, const Location<T, Sh::G, Sh::M>& point,
                                                           const Fields<T, Sh::C, Sh::G>& u,
                                                           const Fields<T, Sh::C, Sh::G>& du) {
  using V = Dual<T>;
  Fields<V, Sh::C, Sh::G> x, f{};  // what the form leaves out of f is zero
  Fields<T, Sh::C, Sh::G> result;
  for (int c = 0; c < Sh::C; ++c) {
    x.value[c] = V(u.value[c], du.value[c]);
    for (int d = 0; d < Sh::G; ++d) x.gradient[c][d] = V(u.gradient[c][d], du.gradient[c][d]);
  }
  call_form(form, dual_place(point), x, f);
  for (int c = 0; c < Sh::C; ++c) {
    if constexpr (F::uses_value) { result.value[c] = f.value[c].derivative; }
    if constexpr (F::uses_gradient) {
      for (int d = 0; d < Sh::G; ++d) result.gradient[c][d] = f.gradient[c][d].derivative;
    }
  }
  return result;
}

template <class F, class Sh, class T>
requires(FormFacts<F>::from_law >
         0) constexpr Fields<T, Sh::C, Sh::G> tangent_flux(const F& form, const Location<T, Sh::G, Sh::M>& point,
                                                           const Fields<T, Sh::C, Sh::G>&,
                                                           const Fields<T, Sh::C, Sh::G>& du) {
  Fields<T, Sh::C, Sh::G> result{};
  form.tangent(point, du, result);
  return result;
}

// A piece of the team's scratch memory: at(i) for entry i.
template <class Memory>
struct Piece {
  Memory memory;
  int offset;
  constexpr auto& operator()(int i) const { return memory.at(offset + i); }
  constexpr Piece from(int i) const { return {memory, offset + i}; }
};

// sum[i][j] = sum over the points of a row node's test slots times the flux in component i that component j of a column
// node causes. From a point to the next one `test` goes on by test_step numbers, `flux` by R * C * S.
template <int S, class T, int R, int C, class P>
constexpr void test_columns(int points, const P& test, int test_step, const P& flux, T (&sum)[R][C]) {
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j) sum[i][j] = 0.0;
  for (int q = 0; q < points; ++q) {
    const P slots = test.from(q * test_step), column = flux.from(q * R * C * S);
    for (int s = 0; s < S; ++s) {
      const T slot = slots(s);
      for (int j = 0; j < C; ++j)
        for (int i = 0; i < R; ++i) sum[i][j] += slot * column((j * R + i) * S + s);
    }
  }
}

// Numbers of the unknown at a point, when the tangent depends on it.
template <class F, class Sh>
constexpr int fields_size = FormFacts<F>::linear ? 0 : Sh::C*(1 + Sh::G);

template <class Sh, class T, class P>
constexpr void keep_fields(const Fields<T, Sh::C, Sh::G>& fields, const P& state) {
  for (int c = 0; c < Sh::C; ++c) {
    state(c) = fields.value[c];
    for (int d = 0; d < Sh::G; ++d) state(Sh::C + c * Sh::G + d) = fields.gradient[c][d];
  }
}
template <class Sh, class T, class P>
constexpr Fields<T, Sh::C, Sh::G> kept_fields(const P& state) {
  Fields<T, Sh::C, Sh::G> fields{};
  for (int c = 0; c < Sh::C; ++c) {
    fields.value[c] = state(c);
    for (int d = 0; d < Sh::G; ++d) fields.gradient[c][d] = state(Sh::C + c * Sh::G + d);
  }
  return fields;
}
template <class Sh, class T, class P>
constexpr void keep_place(const Location<T, Sh::G, Sh::M>& point, const P& place) {
  for (int d = 0; d < Sh::G; ++d) {
    place(d) = point.x[d];
    if constexpr (Sh::on_facets) { place(Sh::G + d) = point.normal[d]; }
  }
  if constexpr (Sh::M > 0) {
    for (int m = 0; m < Sh::M; ++m) place(2 * Sh::G + m) = point.given[m];
  }
}
template <class Sh, class T, class P>
constexpr Location<T, Sh::G, Sh::M> kept_place(const P& place, const Time& time) {
  Location<T, Sh::G, Sh::M> point{};
  point.t = time.t;
  point.dt = time.dt;
  for (int d = 0; d < Sh::G; ++d) {
    point.x[d] = place(d);
    if constexpr (Sh::on_facets) {
      point.normal[d] = place(Sh::G + d);
    } else {
      point.normal[d] = unset;
    }
  }
  if constexpr (Sh::M > 0) {
    for (int m = 0; m < Sh::M; ++m) point.given[m] = place(2 * Sh::G + m);
  }
  return point;
}

}  // namespace ritz::RITZ_BACKEND
