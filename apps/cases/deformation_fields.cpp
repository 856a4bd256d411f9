#include "apps/cases/deformation_fields.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ritz {
namespace {

std::vector<Field> fields_of(const DeformationMeasures& measures) {
  std::vector<Field> fields;
  for (const DeformationMeasure* each : measures) fields.push_back({each->name, each->components});
  return fields;
}

std::string list_of_names() {
  std::vector<std::string> names;
  for (const DeformationMeasure& each : deformation_measures()) names.emplace_back(each.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void refuse_name(const Case::Table& output, const std::string& name) {
  std::vector<std::string> names;
  for (const DeformationMeasure& each : deformation_measures()) names.emplace_back(each.name);
  const std::string near = nearest_match(name, names);
  output.error(ErrorKind::output_options, "measures", fmt::format("'{}' is no measure of stress or strain", name),
               "Cauchy's stress is the field 'stress' of all results",
               near.empty() ? "use " + quoted_list(names) : fmt::format("did you mean '{}'?", near));
}

// [place][number of the measure] from rows of strain and stress, and of the gradient.
std::vector<double> values_of(const DeformationMeasure& measure, const std::vector<double>& derived, int derived_width,
                              const std::vector<double>& gradients, int gradient_width) {
  const auto d = static_cast<std::size_t>(derived_width), g = static_cast<std::size_t>(gradient_width),
             k = static_cast<std::size_t>(measure.components), places = g > 0 ? gradients.size() / g : 0;
  std::vector<double> values(places * k, 0.0);
  for (std::size_t place = 0; place < places; ++place) {
    Tensor<double> F;
    Symmetric<double> cauchy;
    for (std::size_t i = 0; i < 9; ++i) F.v[i / 3][i % 3] = gradients[place * g + i];
    for (std::size_t i = 0; i < 6; ++i) cauchy.v[i] = derived[place * d + 6 + i];
    if (det(F) > 0) measure.value(F, cauchy, &values[place * k]);
  }
  return values;
}

}  // namespace

DeformationMeasures read_measures(Run& run, bool large_displacements) {
  const Case::Table output = run.input().table("output", "folder and format of the results");
  const std::vector<std::string> names =
      output.texts("measures",
                   fmt::format("with large_displacement: further measures of stress and strain among the fields; {}",
                               list_of_names()),
                   std::vector<std::string>{});
  DeformationMeasures measures;
  if (run.options().survey) return measures;
  for (const std::string& name : names) {
    const DeformationMeasure* found = deformation_measure(name);
    if (found == nullptr) refuse_name(output, name);
    else if (std::ranges::find(measures, found) == measures.end()) measures.push_back(found);
  }
  if (!measures.empty() && !large_displacements) {
    output.error(ErrorKind::output_options, "measures", "measures of finite deformations at small displacements",
                 "all of them are 'stress' and 'strain' there",
                 "omit the key, or set [model] large_displacement = true");
    measures.clear();
  }
  return measures;
}

EvaluatedFields names_of(const DeformationMeasures& measures) { return {fields_of(measures), fields_of(measures)}; }

EvaluatedFields deformation_fields(Results& results, const Operator& equations, const Vector& u,
                                   const DeformationMeasures& measures, const DerivedFields& derived) {
  EvaluatedFields fields = names_of(measures);
  if (measures.empty()) return fields;
  const DerivedFields gradients = evaluate(results, equations, u, {}, LawResults::deformation);
  auto phase = results.device().profile().phase("fields");
  const auto at_points = [&](const DerivedFields& some) {
    return results.fields().at_points(equations.space(), some.at_space_nodes, some.components);
  };
  const std::vector<double> derived_at_points = at_points(derived), gradients_at_points = at_points(gradients);
  const int d = derived.components, g = gradients.components;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    fields.nodal[i].values = values_of(*measures[i], derived.at_nodes, d, gradients.at_nodes, g);
    fields.nodal[i].finer_values = values_of(*measures[i], derived_at_points, d, gradients_at_points, g);
    fields.cells[i].values = values_of(*measures[i], derived.at_cells, d, gradients.at_cells, g);
  }
  return fields;
}

}  // namespace ritz
