// Whole elements on a GPU: block = EB elements of one batch, thread = (item, element), as element_kernels_cuda.hpp.
#pragma once

#include "fem/launch/element_kernels_cuda.hpp"
#include "fem/launch/whole_engine.hpp"

namespace ritz::RITZ_BACKEND {

enum class WholeTask { matrices, residuals, actions, diagonals, evaluate, commits };

template <WholeTask Task, WholeElement E>
__global__ void whole_kernel(const __grid_constant__ E element, const __grid_constant__ ElementArguments arguments,
                             int elements_per_block) {
  const auto [team, memory, batch] = ElementThread<double>(arguments, elements_per_block);
  if constexpr (Task == WholeTask::matrices) whole_matrices(team, memory, element, arguments, batch);
  if constexpr (Task == WholeTask::residuals) whole_residuals(team, memory, element, arguments, batch);
  if constexpr (Task == WholeTask::actions) whole_actions(team, memory, element, arguments, batch);
  if constexpr (Task == WholeTask::diagonals) whole_diagonals(team, memory, element, arguments, batch);
  if constexpr (Task == WholeTask::commits) whole_commits(team, memory, element, arguments, batch);
  if constexpr (Task == WholeTask::evaluate) whole_evaluate(team, memory, element, arguments, batch);
}

// Threads for the widest loop of the task.
template <WholeTask Task, WholeElement E>
constexpr int whole_items() {
  using Sh = WholeShape<E>;
  if (Task == WholeTask::evaluate) return Sh::N;
  if (Task == WholeTask::matrices && !HasStrains<E> && WholeElementFacts<E>::has_energy) return Sh::pairs;
  return Sh::n;
}

template <WholeTask Task, WholeElement E>
void run_whole(const Device& device, const ElementArguments& arguments) {
  launch_blocks(device, arguments, whole_kernel<Task, E>, form_of<E>(arguments),
                WholeShape<E>::scratch(arguments.components), whole_items<Task, E>(), "whole elements");
}

}  // namespace ritz::RITZ_BACKEND
