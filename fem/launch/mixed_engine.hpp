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
  static constexpr int D = ReferenceDimension, G = F::dimension, M = 0;
  static constexpr bool on_facets = false;
  static_assert(D == G, "forms of several fields live on cells");
  static constexpr int geometry_nodes(const ReferenceTable& t) { return t.geometry_node_count; }
  static constexpr int place_size = 2 * G;
  static constexpr int count = MixedFormFacts<F>::count;
};

// One field of a form. Slots of a component: its value, then its gradient, as far as they are used.
template <MixedForm F, int k>
struct FieldShape {
  static constexpr int G = F::dimension, C = F::fields[k].components;
  static constexpr bool uses_value = F::fields[k].uses_value, uses_gradient = F::fields[k].uses_gradient;
  static constexpr int first = uses_value ? 1 : 0, S = first + (uses_gradient ? G : 0);
  static_assert(C >= 1 && C <= 6, "a field has 1 to 6 components");
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

// Slot s of component c.
template <class Field, int s, class Data>
constexpr auto& slot(Data& data, int c) {
  if constexpr (s < Field::first) return data.value[c];
  else return data.gradient[c][s - Field::first];
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
// Numbers of all fields at a point: value and gradient, whatever is used.
template <MixedForm F>
inline constexpr int point_numbers = [] {
  int numbers = 0;
  for (const FieldFacts& field : F::fields) numbers += field.components * (1 + F::dimension);
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

// Nodal numbers of one field from global memory to scratch.
template <class Team, class P>
constexpr void load_field(const Team& team, const FieldArguments& field, Index batch, int components, bool direction,
                          const P& values) {
  ElementArguments arguments{};
  arguments.nodes = field.nodes;
  arguments.u = field.u;
  arguments.direction = field.direction;
  const int N = field.table.node_count;
  team.each(N, [&](int a) {
    if (direction) team.load_direction(arguments, batch, a, N, components, values);
    else team.load_unknowns(arguments, batch, a, N, components, values);
  });
}

// Slots of all nodes of a field at a point: value, then gradient in space.
template <class Field, class Sh, class T, class B>
constexpr void slots_at(const Geometry<Sh, T>& g, const ReferenceTable& table, int q, const B& basis) {
  constexpr int D = Sh::D, G = Sh::G;
  const int N = table.node_count;
  for (int a = 0; a < N; ++a) {
    if constexpr (Field::uses_value) { basis(a * Field::S) = table.values[q * N + a]; }
    if constexpr (Field::uses_gradient) {
      const double* gradient = table.gradients + (q * N + a) * D;
      for (int i = 0; i < G; ++i) {
        T slope = gradient[0] * g.inverse[0][i];
        for (int d = 1; d < D; ++d) slope += gradient[d] * g.inverse[d][i];
        basis(a * Field::S + Field::first + i) = slope;
      }
    }
  }
}

// Value and gradient of a field at a point, from its nodal values.
template <class Field, class Sh, class T, class U>
constexpr void interpolate_field(const U& u, const Geometry<Sh, T>& g, const ReferenceTable& table, int q,
                                 Fields<T, Field::C, Field::G>& field) {
  constexpr int C = Field::C, D = Sh::D, G = Sh::G;
  const int N = table.node_count;
  T reference_gradient[C][D];
  for (int c = 0; c < C; ++c) {
    field.value[c] = 0.0;
    for (int d = 0; d < D; ++d) reference_gradient[c][d] = 0.0;
  }
  for (int a = 0; a < N; ++a)
    for (int c = 0; c < C; ++c) {
      const T value = u(a * C + c);
      if constexpr (Field::uses_value) { field.value[c] += table.values[q * N + a] * value; }
      if constexpr (Field::uses_gradient) {
        for (int d = 0; d < D; ++d) reference_gradient[c][d] += table.gradients[(q * N + a) * D + d] * value;
      }
    }
  for (int c = 0; c < C; ++c)
    for (int i = 0; i < G; ++i) {
      T slope = reference_gradient[c][0] * g.inverse[0][i];
      for (int d = 1; d < D; ++d) slope += reference_gradient[c][d] * g.inverse[d][i];
      field.gradient[c][i] = slope;
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

// Fields with derivatives in the direction of others.
template <MixedForm F, class T>
constexpr MixedFields<Dual<T>, F> dual_fields(const MixedFields<T, F>& u, const MixedFields<T, F>& du) {
  MixedFields<Dual<T>, F> x{};
  unrolled<MixedFormFacts<F>::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    auto& to = x.template get<k>();
    const auto& value = u.template get<k>();
    const auto& derivative = du.template get<k>();
    for (int c = 0; c < FieldShape<F, k>::C; ++c) {
      to.value[c] = Dual<T>(value.value[c], derivative.value[c]);
      for (int d = 0; d < F::dimension; ++d)
        to.gradient[c][d] = Dual<T>(value.gradient[c][d], derivative.gradient[c][d]);
    }
  });
  return x;
}

// weight * fluxes at a point, pulled back to reference directions: of each field [component][value, directions].
template <MixedForm F, class Sh, class T, class P>
constexpr void pull_back_fluxes(const MixedFields<T, F>& f, const Geometry<Sh, T>& g, T weight, const P& flux) {
  constexpr int D = Sh::D, G = Sh::G;
  int offset = 0;
  unrolled<Sh::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    using Field = FieldShape<F, k>;
    const auto& of_field = f.template get<k>();
    for (int c = 0; c < Field::C; ++c) {
      const int at = offset + c * (1 + D);
      if constexpr (Field::uses_value) { flux(at) = weight * of_field.value[c]; }
      if constexpr (Field::uses_gradient) {
        for (int d = 0; d < D; ++d) {
          T component = of_field.gradient[c][0] * g.inverse[d][0];
          for (int i = 1; i < G; ++i) component += of_field.gradient[c][i] * g.inverse[d][i];
          flux(at + 1 + d) = weight * component;
        }
      }
    }
    offset += Field::C * (1 + D);
  });
}

// Entries of the element's vector: sums over the points of fluxes against shape functions. Stored.
template <MixedForm F, class Sh, class Team, class P>
constexpr void test_mixed_fluxes(const Team& team, const ElementArguments& arguments, const MixedArguments& mixed,
                                 Index batch, const P& flux) {
  using T = typename Team::Number;
  constexpr int D = Sh::D, width = point_numbers<F>;
  const FieldOffsets offsets = field_offsets<F>(mixed);
  const int points = mixed.fields[0].table.point_count, entries = offsets.first[Sh::count];
  int begin = 0;
  unrolled<Sh::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    using Field = FieldShape<F, k>;
    const ReferenceTable& table = mixed.fields[k].table;
    const int N = table.node_count;
    team.each(N, [&](int a) {
      T sum[Field::C];
      for (int c = 0; c < Field::C; ++c) sum[c] = 0.0;
      for (int q = 0; q < points; ++q)
        for (int c = 0; c < Field::C; ++c) {
          const int at = q * width + begin + c * (1 + D);
          if constexpr (Field::uses_value) { sum[c] += table.values[q * N + a] * flux(at); }
          if constexpr (Field::uses_gradient) {
            for (int d = 0; d < D; ++d) sum[c] += table.gradients[(q * N + a) * D + d] * flux(at + 1 + d);
          }
        }
      for (int c = 0; c < Field::C; ++c)
        team.store(arguments, batch, offsets.first[k] + a * Field::C + c, entries, sum[c]);
    });
    begin += Field::C * (1 + D);
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
    load_field(team, mixed.fields[k], batch, FieldShape<F, k>::C, false, u.from(offsets.first[k]));
  });
}

template <class Sh, class T, class X>
constexpr Geometry<Sh, T> mixed_geometry(const ElementArguments& arguments, const X& x, int q) {
  Geometry<Sh, T> g = geometry_at<Sh, T>(x, arguments.table, q);
  g.point.t = arguments.time.t;
  g.point.dt = arguments.time.dt;
  return g;
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
    const Geometry<Sh, T> g = mixed_geometry<Sh, T>(arguments, x, q);
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
    load_field(team, mixed.fields[k], batch, FieldShape<F, k>::C, true, direction.from(offsets.first[k]));
  });
  team.sync();
  team.each(arguments.table.point_count, [&](int q) {
    const Geometry<Sh, T> g = mixed_geometry<Sh, T>(arguments, x, q);
    MixedFields<T, F> fields{};
    if constexpr (!linear) { fields = mixed_fields_at<F, Sh, T>(u, g, mixed, q); }
    MixedFields<Dual<T>, F> f{};
    form(dual_place(g.point), dual_fields<F, T>(fields, mixed_fields_at<F, Sh, T>(direction, g, mixed, q)), f);
    MixedFields<T, F> change{};
    unrolled<Sh::count>([&](auto field) {
      constexpr int k = decltype(field)::value;
      for (int c = 0; c < FieldShape<F, k>::C; ++c) {
        change.template get<k>().value[c] = f.template get<k>().value[c].derivative;
        for (int d = 0; d < Sh::G; ++d)
          change.template get<k>().gradient[c][d] = f.template get<k>().gradient[c][d].derivative;
      }
    });
    pull_back_fluxes<F, Sh, T>(change, g, weight_at(arguments, g, q), flux.from(q * point_numbers<F>));
  });
  team.sync();
  test_mixed_fluxes<F, Sh>(team, arguments, mixed, batch, flux);
}

template <MixedForm F, class T, class P>
constexpr void keep_mixed(const MixedFields<T, F>& fields, const P& kept) {
  int at = 0;
  unrolled<MixedFormFacts<F>::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    for (int c = 0; c < FieldShape<F, k>::C; ++c) {
      kept(at++) = fields.template get<k>().value[c];
      for (int d = 0; d < F::dimension; ++d) kept(at++) = fields.template get<k>().gradient[c][d];
    }
  });
}
template <MixedForm F, class T, class P>
constexpr MixedFields<T, F> kept_mixed(const P& kept) {
  MixedFields<T, F> fields{};
  int at = 0;
  unrolled<MixedFormFacts<F>::count>([&](auto field) {
    constexpr int k = decltype(field)::value;
    for (int c = 0; c < FieldShape<F, k>::C; ++c) {
      fields.template get<k>().value[c] = kept(at++);
      for (int d = 0; d < F::dimension; ++d) fields.template get<k>().gradient[c][d] = kept(at++);
    }
  });
  return fields;
}

// Derivative of the row field's flux in the direction "component c of the column field varies like these slots", times
// `weight`: out(i * S + s) of the row field.
template <MixedForm F, class Sh, int row, int column, class T, class B, class Out>
constexpr void mixed_flux_derivative(const F& form, const Location<T, Sh::G>& point, const MixedFields<T, F>& u, int c,
                                     const B& slots, T weight, const Out& out) {
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
  const ReferenceTable &test_table = mixed.fields[row].table, &trial_table = mixed.fields[column].table;
  const int points = arguments.table.point_count, N = test_table.node_count, K = trial_table.node_count;

  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(arguments.table) * Sh::G),
                                    weight = u.from(entry_count<F>(mixed)), place = weight.from(points),
                                    kept = place.from(points * Sh::place_size), test = kept.from(points * kept_size),
                                    other = test.from(points * N * Row::S), trial = row == column ? test : other,
                                    flux = row == column ? other : other.from(points * K * Column::S);

  load_mixed<F, Sh>(team, arguments, mixed, batch, !linear, x, u);
  team.sync();
  team.each(points, [&](int q) {
    const Geometry<Sh, T> g = mixed_geometry<Sh, T>(arguments, x, q);
    slots_at<Row, Sh, T>(g, test_table, q, test.from(q * N * Row::S));
    if constexpr (row != column) { slots_at<Column, Sh, T>(g, trial_table, q, trial.from(q * K * Column::S)); }
    weight(q) = weight_at(arguments, g, q);
    keep_place<Sh, T>(g.point, place.from(q * Sh::place_size));
    if constexpr (!linear) { keep_mixed<F, T>(mixed_fields_at<F, Sh, T>(u, g, mixed, q), kept.from(q * kept_size)); }
  });
  team.sync();
  team.each_tile(K, 1, [&](int b) {
    team.each(points, [&](int q) {
      MixedFields<T, F> fields{};
      if constexpr (!linear) { fields = kept_mixed<F, T>(kept.from(q * kept_size)); }
      const Location<T, Sh::G> point = kept_place<Sh, T>(place.from(q * Sh::place_size), arguments.time);
      for (int c = 0; c < Column::C; ++c)
        mixed_flux_derivative<F, Sh, row, column, T>(form, point, fields, c, trial.from((q * K + b) * Column::S),
                                                     weight(q), flux.from((q * Column::C + c) * Row::C * Row::S));
    });
    team.sync();
    team.each(N, [&](int a) {
      T sum[Row::C][Column::C];
      for (int i = 0; i < Row::C; ++i)
        for (int j = 0; j < Column::C; ++j) sum[i][j] = 0.0;
      for (int q = 0; q < points; ++q) {
        const Piece<Memory> slots = test.from((q * N + a) * Row::S);
        const Piece<Memory> derivative = flux.from(q * Column::C * Row::C * Row::S);
        for (int s = 0; s < Row::S; ++s) {
          const T value = slots(s);
          for (int j = 0; j < Column::C; ++j)
            for (int i = 0; i < Row::C; ++i) sum[i][j] += value * derivative((j * Row::C + i) * Row::S + s);
        }
      }
      for (int i = 0; i < Row::C; ++i)
        for (int j = 0; j < Column::C; ++j)
          team.store(arguments, batch, ((a * K + b) * Row::C + i) * Column::C + j, N * K * Row::C * Column::C,
                     sum[i][j]);
    });
    team.sync();
  });
}

}  // namespace ritz::RITZ_BACKEND
