// Makes a form available on the cells it is wanted on. In a kernel source (ritz_kernels() in CMake):
//
//   const RegisterForm<Elasticity, Cell<4, 3>, Cell<10, 3>> elasticity;      // nodes and dimension of the cells
//
// A cell is known to kernels by its number of nodes and its reference dimension only. AnyElement<3> serves all elements of
// that dimension that are not listed, and as few nodes as a linear cell's on a geometry of more: so a new reference element
// needs no new kernel.
#pragma once

#include "device/kernels.hpp"
#include "fem/form_record.hpp"
#ifdef __CUDACC__
#include "fem/launch/element_kernels_cuda.hpp"
#else
#include "fem/launch/element_kernels_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {

template <int NodeCount, int ReferenceDimension>
struct Cell {
  static constexpr int nodes = NodeCount, dimension = ReferenceDimension;
};
template <int ReferenceDimension>
using AnyElement = Cell<0, ReferenceDimension>;

template <Form F, class C>
struct RegisterFormOnCell {
  RegisterFormOnCell() {
    register_kernels(RITZ_TEXT(RITZ_BACKEND), form_kernel_name(F::name, C::nodes, C::dimension).c_str(), &table());
  }

 private:
  static const FormKernels& table() {
    // Kernels of a cell's own for actions, too, where systems are solved without a matrix: of vectors on quadratic cells in space.
    constexpr bool acts = C::nodes == 0 || (C::nodes >= 10 && C::dimension == 3 && F::components > 1 && F::uses_gradient);
    constexpr int points = C::nodes == C::dimension + 1 ? 1 : 0;  // linear simplices: one point, all in registers
    static FormKernels t{nullptr, run_residuals<F, C::nodes, C::dimension>, nullptr, nullptr, nullptr, nullptr};
    if constexpr (FormFacts<F>::has_matrix) t.matrices = choose_matrices<points>();
    if constexpr (FormFacts<F>::has_matrix && acts) {
      t.actions = run_actions<F, C::nodes, C::dimension>;
      t.single_actions = run_single_actions<F, C::nodes, C::dimension>;
    }
    if constexpr (FormFacts<F>::has_matrix && C::nodes == 0) t.diagonals = run_diagonals<F, 0, C::dimension>;
    if constexpr (keeps_tangents<F, C::dimension> && C::nodes == 0) t.tangents = run_tangents<F, 0, C::dimension>;
    if constexpr (FormFacts<F>::evaluated > 0) t.evaluate = run_evaluate<F, C::nodes, C::dimension>;
    if constexpr (FormFacts<F>::state > 0) t.commits = run_commits<F, C::nodes, C::dimension>;
    return t;
  }
  template <int Points>
  static ElementKernel choose_matrices() {
    if constexpr (Points == 0) {
      return run_matrices<F, C::nodes, C::dimension, 0>;
    } else {
      return [](const Device& device, const ElementArguments& arguments) {
        if (arguments.table.point_count == Points)
          run_matrices<F, C::nodes, C::dimension, Points>(device, arguments);
        else
          run_matrices<F, C::nodes, C::dimension, 0>(device, arguments);
      };
    }
  }
};

template <Form F, class... Cells>
struct RegisterForm {
  RegisterForm() {
    (RegisterFormOnCell<F, Cells>(), ...);
    static const FormRecord record = record_of<F>();
    register_kernels(RITZ_TEXT(RITZ_BACKEND), form_record_name(F::name).c_str(), &record);
  }
};

}  // namespace ritz::RITZ_BACKEND
