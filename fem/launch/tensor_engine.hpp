// Actions of a form on quadrilaterals and hexahedra of order P by sum factorisation (Orszag 1980; Kronbichler and
// Kormann, ACM TOMS 45, 2019): fields go to N^D Gauss points, N = P + 1, and fluxes back, direction by direction,
// N^(D+1) multiplications each. Text and team are those of element_engine.hpp; an item is a line of N numbers:
//
//   scratch  W, and one array per direction but the last for the derivatives; the last direction stays in registers
//   forward  last direction ... y, then x with its derivative; y's derivative
//   points   a line along the last direction is one item: derivative along it, geometry, form, transpose
//   back     the same in reverse
//
// Geometry: of (multi)linear cells computed from their corners at each point, of parallelograms and parallelepipeds
// once for each cell, else read from what element_point_geometry stored.
#pragma once

#include "fem/launch/element_engine.hpp"
#include "fem/numbers/cofactors.hpp"

namespace ritz::RITZ_BACKEND {

constexpr int power(int base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

// The one-dimensional tables of N nodes and N Gauss points in ReferenceTable::line: points, weights, then matrices as
// line_product wants them.
template <int N>
struct LineTables {
  static constexpr int points = 0, weights = N, values = 2 * N, slopes = values + N * N,
                       values_transposed = slopes + N * N, slopes_transposed = values_transposed + N * N,
                       size = slopes_transposed + N * N;
};

// out_q = sum_i m_qi in_i, where m_(N-1-q)(N-1-i) = m_qi for values and -m_qi for slopes. From three and five nodes on,
// even and odd parts of a line are multiplied separately: half the multiplications (Kopriva, Implementing Spectral
// Methods, 2009, 3.5). `m` is then [even part: even_rows][H], [odd part: odd_rows][h] with H = (N + 1) / 2, h = N / 2.
// For an odd number, the node in the middle is a Gauss point.
enum class LineMatrix { values, values_transposed, slopes, slopes_transposed };

template <int N, LineMatrix M, class S, class T>
constexpr void line_product(const S* tables, const T (&in)[N], T (&out)[N]) {
  using L = LineTables<N>;
  constexpr bool keeps_sign = M == LineMatrix::values || M == LineMatrix::values_transposed;
  constexpr int at = M == LineMatrix::values              ? L::values
                     : M == LineMatrix::values_transposed ? L::values_transposed
                     : M == LineMatrix::slopes            ? L::slopes
                                                          : L::slopes_transposed;
  const S* m = tables + at;
  if constexpr (N == 2 && M == LineMatrix::slopes) {  // rows sum to zero
    out[0] = out[1] = m[1] * (in[1] - in[0]);
  } else if constexpr (N == 2 && M == LineMatrix::slopes_transposed) {
    out[1] = m[2] * (in[0] + in[1]);
    out[0] = -out[1];
  } else if constexpr (N == 2 || N == 4) {
    for (int q = 0; q < N; ++q) {
      T sum = m[q * N] * in[0];
      for (int i = 1; i < N; ++i) sum += m[q * N + i] * in[i];
      out[q] = sum;
    }
  } else {
    constexpr int H = (N + 1) / 2, h = N / 2;
    constexpr int even_rows = keeps_sign ? H : h, odd_rows = keeps_sign ? h : H;
    constexpr bool unit_row = N % 2 == 1 && M == LineMatrix::values,
                   unit_column = N % 2 == 1 && M == LineMatrix::values_transposed;
    T even[H], odd[h];
    for (int i = 0; i < h; ++i) {
      even[i] = in[i] + in[N - 1 - i];
      odd[i] = in[i] - in[N - 1 - i];
    }
    if constexpr (N % 2 == 1) { even[h] = in[h]; }
    const S* odd_part = m + even_rows * H;
    for (int q = 0; q < H; ++q) {
      T a = 0.0, b = 0.0;  // parts that keep and that change their sign from q to N - 1 - q, for values
      if (unit_row && q == h) {
        a = even[h];
      } else if (q < even_rows) {
        a = m[q * H] * even[0];
        for (int i = 1; i < (unit_column ? h : H); ++i) a += m[q * H + i] * even[i];
        if (unit_column && q == h) a += even[h];
      }
      if (q < odd_rows) {
        b = odd_part[q * h] * odd[0];
        for (int i = 1; i < h; ++i) b += odd_part[q * h + i] * odd[i];
      }
      if (2 * q + 1 == N) {
        out[q] = keeps_sign ? a : b;
      } else {
        out[q] = a + b;
        out[N - 1 - q] = keeps_sign ? a - b : b - a;
      }
    }
  }
}

template <Form F, int Order, int Dimension>
struct TensorShape {
  static constexpr int N = Order + 1, D = Dimension, G = Dimension, C = F::components, M = FormFacts<F>::given;
  static constexpr int lines = power(N, D - 1), points = power(N, D);
  static constexpr int corners = power(2, D);
  static constexpr int slope_arrays = F::uses_gradient ? D - 1 : 0;
  static constexpr int field_size = C * points * (1 + slope_arrays);  // W, then d/dx, d/dy
  static constexpr bool with_state = !FormFacts<F>::linear;
  static constexpr int scratch = G * corners + field_size * (with_state ? 2 : 1);
  using Tables = LineTables<N>;
  static_assert(F::dimension == Dimension && FormFacts<F>::codimension == 0 && FormFacts<F>::state == 0);
};

// First entry and distance of the entries of line `item` along a direction: known when compiling, so that a GPU's
// thread can keep the entries in registers.
template <class Sh, int Direction>
struct Line {
  static constexpr int stride = power(Sh::N, Direction);
  int first;
  constexpr explicit Line(int item) : first(item % stride + item / stride * stride * Sh::N) {}
};
template <class Sh>
using LastLine = Line<Sh, Sh::D - 1>;

// The map of a (multi)linear cell as polynomials x = a_0 + a_1 xi + a_2 eta [+ a_3 zeta] + products, from corners in
// VTK's order: coefficient of the monomial with bits (xi 1, eta 2, zeta 4) at [bits][G].
// Corners are read relative to an origin of the team's choice, so that single precision does not lose small cells.
template <class Sh, class Team, class P>
constexpr void multilinear_coefficients(const Team& team, const ElementArguments& arguments, Index batch, const P& a) {
  using T = typename Team::Number;
  constexpr int corner_bits[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  const auto origin = team.origin_of(arguments, batch, Sh::corners, Sh::G);
  team.each(Sh::corners,
            [&](int corner) { team.load_coordinates_from(origin, arguments, batch, corner, Sh::corners, Sh::G, a); });
  team.sync();
  team.each(Sh::G, [&](int i) {
    T x[Sh::corners];
    for (int corner = 0; corner < Sh::corners; ++corner) x[corner_bits[corner]] = a(corner * Sh::G + i);
    for (int bit = 1; bit < Sh::corners; bit *= 2)
      for (int c = 0; c < Sh::corners; ++c)
        if ((c & bit) == 0) {
          const T low = x[c], high = x[c | bit];
          x[c] = 0.5 * (low + high);
          x[c | bit] = 0.5 * (high - low);
        }
    x[0] += origin(i);
    for (int c = 0; c < Sh::corners; ++c) a(c * Sh::G + i) = x[c];
  });
}

// Geometry along a line in the last direction: x and its derivatives are linear in the last coordinate t.
template <class Sh, class T>
struct LineGeometry {
  T x[2][Sh::G];             // x = x[0] + t x[1]; x[1] is also d x / d t
  T slope[Sh::D][2][Sh::G];  // d x / d xi_d = slope[d][0] + t slope[d][1], for d below the last direction

  template <class P, class S>
  constexpr LineGeometry(const P& a, const S* line_points, int item) {
    const S xi = line_points[item % Sh::N];
    for (int i = 0; i < Sh::G; ++i) {
      if constexpr (Sh::D == 3) {
        const S eta = line_points[item / Sh::N];
        for (int k = 0; k < 2; ++k) {
          const auto at = [&](int bits) { return a((bits + 4 * k) * 3 + i); };
          const T along_x = at(1) + eta * at(3);
          x[k][i] = at(0) + eta * at(2) + xi * along_x;
          slope[0][k][i] = along_x;
          slope[1][k][i] = at(2) + xi * at(3);
        }
      } else {
        for (int k = 0; k < 2; ++k) {
          const auto at = [&](int bits) { return a((bits + 2 * k) * 2 + i); };
          x[k][i] = at(0) + xi * at(1);
          slope[0][k][i] = at(1);
        }
      }
    }
  }
};

// Geometry of parallelograms and parallelepipeds: x = x[] + sum_d xi_d slope[d][], gradient in space =
// m^T (gradient in the reference cell), the same at all points.
template <class Sh, class T>
struct AffineGeometry {
  T x[Sh::G], slope[Sh::D][Sh::G], m[Sh::D][Sh::G], determinant;

  template <class Team>
  constexpr void load(const Team& team, const ElementArguments& arguments, Index batch) {
    constexpr int neighbours[3] = {1, 3, 4};  // of corner 0
    const auto origin = team.origin_of(arguments, batch, Sh::corners, Sh::G);
    team.load_coordinates_from(origin, arguments, batch, 0, Sh::corners, Sh::G, LocalEntries<T>{x});
    for (int d = 0; d < Sh::D; ++d)
      team.load_coordinates_from(origin, arguments, batch, neighbours[d], Sh::corners, Sh::G,
                                 ShiftedEntries<T>{slope[d], neighbours[d] * Sh::G});
    for (int i = 0; i < Sh::G; ++i) {
      const T corner = x[i];
      x[i] += origin(i);
      for (int d = 0; d < Sh::D; ++d) {
        slope[d][i] = 0.5 * (slope[d][i] - corner);
        x[i] += slope[d][i];
      }
    }
    determinant = cofactors(slope, m);
    const T inverse = 1.0 / determinant;
    for (int d = 0; d < Sh::D; ++d)
      for (int i = 0; i < Sh::G; ++i) m[d][i] = inverse * m[d][i];
  }
};

// At a point: gradient in space = in * m^T (gradient in the reference cell), and back with out * m.
template <class Sh, class T>
struct PointGeometry {
  T x[Sh::G], m[Sh::D][Sh::G], in, out;

  template <class S>
  constexpr PointGeometry(const LineGeometry<Sh, T>& line, S t, S weight) {
    constexpr int D = Sh::D;
    T J[D][D];  // [reference direction][direction]
    for (int i = 0; i < D; ++i) {
      x[i] = line.x[0][i] + t * line.x[1][i];
      for (int d = 0; d + 1 < D; ++d) J[d][i] = line.slope[d][0][i] + t * line.slope[d][1][i];
      J[D - 1][i] = line.x[1][i];
    }
    const T determinant = cofactors(J, m);
    in = 1.0 / determinant;
    out = weight;
    measure = determinant * weight;
  }
  // Stored: m, measure, x (see element_point_geometry); `entry(k)` reads.
  template <class E, class S>
  constexpr PointGeometry(const E& entry, S factor) {
    for (int d = 0; d < Sh::D; ++d)
      for (int i = 0; i < Sh::G; ++i) m[d][i] = entry(d * Sh::G + i);
    measure = factor * entry(Sh::D * Sh::G);
    for (int i = 0; i < Sh::G; ++i) x[i] = entry(Sh::D * Sh::G + 1 + i);
    in = 1.0;
    out = measure;
  }
  // `at`: the point in the reference cell.
  template <class S>
  constexpr PointGeometry(const AffineGeometry<Sh, T>& cell, const S (&at)[Sh::D], S weight) {
    for (int i = 0; i < Sh::G; ++i) x[i] = cell.x[i];
    for (int d = 0; d < Sh::D; ++d)
      for (int i = 0; i < Sh::G; ++i) {
        x[i] += at[d] * cell.slope[d][i];
        m[d][i] = cell.m[d][i];
      }
    in = 1.0;
    out = measure = weight * cell.determinant;
  }
  T measure;  // factor of the integral * weight * det J
};

// Products along y, line by line, from one array [component][point] to another or in place.
enum class Sweep { sets, adds };

template <LineMatrix M, class Sh, Sweep S = Sweep::sets, class Team, class P>
constexpr void sweep_y(const Team& team, const typename Team::Scalar* tables, const P& from, const P& to) {
  using T = typename Team::Number;
  constexpr int N = Sh::N;
  team.each(Sh::lines, [&](int item) {
    const Line<Sh, 1> line(item);
    for (int c = 0; c < Sh::C; ++c) {
      const int first = c * Sh::points + line.first;
      T in[N], out[N];
      for (int i = 0; i < N; ++i) in[i] = from(first + i * line.stride);
      line_product<N, M>(tables, in, out);
      for (int i = 0; i < N; ++i) {
        if constexpr (S == Sweep::adds) {
          to(first + i * line.stride) += out[i];
        } else {
          to(first + i * line.stride) = out[i];
        }
      }
    }
  });
  team.sync();
}

// Nodal values of a field to W and the derivatives along x (and y) at the points; load(node, values) reads a node.
// A field's arrays: W [component][point], then d/dx, then d/dy.
template <Form F, class Sh, class Team, class P, class Load>
constexpr void to_points(const Team& team, const typename Team::Scalar* tables, const P& field, const Load& load) {
  using T = typename Team::Number;
  constexpr int N = Sh::N, D = Sh::D, C = Sh::C, points = Sh::points;
  team.each(Sh::lines, [&](int item) {
    const LastLine<Sh> line(item);
    T in[C][N], out[N], values[C];
    for (int i = 0; i < N; ++i) {
      load(line.first + i * line.stride, LocalEntries<T>{values});
      for (int c = 0; c < C; ++c) in[c][i] = values[c];
    }
    for (int c = 0; c < C; ++c) {
      line_product<N, LineMatrix::values>(tables, in[c], out);
      for (int i = 0; i < N; ++i) field(c * points + line.first + i * line.stride) = out[i];
    }
  });
  team.sync();
  if constexpr (D == 3) { sweep_y<LineMatrix::values, Sh>(team, tables, field, field); }
  team.each(Sh::lines, [&](int item) {
    for (int c = 0; c < C; ++c) {
      const int first = c * points + item * N;
      T in[N], out[N];
      for (int i = 0; i < N; ++i) in[i] = field(first + i);
      line_product<N, LineMatrix::values>(tables, in, out);
      for (int i = 0; i < N; ++i) field(first + i) = out[i];
      if constexpr (F::uses_gradient) {
        line_product<N, LineMatrix::slopes>(tables, out, in);
        for (int i = 0; i < N; ++i) field(C * points + first + i) = in[i];
      }
    }
  });
  team.sync();
  if constexpr (D == 3 && F::uses_gradient) {
    sweep_y<LineMatrix::slopes, Sh>(team, tables, field, field.from(2 * C * points));
  }
}

// Values of to_points(), transposed: integrals of W and its derivatives, to nodes; store(node, component, value).
template <Form F, class Sh, class Team, class P, class Store>
constexpr void to_nodes(const Team& team, const typename Team::Scalar* tables, const P& field, const Store& store) {
  using T = typename Team::Number;
  constexpr int N = Sh::N, D = Sh::D, C = Sh::C, points = Sh::points;
  if constexpr (D == 3 && F::uses_gradient) {
    sweep_y<LineMatrix::slopes_transposed, Sh, Sweep::adds>(team, tables, field.from(2 * C * points), field);
  }
  team.each(Sh::lines, [&](int item) {
    for (int c = 0; c < C; ++c) {
      const int first = c * points + item * N;
      T in[N], sum[N];
      for (int i = 0; i < N; ++i) sum[i] = field(first + i);
      if constexpr (F::uses_gradient) {
        T slopes[N];
        for (int i = 0; i < N; ++i) in[i] = field(C * points + first + i);
        line_product<N, LineMatrix::slopes_transposed>(tables, in, slopes);
        for (int i = 0; i < N; ++i) sum[i] += slopes[i];
      }
      line_product<N, LineMatrix::values_transposed>(tables, sum, in);
      for (int i = 0; i < N; ++i) field(first + i) = in[i];
    }
  });
  team.sync();
  if constexpr (D == 3) { sweep_y<LineMatrix::values_transposed, Sh>(team, tables, field, field); }
  team.each(Sh::lines, [&](int item) {
    const LastLine<Sh> line(item);
    for (int c = 0; c < C; ++c) {
      T in[N], out[N];
      for (int i = 0; i < N; ++i) in[i] = field(c * points + line.first + i * line.stride);
      line_product<N, LineMatrix::values_transposed>(tables, in, out);
      for (int i = 0; i < N; ++i) store(line.first + i * line.stride, c, out[i]);
    }
  });
  team.sync();
}

// A field at the points of a line along the last direction is W and its derivative along the line, [component][point]:
// two arrays, since one object of both would keep W in a GPU's local memory where only its derivative is needed.
template <class Sh, class T>
using OnLine = T[Sh::C][Sh::N];

template <Form F, class Sh, class T, class P, class S>
constexpr void load_last_line(const S* tables, const P& field, int item, OnLine<Sh, T>& value, OnLine<Sh, T>& slope) {
  for (int c = 0; c < Sh::C; ++c) {
    for (int k = 0; k < Sh::N; ++k) value[c][k] = field(c * Sh::points + item + k * Sh::lines);
    if constexpr (F::uses_gradient) { line_product<Sh::N, LineMatrix::slopes>(tables, value[c], slope[c]); }
  }
}

// Adds what the slopes along the line give, transposed.
template <Form F, class Sh, class T, class P, class S>
constexpr void store_last_line(const S* tables, const OnLine<Sh, T>& value, const OnLine<Sh, T>& slope, int item,
                               const P& field) {
  for (int c = 0; c < Sh::C; ++c) {
    if constexpr (F::uses_gradient) {
      T sum[Sh::N];
      line_product<Sh::N, LineMatrix::slopes_transposed>(tables, slope[c], sum);
      for (int k = 0; k < Sh::N; ++k) {
        if constexpr (F::uses_value) { sum[k] += value[c][k]; }
        field(c * Sh::points + item + k * Sh::lines) = sum[k];
      }
    } else {
      for (int k = 0; k < Sh::N; ++k) field(c * Sh::points + item + k * Sh::lines) = value[c][k];
    }
  }
}

// Fields at the point k of a line, which is point n of the element.
template <Form F, class Sh, class T, class P>
constexpr Fields<T, Sh::C, Sh::G> fields_on_line(const P& field, int n, const OnLine<Sh, T>& value,
                                                 const OnLine<Sh, T>& slopes, int k, const PointGeometry<Sh, T>& g) {
  Fields<T, Sh::C, Sh::G> u{};
  for (int c = 0; c < Sh::C; ++c) {
    if constexpr (F::uses_value) { u.value[c] = value[c][k]; }
    if constexpr (F::uses_gradient) {
      T reference[Sh::D];
      for (int d = 0; d + 1 < Sh::D; ++d) reference[d] = field(((d + 1) * Sh::C + c) * Sh::points + n);
      reference[Sh::D - 1] = slopes[c][k];
      for (int i = 0; i < Sh::G; ++i) {
        T slope = reference[0] * g.m[0][i];
        for (int d = 1; d < Sh::D; ++d) slope += reference[d] * g.m[d][i];
        u.gradient[c][i] = g.in * slope;
      }
    }
  }
  return u;
}

// A flux takes the place of the field at that point, pulled back to the reference element.
template <Form F, class Sh, class T, class P>
constexpr void put_flux(const Fields<T, Sh::C, Sh::G>& f, const PointGeometry<Sh, T>& g, int n, int k, const P& field,
                        OnLine<Sh, T>& value, OnLine<Sh, T>& slope) {
  for (int c = 0; c < Sh::C; ++c) {
    if constexpr (F::uses_value) { value[c][k] = g.measure * f.value[c]; }
    if constexpr (F::uses_gradient) {
      for (int d = 0; d < Sh::D; ++d) {
        T back = f.gradient[c][0] * g.m[d][0];
        for (int i = 1; i < Sh::G; ++i) back += f.gradient[c][i] * g.m[d][i];
        if (d + 1 < Sh::D) field(((d + 1) * Sh::C + c) * Sh::points + n) = g.out * back;
        else slope[c][k] = g.out * back;
      }
    }
  }
}

// Point number n of the element, with the numbers that the form is given there.
template <class Sh, class T, class Team>
constexpr Location<T, Sh::G, Sh::M> location_of(const PointGeometry<Sh, T>& g, const Team& team,
                                                const ElementArguments& arguments, Index batch, int n) {
  Location<T, Sh::G, Sh::M> place{};
  place.t = arguments.time.t;
  place.dt = arguments.time.dt;
  for (int i = 0; i < Sh::G; ++i) {
    place.x[i] = g.x[i];
    place.normal[i] = unset;
  }
  if constexpr (Sh::M > 0) {
    for (int m = 0; m < Sh::M; ++m) place.given[m] = team.given(arguments, batch, n, Sh::points, m);
  }
  return place;
}

// use(geometry_of) with the geometry at the points of line `item` along the last direction: geometry_of(k) at point k,
// which is number item + k * lines of the element. `stored`: it is read, else computed from `corners`, the
// multilinear_coefficients.
template <class Sh, class Team, class P, class S, class Use>
constexpr void with_line_geometry(const Team& team, const ElementArguments& arguments, Index batch, const S* tables,
                                  const P& corners, int item, bool stored, S factor, const Use& use) {
  using T = typename Team::Number;
  constexpr int N = Sh::N, D = Sh::D, last = Sh::lines;
  const auto* at = tables + Sh::Tables::points;
  const auto* weights = tables + Sh::Tables::weights;
  S line_weight = factor * weights[item % N];
  if constexpr (D == 3) { line_weight *= weights[item / N]; }
  if (stored) {
    use([&](int k) {
      return PointGeometry<Sh, T>(
          [&](int entry) {
            return team.point_geometry(arguments, batch, item + k * last, Sh::points, entry, D * Sh::G + 1 + Sh::G);
          },
          factor);
    });
  } else {
    const LineGeometry<Sh, T> geometry(corners, at, item);
    use([&](int k) { return PointGeometry<Sh, T>(geometry, at[k], line_weight * weights[k]); });
  }
}

// The same where the geometry of the cell is known.
template <class Sh, class T, class S, class Use>
constexpr void with_line_geometry(const AffineGeometry<Sh, T>& cell, const S* tables, int item, S factor,
                                  const Use& use) {
  constexpr int N = Sh::N, D = Sh::D;
  const auto* at = tables + Sh::Tables::points;
  const auto* weights = tables + Sh::Tables::weights;
  S line_weight = factor * weights[item % N];
  if constexpr (D == 3) { line_weight *= weights[item / N]; }
  use([&](int k) {
    S point[D];
    point[0] = at[item % N];
    if constexpr (D == 3) { point[1] = at[item / N]; }
    point[D - 1] = at[k];
    return PointGeometry<Sh, T>(cell, point, line_weight * weights[k]);
  });
}

enum class CellMaps { any, affine };

// tables: LineTables. Of affine maps, cells are parallelograms or parallelepipeds.
template <Form F, int Order, int Dimension, CellMaps maps, class Team, class Memory>
constexpr void tensor_actions(const Team& team, const Memory& memory, const F& form, const ElementArguments& arguments,
                              Index batch, const typename Team::Scalar* tables) {
  using Sh = TensorShape<F, Order, Dimension>;
  using T = typename Team::Number;
  constexpr int N = Sh::N, C = Sh::C, points = Sh::points;
  const Piece<Memory> corners{memory, 0}, field = corners.from(Sh::G * Sh::corners), state = field.from(Sh::field_size);
  const bool stored = arguments.point_geometry != nullptr;
  const auto factor = factor_of<T>(arguments);

  [[maybe_unused]] AffineGeometry<Sh, T> cell;
  if constexpr (maps == CellMaps::affine) {
    cell.load(team, arguments, batch);
  } else {
    if (!stored) multilinear_coefficients<Sh>(team, arguments, batch, corners);
  }
  to_points<F, Sh>(team, tables, field, [&](int node, const LocalEntries<T>& values) {
    team.load_direction(arguments, batch, node, points, C, ShiftedEntries<T>{values.values, node * C});
  });
  if constexpr (Sh::with_state) {
    to_points<F, Sh>(team, tables, state, [&](int node, const LocalEntries<T>& values) {
      team.load_unknowns(arguments, batch, node, points, C, ShiftedEntries<T>{values.values, node * C});
    });
  }
  // The points of a line along the last direction.
  team.each(Sh::lines, [&](int item) {
    OnLine<Sh, T> value, slope, state_value, state_slope;
    load_last_line<F, Sh, T>(tables, field, item, value, slope);
    if constexpr (Sh::with_state) { load_last_line<F, Sh, T>(tables, state, item, state_value, state_slope); }
    const auto act = [&](const auto& geometry_of) {
      for (int k = 0; k < N; ++k) {
        const int n = item + k * Sh::lines;
        const PointGeometry<Sh, T> g = geometry_of(k);
        const Location<T, Sh::G, Sh::M> place = location_of(g, team, arguments, batch, n);
        Fields<T, C, Sh::G> u{};
        if constexpr (Sh::with_state) { u = fields_on_line<F, Sh, T>(state, n, state_value, state_slope, k, g); }
        const Fields<T, C, Sh::G> du = fields_on_line<F, Sh, T>(field, n, value, slope, k, g);
        put_flux<F, Sh, T>(tangent_flux<F, Sh, T>(form, place, u, du), g, n, k, field, value, slope);
      }
    };
    if constexpr (maps == CellMaps::affine) {
      with_line_geometry(cell, tables, item, factor, act);
    } else {
      with_line_geometry<Sh>(team, arguments, batch, tables, corners, item, stored, factor, act);
    }
    store_last_line<F, Sh, T>(tables, value, slope, item, field);
  });
  team.sync();
  to_nodes<F, Sh>(team, tables, field, [&](int node, int component, const T& value) {
    team.store(arguments, batch, node * C + component, points * C, value);
  });
}

}  // namespace ritz::RITZ_BACKEND
