// Element kernels on a GPU, one for each task of a form.
#pragma once

#include "fem/launch/chunk_kernels_cuda.hpp"
#include "fem/launch/element_actions.hpp"
#include "fem/launch/tangent_engine.hpp"

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
  if constexpr (Task == ElementTask::evaluate) element_evaluate<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::commits) element_commits<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::tangents) element_tangents<F, N, D>(team, memory, form, arguments, batch);
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
  if constexpr (sums_matrices<F, N, D, Points>) {
    launch_chunks<MatrixChunk<F, N, D>>(device, name, arguments, form_of<F>(arguments),
                                        simplex_matrices_kernel<F, N, D>, N);
  } else {
    using Tiles = PairTiles<N, Sh::C, FormFacts<F>::symmetric>;
    const Tiles tiles{Sh::nodes(arguments.table)};
    launch_elements<ElementTask::matrices, F, N, D, Points>(
        device, arguments, matrices_scratch<F, Sh, 2 * Tiles::columns>(arguments.table),
        std::max(2 * arguments.table.point_count, tiles.tiles_of_step(0)), name);
  }
}

template <Form F, int N, int D>
void run_residuals(const Device& device, const ElementArguments& arguments) {
  using Sh = Shape<F, N, D>;
  launch_elements<ElementTask::residuals, F, N, D, 0>(device, arguments, residuals_scratch<F, Sh>(arguments.table),
                                                      widest_loop<Sh>(arguments.table), "element residuals");
}

template <ElementTask Task, Form F, int N, int D>
void launch_actions(const Device& device, const ElementArguments& arguments) {
  using Sh = Shape<F, N, D>;
  launch_elements<Task, F, N, D, 0>(device, arguments, actions_scratch<F, Sh>(arguments.table),
                                    widest_loop<Sh>(arguments.table), "element actions");
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
  launch_elements<ElementTask::diagonals, F, N, D, 0>(device, arguments, diagonals_scratch<F, Sh>(arguments.table),
                                                      widest_loop<Sh>(arguments.table), "element diagonals");
}

template <Form F, int N, int D>
void run_commits(const Device& device, const ElementArguments& arguments) {
  launch_elements<ElementTask::commits, F, N, D, 0>(
      device, arguments, nodal_scratch<F, Shape<F, N, D>>(arguments.table), arguments.table.point_count, "point state");
}

template <Form F, int N, int D>
void run_tangents(const Device& device, const ElementArguments& arguments) {
  launch_elements<ElementTask::tangents, F, N, D, 0>(device, arguments,
                                                     nodal_scratch<F, Shape<F, N, D>>(arguments.table),
                                                     arguments.table.point_count, "point tangents");
}

template <Form F, int N, int D>
void run_evaluate(const Device& device, const ElementArguments& arguments) {
  using Sh = Shape<F, N, D>;
  launch_elements<ElementTask::evaluate, F, N, D, 0>(device, arguments, evaluate_scratch<F, Sh>(arguments.table),
                                                     widest_loop<Sh>(arguments.table), "element evaluation");
}

}  // namespace ritz::RITZ_BACKEND
