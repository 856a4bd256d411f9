#include "apps/show/shown.hpp"

#include "apps/show/field_component.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace ritz {
namespace {

constexpr std::size_t most_bytes = 48u << 20;  // of values; a page is four thirds of it

std::size_t bytes_of(const ShownStep& step) {
  std::size_t bytes = 0;
  for (const ShownField& field : step.fields) bytes += sizeof(float) * field.values.size();
  return bytes;
}

std::string list_of(const std::vector<const Field*>& fields) {
  std::vector<std::string> names;
  for (const Field* field : fields)
    if (std::ranges::find(names, field->name) == names.end()) names.push_back(field->name);
  return names.empty() ? "there are none" : fmt::format("the fields are {}", quoted_list(names));
}

std::size_t find(const std::vector<const Field*>& fields, const std::string& name) {
  const auto found = std::ranges::find_if(fields, [&](const Field* field) { return field->name == name; });
  if (found != fields.end()) return static_cast<std::size_t>(found - fields.begin());
  std::vector<std::string> names;
  for (const Field* field : fields) names.push_back(field->name);
  const std::string near = nearest_match(name, names);
  throw Error(ErrorKind::show, fmt::format("there is no field '{}' to show", name), list_of(fields),
              near.empty() ? "take one of these" : fmt::format("did you mean '{}'?", near));
}

std::vector<const Field*> fields_of(const ShownStep& step, bool with_cells) {
  std::vector<const Field*> fields;
  for (const ShownField& each : step.fields)
    if (with_cells || !each.in_cells) fields.push_back(&each.field);
  return fields;
}

}  // namespace

Shown::Shown(const Mesh& mesh)
    : node_count_(mesh.node_count()), cell_count_(mesh.cell_count()), surface_(surface_of(mesh)) {
  std::array<double, 3> low{}, high{};
  low.fill(std::numeric_limits<double>::max());
  high.fill(std::numeric_limits<double>::lowest());
  for (const Node node : surface_.nodes)
    for (std::size_t i = 0; i < 3; ++i) {
      const double x = mesh.point(node)[i];
      points_.push_back(x);
      low[i] = std::min(low[i], x);
      high[i] = std::max(high[i], x);
    }
  if (points_.empty()) return;
  for (std::size_t i = 0; i < 3; ++i) middle_[i] = 0.5 * (low[i] + high[i]);
  size_ = std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  is_flat_ = high[2] - low[2] <= 1e-9 * size_;
}

ShownField Shown::seen(const Field& field, bool in_cells) const {
  ShownField result{{field.name, field.components, {}, field.component_names}, in_cells, {}};
  const auto components = static_cast<std::size_t>(field.components);
  const auto add = [&](Index entry) {
    const auto first = components * static_cast<std::size_t>(entry);
    const bool is_given = field.given.empty() || field.given[static_cast<std::size_t>(entry)] != 0;
    for (std::size_t c = first; c < first + components; ++c)
      result.values.push_back(is_given ? static_cast<float>(field.values[c]) : std::numeric_limits<float>::quiet_NaN());
  };
  if (in_cells) std::ranges::for_each(surface_.cells, add);
  else std::ranges::for_each(surface_.nodes, add);
  return result;
}

void Shown::add(const std::string& load_case, std::span<const Field> nodal, std::span<const Field> cells) {
  ShownStep step{load_case, {}};
  const auto take = [&](std::span<const Field> fields, bool in_cells) {
    const Index entries = in_cells ? cell_count_ : node_count_;
    for (const Field& field : fields)
      if (static_cast<Index>(field.values.size()) == entries * field.components)
        step.fields.push_back(seen(field, in_cells));
  };
  take(nodal, false);
  take(cells, true);
  std::erase_if(steps_, [&](const ShownStep& each) { return each.name == load_case; });
  bytes_ = 0;
  for (const ShownStep& each : steps_) bytes_ += bytes_of(each);
  if (!load_case.empty() && bytes_ + bytes_of(step) > most_bytes && !steps_.empty()) {
    ++left_out_;
    return;
  }
  bytes_ += bytes_of(step);
  steps_.push_back(std::move(step));
}

Shade shade_of(const std::vector<const Field*>& fields, const Look& look) {
  if (fields.empty()) throw Error(ErrorKind::show, "there is no field to show", "the results have none");
  const std::size_t which = look.field.empty() ? 0 : find(fields, look.field);
  const Field& field = *fields[which];
  if (field.components == 1) return {which, 0, field.name};
  if (look.field.empty() && look.component.empty() && !is_vector(field)) return {which, 0, field.name + " 0"};
  const FieldComponent component = look.component.empty() ? FieldComponent{field.components, FieldComponent::magnitude}
                                                          : component_named(field, look.component);
  if (component.which < 0) {
    if (!is_vector(field))
      throw Error(ErrorKind::show, fmt::format("the field '{}' has no one number to show", field.name),
                  fmt::format("it has {} components, and no magnitude, as it is no vector", field.components),
                  fmt::format("name a component: {}", fmt::join(component_names(field), ", ")));
    return {which, -1, field.name + " magnitude"};
  }
  const std::vector<std::string> names = component_names(field);
  const auto place = static_cast<std::size_t>(component.which);
  return {which, component.which,
          fmt::format("{} {}", field.name, place < names.size() ? names[place] : std::to_string(component.which))};
}

std::optional<std::size_t> warp_of(const std::vector<const Field*>& nodal, const Look& look) {
  if (look.warp.empty()) return std::nullopt;
  const std::size_t which = find(nodal, look.warp);
  const Field& field = *nodal[which];
  if (!is_vector(field))
    throw Error(ErrorKind::show, fmt::format("there is no field '{}' that could move points", look.warp),
                fmt::format("it has {} component{}", field.components, field.components == 1 ? "" : "s"),
                "take a vector field at nodes, such as displacement");
  return which;
}

ShownShade shade_of(const ShownStep& step, const Look& look) {
  const Shade shade = shade_of(fields_of(step, true), look);
  const ShownField& from = step.fields[shade.field];
  const auto components = static_cast<std::size_t>(from.field.components);
  ShownShade result{from.field.name, shade.name, from.in_cells, {}};
  for (std::size_t first = 0; first < from.values.size(); first += components) {
    double square = 0;
    for (std::size_t c = first; c < first + components; ++c) square += double(from.values[c]) * double(from.values[c]);
    result.values.push_back(shade.component < 0 ? static_cast<float>(std::sqrt(square))
                                                : from.values[first + static_cast<std::size_t>(shade.component)]);
  }
  return result;
}

ShownWarp warp_of(const Shown& shown, const ShownStep& step, const Look& look) {
  const std::optional<std::size_t> which = warp_of(fields_of(step, false), look);
  if (!which) return {};
  const ShownField& field = step.fields[*which];  // those at nodes come first
  const auto components = static_cast<std::size_t>(field.field.components);
  double largest = 0;
  for (std::size_t first = 0; first < field.values.size(); first += components)
    largest = std::max(largest, std::hypot(double(field.values[first]), double(field.values[first + 1]),
                                           components > 2 ? double(field.values[first + 2]) : 0.0));
  return {&field, look.factor.value_or(largest > 0 ? 0.1 * shown.size() / largest : 1.0)};
}

}  // namespace ritz
