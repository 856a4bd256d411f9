// Solutions of a tangent A = K + U D U^T from those of K, where U has few columns: springs, masses and held means of
// surfaces (Attached), however many unknowns move with each. Held columns have no compliance 1 / D. Where springs and
// means alone hold rigid motions, K is solved with an unknown s held in place of each, and a solution of A is
//
//   x = K^-1 b - Y f + Q h,   Y = K^-1 U,   Q_s = e_s - K^-1 K e_s,
//
// with the forces f of the columns and the motions h of these unknowns, from u_j . x = f_j / D_j and the balance at the
// unknowns s. Without the latter this is Woodbury's formula. Private to fem/analysis.
#pragma once

#include "device/function_ref.hpp"
#include "fem/analysis/attached.hpp"
#include "solvers/algebra/dense_pivoted.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

class BorderedTangent {
 public:
  // x[i] = K^-1 b[i] of all of them, accurately: later solutions inherit the error.
  using Solve = FunctionRef<void(std::span<const Vector* const> b, std::span<Vector* const> x)>;

  // weights [motion]: D; 0: the motion is free. stop_columns [stop]: K e_s, gathered, zero where prescribed; they are
  // also rows of K, which is symmetric where there are any. They stay with the caller.
  BorderedTangent(std::shared_ptr<const Attached> attached, std::vector<double> weights,
                  std::span<const Vector> stop_columns, const Supports& supports, Solve solve);

  // Forces at the stops, which leave b: K has no such unknowns.
  std::vector<double> take_stops(Vector& b) const;
  // From K^-1 b to A^-1 b.
  void correct(const std::vector<double>& forces_at_stops, Vector& x) const;

 private:
  struct Border {
    std::size_t motion;
    double compliance;
    Vector row, answer;  // u, and K^-1 u
    std::vector<double> at_stops;
  };
  void add_border(std::size_t motion, double weight);
  std::vector<Vector> forces_of_stops(const Supports& supports) const;
  void find_answers(const Supports& supports, Solve solve);
  void factorise();
  std::vector<double> gap(const std::vector<double>& forces_at_stops, const std::vector<double>& sizes,
                          const Vector& x) const;

  const std::shared_ptr<const Attached> attached_;
  const std::span<const Vector> stop_columns_;
  std::vector<Vector> motions_;  // Q_s
  std::vector<Border> borders_;
  std::optional<PivotedFactor> factor_;  // of the unknowns f, then h
};

}  // namespace ritz
