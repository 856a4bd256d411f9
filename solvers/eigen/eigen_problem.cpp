#include "solvers/eigen/eigen_problem.hpp"

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

EigenProblem::EigenProblem(const SparseMatrix& stiffness_matrix, const SparseMatrix& mass_matrix,
                           const EigenOptions& eigen_options, const SolverGeometry& solver_geometry)
    : K(stiffness_matrix), M(mass_matrix), options(eigen_options), geometry(solver_geometry), stiffness(K.diagonal()) {
  if (K.shared_pattern() != M.shared_pattern() || K.block_size() != M.block_size())
    throw Error(Exit::internal, "the two matrices of an eigenvalue problem have different patterns", {},
                "assemble both on one space");
  for (const auto& [name, matrix] : {std::pair{"stiffness", &K}, std::pair{"mass", &M}})
    if (const Index bad = first_not_finite(matrix->values()); bad >= 0)
      throw Error(Exit::model, fmt::format("entry {} of the {} matrix is not finite", bad, name), {},
                  advice_for(StopReason::not_finite));
  const std::vector<double> k = stiffness.host(), m = M.diagonal().host();
  double stiffness_sum = 0, mass_sum = 0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (m[i] == 0) continue;
    if (!(m[i] > 0))
      throw Error(Exit::model, fmt::format("row {} of the mass matrix has the diagonal entry {}", i, m[i]),
                  "masses are positive", "check the density");
    ++mass_count;
    stiffness_sum += k[i];
    mass_sum += m[i];
  }
  if (mass_count == 0)
    throw Error(Exit::model, "no unknown is free and has mass", "nothing can vibrate",
                "give the material a density, and leave some of the body free");
  // The quotient of the traces is of the size of the highest eigenvalue, c^2 / h^2 with the size h of a cell; the
  // lowest of a body as wide as long is of the size c^2 / L^2.
  const double nodes = static_cast<double>(mass_count) / K.block_size();
  low_guess = stiffness_sum / mass_sum * std::pow(nodes, -2.0 / (geometry.dimension > 0 ? geometry.dimension : 3));
  if (!options.band && options.count > mass_count)
    throw Error(Exit::input,
                fmt::format("{} eigenvalues were asked for, but only {} unknowns are free and have mass", options.count,
                            mass_count),
                {}, "ask for fewer, or refine the mesh");
}

void EigenProblem::tell(int converged, int wanted, int iteration, double worst, double target) const {
  throw_if_stop_requested();
  const std::string modes = fmt::format("modes: {} of {} converged, ", converged, wanted);
  if (worst > 0) tell_iteration(iteration, worst, target, modes);
  else tell_progress(fmt::format("{}iteration {}", modes, iteration));
}

MultiVector EigenProblem::random_block(int columns, int seed) const {
  MultiVector X(K.device(), K.rows(), columns, "eigenvectors");
  std::mt19937_64 generator(static_cast<std::uint64_t>(seed) + 1);
  std::vector<double> values(static_cast<std::size_t>(K.rows()));
  Vector x(K.device(), K.rows(), "vectors");
  for (int column = 0; column < columns; ++column) {
    for (double& value : values) value = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
    x.upload(values);
    X.set_column(column, x);
  }
  return X;
}

void EigenProblem::measure(MultiVector X, EigenSolution& s) const {
  OrthonormalBlock orthonormal = orthonormalise(M, {}, std::move(X));
  if (orthonormal.Q.columns() == 0)
    throw Error(Exit::not_converged, "the eigenvectors found have no mass", {}, "please report it with the case file");
  MultiVector KX(K.device(), K.rows(), orthonormal.Q.columns(), "eigenvectors");
  K.apply_block(orthonormal.Q, KX);
  const int n = orthonormal.Q.columns();
  const SymmetricEigen ritz = symmetric_eigen(gram(orthonormal.Q, KX), n);
  SmallMatrix C(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      C[static_cast<std::size_t>(i * n + k)] = ritz.vectors[static_cast<std::size_t>(k * n + i)];
  s.values = ritz.values;
  s.vectors = product(orthonormal.Q, C, n);
  M.apply_block(*s.vectors, orthonormal.MQ);
  K.apply_block(*s.vectors, KX);
  s.residuals.assign(s.values.size(), 0);
  s.rounding.assign(s.values.size(), 0);
  Vector x(K.device(), K.rows(), "vectors"), Mx(K.device(), K.rows(), "vectors"), r(K.device(), K.rows(), "vectors");
  for (int k = 0; k < n; ++k) {
    const auto mode = static_cast<std::size_t>(k);
    orthonormal.MQ.get_column(k, Mx);
    KX.get_column(k, r);
    axpy(-s.values[mode], Mx, r);
    const double size = std::max(std::abs(s.values[mode]), s.reference) * norm2(Mx);
    s.residuals[mode] = norm2(r) / size;
    s.vectors->get_column(k, x);
    multiply(x, stiffness, r);
    s.rounding[mode] = 32 * std::numeric_limits<double>::epsilon() * norm2(r) / size;
  }
}

}  // namespace ritz
