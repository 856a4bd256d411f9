// The kernels of rectangular matrices besides those of all matrices (module ritz_solvers_kernels).
#pragma once

#include "device/device.hpp"

#include <cstdint>

namespace ritz {

struct RectangularKernels {
  // Zeros in marked rows and marked columns; nullptr: none is marked.
  void (*eliminate)(const Device&, Index rows, const Index* offsets, const std::int32_t* columns,
                    const std::uint8_t* marked_rows, const std::uint8_t* marked_columns, double* values);
};

}  // namespace ritz
