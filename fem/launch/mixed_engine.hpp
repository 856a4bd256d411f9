// From a form of several fields at a point to element residuals, actions of the tangent, and the matrix between one
// pair of fields, for any tabulated elements of the fields. Same text and same teams as element_engine.hpp.
#pragma once

#include "fem/launch/mixed_fields.hpp"

namespace ritz::RITZ_BACKEND {

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
  arguments.given_stride = field.table.node_count;
  return team.given(arguments, batch, 0, 1, a);
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
    map_entries<Way::into_space, Field, Sh, T>(g, on_reference, in_space);
    for (int s = 0; s < Field::S; ++s) basis(a * Field::S + s) = in_space[Field::first + s];
  }
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
    const MixedPoint<Sh, T> at = mixed_point<Sh, T>(team, arguments, mixed, batch, x, q);
    const Geometry<Sh, T>& g = at.geometry;
    const MixedFields<T, F> fields = mixed_fields_at<F, Sh, T>(u, g, mixed, q);
    MixedFields<T, F> f{};
    form(g.point, fields, f);
    pull_back_fluxes<F, Sh, T>(f, g, at.weight, flux.from(q * point_numbers<F>));
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
    const MixedPoint<Sh, T> at = mixed_point<Sh, T>(team, arguments, mixed, batch, x, q);
    const Geometry<Sh, T>& g = at.geometry;
    MixedFields<T, F> fields{};
    if constexpr (!linear) { fields = mixed_fields_at<F, Sh, T>(u, g, mixed, q); }
    MixedFields<Dual<T>, F> f{};
    form(dual_place(g.point), dual_fields<F, T>(fields, mixed_fields_at<F, Sh, T>(direction, g, mixed, q)), f);
    MixedFields<T, F> change{};
    for_each_entry<F>(change, f, [](T& to, const Dual<T>& from) { to = from.derivative; });
    pull_back_fluxes<F, Sh, T>(change, g, at.weight, flux.from(q * point_numbers<F>));
  });
  team.sync();
  test_mixed_fluxes<F, Sh>(team, arguments, mixed, batch, flux);
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
    const MixedPoint<Sh, T> at = mixed_point<Sh, T>(team, arguments, mixed, batch, x, q);
    const Geometry<Sh, T>& g = at.geometry;
    slots_at<Row, Sh, T>(team, g, mixed.fields[row], batch, q, test.from(q * N * Row::S));
    if constexpr (row != column) {
      slots_at<Column, Sh, T>(team, g, mixed.fields[column], batch, q, trial.from(q * K * Column::S));
    }
    weight(q) = at.weight;
    keep_mixed_place<Sh, T>(g.point, place.from(q * Sh::place_size));
    if constexpr (!linear) { keep_mixed<F, T>(mixed_fields_at<F, Sh, T>(u, g, mixed, q), kept.from(q * kept_size)); }
  });
  team.sync();
  team.each_tile(K, 1, [&](int b) {
    team.each(points, [&](int q) {
      MixedFields<T, F> fields{};
      if constexpr (!linear) { fields = kept_mixed<F, T>(kept.from(q * kept_size)); }
      const Location<T, Sh::G, Sh::M> point = kept_mixed_place<Sh, T>(place.from(q * Sh::place_size), arguments.time);
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
