#include "fem/ranks/part_of_model.hpp"

#include "fem/ranks/field_of_rank.hpp"
#include "fem/ranks/fields_of_rank.hpp"

namespace ritz {

std::unique_ptr<PartOfModel> part_of(const Equations& equations, const Supports& supports,
                                     const LinearSolverOptions& options) {
  if (options.ranks == nullptr) return nullptr;
  if (const auto* const one = dynamic_cast<const Operator*>(&equations))
    return std::make_unique<FieldOfRank>(*one, dynamic_cast<const Constraints&>(supports), options, *options.ranks);
  return std::make_unique<FieldsOfRank>(dynamic_cast<const MixedOperator&>(equations),
                                        dynamic_cast<const FieldsConstraints&>(supports), *options.ranks);
}

}  // namespace ritz
