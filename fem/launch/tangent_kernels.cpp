// Kernels for tangents kept at quadrature points, whatever the form.
#include "device/kernels.hpp"
#ifdef __CUDACC__
#include "fem/launch/element_kernels_cuda.hpp"
#else
#include "fem/launch/element_kernels_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND::tangent_kernels {
namespace {

enum class TangentTask { single_actions, matrices, diagonals };

template <TangentTask Task, class Sh, class Team, class Memory>
constexpr void do_tangents(const Team& team, [[maybe_unused]] const Memory& memory, const ElementArguments& arguments,
                           Index batch) {
  if constexpr (Task == TangentTask::matrices) tangent_matrices<Sh>(team, arguments, batch);
  else if constexpr (Task == TangentTask::diagonals) tangent_diagonals<Sh>(team, arguments, batch);
  else tangent_actions<Sh>(team, memory, arguments, batch);
}

#ifdef __CUDACC__
struct AnyForm {};

// block = elements of one batch, thread = (point or node, element)
template <TangentTask Task, class Sh>
__global__ void tangent_kernel(const __grid_constant__ AnyForm, const __grid_constant__ ElementArguments arguments,
                               int elements_per_block) {
  using Real = std::conditional_t<Task == TangentTask::single_actions, float, double>;
  const auto [team, memory, batch] = ElementThread<Real>(arguments, elements_per_block);
  do_tangents<Task, Sh>(team, memory, arguments, batch);
}

template <TangentTask Task, class Sh>
void run_tangent_task(const Device& device, const ElementArguments& arguments) {
  constexpr bool acts = Task == TangentTask::single_actions;
  const int nodes = Sh::nodes(arguments.table), points = arguments.table.point_count;
  const int items = Task == TangentTask::matrices ? nodes * nodes : acts && points > nodes ? points : nodes;
  launch_blocks(device, arguments, tangent_kernel<Task, Sh>, AnyForm{}, acts ? Sh::actions_scratch(arguments.table) : 1,
                items, "work with point tangents", acts ? sizeof(float) : sizeof(double));
}
#else
template <TangentTask Task, class Sh>
[[gnu::flatten]] void run_tangent_task(const Device&, const ElementArguments& arguments) {
  constexpr bool acts = Task == TangentTask::single_actions;
  const CpuMemory memory = thread_scratch(acts ? Sh::actions_scratch(arguments.table) : 1);
  if constexpr (acts) {
    const SingleCpuTeam team{arguments.first_batch + arguments.batch_count};
    for (Index i = arguments.first_batch; i < team.batches; i += 2)
      do_tangents<Task, Sh>(team, SingleCpuMemory{reinterpret_cast<SinglePack*>(memory.data)}, arguments, i);
  } else {
    for (Index i = 0; i < arguments.batch_count; ++i)
      do_tangents<Task, Sh>(CpuTeam{}, memory, arguments, arguments.first_batch + i);
  }
}
#endif

// Nodes of cells whose actions have kernels of their own; 0: those of any element, with all else.
template <int C, int D, int... NodeCounts>
struct RegisterTangents {
  RegisterTangents() {
    (register_kernels(RITZ_TEXT(RITZ_BACKEND), tangent_kernel_name(C, NodeCounts, D).c_str(),
                      &table<TangentShape<C, D, NodeCounts>, NodeCounts == 0>()),
     ...);
  }

 private:
  template <class Sh, bool All>
  static const FormKernels& table() {
    static FormKernels t{nullptr, nullptr, nullptr,
                         nullptr, nullptr, run_tangent_task<TangentTask::single_actions, Sh>};
    if constexpr (All) {
      t.matrices = run_tangent_task<TangentTask::matrices, Sh>;
      t.diagonals = run_tangent_task<TangentTask::diagonals, Sh>;
    }
    return t;
  }
};

const RegisterTangents<3, 3, 0, 10, 20, 27> of_solids;

}  // namespace
}  // namespace ritz::RITZ_BACKEND::tangent_kernels
