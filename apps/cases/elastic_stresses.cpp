#include "apps/cases/elastic_stresses.hpp"

#include "apps/results/stress_measures.hpp"

namespace ritz {
namespace {

// [entry][components] -> components first .. first + 5
std::vector<double> tensors(const std::vector<double>& derived, std::size_t components, std::size_t first) {
  std::vector<double> result(derived.size() / components * 6);
  for (std::size_t i = 0; i < derived.size() / components; ++i)
    for (std::size_t k = 0; k < 6; ++k) result[6 * i + k] = derived[components * i + first + k];
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

void fill_stresses(std::vector<Field>& fields, std::vector<double> Field::*values, const std::vector<double>& derived,
                   int components) {
  const auto count = static_cast<std::size_t>(components);
  const std::vector<double> stress = tensors(derived, count, 6);
  for (Field& field : fields)
    field.*values = field.name == "strain"             ? tensors(derived, count, 0)
                    : field.name == "von_mises"        ? von_mises_of(stress)
                    : field.name == "principal_stress" ? principal_values_of(stress)
                                                       : stress;
}

}  // namespace ritz
