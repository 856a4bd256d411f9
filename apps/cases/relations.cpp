#include "apps/cases/relations.hpp"

#include "apps/cases/point_inputs.hpp"
#include "fem/elements/loads.hpp"
#include "fem/elements/plane_node.hpp"
#include "fem/physics/gap.hpp"
#include "fem/physics/load_forms.hpp"
#include "fem/physics/mean_motion.hpp"
#include "fem/physics/periodic_region.hpp"
#include "fem/physics/remote_force.hpp"
#include "fem/physics/rigid_region.hpp"
#include "fem/physics/tie.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <limits>
#include <numbers>
#include <tuple>

namespace ritz {
namespace {

std::optional<double> read_tolerance(const Case::Table& t) {
  const bool given = t.has("tolerance");
  const double value = t.number(
      "tolerance", "how far from the other side a node may lie [m]; not given: 5 % of the size of the facet there",
      given ? NumberRule{.above = 0} : NumberRule{.fallback = 0});
  return given ? std::optional(value) : std::nullopt;
}

std::vector<std::string> component_names_of(const FunctionSpace& space) {
  std::vector<std::string> names;
  for (int c = 0; c < space.components(); ++c) names.push_back(space.component_name(c));
  return names;
}

// The number of a component by its name; -1 after an error.
int component_of(const Case::Table& t, const char* key, const std::string& name, const FunctionSpace& space) {
  const std::vector<std::string> names = component_names_of(space);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  t.error(ErrorKind::relation, key, fmt::format("'{}' is no component of the unknown", name),
          fmt::format("the components are {}", quoted_list(names)), "name one of these");
  return -1;
}

// The tables of one case, one after the other.
class RelationReader {
 public:
  RelationReader(Run& run, const RelationKinds& kinds, CaseModel& read, const FieldsOfCase* fields = nullptr)
      : run_(run), kinds_(kinds), read_(read), fields_(fields), space_(&read.space()) {
    acting_ = touched_in(read.model);
  }
  // Reads tables of a body, whose parts have the regions.
  RelationReader(Run& run, const RelationKinds& kinds, CaseModel& read, const Mesh& whole)
      : RelationReader(run, kinds, read) {
    whole_ = &whole;
  }

  void read() {
    const Case::Table root = run_.input().root();
    const bool moves_rigidly = kinds_.displacements && fields_ == nullptr;
    for (const Case::Table& t :
         root.tables("tie", "nodes of one part that take the field of another one where the meshes do not match")) {
      enter(t);
      read_tie(t);
    }
    if (moves_rigidly)
      for (const Case::Table& t : root.tables("rigid", "a region that moves as a rigid body")) {
        enter(t);
        read_rigid(t);
      }
    if (moves_rigidly && whole_ == nullptr && mesh().dimension() == 3 && !mesh().structural() &&
        (!kinds_.at_rest || kinds_.masses))
      for (const Case::Table& t :
           root.tables("coupling", "a surface of a solid whose mean motion is that of a reference point"))
        read_coupling(t);
    if (kinds_.periodic)
      for (const Case::Table& t :
           root.tables("periodic", "a side on which the field is that of another side, moved or turned")) {
        enter(t);
        read_periodic(t);
      }
    for (const Case::Table& t :
         root.tables("equation", "a linear equation: the sum of factor times unknown over the terms is the value")) {
      if (whole_ == nullptr) enter(t);
      read_equation(t);
    }
    if (moves_rigidly && whole_ == nullptr && !kinds_.of_revolution)
      for (const Case::Table& t : root.tables(
               "gap", "a gap between two nodes, or between a node and the ground, which transmits pressure alone"))
        read_gap(t);
    finish();
  }

  void add(const ObliqueSupport& s) {
    if (s.region == nullptr) return;
    attempt([&] {
      if (kinds_.of_revolution && s.kind == ObliqueSupport::Kind::cylindrical)
        throw Error(ErrorKind::relation, "a cylindrical support of a body of revolution",
                    "in its section x is the radial direction already, and y the axial one",
                    "give x = 0 in place of radial = 0")
            .at(s.origin);
      switch (s.kind) {
        case ObliqueSupport::Kind::normal: return keep(normal_support(space(), *s.region, s.value, s.origin));
        case ObliqueSupport::Kind::direction:
          return keep(support_along(space(), *s.region, s.direction, s.value, s.origin));
        default: return keep(cylindrical_support(space(), *s.region, s.axes, s.component, s.value, s.origin));
      }
    });
  }

 private:
  const FunctionSpace& space() const { return *space_; }
  const Mesh& mesh() const { return space_->mesh(); }
  std::string metre() const { return units_of(run_.report()).of(" m"); }

  // The part of a body that has the regions of the table: sections, where all are theirs.
  void enter_part(const Case::Table& t) {
    const auto has = [&](const Mesh& part, const char* key) {
      const Region* whole = t.has(key) ? t.region(key, "a region of one of the parts", *whole_, every_kind) : nullptr;
      return whole == nullptr || std::ranges::any_of(part.regions(), [&](const Region& r) {
               return r.name == whole->name && (key != std::string_view("onto") || r.kind != RegionKind::nodes);
             });
    };
    const auto has_all = [&](const Mesh& part) { return has(part, "region") && has(part, "onto"); };
    field_ = 0;
    for (int k = 1; k >= 0; --k) {
      space_ = read_.model.spaces()[static_cast<std::size_t>(k)].get();
      if (!run_.options().survey && has_all(mesh())) field_ = k;
    }
    space_ = read_.model.spaces()[static_cast<std::size_t>(field_)].get();
    acting_ = touched_in(read_.model, field_);
  }

  // Takes the field of several that the table names. One that has no unknowns at nodes is an error.
  void enter(const Case::Table& t) {
    if (whole_ != nullptr) return enter_part(t);
    if (fields_ == nullptr) return;
    const std::size_t k = fields_->named_in(t);
    const FieldFacts& facts = fields_->facts[k];
    field_ = static_cast<int>(k);
    space_ = k == 0 ? read_.model.space.get() : read_.model.others[k - 1].get();
    const std::string name = facts.name;
    kinds_.displacements = facts.components == mesh().dimension() && (name == "displacement" || name == "velocity");
    is_at_nodes_ = facts.family == Family::lagrange;
    if (is_at_nodes_) return;
    t.error(ErrorKind::several_fields, "field",
            fmt::format("constraints of '{}', which has {}", name, unknowns_of(facts.family)),
            "they join unknowns at nodes", "join the parts in the mesh");
  }

  template <class Build>
  void attempt(const Build& build) {
    if (run_.options().survey || !is_at_nodes_) return;  // regions of a survey are any
    try {
      build();
    } catch (const Error& error) { run_.input().add_error(error); }
  }

  void keep(LinearEquations equations) {
    equations.field = field_;
    read_.model.relations.push_back(std::move(equations));
  }

  // Facets; of structures also the cells of surfaces and lines.
  const Region* surface(const Case::Table& t, const char* key, const char* about) const {
    if (mesh().structural()) return t.region(key, about, mesh(), {RegionKind::facets, RegionKind::cells});
    return t.region(key, about, mesh(), {RegionKind::facets});
  }

  void read_tie(const Case::Table& t) {
    const Region* region = t.region("region", "facets, nodes or cells, whose nodes follow", mesh(),
                                    {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
    const Region* onto = surface(t, "onto", "facets of the other part, which they follow: the coarser or stiffer one");
    TieOptions options{.tolerance = read_tolerance(t),
                       .displacements = kinds_.displacements && !kinds_.of_revolution,
                       .of_revolution = kinds_.of_revolution,
                       .acting = acting_,
                       .origin = t.where()};
    options.leave_far_nodes = t.choice("outside", "what nodes outside of the tolerance are: an error, or free",
                                       {"error", "free"}, "error") == "free";
    options.integrated =
        t.choice("method",
                 "nodes: each takes the field at its foot; surface: integrated over the facets of the region, so that "
                 "constant stresses pass on",
                 {"nodes", "surface"}, "nodes") == "surface";
    if (options.integrated) options.held = held_unknowns();
    if (space().components() > 1) {
      const std::vector<std::string> names =
          t.texts("components", "the components that are tied; not given: all", std::vector<std::string>{});
      for (const std::string& name : names)
        if (const int c = component_of(t, "components", name, space()); c >= 0) options.components.push_back(c);
    }
    if (region == nullptr || onto == nullptr) return;
    attempt([&] {
      Tie tied = tie(space(), *region, *onto, options);
      std::string line = fmt::format("tie '{}' onto '{}': {} nodes tied, at most {:.3g}{} off", region->name,
                                     onto->name, tied.tied.size(), tied.largest_gap, metre());
      if (options.integrated) line += fmt::format("; {} of them integrated", tied.integrated);
      if (tied.shared > 0) line += fmt::format("; {} nodes that both sides share", tied.shared);
      if (!tied.left.empty()) line += fmt::format("; {} nodes outside of the tolerance are free", tied.left.size());
      run_.log().line("{}", line);
      if (options.integrated && tied.integrated < static_cast<Index>(tied.tied.size()))
        run_.log().notice(fmt::format(
            "{} of {} nodes of '{}' are tied by themselves, not by the surface, as more than half of their facets lies "
            "beyond '{}'; "
            "stresses beside them vary",
            static_cast<Index>(tied.tied.size()) - tied.integrated, tied.tied.size(), region->name, onto->name));
      if (!options.integrated && tied.unmatched > 0 && region->kind == RegionKind::facets && !mesh().structural())
        run_.log().notice(
            fmt::format("the meshes of the tie '{}' onto '{}' do not match: no node stands at {} of {} nodes of '{}'. "
                        "Tied by nodes, a constant {} across varies beside the tie, by 10 to 20 % and more; "
                        "method = \"surface\" passes it on",
                        region->name, onto->name, tied.unmatched, tied.others, onto->name,
                        space().components() > 1 ? "stress" : "flux"));
      if (!tied.left.empty())
        run_.log().notice(fmt::format("{} nodes of '{}' lie more than {:.3g}{} from '{}' and are not tied",
                                      tied.left.size(), region->name, tied.tolerance, metre(), onto->name));
      add_tie_fields(tied);
      keep(std::move(tied.equations));
    });
  }

  // [unknown] 1: prescribed, with or without a load case.
  std::vector<std::uint8_t> held_unknowns() const {
    std::vector<std::uint8_t> held(static_cast<std::size_t>(space().unknown_count()), 0);
    const auto add = [&](const std::vector<PrescribedValue>& values) {
      for (const PrescribedValue& p : values)
        if (p.field == field_)
          for (const Node node : space().nodes_in(*p.region))
            held[static_cast<std::size_t>(Index{node} * space().components() + p.component)] = 1;
    };
    add(read_.model.supports);
    for (const ModelLoadCase& each : read_.model.load_cases) add(each.prescribed);
    return held;
  }

  void add_tie_fields(const Tie& tied) {
    const auto add_to = [&](const char* name, const std::vector<double>& values) {
      auto found = std::ranges::find(read_.model_fields, name, &Field::name);
      if (found == read_.model_fields.end()) {
        read_.model_fields.push_back({.name = name, .values = values});
        return;
      }
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 0) found->values[i] = values[i];
    };
    add_to("tie_distance", tie_distances(space(), tied));
    add_to("tied", tied_nodes(space(), tied));
  }

  void read_rigid(const Case::Table& t) {
    const Region* region = t.region("region", "facets, nodes or cells", mesh(),
                                    {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
    const int dimension = mesh().dimension();
    RigidOptions options{.acting = acting_, .of_revolution = kinds_.of_revolution, .origin = t.where()};
    options.reference =
        optional_point(t, "reference", "the reference point [m]; not given: the mean of the nodes", dimension);
    for (int c = 0; c < 6; ++c) {
      if (dimension == 2 && c != 0 && c != 1 && c != 5) continue;
      std::optional<double> value = motion_of(t, c);
      if (kinds_.of_revolution && c != 1) {
        if (value && *value != 0)
          t.error(ErrorKind::relation, motion_names[static_cast<std::size_t>(c)],
                  "a rigid region of a body of revolution moves along its axis",
                  "a radial motion or a tilt strains a ring", "give y, or omit it");
        value = std::nullopt;
      }
      if (value && kinds_.at_rest && !run_.step().continues() && *value != 0)
        moves(t, motion_names[static_cast<std::size_t>(c)], *value);
      (c < 3 ? options.displacement : options.rotation)[static_cast<std::size_t>(c % 3)] = value;
    }
    const auto holds = [&](std::size_t c) { return options.rotation[c] == 0.0; };
    if (kinds_.large && !kinds_.of_revolution && !(holds(2) && (dimension == 2 || (holds(0) && holds(1)))))
      t.error(ErrorKind::law_kinematics, "rz", "a rigid region that may turn, with large displacements",
              "its equations are those of small rotations, which would stretch it",
              dimension == 2 ? "hold its rotation, rz = 0" : "hold its rotations, rx = 0, ry = 0, rz = 0");
    Point force{}, moment{};
    if (dimension == 3 && !kinds_.at_rest) std::tie(force, moment) = loads_of(t);
    const PointMass mass = mass_of(t);
    if (region == nullptr) return;
    attempt([&] {
      auto rigid = std::make_shared<const RigidRegion>(space(), *region, options);
      run_.log().line("rigid region '{}': {} unknowns follow {}", region->name, rigid->equations().size(),
                      rigid->parameter_count());
      if (acts(force) || acts(moment)) add_force(*region, *rigid, force, moment, read_.model.equations);
      weigh(mass,
            [&](const Point& weight, std::vector<Integral>& loads) { add_force(*region, *rigid, weight, {}, loads); });
      attach(t, mass, {}, {}, [&](std::size_t c) { return rigid->terms(c); });
      keep(rigid->equations());
      add_told({.kind = "rigid",
                .sentence = fmt::format("rigid region '{}': its reference point moves by", region->name),
                .region = region->name,
                .motion = [rigid](std::span<const double> u) { return rigid->motion(u); },
                .field = field_});
    });
  }

  static constexpr auto every_kind = {RegionKind::nodes, RegionKind::facets, RegionKind::cells};
  static constexpr std::array<const char*, 6> motion_names = {"x", "y", "z", "rx", "ry", "rz"};

  // A prescribed motion of a reference point; none: free.
  static std::optional<double> motion_of(const Case::Table& t, int c) {
    const char* name = motion_names[static_cast<std::size_t>(c)];
    const bool given = t.has(name);
    const double value = t.number(name,
                                  c < 3 ? "displacement of the reference point [m]; not given: free"
                                        : "rotation of the region about this axis [rad]; not given: free",
                                  given ? NumberRule{} : NumberRule{.fallback = 0});
    return given ? std::optional(value) : std::nullopt;
  }

  static std::pair<Point, Point> loads_of(const Case::Table& t) {
    const Point force =
        padded(t.vector("force", "force at the reference point [N]", {.size = 3, .fallback = zeros_of(3)}));
    return {force, padded(t.vector("moment", "moment on the region [N m]", {.size = 3, .fallback = zeros_of(3)}))};
  }

  // At a reference point.
  struct PointMass {
    double mass = 0;  // [kg]
    Point inertia{};  // [kg m^2] about the axes through the point
    double of(std::size_t motion) const { return motion < 3 ? mass : inertia[motion - 3]; }
  };

  PointMass mass_of(const Case::Table& t) const {
    if (!kinds_.masses) return {};
    PointMass result{t.number("mass",
                              "mass at the reference point [kg]: its weight, and inertia of vibration and motion",
                              {.fallback = 0, .minimum = 0, .out_of_bounds = ErrorKind::material_value})};
    if (mesh().dimension() == 2) {
      result.inertia[2] = t.number("inertia", "moment of inertia about z through the reference point [kg m^2]",
                                   {.fallback = 0, .minimum = 0, .out_of_bounds = ErrorKind::material_value});
      if (kinds_.of_revolution && result.inertia[2] > 0)
        t.error(ErrorKind::relation, "inertia", "a moment of inertia in a body of revolution",
                "its rigid regions move along the axis alone", "omit it, or model the body in three dimensions");
      return result;
    }
    result.inertia = padded(t.vector("inertia", "moments of inertia about x, y, z through the reference point [kg m^2]",
                                     {.size = 3, .fallback = zeros_of(3)}));
    for (const double each : result.inertia)
      if (each < 0)
        t.error(ErrorKind::material_value, "inertia", fmt::format("a moment of inertia is {:g}", each), {},
                "give numbers from 0");
    return result;
  }

  // weight(force, loads): adds the weight of the mass to loads; outside of load cases, and in each.
  template <class Weight>
  void weigh(const PointMass& mass, const Weight& weight) {
    for (std::size_t i = 0; mass.mass > 0 && i < kinds_.gravity.size(); ++i) {
      Point force = kinds_.gravity[i];
      for (double& each : force) each *= mass.mass;
      if (acts(force)) weight(force, i == 0 ? read_.model.equations : read_.model.load_cases[i - 1].loads);
    }
  }

  // Springs of vibration, and masses of vibration and motion. [motion] held: without a compliance stiffly.
  // terms(motion): none that it has not.
  template <class Terms>
  void attach(const Case::Table& t, const PointMass& mass, const std::array<std::optional<double>, 6>& held,
              const std::array<double, 6>& compliances, const Terms& terms) {
    if (!kinds_.at_rest && !read_.time) return;
    read_.attached_mass += mass.mass;
    for (std::size_t c = 0; c < 6; ++c) {
      if (mesh().dimension() == 2 && (kinds_.of_revolution ? c != 1 : c != 0 && c != 1 && c != 5)) continue;
      AttachedMotion motion{.terms = terms(c), .mass = mass.of(c)};
      if (held[c] && kinds_.at_rest)
        motion.stiffness = compliances[c] > 0 ? 1 / compliances[c] : std::numeric_limits<double>::infinity();
      if (motion.stiffness == 0 && motion.mass == 0) continue;
      if (motion.terms.empty())
        throw Error(ErrorKind::not_joined,
                    fmt::format("the reference point has inertia about {}, and its region does not turn", "xyz"[c % 3]),
                    "its nodes lie on one line, or it is one node", "omit this moment of inertia")
            .at(t.where());
      read_.model.attached.push_back(std::move(motion));
    }
  }

  static bool acts(const Point& v) {
    return std::ranges::any_of(v, [](double each) { return each != 0; });
  }

  // Springs between a reference point and the ground, which prescribe no motion: they add zero to those that are.
  // [m/N, rad/(N m)]; 0: there is none.
  static std::array<double, 6> springs_of(const Case::Table& t, std::array<std::optional<double>, 6>& prescribed) {
    std::array<double, 6> compliances{};
    const Case::Table springs = t.table("springs", "between the reference point and the ground");
    for (std::size_t c = 0; c < compliances.size(); ++c) {
      if (!springs.present() || !springs.has(motion_names[c])) continue;
      compliances[c] =
          1 / springs.number(motion_names[c],
                             c < 3 ? "stiffness along this axis [N/m]; not given: none"
                                   : "stiffness against turning about this axis [N m/rad]; not given: none",
                             {.above = 0, .out_of_bounds = ErrorKind::material_value});
      if (prescribed[c])
        t.error(ErrorKind::model_options, motion_names[c], fmt::format("'{}' was given with a spring", motion_names[c]),
                "the motion is prescribed, or a spring holds it", "omit one of them");
      prescribed[c] = 0;
    }
    return compliances;
  }

  // The surface stays free to deform: forces and prescribed motions act through the equivalent traction.
  void read_coupling(const Case::Table& t) {
    const Region* region = t.region("region", "facets", mesh(), {RegionKind::facets});
    const std::optional<Point> reference =
        optional_point(t, "reference", "the reference point [m]; not given: the centre of the surface", 3);
    std::array<std::optional<double>, 6> prescribed;
    for (int c = 0; c < 6; ++c) {
      const std::optional<double> value = motion_of(t, c);
      if (value && kinds_.at_rest && !run_.step().continues() && *value != 0)
        moves(t, motion_names[static_cast<std::size_t>(c)], *value);
      prescribed[static_cast<std::size_t>(c)] = value;
    }
    const std::array<double, 6> compliances = springs_of(t, prescribed);
    Point force{}, moment{};
    if (!kinds_.at_rest) std::tie(force, moment) = loads_of(t);
    const PointMass mass = mass_of(t);
    if (region == nullptr) return;
    attempt([&] {
      const auto mean = std::make_shared<const MeanMotion>(space(), *region, reference, t.where());
      if (acts(force) || acts(moment))
        read_.model.equations.push_back(traction_on(*region, {.force = force, .moment = moment, .at = reference}));
      Told told{.kind = "coupling",
                .sentence = fmt::format("coupling '{}': in the mean it moves by", region->name),
                .region = region->name,
                .motion = [mean](std::span<const double> u) { return mean->of(u); }};
      weigh(mass, [&](const Point& weight, std::vector<Integral>& loads) {
        loads.push_back(traction_on(*region, {.force = weight, .at = reference}));
      });
      attach(t, mass, prescribed, compliances, [&](std::size_t c) { return mean->terms(c); });
      for (std::size_t c = 0; c < 6; ++c) {
        if (!prescribed[c] || kinds_.at_rest) continue;
        RemoteForce unit{.at = reference};
        (c < 3 ? unit.force : unit.moment)[c % 3] = 1;
        told.loads[c] = static_cast<int>(read_.model.means.size());
        read_.model.means.push_back({.load = traction_on(*region, unit),
                                     .terms = mean->terms(c),
                                     .prescribed = *prescribed[c],
                                     .compliance = compliances[c],
                                     .origin = t.where(compliances[c] > 0 ? "springs" : motion_names[c])});
      }
      add_told(std::move(told));
    });
  }

  Integral traction_on(const Region& facets, const RemoteForce& load) const {
    return Integral::over(load_form<3, 3, 1>(equivalent_traction(mesh(), facets, load, space().order()), BodyMeasure{}),
                          facets)
        .of_field(field_);
  }

  // On facets as a traction with this force and moment, for fields of any order; else at nodes.
  void add_force(const Region& region, const RigidRegion& rigid, const std::array<double, 3>& force,
                 const std::array<double, 3>& moment, std::vector<Integral>& equations) const {
    if (region.kind != RegionKind::facets || mesh().structural() || mesh().dimension() == 2) {
      for (const NodalForce& each : rigid.forces(force, moment)) add_nodal_force(each, equations);
      return;
    }
    equations.push_back(traction_on(region, {.force = force, .moment = moment, .at = rigid.reference()}));
  }

  void add_nodal_force(const NodalForce& f, std::vector<Integral>& equations) const {
    const auto add = [&](FormValue form) {
      equations.push_back(Integral::at_nodes(std::move(form), {f.mesh_node}).of_field(field_));
    };
    if (space().components() == 2) add(PlaneNodeLoad{{f.force[0], f.force[1]}});
    else if (space().components() == 3) add(NodeLoad<3>{{f.force[0], f.force[1], f.force[2]}, {}});
    else add(NodeLoad<6>{{f.force[0], f.force[1], f.force[2]}, {f.moment[0], f.moment[1], f.moment[2]}});
  }

  void moves(const Case::Table& t, const char* key, double value) const {
    t.error(ErrorKind::modal_options, key, fmt::format("the support moves by {}", value),
            "modes vibrate about the state of rest: their supports do not move",
            fmt::format("write {} = 0, or omit it", key));
  }

  void read_periodic(const Case::Table& t) {
    const int dimension = mesh().dimension();
    const Region* region =
        t.region("region", "facets or nodes, which follow", mesh(), {RegionKind::facets, RegionKind::nodes});
    const Region* onto = surface(t, "onto", "facets of the other side");
    PeriodicOptions options{.tolerance = read_tolerance(t), .origin = t.where()};
    options.translation = optional_point(
        t, "translation", "from 'onto' to the region [m]; not given: that between their middles", dimension);
    const Case::Table turn = t.table("rotation", "in place of a translation: that moves 'onto' to the region");
    if (turn.present()) {
      const CylindricalAxes axes = read_axes(turn, dimension);
      const double degrees = turn.number("angle", "by the right-hand rule [deg]", {.minimum = -360, .maximum = 360});
      options.rotation = RotationAbout{axes.origin, axes.axis, degrees * std::numbers::pi / 180};
    }
    if (!kinds_.at_rest) read_jump(t, dimension, options);
    if (region == nullptr || onto == nullptr) return;
    attempt([&] {
      Periodic pair = periodic(space(), *region, *onto, options);
      const Point& by = pair.translation;
      if (kinds_.of_revolution && (options.rotation || std::abs(by[0]) > 1e-6 * std::abs(by[1])))
        throw Error(
            ErrorKind::relation, "a body of revolution is not periodic across its axis",
            fmt::format("the translation is ({:.4g}, {:.4g}): circles of other radii are other circles", by[0], by[1]),
            "name two sides with a translation along y")
            .at(options.origin);
      run_.log().line("periodic '{}' onto '{}': {} nodes, at most {:.3g}{} off", region->name, onto->name,
                      pair.bound + std::ssize(pair.on_axis), pair.largest_gap, metre());
      if (options.rotation && fields_ == nullptr)
        read_.model.cyclic.push_back({read_.model.relations.size(), std::move(pair.on_axis), *options.rotation});
      keep(std::move(pair.equations));
    });
  }

  void read_jump(const Case::Table& t, int dimension, PeriodicOptions& options) const {
    const int components = space().components();
    if (t.has("jump")) options.jump = t.vector("jump", "", {.size = components});
    else
      t.vector("jump", "value on the region less that on 'onto', for each component; not given: 0",
               {.size = components, .fallback = zeros_of(components)});
    const char* key = kinds_.displacements ? "strain" : "gradient";
    const int size = kinds_.displacements ? (dimension == 3 ? 6 : 3) : dimension;
    if (!kinds_.displacements && components > 1) return;
    const bool given = t.has(key);
    VectorRule rule{.size = size};
    if (!given) rule.fallback = zeros_of(size);
    const std::vector<double> v =
        t.vector(key,
                 kinds_.displacements
                     ? (dimension == 3 ? "mean strain xx, yy, zz, xy, yz, xz (shear of the tensor): its jump is added"
                                       : "mean strain xx, yy, xy (shear of the tensor): its jump is added")
                     : "mean gradient: its jump is added",
                 rule);
    if (!given || v.size() != static_cast<std::size_t>(size)) return;
    if (!kinds_.displacements) options.strain = {{{padded(v)}, {}, {}}};
    else if (dimension == 3) options.strain = {{{v[0], v[3], v[5]}, {v[3], v[1], v[4]}, {v[5], v[4], v[2]}}};
    else options.strain = {{{v[0], v[2], 0}, {v[2], v[1], 0}, {}}};
  }

  struct Term {
    std::vector<Node> nodes;
    int component;
    double factor;
    int field;
  };

  // The first term may name a region of many nodes: there is an equation for each of them.
  void read_equation(const Case::Table& t) {
    std::vector<Term> terms;
    bool sound = is_at_nodes_;
    for (const Case::Table& entry :
         t.tables("terms", "terms {region = \"a\", component = \"x\", factor = 1}", {.minimum_count = 1})) {
      if (whole_ != nullptr) enter_part(entry);
      const Region* region =
          entry.region("region", "a region of one node; of the first term it may have more: an equation for each",
                       mesh(), every_kind);
      Term term{{}, 0, entry.number("factor", "factor of this unknown", {.fallback = 1}), field_};
      const std::vector<std::string> names = component_names_of(space());
      if (space().components() > 1)
        term.component =
            component_of(entry, "component", entry.choice("component", "component of the unknown", names), space());
      sound = sound && region != nullptr && term.component >= 0;
      if (region == nullptr) continue;
      term.nodes = space().nodes_in(*region);
      if (term.nodes.size() != 1 && !(terms.empty() && !term.nodes.empty())) {
        entry.error(ErrorKind::relation, "region",
                    fmt::format("the region '{}' of a term has {} nodes", region->name, term.nodes.size()),
                    "only the first term may have several: there is an equation for each of its nodes",
                    "name a region of one node");
        sound = false;
      }
      terms.push_back(std::move(term));
    }
    const bool at_most = t.has("at_most");
    if (at_most && t.has("value"))
      t.error(ErrorKind::load_path, "at_most", "an equation with value and at_most", {}, "give one of them");
    const double value =
        at_most
            ? t.number("at_most", "instead of value: the sum is no larger, as at stops and gaps; in nonlinear statics")
            : t.number("value", "right-hand side, in units of factor times unknown", {.fallback = 0});
    if (kinds_.at_rest && !run_.step().continues() && value != 0 && !at_most) moves(t, "value", value);
    if (!sound || terms.empty()) return;
    LinearEquations equations{.origin = t.where(), .at_most = at_most};
    if (at_most) read_.model.linear = false;
    std::vector<UnknownTerm> row;
    for (const Node node : terms.front().nodes) {
      row.clear();
      for (std::size_t i = 0; i < terms.size(); ++i)
        add_term({i == 0 ? node : terms[i].nodes.front(), terms[i].component, terms[i].factor, terms[i].field}, row);
      equations.add(row, value);
    }
    keep(std::move(equations));
  }

  void read_gap(const Case::Table& t) {
    const Region* region = t.region("region", "a node, or several", mesh(), every_kind);
    const bool has_other = t.has("onto");
    const Region* onto = has_other ? t.region("onto", "the node on the other side, or as many; not given: the ground",
                                              mesh(), every_kind)
                                   : nullptr;
    GapOptions options{.origin = t.where()};
    options.direction = optional_point(
        t, "direction", "from the region to the other side; not given: to the node there", mesh().dimension());
    const bool given = t.has("clearance");
    const double clearance = t.number(
        "clearance", "[m] that is open at the begin; below 0: they overlap; not given: the distance, 0 of a stop",
        given ? NumberRule{} : NumberRule{.fallback = 0});
    if (given) options.clearance = clearance;
    read_.model.linear = false;
    if (region == nullptr || (has_other && onto == nullptr)) return;
    attempt([&] { keep(gap(space(), *region, onto, options)); });
  }

  // An unknown that several terms name has one factor.
  static void add_term(const UnknownTerm& term, std::vector<UnknownTerm>& row) {
    for (UnknownTerm& t : row)
      if (t.node == term.node && t.component == term.component && t.field == term.field) {
        t.factor += term.factor;
        return;
      }
    row.push_back(term);
  }

  // A region whose motion is told after each solution.
  struct Told {
    std::string kind, sentence, region, name = {};
    std::function<RigidMotion(std::span<const double>)> motion;
    int field = 0;
    std::array<int, 6> loads = {-1, -1, -1, -1, -1, -1};  // [motion] number among the prescribed means, -1: it is free

    bool is_prescribed() const {
      return std::ranges::any_of(loads, [](int each) { return each >= 0; });
    }
    void tell(Run& run, const SolutionView& s, std::span<const double> u) const {
      const RigidMotion m = motion(u);
      run.log().line("{} ({:.6g}) m, it turns by ({:.6g}) rad", sentence, fmt::join(m.displacement, ", "),
                     fmt::join(m.rotation, ", "));
      auto& facts = run.results().facts();
      facts[kind + " " + name] =
          fmt::format("{:.10g} {:.10g}", fmt::join(m.displacement, " "), fmt::join(m.rotation, " "));
      if (!is_prescribed()) return;
      std::array<double, 6> f{};
      for (std::size_t c = 0; c < f.size(); ++c)
        if (loads[c] >= 0) f[c] = s.mean_loads.at(static_cast<std::size_t>(loads[c]));
      run.log().line("{} '{}': held by the force ({:.6g}) N and the moment ({:.6g}) N m", kind, name,
                     fmt::join(f.begin(), f.begin() + 3, ", "), fmt::join(f.begin() + 3, f.end(), ", "));
      facts[kind + " " + name + " force"] = fmt::format("{:.10g}", fmt::join(f, " "));
    }
  };

  // Facts of a second table on the same region have its number.
  void add_told(Told told) {
    const auto earlier = std::ranges::count_if(
        told_, [&](const Told& each) { return each.kind == told.kind && each.region == told.region; });
    told.name = earlier == 0 ? told.region : fmt::format("{} {}", told.region, earlier + 1);
    told_.push_back(std::move(told));
  }

  void finish() {
    if (told_.empty()) return;
    read_.tell = [&run = run_, layout = layout_of(read_.model.spaces()),
                  regions = std::move(told_)](const SolutionView& s) {
      for (const Told& each : regions) each.tell(run, s, layout.part(s.u, each.field).host());
    };
  }

  Run& run_;
  RelationKinds kinds_;
  CaseModel& read_;
  const FieldsOfCase* const fields_;  // null: the case has one field
  int field_ = 0;                     // of the table at hand
  bool is_at_nodes_ = true;           // are its unknowns?
  const FunctionSpace* space_;        // of this field
  const Mesh* whole_ = nullptr;       // of a body, whose parts are the meshes of the fields
  std::vector<std::uint8_t> acting_;
  std::vector<Told> told_;
};

}  // namespace

void read_relations(Run& run, const RelationKinds& kinds, const std::vector<ObliqueSupport>& supports,
                    CaseModel& read) {
  RelationReader reader(run, kinds, read);
  for (const ObliqueSupport& each : supports) reader.add(each);
  reader.read();
}

void read_relations(Run& run, const Mesh& whole, CaseModel& read) {
  RelationReader(run, {.displacements = true, .periodic = false, .at_rest = read.modes}, read, whole).read();
}

void read_relations(const FieldsOfCase& fields, CaseModel& read) {
  RelationReader(fields.run, {.at_rest = read.modes}, read, &fields).read();
}

std::vector<MatrixTable> relation_tables(std::vector<MatrixTable> others) {
  for (const char* key : {"tie", "rigid", "coupling", "periodic", "equation", "gap"})
    others.push_back({key, "move it out of the load case: it holds in all of them"});
  return others;
}

}  // namespace ritz
