// From a form at a point to element matrices, residuals and derived quantities, for any tabulated element. The text is
// the same on every machine; a Team says who does the items of a loop:
//   CPU   one thread does all items for a batch of elements at once; T = Pack, a lane per element
//   CUDA  block = up to lane_count elements, thread = item (a quadrature point, a pair of nodes, ...); T = double
// team.each(n, f) runs f(0..n-1); team.sync() makes what was written visible to the team.
// Scratch arrays live in the team's fast memory (stack or L2 on a CPU, shared memory on a GPU).
// Numbers of nodes are compile-time constants for common cells, whose field varies like their geometry; 0 stands for any
// element, with numbers from its table.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/launch/element_arguments.hpp"
#include "fem/numbers/dual.hpp"

namespace ritz::RITZ_BACKEND {

// Sizes of one form on one shape of cell, known at compile time; NodeCount 0: nodes are counted at run time.
template <Form F, int NodeCount, int ReferenceDimension>
struct Shape {
  using Facts = FormFacts<F>;
  static constexpr int D = ReferenceDimension;
  static constexpr int nodes(const ReferenceTable& t) { return NodeCount > 0 ? NodeCount : t.node_count; }
  static constexpr int geometry_nodes(const ReferenceTable& t) { return NodeCount > 0 ? NodeCount : t.geometry_node_count; }
  static constexpr int G = F::dimension, C = F::components, S = Facts::slots;
  static constexpr bool on_facets = Facts::codimension == 1;
  static_assert(D + Facts::codimension == G);
  static_assert(!on_facets || !F::uses_gradient, "gradients on facets are not available");
  static constexpr int K = Facts::derived, M = Facts::given;
  static constexpr int place_size = 2 * G + M;  // numbers of a Location
  static_assert(!on_facets || K == 0, "derived quantities on facets are not available");
  // matrix columns (nodes b) handled together
  static constexpr int column_tile = C == 1 ? (NodeCount > 0 && NodeCount < 4 ? NodeCount : 4) : 1;
};

template <class Sh, class T>
struct Geometry {
  Location<T, Sh::G, Sh::M> point;
  T inverse[Sh::D][Sh::G];  // of the Jacobian: d(reference)/d(space); cells only
  T measure;                // |d(space)/d(reference)|
};

// Jacobian, its inverse and determinant, position and normal at one quadrature point.
template <class Sh, class T, class X>
constexpr Geometry<Sh, T> geometry_at(const X& x, const ReferenceTable& table, int q) {
  constexpr int D = Sh::D, G = Sh::G;
  const int N = Sh::geometry_nodes(table);
  const double* values = table.geometry_values + q * N;
  const double* gradients = table.geometry_gradients + q * N * D;
  Geometry<Sh, T> g{};
  T jacobian[G][D];
  for (int i = 0; i < G; ++i) {
    g.point.x[i] = 0.0;
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

// The same with what is given there.
template <class Sh, class T, class Team, class X>
constexpr Geometry<Sh, T> geometry_of(const Team& team, const ElementArguments& arguments, Index batch, const X& x, int q) {
  Geometry<Sh, T> g = geometry_at<Sh, T>(x, arguments.table, q);
  if constexpr (Sh::M > 0) {
    for (int m = 0; m < Sh::M; ++m) g.point.given[m] = team.given(arguments, batch, q * Sh::M + m, arguments.table.point_count * Sh::M);
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
      if constexpr (F::uses_value) {
        fields.value[c] += basis(a * Sh::S) * value;
      }
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
    if constexpr (F::uses_value) {
      basis(a * Sh::S) = values[a];
    }
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
constexpr Fields<T, Sh::C, Sh::G> interpolate(const U& u, const Geometry<Sh, T>& g, const ReferenceTable& table, int q) {
  constexpr int C = Sh::C, D = Sh::D, G = Sh::G;
  const int N = Sh::nodes(table);
  const double* values = table.values + q * N;
  const double* gradients = table.gradients + q * N * D;
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

// Derivative of the flux in the direction "component c of the unknown varies like these slots", times `weight`:
// out(i * S + s). The derivative is exact, by dual numbers.
template <class F, class Sh, class T, class B, class Out>
constexpr void flux_derivative(const F& form, const Location<T, Sh::G, Sh::M>& point, const Fields<T, Sh::C, Sh::G>& u, int c,
                               const B& slots, T weight, const Out& out) {
  using V = Dual<T>;
  constexpr int first = FormFacts<F>::first_gradient_slot;
  Location<V, Sh::G, Sh::M> p;
  Fields<V, Sh::C, Sh::G> x, f;
  for (int d = 0; d < Sh::G; ++d) {
    p.x[d] = V(point.x[d], 0.0);
    p.normal[d] = V(point.normal[d], 0.0);
  }
  if constexpr (Sh::M > 0) {
    for (int m = 0; m < Sh::M; ++m) p.given[m] = V(point.given[m], 0.0);
  }
  for (int k = 0; k < Sh::C; ++k) {
    x.value[k] = V(u.value[k], 0.0);
    for (int d = 0; d < Sh::G; ++d) x.gradient[k][d] = V(u.gradient[k][d], 0.0);
  }
  if constexpr (F::uses_value) {
    x.value[c].derivative = slots(0);
  }
  if constexpr (F::uses_gradient) {
    for (int d = 0; d < Sh::G; ++d) x.gradient[c][d].derivative = slots(first + d);
  }
  form(p, x, f);
  for (int i = 0; i < Sh::C; ++i) {
    if constexpr (F::uses_value) {
      out(i * Sh::S) = weight * f.value[i].derivative;
    }
    if constexpr (F::uses_gradient) {
      for (int d = 0; d < Sh::G; ++d) out(i * Sh::S + first + d) = weight * f.gradient[i][d].derivative;
    }
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
constexpr Fields<T, Sh::C, Sh::G> tangent_flux(const F& form, const Location<T, Sh::G, Sh::M>& point,
                                               const Fields<T, Sh::C, Sh::G>& u, const Fields<T, Sh::C, Sh::G>& du) {
  using V = Dual<T>;
  Location<V, Sh::G, Sh::M> p;
  Fields<V, Sh::C, Sh::G> x, f;
  Fields<T, Sh::C, Sh::G> result;
  for (int d = 0; d < Sh::G; ++d) {
    p.x[d] = V(point.x[d], 0.0);
    p.normal[d] = V(point.normal[d], 0.0);
  }
  if constexpr (Sh::M > 0) {
    for (int m = 0; m < Sh::M; ++m) p.given[m] = V(point.given[m], 0.0);
  }
  for (int c = 0; c < Sh::C; ++c) {
    x.value[c] = V(u.value[c], du.value[c]);
    for (int d = 0; d < Sh::G; ++d) x.gradient[c][d] = V(u.gradient[c][d], du.gradient[c][d]);
  }
  form(p, x, f);
  for (int c = 0; c < Sh::C; ++c) {
    if constexpr (F::uses_value) {
      result.value[c] = f.value[c].derivative;
    }
    if constexpr (F::uses_gradient) {
      for (int d = 0; d < Sh::G; ++d) result.gradient[c][d] = f.gradient[c][d].derivative;
    }
  }
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

// Numbers of the unknown at a point, when the tangent depends on it.
template <class F, class Sh>
constexpr int state_size = FormFacts<F>::linear ? 0 : Sh::C * (1 + Sh::G);

template <class Sh, class T, class P>
constexpr void keep_state(const Fields<T, Sh::C, Sh::G>& fields, const P& state) {
  for (int c = 0; c < Sh::C; ++c) {
    state(c) = fields.value[c];
    for (int d = 0; d < Sh::G; ++d) state(Sh::C + c * Sh::G + d) = fields.gradient[c][d];
  }
}
template <class Sh, class T, class P>
constexpr Fields<T, Sh::C, Sh::G> kept_state(const P& state) {
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
    if constexpr (Sh::on_facets) {
      place(Sh::G + d) = point.normal[d];
    }
  }
  if constexpr (Sh::M > 0) {
    for (int m = 0; m < Sh::M; ++m) place(2 * Sh::G + m) = point.given[m];
  }
}
template <class Sh, class T, class P>
constexpr Location<T, Sh::G, Sh::M> kept_place(const P& place) {
  Location<T, Sh::G, Sh::M> point{};
  for (int d = 0; d < Sh::G; ++d) {
    point.x[d] = place(d);
    if constexpr (Sh::on_facets) {
      point.normal[d] = place(Sh::G + d);
    }
  }
  if constexpr (Sh::M > 0) {
    for (int m = 0; m < Sh::M; ++m) point.given[m] = place(2 * Sh::G + m);
  }
  return point;
}

// Scratch entries (numbers of type T) that the engines need for a table.
template <class F, class Sh>
constexpr int nodal_scratch(const ReferenceTable& t, int vectors = 1) {
  return Sh::geometry_nodes(t) * Sh::G + vectors * Sh::nodes(t) * Sh::C;
}
template <class F, class Sh>
constexpr int matrices_scratch(const ReferenceTable& t) {
  return nodal_scratch<F, Sh>(t) + t.point_count * (Sh::nodes(t) * Sh::S + 1 + Sh::place_size + state_size<F, Sh>) +
         t.point_count * Sh::column_tile * Sh::C * Sh::C * Sh::S;
}
template <class F, class Sh>
constexpr int residuals_scratch(const ReferenceTable& t) {
  return nodal_scratch<F, Sh>(t) + t.point_count * Sh::C * (1 + Sh::D);
}
template <class F, class Sh>
constexpr int evaluate_scratch(const ReferenceTable& t) {
  return nodal_scratch<F, Sh>(t) + t.point_count * (Sh::K + 1);
}

// Coordinates, and the unknown where WithUnknown, from global memory to scratch; the team must sync before reading.
template <class Sh, bool WithUnknown, class Team, class P>
constexpr void load_element(const Team& team, const ElementArguments& arguments, Index batch, const P& x, const P& u) {
  const int N = Sh::nodes(arguments.table), M = Sh::geometry_nodes(arguments.table);
  team.each(M, [&](int a) { team.load_coordinates(arguments, batch, a, M, Sh::G, x); });
  if constexpr (WithUnknown) {
    team.each(N, [&](int a) { team.load_unknowns(arguments, batch, a, N, Sh::C, u); });
  }
}

// K_(a i)(b j) = integral of grad N_a . d(flux_i)/d(u_j) . grad N_b, with the value slots where the form uses them.
// Points: compile-time number of quadrature points, or 0 when it is known at run time only.
template <Form F, int NodeCount, int D, int Points, class Team, class Memory>
constexpr void element_matrices(const Team& team, const Memory& memory, const F& form, const ElementArguments& arguments,
                                Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using T = typename Team::Number;
  constexpr int C = Sh::C, G = Sh::G, S = Sh::S, tile = Sh::column_tile;
  constexpr bool linear = FormFacts<F>::linear, symmetric = FormFacts<F>::symmetric;
  const ReferenceTable& table = arguments.table;
  const int N = Sh::nodes(table), points = Points > 0 ? Points : table.point_count;

  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * G), basis = u.from(N * C),
                      weight = basis.from(points * N * S), place = weight.from(points), state = place.from(points * Sh::place_size),
                      flux = state.from(points * state_size<F, Sh>);

  load_element<Sh, !linear>(team, arguments, batch, x, u);
  team.sync();
  team.each(points, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    basis_at<F, Sh, T>(g, table, q, basis.from(q * N * S));
    weight(q) = table.weights[q] * g.measure;
    keep_place<Sh, T>(g.point, place.from(q * Sh::place_size));
    if constexpr (!linear) {
      keep_state<Sh, T>(fields_at<F, Sh, T>(u, N, basis.from(q * N * S)), state.from(q * state_size<F, Sh>));
    }
  });
  team.sync();
  for (int first = 0; first < N; first += tile) {
    const int columns = N - first < tile ? N - first : tile;
    team.each(columns * points, [&](int item) {
      const int q = item % points, b = first + item / points;
      const Location<T, G, Sh::M> point = kept_place<Sh, T>(place.from(q * Sh::place_size));
      Fields<T, C, G> fields{};
      if constexpr (!linear) {
        fields = kept_state<Sh, T>(state.from(q * state_size<F, Sh>));
      }
      for (int c = 0; c < C; ++c)
        flux_derivative<F, Sh, T>(form, point, fields, c, basis.from((q * N + b) * S), weight(q),
                                  flux.from((item * C + c) * C * S));
    });
    team.sync();
    team.each(columns * N, [&](int item) {
      const int a = item % N, b = first + item / N;
      if (symmetric && a > b) return;
      T sum[C][C];
      for (int i = 0; i < C; ++i)
        for (int j = 0; j < C; ++j) sum[i][j] = 0.0;
      for (int q = 0; q < points; ++q) {
        const Piece<Memory> test = basis.from((q * N + a) * S);
        const Piece<Memory> column = flux.from(((item / N) * points + q) * C * C * S);
        for (int s = 0; s < S; ++s) {
          const T slot = test(s);
          for (int j = 0; j < C; ++j)
            for (int i = 0; i < C; ++i) sum[i][j] += slot * column((j * C + i) * S + s);
        }
      }
      for (int i = 0; i < C; ++i)
        for (int j = 0; j < C; ++j) {
          team.store(arguments, batch, (a * N + b) * C * C + i * C + j, N * N * C * C, sum[i][j]);
          if (symmetric && a != b)
            team.store(arguments, batch, (b * N + a) * C * C + j * C + i, N * N * C * C, sum[i][j]);
        }
    });
    team.sync();
  }
}

// weight * flux at a point, pulled back to reference directions: flux(c * (1 + D)) with the value, then the gradient part.
template <class F, class Sh, class T, class P>
constexpr void pull_back(const Fields<T, Sh::C, Sh::G>& f, const Geometry<Sh, T>& g, T weight, const P& flux) {
  constexpr int D = Sh::D, G = Sh::G;
  for (int c = 0; c < Sh::C; ++c) {
    if constexpr (F::uses_value) {
      flux(c * (1 + D)) = weight * f.value[c];
    }
    if constexpr (F::uses_gradient) {
      for (int d = 0; d < D; ++d) {
        T component = f.gradient[c][0] * g.inverse[d][0];
        for (int i = 1; i < G; ++i) component += f.gradient[c][i] * g.inverse[d][i];
        flux(c * (1 + D) + 1 + d) = weight * component;
      }
    }
  }
}

// Entry (a, c) of the element's vector: sum over the points of flux against the shape function of node a. Stored.
template <class F, class Sh, class Team, class P>
constexpr void test_fluxes(const Team& team, const ElementArguments& arguments, Index batch, int points, const P& flux) {
  using T = typename Team::Number;
  constexpr int C = Sh::C, D = Sh::D, width = C * (1 + D);
  const ReferenceTable& table = arguments.table;
  const int N = Sh::nodes(table);
  team.each(N, [&](int a) {
    T sum[C];
    for (int c = 0; c < C; ++c) sum[c] = 0.0;
    for (int q = 0; q < points; ++q)
      for (int c = 0; c < C; ++c) {
        if constexpr (F::uses_value) {
          sum[c] += table.values[q * N + a] * flux(q * width + c * (1 + D));
        }
        if constexpr (F::uses_gradient) {
          for (int d = 0; d < D; ++d)
            sum[c] += table.gradients[(q * N + a) * D + d] * flux(q * width + c * (1 + D) + 1 + d);
        }
      }
    for (int c = 0; c < C; ++c) team.store(arguments, batch, a * C + c, N * C, sum[c]);
  });
  team.sync();
}

// r_(a i) = integral of N_a f.value_i + grad N_a . f.gradient_i
template <Form F, int NodeCount, int D, class Team, class Memory>
constexpr void element_residuals(const Team& team, const Memory& memory, const F& form,
                                 const ElementArguments& arguments, Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using T = typename Team::Number;
  constexpr int C = Sh::C, G = Sh::G;
  const ReferenceTable& table = arguments.table;
  const int N = Sh::nodes(table), points = table.point_count;
  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * G), flux = u.from(N * C);

  load_element<Sh, true>(team, arguments, batch, x, u);
  team.sync();
  team.each(points, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    const Fields<T, C, G> fields = interpolate<Sh, F::uses_gradient, T>(u, g, table, q);
    Fields<T, C, G> f{};
    form(g.point, fields, f);
    pull_back<F, Sh, T>(f, g, table.weights[q] * g.measure, flux.from(q * C * (1 + D)));
  });
  team.sync();
  test_fluxes<F, Sh>(team, arguments, batch, points, flux);
}

// Derived quantities (strain, stress, heat flux) at the nodes, extrapolated from the points of the table, and their
// means over the cells.
template <Form F, int NodeCount, int D, class Team, class Memory>
constexpr void element_evaluate(const Team& team, const Memory& memory, const F& form, const ElementArguments& arguments,
                                Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using T = typename Team::Number;
  constexpr int C = Sh::C, G = Sh::G, K = Sh::K;
  const ReferenceTable& table = arguments.table;
  const int N = Sh::nodes(table), points = table.point_count;
  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * G), derived = u.from(N * C),
                      weight = derived.from(points * K);

  load_element<Sh, true>(team, arguments, batch, x, u);
  team.sync();
  team.each(points, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    const Fields<T, C, G> fields = interpolate<Sh, true, T>(u, g, table, q);
    T out[K];
    form.derive(g.point, fields, out);
    for (int k = 0; k < K; ++k) derived(q * K + k) = out[k];
    weight(q) = table.weights[q] * g.measure;
  });
  team.sync();
  team.each(N, [&](int a) {
    for (int k = 0; k < K; ++k) {
      T sum = table.extrapolation[a * points] * derived(k);
      for (int q = 1; q < points; ++q) sum += table.extrapolation[a * points + q] * derived(q * K + k);
      team.store(arguments, batch, a * K + k, N * K, sum);
    }
  });
  team.each(K, [&](int k) {
    T sum = 0.0, volume = 0.0;
    for (int q = 0; q < points; ++q) {
      sum += weight(q) * derived(q * K + k);
      volume += weight(q);
    }
    team.store_cell(arguments, batch, k, K, sum / volume);
  });
  team.sync();
}

}  // namespace ritz::RITZ_BACKEND
