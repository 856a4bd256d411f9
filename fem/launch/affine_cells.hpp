// The name under which a form's actions on parallelograms or parallelepipeds are registered, where there are some.
#pragma once

#include "fem/launch/element_arguments.hpp"

namespace ritz {

inline std::string affine_tensor_kernel_name(const char* form, int order, int reference_dimension) {
  return tensor_kernel_name(form, order, reference_dimension) + "/affine";
}

}  // namespace ritz
