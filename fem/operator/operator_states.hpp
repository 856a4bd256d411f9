// Internal variables of an operator's forms. Those of a whole model over ranks follow the ranks' parts when they are
// read. Owned by Operator.
#pragma once

#include "fem/operator/point_states.hpp"
#include "solvers/algebra/layout.hpp"

#include <utility>

namespace ritz {

class ElementTerms;
class TaskPlans;

class OperatorStates final : public PointStates {
 public:
  // layout: of the vectors of the operator.
  OperatorStates(Layout layout, const ElementTerms& terms) : layout_(std::move(layout)), terms_(&terms) {}
  void set_plans(const TaskPlans& plans) { plans_ = &plans; }  // that know of other ranks

  void commit(const Vector& u) override;
  void commit_of_part(const Vector& u);  // of all unknowns of the space, on a part of a mesh with ghosts
  Values values() const override;
  void set(const Values& values) override;
  void reset() override;
  bool were_made() const;  // other than those of the start, perhaps

 private:
  Layout layout_;
  const ElementTerms* terms_;
  const TaskPlans* plans_ = nullptr;
};

}  // namespace ritz
