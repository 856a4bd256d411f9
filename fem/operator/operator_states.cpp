#include "fem/operator/operator_states.hpp"

#include "device/error.hpp"
#include "fem/operator/element_terms.hpp"

#include <fmt/format.h>

namespace ritz {

void OperatorStates::commit_of_part(const Vector& u) {
  check_size(terms_->space(), u.size());
  each_state(*terms_, [&](const ElementGroup& group, const Integral& integral) {
    AssemblyTerm term = terms_->term(OperatorTask::residual, group, integral);
    term.arguments.u = u.data();
    term.arguments.batch_count = group.batch_count();
    terms_->kernels_of(OperatorTask::residual, group, integral.form).commits(terms_->device(), term.arguments);
  });
}

PointStates::Values OperatorStates::values() const {
  bring();
  Values values;
  each_state(*terms_, [&](const ElementGroup& group, const Integral& integral) {
    values.push_back(terms_->points().state(group, integral).host());
  });
  return values;
}

void OperatorStates::set(const Values& values) {
  std::size_t next = 0;
  each_state(*terms_, [&](const ElementGroup& group, const Integral& integral) {
    Vector& state = terms_->points().state(group, integral);
    if (next == values.size() || static_cast<Index>(values[next].size()) != state.size())
      throw Error(ErrorKind::checkpoint_unusable,
                  fmt::format("the point state of '{}' is that of other equations", integral.form.name),
                  "it was kept for another number of cells, points or quantities", "start the run again");
    state.upload(values[next++]);
  });
  if (over_ranks_ != nullptr) over_ranks_->states_were_set();
}

void OperatorStates::reset() {
  terms_->points().reset_states();
  if (over_ranks_ != nullptr && has_states(*terms_)) over_ranks_->reset_states();
}

// The numbers are those of the terms: a copy sets them as well.
void OperatorStates::bring() const {
  if (over_ranks_ == nullptr || !has_states(*terms_)) return;
  OperatorStates states = *this;
  over_ranks_->bring_states(*terms_, states);
}

bool OperatorStates::were_made() const { return terms_->points().has_states(); }

}  // namespace ritz
