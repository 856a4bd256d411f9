// Element kernels of forms of several fields on a CPU, as in element_kernels_cpu.hpp.
#pragma once

#include "fem/launch/element_kernels_cpu.hpp"
#include "fem/launch/mixed_engine.hpp"

namespace ritz::RITZ_BACKEND {

template <MixedForm F, int D>
[[gnu::flatten]] void run_mixed_residuals(const Device&, const ElementArguments& arguments) {
  const MixedArguments& mixed = mixed_arguments(arguments);
  const F form = *static_cast<const F*>(mixed.form);
  const CpuMemory memory = thread_scratch(mixed_vectors_scratch<F, MixedShape<F, D>>(mixed, 1));
  for (Index i = 0; i < arguments.batch_count; ++i)
    mixed_residuals<F, D>(CpuTeam{}, memory, form, arguments, mixed, arguments.first_batch + i);
}

template <MixedForm F, int D>
[[gnu::flatten]] void run_mixed_actions(const Device&, const ElementArguments& arguments) {
  const MixedArguments& mixed = mixed_arguments(arguments);
  const F form = *static_cast<const F*>(mixed.form);
  const CpuMemory memory = thread_scratch(mixed_vectors_scratch<F, MixedShape<F, D>>(mixed, 2));
  for (Index i = 0; i < arguments.batch_count; ++i)
    mixed_actions<F, D>(CpuTeam{}, memory, form, arguments, mixed, arguments.first_batch + i);
}

template <MixedForm F, int D, int row, int column>
[[gnu::flatten]] void run_mixed_block(const Device&, const ElementArguments& arguments) {
  const MixedArguments& mixed = mixed_arguments(arguments);
  const F form = *static_cast<const F*>(mixed.form);
  const CpuMemory memory = thread_scratch(mixed_matrices_scratch<F, MixedShape<F, D>, row, column>(mixed));
  for (Index i = 0; i < arguments.batch_count; ++i)
    mixed_matrices<F, D, row, column>(CpuTeam{}, memory, form, arguments, mixed, arguments.first_batch + i);
}

}  // namespace ritz::RITZ_BACKEND
