#include "apps/cases/law_material.hpp"

#include "apps/cases/form_parameters.hpp"
#include "apps/cases/formulas.hpp"
#include "fem/materials/linear_elastic.hpp"
#include "fem/plugins/material.hpp"
#include "fem/plugins/umat.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace ritz {
namespace {

HardeningPoints read_points(const Case::Table& t) {
  HardeningPoints points;
  if (!t.has("hardening")) {
    points = {{0, t.number("yield_stress", "yield stress without hardening [Pa]; else hardening", {.above = 0})}};
  } else {
    for (const auto& [strain, stress] :
         t.rows("hardening",
                "[plastic strain, yield stress in Pa] from strain 0 on, constant after the last; of cap [plastic "
                "compaction, pressure at which it yields in Pa]"))
      points.emplace_back(strain, stress);
    if (t.has("yield_stress"))
      t.refuse(ErrorKind::model_options, "yield_stress", "'yield_stress' was given with 'hardening'",
               "the table begins with the yield stress", "omit one of them");
  }
  return points;
}

void report_points(Log& log, const std::string& law, std::size_t count, double left) {
  log.notice(fmt::format("the {} points of the hardening of '{}' become {}: they differ by {:.2g} % at most", count,
                         law, hardening_points, 100 * left));
}

HardeningCurves read_curves(const Case::Table& t) {
  HardeningCurves curves;
  if (!t.has("hardening_at")) {
    curves.emplace_back(0, read_points(t));
    return curves;
  }
  for (const char* key : {"hardening", "yield_stress"})
    if (t.has(key))
      t.refuse(ErrorKind::model_options, key, fmt::format("'{}' was given with 'hardening_at'", key),
               "both are the yield stress", "omit one of them");
  for (const Case::Table& each :
       t.tables("hardening_at", "hardening or yield_stress at a temperature; linear between two, constant outside")) {
    const double temperature = each.number("temperature", "of the body at which this curve holds, in its unit");
    curves.emplace_back(temperature, read_points(each));
  }
  return curves;
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

template <class Table>
void put(const Table& table, const LawRecord& record, FormValue& numbers) {
  std::memcpy(numbers.bytes.data() + record.table, &table, sizeof table);
}

void read_hardening(Log& log, const Case::Table& t, const LawRecord& record, bool young_is_known, FormValue& numbers) {
  const HardeningCurves curves = record.table_over_temperature ? read_curves(t) : HardeningCurves{{0, read_points(t)}};
  for (const auto& [temperature, points] : curves)
    if (points.empty()) return;  // its error was said
  if (curves.empty()) return;
  std::size_t count = 0;
  for (const auto& [temperature, points] : curves) count = std::max(count, points.size());
  try {
    double left = 0;
    if (record.table_over_temperature) {
      put(hardening(record.name, curves, &left), record, numbers);
    } else {
      HardeningPoints points = curves.front().second;
      left = shorten(points);
      put(hardening(record.name, points), record, numbers);
    }
    if (left > 0 || count > hardening_points) report_points(log, record.name, count, left);
    if (young_is_known) compare_with_young(log, t, record, numbers, curves.front().second.front().second);
  } catch (const Error& error) { t.error("hardening", error); }
}

// The law's own number where it varies: that of a table which is largest, so that a rate of 0 in one row does not make
// a law that needs no time; an example of the parameter else.
double number_of(const MaterialProperty& property, const ParameterFacts& facts) {
  const TemperatureTable* table = table_in(property);
  if (table == nullptr) return std::isnan(facts.example) ? facts.fallback : facts.example;
  double largest = table->values.value(table->values.argument[0]);
  for (int i = 1; i < table->values.rows; ++i)
    largest = std::max(largest, table->values.value(table->values.argument[i]));
  return largest;
}

// Each parameter: a number, a formula of the position, or a table over the temperature.
void read_numbers(const Case::Table& t, const LawRecord& record, const LibraryMaterial* known, FormValue& numbers,
                  std::vector<LawNumber>& varying) {
  for (int i = 0; i < record.numbers.parameter_count; ++i) {
    const ParameterRecord& parameter = record.numbers.parameters[i];
    const ParameterFacts& facts = parameter.facts;
    if (parameter.count > 1) {
      ask_parameter(t, parameter, known, numbers);
      continue;
    }
    const MaterialProperty value =
        property_of(t, facts.name, t.property(facts.name, about_of(facts), "T", rule_of(facts, known)));
    const Coefficient* given = coefficient_in(value);
    if (given != nullptr && given->is_number()) {
      set_parameter(numbers, parameter, given->number());
      continue;
    }
    if (given != nullptr && given->function().varies_in_time())
      t.error(ErrorKind::wrong_value, facts.name, fmt::format("'{}' depends on t", facts.name),
              "numbers of a law change with the temperature, not with time itself",
              "give a [[table]] over T, and a [thermal] temperature that depends on t");
    set_parameter(numbers, parameter, number_of(value, facts));
    varying.push_back({facts.name, value});
  }
}

// umat, constants, states.
MaterialLaw read_umat(const Device& device, const Case::Table& t) {
  const std::string file = t.path("umat", "a Fortran source with a user subroutine UMAT of Abaqus, in place of 'law'");
  UmatOptions options{
      .constants = t.vector("constants", "PROPS, the constants of the UMAT", {.fallback = std::vector<double>{}})};
  options.states = static_cast<int>(
      t.integer("states", "NSTATV, numbers that the UMAT keeps at a point", {.fallback = 0, .minimum = 0}));
  options.symmetric = t.flag("symmetric", "DDSDDE of the UMAT is symmetric", true);
  options.in_time = t.flag("in_time", "TIME and DTIME enter: it needs a path that takes time", false);
  if (t.has("law"))
    t.refuse(ErrorKind::model_options, "law", "'law' was given with 'umat'", "both are the law of the material",
             "omit one of them");
  try {
    if (!file.empty()) return umat_law(file, options, device);
  } catch (const Error& error) { t.error("umat", error); }
  return LinearElastic{1, 0};
}

}  // namespace

MaterialLaw read_law(const Device& device, Log& log, const Case::Table& material, const LibraryMaterial* known,
                     std::vector<LawNumber>* varying) {
  if (material.has("umat")) return read_umat(device, material);
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
  if (varying == nullptr) ask_parameters(material, record.numbers, {}, known, numbers);
  else read_numbers(material, record, known, numbers, *varying);
  const bool young_is_known = varying == nullptr || std::ranges::none_of(*varying, [](const LawNumber& each) {
                                return each.name == "young" && table_in(each.value) == nullptr;
                              });
  if (record.table >= 0) read_hardening(log, material, record, young_is_known, numbers);
  return {record, numbers.bytes.data(), module_of_laws};
}

}  // namespace ritz
