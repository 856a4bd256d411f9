#include "fem/physics/elastic_material.hpp"

#include "device/error.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/thermal_stress.hpp"
#include "fem/forms/varying_elasticity.hpp"
#include "fem/forms/with_waves.hpp"
#include "fem/materials/anisotropic.hpp"
#include "fem/materials/linear_elastic.hpp"
#include "fem/materials/orthotropic.hpp"
#include "fem/physics/place.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>

namespace ritz {
namespace {

using Six = StiffnessTensor::Six;

bool is_stress_free(const ElasticSetting& setting) {
  return setting.dimension == 2 && setting.plane == PlaneKind::stress;
}

const Orientation* axes_that_vary(const ElasticMaterial& material) {
  return material.orientation && !material.orientation->is_constant() ? &*material.orientation : nullptr;
}
// Those of space where they vary.
Axes constant_axes(const ElasticMaterial& material) {
  return material.orientation && material.orientation->is_constant() ? material.orientation->axes() : Axes{};
}

// A form of these constants along the axes of space, or along axes that vary: the two numbers at a point are given.
FormValue varying(ElasticConstants constants, const ElasticSetting& setting, std::vector<PointFunction> given,
                  const Orientation* axes = nullptr) {
  constants.plane_stress = is_stress_free(setting);
  if (setting.waves) return {WithWaves<VaryingElasticity<Space::solid>>{{constants}}, std::move(given)};
  if (axes != nullptr) {
    std::vector<PointFunction> all = axes->functions();
    std::ranges::move(given, std::back_inserter(all));
    if (setting.dimension == 3)
      return {VaryingElasticity<Space::solid, ElasticAxes::varying>{constants}, std::move(all)};
    return {VaryingElasticity<Space::plane, ElasticAxes::varying>{constants}, std::move(all)};
  }
  if (setting.dimension == 3 && constants.inputs == ElasticInputs::share)
    return VaryingElasticity<Space::solid, ElasticAxes::fixed>{constants};
  if (setting.dimension == 3) return {VaryingElasticity<Space::solid>{constants}, std::move(given)};
  if (setting.plane == PlaneKind::axisymmetric)
    return {VaryingElasticity<Space::revolution>{constants}, std::move(given)};
  return {VaryingElasticity<Space::plane>{constants}, std::move(given)};
}

// Lame's parameters as shares of two stiffnesses: those of lambda = 1 and of mu = 1.
FormValue isotropic_with_waves(const IsotropicConstants& m, const ElasticSetting& setting) {
  ElasticConstants constants{ElasticInputs::shares};
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 3; ++j) constants.first[Voigt::entry(i, j)] = 1;
    constants.second[Voigt::entry(i, i)] = i < 3 ? 2 : 1;
  }
  const PointExpression young = m.young.expression(), poisson = m.poisson.expression();
  return varying(constants, setting,
                 {Coefficient(young * poisson / ((1 + poisson) * (1 - 2 * poisson))).function(),
                  Coefficient(young / (2 + 2 * poisson)).function()});
}

FormValue isotropic_stiffness(const IsotropicConstants& m, const ElasticSetting& setting) {
  if (setting.waves) return isotropic_with_waves(m, setting);
  if (!m.young.is_number() || !m.poisson.is_number()) {
    std::vector<PointFunction> given = {m.young.function(), m.poisson.function()};
    if (setting.dimension == 3) return {VaryingElasticity<Space::solid, ElasticAxes::none>{}, std::move(given)};
    return varying({}, setting, std::move(given));
  }
  const Lame l = Lame::from(m.young.number(), m.poisson.number());
  if (setting.dimension == 3) return Elasticity{l.lambda, l.mu};
  switch (setting.plane) {
    case PlaneKind::strain: return PlaneElasticity::plane_strain(l, 1);
    case PlaneKind::stress: return PlaneElasticity::plane_stress(l, 1);
    default: return AxisymmetricElasticity{l.lambda, l.mu};
  }
}

// The shares of two rows where the temperature lies between them.
std::vector<PointFunction> shares_of(const StiffnessTable& table, std::size_t row, const Coefficient& temperature,
                                     const std::string& origin) {
  const PointExpression T = table.inside(temperature.expression(), origin);
  const double from = table.rows[row].temperature, to = table.rows[row + 1].temperature;
  const PointExpression share = min(max((T - from) / (to - from), 0), 1);
  const auto here = [&](PointExpression result) {
    if (row > 0) result = PointExpression::choice(T >= from, result, 0);
    return row + 2 < table.rows.size() ? PointExpression::choice(T < to, result, 0) : result;
  };
  return {here(1 - share), here(share)};
}

// The stress of a free strain that is prevented, and the strain across the plane that remains free in plane stress.
struct PreventedStress {
  Six stress;
  double across = 0;
};
PreventedStress prevented(const StiffnessTensor& tensor, const Six& strain, const ElasticSetting& setting) {
  PreventedStress result{tensor.stress(strain)};
  if (!is_stress_free(setting)) return result;
  const double across = result.stress[2];
  for (std::size_t k = 0; k < 6; ++k) result.stress[k] -= tensor.c[k][2] / tensor.c[2][2] * across;
  result.across = across / tensor.c[2][2];
  return result;
}

template <int G, bool Oriented>
FormValue thermal_form(const Six& stress, const ElasticSetting& setting, std::vector<PointFunction> given) {
  ThermalStress<G, Oriented> form{.weight = setting.measure.weight, .axisymmetric = setting.measure.axisymmetric};
  std::ranges::copy(stress, form.stress);
  return {form, std::move(given)};
}

// theta times the stress, and the strain across the plane; with axes, the stress is along them.
FormValue thermal_form(const Six& stress, const Coefficient& theta, const Coefficient& across,
                       const ElasticSetting& setting, const Orientation* axes = nullptr) {
  std::vector<PointFunction> given = axes != nullptr ? axes->functions() : std::vector<PointFunction>{};
  given.push_back(theta.function());
  if (setting.dimension == 3)
    return axes != nullptr ? thermal_form<3, true>(stress, setting, std::move(given))
                           : thermal_form<3, false>(stress, setting, std::move(given));
  given.push_back(across.function());
  return axes != nullptr ? thermal_form<2, true>(stress, setting, std::move(given))
                         : thermal_form<2, false>(stress, setting, std::move(given));
}

Coefficient times(const Coefficient& a, double factor) { return factor * a.expression(); }

// An isotropic material whose constants vary: the stress of a unit strain does, too.
FormValue varying_thermal_form(const IsotropicConstants& m, const Coefficient& strain, const ElasticSetting& setting) {
  const PointExpression e = strain.expression(), young = m.young.expression(), poisson = m.poisson.expression();
  if (!is_stress_free(setting)) return thermal_form({1, 1, 1, 0, 0, 0}, e * young / (1 - 2 * poisson), 0, setting);
  return thermal_form({1, 1, 0, 0, 0, 0}, e * young / (1 - poisson), e * (1 + poisson) / (1 - poisson), setting);
}

}  // namespace

IsotropicConstants isotropic_constants(const ElasticMaterial& material, const Coefficient* temperature) {
  const Coefficient none = 0;
  const Coefficient& at = temperature != nullptr ? *temperature : none;
  return {at_temperature(material.young, at, "young", material.origin),
          at_temperature(material.poisson, at, "poisson", material.origin)};
}

StiffnessTable::Place StiffnessTable::place_of(double temperature, const std::string& origin) const {
  const double lowest = rows.front().temperature, highest = rows.back().temperature;
  if (!continued && !(temperature >= lowest && temperature <= highest))
    throw Error(ErrorKind::formula_value,
                fmt::format("the temperature {:g} lies outside of the table of the elastic constants", temperature),
                fmt::format("its rows go from {:g} to {:g}", lowest, highest),
                "add rows, or say outside = \"constant\" in its [[table]]")
        .at(origin);
  std::size_t row = 0;
  while (row + 2 < rows.size() && temperature >= rows[row + 1].temperature) ++row;
  const double from = rows[row].temperature, to = rows[row + 1].temperature;
  return {row, std::clamp((temperature - from) / (to - from), 0.0, 1.0)};
}

StiffnessTensor StiffnessTable::at(double temperature, const std::string& origin) const {
  const auto [row, share] = place_of(temperature, origin);
  StiffnessTensor result = rows[row].stiffness;
  const StiffnessTensor& next = rows[row + 1].stiffness;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) result.c[i][j] += share * (next.c[i][j] - result.c[i][j]);
  return result;
}

PointExpression StiffnessTable::inside(const PointExpression& temperature, const std::string& origin) const {
  if (continued) return temperature;
  return temperature.limited(
      {.minimum = rows.front().temperature, .maximum = rows.back().temperature},
      [self = *this, origin](double value, const auto&, double, const auto&) { self.place_of(value, origin); });
}

StiffnessTable StiffnessTable::from_axes(const Axes& axes) const {
  StiffnessTable result = *this;
  for (Row& each : result.rows) each.stiffness = each.stiffness.from_axes(axes);
  return result;
}

bool is_of_law(const ElasticMaterial& material, const ElasticSetting& setting) {
  return material.law || setting.large_displacements || material.gradient != CellGradient::own;
}

namespace {

MaterialLaw law_of(const ElasticMaterial& material) {
  if (material.law) return *material.law;
  if (material.stiffness && !material.stiffness->is_orthotropic())
    return std::bit_cast<Anisotropic>(material.stiffness->numbers());
  if (material.stiffness) {
    const std::array<Six, 6>& c = material.stiffness->c;
    return Orthotropic{c[0][0], c[0][1], c[1][1], c[0][2], c[1][2], c[2][2], c[3][3], c[5][5], c[4][4]};
  }
  return LinearElastic{coefficient_in(material.young)->number(), coefficient_in(material.poisson)->number()};
}

}  // namespace

bool ElasticMaterial::law_needs_temperature() const {
  return law && (law->needs_temperature() || std::ranges::any_of(law_numbers, [](const LawNumber& each) {
                   return table_in(each.value) != nullptr;
                 }));
}

Integral law_integral(const ElasticMaterial& material, const BodyTemperature* temperature, const Coefficient& factor,
                      const ElasticSetting& setting, const Region& region) {
  LawInputs inputs;
  if (temperature != nullptr)
    for (std::size_t axis = 0; axis < material.expansion.size(); ++axis)
      inputs.free_strains.push_back(
          Coefficient(factor.expression() * thermal_strain(material, axis, *temperature).expression()).function());
  if (material.orientation) inputs.axes = material.orientation->functions();
  const MaterialLaw law = law_of(material);
  Coefficient now = 0;
  if (material.law_needs_temperature()) {
    if (temperature == nullptr)
      throw Error(ErrorKind::law, fmt::format("the law '{}' without a temperature of the body", law.record->name),
                  "its numbers are tables over the temperature", "give [thermal], or numbers of one temperature");
    const PointExpression& end = temperature->value.expression();
    now = factor.expression() * (end - temperature->reference) + temperature->reference;
  }
  if (law.needs_temperature()) inputs.temperature = now.function();
  for (const LawNumber& each : material.law_numbers)
    inputs.varying.emplace_back(law.parameter(each.name),
                                at_temperature(each.value, now, each.name, material.origin).function());
  std::ranges::sort(inputs.varying, {}, &std::pair<int, PointFunction>::first);
  const bool plane = setting.dimension == 2;
  Integral result = Integral::over(law.form({.space = !plane                         ? Space::solid
                                                      : setting.measure.axisymmetric ? Space::revolution
                                                                                     : Space::plane,
                                             .large = setting.large_displacements,
                                             .plane_stress = plane && setting.plane == PlaneKind::stress,
                                             .gradient = material.gradient},
                                            inputs),
                                   region);
  if (plane && !setting.measure.axisymmetric) result.factor = setting.measure.weight;
  return result;
}

std::vector<Integral> stiffness_integrals(const ElasticMaterial& material, const Coefficient* temperature,
                                          const ElasticSetting& setting, const Region& region) {
  const Orientation* turns = material.has_axes() ? axes_that_vary(material) : nullptr;
  std::vector<FormValue> forms;
  if (!material.has_axes()) {
    forms.push_back(isotropic_stiffness(isotropic_constants(material, temperature), setting));
  } else if (material.stiffness) {
    ElasticConstants constants{ElasticInputs::share};
    material.stiffness->from_axes(constant_axes(material)).put(constants.first);
    forms.push_back(varying(constants, setting, {constant(1), constant(0)}, turns));
  } else {
    const StiffnessTable table = material.stiffness_table->from_axes(constant_axes(material));
    for (std::size_t row = 0; row + 1 < table.rows.size(); ++row) {
      ElasticConstants constants{ElasticInputs::shares};
      table.rows[row].stiffness.put(constants.first);
      table.rows[row + 1].stiffness.put(constants.second);
      forms.push_back(varying(constants, setting, shares_of(table, row, *temperature, material.origin), turns));
    }
  }
  std::vector<Integral> result;
  for (FormValue& each : forms) {
    result.push_back(Integral::over(std::move(each), region));
    // Forms in the plane are per unit of depth; of a body of revolution without waves they hold the measure.
    if (setting.dimension == 2 && (setting.waves || !setting.measure.axisymmetric))
      result.back().factor = setting.measure.weight;
  }
  return result;
}

Coefficient thermal_strain(const ElasticMaterial& material, std::size_t axis, const BodyTemperature& temperature) {
  const MaterialProperty& alpha = material.expansion[material.expansion.size() == 1 ? 0 : axis];
  const double reference = temperature.reference, zero = material.expansion_zero.value_or(reference);
  const Coefficient now = at_temperature(alpha, temperature.value, "expansion", material.origin);
  const Coefficient then =
      zero == reference ? Coefficient(0) : at_temperature(alpha, reference, "expansion", material.origin);
  return now.expression() * (temperature.value.expression() - zero) - then.expression() * (reference - zero);
}

namespace {

// Integrals of a stiffness over the temperature, one for each component of the prevented stress.
std::vector<Integral> table_thermal_integrals(const ElasticMaterial& material, const BodyTemperature& temperature,
                                              const std::vector<Coefficient>& strains, const ElasticSetting& setting,
                                              const Region& region) {
  const Axes axes = constant_axes(material);
  const StiffnessTable table = material.stiffness_table->from_axes(axes);
  const std::array<Point, 3> along = {axes.first, axes.second, axes.third()};
  const PointExpression T = table.inside(temperature.value.expression(), material.origin);
  std::vector<double> temperatures;
  for (const StiffnessTable::Row& row : table.rows) temperatures.push_back(row.temperature);
  const auto over_rows = [&](const auto& number_of) {
    std::vector<double> values;
    for (const StiffnessTable::Row& row : table.rows) values.push_back(number_of(row.stiffness));
    return between_rows(temperatures, std::move(values), T);
  };
  // The stress of all free strains together, were they prevented in all directions; each is linear between rows.
  std::array<PointExpression, 6> stress;
  for (std::size_t axis = 0; axis < strains.size(); ++axis) {
    const Six unit = strains.size() == 1 ? Six{1, 1, 1, 0, 0, 0} : strain_along(along[axis]);
    for (std::size_t k = 0; k < 6; ++k)
      stress[k] = stress[k] + strains[axis].expression() *
                                  over_rows([&](const StiffnessTensor& each) { return each.stress(unit)[k]; });
  }
  PointExpression across;
  if (is_stress_free(setting)) {
    across = stress[2] / over_rows([](const StiffnessTensor& each) { return each.c[2][2]; });
    for (std::size_t k = 0; k < 6; ++k)
      stress[k] = stress[k] - over_rows([&](const StiffnessTensor& each) { return each.c[k][2]; }) * across;
  }
  std::vector<Integral> result;
  for (std::size_t k = 0; k < (setting.dimension == 3 ? 6U : 4U); ++k) {
    Six unit{};
    unit[k] = 1;
    result.push_back(Integral::over(
        thermal_form(unit, stress[k], k == 0 ? Coefficient(across) : 0, setting, axes_that_vary(material)), region));
  }
  return result;
}

}  // namespace

std::vector<Integral> thermal_integrals(const ElasticMaterial& material, const BodyTemperature& temperature,
                                        const ElasticSetting& setting, const Region& region) {
  if (material.expansion.empty()) return {};
  std::vector<Coefficient> strains;
  for (std::size_t axis = 0; axis < material.expansion.size(); ++axis)
    strains.push_back(thermal_strain(material, axis, temperature));
  if (material.stiffness_table) return table_thermal_integrals(material, temperature, strains, setting, region);
  StiffnessTensor tensor;
  if (material.stiffness) {
    tensor = *material.stiffness;
  } else {
    const IsotropicConstants constants = isotropic_constants(material, &temperature.value);
    if (!constants.young.is_number() || !constants.poisson.is_number())
      return {Integral::over(varying_thermal_form(constants, strains[0], setting), region)};
    tensor = StiffnessTensor::isotropic(constants.young.number(), constants.poisson.number());
  }
  const Axes constant = constant_axes(material);
  tensor = tensor.from_axes(constant);
  const std::array<Point, 3> along = {constant.first, constant.second, constant.third()};
  std::vector<Integral> result;
  for (std::size_t axis = 0; axis < strains.size(); ++axis) {
    const Six unit = strains.size() == 1 ? Six{1, 1, 1, 0, 0, 0} : strain_along(along[axis]);
    const PreventedStress full = prevented(tensor, unit, setting);
    result.push_back(Integral::over(
        thermal_form(full.stress, strains[axis], times(strains[axis], full.across), setting, axes_that_vary(material)),
        region));
  }
  return result;
}

Integral even_stress(const Coefficient& pressure, const ElasticSetting& setting, const Region& region) {
  return Integral::over(thermal_form({1, 1, 1, 0, 0, 0}, pressure, 0, setting), region);
}

Integral no_thermal_stress(const ElasticSetting& setting, const Region& region) {
  return Integral::over(thermal_form(Six{}, 0, 0, setting), region);
}

}  // namespace ritz
