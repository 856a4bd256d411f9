// Makes a form's actions and diagonals available on quadrilaterals or hexahedra by sum factorisation. In a kernel
// source:
//
//   const RegisterTensor<Elasticity, 1, 2, 3, 4> elasticity;      // orders; the dimension is the form's
//
// Other orders, and forms without it, run by the engine for any element.
#pragma once

#include "fem/launch/affine_cells.hpp"
#include "fem/launch/register_form.hpp"
#include "fem/launch/tensor_diagonals.hpp"

#include <algorithm>
#include <iterator>

namespace ritz::RITZ_BACKEND {

#ifdef __CUDACC__
// Up to so many numbers of an element need no more than 255 registers, or hardly more (tests/cuda_kernels/ptxas.tsv).
template <class Real>
inline constexpr int numbers_in_registers = sizeof(Real) == sizeof(float) ? 105 : 96;
template <class Real, class Sh>
using TensorChunk =
    ChunkTraits<Real, Sh::N <= 3 && Sh::scratch <= numbers_in_registers<Real>, Sh::scratch, Sh::points, Sh::C, 1, 128>;

// LineTables as an argument of a kernel: it lies in constant memory, so that its entries are operands of instructions
// instead of loads.
template <class Real, int N>
struct ConstantTables {
  Real numbers[LineTables<N>::size];
};

template <class Real, Form F, int Order>
__global__ void __launch_bounds__(largest_block_threads)
    tensor_kernel(const __grid_constant__ F form, const __grid_constant__ ElementArguments arguments, int elements,
                  const __grid_constant__ ChunkSums sums,
                  const __grid_constant__ ConstantTables<Real, Order + 1> tables) {
  compute_chunk<TensorChunk<Real, TensorShape<F, Order, F::dimension>>>(
      arguments, elements, sums, [&](const auto& team, const auto& memory, Index batch) {
        tensor_actions<F, Order, F::dimension, CellMaps::any>(team, memory, form, arguments, batch, tables.numbers);
      });
}

template <class Real, Form F, int Order>
void launch_tensor_actions(const Device& device, const ElementArguments& arguments, const Real* tables) {
  using Sh = TensorShape<F, Order, F::dimension>;
  ConstantTables<Real, Order + 1> constants;
  std::copy_n(tables, std::size(constants.numbers), constants.numbers);
  launch_chunks<TensorChunk<Real, Sh>>(device, "tensor actions", arguments, form_of<F>(arguments),
                                       tensor_kernel<Real, F, Order>, Sh::lines, constants);
}
template <Form F, int Order>
void run_tensor_actions(const Device& device, const ElementArguments& arguments) {
  launch_tensor_actions<double, F, Order>(device, arguments, arguments.table.line);
}
template <Form F, int Order>
void run_single_tensor_actions(const Device& device, const ElementArguments& arguments) {
  launch_tensor_actions<float, F, Order>(device, arguments, arguments.table.single.line);
}

// LineTables up to the transposed ones, then SquareTables.
template <int N>
struct DiagonalTables {
  static constexpr int squares = LineTables<N>::values_transposed;
  double numbers[squares + SquareTables<N>::size];
};

template <Form F, int Order>
__global__ void __launch_bounds__(largest_block_threads)
    tensor_diagonal_kernel(const __grid_constant__ F form, const __grid_constant__ ElementArguments arguments,
                           int elements_per_block, const __grid_constant__ DiagonalTables<Order + 1> tables) {
  const auto [team, memory, batch] = ElementThread<double>(arguments, elements_per_block);
  tensor_diagonals<F, Order, F::dimension>(team, memory, form, arguments, batch, tables.numbers,
                                           tables.numbers + DiagonalTables<Order + 1>::squares);
}

template <Form F, int Order>
void run_tensor_diagonals(const Device& device, const ElementArguments& arguments) {
  using Sh = TensorDiagonalShape<F, Order, F::dimension>;
  using Tables = DiagonalTables<Order + 1>;
  if (arguments.batch_count == 0) return;
  constexpr const char* name = "tensor diagonals";
  Tables tables;
  const double* line = arguments.table.line;
  std::copy_n(line, Tables::squares, tables.numbers);
  std::copy_n(line + LineTables<Order + 1>::size, SquareTables<Order + 1>::size, tables.numbers + Tables::squares);
  const BlockShape block = block_for(device, Sh::scratch * sizeof(double), Sh::lines, name);
  start_blocks(device, name, arguments.batch_count * (lane_count / block.elements), block,
               tensor_diagonal_kernel<F, Order>, form_of<F>(arguments), arguments, block.elements, tables);
}
#else
template <Form F, int Order, CellMaps maps = CellMaps::any>
[[gnu::flatten]] void run_tensor_actions(const Device&, const ElementArguments& arguments) {
  using Sh = TensorShape<F, Order, F::dimension>;
  const F form = *static_cast<const F*>(arguments.form);
  alignas(64) Pack scratch[Sh::scratch];
  const int corners = arguments.point_geometry == nullptr ? Sh::corners : 0;
  for (Index i = 0; i < arguments.batch_count; ++i) {
    prefetch_lists(arguments, arguments.first_batch + i + 1, Sh::points, corners);
    tensor_actions<F, Order, F::dimension, maps>(CpuTeam{}, CpuMemory{scratch}, form, arguments,
                                                 arguments.first_batch + i, arguments.table.line);
  }
}

template <Form F, int Order, CellMaps maps = CellMaps::any>
[[gnu::flatten]] void run_single_tensor_actions(const Device&, const ElementArguments& arguments) {
  using Sh = TensorShape<F, Order, F::dimension>;
  const F form = *static_cast<const F*>(arguments.form);
  alignas(64) SinglePack scratch[Sh::scratch];
  const SingleCpuTeam team{arguments.first_batch + arguments.batch_count};
  const int corners = arguments.point_geometry == nullptr ? Sh::corners : 0;
  for (Index i = arguments.first_batch; i < team.batches; i += 2) {
    for (int next = 2; next < 4; ++next) prefetch_lists(arguments, i + next, Sh::points, corners);
    tensor_actions<F, Order, F::dimension, maps>(team, SingleCpuMemory{scratch}, form, arguments, i,
                                                 arguments.table.single.line);
  }
}

template <Form F, int Order>
[[gnu::flatten]] void run_tensor_diagonals(const Device&, const ElementArguments& arguments) {
  using Sh = TensorDiagonalShape<F, Order, F::dimension>;
  const F form = *static_cast<const F*>(arguments.form);
  const double* line = arguments.table.line;
  alignas(64) Pack scratch[Sh::scratch];
  for (Index i = 0; i < arguments.batch_count; ++i)
    tensor_diagonals<F, Order, F::dimension>(CpuTeam{}, CpuMemory{scratch}, form, arguments, arguments.first_batch + i,
                                             line, line + LineTables<Order + 1>::size);
}
#endif

template <Form F, int... Orders>
struct RegisterTensor {
  RegisterTensor() {
    (register_kernels(RITZ_TEXT(RITZ_BACKEND), tensor_kernel_name(F::name, Orders, F::dimension).c_str(),
                      &table<Orders>()),
     ...);
#ifndef __CUDACC__
    (register_affine<Orders>(), ...);
#endif
  }

 private:
  template <int Order>
  static const FormKernels& table() {
    static FormKernels t{nullptr,
                         nullptr,
                         nullptr,
                         run_tensor_actions<F, Order>,
                         run_tensor_diagonals<F, Order>,
                         run_single_tensor_actions<F, Order>};
#ifdef __CUDACC__
    t.sums_actions = true;
#endif
    return t;
  }
#ifndef __CUDACC__
  // Hexahedra up to order 4: elsewhere, and on GPUs, the kernels of any cell run. No gain was measured there, and one
  // more kernel of an order takes seconds to compile.
  template <int Order>
  static void register_affine() {
    if constexpr (F::dimension == 3 && Order <= 4)
      register_kernels(RITZ_TEXT(RITZ_BACKEND), affine_tensor_kernel_name(F::name, Order, F::dimension).c_str(),
                       &affine_table<Order>());
  }
  template <int Order>
  static const FormKernels& affine_table() {
    static FormKernels t{nullptr, nullptr,
                         nullptr, run_tensor_actions<F, Order, CellMaps::affine>,
                         nullptr, run_single_tensor_actions<F, Order, CellMaps::affine>};
    return t;
  }
#endif
};

template <Form F>
using RegisterAllTensors = RegisterTensor<F, 1, 2, 3, 4, 5, 6, 7, 8>;

}  // namespace ritz::RITZ_BACKEND
