// Masses of reference points beside a tangent A: systems A + weight U diag(mass) U^T, by Woodbury's formula with as
// many more solutions of A as there are motions. Private to fem/analysis.
//
//   masses.set(attached, weight);
//   SolveReport report = masses.solve([&](const Vector& b, Vector& x, const auto& t) { return ...; }, b, x, tolerance);
#pragma once

#include "device/function_ref.hpp"
#include "fem/analysis/attached.hpp"
#include "solvers/eigen/woodbury.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <memory>
#include <optional>

namespace ritz {

class MassesBeside {
 public:
  using Tolerance = std::optional<LinearTolerance>;
  using Solve = FunctionRef<SolveReport(const Vector& b, Vector& x, const Tolerance& tolerance)>;

  void set(std::shared_ptr<const Attached> masses, double weight);
  void tangent_changed() { woodbury_.reset(); }
  void add_product(const Vector& x, Vector& y) const;  // y += weight U diag(mass) U^T x
  // tangent: solves with A alone.
  SolveReport solve(const Solve& tangent, const Vector& b, Vector& x, const Tolerance& tolerance);

 private:
  void find_inverse(const Solve& tangent);

  std::shared_ptr<const Attached> masses_;
  double weight_ = 0, solved_weight_ = 0;
  std::optional<Woodbury> woodbury_;  // for solved_weight_
};

}  // namespace ritz
