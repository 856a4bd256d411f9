// Forms of a law on a GPU, before their own kernel: strain of all points of some batches, the kernel of the law, and
// what it leaves.
#pragma once

#include "fem/launch/element_kernels_cuda.hpp"
#include "fem/launch/law_engine.hpp"

namespace ritz::RITZ_BACKEND {

// [pack of points][number][lane] each; packs: points of a batch after another.
struct LawWorkspace {
  double *gradient, *strain, *stress, *moduli, *left;
  const double *state, *given;  // of the first of these batches
  int given_stride;             // fem/launch/element_arguments.hpp
  LawWithInputs law;            // its pointers are the host's
};

__device__ inline LawFrame<double> frame_in(const LawWorkspace& w, Index pack, int lane) {
  const double* const given = w.given + pack * w.given_stride * lane_count + lane;
  return frame_at<double>(w.law, [&](int number) { return given[number * lane_count]; });
}

template <Form F, int D>
__global__ void strain_kernel(const __grid_constant__ F, const __grid_constant__ ElementArguments arguments,
                              int elements_per_block, const __grid_constant__ LawWorkspace w) {
  using Sh = Shape<F, 0, D>;
  const auto [team, memory, batch] = ElementThread<double>(arguments, elements_per_block);
  const ReferenceTable& table = arguments.table;
  const Piece<GpuMemory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * Sh::G);
  load_element<Sh, true>(team, arguments, batch, x, u);
  team.sync();
  const int lane = team.lane;
  const Index first = (batch - arguments.first_batch) * table.point_count;
  team.each(table.point_count, [&, batch = batch](int q) {
    const Geometry<Sh, double> g = geometry_of<Sh, double, false>(team, arguments, batch, x, q);
    double gradient[F::rows];
    F::rows_of_gradient(g.point, interpolate<Sh, true, double>(u, g, table, q), gradient);
    const Symmetric<double> strain =
        strain_of_law(w.law, frame_in(w, first + q, lane), strain_at<F>(gradient, w.law.measure, w.law.plane_stress));
    for (int r = 0; r < F::rows; ++r) w.gradient[((first + q) * F::rows + r) * lane_count + lane] = gradient[r];
    for (int k = 0; k < 6; ++k) w.strain[((first + q) * 6 + k) * lane_count + lane] = strain[k];
  });
}

// thread = (lane, pack)
template <Form F>
__global__ void leave_kernel(const __grid_constant__ LawWorkspace w, Index packs, LawTask task, int numbers) {
  const Index thread = Index{blockIdx.x} * blockDim.x + threadIdx.x, pack = thread / lane_count;
  const int lane = static_cast<int>(thread % lane_count);
  if (pack >= packs) return;
  double gradient[F::rows];
  Symmetric<double> strain, stress;
  for (int r = 0; r < F::rows; ++r) gradient[r] = w.gradient[(pack * F::rows + r) * lane_count + lane];
  for (int k = 0; k < 6; ++k) {
    strain[k] = w.strain[(pack * 6 + k) * lane_count + lane];
    stress[k] = w.stress[(pack * 6 + k) * lane_count + lane];
  }
  const auto kept = [&](int i) { return w.state[(pack * w.law.state + i) * lane_count + lane]; };
  const auto write = [&](int number, double value) { w.left[(pack * numbers + number) * lane_count + lane] = value; };
  leave_at_point<F>(
      gradient, frame_in(w, pack, lane), strain, stress, task, w.law,
      [&](int i) { return w.moduli[(pack * 36 + i) * lane_count + lane]; }, kept, write);
  if (task == LawTask::results) {
    for (int i = 0; i < numbers - results_of_law; ++i) write(results_of_law + i, i < w.law.state ? kept(i) : 0.0);
  }
}

// The arrays for so many packs, one after the other.
template <class F>
LawWorkspace workspace_for(const ElementArguments& arguments, Index packs) {
  const LawWithInputs& law = with_inputs(*arguments.law);
  double* next = law.workspace;
  const auto take = [&](int numbers) { return std::exchange(next, next + packs * numbers * lane_count); };
  LawWorkspace w{take(F::rows),          take(6), take(6), take(36), nullptr, arguments.state, arguments.given,
                 arguments.given_stride, law};
  w.left = next;
  const Index before = arguments.first_batch * arguments.table.point_count * lane_count;
  if (law.state > 0) w.state += before * law.state;
  if (law.count() > 0) w.given += before * w.given_stride;
  return w;
}

template <Form F, int D>
const double* law_at_points(const Device& device, const ElementArguments& arguments, LawTask task) {
  using Sh = Shape<F, 0, D>;
  const LawWithInputs& law = with_inputs(*arguments.law);
  const Index packs = arguments.batch_count * arguments.table.point_count;
  const LawWorkspace w = workspace_for<F>(arguments, packs);
  const BlockShape block = block_for(device, nodal_scratch<F, Sh>(arguments.table) * int{sizeof(double)},
                                     arguments.table.point_count, "strains");
  start_blocks(device, "strains", arguments.batch_count * (lane_count / block.elements), block, strain_kernel<F, D>,
               F{}, arguments, block.elements, w);
  double* const state = const_cast<double*>(w.state);
  law.kernel(device, LawCall{{.law = law.law,
                              .packs = packs,
                              .strain = w.strain,
                              .before = state,
                              .now = task == LawTask::commit ? state : nullptr,
                              .stress = w.stress,
                              .moduli = task == LawTask::moduli ? w.moduli : nullptr,
                              .plane_stress = law.plane_stress,
                              .measure = law.measure,
                              .time = arguments.time},
                             law.has_temperature ? w.given + law.temperature() * lane_count : nullptr,
                             w.given_stride * lane_count,
                             law.varying,
                             w.given + law.first_parameter() * lane_count});
  if (task == LawTask::commit) return nullptr;
  constexpr int threads = 128;
  const LaunchScope launch(device, "forces at points");
  start(device, {(packs * lane_count + threads - 1) / threads, threads, 0}, leave_kernel<F>, w, packs, task,
        numbers_left<F>(task, arguments));
  return w.left;
}

}  // namespace ritz::RITZ_BACKEND
