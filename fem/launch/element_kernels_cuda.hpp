// Element kernels on a GPU, one for each task of a form.
#pragma once

#include "fem/launch/chunk_kernels_cuda.hpp"
#include "fem/launch/coupled_engine.hpp"
#include "fem/launch/element_actions.hpp"
#include "fem/launch/tangent_engine.hpp"

#include <algorithm>
#include <type_traits>

namespace ritz::RITZ_BACKEND {

enum class ElementTask { matrices, residuals, actions, single_actions, diagonals, evaluate, commits, tangents };

template <ElementTask Task>
using TaskReal = std::conditional_t<Task == ElementTask::single_actions, float, double>;

template <ElementTask Task, Form F, int N, int D, int Points>
__global__ void element_kernel(const __grid_constant__ F form, const __grid_constant__ ElementArguments arguments,
                               int elements_per_block) {
  const auto [team, memory, batch] = ElementThread<TaskReal<Task>>(arguments, elements_per_block);
  if constexpr (Task == ElementTask::matrices) element_matrices<F, N, D, Points>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::residuals) element_residuals<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::actions || Task == ElementTask::single_actions)
    element_actions<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::diagonals) element_diagonals<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (FormFacts<F>::coupled > 0) {
    if constexpr (Task == ElementTask::matrices)
      add_coupled<CoupledTask::matrices, F, N, D>(team, memory, form, arguments, batch);
    if constexpr (Task == ElementTask::actions)
      add_coupled<CoupledTask::actions, F, N, D>(team, memory, form, arguments, batch);
    if constexpr (Task == ElementTask::diagonals)
      add_coupled<CoupledTask::diagonals, F, N, D>(team, memory, form, arguments, batch);
  }
  if constexpr (Task == ElementTask::evaluate) element_evaluate<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::commits) element_commits<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::tangents) element_tangents<F, N, D>(team, memory, form, arguments, batch);
}

// Numbers that the law leaves at the points of all batches (fem/launch/law_points_cuda.hpp).
template <Form F, int D>
requires(FormFacts<F>::coupled == 0) const
    double* law_at_points(const Device& device, const ElementArguments& arguments, LawTask task);
template <Form F, int D>
requires(FormFacts<F>::coupled > 0) const
    double* law_at_points(const Device& device, const ElementArguments& arguments, LawTask task);

// Numbers of all arrays of a cell, at most. Of an assumed gradient with the cell's record and what couples its points;
// its inner unknowns are found by moduli in each task.
template <class F>
constexpr int law_numbers(LawTask task, const PointLaw& law, int points) {
  const int numbers = points * (9 + 6 + 6 + 36), left = numbers_of_task<F>(task, law);
  if constexpr (FormFacts<F>::coupled == 0) return numbers + points * left;
  else return numbers + points * (10 + std::max(left, F::from_law)) + 9 + FormFacts<F>::from_cell(points);
}

// run(arguments), for forms of a law part by part. An element has `entries` results.
template <Form F, int D, class Run>
void with_law(const Device& device, const ElementArguments& arguments, [[maybe_unused]] LawTask task,
              [[maybe_unused]] Index entries, const Run& run) {
  if constexpr (FormFacts<F>::from_law == 0) {
    run(arguments);
  } else {
    const PointLaw& law = *arguments.law;
    const Index numbers = Index{law_numbers<F>(task, law, arguments.table.point_count)} * lane_count;
    const Index most = std::max<Index>(law.workspace_size / numbers, 1);
    for (Index done = 0; done < arguments.batch_count; done += most) {
      ElementArguments here = arguments;
      here.first_batch += done;
      here.batch_count = std::min(most, arguments.batch_count - done);
      if (here.elements != nullptr) here.elements += done * entries * lane_count;
      here.from_law = law_at_points<F, D>(device, here, task);
      here.first_of_law = here.first_batch;
      run(here);
    }
  }
}

template <class Sh>
int widest_loop(const ReferenceTable& table) {
  return table.point_count > Sh::nodes(table) ? table.point_count : Sh::nodes(table);
}

template <ElementTask Task, Form F, int N, int D, int Points>
void launch_elements(const Device& device, const ElementArguments& arguments, int scratch_entries, int items,
                     const char* name) {
  launch_blocks(device, arguments, element_kernel<Task, F, N, D, Points>, form_of<F>(arguments), scratch_entries, items,
                name, sizeof(TaskReal<Task>));
}

// Matrices of simplices that need one point only are summed where they arise, one row of each pair's block after the
// other.
template <Form F, int N, int D, int Points>
inline constexpr bool sums_matrices = Points == 1 && N == D + 1;

inline constexpr ReferenceTable one_point = [] {
  ReferenceTable table{};
  table.point_count = 1;
  return table;
}();
template <Form F, int N, int D>
using MatrixChunk = ChunkTraits<double, true, matrices_scratch<F, Shape<F, N, D>>(one_point), N * N,
                                F::components * F::components, F::components, 128>;

template <Form F, int N, int D>
__global__ void __launch_bounds__(largest_block_threads)
    simplex_matrices_kernel(const __grid_constant__ F form, const __grid_constant__ ElementArguments arguments,
                            int elements, const __grid_constant__ ChunkSums sums) {
  compute_chunk<MatrixChunk<F, N, D>>(arguments, elements, sums,
                                      [&](const auto& team, const auto& memory, Index batch) {
                                        element_matrices<F, N, D, 1>(team, memory, form, arguments, batch);
                                      });
}

template <Form F, int N, int D, int Points>
void run_matrices(const Device& device, const ElementArguments& arguments) {
  using Sh = Shape<F, N, D>;
  constexpr const char* name = "element matrices";
  const int nodes = Sh::nodes(arguments.table);
  const Index entries = Index{arguments.halves ? half_count(nodes) : nodes * nodes} * Sh::C * Sh::C;
  with_law<F, D>(device, arguments, LawTask::moduli, entries, [&](const ElementArguments& here) {
    if constexpr (sums_matrices<F, N, D, Points>) {
      launch_chunks<MatrixChunk<F, N, D>>(device, name, here, form_of<F>(here), simplex_matrices_kernel<F, N, D>, N);
    } else {
      using Tiles = PairTiles<N, Sh::C, FormFacts<F>::symmetric>;
      const Tiles tiles{nodes};
      launch_elements<ElementTask::matrices, F, N, D, Points>(
          device, here,
          with_coupled_scratch<F, Sh>(matrices_scratch<F, Sh, 2 * Tiles::columns>(here.table), here.table),
          std::max(2 * here.table.point_count, tiles.tiles_of_step(0)), name);
    }
  });
}

template <Form F, int N, int D>
void run_residuals(const Device& device, const ElementArguments& arguments) {
  using Sh = Shape<F, N, D>;
  with_law<F, D>(
      device, arguments, LawTask::stress, Sh::nodes(arguments.table) * Sh::C, [&](const ElementArguments& here) {
        launch_elements<ElementTask::residuals, F, N, D, 0>(device, here, residuals_scratch<F, Sh>(here.table),
                                                            widest_loop<Sh>(here.table), "element residuals");
      });
}

template <ElementTask Task, Form F, int N, int D>
void launch_actions(const Device& device, const ElementArguments& arguments) {
  using Sh = Shape<F, N, D>;
  with_law<F, D>(
      device, arguments, LawTask::moduli, Sh::nodes(arguments.table) * Sh::C, [&](const ElementArguments& here) {
        launch_elements<Task, F, N, D, 0>(device, here,
                                          with_coupled_scratch<F, Sh>(actions_scratch<F, Sh>(here.table), here.table),
                                          widest_loop<Sh>(here.table), "element actions");
      });
}
template <Form F, int N, int D>
void run_actions(const Device& device, const ElementArguments& arguments) {
  launch_actions<ElementTask::actions, F, N, D>(device, arguments);
}
template <Form F, int N, int D>
void run_single_actions(const Device& device, const ElementArguments& arguments) {
  launch_actions<ElementTask::single_actions, F, N, D>(device, arguments);
}

template <Form F, int N, int D>
void run_diagonals(const Device& device, const ElementArguments& arguments) {
  using Sh = Shape<F, N, D>;
  with_law<F, D>(device, arguments, LawTask::moduli, Sh::nodes(arguments.table) * Sh::C,
                 [&](const ElementArguments& here) {
                   launch_elements<ElementTask::diagonals, F, N, D, 0>(
                       device, here, with_coupled_scratch<F, Sh>(diagonals_scratch<F, Sh>(here.table), here.table),
                       widest_loop<Sh>(here.table), "element diagonals");
                 });
}

template <Form F, int N, int D>
void run_commits(const Device& device, const ElementArguments& arguments) {
  with_law<F, D>(device, arguments, LawTask::commit, 0, [&](const ElementArguments& here) {
    if constexpr (FormFacts<F>::from_law == 0)
      launch_elements<ElementTask::commits, F, N, D, 0>(device, here, nodal_scratch<F, Shape<F, N, D>>(here.table),
                                                        here.table.point_count, "point state");
  });
}

template <Form F, int N, int D>
void run_tangents(const Device& device, const ElementArguments& arguments) {
  with_law<F, D>(device, arguments, LawTask::moduli, 0, [&](const ElementArguments& here) {
    launch_elements<ElementTask::tangents, F, N, D, 0>(device, here, nodal_scratch<F, Shape<F, N, D>>(here.table),
                                                       here.table.point_count, "point tangents");
  });
}

template <Form F, int N, int D>
void run_evaluate(const Device& device, const ElementArguments& arguments) {
  using Sh = Shape<F, N, D>;
  const int results = FormFacts<F>::from_law > 0 ? arguments.law_results : Sh::K;
  with_law<F, D>(
      device, arguments, LawTask::results, Sh::nodes(arguments.table) * results, [&](const ElementArguments& here) {
        launch_elements<ElementTask::evaluate, F, N, D, 0>(device, here, evaluate_scratch<F, Sh>(here.table, results),
                                                           widest_loop<Sh>(here.table), "element evaluation");
      });
}

}  // namespace ritz::RITZ_BACKEND
