// Whole elements on a CPU: a batch of lane_count elements at a time.
#pragma once

#include "fem/launch/element_kernels_cpu.hpp"
#include "fem/launch/whole_engine.hpp"

#include <optional>

namespace ritz::RITZ_BACKEND {

enum class WholeTask { matrices, residuals, actions, diagonals, evaluate, commits };

template <WholeTask Task, WholeElement E>
[[gnu::flatten]] void run_whole(const Device& device, const ElementArguments& arguments) {
  std::optional<LaunchScope> launch;  // others run within an assembly's
  if constexpr (Task == WholeTask::commits) launch.emplace(device, "point state");
  const E element = *static_cast<const E*>(arguments.form);
  const CpuMemory memory = thread_scratch(WholeShape<E>::scratch(arguments.components));
  for (Index i = 0; i < arguments.batch_count; ++i) {
    const Index batch = arguments.first_batch + i;
    if constexpr (Task == WholeTask::matrices) whole_matrices(CpuTeam{}, memory, element, arguments, batch);
    if constexpr (Task == WholeTask::residuals) whole_residuals(CpuTeam{}, memory, element, arguments, batch);
    if constexpr (Task == WholeTask::actions) whole_actions(CpuTeam{}, memory, element, arguments, batch);
    if constexpr (Task == WholeTask::diagonals) whole_diagonals(CpuTeam{}, memory, element, arguments, batch);
    if constexpr (Task == WholeTask::commits) whole_commits(CpuTeam{}, memory, element, arguments, batch);
    if constexpr (Task == WholeTask::evaluate) whole_evaluate(CpuTeam{}, memory, element, arguments, batch);
  }
}

}  // namespace ritz::RITZ_BACKEND
