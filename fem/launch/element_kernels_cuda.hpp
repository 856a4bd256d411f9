// Element kernels on a GPU: block = EB elements of one batch, thread = (item, element), the element fastest, so that
// neighbouring threads read and write neighbouring lanes. Scratch is shared memory, laid out the same way.
#pragma once

#include "device/cuda_check.hpp"
#include "device/error.hpp"
#include "device/launch.hpp"
#include "fem/launch/block_shape.hpp"
#include "fem/launch/element_actions.hpp"
#include "fem/launch/tangent_engine.hpp"

#include <type_traits>

namespace ritz::RITZ_BACKEND {

template <class Real>
struct GpuMemoryOf {
  Real* data;
  int stride, element;
  __device__ Real& at(int i) const { return data[i * stride + element]; }
};
using GpuMemory = GpuMemoryOf<double>;

// Real: of the numbers that are computed with; single precision is for tensor_engine.hpp only.
template <class Real>
struct GpuTeamOf {
  using Number = Real;
  using Scalar = Real;
  static constexpr bool single = sizeof(Real) == sizeof(float);
  int rank, size, lane;

  template <class F>
  __device__ void each(int count, const F& f) const {
    for (int i = rank; i < count; i += size) f(i);
  }
  __device__ void sync() const { __syncthreads(); }

  template <class X>
  __device__ void load_coordinates(const ElementArguments& arguments, Index batch, int a, int nodes, int dimension,
                                   const X& x) const {
    load(arguments.coordinates, arguments.geometry_nodes + (batch * nodes + a) * lane_count, a, dimension, x);
  }
  // The first node of each element, that single precision does not lose small cells.
  struct Origin {
    const double* from;
    double at[3];  // read once, for all corners
    __device__ Real operator()(int d) const { return static_cast<Real>(from[d]); }
  };
  __device__ Origin origin_of(const ElementArguments& arguments, Index batch, int nodes, int dimension) const {
    Origin origin{arguments.coordinates + Index{arguments.geometry_nodes[batch * nodes * lane_count + lane]} * dimension, {}};
    for (int d = 0; d < dimension; ++d) origin.at[d] = origin.from[d];
    return origin;
  }
  template <class X>
  __device__ void load_coordinates_from(const Origin& origin, const ElementArguments& arguments, Index batch, int a, int nodes, int dimension,
                                        const X& x) const {
    const double* at = arguments.coordinates + Index{arguments.geometry_nodes[(batch * nodes + a) * lane_count + lane]} * dimension;
    for (int d = 0; d < dimension; ++d) x(a * dimension + d) = static_cast<Real>(at[d] - origin.at[d]);
  }
  template <class U>
  __device__ void load_unknowns(const ElementArguments& arguments, Index batch, int a, int nodes, int components,
                                const U& u) const {
    if (arguments.u != nullptr)
      load(arguments.u, arguments.nodes + (batch * nodes + a) * lane_count, a, components, u);
    else
      for (int c = 0; c < components; ++c) u(a * components + c) = 0.0;
  }
  template <class X>
  __device__ void load_direction(const ElementArguments& arguments, Index batch, int a, int nodes, int components,
                                 const X& x) const {
    const std::int32_t node = arguments.nodes[(batch * nodes + a) * lane_count + lane];
    for (int c = 0; c < components; ++c) {
      const Index i = Index{unmarked(node)} * components + c;
      const bool zero = node < 0 && arguments.prescribed[i] != 0;
      if constexpr (single) {
        x(a * components + c) = zero ? 0.0f : arguments.single_direction[i];
      } else {
        x(a * components + c) = zero ? 0.0 : arguments.direction[i];
      }
    }
  }
  __device__ Real given(const ElementArguments& arguments, Index batch, int number, int numbers) const {
    return static_cast<Real>(arguments.given[(batch * numbers + number) * lane_count + lane]);
  }
  __device__ Real state(const ElementArguments& arguments, Index batch, int number, int numbers) const {
    return static_cast<Real>(arguments.state[(batch * numbers + number) * lane_count + lane]);
  }
  __device__ void store_state(const ElementArguments& arguments, Index batch, int number, int numbers, double value) const {
    arguments.state[(batch * numbers + number) * lane_count + lane] = value;
  }
  __device__ Real tangent(const ElementArguments& arguments, Index batch, int entry, int entries) const {
    return static_cast<Real>(arguments.tangents[(batch * entries + entry) * lane_count + lane]);
  }
  __device__ void store_tangent(const ElementArguments& arguments, Index batch, int entry, int entries, double value) const {
    arguments.tangents[(batch * entries + entry) * lane_count + lane] = static_cast<float>(value);
  }
  __device__ static const Real* line_tables(const ReferenceTable& table) {
    if constexpr (single) {
      return table.single.line;
    } else {
      return table.line;
    }
  }
  __device__ Real point_geometry(const ElementArguments& arguments, Index batch, int point, int points, int entry,
                                   int entries) const {
    return static_cast<Real>(arguments.point_geometry[((batch * points + point) * entries + entry) * lane_count + lane]);
  }
  __device__ void store(const ElementArguments& arguments, Index batch, int entry, int entries, Real value) const {
    Real* elements;
    if constexpr (single) {
      elements = arguments.single_elements;
    } else {
      elements = arguments.elements;
    }
    Real& target = elements[((batch - arguments.first_batch) * entries + entry) * lane_count + lane];
    target = arguments.accumulate ? target + value : value;
  }
  __device__ void store_cell(const ElementArguments& arguments, Index batch, int entry, int entries, double value) const {
    arguments.cell_values[(batch * entries + entry) * lane_count + lane] = value;
  }

 private:
  __device__ static std::int32_t unmarked(std::int32_t node) { return node ^ (node >> 31); }  // n from n or ~n
  template <class X>
  __device__ void load(const double* values, const std::int32_t* nodes, int a, int stride, const X& x) const {
    const double* source = values + Index{unmarked(nodes[lane])} * stride;
    for (int d = 0; d < stride; ++d) x(a * stride + d) = source[d];
  }
};

using GpuTeam = GpuTeamOf<double>;

// What a thread does in such a block. Shared memory is scratch of its element.
template <class Real>
struct ElementThread {
  GpuTeamOf<Real> team;
  GpuMemoryOf<Real> memory;
  Index batch;

  __device__ ElementThread(const ElementArguments& arguments, int elements_per_block) {
    const int parts = lane_count / elements_per_block;
    const int element = static_cast<int>(threadIdx.x) % elements_per_block;
    team = {static_cast<int>(threadIdx.x) / elements_per_block, static_cast<int>(blockDim.x) / elements_per_block,
            static_cast<int>(blockIdx.x) % parts * elements_per_block + element};
    memory = {reinterpret_cast<Real*>(block_scratch()), elements_per_block, element};
    batch = arguments.first_batch + blockIdx.x / parts;
  }
};

enum class ElementTask { matrices, residuals, actions, single_actions, diagonals, evaluate, commits, tangents };

template <ElementTask Task>
using TaskReal = std::conditional_t<Task == ElementTask::single_actions, float, double>;

template <ElementTask Task, Form F, int N, int D, int Points>
__global__ void element_kernel(const __grid_constant__ F form, const __grid_constant__ ElementArguments arguments,
                               int elements_per_block) {
  const auto [team, memory, batch] = ElementThread<TaskReal<Task>>(arguments, elements_per_block);
  if constexpr (Task == ElementTask::matrices) element_matrices<F, N, D, Points>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::residuals) element_residuals<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::actions || Task == ElementTask::single_actions) element_actions<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::diagonals) element_diagonals<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::evaluate) element_evaluate<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::commits) element_commits<F, N, D>(team, memory, form, arguments, batch);
  if constexpr (Task == ElementTask::tangents) element_tangents<F, N, D>(team, memory, form, arguments, batch);
}

template <class Sh>
int widest_loop(const ReferenceTable& table) {
  return table.point_count > Sh::nodes(table) ? table.point_count : Sh::nodes(table);
}

template <class F>
const F& form_of(const ElementArguments& arguments) {
  return *static_cast<const F*>(arguments.form);
}

inline int shared_memory_limit(const Device& device) {
  int bytes = 0;
  cuda_check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.info().ordinal), "asking for the shared memory of a block");
  return bytes;
}

// As many elements of a batch per block as shared memory holds beside `held` bytes, and enough threads for the widest loop.
inline BlockShape block_for(const Device& device, int scratch_bytes, int items, const char* name, int held = 0) {
  const int limit = shared_memory_limit(device);
  const BlockShape block = block_shape(lane_count, scratch_bytes, items, limit, held);
  if (block.elements == 0)
    throw Error(Exit::resources, std::string(name) + " need " + std::to_string(block.bytes) + " bytes of shared memory for a block of one element",
                "a block of this GPU has " + std::to_string(limit), "use a lower order, matrix-free operators, or the CPU");
  return block;
}

template <class... Parameters, class... Arguments>
void start_blocks(const Device& device, const char* name, Index blocks, const BlockShape& block, void (*kernel)(Parameters...), const Arguments&... arguments) {
  const LaunchScope launch(device, name);
  if (block.bytes > (48 << 10))  // more has to be asked for
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, block.bytes), "asking for shared memory");
  start(device, {blocks, block.threads, block.bytes}, kernel, arguments...);
}

template <class Kernel, class F>
void launch_blocks(const Device& device, const ElementArguments& arguments, Kernel kernel, const F& form, int scratch_entries,
                   int items, const char* name, int number_bytes = sizeof(double)) {
  if (arguments.batch_count == 0) return;
  const BlockShape block = block_for(device, scratch_entries * number_bytes, items, name);
  start_blocks(device, name, arguments.batch_count * (lane_count / block.elements), block, kernel, form, arguments, block.elements);
}

template <ElementTask Task, Form F, int N, int D, int Points>
void launch_elements(const Device& device, const ElementArguments& arguments, int scratch_entries, int items,
                     const char* name) {
  launch_blocks(device, arguments, element_kernel<Task, F, N, D, Points>, form_of<F>(arguments), scratch_entries, items, name, sizeof(TaskReal<Task>));
}

template <Form F, int N, int D, int Points>
void run_matrices(const Device& device, const ElementArguments& arguments) {
  using Sh = Shape<F, N, D>;
  launch_elements<ElementTask::matrices, F, N, D, Points>(device, arguments, matrices_scratch<F, Sh>(arguments.table),
                                                          Sh::column_tile * Sh::nodes(arguments.table), "element matrices");
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
  launch_elements<Task, F, N, D, 0>(device, arguments, actions_scratch<F, Sh>(arguments.table), widest_loop<Sh>(arguments.table),
                                    "element actions");
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
  launch_elements<ElementTask::commits, F, N, D, 0>(device, arguments, nodal_scratch<F, Shape<F, N, D>>(arguments.table),
                                                    arguments.table.point_count, "point state");
}

template <Form F, int N, int D>
void run_tangents(const Device& device, const ElementArguments& arguments) {
  launch_elements<ElementTask::tangents, F, N, D, 0>(device, arguments, nodal_scratch<F, Shape<F, N, D>>(arguments.table),
                                                     arguments.table.point_count, "point tangents");
}

template <Form F, int N, int D>
void run_evaluate(const Device& device, const ElementArguments& arguments) {
  using Sh = Shape<F, N, D>;
  launch_elements<ElementTask::evaluate, F, N, D, 0>(device, arguments, evaluate_scratch<F, Sh>(arguments.table),
                                                     widest_loop<Sh>(arguments.table), "element evaluation");
}

}  // namespace ritz::RITZ_BACKEND
