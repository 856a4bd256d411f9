#include "apps/cases/law_material.hpp"

#include "apps/cases/form_parameters.hpp"
#include "fem/materials/linear_elastic.hpp"
#include "fem/plugins/material.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace ritz {
namespace {

HardeningPoints read_points(Log& log, const Case::Table& t, const std::string& law) {
  HardeningPoints points;
  if (!t.has("hardening")) {
    points = {{0, t.number("yield_stress", "yield stress without hardening [Pa]; else hardening", {.above = 0})}};
  } else {
    for (const auto& [strain, stress] :
         t.rows("hardening", "[plastic strain, yield stress in Pa] from strain 0 on, constant after the last"))
      points.emplace_back(strain, stress);
    if (t.has("yield_stress"))
      t.refuse(ErrorKind::model_options, "yield_stress", "'yield_stress' was given with 'hardening'",
               "the table begins with the yield stress", "omit one of them");
  }
  const std::size_t count = points.size();
  if (const double left = shorten(points); points.size() < count)
    log.notice(fmt::format("the {} points of the hardening of '{}' become {}: they differ by {:.2g} % at most", count,
                           law, points.size(), 100 * left));
  return points;
}

// A yield stress in another unit than Young's modulus.
void compare_with_young(Log& log, const Case::Table& t, const LawRecord& record, const FormValue& numbers,
                        double yield) {
  for (int i = 0; i < record.numbers.parameter_count; ++i) {
    const ParameterRecord& parameter = record.numbers.parameters[i];
    if (std::string_view(parameter.facts.name) != "young") continue;
    double young = 0;
    std::memcpy(&young, numbers.bytes.data() + parameter.offset, sizeof young);
    if (const double ratio = yield / young; ratio < 1e-6 || ratio > 0.1)
      log.notice(fmt::format(
          "the yield stress {:g} is {:.1g} of Young's modulus {:g}, of metals 0.0005 to 0.01: are both in Pa? {}",
          yield, ratio, young, t.where()));
  }
}

void read_hardening(Log& log, const Case::Table& t, const LawRecord& record, FormValue& numbers) {
  const HardeningPoints points = read_points(log, t, record.name);
  if (points.empty()) return;  // its error was said
  try {
    const Hardening table = hardening(record.name, points);
    std::memcpy(numbers.bytes.data() + record.table, &table, sizeof table);
    compare_with_young(log, t, record, numbers, points.front().second);
  } catch (const Error& error) { t.error(error.kind(), "hardening", error.message(), error.why(), error.fix()); }
}

}  // namespace

MaterialLaw read_law(const Device& device, Log& log, const Case::Table& material, const LibraryMaterial* known) {
  const std::vector<std::string> names = law_names(device);
  const std::optional<std::string> name =
      material.kind("law", "law of the material, in place of linear elasticity (docs/materials.md)", names);
  if (!name || std::ranges::find(names, *name) == names.end()) return LinearElastic{1, 0};
  for (const char* key : {"orthotropic", "anisotropic"})
    if (material.has(key))
      material.refuse(ErrorKind::model_options, key, fmt::format("'{}' was given with the law '{}'", key, *name),
                      "these constants are of linear elasticity", "omit the law, or take law = \"orthotropic\"");
  const LawRecord& record = law_record(device, *name);
  FormValue numbers(record.numbers, module_of_laws);
  ask_parameters(material, record.numbers, {}, known, numbers);
  if (record.table >= 0) read_hardening(log, material, record, numbers);
  return {record, numbers.bytes.data(), module_of_laws};
}

}  // namespace ritz
