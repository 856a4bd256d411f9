// Forces of linear constraints, sum_j factor_j u_j = value: their multipliers l from the residual r at a solution. The
// unknowns that the constraints make dependent are in balance, r_d + sum_i l_i factor_id = 0, and several constraints
// may share one. Private to fem/analysis.
//
//   ConstraintForces forces;   const std::size_t row = forces.add({{unknown, factor}, ...});
//   double pushes = forces.of(row, {.acts = acts, .dependent = dependent, .residual = r});
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace ritz {

struct ConstraintTerm {
  std::size_t unknown;  // of all fields, one after the other
  double factor;
};

// Forces where these constraints act, [row], with the dependent unknowns, [unknown], that they have then.
struct ActingConstraints {
  std::span<const std::uint8_t> acts, dependent;
  std::span<const double> residual;  // [unknown]
};

class ConstraintForces {
 public:
  std::size_t add(std::vector<ConstraintTerm> row);
  std::span<const ConstraintTerm> terms(std::size_t row) const { return rows_[row]; }
  std::size_t size() const { return rows_.size(); }

  // Force of a row that acts: positive where it holds the sum below its value.
  double of(std::size_t row, const ActingConstraints& acting) const;

 private:
  // Rows that share dependent unknowns with this one, itself first, and these unknowns.
  struct Group {
    std::vector<std::size_t> rows, unknowns;
  };
  Group group_of(std::size_t row, const ActingConstraints& acting) const;

  std::vector<std::vector<ConstraintTerm>> rows_;
  std::map<std::size_t, std::vector<std::size_t>> rows_with_;  // [unknown]
};

}  // namespace ritz
