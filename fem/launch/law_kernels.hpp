// The kernel of a law, and its registration in a kernel source:
//
//   const RegisterLaw<NeoHooke> neo_hooke;
#pragma once

#include "device/kernels.hpp"
#include "fem/launch/law_arguments.hpp"
#include "fem/materials/law_record.hpp"
#ifdef __CUDACC__
#include "fem/launch/law_kernels_cuda.hpp"
#else
#include "fem/launch/law_kernels_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {

template <Law L>
struct RegisterLaw {
  RegisterLaw() {
    static const LawKernel kernel = run_law<L>;
    static const LawRecord record = record_of_law<L>();
    register_kernels(RITZ_TEXT(RITZ_BACKEND), law_kernel_name(L::name).c_str(), &kernel);
    register_kernels(RITZ_TEXT(RITZ_BACKEND), law_record_name(L::name).c_str(), &record);
  }
};

}  // namespace ritz::RITZ_BACKEND
