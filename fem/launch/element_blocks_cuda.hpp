// Blocks of threads at work on elements: block = some elements of one batch, thread = (item, element), the element
// fastest, so that neighbouring threads read and write neighbouring lanes. Scratch is shared memory, laid out the same
// way.
#pragma once

#include "device/cuda_check.hpp"
#include "device/error.hpp"
#include "device/launch.hpp"
#include "fem/launch/block_shape.hpp"
#include "fem/launch/element_arguments.hpp"

#include <string>

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
  static constexpr bool single = sizeof(Real) == sizeof(float), tiles_pairs = true, mirrors_blocks = true;
  int rank, size, lane;

  template <class F>
  __device__ void each(int count, const F& f) const {
    for (int i = rank; i < count; i += size) f(i);
  }
  // f(0), f(tile), ...: loops that the threads go through together.
  template <class F>
  __device__ void each_tile(int count, int tile, const F& f) const {
    for (int first = 0; first < count; first += tile) f(first);
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
    Origin origin{
        arguments.coordinates + Index{arguments.geometry_nodes[batch * nodes * lane_count + lane]} * dimension, {}};
    for (int d = 0; d < dimension; ++d) origin.at[d] = origin.from[d];
    return origin;
  }
  template <class X>
  __device__ void load_coordinates_from(const Origin& origin, const ElementArguments& arguments, Index batch, int a,
                                        int nodes, int dimension, const X& x) const {
    const double* at =
        arguments.coordinates + Index{arguments.geometry_nodes[(batch * nodes + a) * lane_count + lane]} * dimension;
    for (int d = 0; d < dimension; ++d) x(a * dimension + d) = static_cast<Real>(at[d] - origin.at[d]);
  }
  template <class U>
  __device__ void load_unknowns(const ElementArguments& arguments, Index batch, int a, int nodes, int components,
                                const U& u) const {
    if (arguments.u != nullptr) load(arguments.u, arguments.nodes + (batch * nodes + a) * lane_count, a, components, u);
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
  __device__ Real given(const ElementArguments& arguments, Index batch, int point, int points, int number) const {
    const Index place = (batch * points + point) * arguments.given_stride + number;
    return static_cast<Real>(arguments.given[place * lane_count + lane]);
  }
  __device__ Real state(const ElementArguments& arguments, Index batch, int number, int numbers) const {
    return static_cast<Real>(arguments.state[(batch * numbers + number) * lane_count + lane]);
  }
  __device__ Real from_law(const ElementArguments& arguments, Index batch, int number, int numbers) const {
    return static_cast<Real>(
        arguments.from_law[((batch - arguments.first_of_law) * numbers + number) * lane_count + lane]);
  }
  __device__ void store_state(const ElementArguments& arguments, Index batch, int number, int numbers,
                              double value) const {
    arguments.state[(batch * numbers + number) * lane_count + lane] = value;
  }
  __device__ Real tangent(const ElementArguments& arguments, Index batch, int entry, int entries) const {
    return static_cast<Real>(arguments.tangents[(batch * entries + entry) * lane_count + lane]);
  }
  __device__ void store_tangent(const ElementArguments& arguments, Index batch, int entry, int entries,
                                double value) const {
    arguments.tangents[(batch * entries + entry) * lane_count + lane] = static_cast<float>(value);
  }
  __device__ Real point_geometry(const ElementArguments& arguments, Index batch, int point, int points, int entry,
                                 int entries) const {
    return static_cast<Real>(
        arguments.point_geometry[((batch * points + point) * entries + entry) * lane_count + lane]);
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
  __device__ void store_cell(const ElementArguments& arguments, Index batch, int entry, int entries,
                             double value) const {
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

// The work of one thread in such a block. Shared memory is scratch of its element.
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

template <class F>
const F& form_of(const ElementArguments& arguments) {
  return *static_cast<const F*>(arguments.form);
}

inline int shared_memory_limit(const Device& device) {
  int bytes = 0;
  cuda_check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.info().ordinal),
             "asking for the shared memory of a block");
  return bytes;
}

// Elements of a batch per block, limited by shared memory in addition to `held` bytes, and enough threads for the
// widest loop.
inline BlockShape block_for(const Device& device, int scratch_bytes, int items, const char* name, int held = 0) {
  const int limit = shared_memory_limit(device);
  const BlockShape block = block_shape(lane_count, scratch_bytes, items, limit, held);
  if (block.elements == 0)
    throw Error(ErrorKind::device_memory,
                std::string(name) + " need " + std::to_string(block.bytes) +
                    " bytes of shared memory for a block of one element",
                "a block of this GPU has " + std::to_string(limit),
                "use a lower order, matrix-free operators, or the CPU");
  return block;
}

template <class... Parameters, class... Arguments>
void start_blocks(const Device& device, const char* name, Index blocks, const BlockShape& block,
                  void (*kernel)(Parameters...), const Arguments&... arguments) {
  const LaunchScope launch(device, name);
  if (block.bytes > (48 << 10))  // more needs a request
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, block.bytes),
               "asking for shared memory");
  start(device, {blocks, block.threads, block.bytes}, kernel, arguments...);
}

template <class Kernel, class F>
void launch_blocks(const Device& device, const ElementArguments& arguments, Kernel kernel, const F& form,
                   int scratch_entries, int items, const char* name, int number_bytes = sizeof(double)) {
  if (arguments.batch_count == 0) return;
  const BlockShape block = block_for(device, scratch_entries * number_bytes, items, name);
  start_blocks(device, name, arguments.batch_count * (lane_count / block.elements), block, kernel, form, arguments,
               block.elements);
}

}  // namespace ritz::RITZ_BACKEND
