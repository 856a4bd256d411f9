// Internal variables of an operator's forms. Those of a whole model over ranks follow the ranks' parts when they are
// read. Owned by Operator.
#pragma once

#include "fem/operator/point_states.hpp"

namespace ritz {

class ElementTerms;
class Operator;
class TaskPlans;

class OperatorStates final : public PointStates {
 public:
  OperatorStates(const Operator& equations, const ElementTerms& terms, const TaskPlans& plans)
      : equations_(&equations), terms_(&terms), plans_(&plans) {}

  void commit(const Vector& u) override;
  void commit_of_part(const Vector& u);  // of all unknowns of the space, on a part of a mesh with ghosts
  Values values() const override;
  void set(const Values& values) override;
  void reset() override;
  bool were_made() const;  // other than those of the start, perhaps

 private:
  const Operator* equations_;
  const ElementTerms* terms_;
  const TaskPlans* plans_;
};

}  // namespace ritz
