// Makes a form of several fields available on every cell of its dimension. In a kernel source (ritz_kernels() in
// CMake):
//
//   const RegisterMixedForm<Stokes<3>> stokes;
#pragma once

#include "device/kernels.hpp"
#include "fem/forms/mixed_form_record.hpp"
#ifdef __CUDACC__
#include "fem/launch/mixed_kernels_cuda.hpp"
#else
#include "fem/launch/mixed_kernels_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {

template <MixedForm F>
struct RegisterMixedForm {
  RegisterMixedForm() {
    static FormKernels table{};
    table.residuals = run_mixed_residuals<F, F::dimension>;
    table.actions = run_mixed_actions<F, F::dimension>;
    table.matrices = run_matrices;
    register_kernels(RITZ_TEXT(RITZ_BACKEND), form_kernel_name(F::name, 0, F::dimension).c_str(), &table);
    static const MixedFormRecord record = mixed_record_of<F>();
    register_kernels(RITZ_TEXT(RITZ_BACKEND), mixed_record_name(F::name).c_str(), &record);
  }

 private:
  static constexpr int count = MixedFormFacts<F>::count;

  // The kernel of the arguments' pair of fields.
  static void run_matrices(const Device& device, const ElementArguments& arguments) {
    const MixedArguments& mixed = mixed_arguments(arguments);
    unrolled<count * count>([&](auto pair) {
      constexpr int row = decltype(pair)::value / count, column = decltype(pair)::value % count;
      if constexpr (MixedFormFacts<F>::couples(row, column)) {
        if (mixed.row == row && mixed.column == column)
          run_mixed_block<F, F::dimension, row, column>(device, arguments);
      }
    });
  }
};

}  // namespace ritz::RITZ_BACKEND
