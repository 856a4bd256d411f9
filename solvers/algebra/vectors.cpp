#include "solvers/algebra/vectors.hpp"

#include "device/communicator.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vector_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

const VectorKernels& kernels_for(const Vector& x) {
  return kernels<VectorKernels>(x.device(), solver_kernels, "vector");
}

void check_same_size(const Vector& x, const Vector& y) {
  if (x.size() != y.size()) throw_size_mismatch(x.size(), y.size());
}

// Each of `vectors` vectors of this size read or written once.
void count(const Vector& x, int vectors) { x.device().profile().count(vectors * x.bytes()); }

// Over all ranks.
double sum(const Vector& mine) { return Communicator(mine.device()).sum(mine.data()); }

}  // namespace

void fill(double value, Vector& x) {
  if (!x.empty()) count(x, 1);
  if (!x.empty()) kernels_for(x).fill(x.device(), x.size(), value, x.data());
}

void copy(const Vector& x, Vector& y) {
  y.copy_from(x);
  if (!x.empty()) count(x, 2);
}

void axpy(double a, const Vector& x, Vector& y) { axpby(a, x, 1.0, y); }

void axpby(double a, const Vector& x, double b, Vector& y) {
  check_same_size(x, y);
  if (!x.empty()) count(x, 3);
  if (!x.empty()) kernels_for(x).axpby(x.device(), x.size(), a, x.data(), b, y.data());
}

void multiply(const Vector& x, const Vector& y, Vector& z) {
  check_same_size(x, y);
  check_same_size(x, z);
  if (!x.empty()) count(x, 3);
  if (!x.empty()) kernels_for(x).multiply(x.device(), x.size(), x.data(), y.data(), z.data());
}

double dot(const Vector& x, const Vector& y) {
  check_same_size(x, y);
  check_same_ranks(x.device(), y.device());
  if (x.empty()) return Communicator(x.device()).sum_of(0);
  Vector result(x.device(), 1, "reductions");
  count(x, 2);
  kernels_for(x).dot(x.device(), x.size(), x.data(), y.data(), result.data());
  return sum(result);
}

double norm2(const Vector& x) {
  const double square = dot(x, x);
  if (square > 1e-280 && square < 1e300) return std::sqrt(square);
  const double largest = max_abs(x);
  if (largest == 0 || std::isinf(largest) || std::isnan(square)) return std::isnan(square) ? square : largest;
  Vector scaled(x.device(), x.size(), "reductions");
  const double power = std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
  axpby(power, x, 0.0, scaled);
  return std::sqrt(dot(scaled, scaled)) / power;
}

double max_abs(const Vector& x) {
  if (x.empty()) return Communicator(x.device()).largest_of(0);
  Vector result(x.device(), 1, "reductions");
  count(x, 1);
  kernels_for(x).max_abs(x.device(), x.size(), x.data(), result.data());
  return Communicator(x.device()).largest(result.data());
}

// One pass counts; only if a number is not finite, the host examines the entries one by one.
Index first_not_finite(const Vector& x) {
  if (x.empty()) return -1;
  Vector result(x.device(), 1, "reductions");
  count(x, 1);
  kernels_for(x).count_not_finite(x.device(), x.size(), x.data(), result.data());
  if (sum(result) == 0) return -1;
  const std::vector<double> values = x.host();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) return static_cast<Index>(i);
  return -1;
}

bool all_positive(const Vector& x) {
  if (x.empty()) return Communicator(x.device()).sum_of(0) == 0;
  Vector result(x.device(), 1, "reductions");
  count(x, 1);
  kernels_for(x).count_not_positive(x.device(), x.size(), x.data(), result.data());
  return sum(result) == 0;
}

void fill_start_vector(Vector& x) {
  if (!x.empty()) kernels_for(x).start_vector(x.device(), x.size(), x.data());
}

}  // namespace ritz
