#include "fem/physics/any_form.hpp"

#include "device/kernels.hpp"
#include "fem/forms/heat.hpp"
#include "fem/forms/mass.hpp"
#include "fem/launch/element_arguments.hpp"
#include "fem/physics/load_forms.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <numbers>

namespace ritz {
namespace {

// The facts of a form, from the module that registers it.
const FormRecord& facts_of(const FormValue& form, const Device& device) {
  return kernels<FormRecord>(device, form.module, form_record_name(form.kernels.c_str()));
}

BodyMeasure measure_of(const FormRecord& main) {
  return {main.of_revolution ? 2 * std::numbers::pi : 1, main.of_revolution};
}

template <int G>
std::optional<FormValue> mass_form_in(int components, const Coefficient& density, const BodyMeasure& measure) {
  const auto [weight, around] = measure;
  if (components == 1)
    return FormValue(HeatCapacity<G>{.weight = weight, .axisymmetric = around}, {density.function(), constant(1)});
  if (components != G) return std::nullopt;
  if constexpr (G == 2)
    if (around) return FormValue(Mass<2, 2, true>{.weight = weight}, {density.function()});
  return FormValue(Mass<G, G>{}, {density.function()});
}

// A temperature at which surfaces that radiate have a tangent: no colder than room temperature.
template <int G>
double warm(const FormValue& form, const Mesh& mesh, const Region& region) {
  Radiation<G> radiation;
  std::memcpy(&radiation, form.bytes.data(), sizeof radiation);
  const Coefficient ambient = form.given[1].expression();
  return std::max(largest(ambient, mesh, region), radiation.absolute_zero + 300);
}

std::optional<RigidModes> rigid_modes(const FormRecord& main, bool is_held) {
  if (!main.objective || (main.uses_value && !main.of_revolution)) return std::nullopt;
  if (main.components == 1) return RigidModes::scalar;
  if (main.components != main.dimension || is_held) return std::nullopt;
  if (main.of_revolution) return RigidModes::axisymmetric;
  return main.dimension == 3 ? RigidModes::solid : RigidModes::plane;
}

}  // namespace

std::optional<FormValue> mass_form(int dimension, int components, const Coefficient& density,
                                   const BodyMeasure& measure) {
  return dimension == 3 ? mass_form_in<3>(components, density, measure) : mass_form_in<2>(components, density, measure);
}

void FormLoads::load(On cells_or_facets, std::vector<Coefficient> density, std::string origin) {
  loads_.push_back({std::move(cells_or_facets), std::move(density), std::move(origin)});
}
void FormLoads::prescribe(On region, int component, Coefficient value, std::string origin) {
  prescribed_.push_back({std::move(region), component, std::move(value), std::move(origin)});
}

void AnyForm::material(On cells, FormValue form, std::string origin) {
  materials_.push_back({std::move(cells), std::move(form), std::move(origin)});
}
void AnyForm::boundary(On facets, FormValue form, std::string origin) {
  boundaries_.push_back({std::move(facets), std::move(form), std::move(origin)});
}
void AnyForm::capacity(On cells, StoredQuantity stored, std::string origin) {
  capacity_.push_back({std::move(cells), std::move(stored), std::move(origin)});
}
void AnyForm::inertia(On cells, StoredQuantity momentum, std::string origin) {
  inertia_.push_back({std::move(cells), std::move(momentum), std::move(origin)});
}

class AnyForm::Builder {
 public:
  Builder(const AnyForm& body, Model& model, ErrorList& errors)
      : body_(body),
        mesh_(body.mesh_),
        main_(facts_of(body.materials_.front().form, model.space.device())),
        model_(model),
        errors_(errors) {}

  void build() {
    model_.definite = false;  // nobody promises it
    add_materials();
    for (const PlacedForm& each : body_.boundaries_) add_boundary(each);
    add_loads(body_.loads, model_.equations, model_.supports);
    for (const FormLoads& each : body_.load_cases_) {
      ModelLoadCase& own = model_.load_cases.emplace_back(ModelLoadCase{each.name()});
      add_loads(each, own.loads, own.prescribed);
    }
    add_stored(body_.capacity_, model_.capacity);
    add_stored(body_.inertia_, model_.inertia);
    model_.rigid = rigid_modes(main_, !model_.held.empty());
  }

 private:
  static constexpr ParameterFacts any_value{.name = "value"}, positive_density{.name = "value", .above = 0};

  void add_materials() {
    std::vector<MaterialRegion> materials;
    for (const PlacedForm& each : body_.materials_) {
      const Region* region = find(each.place, {RegionKind::cells}, each.origin);
      if (region == nullptr || !suits(each, 0)) continue;
      materials.push_back({region, each.origin.empty() ? fmt::format("'{}'", region->name) : each.origin});
      model_.equations.push_back(Integral::over(each.form, *region));
      model_.linear = model_.linear && each.form.linear;
    }
    if (!materials.empty()) check_materials(mesh_, materials, errors_);
  }

  void add_boundary(const PlacedForm& each) {
    const FormValue& form = each.form;
    model_.linear = model_.linear && form.linear;
    const Region* region = find(each.place, {RegionKind::facets}, each.origin);
    if (region == nullptr || !suits(each, 1)) return;
    if (const Index count = inner_facets(mesh_, *region); count > 0)
      model_.notices.push_back(fmt::format(
          "{} facets of '{}' lie between two cells: where '{}' uses the normal it takes that of the lower cell", count,
          region->name, form.name));
    if (!has_size(mesh_, *region, measure_of(main_), each.origin, errors_)) return;
    model_.equations.push_back(Integral::over(form, *region));
    if (form.has_matrix) model_.held.push_back({model_.space.nodes_in(*region)});
    if (form.name == Radiation<3>::name) model_.start = std::max(model_.start, warm<3>(form, mesh_, *region));
    if (form.name == Radiation<2>::name) model_.start = std::max(model_.start, warm<2>(form, mesh_, *region));
  }

  void add_loads(const FormLoads& from, std::vector<Integral>& integrals, std::vector<PrescribedValue>& prescribed) {
    for (const auto& [place, density, origin] : from.loads_) {
      const Region* region = find(place, {RegionKind::cells, RegionKind::facets}, origin);
      if (region == nullptr || !has_size(mesh_, *region, measure_of(main_), origin, errors_)) continue;
      if (static_cast<int>(density.size()) != main_.components) {
        errors_.add(Error(ErrorKind::model_options, fmt::format("the load has {} numbers", density.size()),
                          fmt::format("the unknown has {} components", main_.components), "give one for each")
                        .at(origin));
        continue;
      }
      for (const Coefficient& each : density) check_values(each, any_value, mesh_, *region, origin, errors_);
      const bool on_facets = region->kind == RegionKind::facets;
      const BodyMeasure measure = measure_of(main_);
      integrals.push_back(Integral::over(main_.dimension == 3
                                             ? density_form<3>(main_.components, density, on_facets, measure)
                                             : density_form<2>(main_.components, density, on_facets, measure),
                                         *region));
    }
    for (const auto& [place, component, value, origin] : from.prescribed_) {
      const Region* region = find(place, {RegionKind::facets, RegionKind::nodes, RegionKind::cells}, origin);
      if (component < 0 || component >= main_.components)
        errors_.add(Error(ErrorKind::model_options, fmt::format("a prescribed value of component {}", component),
                          fmt::format("the unknown has {} components", main_.components), "count them from 0")
                        .at(origin));
      else if (region != nullptr) prescribed.push_back({region, component, value, origin});
    }
  }

  void add_stored(const std::vector<PlacedQuantity>& from, std::vector<Integral>& integrals) {
    for (const auto& [place, quantity, origin] : from) {
      const Region* region = find(place, {RegionKind::cells}, origin);
      if (region == nullptr) continue;
      const auto* density = std::get_if<Coefficient>(&quantity);
      const std::optional<FormValue> form =
          density != nullptr ? mass_of(*density, *region, origin) : std::get<FormValue>(quantity);
      if (form && suits({place, *form, origin}, 0)) integrals.push_back(Integral::over(*form, *region));
    }
  }

  std::optional<FormValue> mass_of(const Coefficient& density, const Region& region, const std::string& origin) {
    check_values(density, positive_density, mesh_, region, origin, errors_);
    std::optional<FormValue> form = mass_form(main_.dimension, main_.components, density, measure_of(main_));
    if (!form)
      errors_.add(Error(ErrorKind::model_options,
                        fmt::format("'mass' has no kernels for {} components", main_.components),
                        fmt::format("it is for one component, and for {}", main_.dimension),
                        "name a form of a plugin whose residual is stored")
                      .at(origin));
    return form;
  }

  // Does the form act on the unknown of the first material, on what it is given for?
  bool suits(const PlacedForm& each, int codimension) {
    const FormValue& form = each.form;
    const bool on_facets = form.codimension == 1;
    if (form.components == main_.components && form.dimension == mesh_.dimension() && form.codimension == codimension)
      return true;
    errors_.add(Error(ErrorKind::model_options,
                      fmt::format("the form '{}' is one of {} components on {} in {} dimensions", form.name,
                                  form.components, on_facets ? "facets" : "cells", form.dimension),
                      fmt::format("'{}', that of the first material, has {}, and the mesh is one of {} dimensions",
                                  main_.name, main_.components, mesh_.dimension()),
                      fmt::format("take a form on {} for this unknown", codimension == 1 ? "facets" : "cells"))
                    .at(each.origin));
    return false;
  }

  const Region* find(const On& place, std::initializer_list<RegionKind> kinds, const std::string& origin) {
    return find_region(place, mesh_, kinds, origin, errors_);
  }

  const AnyForm& body_;
  Mesh mesh_;
  const FormRecord& main_;
  Model& model_;
  ErrorList& errors_;
};

Model AnyForm::model(FunctionSpace space, ErrorList& errors) const {
  Model model;
  model.space = std::move(space);
  if (!materials_.empty()) Builder(*this, model, errors).build();
  else check_materials(mesh_, {}, errors);
  return model;
}

Model AnyForm::model(const Device& device, const SpaceOptions& options) const {
  ErrorList errors;
  const int components = materials_.empty() ? 1 : materials_.front().form.components;
  Model result = model(FunctionSpace(mesh_, components, device, options), errors);
  errors.throw_if_any();
  return result;
}

}  // namespace ritz
