#include "apps/cases/elastic_stresses.hpp"

#include "apps/results/stress_measures.hpp"

namespace ritz {
namespace {

// [entry][12] -> components first .. first + 5
std::vector<double> tensors(const std::vector<double>& derived, std::size_t first) {
  std::vector<double> result(derived.size() / 2);
  for (std::size_t i = 0; i < derived.size() / 12; ++i)
    for (std::size_t k = 0; k < 6; ++k) result[6 * i + k] = derived[12 * i + first + k];
  return result;
}

}  // namespace

EvaluatedFields stress_names(bool with_error) {
  const Field stress{"stress", 6}, strain{"strain", 6}, von_mises{"von_mises", 1},
      principal{"principal_stress", 3, {}, {"1", "2", "3"}};
  EvaluatedFields names{{stress, strain, von_mises, principal}, {stress, strain, von_mises}};
  if (with_error) names.cells.push_back({"stress_error", 1});
  return names;
}

// Lists go as soon as nothing needs them: they are the largest ones while results are made.
void fill_stresses(std::vector<Field>& fields, std::vector<double> Field::*values, std::vector<double> derived) {
  std::vector<double> strain = tensors(derived, 0), stress = tensors(derived, 6);
  derived = {};
  for (Field& field : fields)
    if (field.name == "strain") field.*values = std::move(strain);
    else if (field.name == "von_mises") field.*values = von_mises_of(stress);
    else if (field.name == "principal_stress") field.*values = principal_values_of(stress);
  for (Field& field : fields)
    if (field.name == "stress") field.*values = std::move(stress);
}

}  // namespace ritz
