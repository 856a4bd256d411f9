// Forms of a law on a CPU: strain, the kernel of the law, and what it leaves, for the points of one batch of elements.
#pragma once

#include "fem/launch/cell_gradients.hpp"
#include "fem/launch/element_kernels_cpu.hpp"
#include "fem/launch/law_engine.hpp"
#include "fem/launch/pack_numbers_cpu.hpp"

#include <algorithm>

namespace ritz::RITZ_BACKEND {

// Read once for all points: calls of the law's kernel lie between them.
struct CellSizes {
  int points, state, numbers;  // internal variables of the law; numbers left at a point
  template <class F>
  static CellSizes of(const ElementArguments& arguments, LawTask task) {
    return {arguments.table.point_count, arguments.law->state, numbers_left<F>(task, arguments)};
  }
};

// The law at point q of a batch, from the gradient: write(number, value) what it leaves there. The state is written
// where it is committed.
template <Form F, class Write>
[[gnu::always_inline]] inline void law_at_point(const Device& device, const ElementArguments& arguments,
                                                const CellSizes& sizes, Index batch, int q, LawTask task,
                                                const Pack (&gradient)[F::rows], const Write& write) {
  const LawWithInputs& law = with_inputs(*arguments.law);
  const auto [points, state, numbers] = sizes;
  const double* const given = arguments.given + (batch * points + q) * arguments.given_stride * lane_count;
  const auto frame = frame_at<Pack>(law, [&](int number) { return Pack::load(given + number * lane_count); });
  Symmetric<Pack> stress, strain = strain_of_law(law, frame, strain_at<F>(gradient, law.measure, law.plane_stress));
  alignas(64) double in[6 * lane_count], out[6 * lane_count], moduli[36 * lane_count];
  store_numbers(strain.v, 6, in);
  double* const kept = arguments.state + (batch * points + q) * state * lane_count;
  law.kernel(device, LawCall{{.law = law.law,
                              .packs = 1,
                              .strain = in,
                              .before = kept,
                              .now = task == LawTask::commit ? kept : nullptr,
                              .stress = out,
                              .moduli = task == LawTask::moduli ? moduli : nullptr,
                              .plane_stress = law.plane_stress,
                              .measure = law.measure,
                              .time = arguments.time},
                             law.has_temperature ? given + law.temperature() * lane_count : nullptr,
                             0,
                             law.varying,
                             given + law.first_parameter() * lane_count});
  load_numbers(in, 6, strain.v);
  load_numbers(out, 6, stress.v);
  leave_at_point<F>(
      gradient, frame, strain, stress, task, law, [&](int i) { return Pack::load(moduli + i * lane_count); },
      [&](int i) { return Pack::load(kept + i * lane_count); }, write);
  if (task == LawTask::results) {
    for (int i = 0; i < numbers - results_of_law; ++i)
      write(results_of_law + i, i < state ? Pack::load(kept + i * lane_count) : Pack(0.0));
  }
}

// Stress, moduli or results at the points, in the thread's memory.
template <Form F, int D>
requires(FormFacts<F>::coupled == 0) [[gnu::noinline]] const
    double* law_at_points(const Device& device, const ElementArguments& arguments, Index batch, LawTask task) {
  using Sh = Shape<F, 0, D>;
  const ReferenceTable& table = arguments.table;
  const auto sizes = CellSizes::of<F>(arguments, task);
  const auto [points, state, numbers] = sizes;
  const CpuMemory memory = thread_scratch<Scratch::of_laws>(nodal_scratch<F, Sh>(table) + points * numbers);
  const Piece<CpuMemory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * Sh::G),
                                       left = u.from(Sh::nodes(table) * Sh::C);
  load_element<Sh, true>(CpuTeam{}, arguments, batch, x, u);
  for (int q = 0; q < points; ++q) {
    const Geometry<Sh, Pack> g = geometry_of<Sh, Pack, false>(CpuTeam{}, arguments, batch, x, q);
    Pack gradient[F::rows];
    F::rows_of_gradient(g.point, interpolate<Sh, true, Pack>(u, g, table, q), gradient);
    law_at_point<F>(device, arguments, sizes, batch, q, task, gradient,
                    [&, numbers = numbers](int number, const Pack& value) { left(q * numbers + number) = value; });
  }
  return reinterpret_cast<const double*>(&left(0));
}

// The same with an assumed gradient, and what couples the points after it.
template <Form F, int D>
requires(FormFacts<F>::coupled > 0) [[gnu::noinline]] const
    double* law_at_points(const Device& device, const ElementArguments& arguments, Index batch, LawTask task) {
  using Sh = Shape<F, 0, D>;
  using Method = MethodOf<F>;
  const ReferenceTable& table = arguments.table;
  const bool large = arguments.law->measure != Strain::small;
  const int points = table.point_count, numbers = numbers_left<F>(task, arguments);
  const int kept = recorded<F>(points),
            all = std::max(points * numbers, numbers_of_cell<F>(LawTask::moduli, F::from_law, points));
  const CpuMemory memory = thread_scratch<Scratch::of_laws>(nodal_scratch<F, Sh>(table) + kept + all);
  const Piece<CpuMemory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * Sh::G),
                                       record = u.from(Sh::nodes(table) * Sh::C), left = record.from(kept);
  const auto cell = cell_numbers<F>(record, left, points);
  load_element<Sh, true>(CpuTeam{}, arguments, batch, x, u);
  for (int q = 0; q < points; ++q) {
    const Geometry<Sh, Pack> g = geometry_of<Sh, Pack, false>(CpuTeam{}, arguments, batch, x, q);
    record_point<F, Sh, Pack>(g, u, table, q, cell);
    if constexpr (SolvesForModes<F>) record_slopes<F, Sh, Pack>(x, g.measure, table, q, cell);
  }
  const auto at_points = [&](LawTask now) {
    const auto sizes = CellSizes::of<F>(arguments, now);
    const auto means = Method::template means<Pack>(cell, large);
    for (int q = 0; q < points; ++q) {
      Pack gradient[F::rows];
      Method::template assume<Pack>(cell, means, q, large, gradient);
      law_at_point<F>(device, arguments, sizes, batch, q, now, gradient,
                      [&](int number, const Pack& value) { left(q * sizes.numbers + number) = value; });
    }
    return means;
  };
  if constexpr (SolvesForModes<F>) {
    Method::template begin<Pack>(cell, arguments.law->plane_stress);
    for (int step = 0; step < Method::most_steps && any_positive(cell.imbalance()); ++step)
      Method::template solve<Pack>(cell, at_points(LawTask::moduli));
  }
  const bool couples = task == LawTask::stress || task == LawTask::moduli;
  const auto finish = [&](const auto& means) {
    if (couples) Method::template finish<Pack>(cell, means, large, task == LawTask::moduli);
  };
  if (SolvesForModes<F> && couples) finish(Method::template means<Pack>(cell, large));
  else finish(at_points(task));
  return reinterpret_cast<const double*>(&left(0));
}

}  // namespace ritz::RITZ_BACKEND
