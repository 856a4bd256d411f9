// Forms of a law on a CPU: strain, the kernel of the law, and what it leaves, for the points of one batch of elements.
#pragma once

#include "fem/launch/element_kernels_cpu.hpp"
#include "fem/launch/law_engine.hpp"
#include "fem/launch/pack_numbers_cpu.hpp"

namespace ritz::RITZ_BACKEND {

// Stress, moduli or results at the points, in the thread's memory; the state is written where it is committed.
template <Form F, int D>
[[gnu::noinline]] const double* law_at_points(const Device& device, const ElementArguments& arguments, Index batch,
                                              LawTask task) {
  using Sh = Shape<F, 0, D>;
  constexpr int R = F::rows;
  const LawWithInputs& law = with_inputs(*arguments.law);
  const ReferenceTable& table = arguments.table;
  const int points = table.point_count, state = law.state, numbers = numbers_left<F>(task, arguments);
  const CpuMemory memory = thread_scratch<Scratch::of_laws>(nodal_scratch<F, Sh>(table) + points * numbers);
  const Piece<CpuMemory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * Sh::G),
                                       left = u.from(Sh::nodes(table) * Sh::C);
  load_element<Sh, true>(CpuTeam{}, arguments, batch, x, u);
  for (int q = 0; q < points; ++q) {
    const Geometry<Sh, Pack> g = geometry_of<Sh, Pack, false>(CpuTeam{}, arguments, batch, x, q);
    Pack gradient[R];
    F::rows_of_gradient(g.point, interpolate<Sh, true, Pack>(u, g, table, q), gradient);
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
        [&](int i) { return Pack::load(kept + i * lane_count); },
        [&](int number, const Pack& value) { left(q * numbers + number) = value; });
    if (task == LawTask::results) {
      for (int i = 0; i < numbers - results_of_law; ++i)
        left(q * numbers + results_of_law + i) = i < state ? Pack::load(kept + i * lane_count) : Pack(0.0);
    }
  }
  return reinterpret_cast<const double*>(&left(0));
}

}  // namespace ritz::RITZ_BACKEND
