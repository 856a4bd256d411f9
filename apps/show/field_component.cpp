#include "apps/show/field_component.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ritz {
namespace {

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string advice(const std::string& near, const std::string& valid) {
  return near.empty() ? "use " + valid : fmt::format("did you mean '{}'?", near);
}

}  // namespace

bool is_vector(const Field& field) {
  return field.component_names.empty() && (field.components == 2 || field.components == 3);
}

void FieldComponent::select(const double* values, double* out) const {
  if (which >= 0) *out = values[which];
  else if (which == magnitude)
    *out = components == 3 ? std::hypot(values[0], values[1], values[2]) : std::hypot(values[0], values[1]);
  else std::copy_n(values, components, out);
}

std::vector<std::string> component_names(const Field& field) {
  std::vector<std::string> names = field.component_names;
  for (std::string& name : names) name = lower(name);
  if (!names.empty()) return names;
  switch (field.components) {
    case 2: return {"x", "y"};
    case 3: return {"x", "y", "z"};
    case 6: return {"xx", "yy", "zz", "xy", "yz", "xz"};
    case 9: return {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
    default: return {};
  }
}

FieldComponent component_named(const Field& field, const std::string& name) {
  FieldComponent result{field.components, FieldComponent::all};
  if (lower(name) == "all") return result;
  std::vector<std::string> names = component_names(field);
  const auto found = std::find(names.begin(), names.end(), lower(name));
  if (found != names.end()) {
    result.which = static_cast<int>(found - names.begin());
    return result;
  }
  if (is_vector(field)) names.emplace_back("magnitude");
  if (is_vector(field) && lower(name) == "magnitude") {
    result.which = FieldComponent::magnitude;
    return result;
  }
  int number = -1;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (status == std::errc{} && end == name.data() + name.size() && number >= 0 && number < field.components) {
    result.which = number;
    return result;
  }
  const std::string numbers =
      field.components == 1 ? "the number 0" : fmt::format("a number from 0 to {}", field.components - 1);
  const std::string valid = names.empty() ? numbers : quoted_list(names) + " or " + numbers;
  throw Error(ErrorKind::probe, fmt::format("the field '{}' has no component '{}'", field.name, name),
              fmt::format("its {} are called {}",
                          field.components == 1 ? "value has no name: components" : "components", valid),
              field.components == 1 ? "omit the component" : advice(nearest_match(name, names), "one of these"));
}

std::vector<double> part_of(const std::vector<double>& values, int components, int first, int count) {
  std::vector<double> part;
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(components))
    for (int c = first; c < first + count; ++c) part.push_back(values[i + static_cast<std::size_t>(c)]);
  return part;
}

const Field& field_named(std::span<const Field> fields, const std::string& name) {
  std::vector<std::string> names;
  for (const Field& field : fields) {
    if (field.name == name) return field;
    names.push_back(field.name);
  }
  throw Error(ErrorKind::probe, fmt::format("there is no field '{}'", name),
              fmt::format("the fields at nodes are {}", quoted_list(names)),
              advice(nearest_match(name, names), "one of these"));
}

}  // namespace ritz
