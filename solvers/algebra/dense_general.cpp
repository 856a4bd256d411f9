#include "solvers/algebra/dense_general.hpp"

#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/dense_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace ritz {
namespace {

using Complex = std::complex<double>;

// T = Q^H A Q, upper triangular at the end, and Q.
class Schur {
 public:
  Schur(std::vector<Complex> A, std::size_t n) : n_(n), T_(std::move(A)), Q_(n * n, 0.0) {
    for (std::size_t i = 0; i < n; ++i) Q_[i * n + i] = 1;
    for (const Complex& each : T_) {
      if (!std::isfinite(std::abs(each)))
        throw Error(ErrorKind::not_finite, "an entry of a dense eigenproblem is not finite");
      largest_ = std::max(largest_, std::abs(each));
    }
    for (std::size_t k = 0; k + 2 < n; ++k) reflect(k);
    iterate();
  }

  GeneralEigen eigen() const {
    GeneralEigen result;
    for (std::size_t k = 0; k < n_; ++k) {
      result.values.push_back(T(k, k));
      const std::vector<Complex> y = triangular_vector(k);
      std::vector<Complex> x(n_, 0.0);
      double square = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j <= k; ++j) x[i] += Q_[i * n_ + j] * y[j];
        square += std::norm(x[i]);
      }
      for (const Complex& each : x) result.vectors.push_back(each / std::sqrt(square));
    }
    return result;
  }

 private:
  Complex& T(std::size_t i, std::size_t j) { return T_[i * n_ + j]; }
  const Complex& T(std::size_t i, std::size_t j) const { return T_[i * n_ + j]; }

  // Makes zeros below the first subdiagonal of column k.
  void reflect(std::size_t k) {
    std::vector<Complex> v(n_, 0.0);
    double square = 0;
    for (std::size_t i = k + 1; i < n_; ++i) square += std::norm(v[i] = T(i, k));
    const double size = std::sqrt(square);
    if (size == 0) return;
    const Complex first = v[k + 1];
    const Complex sign = std::abs(first) > 0 ? first / std::abs(first) : Complex(1);
    v[k + 1] += sign * size;
    const double factor = 2 / (2 * (square + size * std::abs(first)));  // of v v^H
    for (std::size_t j = 0; j < n_; ++j) {                              // H T
      Complex sum = 0;
      for (std::size_t i = k + 1; i < n_; ++i) sum += std::conj(v[i]) * T(i, j);
      for (std::size_t i = k + 1; i < n_; ++i) T(i, j) -= factor * sum * v[i];
    }
    for (std::vector<Complex>* each : {&T_, &Q_})  // T H and Q H
      for (std::size_t i = 0; i < n_; ++i) {
        Complex* const row = each->data() + i * n_;
        Complex sum = 0;
        for (std::size_t j = k + 1; j < n_; ++j) sum += row[j] * v[j];
        for (std::size_t j = k + 1; j < n_; ++j) row[j] -= factor * sum * std::conj(v[j]);
      }
    for (std::size_t i = k + 2; i < n_; ++i) T(i, k) = 0;
  }

  void iterate() {
    std::size_t last = n_;  // rows from here on are done
    int steps = 0;
    while (last > 1) {
      std::size_t first = last - 1;
      while (first > 0 && !is_negligible(first)) --first;
      if (first > 0) T(first, first - 1) = 0;
      if (first + 1 == last) {
        --last;
        steps = 0;
        continue;
      }
      if (++steps > 300) throw Error(ErrorKind::not_converged, "a dense eigenproblem did not converge");
      sweep(first, last, steps % 10 == 0 ? T(last - 1, last - 1) + std::abs(T(last - 1, last - 2)) : shift_at(last));
    }
  }

  bool is_negligible(std::size_t i) const {
    const double beside = std::abs(T(i, i)) + std::abs(T(i - 1, i - 1));
    return std::abs(T(i, i - 1)) <= std::numeric_limits<double>::epsilon() * (beside > 0 ? beside : largest_);
  }

  // The eigenvalue of the last 2 x 2 block that is nearer to its last entry.
  Complex shift_at(std::size_t last) const {
    const Complex a = T(last - 2, last - 2), b = T(last - 2, last - 1), c = T(last - 1, last - 2),
                  d = T(last - 1, last - 1);
    const Complex mean = 0.5 * (a + d), root = std::sqrt(0.25 * (a - d) * (a - d) + b * c);
    return std::abs(mean + root - d) < std::abs(mean - root - d) ? mean + root : mean - root;
  }

  struct Turn {
    double c;
    Complex s;
  };
  // [c s; -s* c] takes (a, b) to (r, 0).
  static Turn turn_of(Complex a, Complex b) {
    const double size = std::hypot(std::abs(a), std::abs(b));
    if (size == 0) return {1, 0.0};
    if (std::abs(a) == 0) return {0, std::conj(b) / std::abs(b)};
    return {std::abs(a) / size, a / std::abs(a) * std::conj(b) / size};
  }

  // T - shift = Q R; T = R Q + shift, on rows from first to last.
  void sweep(std::size_t first, std::size_t last, Complex shift) {
    for (std::size_t i = first; i < last; ++i) T(i, i) -= shift;
    std::vector<Turn> turns;
    for (std::size_t i = first; i + 1 < last; ++i) {
      const auto [c, s] = turns.emplace_back(turn_of(T(i, i), T(i + 1, i)));
      for (std::size_t j = i; j < n_; ++j) {
        const Complex a = T(i, j), b = T(i + 1, j);
        T(i, j) = c * a + s * b;
        T(i + 1, j) = -std::conj(s) * a + c * b;
      }
    }
    for (std::size_t i = first; i + 1 < last; ++i) {
      const auto [c, s] = turns[i - first];
      const auto turn = [c = c, s = s](Complex& a, Complex& b) {
        const Complex x = a, y = b;
        a = c * x + std::conj(s) * y;
        b = -s * x + c * y;
      };
      for (std::size_t row = 0; row < std::min(i + 2, last); ++row) turn(T(row, i), T(row, i + 1));
      for (std::size_t row = 0; row < n_; ++row) turn(Q_[row * n_ + i], Q_[row * n_ + i + 1]);
    }
    for (std::size_t i = first; i < last; ++i) T(i, i) += shift;
  }

  // The eigenvector of T for its diagonal entry k.
  std::vector<Complex> triangular_vector(std::size_t k) const {
    std::vector<Complex> y(k + 1, 0.0);
    y[k] = 1;
    const double least = std::numeric_limits<double>::epsilon() * std::max(largest_, 1e-300);
    for (std::size_t i = k; i-- > 0;) {
      Complex sum = 0;
      for (std::size_t j = i + 1; j <= k; ++j) sum += T(i, j) * y[j];
      Complex gap = T(k, k) - T(i, i);
      if (std::abs(gap) < least) gap = least;
      y[i] = sum / gap;
    }
    return y;
  }

  std::size_t n_;
  std::vector<Complex> T_, Q_;
  double largest_ = 0;
};

}  // namespace

namespace {

// Below it nobody waits, and the module of the direct solver need not be loaded.
constexpr int fewest_for_lapack = 100;

const DenseEigen* lapack() {
  static const DenseEigen* const found = []() -> const DenseEigen* {
    const bool has_room = has_addresses_for(Index{209} << 20);  // for the libraries and the buffer of a BLAS
    if (!has_room || !load_kernels("cpu", "ritz_direct").empty() || !has_kernels("cpu", "ritz_direct", "dense eigen"))
      return nullptr;
    return static_cast<const DenseEigen*>(find_kernels("cpu", "ritz_direct", "dense eigen"));
  }();
  return found;
}

// None where it cannot.
std::optional<GeneralEigen> by_lapack(const std::vector<Complex>& A, int n) {
  const auto is_real = [](const Complex& each) { return each.imag() == 0 && std::isfinite(each.real()); };
  if (n < fewest_for_lapack || !std::ranges::all_of(A, is_real) || lapack() == nullptr) return std::nullopt;
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> columns(size * size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) columns[j * size + i] = A[i * size + j].real();
  GeneralEigen result{std::vector<Complex>(size), std::vector<Complex>(size * size)};
  if (!lapack()->general(n, columns.data(), result.values.data(), result.vectors.data())) return std::nullopt;
  return result;
}

}  // namespace

GeneralEigen general_eigen(std::vector<std::complex<double>> A, int n) {
  if (std::optional<GeneralEigen> found = by_lapack(A, n)) return std::move(*found);
  return Schur(std::move(A), static_cast<std::size_t>(n)).eigen();
}

}  // namespace ritz
