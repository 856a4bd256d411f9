#include "solvers/algebra/rectangular_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND::rectangular_kernels {
namespace {

// index = row
struct EliminateRectangle {
  const Index* offsets;
  const std::int32_t* columns;
  const std::uint8_t* marked_rows;
  const std::uint8_t* marked_columns;
  double* values;
  constexpr void operator()(Index row) const {
    const bool whole = marked_rows != nullptr && marked_rows[row] != 0;
    for (Index k = offsets[row]; k < offsets[row + 1]; ++k)
      if (whole || (marked_columns != nullptr && marked_columns[columns[k]] != 0)) values[k] = 0.0;
  }
};

void eliminate(const Device& device, Index rows, const Index* offsets, const std::int32_t* columns,
               const std::uint8_t* marked_rows, const std::uint8_t* marked_columns, double* values) {
  for_each(device, "eliminate", rows, EliminateRectangle{offsets, columns, marked_rows, marked_columns, values});
}

const RectangularKernels table{eliminate};
const Registration registration("rectangular matrix", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::rectangular_kernels
