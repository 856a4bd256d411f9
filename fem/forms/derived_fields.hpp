// The fields that the derived quantities of a form are in results. FormFacts::derives is one name, or several with the
// number of their components each: "cauchy_stress:6 piola_kirchhoff_stress:9".
#pragma once

#include "fem/forms/form_record.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

struct DerivedField {
  std::string name;
  int components;
};

inline std::vector<DerivedField> derived_fields(const FormRecord& record) {
  std::vector<DerivedField> fields;
  if (record.derived == 0) return fields;
  const std::string_view all = record.derives;
  if (all.find(':') == std::string_view::npos) return {{std::string(all), record.derived}};
  for (std::size_t first = 0; first < all.size();) {
    const std::size_t end = std::min(all.find(' ', first), all.size());
    const std::string_view each = all.substr(first, end - first);
    const std::size_t colon = each.find(':');
    fields.push_back({std::string(each.substr(0, colon)), std::stoi(std::string(each.substr(colon + 1)))});
    first = end + 1;
  }
  return fields;
}

}  // namespace ritz
