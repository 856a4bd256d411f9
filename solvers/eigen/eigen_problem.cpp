#include "solvers/eigen/eigen_problem.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/process/stop_request.hpp"
#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/algebra/solver_progress.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <random>

namespace ritz {

EigenProblem::EigenProblem(EigenOperators operators, const EigenOptions& eigen_options, int dimension)
    : K(operators.K),
      M(operators.M),
      options(eigen_options),
      stiffness(std::move(operators.stiffness)),
      in_lanes(operators.in_lanes),
      motions(operators.motions) {
  for (const auto& [name, diagonal] : {std::pair{"stiffness", &stiffness}, std::pair{"mass", &operators.mass}})
    if (const Index bad = first_not_finite(*diagonal); bad >= 0)
      throw Error(ErrorKind::not_finite,
                  fmt::format("entry {} of the diagonal of the {} matrix is not finite", bad, name), {},
                  advice_for(StopReason::not_finite));
  const std::vector<double> k = stiffness.host(), m = operators.mass.host();
  double stiffness_sum = 0, mass_sum = 0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (m[i] == 0) continue;
    if (!(m[i] > 0))
      throw Error(ErrorKind::singular_matrix,
                  fmt::format("row {} of the mass matrix has the diagonal entry {}", i, m[i]), "masses are positive",
                  "check the density");
    ++mass_count;
    stiffness_sum += k[i];
    mass_sum += m[i];
  }
  const Communicator all(K.device());
  mass_count = all.total(mass_count);
  stiffness_sum = all.sum_of(stiffness_sum);
  mass_sum = all.sum_of(mass_sum);
  if (mass_count == 0)
    throw Error(ErrorKind::singular_matrix, "no unknown is free and has mass", "nothing can vibrate",
                "give the material a density, and leave some of the body free");
  // The quotient of the traces is of the size of the highest eigenvalue, c^2 / h^2 with the size h of a cell; the
  // lowest of a body as wide as long is of the size c^2 / L^2.
  const double nodes = static_cast<double>(mass_count) / operators.block;
  low_guess = stiffness_sum / mass_sum * std::pow(nodes, -2.0 / (dimension > 0 ? dimension : 3));
  if (!options.band && options.count > mass_count)
    throw Error(ErrorKind::modal_options,
                fmt::format("{} eigenvalues were asked for, but only {} unknowns are free and have mass", options.count,
                            mass_count),
                {}, "ask for fewer, or refine the mesh");
  if (options.below) mass = std::move(operators.mass);
}

double EigenProblem::rounding(const Vector& x, double value, Vector& work) const {
  multiply(x, stiffness, work);
  double size = norm2(work);
  if (!mass.empty()) {
    multiply(x, mass, work);
    size += std::abs(value) * norm2(work);
  }
  return std::numeric_limits<double>::epsilon() * size;
}

void EigenProblem::tell(int converged, int wanted, int iteration, double worst, double target) const {
  throw_if_stop_requested();
  const std::string modes = fmt::format("modes: {} of {} converged, ", converged, wanted);
  if (worst > 0) report_iteration(iteration, worst, target, modes);
  else report_progress(fmt::format("{}iteration {}", modes, iteration));
}

MultiVector EigenProblem::random_block(int columns, int seed) const {
  MultiVector X(K.device(), K.rows(), columns, "eigenvectors");
  const auto rank = static_cast<std::uint64_t>(Communicator(K.device()).rank());
  std::mt19937_64 generator(static_cast<std::uint64_t>(seed) + 1 + (rank << 32));
  std::vector<double> values(static_cast<std::size_t>(K.rows()));
  Vector x(K.device(), K.rows(), "vectors");
  for (int column = 0; column < columns; ++column) {
    for (double& value : values) value = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
    x.upload(values);
    X.set_column(column, x);
  }
  return X;
}

void EigenProblem::measure(VectorPieces X, EigenSolution& s) const {
  make_orthonormal(M, {}, X);
  if (X.empty())
    throw Error(ErrorKind::modes_not_converged, "the eigenvectors found have no mass", {},
                "please report it with the case file");
  s.values = to_ritz_vectors(K, X);
  s.residuals.assign(s.values.size(), 0);
  s.rounding.assign(s.values.size(), 0);
  Vector x(K.device(), K.rows(), "vectors"), Mx(K.device(), K.rows(), "vectors"), r(K.device(), K.rows(), "vectors");
  std::size_t mode = 0;
  for (const MultiVector& piece : X) {
    const MultiVector MX = applied(M, piece);
    MultiVector R = applied(K, piece);
    const auto n = static_cast<std::size_t>(piece.columns());
    SmallMatrix minus(n * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) minus[k * n + k] = -s.values[mode + k];
    combine(MX, minus, 1.0, R);
    if (motions != nullptr) remove_held_forces(*motions, R);
    for (int k = 0; k < piece.columns(); ++k, ++mode) {
      MX.get_column(k, Mx);
      R.get_column(k, r);
      const double size = std::max(std::abs(s.values[mode]), s.reference) * norm2(Mx);
      s.residuals[mode] = norm2(r) / size;
      piece.get_column(k, x);
      s.rounding[mode] = 32 * rounding(x, s.values[mode], r) / size;
    }
  }
  s.vectors = joined(X);
}

std::vector<double> to_ritz_vectors(const LinearOperator& K, VectorPieces& X) {
  const int n = column_count(X);
  const SymmetricEigen ritz = symmetric_eigen(projected(K, {&X}, X), n);
  replace({&X}, lowest_vectors(ritz, n, n), {{&X, n}});
  return ritz.values;
}

SmallMatrix lowest_vectors(const SymmetricEigen& eigen, int size, int count) {
  SmallMatrix C(static_cast<std::size_t>(size * count));
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < size; ++i)
      C[static_cast<std::size_t>(i * count + k)] = eigen.vectors[static_cast<std::size_t>(k * size + i)];
  return C;
}

}  // namespace ritz
