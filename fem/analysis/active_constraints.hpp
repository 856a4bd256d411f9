// The inequalities of a model, sum of factor times unknown <= value, as an active set.
//
//   ActiveConstraints stops(model);                       // those of Model::relations with at_most
//   solve_nonlinear(equations, supports, {.active = &stops});
#pragma once

#include "fem/analysis/active_set.hpp"
#include "fem/analysis/constraint_forces.hpp"
#include "fem/physics/model.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace ritz {

bool has_inequalities(const Model& model);
// Throws Error: Exit::model where there are any. `analysis`: "free vibration".
void require_no_inequalities(const Model& model, const std::string& analysis);

class ActiveConstraints final : public ActiveSet {
 public:
  // Those that touch at the begin, of which the value is not positive, are closed. Throws what the supports of a model
  // throw.
  explicit ActiveConstraints(const Model& model);

  const Supports& supports() const override;
  const Supports& constraints() const override;
  void begin() override { fewest_ = rows_.size() + 1, waits_ = false; }
  std::string update(const Vector& u, const Vector& residual, bool in_balance) override;
  bool waits_for_balance() const override { return waits_; }
  const std::vector<std::uint8_t>& closed() const override { return closed_; }
  void set_closed(const std::vector<std::uint8_t>& closed) override;

 private:
  struct Row {
    const LinearEquations* of;
    Index number;      // in these
    std::size_t acts;  // in forces_
    double value;
  };
  class Closed;  // the constraints of one state of the set

  std::vector<std::size_t> wrong_rows(const Vector& u, const Vector& residual);
  std::string name(const Row& row) const;
  void make();

  Model model_;              // with the equations that always hold
  ConstraintForces forces_;  // of these, then of the inequalities
  std::vector<LinearEquations> inequalities_;
  std::vector<Row> rows_;
  std::vector<std::uint8_t> closed_;
  std::size_t fewest_ = 0;  // wrong rows in this increment
  int tries_ = 0;           // changes of all that may leave no fewer
  bool waits_ = false;
  std::shared_ptr<const Closed> now_;
};

}  // namespace ritz
