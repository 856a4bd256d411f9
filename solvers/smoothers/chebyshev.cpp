#include "solvers/smoothers/chebyshev.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/smoothers/chebyshev_kernels.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/solve_report.hpp"
#include "solvers/algebra/vector_kernels.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

// A symmetric tridiagonal matrix.
struct LanczosMatrix {
  std::vector<double> diagonal, off_diagonal;
};

// How many eigenvalues are below `value` (Sturm sequence).
int eigenvalues_below(const LanczosMatrix& T, double value) {
  int count = 0;
  double pivot = 1;
  for (std::size_t i = 0; i < T.diagonal.size(); ++i) {
    const double coupling = i == 0 ? 0 : T.off_diagonal[i - 1] * T.off_diagonal[i - 1];
    pivot = T.diagonal[i] - value - (i == 0 ? 0 : coupling / pivot);
    if (pivot == 0) pivot = 1e-300;
    if (pivot < 0) ++count;
  }
  return count;
}

// By bisection between 0 and the bound of Gershgorin.
double largest_of(const LanczosMatrix& T) {
  const int size = static_cast<int>(T.diagonal.size());
  double low = 0, high = 0;
  for (int i = 0; i < size; ++i)
    high = std::max(high, T.diagonal[i] + (i > 0 ? std::abs(T.off_diagonal[i - 1]) : 0) +
                              (i + 1 < size ? std::abs(T.off_diagonal[i]) : 0));
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    if (eigenvalues_below(T, middle) == size) high = middle;
    else low = middle;
  }
  return high;
}

// The matrix of Lanczos from the alphas and betas of conjugate gradients: T_ii = 1 / alpha_i + beta_(i-1) /
// alpha_(i-1), T_i,i+1 = sqrt(beta_i) / alpha_i.
LanczosMatrix lanczos_matrix(const std::vector<double>& alphas, const std::vector<double>& betas) {
  LanczosMatrix T;
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    T.diagonal.push_back(1 / alphas[i] + (i > 0 ? betas[i - 1] / alphas[i - 1] : 0));
    if (i + 1 < alphas.size()) T.off_diagonal.push_back(std::sqrt(betas[i]) / alphas[i]);
  }
  return T;
}

// Last component of the eigenvector for an eigenvalue, of length 1: the row below would read `next` times it.
double last_component(const LanczosMatrix& T, double eigenvalue) {
  double before = 0, component = 1, squares = 1;
  for (std::size_t i = 0; i + 1 < T.diagonal.size(); ++i) {
    const double after =
        ((eigenvalue - T.diagonal[i]) * component - (i > 0 ? T.off_diagonal[i - 1] * before : 0)) / T.off_diagonal[i];
    before = component;
    component = after;
    squares += component * component;
  }
  return std::abs(component) / std::sqrt(squares);
}

void check(const ChebyshevOptions& options) {
  if (options.degree < 1 || options.degree > 100 || !(options.ratio > 1) || options.estimate_steps < 1)
    throw Error(ErrorKind::solver_options,
                fmt::format("a Chebyshev preconditioner of degree {}, ratio {} and {} estimate steps was asked for",
                            options.degree, options.ratio, options.estimate_steps),
                {}, "use degree 1 to 100, ratio > 1 and at least one step");
}

}  // namespace

LargestEigenvalue::LargestEigenvalue(const LinearOperator& A, const Vector& inverse_diagonal)
    : A_(A), inverse_diagonal_(inverse_diagonal) {
  for (Vector* v : {&r_, &z_, &p_, &q_}) *v = Vector(A.device(), A.rows(), "vectors");
  fill_start_vector(r_);
  multiply(inverse_diagonal_, r_, z_);
  copy(z_, p_);
  reserve(0);
  A.device().profile().count(r_.bytes() + z_.bytes());
  kernels<VectorKernels>(A.device(), solver_kernels, "vector")
      .dot(A.device(), A.rows(), r_.data(), z_.data(), numbers_.data());
  Communicator(A.device()).complete(numbers_.data(), 1);
}

void LargestEigenvalue::reserve(int steps) {
  if (numbers_.size() > 2 * steps) return;
  Vector longer(A_.device(), 1 + 2 * std::max(steps, 12), "vectors");
  if (!numbers_.empty()) A_.device().machine().copy_on_device(longer.data(), numbers_.data(), numbers_.bytes());
  numbers_ = std::move(longer);
}

// The host reads all numbers when the steps are done. Those after a residual of nearly nothing do not count.
double LargestEigenvalue::after(int steps) {
  reserve(steps);
  const Device& device = A_.device();
  const Communicator ranks(device);
  const auto& lanczos = kernels<LanczosKernels>(device, solver_kernels, "lanczos");
  for (; steps_ < steps; ++steps_) {
    double *const rz = numbers_.data() + 2 * steps_, *const pq = rz + 1, *const next_rz = rz + 2;
    A_.apply_dot(p_, q_, pq);
    ranks.complete(pq, 1);
    device.profile().count(8 * r_.bytes());
    lanczos.update(device, A_.rows(), rz, pq, q_.data(), inverse_diagonal_.data(), r_.data(), z_.data(), next_rz);
    ranks.complete(next_rz, 1);
    lanczos.direction(device, A_.rows(), next_rz, rz, z_.data(), p_.data());
  }
  std::vector<double> numbers(static_cast<std::size_t>(1 + 2 * steps_));
  ranks.read(numbers_.data(), numbers);
  alphas_.clear();
  betas_.clear();
  double largest = 0;  // of the Rayleigh quotients so far
  for (std::size_t k = 0; k + 2 < numbers.size() && numbers[k] > 1e-24 * numbers[0]; k += 2) {
    const double rz = numbers[k], pq = numbers[k + 1], next_rz = numbers[k + 2];
    // Only what a singular matrix maps to zero is left, and pq is rounding.
    if (k > 0 && std::abs(pq) <= 1e-12 * largest * rz) break;
    largest = std::max(largest, pq / rz);
    if (!(pq > 0) || !std::isfinite(pq))
      throw Error(ErrorKind::not_converged,
                  fmt::format("the matrix is not positive definite: p.Ap = {} for a vector p", pq),
                  "Chebyshev preconditioning needs positive eigenvalues", advice_for(StopReason::indefinite_matrix));
    alphas_.push_back(rz / pq);
    betas_.push_back(next_rz / rz);
  }
  return alphas_.empty() ? 1.0 : largest_of(lanczos_matrix(alphas_, betas_));
}

double LargestEigenvalue::residual() const {
  if (alphas_.empty() || !(betas_.back() > 0)) return 0;
  const LanczosMatrix T = lanczos_matrix(alphas_, betas_);
  return std::sqrt(betas_.back()) / alphas_.back() * last_component(T, largest_of(T));
}

double LargestEigenvalue::bound(int steps) {
  const double largest = after(steps);
  return std::max(1.1 * largest, largest + residual());
}

ChebyshevPreconditioner::ChebyshevPreconditioner(const SparseMatrix& A, const ChebyshevOptions& options)
    : ChebyshevPreconditioner(A, A.diagonal(), options) {}

ChebyshevPreconditioner::ChebyshevPreconditioner(const LinearOperator& A, Vector diagonal,
                                                 const ChebyshevOptions& options)
    : A_(A),
      options_((check(options), options)),
      inverse_diagonal_(ritz::inverse_diagonal(std::move(diagonal))),
      bound_(LargestEigenvalue(A, inverse_diagonal_).bound(options.estimate_steps)) {
  direction_ = Vector(A.device(), A.rows(), "vectors");
  if (options.degree == 1) return;
  product_ = Vector(A.device(), A.rows(), "vectors");
  residual_ = Vector(A.device(), A.rows(), "vectors");
}

std::string ChebyshevPreconditioner::name() const { return fmt::format("Chebyshev of degree {}", options_.degree); }

// Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 12.1, for D^-1 A y = D^-1 x from y = 0. The error
// polynomial T((theta - t) / delta) / T(theta / delta) is below one in size for 0 < t < 2 theta: y.x > 0.
void ChebyshevPreconditioner::apply(const Vector& x, Vector& y) const {
  if (x.size() != rows()) throw_size_mismatch(rows(), x.size());
  if (y.size() != rows()) throw_size_mismatch(rows(), y.size());
  if (x.empty()) return;
  iterate(kernels<ChebyshevKernels>(device(), solver_kernels, "chebyshev"), x.data(), direction_.data(),
          residual_.data(), y.data(), [&] {
            A_.apply(direction_, product_);
            return product_.data();
          });
}

void ChebyshevPreconditioner::apply_block(const MultiVector& X, MultiVector& Y) const {
  check_block(*this, X, Y);
  if (rows() == 0 || X.columns() == 0) return;
  if (directions_.columns() == 0)
    for (MultiVector* work : {&directions_, &products_, &residuals_})
      *work = MultiVector(device(), rows(), MultiVector::lanes);
  for (int g = 0; g < X.groups(); ++g)
    iterate(kernels<ChebyshevKernels>(device(), solver_kernels, "chebyshev lanes"), X.group(g), directions_.group(0),
            residuals_.group(0), Y.group(g), [&] {
              A_.apply_block(directions_, products_);
              return products_.group(0);
            });
}

// product(): q = A d, and its storage
template <class Product>
void ChebyshevPreconditioner::iterate(const ChebyshevKernels& chebyshev, const double* x, double* d, double* r,
                                      double* y, const Product& product) const {
  const double low = bound_ / options_.ratio, theta = 0.5 * (bound_ + low), delta = 0.5 * (bound_ - low);
  const double sigma = theta / delta;
  double rho = 1 / sigma;
  const Index lanes = d == direction_.data() ? 1 : MultiVector::lanes, vector = rows() * Index{sizeof(double)};
  device().profile().count(vector * (1 + 3 * lanes));
  chebyshev.start(device(), rows(), 1 / theta, inverse_diagonal_.data(), x, d, y);
  for (int step = 1; step < options_.degree; ++step) {
    const double* q = product();
    const double rho_next = 1 / (2 * sigma - rho);
    device().profile().count(vector * (1 + 7 * lanes));
    chebyshev.step(device(), rows(), 2 * rho_next / delta, rho_next * rho, inverse_diagonal_.data(), step == 1 ? x : r,
                   q, r, d, y);
    rho = rho_next;
  }
}

}  // namespace ritz
