#include "fem/physics/heat_conduction.hpp"

#include "fem/forms/anisotropic_conduction.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/heat.hpp"
#include "fem/physics/load_forms.hpp"
#include "fem/physics/material_numbers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numbers>
#include <set>

namespace ritz {

void HeatLoads::source(On cells, Coefficient density, std::string origin) {
  sources_.push_back({std::move(cells), std::move(density), std::move(origin)});
}
void HeatLoads::flux(On facets, Coefficient density, std::string origin) {
  fluxes_.push_back({std::move(facets), std::move(density), std::move(origin)});
}
void HeatLoads::power(On facets_or_cells, Coefficient total, std::string origin) {
  powers_.push_back({std::move(facets_or_cells), std::move(total), std::move(origin)});
}
void HeatLoads::temperature(On region, Coefficient value, std::string origin) {
  temperatures_.push_back({std::move(region), std::move(value), std::move(origin)});
}

HeatConduction::HeatConduction(const Mesh& mesh, const Options& options)
    : mesh_(mesh),
      measure_{options.axisymmetric ? 2 * std::numbers::pi : options.thickness, options.axisymmetric},
      absolute_zero_(options.absolute_zero) {}

void HeatConduction::material(On cells, Material material) {
  materials_.push_back({std::move(cells), std::move(material)});
}
void HeatConduction::convection(On facets, Convection convection) {
  convections_.push_back({std::move(facets), std::move(convection)});
}
void HeatConduction::radiation(On facets, Radiation radiation) {
  radiations_.push_back({std::move(facets), std::move(radiation)});
}

template <int G>
class HeatConduction::Builder {
 public:
  Builder(const HeatConduction& heat, Model& model, ErrorList& errors)
      : heat_(heat), mesh_(heat.mesh_), measure_(heat.measure_), model_(model), errors_(errors) {}

  void build() {
    add_materials();
    add_loads(heat_.loads, model_.equations, model_.supports);
    for (const auto& [place, input] : heat_.convections_) add_convection(place, input);
    for (const auto& [place, input] : heat_.radiations_) add_radiation(place, input);
    for (const HeatLoads& each : heat_.load_cases_) {
      ModelLoadCase& own = model_.load_cases.emplace_back(ModelLoadCase{each.name()});
      add_loads(each, own.loads, own.prescribed);
    }
    report_overlaps();
  }

 private:
  static constexpr ParameterFacts positive_conductivity{.name = "conductivity", .above = 0}, any_value{.name = "value"},
      positive_density{.name = "density", .above = 0}, positive_heat{.name = "specific_heat", .above = 0},
      positive_coefficient{.name = "coefficient", .above = 0},
      emissivity_of_grey{.name = "emissivity", .maximum = 1, .above = 0};

  // Temperatures: above absolute zero, where radiation says what that is.
  ParameterFacts possible(const char* name) const {
    ParameterFacts facts{.name = name};
    if (!heat_.radiations_.empty()) facts.minimum = heat_.absolute_zero_;
    return facts;
  }

  void add_materials() {
    std::vector<MaterialRegion> materials;
    bool all_store = true;
    for (const auto& [place, material] : heat_.materials_) {
      const Region* region = find(place, {RegionKind::cells}, material.origin);
      if (region == nullptr) continue;
      materials.push_back({region, material.origin.empty() ? fmt::format("'{}'", region->name) : material.origin});
      if (material.conductivity_along)
        for (const double k : *material.conductivity_along)
          check_values(k, positive_conductivity, mesh_, *region, material.origin, errors_);
      else check(material.conductivity, positive_conductivity, *region, material.origin);
      model_.equations.push_back(Integral::over(
          material.conductivity_along ? conduction_along(material, *region) : conduction(material.conductivity),
          *region));
      if (material.density && material.specific_heat) add_capacity(*region, material);
      else all_store = false;
      const bool depends = table_in(material.conductivity) != nullptr;
      model_.linear = model_.linear && !depends;
      model_.definite = model_.definite && !depends;  // the tangent of k(T) grad T is not symmetric
    }
    if (!all_store) model_.capacity.clear();
    if (!materials.empty() || heat_.materials_.empty()) check_materials(mesh_, materials, errors_);
  }

  // Numbers that vary are integrated by the rule of constant ones, so that a formula, an array or axes of a constant
  // give the solution of the number. The radius of a body of revolution raises the degree.
  FormValue by_rule_of_numbers(FormValue form) const {
    form.extra_degree = measure_.axisymmetric ? 1 : 0;
    return form;
  }

  FormValue conduction(const MaterialProperty& k) {
    if (const TemperatureTable* table = table_in(k))
      return Conduction<G>{table->values, measure_.weight, measure_.axisymmetric};
    const Coefficient& given = *coefficient_in(k);
    if (!given.is_number())
      return by_rule_of_numbers({VaryingDiffusion<G>{measure_.weight, measure_.axisymmetric}, {given.function()}});
    if constexpr (G == 2)
      if (measure_.axisymmetric) return AxisymmetricDiffusion{given.number()};
    return Diffusion<G>{given.number(), measure_.weight};
  }

  FormValue conduction_along(const Material& material, const Region& region) {
    const Orientation* axes = material.orientation ? &*material.orientation : nullptr;
    check_plane(axes, region, material.origin);
    AnisotropicConduction<G> form{.weight = measure_.weight, .axisymmetric = measure_.axisymmetric};
    std::ranges::copy(*material.conductivity_along, form.conductivity);
    return by_rule_of_numbers({form, axes != nullptr ? axes->functions() : std::vector<PointFunction>{}});
  }

  // In two dimensions one axis stands across the plane, else heat would flow across it.
  void check_plane(const Orientation* axes, const Region& region, const std::string& origin) {
    if (G == 3 || axes == nullptr || region.cells.empty()) return;
    if (measure_.axisymmetric && !axes->is_constant())
      return errors_.add(Error(ErrorKind::material_axes, fmt::format("material axes that vary, of '{}'", region.name),
                               "a body of revolution has the axes r, y and hoop in each section",
                               "give constant axes in the section")
                             .at(origin));
    const std::optional<Axes> found = axes_in_first_cell(*axes, mesh_, region, errors_);
    if (!found || found->keeps_plane()) return;
    errors_.add(Error(ErrorKind::material_axes, fmt::format("the material axes of '{}'", region.name),
                      "heat would flow out of the plane",
                      "let one material axis stand across the plane, or model the body in three dimensions")
                    .at(origin));
  }

  void add_capacity(const Region& region, const Material& material) {
    const Coefficient& density = *material.density;
    check_values(density, positive_density, mesh_, region, material.origin, errors_);
    check(*material.specific_heat, positive_heat, region, material.origin);
    model_.capacity.push_back(Integral::over(stored_heat(density, *material.specific_heat, material.origin), region));
  }

  FormValue stored_heat(const Coefficient& density, const MaterialProperty& c, const std::string& origin) {
    const TemperatureTable* table = table_in(c);
    if (table == nullptr) {
      const Coefficient& specific_heat = *coefficient_in(c);
      return {HeatCapacity<G>{.weight = measure_.weight, .axisymmetric = measure_.axisymmetric},
              {density.function(), specific_heat.function()}};
    }
    if (!density.is_number())
      errors_.add(Error(ErrorKind::model_options, "a density that varies beside a table of the specific heat",
                        "the enthalpy over the temperature is one table for a material",
                        "give the density as a number, or materials of their own")
                      .at(origin));
    return Enthalpy<G>{density.number(), table->values, measure_.weight, measure_.axisymmetric};
  }

  void add_loads(const HeatLoads& from, std::vector<Integral>& integrals, std::vector<PrescribedValue>& prescribed) {
    for (const auto& [place, value, origin] : from.sources_) {
      const Region* region = find(place, {RegionKind::cells}, origin);
      if (region == nullptr) continue;
      check_values(value, any_value, mesh_, *region, origin, errors_);
      integrals.push_back(Integral::over(load_form<1, G, 0>({value}, measure_), *region));
    }
    for (const auto& [place, value, origin] : from.fluxes_) {
      const Region* region = find_surface(place, origin);
      if (region == nullptr) continue;
      check_values(value, any_value, mesh_, *region, origin, errors_);
      integrals.push_back(Integral::over(load_form<1, G, 1>({value}, measure_), *region));
    }
    for (const auto& [place, value, origin] : from.powers_) {
      const Region* region = find(place, {RegionKind::facets, RegionKind::cells}, origin);
      if (region == nullptr || !has_size(mesh_, *region, measure_, origin, errors_)) continue;
      check_values(value, any_value, mesh_, *region, origin, errors_);
      const double share = 1 / loaded_size(mesh_, *region, measure_, model_.space.order());
      integrals.push_back(region->kind == RegionKind::facets
                              ? Integral::over(load_form<1, G, 1>({value}, measure_, share), *region)
                              : Integral::over(load_form<1, G, 0>({value}, measure_, share), *region));
    }
    for (const auto& [place, value, origin] : from.temperatures_) {
      const Region* region = find(place, {RegionKind::facets, RegionKind::nodes, RegionKind::cells}, origin);
      if (region == nullptr) continue;
      check_values(value, possible("value"), mesh_, *region, origin, errors_);
      prescribed.push_back({region, 0, value, origin});
    }
  }

  void add_convection(const On& place, const HeatConduction::Convection& input) {
    const Region* region = find_surface(place, input.origin);
    if (region == nullptr) return;
    const auto& [h, ambient, origin] = input;
    check_values(h, positive_coefficient, mesh_, *region, origin, errors_);
    check_values(ambient, possible("ambient"), mesh_, *region, origin, errors_);
    const ritz::Convection<G> form{.weight = measure_.weight, .axisymmetric = measure_.axisymmetric};
    add_exchange("convection", *region, {form, {h.function(), ambient.function()}});
  }

  void add_radiation(const On& place, const HeatConduction::Radiation& input) {
    const Region* region = find_surface(place, input.origin);
    if (region == nullptr) return;
    const auto& [emissivity, ambient, origin] = input;
    const double zero = heat_.absolute_zero_;
    check_values(emissivity, emissivity_of_grey, mesh_, *region, origin, errors_);
    check_values(ambient, possible("ambient"), mesh_, *region, origin, errors_);
    model_.linear = false;
    // No colder than what radiates at room temperature, in kelvin: at absolute zero radiation has no tangent.
    model_.start = std::max({model_.start, largest(ambient, mesh_, *region), zero + 300.0});
    const ritz::Radiation<G> form{
        .absolute_zero = zero, .weight = measure_.weight, .axisymmetric = measure_.axisymmetric};
    add_exchange("radiation", *region, {form, {emissivity.function(), ambient.function()}});
  }

  void add_exchange(const char* kind, const Region& region, const FormValue& form) {
    model_.equations.push_back(Integral::over(form, region));
    model_.exchanges.push_back({kind, &region, model_.equations.back()});
    model_.held.push_back({model_.space.nodes_in(region)});
  }

  // Materials that overlap are an error; two fluids on one facet may be meant, and both act.
  void report_overlaps() {
    for (const std::string kind : {"convection", "radiation"}) {
      std::vector<std::pair<Index, int>> facets;
      for (const Exchange& each : model_.exchanges)
        if (each.kind == kind)
          for (const FacetOfCell& facet : each.region->facets) facets.emplace_back(facet.cell, facet.facet);
      std::ranges::sort(facets);
      std::set<std::pair<Index, int>> several;
      for (std::size_t i = 1; i < facets.size(); ++i)
        if (facets[i] == facets[i - 1]) several.insert(facets[i]);
      if (!several.empty())
        model_.notices.push_back(
            fmt::format("facets with more than one [[{}]]: {}; their heats add", kind, several.size()));
    }
  }

  const Region* find(const On& place, std::initializer_list<RegionKind> kinds, const std::string& origin) {
    return find_region(place, mesh_, kinds, origin, errors_);
  }
  const Region* find_surface(const On& place, const std::string& origin) {
    const Region* region = find(place, {RegionKind::facets}, origin);
    return region != nullptr && has_size(mesh_, *region, measure_, origin, errors_) ? region : nullptr;
  }

  void check(const MaterialProperty& property, const ParameterFacts& facts, const Region& region,
             const std::string& origin) {
    if (const Coefficient* coefficient = coefficient_in(property))
      return check_values(*coefficient, facts, mesh_, region, origin, errors_);
    const TemperatureTable& table = *table_in(property);
    const PiecewiseLinear& values = table.values;
    for (int i = 0; i < values.rows; ++i)
      check_values(values.value(values.argument[i]), facts, mesh_, region,
                   fmt::format("at a temperature of {:g}{}", values.argument[i], at_origin(origin)), errors_);
    if (!table.continued) model_.ranges.push_back({&region, values.lowest(), values.highest(), origin});
  }

  const HeatConduction& heat_;
  Mesh mesh_;
  const BodyMeasure measure_;
  Model& model_;
  ErrorList& errors_;
};

bool HeatConduction::has_axes() const {
  return std::ranges::any_of(materials_, [](const auto& each) { return each.input.conductivity_along.has_value(); });
}

ErrorModel HeatConduction::error_model() const {
  ErrorModel model{.physics = measure_.axisymmetric ? ErrorPhysics::axisymmetric_heat : ErrorPhysics::heat,
                   .weight = measure_.weight};
  ErrorList ignored;
  std::vector<MaterialNumbers> materials;
  for (const auto& [place, input] : materials_) {
    const Region* region = find_region(place, mesh_, {RegionKind::cells}, input.origin, ignored);
    const Coefficient* conductivity = coefficient_in(input.conductivity);
    if (region != nullptr && conductivity != nullptr && !input.conductivity_along)
      materials.push_back({region, {*conductivity}});
  }
  const auto number_of = [](std::span<const double> given) { return std::array{given[0], 0.0}; };
  add_materials(mesh_, materials, number_of, model);
  return model;
}

Model HeatConduction::model(FunctionSpace space, ErrorList& errors) const {
  Model model;
  model.space = std::move(space);
  if (mesh_.dimension() == 3) Builder<3>(*this, model, errors).build();
  else Builder<2>(*this, model, errors).build();
  return model;
}

Model HeatConduction::model(const Device& device, const SpaceOptions& options) const {
  ErrorList errors;
  Model result = model(FunctionSpace(mesh_, 1, device, options), errors);
  errors.throw_if_any();
  return result;
}

}  // namespace ritz
