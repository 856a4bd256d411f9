// Springs and masses of reference points, and held means, beside a tangent K, of one field or of several: systems
// K + U D U^T by BorderedTangent, with as many more solutions of K as there are motions and stops. Private to
// fem/analysis.
//
//   beside.set(attached, stiffness, mass);
//   beside.find_stop_columns(multiply, supports);             // where K was made, and has all its rows
//   SolveReport report = beside.solve(tangent, b, x, tolerance, supports, is_symmetric);
#pragma once

#include "device/function_ref.hpp"
#include "fem/analysis/attached.hpp"
#include "fem/analysis/bordered_tangent.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

class BesideTangent {
 public:
  using Tolerance = std::optional<LinearTolerance>;
  using Solve = FunctionRef<SolveReport(const Vector& b, Vector& x, const Tolerance& tolerance)>;
  using SolveAll = FunctionRef<std::vector<SolveReport>(std::span<const Vector* const> b, std::span<Vector* const> x,
                                                        const LinearTolerance& tolerance)>;
  using Product = FunctionRef<void(const Vector& x, Vector& y)>;

  void set(std::shared_ptr<const Attached> attached, double stiffness, double mass);
  void tangent_changed() { bordered_.reset(); }
  void find_stop_columns(Product multiply, const Supports& supports);
  void add_product(const Vector& x, Vector& y) const;  // y += U D U^T x, without held motions
  // tangent, all: solve with K alone, one right-hand side or several. Throws Error: Exit::model where stops stand in K,
  // and it is not symmetric.
  SolveReport solve(Solve tangent, SolveAll all, const Vector& b, Vector& x, const Tolerance& tolerance,
                    const Supports& supports, bool is_symmetric);

 private:
  void solve_for_motions(SolveAll all, const Supports& supports, bool is_symmetric);

  std::shared_ptr<const Attached> attached_;
  std::vector<double> weights_, solved_weights_;  // D
  std::vector<Vector> stop_columns_;              // of K, gathered; zero where prescribed
  std::optional<BorderedTangent> bordered_;       // for solved_weights_
};

}  // namespace ritz
