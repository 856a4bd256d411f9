#include "fem/analysis/masses_beside.hpp"

#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/orthonormal_block.hpp"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace ritz {

void MassesBeside::set(std::shared_ptr<const Attached> masses, double weight) {
  masses_ = std::move(masses);
  weight_ = weight;
}

void MassesBeside::add_product(const Vector& x, Vector& y) const {
  if (masses_ != nullptr) masses_->add_masses(weight_, x, y);
}

// Z = tangent^-1 U, accurately: later solutions inherit its error.
void MassesBeside::find_inverse(const Solve& tangent) {
  const AttachedMotions& motions = masses_->motions;
  MultiVector U = columns_of(motions.U, 0, motions.count()), Z(U.device(), U.rows(), U.columns(), "eigenvectors");
  Vector u(U.device(), U.rows(), "vectors"), z(U.device(), U.rows(), "vectors");
  std::vector<double> compliance;
  for (int j = 0; j < U.columns(); ++j) {
    U.get_column(j, u);
    fill(0.0, z);
    const SolveReport report = tangent(u, z, LinearTolerance{1e-10, 1e-2});
    if (!report.converged())
      throw Error(ErrorKind::not_converged,
                  fmt::format("the linear solver ({}) stopped for the mass of a reference point: {}", report.method,
                              name_of(report.reason)),
                  report.where, advice_for(report.reason));
    Z.set_column(j, z);
    compliance.push_back(1 / (weight_ * motions.mass[static_cast<std::size_t>(j)]));
  }
  woodbury_.emplace(std::move(U), std::move(Z), compliance);
  solved_weight_ = weight_;
}

SolveReport MassesBeside::solve(const Solve& tangent, const Vector& b, Vector& x, const Tolerance& tolerance) {
  if (masses_ == nullptr || weight_ == 0) return tangent(b, x, tolerance);
  if (!woodbury_ || solved_weight_ != weight_) find_inverse(tangent);
  SolveReport report = tangent(b, x, tolerance);
  MultiVector X(x.device(), x.size(), 1);
  X.set_column(0, x);
  woodbury_->correct(X);
  X.get_column(0, x);
  return report;
}

}  // namespace ritz
