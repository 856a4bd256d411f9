// Makes the geometric stiffness of a form or of a structural element available, which linear buckling and modes under
// preload take. In a kernel source, next to RegisterForm or RegisterWholeElement; in a plugin next to AddForm:
//
//   const RegisterGeometric<Elasticity> elasticity;      const ritz::AddGeometricStiffness<MyForm> mine;
//
// Kernels of matrices alone, for any element: an analysis takes each matrix once.
#pragma once

#include "fem/elements/geometric_stiffness.hpp"
#include "fem/forms/geometric_stiffness.hpp"
#include "fem/launch/geometric_names.hpp"
#include "fem/launch/register_form.hpp"
#include "fem/launch/register_whole.hpp"

namespace ritz::RITZ_BACKEND {

template <class F>
struct RegisterGeometric {
  RegisterGeometric() {
    static FormKernels table{};
    const std::string name = geometric_name(F::name);
    if constexpr (WholeElement<F>) {
      table.matrices = run_whole<WholeTask::matrices, GeometricElement<F>>;
      register_kernels(RITZ_TEXT(RITZ_BACKEND), whole_kernel_name(name.c_str()).c_str(), &table);
    } else {
      constexpr int dimension = F::dimension;
      table.matrices = run_matrices<GeometricStiffness<F>, 0, dimension, 0>;
      register_kernels(RITZ_TEXT(RITZ_BACKEND), form_kernel_name(name.c_str(), 0, dimension).c_str(), &table);
    }
  }
};

}  // namespace ritz::RITZ_BACKEND

namespace ritz {

template <class F>
using AddGeometricStiffness = RITZ_BACKEND::RegisterGeometric<F>;

}  // namespace ritz
