#include "apps/results/linearised_stress.hpp"

#include "mesh/point_algebra.hpp"

#include <cstddef>
#include <utility>

namespace ritz {
namespace {

using StressTensor = LinearisedStress::Tensor;
using SquareMatrix = std::array<Point, 3>;

// Weights of Simpson's rule for `count` places on a line of length 1; where the number of intervals is odd, the last
// three are those of the three-eighths rule.
std::vector<double> simpson_weights(std::size_t count) {
  std::vector<double> weights(count, 0.0);
  const std::size_t intervals = count - 1, pairs = intervals % 2 == 0 ? intervals / 2 : (intervals - 3) / 2;
  const double h = 1.0 / static_cast<double>(intervals);
  for (std::size_t pair = 0; pair < pairs; ++pair)
    for (const auto& [place, part] : {std::pair<std::size_t, double>{0, 1}, {1, 4}, {2, 1}})
      weights[2 * pair + place] += part * h / 3;
  if (intervals % 2 == 1)
    for (const auto& [place, part] : {std::pair<std::size_t, double>{0, 1}, {1, 3}, {2, 3}, {3, 1}})
      weights[2 * pairs + place] += 3 * part * h / 8;
  return weights;
}

SquareMatrix matrix_of(const StressTensor& t) { return {{{t[0], t[3], t[5]}, {t[3], t[1], t[4]}, {t[5], t[4], t[2]}}}; }

SquareMatrix matrix_product(const SquareMatrix& A, const SquareMatrix& B) {
  SquareMatrix C{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) C[i][j] += A[i][k] * B[k][j];
  return C;
}

// The part in the plane across the direction: P B P with P = I - n n^T.
StressTensor in_plane_across(const Point& direction, const StressTensor& tensor) {
  const double size = length(direction);
  SquareMatrix P{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) P[i][j] = (i == j ? 1.0 : 0.0) - direction[i] * direction[j] / (size * size);
  const SquareMatrix M = matrix_product(matrix_product(P, matrix_of(tensor)), P);
  return {M[0][0], M[1][1], M[2][2], M[0][1], M[1][2], M[0][2]};
}

StressTensor weighted_sum(double a, const StressTensor& x, double b, const StressTensor& y) {
  StressTensor result;
  for (std::size_t c = 0; c < result.size(); ++c) result[c] = a * x[c] + b * y[c];
  return result;
}

}  // namespace

StressTensor LinearisedStress::bending_at(End place) const {
  return weighted_sum(place == begin ? 1 : -1, bending, 0, bending);
}

StressTensor LinearisedStress::with_bending(End place) const { return weighted_sum(1, membrane, 1, bending_at(place)); }

StressTensor LinearisedStress::peak(End place) const { return weighted_sum(1, total[place], -1, with_bending(place)); }

LinearisedStress linearised(std::span<const double> stresses, const Point& direction, BendingOf bending) {
  const std::size_t count = stresses.size() / 6;
  const std::vector<double> weights = simpson_weights(count);
  LinearisedStress result;
  for (std::size_t i = 0; i < count; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(count - 1);
    for (std::size_t c = 0; c < 6; ++c) {
      const double part = weights[i] * stresses[6 * i + c];
      result.membrane[c] += part;
      result.bending[c] += 6 * part * (0.5 - place);
    }
  }
  if (bending == BendingOf::wall) result.bending = in_plane_across(direction, result.bending);
  for (std::size_t c = 0; c < 6; ++c) {
    result.total[0][c] = stresses[c];
    result.total[1][c] = stresses[6 * (count - 1) + c];
  }
  return result;
}

}  // namespace ritz
