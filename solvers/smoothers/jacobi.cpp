#include "solvers/smoothers/jacobi.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/multi_vector_kernels.hpp"
#include "solvers/algebra/vector_kernels.hpp"
#include "solvers/algebra/vectors.hpp"

#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

[[noreturn]] void throw_first_not_positive(const Vector& diagonal) {
  const std::vector<double> values = diagonal.host();
  std::size_t row = 0;
  while (row + 1 < values.size() && values[row] > 0 && std::isfinite(values[row])) ++row;
  throw Error(ErrorKind::singular_matrix,
              fmt::format("the diagonal entry of row {} of the matrix is {}", row, values[row]),
              "a positive definite matrix has a positive diagonal", "check supports and material data there");
}

}  // namespace

Vector inverse_diagonal(Vector diagonal) {
  if (diagonal.empty()) return diagonal;
  const Device device = diagonal.device();
  const auto& vector = kernels<VectorKernels>(device, solver_kernels, "vector");
  Vector result(device, 1, "reductions");
  vector.count_not_positive(device, diagonal.size(), diagonal.data(), result.data());
  if (Communicator(device).sum(result.data()) > 0) throw_first_not_positive(diagonal);
  device.profile().count(3 * diagonal.bytes());  // checked, read and written
  vector.invert(device, diagonal.size(), diagonal.data());
  return diagonal;
}

JacobiPreconditioner::JacobiPreconditioner(Vector diagonal) : inverse_(inverse_diagonal(std::move(diagonal))) {}

void JacobiPreconditioner::apply(const Vector& x, Vector& y) const { multiply(inverse_, x, y); }

void JacobiPreconditioner::apply_block(const MultiVector& X, MultiVector& Y) const {
  check_block(*this, X, Y);
  const auto& lanes = kernels<MultiVectorKernels>(device(), solver_kernels, "multi vector");
  for (int g = 0; g < X.groups(); ++g) {
    device().profile().count((1 + 2 * MultiVector::lanes) * inverse_.bytes());
    lanes.multiply_rows(device(), rows(), inverse_.data(), X.group(g), Y.group(g));
  }
}

}  // namespace ritz
