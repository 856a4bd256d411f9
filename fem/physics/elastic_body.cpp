#include "fem/physics/elastic_body.hpp"

#include "fem/forms/elasticity.hpp"
#include "fem/physics/cell_integration.hpp"
#include "fem/physics/inertia_forms.hpp"
#include "fem/physics/material_numbers.hpp"
#include "fem/physics/mixed_solid.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

// Non-affine quadrilaterals, hexahedra and prisms of order >= 2 lock volumetrically: their mapped shape functions
// cannot represent incompressible fields.
bool locks_where_bent(CellKind kind) {
  const CellKind shape = traits(kind).linear;
  return shape == CellKind::quad4 || shape == CellKind::hex8 || shape == CellKind::prism6;
}

// Are elastic constants tables over the temperature?
bool has_tables(const ElasticMaterial& m) {
  if (m.law) return m.law_needs_temperature();
  return m.stiffness_table || (!m.stiffness && (table_in(m.young) != nullptr || table_in(m.poisson) != nullptr));
}

double value_at(const Coefficient& value, std::span<const double, 3> x) {
  return value.is_number() ? value.number() : value.expression().at({x[0], x[1], x[2]});
}

}  // namespace

ElasticBody::ElasticBody(const Mesh& mesh, PlaneKind plane, double thickness) : mesh_(mesh), plane_(plane) {
  const bool axisymmetric = mesh.dimension() == 2 && plane == PlaneKind::axisymmetric;
  measure_ = {axisymmetric ? 2 * std::numbers::pi : mesh.dimension() == 2 ? thickness : 1, axisymmetric};
}

void ElasticBody::material(On cells, Material material) {
  materials_.push_back({std::move(cells), std::move(material)});
}
void ElasticBody::foundation(On facets, Foundation foundation) {
  foundations_.emplace_back(std::move(facets), std::move(foundation));
}
void ElasticBody::spring(On nodes, GroundSpring spring) { springs_.emplace_back(std::move(nodes), std::move(spring)); }

void ElasticBody::rotates(Rotation rotation) { rotation_ = std::move(rotation); }

template <int G>
class ElasticBody::Builder {
 public:
  Builder(const ElasticBody& body, Model& model, ErrorList& errors)
      : body_(body),
        mesh_(body.mesh_),
        measure_(body.measure_),
        setting_(body.setting()),
        model_(model),
        errors_(errors) {}

  void build() {
    const bool weighs = body_.loads.gravity_ || std::ranges::any_of(body_.load_cases_, [](const ElasticLoads& each) {
                          return each.gravity_.has_value();
                        });
    check_rotation();
    check_waves();
    find_materials(weighs);
    report_locking();
    for (const FoundMaterial& m : materials_) {
      check_integration(m.input, *m.region, model_, errors_);
      if (m.input.mixed) add_mixed(m);
      else if (is_of_law(m.input, setting_)) add_law(m);
      else add_stresses(stiffness_integrals(m.input, body_.common_temperature(), setting_, *m.region), m);
      if (has_gravity(body_.loads)) add_weight(*body_.loads.gravity_, m, model_.equations);
      if (m.input.density) add_mass(m);
      if (model_.turning && m.input.density) add_rotation(m);
    }
    if (model_.inertia.size() < materials_.size()) model_.inertia.clear();
    for (const auto& [facets, input] : body_.foundations_) add_foundation<G>(facets, input, measure_, model_, errors_);
    for (const auto& [nodes, input] : body_.springs_) add_spring(nodes, input, model_, errors_);
    if (!body_.waves) add_thermal(body_.loads, model_.equations);
    const ElasticLoads::Body of_loads{mesh_, measure_, body_.components(), body_.large_displacements,
                                      body_.pressures_follow};
    body_.loads.add_to<G>(model_, of_loads, model_.equations, model_.supports, errors_);
    for (const ElasticLoads& each : body_.load_cases_) {
      ModelLoadCase& own = model_.load_cases.emplace_back(ModelLoadCase{each.name()});
      if (has_gravity(each))
        for (const FoundMaterial& m : materials_) add_weight(*each.gravity_, m, own.loads);
      add_thermal(each, own.loads);
      each.add_to<G>(model_, of_loads, own.loads, own.prescribed, errors_);
    }
    check_temperatures();
    model_.rigid = G == 3 ? RigidModes::solid : measure_.axisymmetric ? RigidModes::axisymmetric : RigidModes::plane;
    if (measure_.axisymmetric) hold_axis();
    if (!body_.waves) return;
    model_.waves = 0;
    model_.rigid = RigidModes::revolution;
  }

 private:
  static constexpr ParameterFacts positive_young{.name = "young", .above = 0},
      possible_poisson{.name = "poisson", .above = -1, .below = 0.5},
      incompressible_too{.name = "poisson", .maximum = 0.5, .above = -1},
      positive_density{.name = "density", .above = 0}, any_value{.name = "value"};

  struct FoundMaterial {
    const Region* region;
    const Material& input;
  };

  // Those of the stress have the points of the material.
  static void add_stresses(std::vector<Integral> made, const FoundMaterial& m, std::vector<Integral>& to) {
    for (Integral& each : made) {
      each.form.reduced = m.input.reduced;
      to.push_back(std::move(each));
    }
  }
  void add_stresses(std::vector<Integral> made, const FoundMaterial& m) {
    add_stresses(std::move(made), m, model_.equations);
  }

  void add_mass(const FoundMaterial& m) {
    FormValue form = body_.waves ? mass_with_waves(*m.input.density) : mass_form<G>(*m.input.density, measure_);
    Integral& mass = model_.inertia.emplace_back(Integral::over(std::move(form), *m.region));
    if (body_.waves) mass.factor = measure_.weight;
  }

  // Motions with waves have the stiffness and the mass of the body alone.
  void check_waves() {
    if (!body_.waves) return;
    const auto refuse = [&](bool is_given, const char* what) {
      if (is_given)
        errors_.add(Error(ErrorKind::vibration, fmt::format("waves around a body of revolution with {}", what),
                          "its modes with waves are those of linear elastic materials on supports",
                          "omit it, or model the body or a sector of it in three dimensions"));
    };
    refuse(body_.has_laws(), "a law of materials, or large displacements");
    refuse(body_.is_mixed(), "a mixed formulation");
    refuse(!body_.foundations_.empty() || !body_.springs_.empty(), "foundations or springs");
  }

  void add_law(const FoundMaterial& m) {
    const BodyTemperature* temperature = body_.loads.temperature_ ? &body_.loads.temperature_->of : nullptr;
    try {
      add_stresses({law_integral(m.input, temperature, body_.part_of_warming(), setting_, *m.region)}, m);
      const FormValue& form = model_.equations.back().form;
      model_.linear = model_.linear && form.linear;
      model_.definite = model_.definite && form.symmetric && !setting_.large_displacements;
      if (m.input.gradient == CellGradient::uniform)
        model_.equations.push_back(hourglass_stiffness(m.input, *m.region, model_));
    } catch (const Error& error) {
      errors_.add(Error(error.kind(), error.message(), error.why(), error.fix()).at(m.input.origin));
    }
  }

  // Displacement and pressure: the pressure is one field of all mixed materials, of an order less, and is held at zero
  // elsewhere.
  void add_mixed(const FoundMaterial& m) {
    const FunctionSpace& space = model_.space;
    try {
      check_mixed(m.input);
      const MixedSolid solid = mixed_solid(space.device(), m.input, setting_);
      if (is_of_law(solid.softer, setting_)) add_law({m.region, solid.softer});
      else add_stresses(stiffness_integrals(solid.softer, nullptr, setting_, *m.region), m);
      model_.definite = false;
      model_.sparse = model_.sparse || std::ssize(m.region->cells) < mesh_.cell_count();
      if (model_.others.empty())
        model_.others.push_back(
            FunctionSpace(mesh_, 1, space.device(),
                          {.order = std::max(space.order() - 1, 1), .beside = space, .field_name = "pressure"}));
      model_.of_fields.equations.push_back(volume_integral(solid, body_.free_strain(m.input), setting_, *m.region));
      if (space.order() == 1) model_.equations.push_back(pressure_smoothing(solid, mesh_, setting_, *m.region));
    } catch (const Error& error) {
      errors_.add(Error(error.kind(), error.message(), error.why(), error.fix()).at(m.input.origin));
    }
  }

  void check_mixed(const Material& input) const {
    const auto fail = [](const char* what, const char* why, const char* fix) {
      throw Error(ErrorKind::law_kinematics, what, why, fix);
    };
    if (model_.space.order() > 2)
      fail("a mixed formulation of order above 2", "its stress is made of a pressure of order 1",
           "give [space] order = 2, or 1");
    if (input.expansion.size() > 1)
      fail("a mixed formulation with an expansion along axes", "its change of volume has one free strain",
           "give one coefficient");
    if (body_.has_thermal_strain() && !input.expansion.empty() && !input.law)
      fail("a mixed formulation with thermal strain and without a law",
           "the strain grows along the load path, which linear elasticity does not follow",
           "give law = \"linear_elastic\" with the same young and poisson");
  }

  void find_materials(bool weighs) {
    std::vector<MaterialRegion> regions;
    for (const auto& [place, input] : body_.materials_) {
      const Region* region = find_region(place, mesh_, {RegionKind::cells}, input.origin, errors_);
      if (region == nullptr) continue;
      regions.push_back({region, input.origin.empty() ? fmt::format("'{}'", region->name) : input.origin});
      const bool can_be_made = check_constants(input, *region);
      if (input.density) check(*input.density, positive_density, *region, input.origin);
      else if (weighs || model_.turning)
        errors_.add(Error(ErrorKind::material_value, fmt::format("the material of '{}' has no density", region->name),
                          weighs ? "gravity acts on it" : "it turns, and centrifugal forces act on it",
                          "give the density [kg/m^3]")
                        .at(input.origin));
      if (can_be_made) materials_.push_back({region, input});
    }
    if (!regions.empty() || body_.materials_.empty()) check_materials(mesh_, regions, errors_);
  }

  // Checks the elastic constants and the expansion: can integrals be made of them?
  bool check_constants(const Material& input, const Region& region) {
    const std::size_t before = errors_.errors().size();
    const std::string place = fmt::format("'{}'{}", region.name, at_origin(input.origin));
    const auto wrong = [&](ErrorKind kind, std::string what, std::string why, std::string fix) {
      errors_.add(Error(kind, fmt::format(fmt::runtime(what), place), std::move(why), std::move(fix)));
    };
    const bool isotropic = !input.law && !input.has_axes();
    const Coefficient* temperature = body_.common_temperature();
    if (is_of_law(input, setting_)) check_inputs_of_law(input, wrong);
    if (input.law) {
      // its own numbers were checked where it was made
      for (const LawNumber& each : input.law_numbers) check_law_number(input, each, region);
    } else if (has_tables(input) && temperature == nullptr)
      wrong(ErrorKind::material_value, "no temperature for the elastic constants of {}",
            "they are tables over the temperature",
            "give a [thermal] temperature outside of the load cases, or numbers");
    else if (isotropic) {
      const IsotropicConstants constants = isotropic_constants(input, temperature);
      check(constants.young, positive_young, region, input.origin);
      check(constants.poisson, input.mixed ? incompressible_too : possible_poisson, region, input.origin);
      if (input.expansion.size() == 3 && !(constants.young.is_number() && constants.poisson.is_number()))
        wrong(ErrorKind::material_value, "three coefficients of expansion of {}", "the elastic constants vary",
              "give one coefficient, or constants that are numbers");
    }
    if (!isotropic || input.expansion.size() == 3 || (setting_.large_displacements && input.orientation))
      check_axes(input, region, wrong);
    if (input.expansion.size() != 0 && input.expansion.size() != 1 && input.expansion.size() != 3)
      wrong(ErrorKind::material_value, fmt::format("{} coefficients of expansion of {{}}", input.expansion.size()), {},
            "give one, or three along the material axes");
    return errors_.errors().size() == before;
  }

  // A number that varies, at the temperature of the body and at the reference.
  void check_law_number(const Material& input, const LawNumber& number, const Region& region) {
    const LawRecord& law = *input.law->record;
    const auto check_at = [&](const Coefficient& temperature) {
      const ParameterFacts& facts = law.numbers.parameters[input.law->parameter(number.name)].facts;
      check(at_temperature(number.value, temperature, number.name, input.origin), facts, region, input.origin);
    };
    try {
      if (table_in(number.value) == nullptr) return check_at(0);
      if (!body_.loads.temperature_) return;  // law_integral() refuses it
      check_at(body_.loads.temperature_->of.value);
      check_at(body_.loads.temperature_->of.reference);
    } catch (const Error& error) {
      errors_.add(Error(error.kind(), error.message(), error.why(), error.fix()).at(input.origin));
    }
  }

  // Refuses inputs that laws do not take.
  template <class Wrong>
  void check_inputs_of_law(const Material& input, const Wrong& wrong) {
    const bool isotropic = !input.law && !input.has_axes();
    if (!input.law && (has_tables(input) || (isotropic && !(coefficient_in(input.young)->is_number() &&
                                                            coefficient_in(input.poisson)->is_number()))))
      wrong(ErrorKind::law_kinematics, "elastic constants of {} that vary",
            "with large displacements, and with an integration of linear cells, they are numbers of a law",
            "write law = \"linear_elastic\" with them, or give numbers");
    const auto warms = [](const ElasticLoads& each) { return each.temperature_.has_value(); };
    if ((!input.expansion.empty() || input.law_needs_temperature()) && std::ranges::any_of(body_.load_cases_, warms))
      wrong(ErrorKind::law_kinematics, "a temperature in a load case, with the law of {}",
            "nonlinear equations have one temperature",
            "give [thermal] outside of the load cases, or make two case files");
  }

  template <class Wrong>
  void check_axes(const Material& input, const Region& region, const Wrong& wrong) const {
    std::vector<StiffnessTensor> tensors;
    if (input.stiffness) tensors.push_back(*input.stiffness);
    else if (input.stiffness_table)
      for (const StiffnessTable::Row& each : input.stiffness_table->rows) tensors.push_back(each.stiffness);
    if (!std::ranges::all_of(tensors, &StiffnessTensor::positive_definite))
      wrong(ErrorKind::material_value, "the elastic constants of {}", "some strain would have no positive energy",
            "check Poisson's ratios: nu12^2 < E1/E2, and likewise for 13 and 23");
    const bool turns = input.orientation && !input.orientation->is_constant();
    if (turns && measure_.axisymmetric)
      wrong(ErrorKind::material_axes, "material axes that vary, of {}",
            "a body of revolution has the axes r, y and hoop in each section", "give constant axes in the section");
    if (G == 3) return;
    // In plane stress the third of axes that vary is the one without stress.
    const Axes axes = input.orientation && !turns ? input.orientation->axes() : Axes{};
    const std::optional<Axes> varying =
        turns ? axes_in_first_cell(*input.orientation, mesh_, region, errors_) : std::nullopt;
    if (varying && std::abs(varying->third()[0]) + std::abs(varying->third()[1]) > 1e-9)
      wrong(ErrorKind::material_axes, "the material axes of {}", "the third one lies in the plane",
            "let axis 3 stand across the plane, as of a cylindrical orientation about z");
    else if (is_of_law(input, setting_) && input.orientation && !turns &&
             !(body_.plane_ == PlaneKind::stress ? std::abs(axes.third()[2]) > 1 - 1e-9 : axes.keeps_plane()))
      wrong(ErrorKind::material_axes, "the material axes of {}", "a law in the plane needs axis 3 across it",
            "let axes 1 and 2 lie in the plane, or model the body in three dimensions");
    else if (std::ranges::any_of(tensors, [&](const auto& each) { return each.from_axes(axes).couples_plane(); }) ||
             (input.expansion.size() == 3 && !axes.keeps_plane()))
      wrong(ErrorKind::material_axes, "the material axes of {}",
            "shear out of the plane would follow tension or warming in it",
            "let one material axis stand across the plane, or model the body in three dimensions");
  }

  // Materials that do not expand have a form without effect beside others: each cell derives a stress of its own.
  void add_thermal(const ElasticLoads& loads, std::vector<Integral>& integrals) {
    const auto expands = [&](const FoundMaterial& m) {
      return !is_of_law(m.input, setting_) && !m.input.expansion.empty();
    };
    if (!loads.temperature_ || std::ranges::none_of(materials_, expands)) return;
    const BodyTemperature& temperature = loads.temperature_->of;
    for (const FoundMaterial& m : materials_) {
      std::vector<Integral> made;
      if (expands(m)) made = thermal_integrals(m.input, temperature, setting_, *m.region);
      if (made.empty()) made.push_back(no_thermal_stress(setting_, *m.region));
      for (std::size_t axis = 0; expands(m) && axis < m.input.expansion.size(); ++axis)
        check(thermal_strain(m.input, axis, temperature), any_value, *m.region, m.input.origin);
      add_stresses(std::move(made), m, integrals);
    }
  }

  void check_temperatures() {
    const auto has_own = [](const ElasticLoads& each) { return each.temperature_.has_value(); };
    const auto own = std::ranges::find_if(body_.load_cases_, has_own);
    if (own != body_.load_cases_.end() && body_.loads.temperature_)
      errors_.add(
          Error(ErrorKind::load_case, fmt::format("the load case '{}' has a temperature of its own", own->name()),
                fmt::format("one stands outside of the load cases, too{}", at_origin(body_.loads.temperature_->origin)),
                "give each load case its temperature, or all of them one")
              .at(own->temperature_->origin));
    const bool given = own != body_.load_cases_.end() || body_.loads.temperature_;
    const bool used = std::ranges::any_of(
        materials_, [](const FoundMaterial& m) { return !m.input.expansion.empty() || has_tables(m.input); });
    if (given && !used && errors_.errors().empty())
      model_.notices.emplace_back(
          "the temperature has no effect: no material has an expansion, or constants over the temperature");
  }

  // Sets the axis of the rotation.
  void check_rotation() {
    if (!body_.rotation_) return;
    const Rotation& given = *body_.rotation_;
    const std::optional<Point> axis = unit_axis(given, errors_);
    if (!axis) return;
    const std::size_t along = measure_.axisymmetric ? 1 : 2;
    const bool off_centre = measure_.axisymmetric && given.point[0] != 0;
    if (G == 2 && (std::abs((*axis)[along]) < 1 - 1e-12 || off_centre))
      return errors_.add(Error(ErrorKind::vibration, "a rotation about this axis",
                               measure_.axisymmetric ? "a body of revolution turns about its axis, x = 0 along y"
                                                     : "a plane body turns about an axis across the plane",
                               "omit the axis")
                             .at(given.origin));
    model_.turning = Turning{.axis = *axis};
  }

  // Centrifugal forces at rest and with the displacement, and Coriolis' force, 2 speed M (axis x v).
  void add_rotation(const FoundMaterial& m) {
    const auto over = [&](FormValue form) { return Integral::over(std::move(form), *m.region); };
    const Coefficient& density = *m.input.density;
    const double speed = body_.rotation_->speed;
    if (body_.waves) {
      Integral softening = over(mass_across_with_waves(density, -speed * speed));
      softening.factor = measure_.weight;
      return model_.turning->softening.push_back(std::move(softening));
    }
    Turning& turning = *model_.turning;
    model_.equations.push_back(
        over(centrifugal_load<G>(density, turning.axis, body_.rotation_->point, measure_, speed * speed)));
    Integral growing = over(mass_across<G>(density, turning.axis, measure_, -speed * speed));
    growing.is_load = body_.large_displacements;
    (body_.large_displacements ? model_.equations : turning.softening).push_back(std::move(growing));
    if (!measure_.axisymmetric) turning.gyroscopic.push_back(over(mass_form<G>(density, measure_, -2 * speed)));
  }

  bool has_gravity(const ElasticLoads& loads) const {
    return loads.gravity_ && loads.gravity_->acceleration.size() == static_cast<std::size_t>(G);
  }

  // density * acceleration
  void add_weight(const ElasticLoads::Gravity& gravity, const FoundMaterial& m,
                  std::vector<Integral>& integrals) const {
    if (!m.input.density) return;
    const Coefficient& density = *m.input.density;
    const std::vector<double>& g = gravity.acceleration;
    std::vector<Coefficient> force;
    for (const double each : g) force.emplace_back(density.expression() * each);
    integrals.push_back(Integral::over(load_form<G, G, 0>(force, measure_), *m.region));
  }

  void report_locking() {
    if (G == 2 && body_.plane_ == PlaneKind::stress) return;  // the thickness gives way
    const FunctionSpace& space = model_.space;
    for (const FoundMaterial& m : materials_) {
      if (m.input.has_axes() || m.input.mixed || m.input.reduced || m.input.gradient != CellGradient::own) continue;
      if (std::ranges::any_of(m.input.law_numbers, [](const LawNumber& each) { return each.name == "poisson"; }))
        continue;  // no one number
      const double poisson =
          m.input.law ? m.input.law->poisson_at_rest(space.device()).value_or(0)
                      : largest(isotropic_constants(m.input, body_.common_temperature()).poisson, mesh_, *m.region);
      if (poisson <= 0.49) continue;
      if (space.order() == 1) {
        model_.notices.emplace_back(
            "Poisson's ratio above 0.49: linear cells become too stiff (volumetric locking); "
            "write integration = \"mean_dilatation\" (hexahedra and quadrilaterals) or formulation = \"mixed\" in its "
            "[[material]], or use [space] order = 2, or quadratic cells");
        return;
      }
      const Index bent = std::ranges::count_if(m.region->cells, [&](Index cell) {
        return locks_where_bent(mesh_.kind_of(cell)) && !space.is_straight(cell);
      });
      if (bent > 0)
        model_.notices.push_back(fmt::format(
            "Poisson's ratio {:g} in '{}': its {} bent quadrilaterals, hexahedra and prisms become too stiff near 0.5 "
            "(volumetric locking, "
            "docs/convergence.md says how much); "
            "write formulation = \"mixed\" in its [[material]], or compare with a finer mesh or a higher [space] "
            "order; "
            "triangles and tetrahedra of order 2 hardly do",
            poisson, m.region->name, bent));
    }
  }

  void hold_axis() {
    const FunctionSpace& space = model_.space;
    const double tolerance = axis_tolerance(mesh_);
    for (Index node = 0; node < space.node_count(); ++node)
      if (space.point(static_cast<Node>(node))[0] <= tolerance) model_.held_on_axis.push_back(static_cast<Node>(node));
  }

  void check(const Coefficient& value, const ParameterFacts& facts, const Region& region, const std::string& origin) {
    check_values(value, facts, mesh_, region, origin, errors_);
  }

  const ElasticBody& body_;
  Mesh mesh_;
  const BodyMeasure measure_;
  const ElasticSetting setting_;
  Model& model_;
  ErrorList& errors_;
  std::vector<FoundMaterial> materials_;
};

bool ElasticBody::has_thermal_strain() const {
  const auto is_warm = [](const ElasticLoads& each) { return each.temperature_.has_value(); };
  return (is_warm(loads) || std::ranges::any_of(load_cases_, is_warm)) &&
         std::ranges::any_of(materials_, [](const PlacedMaterial& each) { return !each.input.expansion.empty(); });
}

bool ElasticBody::has_laws() const {
  return large_displacements || std::ranges::any_of(materials_, [](const PlacedMaterial& each) {
           return each.input.law || each.input.gradient != CellGradient::own;
         });
}

bool ElasticBody::has_warming_laws() const {
  return has_laws() && (has_thermal_strain() || std::ranges::any_of(materials_, [](const PlacedMaterial& each) {
                          return each.input.law_needs_temperature();
                        }));
}

std::vector<const LawRecord*> ElasticBody::laws() const {
  std::vector<const LawRecord*> result;
  for (const PlacedMaterial& each : materials_)
    if (each.input.law && std::ranges::find(result, each.input.law->record) == result.end())
      result.push_back(each.input.law->record);
  return result;
}

bool ElasticBody::has_axes() const {
  return std::ranges::any_of(materials_, [](const PlacedMaterial& each) { return each.input.has_axes(); });
}

bool ElasticBody::is_mixed() const {
  return std::ranges::any_of(materials_, [](const PlacedMaterial& each) { return each.input.mixed; });
}

ElasticSetting ElasticBody::setting() const {
  return {mesh_.dimension(), plane_, measure_, large_displacements, waves};
}

Coefficient ElasticBody::free_strain(const Material& material) const {
  if (!loads.temperature_ || material.expansion.empty() || !material.law) return 0;
  return part_of_warming().expression() * thermal_strain(material, 0, loads.temperature_->of).expression();
}

template <class Visit>
void ElasticBody::each_material(const Visit& visit) const {
  ErrorList ignored;
  for (const auto& [place, input] : materials_)
    if (const Region* region = find_region(place, mesh_, {RegionKind::cells}, input.origin, ignored))
      visit(*region, input);
}

std::vector<Integral> ElasticBody::stresses_of_pressure(const Device& device, std::vector<double> field) const {
  const PointFunction pressure = MeshField(mesh_, GivenArray{.values = std::move(field), .at_nodes = true});
  std::vector<Integral> result;
  each_material([&](const Region& region, const Material& input) {
    if (!input.mixed) return result.push_back(no_thermal_stress(setting(), region));
    const MixedSolid solid = mixed_solid(device, input, setting());
    result.push_back(stress_of_pressure(solid, pressure, setting(), region));
  });
  return result;
}

std::vector<double> ElasticBody::pressure(const Device& device, std::vector<double> field,
                                          std::span<const double> stress) const {
  std::vector<std::uint8_t> is_done(field.size(), 0);
  each_material([&](const Region& region, const Material& input) {
    if (!input.mixed) return;
    const Coefficient share = mixed_solid(device, input, setting()).whole_share;
    for (const Index cell : region.cells)
      for (const Node node : mesh_.nodes_of(cell)) {
        const auto i = static_cast<std::size_t>(node);
        if (std::exchange(is_done[i], std::uint8_t{1}) == 0) field[i] *= value_at(share, mesh_.point(node));
      }
  });
  for (std::size_t i = 0; i < field.size() && !stress.empty(); ++i)
    if (is_done[i] == 0) field[i] = -(stress[6 * i] + stress[6 * i + 1] + stress[6 * i + 2]) / 3;
  return field;
}

std::optional<double> ElasticBody::mass() const {
  ErrorList ignored;
  double sum = 0;
  for (const auto& [place, input] : materials_) {
    const Region* region = find_region(place, mesh_, {RegionKind::cells}, input.origin, ignored);
    if (!input.density || !input.density->is_number()) return std::nullopt;
    if (region != nullptr) sum += input.density->number() * loaded_size(mesh_, *region, measure_, 0);
  }
  return sum;
}

ErrorModel ElasticBody::error_model() const {
  ErrorModel model{.physics = mesh_.dimension() == 3  ? ErrorPhysics::solid
                              : measure_.axisymmetric ? ErrorPhysics::axisymmetric
                                                      : ErrorPhysics::plane,
                   .weight = measure_.weight,
                   .plane_stress = mesh_.dimension() == 2 && plane_ == PlaneKind::stress};
  ErrorList ignored;
  std::vector<MaterialNumbers> materials;
  for (const auto& [place, input] : materials_) {
    const Region* region = find_region(place, mesh_, {RegionKind::cells}, input.origin, ignored);
    if (region == nullptr || input.law || input.has_axes() || input.mixed) continue;
    const IsotropicConstants constants = isotropic_constants(input, common_temperature());
    materials.push_back({region, {constants.young, constants.poisson}});
  }
  const auto lame_of = [](std::span<const double> given) {
    const Lame lame = Lame::from(given[0], given[1]);
    return std::array{lame.lambda, lame.mu};
  };
  add_materials(mesh_, materials, lame_of, model);
  return model;
}

// Loads act on the body without waves; next to waves there are supports.
Model ElasticBody::model_with_waves(FunctionSpace space, ErrorList& errors) const {
  if (!measure_.axisymmetric) {
    errors.add(Error(ErrorKind::vibration, "waves around a body that is not one of revolution", {},
                     "give a mesh of two dimensions and PlaneKind::axisymmetric"));
    return {.space = std::move(space)};
  }
  ElasticBody plain = *this, waving = *this;
  plain.waves = false;
  std::erase_if(plain.loads.displacements_, [](const auto& each) { return each.component > 1; });
  const std::size_t before = errors.errors().size();
  auto without = std::make_shared<const Model>(plain.model(own_space(space, 2), errors));
  if (errors.errors().size() > before) return {.space = std::move(space)};
  waving.loads = loads.supports();
  waving.loads.temperature_ = loads.temperature_;
  waving.load_cases_.clear();
  Model model{.space = std::move(space), .without_waves = std::move(without)};
  Builder<2>(waving, model, errors).build();
  return model;
}

Model ElasticBody::model(FunctionSpace space, ErrorList& errors) const {
  if (waves) return model_with_waves(std::move(space), errors);
  Model model;
  model.space = std::move(space);
  if (mesh_.dimension() == 3) Builder<3>(*this, model, errors).build();
  else Builder<2>(*this, model, errors).build();
  return model;
}

Model ElasticBody::model(const Device& device, const SpaceOptions& options) const {
  ErrorList errors;
  Model result = model(FunctionSpace(mesh_, components(), device, options), errors);
  errors.throw_if_any();
  return result;
}

}  // namespace ritz
