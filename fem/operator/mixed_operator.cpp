#include "fem/operator/mixed_operator.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

const FunctionSpace& first_space(const Spaces& spaces) {
  if (spaces.empty()) throw Error(ErrorKind::internal, "a mixed operator was made without spaces");
  return spaces.front();
}

}  // namespace

MixedOperator::MixedOperator(Spaces spaces, std::vector<MixedIntegral> integrals, std::vector<Integral> of_fields,
                             const std::vector<std::vector<Node>>& met_before)
    : Equations(first_space(spaces).device(), layout_of(spaces)),
      terms_(std::make_shared<MixedTerms>(std::move(spaces), layout_, time_, std::move(integrals), std::move(of_fields),
                                          met_before)) {}

Vector MixedOperator::diagonal(const Vector& u) const {
  BlockOperator K = make_matrix();
  assemble(u, K);
  Vector result = zeros();
  for (int k = 0; k < field_count(); ++k)
    if (K.square(k) != nullptr) {
      Vector of_field = K.square(k)->diagonal(), owned(device(), layout_.size(k), "vectors");
      device().machine().copy_on_device(owned.data(), of_field.data(), owned.bytes());
      layout_.put(owned, k, result);
    }
  return result;
}

// Integrals of loads have no blocks.
std::unique_ptr<Equations> MixedOperator::loads() const {
  std::vector<MixedIntegral> several;
  for (const MixedIntegral& each : terms_->integrals()) {
    bool has_block = false;
    for (const auto& row : each.form.couples) has_block = has_block || std::ranges::find(row, true) != row.end();
    if (!has_block && !each.is_rate) several.push_back(each);
  }
  std::vector<Integral> of_one;
  for (int k = 0; k < field_count(); ++k)
    if (terms_->of_field(k) != nullptr)
      for (const Integral& each : loads_among(terms_->of_field(k)->integrals())) of_one.push_back(each.of_field(k));
  return std::make_unique<MixedOperator>(spaces(), std::move(several), std::move(of_one));
}

}  // namespace ritz
