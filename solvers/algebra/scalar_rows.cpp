#include "solvers/algebra/scalar_rows.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/scalar_rows_kernels.hpp"

#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

const ScalarRowKernels& row_kernels(const SparseMatrix& A) {
  return kernels<ScalarRowKernels>(A.device(), solver_kernels, "scalar rows");
}

}  // namespace

ScalarRows scalar_rows(const SparseMatrix& A, const char* what) {
  if (A.rows() > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::device_memory, fmt::format("a matrix of {} rows does not fit 32-bit columns", A.rows()),
                "a direct solver takes scalar columns of 32 bits", "use an iterative solver");
  const Device& device = A.device();
  const Index entries = A.values().size();
  ScalarRows result{Array<Index>(device, A.rows() + 1, what), Array<std::int32_t>(device, entries, what),
                    Vector(device, entries, what)};
  row_kernels(A).pattern(device, matrix_view(A), result.offsets.data(), result.columns.data());
  scalar_values(A, result.values);
  return result;
}

void scalar_values(const SparseMatrix& A, Vector& values) {
  if (values.size() != A.values().size()) throw_size_mismatch(A.values().size(), values.size());
  A.device().profile().count(2 * values.bytes());
  row_kernels(A).values(A.device(), matrix_view(A), values.data());
}

}  // namespace ritz
