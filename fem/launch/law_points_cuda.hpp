// Forms of a law on a GPU, before their own kernel: strain of all points of some batches, the kernel of the law, and
// what it leaves.
#pragma once

#include "device/host_view.hpp"
#include "fem/launch/cell_gradients.hpp"
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

// Numbers that the law leaves at a point of a pack, from its stress in the workspace.
template <Form F, class Write>
__device__ void leave_numbers(const LawWorkspace& w, Index pack, int lane, LawTask task, int numbers,
                              const double (&gradient)[F::rows], const Write& write) {
  Symmetric<double> strain, stress;
  for (int k = 0; k < 6; ++k) {
    strain[k] = w.strain[(pack * 6 + k) * lane_count + lane];
    stress[k] = w.stress[(pack * 6 + k) * lane_count + lane];
  }
  const auto kept = [&](int i) { return w.state[(pack * w.law.state + i) * lane_count + lane]; };
  leave_at_point<F>(
      gradient, frame_in(w, pack, lane), strain, stress, task, w.law,
      [&](int i) { return w.moduli[(pack * 36 + i) * lane_count + lane]; }, kept, write);
  if (task == LawTask::results) {
    for (int i = 0; i < numbers - results_of_law; ++i) write(results_of_law + i, i < w.law.state ? kept(i) : 0.0);
  }
}

// thread = (lane, pack)
template <Form F>
__global__ void leave_kernel(const __grid_constant__ LawWorkspace w, Index packs, LawTask task, int numbers) {
  const Index thread = Index{blockIdx.x} * blockDim.x + threadIdx.x, pack = thread / lane_count;
  const int lane = static_cast<int>(thread % lane_count);
  if (pack >= packs) return;
  double gradient[F::rows];
  for (int r = 0; r < F::rows; ++r) gradient[r] = w.gradient[(pack * F::rows + r) * lane_count + lane];
  leave_numbers<F>(w, pack, lane, task, numbers, gradient,
                   [&](int number, double value) { w.left[(pack * numbers + number) * lane_count + lane] = value; });
}

// The arrays for so many packs, one after the other. Gradients are those at the points, or the records of cells.
template <class F>
LawWorkspace workspace_for(const ElementArguments& arguments, Index packs, Index gradients) {
  const LawWithInputs& law = with_inputs(*arguments.law);
  double* next = law.workspace;
  const auto take = [&](Index numbers) { return std::exchange(next, next + numbers * lane_count); };
  LawWorkspace w{take(gradients),
                 take(packs * 6),
                 take(packs * 6),
                 take(packs * 36),
                 nullptr,
                 arguments.state,
                 arguments.given,
                 arguments.given_stride,
                 law};
  w.left = next;
  const Index before = arguments.first_batch * arguments.table.point_count * lane_count;
  if (law.state > 0) w.state += before * law.state;
  if (law.count() > 0) w.given += before * w.given_stride;
  return w;
}

// The law at all points, from the strain in the workspace.
inline void run_law_at_points(const Device& device, const ElementArguments& arguments, const LawWorkspace& w,
                              Index packs, LawTask task) {
  const LawWithInputs& law = with_inputs(*arguments.law);
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
}

template <Form F, int D>
requires(FormFacts<F>::coupled == 0) const
    double* law_at_points(const Device& device, const ElementArguments& arguments, LawTask task) {
  using Sh = Shape<F, 0, D>;
  const Index packs = arguments.batch_count * arguments.table.point_count;
  const LawWorkspace w = workspace_for<F>(arguments, packs, packs * F::rows);
  const BlockShape block = block_for(device, nodal_scratch<F, Sh>(arguments.table) * int{sizeof(double)},
                                     arguments.table.point_count, "strains");
  start_blocks(device, "strains", arguments.batch_count * (lane_count / block.elements), block, strain_kernel<F, D>,
               F{}, arguments, block.elements, w);
  run_law_at_points(device, arguments, w, packs, task);
  if (task == LawTask::commit) return nullptr;
  constexpr int threads = 128;
  const LaunchScope launch(device, "forces at points");
  start(device, {(packs * lane_count + threads - 1) / threads, threads, 0}, leave_kernel<F>, w, packs, task,
        numbers_left<F>(task, arguments));
  return w.left;
}

// Assumed gradients: a thread has the numbers of one cell, which lie `lane_count` apart.
struct CellArray {
  double* first;
  __device__ double& operator()(int number) const { return first[number * lane_count]; }
};
template <class F>
__device__ auto cell_in(const LawWorkspace& w, Index batch, int lane, int points, int stride) {
  const CellArray record{w.gradient + batch * recorded<F>(points) * lane_count + lane},
      left{w.left + batch * stride * lane_count + lane};
  return cell_numbers<F>(record, left, points);
}

// Own gradients at the points.
template <Form F, int D>
__global__ void record_kernel(const __grid_constant__ F, const __grid_constant__ ElementArguments arguments,
                              int elements_per_block, const __grid_constant__ LawWorkspace w) {
  using Sh = Shape<F, 0, D>;
  const auto [team, memory, batch] = ElementThread<double>(arguments, elements_per_block);
  const ReferenceTable& table = arguments.table;
  const Piece<GpuMemory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * Sh::G);
  load_element<Sh, true>(team, arguments, batch, x, u);
  team.sync();
  const auto cell = cell_in<F>(w, batch - arguments.first_batch, team.lane, table.point_count, 0);
  team.each(table.point_count, [&, batch = batch](int q) {
    const Geometry<Sh, double> g = geometry_of<Sh, double, false>(team, arguments, batch, x, q);
    record_point<F, Sh, double>(g, u, table, q, cell);
    if constexpr (SolvesForModes<F>) { record_slopes<F, Sh, double>(x, g.measure, table, q, cell); }
  });
}

// Cells whose modes are not in balance.
template <class F>
struct CountImbalances {
  LawWorkspace w;
  int points, stride;
  __device__ Sums<1> operator()(Index cell) const {
    const auto numbers = cell_in<F>(w, cell / lane_count, static_cast<int>(cell % lane_count), points, stride);
    return {{numbers.imbalance() > 0 ? 1.0 : 0.0}};
  }
};

// Strain of the assumed gradient; begin: of the first amplitudes of modes. thread = (lane, batch)
template <Form F>
__global__ void assume_kernel(const __grid_constant__ LawWorkspace w, Index batches, int points, int stride,
                              bool begin) {
  const Index thread = Index{blockIdx.x} * blockDim.x + threadIdx.x, batch = thread / lane_count;
  const int lane = static_cast<int>(thread % lane_count);
  if (batch >= batches) return;
  const auto cell = cell_in<F>(w, batch, lane, points, stride);
  const bool large = w.law.measure != Strain::small;
  if constexpr (SolvesForModes<F>) {
    if (begin) MethodOf<F>::template begin<double>(cell, w.law.plane_stress);
  }
  const auto means = MethodOf<F>::template means<double>(cell, large);
  for (int q = 0; q < points; ++q) {
    const Index pack = batch * points + q;
    double gradient[F::rows];
    MethodOf<F>::template assume<double>(cell, means, q, large, gradient);
    const Symmetric<double> strain =
        strain_of_law(w.law, frame_in(w, pack, lane), strain_at<F>(gradient, w.law.measure, w.law.plane_stress));
    for (int k = 0; k < 6; ++k) w.strain[(pack * 6 + k) * lane_count + lane] = strain[k];
  }
}

// Parts of what is done with a cell after the law: its numbers at the points, a step towards the amplitudes of modes,
// and what is conjugate to the cell's own gradient.
struct CellParts {
  bool leave, solve, finish;
};

// thread = (lane, batch)
template <Form F>
__global__ void leave_cell_kernel(const __grid_constant__ LawWorkspace w, Index batches, int points, LawTask task,
                                  int numbers, int stride, CellParts parts) {
  const Index thread = Index{blockIdx.x} * blockDim.x + threadIdx.x, batch = thread / lane_count;
  const int lane = static_cast<int>(thread % lane_count);
  if (batch >= batches) return;
  const auto cell = cell_in<F>(w, batch, lane, points, stride);
  const bool large = w.law.measure != Strain::small;
  const auto means = MethodOf<F>::template means<double>(cell, large);
  for (int q = 0; q < points && parts.leave; ++q) {
    const Index pack = batch * points + q;
    double gradient[F::rows];
    MethodOf<F>::template assume<double>(cell, means, q, large, gradient);
    leave_numbers<F>(w, pack, lane, task, numbers, gradient,
                     [&](int number, double value) { cell.left(q * numbers + number) = value; });
  }
  if constexpr (SolvesForModes<F>) {
    if (parts.solve) MethodOf<F>::template solve<double>(cell, means);
  }
  if (parts.finish) MethodOf<F>::template finish<double>(cell, means, large, task == LawTask::moduli);
}

template <Form F, int D>
requires(FormFacts<F>::coupled > 0) const
    double* law_at_points(const Device& device, const ElementArguments& arguments, LawTask task) {
  using Sh = Shape<F, 0, D>;
  const int points = arguments.table.point_count;
  const Index batches = arguments.batch_count, packs = batches * points;
  const LawWorkspace w = workspace_for<F>(arguments, packs, batches * recorded<F>(points));
  const BlockShape block =
      block_for(device, nodal_scratch<F, Sh>(arguments.table) * int{sizeof(double)}, points, "gradients of cells");
  start_blocks(device, "gradients of cells", batches * (lane_count / block.elements), block, record_kernel<F, D>, F{},
               arguments, block.elements, w);
  constexpr int threads = 64;
  const Index blocks = (batches * lane_count + threads - 1) / threads;
  const int stride = numbers_of_cell<F>(LawTask::moduli, F::from_law, points);
  const auto after_law = [&](LawTask now, CellParts parts) {
    const int numbers = numbers_left<F>(now, arguments);
    const LaunchScope launch(device, "forces of cells");
    start(device, {blocks, threads, 0}, leave_cell_kernel<F>, w, batches, points, now, numbers,
          numbers_of_cell<F>(now, numbers, points), parts);
  };
  const auto run = [&](LawTask now, CellParts parts, bool begin) {
    {
      const LaunchScope launch(device, "assumed strains");
      start(device, {blocks, threads, 0}, assume_kernel<F>, w, batches, points, stride, begin);
    }
    run_law_at_points(device, arguments, w, packs, now);
    if (now != LawTask::commit) after_law(now, parts);
  };
  const bool couples = task == LawTask::stress || task == LawTask::moduli;
  if constexpr (SolvesForModes<F>) {
    double left = 1;
    for (int step = 0; step < MethodOf<F>::most_steps && left > 0; ++step) {
      run(LawTask::moduli, {.leave = true, .solve = true, .finish = false}, step == 0);
      reduce<1>(device, "cells out of balance", batches * lane_count, CountImbalances<F>{w, points, stride}, w.stress);
      left = HostView<double>(device, w.stress, 1)[0];
    }
  }
  if (SolvesForModes<F> && couples) after_law(task, {.leave = false, .solve = false, .finish = true});
  else run(task, {.leave = true, .solve = false, .finish = couples}, false);
  return task == LawTask::commit ? nullptr : w.left;
}

}  // namespace ritz::RITZ_BACKEND
