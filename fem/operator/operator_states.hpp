// Internal variables of an operator's forms. Those of a whole model over ranks follow the ranks' parts when they are
// read, here or by a task. Owned by Operator.
#pragma once

#include "fem/operator/operator_over_ranks.hpp"
#include "fem/operator/point_states.hpp"

#include <memory>
#include <utility>

namespace ritz {

class ElementTerms;

class OperatorStates final : public PointStates {
 public:
  OperatorStates(Layout layout, const ElementTerms& terms) : PointStates(std::move(layout)), terms_(&terms) {}
  void commit_of_part(const Vector& u) override;
  Values values() const override;
  void set(const Values& values) override;
  void reset() override;
  bool were_made() const;  // other than those of the start, perhaps

  // From now on results are the work of several ranks, and internal variables are on their parts.
  void divide(std::shared_ptr<OperatorOverRanks> ranks) { over_ranks_ = std::move(ranks); }
  OperatorOverRanks* over_ranks() const { return over_ranks_.get(); }
  void bring() const;  // where those of ranks are newer

 private:
  const ElementTerms* terms_;
  std::shared_ptr<OperatorOverRanks> over_ranks_;
};

}  // namespace ritz
