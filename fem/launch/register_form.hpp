// Makes a form available on the cells it is wanted on. In a kernel source (ritz_kernels() in CMake):
//
//   const RegisterForm<Elasticity, Cell<4, 3>, Cell<10, 3>> elasticity;      // nodes and dimension of the cells
//
// A cell is known to kernels by its number of nodes and its reference dimension only. AnyElement<3> serves all elements
// of that dimension that are not listed, and as few nodes as a linear cell's on a geometry of more: so a new reference
// element needs no new kernel.
#pragma once

#include "device/kernels.hpp"
#include "fem/forms/form_record.hpp"
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

// Repeated tasks of a solution have kernels for each cell: matrices, and residuals of Newton's method.
// Single tasks use the kernels for any element if the form has those, too (`beside_any`): half as much to
// compile.
template <Form F, class C, bool beside_any>
struct RegisterFormOnCell {
  RegisterFormOnCell() {
    register_kernels(RITZ_TEXT(RITZ_BACKEND), form_kernel_name(F::name, C::nodes, C::dimension).c_str(), &table());
  }

 private:
  static constexpr bool of_law = FormFacts<F>::from_law > 0, couples = FormFacts<F>::coupled > 0;
  static const FormKernels& table() {
    // Kernels of a cell's own for actions, too, where systems are solved without a matrix: of vectors on quadratic
    // cells in space.
    constexpr bool acts = C::nodes == 0 || couples ||
                          (C::nodes >= 10 && C::dimension == 3 && F::components > 1 && F::uses_gradient && !of_law);
    constexpr bool asked_once = beside_any && C::nodes != 0;
    static FormKernels t{};
    if constexpr (!asked_once || !FormFacts<F>::linear || of_law)
      t.residuals = run_residuals<F, C::nodes, C::dimension>;
    if constexpr (FormFacts<F>::has_matrix) {
      t.matrices = choose_matrices();
      t.sums_matrices = one_point && sums_matrices<F, C::nodes, C::dimension, 1>;
    }
    if constexpr (FormFacts<F>::has_matrix && acts) {
      t.actions = run_actions<F, C::nodes, C::dimension>;
      if constexpr (!of_law) t.single_actions = run_single_actions<F, C::nodes, C::dimension>;
    }
    if constexpr (FormFacts<F>::has_matrix && (C::nodes == 0 || couples))
      t.diagonals = run_diagonals<F, C::nodes, C::dimension>;
    if constexpr (keeps_tangents<F, C::dimension> && C::nodes == 0) t.tangents = run_tangents<F, 0, C::dimension>;
    if constexpr ((FormFacts<F>::evaluated > 0 || of_law) && !asked_once)
      t.evaluate = run_evaluate<F, C::nodes, C::dimension>;
    if constexpr (FormFacts<F>::state > 0 || of_law) t.commits = run_commits<F, C::nodes, C::dimension>;
    return t;
  }
  // Gradients on linear simplices: one point will do.
  static constexpr bool one_point = C::nodes == C::dimension + 1 && !F::uses_value && FormFacts<F>::extra_degree <= 1;
  static ElementKernel choose_matrices() {
    if constexpr (!one_point) {
      return run_matrices<F, C::nodes, C::dimension, 0>;
    } else {
      return [](const Device& device, const ElementArguments& arguments) {
        if (arguments.table.point_count == 1) run_matrices<F, C::nodes, C::dimension, 1>(device, arguments);
        else run_matrices<F, beside_any ? 0 : C::nodes, C::dimension, 0>(device, arguments);
      };
    }
  }
};

template <Form F, class... Cells>
struct RegisterForm {
  RegisterForm() {
    constexpr bool any = ((Cells::nodes == 0) || ...);
    (RegisterFormOnCell<F, Cells, any>(), ...);
    static const FormRecord record = record_of<F>();
    register_kernels(RITZ_TEXT(RITZ_BACKEND), form_record_name(F::name).c_str(), &record);
  }
};

}  // namespace ritz::RITZ_BACKEND
