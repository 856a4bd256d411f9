// Element kernels of forms of several fields in CUDA: blocks and teams of element_blocks_cuda.hpp.
#pragma once

#include "fem/launch/element_blocks_cuda.hpp"
#include "fem/launch/mixed_engine.hpp"

namespace ritz::RITZ_BACKEND {

template <MixedForm F, int D, bool Actions>
__global__ void __launch_bounds__(largest_block_threads)
    mixed_vectors_kernel(const __grid_constant__ F form, const __grid_constant__ ElementArguments arguments,
                         const __grid_constant__ MixedArguments mixed, int elements) {
  const ElementThread<double> thread(arguments, elements);
  if constexpr (Actions) mixed_actions<F, D>(thread.team, thread.memory, form, arguments, mixed, thread.batch);
  else mixed_residuals<F, D>(thread.team, thread.memory, form, arguments, mixed, thread.batch);
}

template <MixedForm F, int D, int row, int column>
__global__ void __launch_bounds__(largest_block_threads)
    mixed_matrices_kernel(const __grid_constant__ F form, const __grid_constant__ ElementArguments arguments,
                          const __grid_constant__ MixedArguments mixed, int elements) {
  const ElementThread<double> thread(arguments, elements);
  mixed_matrices<F, D, row, column>(thread.team, thread.memory, form, arguments, mixed, thread.batch);
}

template <MixedForm F, class Kernel>
void launch_mixed(const Device& device, const ElementArguments& arguments, Kernel kernel, int scratch_entries,
                  const char* name) {
  if (arguments.batch_count == 0) return;
  const MixedArguments& mixed = mixed_arguments(arguments);
  int items = arguments.table.point_count;
  for (int k = 0; k < MixedFormFacts<F>::count; ++k)
    items = mixed.fields[k].table.node_count > items ? mixed.fields[k].table.node_count : items;
  const BlockShape block = block_for(device, scratch_entries * static_cast<int>(sizeof(double)), items, name);
  start_blocks(device, name, arguments.batch_count * (lane_count / block.elements), block, kernel,
               *static_cast<const F*>(mixed.form), arguments, mixed, block.elements);
}

template <MixedForm F, int D>
void run_mixed_residuals(const Device& device, const ElementArguments& arguments) {
  launch_mixed<F>(device, arguments, mixed_vectors_kernel<F, D, false>,
                  mixed_vectors_scratch<F, MixedShape<F, D>>(mixed_arguments(arguments), 1), "element residuals");
}

template <MixedForm F, int D>
void run_mixed_actions(const Device& device, const ElementArguments& arguments) {
  launch_mixed<F>(device, arguments, mixed_vectors_kernel<F, D, true>,
                  mixed_vectors_scratch<F, MixedShape<F, D>>(mixed_arguments(arguments), 2), "element actions");
}

template <MixedForm F, int D, int row, int column>
void run_mixed_block(const Device& device, const ElementArguments& arguments) {
  launch_mixed<F>(device, arguments, mixed_matrices_kernel<F, D, row, column>,
                  mixed_matrices_scratch<F, MixedShape<F, D>, row, column>(mixed_arguments(arguments)),
                  "element matrices");
}

}  // namespace ritz::RITZ_BACKEND
