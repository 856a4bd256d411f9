// A linear system of several fields that the ranks of a job solve together. The first rank assembles the matrix as one
// process does, and deals out its rows: of each field a rank gets a piece of the nodes along the curve that numbers
// them. Factorisation, or iteration with the preconditioners of the fields, and their memory are divided.
//
//   DividedFields system(equations, supports, K, nullptr, options, ranks);      // the first rank; K with its supports
//   SolveReport report = system.factorise(b, x, {...});               // b, x of the whole, on the first rank
//
//   if (is_order_of_fields(order)) help_with_fields(ranks, device, order);      // the others
#pragma once

#include "device/ranks/ranks.hpp"
#include "fem/analysis/mixed_parts.hpp"
#include "fem/analysis/mixed_statics.hpp"
#include "fem/analysis/ranks_forecast.hpp"
#include "solvers/direct/direct_factor.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

// Throws Error(Exit::environment) for what several ranks do not solve together: fewer nodes or cells of a field than
// ranks.
void check_divisible(const MixedOperator& equations, const Ranks& ranks);

// Forecasts each rank. Messages are not counted. Throws Error(Exit::environment) as check_divisible does for small
// meshes.
RanksForecast forecast_ranks(const MixedOperator& equations, MixedPath path, const LinearSolverOptions& options,
                             const RanksQuestion& question);

class DividedFields {
 public:
  // Parts: of the preconditioner; null: for a factorisation. The matrix may go afterwards. Throws what
  // check_divisible() and each_edge_space() throw.
  DividedFields(const MixedOperator& equations, const MixedConstraints& supports, const BlockOperator& K,
                const MixedParts* parts, const LinearSolverOptions& options, Ranks& ranks);
  ~DividedFields();  // the others forget their rows
  DividedFields(const DividedFields&) = delete;
  DividedFields& operator=(const DividedFields&) = delete;

  struct Factorisation {
    DirectKind kind;
    double relative, rounding_error;
    Index memory_limit;  // of each rank
    double operations_limit;
  };
  // Throw what DirectSolver and multigrid throw, as an AgreedError. x: of the iteration also where it begins.
  SolveReport factorise(const Vector& b, Vector& x, const Factorisation& how) const;
  SolveReport iterate(LinearMethod method, const Vector& b, Vector& x, const KrylovOptions& options) const;

 private:
  class Share;
  friend void help_with_fields(Ranks& ranks, const Device& device, const std::string& order);
  SolveReport solve(const Vector& b, Vector& x,
                    const std::function<SolveReport(const Vector& b, Vector& x)>& by_all) const;

  Ranks& ranks_;
  std::function<void(const std::string&)> say_;
  std::vector<Index> place_;  // [unknown] its number among those of the ranks, one after the other
  std::unique_ptr<Share> own_;
  mutable bool told_ = false;  // of memory
};

// A rank after the first: makes its share, and solves as it is told until the first one has no more to solve.
bool is_order_of_fields(std::string_view order);
void help_with_fields(Ranks& ranks, const Device& device, const std::string& order);

}  // namespace ritz
