#include "solvers/multigrid/anisotropy.hpp"

#include "device/host_view.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace ritz {
namespace {

constexpr Index sampled_rows = 2000;

using Tensor = std::array<std::array<double, 3>, 3>;

double determinant(const Tensor& t) {
  return t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) - t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
         t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
}

// trace(inverse of a times b), of symmetric tensors
double trace_of_quotient(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      sum += (a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1]) * b[i][j];
    }
  return sum / determinant(a);
}

class Couplings {
 public:
  Couplings(const SparseMatrix& A, const Vector& coordinates, int dimension)
      : offsets_(A.pattern().offsets()),
        columns_(A.pattern().columns()),
        values_(A.values()),
        places_(coordinates),
        dimension_(dimension) {}

  // Arithmetic over harmonic mean of the couplings per direction; none where an unknown around is prescribed.
  std::optional<double> unevenness(Index row) const {
    Tensor K{}, H{};
    if (dimension_ < 3) K[2][2] = H[2][2] = 1;
    for (Index k = offsets_[row]; k < offsets_[row + 1]; ++k) {
      const Index other = columns_[k];
      if (is_prescribed(other)) return std::nullopt;
      for (int p = 0; p < dimension_; ++p)
        for (int q = 0; q < dimension_; ++q) {
          const double product = step(row, other, p) * step(row, other, q);
          K[static_cast<std::size_t>(p)][static_cast<std::size_t>(q)] -= values_[k] * product;
          H[static_cast<std::size_t>(p)][static_cast<std::size_t>(q)] += product;
        }
    }
    if (!(determinant(K) > 0) || !(determinant(H) > 0)) return std::nullopt;
    const double extra = dimension_ < 3 ? 1 : 0;  // of the third direction of a plane
    return (trace_of_quotient(H, K) - extra) * (trace_of_quotient(K, H) - extra) / (dimension_ * dimension_);
  }

 private:
  bool is_prescribed(Index row) const {
    for (Index k = offsets_[row]; k < offsets_[row + 1]; ++k)
      if (columns_[k] != row && values_[k] != 0) return false;
    return true;
  }
  double step(Index from, Index to, int axis) const {
    return places_[to * dimension_ + axis] - places_[from * dimension_ + axis];
  }

  HostView<Index> offsets_;
  HostView<std::int32_t> columns_;
  HostView<double> values_, places_;
  int dimension_;
};

}  // namespace

double anisotropic_share(const SparseMatrix& A, const Vector& coordinates, int dimension, double factor) {
  const Couplings couplings(A, coordinates, dimension);
  const Index rows = A.rows(), every = std::max<Index>(1, rows / sampled_rows);
  Index seen = 0, uneven = 0;
  for (Index row = 0; row < rows; ++row) {
    if (static_cast<Index>((static_cast<std::uint64_t>(row) * 0x9E3779B97F4A7C15ull) >> 33) % every != 0) continue;
    const std::optional<double> here = couplings.unevenness(row);
    if (!here) continue;
    ++seen;
    if (*here > factor) ++uneven;
  }
  return seen > 0 ? double(uneven) / double(seen) : 0;
}

}  // namespace ritz
