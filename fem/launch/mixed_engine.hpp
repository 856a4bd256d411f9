// From a form of several fields at a point to element residuals, actions of the tangent, and the matrix between one
// pair of fields, for any tabulated elements of the fields. Same text and same teams as element_engine.hpp.
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
  static constexpr bool on_facets = false;
  static_assert(D == G, "forms of several fields live on cells");
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

// Scratch entries (numbers of type T) that the engines need.
template <MixedForm F, class Sh>
constexpr int mixed_vectors_scratch(const MixedArguments& mixed, int vectors) {
  const ReferenceTable& table = mixed.fields[0].table;
  return table.geometry_node_count * Sh::G + vectors * entry_count<F>(mixed) + table.point_count * point_numbers<F>;
}
template <MixedForm F, class Sh, int row, int column>
constexpr int mixed_matrices_scratch(const MixedArguments& mixed) {
  using Row = FieldShape<F, row>;
  using Column = FieldShape<F, column>;
  const ReferenceTable& table = mixed.fields[0].table;
  const int slots = mixed.fields[row].table.node_count * Row::S +
                    (row == column ? 0 : mixed.fields[column].table.node_count * Column::S);
  const int kept = MixedFormFacts<F>::linear ? 0 : point_numbers<F>;
  return table.geometry_node_count * Sh::G + entry_count<F>(mixed) +
         table.point_count * (1 + Sh::place_size + kept + slots + Column::C * Row::C * Row::S);
}

// A number that says how the element sees node a of facets or edges: `numbers` are the signs or the partners.
template <class Team>
constexpr typename Team::Number seen_as(const Team& team, const FieldArguments& field, const double* numbers,
                                        Index batch, int a) {
  ElementArguments arguments{};
  arguments.given = numbers;
  return team.given(arguments, batch, a, field.table.node_count);
}

// Nodal numbers of one field from global memory to scratch, as the element sees them. Partners are loaded together.
template <class Field, class Team, class P>
constexpr void load_field(const Team& team, const FieldArguments& field, Index batch, bool direction, const P& values) {
  ElementArguments arguments{};
  arguments.nodes = field.nodes;
  arguments.u = field.u;
  arguments.direction = field.direction;
  const int N = field.table.node_count;
  const auto load = [&](int a) {
    if (direction) team.load_direction(arguments, batch, a, N, Field::C, values);
    else team.load_unknowns(arguments, batch, a, N, Field::C, values);
  };
  if constexpr (Field::vector) {
    if (field.partners != nullptr) {
      team.each(N / 2, [&](int pair) {
        const int a = 2 * pair, b = a + 1;
        load(a);
        load(b);
        const typename Team::Number u = values(a), v = values(b);
        values(a) =
            u * seen_as(team, field, field.signs, batch, a) + v * seen_as(team, field, field.partners, batch, b);
        values(b) =
            v * seen_as(team, field, field.signs, batch, b) + u * seen_as(team, field, field.partners, batch, a);
      });
      return;
    }
  }
  team.each(N, [&](int a) {
    load(a);
    if constexpr (Field::vector) { values(a) = values(a) * seen_as(team, field, field.signs, batch, a); }
  });
}

// The Jacobian over its determinant, which carries fluxes: it is the adjugate of the inverse.
template <class Sh, class T>
struct FluxMap {
  T at[Sh::G][Sh::D];
};
template <class Sh, class T>
constexpr FluxMap<Sh, T> flux_map(const Geometry<Sh, T>& g) {
  const auto& m = g.inverse;
  FluxMap<Sh, T> map;
  if constexpr (Sh::G == 3) {
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < 3; ++d) {
        const int j = (i + 1) % 3, k = (i + 2) % 3, e = (d + 1) % 3, f = (d + 2) % 3;
        map.at[i][d] = m[e][j] * m[f][k] - m[e][k] * m[f][j];
      }
  } else {
    map.at[0][0] = m[1][1];
    map.at[0][1] = -m[0][1];
    map.at[1][0] = -m[1][0];
    map.at[1][1] = m[0][0];
  }
  return map;
}

// Entries of one component in space from those on the reference cell, `of`: gradients by the inverse Jacobian; vectors
// of facets by the contravariant map of Piola, those of edges by the covariant one, whose curls are fluxes (Boffi,
// Brezzi and Fortin, Mixed Finite Element Methods and Applications, 2013, section 2.1.3).
template <class Field, class Sh, class T>
constexpr void push_forward(const Geometry<Sh, T>& g, const T (&of)[Field::entries], T (&out)[Field::entries]) {
  constexpr int D = Sh::D, G = Sh::G, V = Field::values;
  const auto by_inverse = [&](const T* from, T* to) {
    for (int i = 0; i < G; ++i) {
      to[i] = from[0] * g.inverse[0][i];
      for (int d = 1; d < D; ++d) to[i] += from[d] * g.inverse[d][i];
    }
  };
  const auto by_fluxes = [&](const T* from, T* to) {
    const FluxMap<Sh, T> map = flux_map<Sh, T>(g);
    for (int i = 0; i < G; ++i) {
      to[i] = map.at[i][0] * from[0];
      for (int d = 1; d < D; ++d) to[i] += map.at[i][d] * from[d];
    }
  };
  if constexpr (Field::family == Family::facet) {
    by_fluxes(of, out);
    out[V] = of[V] / g.measure;
  } else if constexpr (Field::family == Family::edge) {
    by_inverse(of, out);
    if constexpr (G == 3) by_fluxes(of + V, out + V);
    else out[V] = of[V] / g.measure;
  } else {
    out[0] = of[0];
    if constexpr (Field::uses_gradient) by_inverse(of + 1, out + 1);
    else
      for (int d = 0; d < G; ++d) out[1 + d] = 0.0;
  }
}

// The transposed map: fluxes in space to fluxes against the functions of the reference cell.
template <class Field, class Sh, class T>
constexpr void pull_back_entries(const Geometry<Sh, T>& g, const T (&of)[Field::entries], T (&out)[Field::entries]) {
  constexpr int D = Sh::D, G = Sh::G, V = Field::values;
  const auto by_inverse = [&](const T* from, T* to) {
    for (int d = 0; d < D; ++d) {
      to[d] = from[0] * g.inverse[d][0];
      for (int i = 1; i < G; ++i) to[d] += from[i] * g.inverse[d][i];
    }
  };
  const auto by_fluxes = [&](const T* from, T* to) {
    const FluxMap<Sh, T> map = flux_map<Sh, T>(g);
    for (int d = 0; d < D; ++d) {
      to[d] = map.at[0][d] * from[0];
      for (int i = 1; i < G; ++i) to[d] += map.at[i][d] * from[i];
    }
  };
  if constexpr (Field::family == Family::facet) {
    by_fluxes(of, out);
    out[V] = of[V] / g.measure;
  } else if constexpr (Field::family == Family::edge) {
    by_inverse(of, out);
    if constexpr (G == 3) by_fluxes(of + V, out + V);
    else out[V] = of[V] / g.measure;
  } else {
    out[0] = of[0];
    if constexpr (Field::uses_gradient) by_inverse(of + 1, out + 1);
    else
      for (int d = 0; d < G; ++d) out[1 + d] = 0.0;
  }
}

// Entry e of the function of node a on the reference cell.
template <class Field>
constexpr double function_entry(const ReferenceTable& table, int q, int a, int e) {
  const int at = q * table.node_count + a;
  return e < Field::values ? table.values[at * Field::values + e]
                           : table.gradients[at * Field::slopes + e - Field::values];
}

// Slots of all nodes of a field at a point.
template <class Field, class Sh, class T, class Team, class B>
constexpr void slots_at(const Team& team, const Geometry<Sh, T>& g, const FieldArguments& field, Index batch, int q,
                        const B& basis) {
  const ReferenceTable& table = field.table;
  for (int a = 0; a < table.node_count; ++a) {
    T on_reference[Field::entries], in_space[Field::entries];
    for (int e = 0; e < Field::entries; ++e) on_reference[e] = function_entry<Field>(table, q, a, e);
    if constexpr (Field::vector) {
      const T sign = seen_as(team, field, field.signs, batch, a);
      for (int e = 0; e < Field::entries; ++e) on_reference[e] = sign * on_reference[e];
      if (field.partners != nullptr) {
        const T partner = seen_as(team, field, field.partners, batch, a);
        for (int e = 0; e < Field::entries; ++e) on_reference[e] += partner * function_entry<Field>(table, q, a ^ 1, e);
      }
    }
    push_forward<Field, Sh, T>(g, on_reference, in_space);
    for (int s = 0; s < Field::S; ++s) basis(a * Field::S + s) = in_space[Field::first + s];
  }
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
    push_forward<Field, Sh, T>(g, sum[c], in_space);
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
      pull_back_entries<Field, Sh, T>(g, in_space, on_reference);
      for (int s = 0; s < Field::S; ++s)
        flux(offset + c * Field::entries + Field::first + s) = weight * on_reference[Field::first + s];
    }
    offset += Field::C * Field::entries;
  });
}

// Entries of the element's vector: sums over the points of fluxes against the functions. Stored.
template <MixedForm F, class Sh, class Team, class P>
constexpr void test_mixed_fluxes(const Team& team, const ElementArguments& arguments, const MixedArguments& mixed,
                                 Index batch, const P& flux) {
  using T = typename Team::Number;
  constexpr int width = point_numbers<F>;
  const FieldOffsets offsets = field_offsets<F>(mixed);
  const int points = mixed.fields[0].table.point_count, entries = offsets.first[Sh::count];
  int begin = 0;
  unrolled<Sh::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    using Field = FieldShape<F, k>;
    const ReferenceTable& table = mixed.fields[k].table;
    const auto test = [&](int a, T(&sum)[Field::C]) {
      for (int c = 0; c < Field::C; ++c) sum[c] = 0.0;
      for (int q = 0; q < points; ++q)
        for (int c = 0; c < Field::C; ++c)
          for (int s = 0; s < Field::S; ++s)
            sum[c] += function_entry<Field>(table, q, a, Field::first + s) *
                      flux(q * width + begin + c * Field::entries + Field::first + s);
    };
    team.each(table.node_count, [&](int a) {
      T sum[Field::C];
      test(a, sum);
      if constexpr (Field::vector) {
        const FieldArguments& seen = mixed.fields[k];
        sum[0] = sum[0] * seen_as(team, seen, seen.signs, batch, a);
        if (seen.partners != nullptr) {
          T other[1];
          test(a ^ 1, other);
          sum[0] += other[0] * seen_as(team, seen, seen.partners, batch, a);
        }
      }
      for (int c = 0; c < Field::C; ++c)
        team.store(arguments, batch, offsets.first[k] + a * Field::C + c, entries, sum[c]);
    });
    begin += Field::C * Field::entries;
  });
  team.sync();
}

template <MixedForm F, class Sh, class Team, class P>
constexpr void load_mixed(const Team& team, const ElementArguments& arguments, const MixedArguments& mixed, Index batch,
                          bool with_unknowns, const P& x, const P& u) {
  const int M = Sh::geometry_nodes(arguments.table);
  team.each(M, [&](int a) { team.load_coordinates(arguments, batch, a, M, Sh::G, x); });
  if (!with_unknowns) return;
  const FieldOffsets offsets = field_offsets<F>(mixed);
  unrolled<Sh::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    load_field<FieldShape<F, k>>(team, mixed.fields[k], batch, false, u.from(offsets.first[k]));
  });
}

// r_(k a i) = integral of N_a f_k.value_i + grad N_a . f_k.gradient_i
template <MixedForm F, int D, class Team, class Memory>
constexpr void mixed_residuals(const Team& team, const Memory& memory, const F& form, const ElementArguments& arguments,
                               const MixedArguments& mixed, Index batch) {
  using Sh = MixedShape<F, D>;
  using T = typename Team::Number;
  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(arguments.table) * Sh::G),
                                    flux = u.from(entry_count<F>(mixed));

  load_mixed<F, Sh>(team, arguments, mixed, batch, true, x, u);
  team.sync();
  team.each(arguments.table.point_count, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    const MixedFields<T, F> fields = mixed_fields_at<F, Sh, T>(u, g, mixed, q);
    MixedFields<T, F> f{};
    form(g.point, fields, f);
    pull_back_fluxes<F, Sh, T>(f, g, weight_at(arguments, g, q), flux.from(q * point_numbers<F>));
  });
  team.sync();
  test_mixed_fluxes<F, Sh>(team, arguments, mixed, batch, flux);
}

// The tangent at u applied to the direction, exact by dual numbers.
template <MixedForm F, int D, class Team, class Memory>
constexpr void mixed_actions(const Team& team, const Memory& memory, const F& form, const ElementArguments& arguments,
                             const MixedArguments& mixed, Index batch) {
  using Sh = MixedShape<F, D>;
  using T = typename Team::Number;
  constexpr bool linear = MixedFormFacts<F>::linear;
  const int entries = entry_count<F>(mixed);
  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(arguments.table) * Sh::G),
                                    direction = u.from(entries), flux = direction.from(entries);

  load_mixed<F, Sh>(team, arguments, mixed, batch, !linear, x, u);
  const FieldOffsets offsets = field_offsets<F>(mixed);
  unrolled<Sh::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    load_field<FieldShape<F, k>>(team, mixed.fields[k], batch, true, direction.from(offsets.first[k]));
  });
  team.sync();
  team.each(arguments.table.point_count, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    MixedFields<T, F> fields{};
    if constexpr (!linear) { fields = mixed_fields_at<F, Sh, T>(u, g, mixed, q); }
    MixedFields<Dual<T>, F> f{};
    form(dual_place(g.point), dual_fields<F, T>(fields, mixed_fields_at<F, Sh, T>(direction, g, mixed, q)), f);
    MixedFields<T, F> change{};
    for_each_entry<F>(change, f, [](T& to, const Dual<T>& from) { to = from.derivative; });
    pull_back_fluxes<F, Sh, T>(change, g, weight_at(arguments, g, q), flux.from(q * point_numbers<F>));
  });
  team.sync();
  test_mixed_fluxes<F, Sh>(team, arguments, mixed, batch, flux);
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

// K_(a i)(b j) = integral of N_a . d(flux of the row field)/d(column field) . N_b, by slots
template <MixedForm F, int D, int row, int column, class Team, class Memory>
constexpr void mixed_matrices(const Team& team, const Memory& memory, const F& form, const ElementArguments& arguments,
                              const MixedArguments& mixed, Index batch) {
  using Sh = MixedShape<F, D>;
  using T = typename Team::Number;
  using Row = FieldShape<F, row>;
  using Column = FieldShape<F, column>;
  constexpr bool linear = MixedFormFacts<F>::linear;
  constexpr int kept_size = linear ? 0 : point_numbers<F>;
  const int points = arguments.table.point_count, N = mixed.fields[row].table.node_count,
            K = mixed.fields[column].table.node_count;

  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(arguments.table) * Sh::G),
                                    weight = u.from(entry_count<F>(mixed)), place = weight.from(points),
                                    kept = place.from(points * Sh::place_size), test = kept.from(points * kept_size),
                                    other = test.from(points * N * Row::S), trial = row == column ? test : other,
                                    flux = row == column ? other : other.from(points * K * Column::S);

  load_mixed<F, Sh>(team, arguments, mixed, batch, !linear, x, u);
  team.sync();
  team.each(points, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    slots_at<Row, Sh, T>(team, g, mixed.fields[row], batch, q, test.from(q * N * Row::S));
    if constexpr (row != column) {
      slots_at<Column, Sh, T>(team, g, mixed.fields[column], batch, q, trial.from(q * K * Column::S));
    }
    weight(q) = weight_at(arguments, g, q);
    keep_place<Sh, T>(g.point, place.from(q * Sh::place_size));
    if constexpr (!linear) { keep_mixed<F, T>(mixed_fields_at<F, Sh, T>(u, g, mixed, q), kept.from(q * kept_size)); }
  });
  team.sync();
  team.each_tile(K, 1, [&](int b) {
    team.each(points, [&](int q) {
      MixedFields<T, F> fields{};
      if constexpr (!linear) { fields = kept_mixed<F, T>(kept.from(q * kept_size)); }
      const Location<T, Sh::G, Sh::M> point = kept_place<Sh, T>(place.from(q * Sh::place_size), arguments.time);
      for (int c = 0; c < Column::C; ++c)
        mixed_flux_derivative<F, Sh, row, column, T>(form, point, fields, c, trial.from((q * K + b) * Column::S),
                                                     weight(q), flux.from((q * Column::C + c) * Row::C * Row::S));
    });
    team.sync();
    team.each(N, [&](int a) {
      T sum[Row::C][Column::C];
      test_columns<Row::S>(points, test.from(a * Row::S), N * Row::S, flux, sum);
      for (int i = 0; i < Row::C; ++i)
        for (int j = 0; j < Column::C; ++j)
          team.store(arguments, batch, ((a * K + b) * Row::C + i) * Column::C + j, N * K * Row::C * Column::C,
                     sum[i][j]);
    });
    team.sync();
  });
}

}  // namespace ritz::RITZ_BACKEND
