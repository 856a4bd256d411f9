// Data of the fields of a form at one point of an element: sizes that are known at compile time, the maps between the
// reference cell and space, and fields with derivatives. The engines of mixed_engine.hpp are made of it.
#pragma once

#include "fem/launch/element_points.hpp"
#include "fem/launch/mixed_arguments.hpp"

#include <utility>

namespace ritz::RITZ_BACKEND {

// The cell, as the functions of element_points.hpp that know the geometry want it.
template <MixedForm F, int ReferenceDimension>
struct MixedShape {
  using Facts = MixedFormFacts<F>;
  static constexpr int D = ReferenceDimension, G = F::dimension, M = Facts::given;
  static constexpr bool on_facets = false;  // the geometry is that of cells, also where the points are on a facet
  static constexpr bool on_border = Facts::codimension == 1;
  static_assert(D == G, "fields of several spaces are those of cells");
  static constexpr int geometry_nodes(const ReferenceTable& t) { return t.geometry_node_count; }
  static constexpr int place_size = 2 * G + M;
  static constexpr int count = MixedFormFacts<F>::count;
};

// One field of a form. Entries of a component: its value (of vectors as many as dimensions), then its gradient,
// divergence or curl; slots are the entries that are used. Kernels read F::fields through these constants alone: nvcc
// makes a kernel that reads the array at run time empty, without a word.
template <MixedForm F, int k>
struct FieldShape {
  static constexpr int G = F::dimension, C = F::fields[k].components;
  static constexpr Family family = F::fields[k].family;
  static constexpr bool vector = family == Family::facet || family == Family::edge;
  static constexpr bool uses_value = F::fields[k].uses_value, uses_gradient = F::fields[k].uses_gradient;
  static constexpr int values = vector ? G : 1;
  static constexpr int slopes = !vector ? G : family == Family::facet ? 1 : G == 3 ? 3 : 1;
  static constexpr int entries = values + slopes;
  static constexpr int first = uses_value ? 0 : values;
  static constexpr int S = (uses_value ? values : 0) + (uses_gradient ? slopes : 0);
  static_assert(C >= 1 && C <= 6, "a field has 1 to 6 components");
  static_assert(!vector || C == 1, "unknowns of facets and edges have one component: the field is a vector");
  static_assert(family != Family::cell || !uses_gradient, "fields that jump between cells have no gradient");
  static_assert(S > 0, "a field enters by its value or by its gradient");
};

// f(integral_constant k) for k = 0 ... count - 1.
template <class Use, std::size_t... k>
constexpr void use_each(const Use& use, std::index_sequence<k...>) {
  (use(std::integral_constant<int, static_cast<int>(k)>{}), ...);
}
template <int count, class Use>
constexpr void unrolled(const Use& use) {
  use_each(use, std::make_index_sequence<static_cast<std::size_t>(count)>{});
}

// Entry e of component c; slot s of it.
template <class Field, int e, class Data>
constexpr auto& entry(Data& data, int c) {
  if constexpr (e < Field::values) {
    if constexpr (Field::vector) return data.value[e];
    else return data.value[c];
  } else if constexpr (Field::family == Family::facet) {
    return data.divergence;
  } else if constexpr (Field::family == Family::edge) {
    return data.curl[e - Field::values];
  } else {
    return data.gradient[c][e - Field::values];
  }
}
template <class Field, int s, class Data>
constexpr auto& slot(Data& data, int c) {
  return entry<Field, Field::first + s>(data, c);
}

// First entries of the fields' nodal numbers.
struct FieldOffsets {
  int first[most_fields + 1];
};
template <MixedForm F>
constexpr FieldOffsets field_offsets(const MixedArguments& mixed) {
  FieldOffsets offsets{};
  unrolled<MixedFormFacts<F>::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    offsets.first[k + 1] = offsets.first[k] + mixed.fields[k].table.node_count * FieldShape<F, k>::C;
  });
  return offsets;
}
template <MixedForm F>
constexpr int entry_count(const MixedArguments& mixed) {
  return field_offsets<F>(mixed).first[MixedFormFacts<F>::count];
}
// Entries of all fields at a point, whatever is used.
template <MixedForm F>
inline constexpr int point_numbers = [] {
  int numbers = 0;
  unrolled<MixedFormFacts<F>::count>([&](auto field) {
    using Field = FieldShape<F, decltype(field)::value>;
    numbers += Field::C * Field::entries;
  });
  return numbers;
}();

// A point of an integral over cells, or over facets with their normal.
template <class Sh, class T>
struct MixedPoint {
  Geometry<Sh, T> geometry;
  T weight;
};

// On facets n dA = det J J^-T n dA of the reference cell (Nanson).
template <class Sh, class T, class Team, class X>
constexpr MixedPoint<Sh, T> mixed_point(const Team& team, const ElementArguments& arguments,
                                        const MixedArguments& mixed, Index batch, const X& x, int q) {
  MixedPoint<Sh, T> point{geometry_of<Sh, T>(team, arguments, batch, x, q), {}};
  Geometry<Sh, T>& g = point.geometry;
  point.weight = weight_at(arguments, g, q);
  if constexpr (Sh::on_border) {
    using std::sqrt;
    T square = 0.0;
    for (int i = 0; i < Sh::G; ++i) {
      T normal = mixed.normal[0] * g.inverse[0][i];
      for (int d = 1; d < Sh::D; ++d) normal += mixed.normal[d] * g.inverse[d][i];
      g.point.normal[i] = normal;
      square += normal * normal;
    }
    const T size = sqrt(square);
    for (int i = 0; i < Sh::G; ++i) g.point.normal[i] = g.point.normal[i] / size;
    point.weight = point.weight * size;
  }
  return point;
}

// A Location in scratch, with the normal of integrals over facets.
template <class Sh, class T, class P>
constexpr void keep_mixed_place(const Location<T, Sh::G, Sh::M>& point, const P& place) {
  keep_place<Sh, T>(point, place);
  if constexpr (Sh::on_border) {
    for (int d = 0; d < Sh::G; ++d) place(Sh::G + d) = point.normal[d];
  }
}
template <class Sh, class T, class P>
constexpr Location<T, Sh::G, Sh::M> kept_mixed_place(const P& place, const Time& time) {
  Location<T, Sh::G, Sh::M> point = kept_place<Sh, T>(place, time);
  if constexpr (Sh::on_border) {
    for (int d = 0; d < Sh::G; ++d) point.normal[d] = place(Sh::G + d);
  }
  return point;
}

// The Jacobian over its determinant, which carries fluxes: the adjugate of the inverse, [reference][space] as that is.
template <class Sh, class T>
constexpr void flux_map(const Geometry<Sh, T>& g, T (&map)[Sh::D][Sh::G]) {
  const auto& m = g.inverse;
  if constexpr (Sh::G == 3) {
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < 3; ++d) {
        const int j = (i + 1) % 3, k = (i + 2) % 3, e = (d + 1) % 3, f = (d + 2) % 3;
        map[d][i] = m[e][j] * m[f][k] - m[e][k] * m[f][j];
      }
  } else {
    map[0][0] = m[1][1];
    map[1][0] = -m[0][1];
    map[0][1] = -m[1][0];
    map[1][1] = m[0][0];
  }
}

// Whether entries of functions go from the reference cell into space, or fluxes from space to the reference cell, by
// the transposed map.
enum class Way { into_space, back };

template <Way way, class Sh, class T>
constexpr void multiply(const T (&map)[Sh::D][Sh::G], const T* from, T* to) {
  for (int i = 0; i < Sh::G; ++i) {
    to[i] = from[0] * (way == Way::back ? map[i][0] : map[0][i]);
    for (int d = 1; d < Sh::D; ++d) to[i] += from[d] * (way == Way::back ? map[i][d] : map[d][i]);
  }
}

// Entries of one component: gradients by the inverse Jacobian; vectors of facets by the contravariant map of Piola,
// those of edges by the covariant one, whose curls are fluxes (Boffi, Brezzi and Fortin, Mixed Finite Element Methods
// and Applications, 2013, section 2.1.3).
template <Way way, class Field, class Sh, class T>
constexpr void map_entries(const Geometry<Sh, T>& g, const T (&of)[Field::entries], T (&out)[Field::entries]) {
  constexpr int V = Field::values;
  if constexpr (Field::vector) {
    T fluxes[Sh::D][Sh::G];
    if constexpr (Field::family == Family::facet || Sh::G == 3) flux_map<Sh, T>(g, fluxes);
    if constexpr (Field::family == Family::facet) multiply<way, Sh, T>(fluxes, of, out);
    else multiply<way, Sh, T>(g.inverse, of, out);
    if constexpr (Field::family == Family::edge && Sh::G == 3) multiply<way, Sh, T>(fluxes, of + V, out + V);
    else out[V] = of[V] / g.measure;
  } else {
    out[0] = of[0];
    if constexpr (Field::uses_gradient) multiply<way, Sh, T>(g.inverse, of + 1, out + 1);
    else
      for (int d = 0; d < Sh::G; ++d) out[1 + d] = 0.0;
  }
}

// Entry e of the function of node a on the reference cell.
template <class Field>
constexpr double function_entry(const ReferenceTable& table, int q, int a, int e) {
  const int at = q * table.node_count + a;
  return e < Field::values ? table.values[at * Field::values + e]
                           : table.gradients[at * Field::slopes + e - Field::values];
}

// A field at a point, from its nodal values as the element sees them.
template <class Field, class Sh, class T, class U, class Data>
constexpr void interpolate_field(const U& u, const Geometry<Sh, T>& g, const ReferenceTable& table, int q,
                                 Data& field) {
  constexpr int C = Field::C;
  T sum[C][Field::entries];
  for (int c = 0; c < C; ++c)
    for (int e = 0; e < Field::entries; ++e) sum[c][e] = 0.0;
  for (int a = 0; a < table.node_count; ++a)
    for (int c = 0; c < C; ++c) {
      const T value = u(a * C + c);
      for (int s = 0; s < Field::S; ++s)
        sum[c][Field::first + s] += function_entry<Field>(table, q, a, Field::first + s) * value;
    }
  for (int c = 0; c < C; ++c) {
    T in_space[Field::entries];
    map_entries<Way::into_space, Field, Sh, T>(g, sum[c], in_space);
    unrolled<Field::entries>(
        [&](auto e) { entry<Field, decltype(e)::value>(field, c) = in_space[decltype(e)::value]; });
  }
}

template <MixedForm F, class Sh, class T, class U>
constexpr MixedFields<T, F> mixed_fields_at(const U& u, const Geometry<Sh, T>& g, const MixedArguments& mixed, int q) {
  const FieldOffsets offsets = field_offsets<F>(mixed);
  MixedFields<T, F> fields{};
  unrolled<Sh::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    interpolate_field<FieldShape<F, k>, Sh, T>(u.from(offsets.first[k]), g, mixed.fields[k].table, q,
                                               fields.template get<k>());
  });
  return fields;
}

// use(field of a, that of b, component, entry) for every number of two sets of fields.
template <MixedForm F, class A, class B, class Use>
constexpr void for_each_entry(A& a, B& b, const Use& use) {
  unrolled<MixedFormFacts<F>::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    using Field = FieldShape<F, k>;
    for (int c = 0; c < Field::C; ++c)
      unrolled<Field::entries>([&](auto e) {
        use(entry<Field, decltype(e)::value>(a.template get<k>(), c),
            entry<Field, decltype(e)::value>(b.template get<k>(), c));
      });
  });
}

// Fields with derivatives in the direction of others.
template <MixedForm F, class T>
constexpr MixedFields<Dual<T>, F> dual_fields(const MixedFields<T, F>& u, const MixedFields<T, F>& du) {
  MixedFields<Dual<T>, F> x{};
  for_each_entry<F>(x, u, [](Dual<T>& to, const T& value) { to.value = value; });
  for_each_entry<F>(x, du, [](Dual<T>& to, const T& derivative) { to.derivative = derivative; });
  return x;
}

// weight * fluxes at a point, pulled back to the reference cell: of each field [component][entry].
template <MixedForm F, class Sh, class T, class P>
constexpr void pull_back_fluxes(const MixedFields<T, F>& f, const Geometry<Sh, T>& g, T weight, const P& flux) {
  int offset = 0;
  unrolled<Sh::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    using Field = FieldShape<F, k>;
    for (int c = 0; c < Field::C; ++c) {
      T in_space[Field::entries], on_reference[Field::entries];
      unrolled<Field::entries>(
          [&](auto e) { in_space[decltype(e)::value] = entry<Field, decltype(e)::value>(f.template get<k>(), c); });
      map_entries<Way::back, Field, Sh, T>(g, in_space, on_reference);
      for (int s = 0; s < Field::S; ++s)
        flux(offset + c * Field::entries + Field::first + s) = weight * on_reference[Field::first + s];
    }
    offset += Field::C * Field::entries;
  });
}

template <MixedForm F, class T, class P>
constexpr void keep_mixed(const MixedFields<T, F>& fields, const P& kept) {
  int at = 0;
  for_each_entry<F>(fields, fields, [&](const T& value, const T&) { kept(at++) = value; });
}
template <MixedForm F, class T, class P>
constexpr MixedFields<T, F> kept_mixed(const P& kept) {
  MixedFields<T, F> fields{};
  int at = 0;
  for_each_entry<F>(fields, fields, [&](T& value, const T&) { value = kept(at++); });
  return fields;
}

// Derivative of the row field's flux in the direction "component c of the column field varies like these slots", times
// `weight`: out(i * S + s) of the row field.
template <MixedForm F, class Sh, int row, int column, class T, class B, class Out>
constexpr void mixed_flux_derivative(const F& form, const Location<T, Sh::G, Sh::M>& point, const MixedFields<T, F>& u,
                                     int c, const B& slots, T weight, const Out& out) {
  using Row = FieldShape<F, row>;
  using Column = FieldShape<F, column>;
  MixedFields<T, F> du{};
  unrolled<Column::S>(
      [&](auto s) { slot<Column, decltype(s)::value>(du.template get<column>(), c) = slots(decltype(s)::value); });
  MixedFields<Dual<T>, F> f{};
  form(dual_place(point), dual_fields<F, T>(u, du), f);
  for (int i = 0; i < Row::C; ++i)
    unrolled<Row::S>([&](auto s) {
      constexpr int at = decltype(s)::value;
      out(i * Row::S + at) = weight * slot<Row, at>(f.template get<row>(), i).derivative;
    });
}

}  // namespace ritz::RITZ_BACKEND
