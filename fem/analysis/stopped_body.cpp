#include "fem/analysis/stopped_body.hpp"

namespace ritz {
namespace {

// [unknown of all fields] 1: prescribed, or a term of an equation.
std::vector<std::uint8_t> taken_unknowns(const Model& model, const FieldsConstraints& supports) {
  const Spaces spaces = model.spaces();
  const Layout layout = layout_of(spaces);
  std::vector<std::uint8_t> taken = supports.host_mask();
  const auto take = [&](int field, const UnknownTerm& term) {
    const int components = spaces[static_cast<std::size_t>(field)].components();
    taken[static_cast<std::size_t>(layout.first(field) + Index{term.node} * components + term.component)] = 1;
  };
  for (int k = 0; k < std::ssize(spaces); ++k)
    for (const LinearEquations& each : supports[k].equations())
      for (const UnknownTerm& term : each.terms) take(k, term);
  for (const LinearEquations& each : supports.between_fields())
    for (const UnknownTerm& term : each.terms) take(each.field_of(term), term);
  return taken;
}

}  // namespace

StoppedBody::StoppedBody(const Model& model) {
  if (model.has_fields()) {
    const std::unique_ptr<FieldsConstraints> free = supports_of(model);
    motions_ = free_motions(model, *free);
    field_count_ = static_cast<int>(model.spaces().size());
    fields_ = supports_of(model, stops_of_free_body(motions_, taken_unknowns(model, *free)));
    return;
  }
  own_.emplace(model);
  motions_ = stop_free_motions(model, *own_);
  for (Constraints* each : own_->all()) each->finish();
}

bool StoppedBody::all_zero() const {
  if (own_) return own_->common().all_zero();
  for (int k = 0; k < field_count_; ++k)
    if (!(*fields_)[k].all_zero()) return false;
  return true;
}

}  // namespace ritz
