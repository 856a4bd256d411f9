// The share of a rank in a space and in equations on it, for as long as any system or operator of the job needs them.
// All ranks make theirs and call each function together, with vectors of the whole space, which every rank has.
//
//   auto part = std::make_shared<const RankPart>(std::move(data), device, ranks);
//   PartEquations own(part, std::move(integrals));
//   own.take(place);   own.compute(PartTask::residual, u, {}, r);
#pragma once

#include "fem/ranks/cell_states.hpp"
#include "fem/ranks/space_part.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/operator/operator.hpp"
#include "solvers/algebra/ghosts.hpp"
#include "solvers/algebra/rank_rows.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// Nodes of the part are [owned | ghosts].
class RankPart {
 public:
  RankPart(PartData data, const Device& device, Ranks& ranks);

  const SpacePart& part() const { return part_; }
  const FunctionSpace& space() const { return part_.space(); }
  const std::shared_ptr<const Ghosts>& ghosts() const { return ghosts_; }
  Ranks& ranks() const { return ghosts_->ranks(); }
  RankRows rows(int width) const;  // of `width` numbers for each node

 private:
  SpacePart part_;
  std::shared_ptr<const Ghosts> ghosts_;
};

// The equations at a time, with the weights of their integrals.
struct EquationsPlace {
  Time time = {};
  std::vector<double> factors = {};  // [integral among all]
};
EquationsPlace place_of(const Operator& equations);

enum class PartTask { residual, action, transposed_action, commit };

class PartEquations {
 public:
  PartEquations(std::shared_ptr<const RankPart> part, PartIntegrals integrals);

  const RankPart& part() const { return *part_; }
  const Operator& equations() const { return equations_; }
  const std::vector<std::size_t>& integral_of() const { return integral_of_; }
  void take(const EquationsPlace& place);
  void set_numbers(const PartIntegrals& integrals);  // of the same forms at the same places

  Vector on_part(const Vector& u) const;  // u with ghosts; zero where it is empty
  // u: empty for zero; x: of an action; y: of one, or the residual. A transposed action is that of a matrix which goes
  // afterwards.
  void compute(PartTask task, const Vector& u, const Vector& x, Vector& y) const;
  // Results at owned nodes [node][component] and in all cells of the part.
  DerivedFields evaluate(const Vector& u, const std::string& form) const;

  // Internal variables of all cells of the part: CellStates::of().
  std::vector<double> states() const;
  void set_states(std::span<const double> numbers);

 private:
  std::shared_ptr<const RankPart> part_;
  std::vector<std::size_t> integral_of_;
  Operator equations_;
  std::optional<CellStates> states_;  // of equations that have any
};

}  // namespace ritz
