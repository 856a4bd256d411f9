// Makes a whole element (fem/forms/whole_element.hpp) available by its name. In a kernel source:
//
//   const RegisterWholeElement<Beam> beam;
#pragma once

#include "device/kernels.hpp"
#include "fem/forms/form_record.hpp"
#ifdef __CUDACC__
#include "fem/launch/whole_kernels_cuda.hpp"
#else
#include "fem/launch/whole_kernels_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {

template <WholeElement E>
struct RegisterWholeElement {
  RegisterWholeElement() {
    using Facts = WholeElementFacts<E>;
    static FormKernels table{nullptr, run_whole<WholeTask::residuals, E>, nullptr, nullptr, nullptr, nullptr};
    if constexpr (Facts::has_matrix) {
      table.matrices = run_whole<WholeTask::matrices, E>;
      table.actions = run_whole<WholeTask::actions, E>;
      table.diagonals = run_whole<WholeTask::diagonals, E>;
    }
    if constexpr (Facts::state > 0) { table.commits = run_whole<WholeTask::commits, E>; }
    if constexpr (Facts::evaluated > 0) { table.evaluate = run_whole<WholeTask::evaluate, E>; }
    register_kernels(RITZ_TEXT(RITZ_BACKEND), whole_kernel_name(E::name).c_str(), &table);
    static const FormRecord record = record_of_element<E>();
    register_kernels(RITZ_TEXT(RITZ_BACKEND), form_record_name(E::name).c_str(), &record);
  }
};

}  // namespace ritz::RITZ_BACKEND
