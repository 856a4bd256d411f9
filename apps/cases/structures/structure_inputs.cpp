#include "apps/cases/structures/structure_inputs.hpp"

#include "apps/cases/structures/beam_profile.hpp"
#include "apps/cases/form_parameters.hpp"
#include "apps/cases/formulas.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace ritz {
namespace {

// Elements with a stiffness that can be made of the numbers of a case: of cells, or of nodes.
std::vector<std::string> element_names(const FormCatalogue& catalogue, bool of_nodes) {
  std::vector<std::string> names;
  for (const std::string& name : catalogue.forms()) {
    const FormRecord& r = *catalogue.find(name).record;
    if (r.cell >= 0 && (r.cell == static_cast<int>(CellKind::vertex1)) == of_nodes && r.has_matrix && r.declared &&
        r.components >= 3 && r.dimension == 3)
      names.push_back(name);
  }
  return names;
}

// The density, and the parameter that makes a mass per length or per area of it.
void read_density(const Case::Table& t, const FormRecord& record, bool needed, const LibraryMaterial* material,
                  Frames::Section& section) {
  const char* size = record.cell == static_cast<int>(CellKind::quad4) || record.cell == static_cast<int>(CellKind::tri3)
                         ? "thickness"
                         : "area";
  const auto found = std::find_if(record.parameters, record.parameters + record.parameter_count,
                                  [&](const ParameterRecord& p) { return std::string(p.facts.name) == size; });
  const bool weighs = found != record.parameters + record.parameter_count;
  const NumberRule rule{.fallback = needed && weighs ? std::optional<double>() : 0,
                        .minimum = 0,
                        .out_of_bounds = ErrorKind::material_value};
  const double density = t.number(
      "density",
      "mass density [kg/m^3], needed with gravity, [time] and for modes if the element has an area or thickness",
      with_constant(rule, weighs ? material : nullptr, &LibraryMaterial::density));
  if (!weighs) {
    if (density > 0)
      t.error(ErrorKind::load_on_nothing, "density", fmt::format("the element '{}' has no {}", record.name, size),
              "its mass is not known", "omit the density, or give the element such a parameter");
    return;
  }
  section.density = density;
  std::memcpy(&section.size, section.element.bytes.data() + found->offset, sizeof section.size);
}

// False where the element is not known: further errors would only say that there is nothing.
bool read_section(const Case::Table& t, const Mesh& mesh, const std::shared_ptr<const FormCatalogue>& catalogue,
                  bool needs_density, Frames& frames, std::vector<StructureSection>& sections) {
  const Region* region = t.region("region", "lines or surfaces", mesh, {RegionKind::cells});
  const std::optional<std::string> name =
      t.kind("element", "element of the cells; ritz element list prints all", element_names(*catalogue, false));
  t.open_to_plugins("element");
  if (!name || !catalogue->has_form(*name)) return name.has_value();
  const FormCatalogue::Entry& entry = catalogue->find(*name);
  const LibraryMaterial* material = named_material(t, "material");
  std::map<std::string, double> known;
  if (*name == Beam::name && entry.module == "ritz_fem_kernels") {
    const double poisson =
        t.number("poisson", "Poisson's ratio",
                 with_constant({.above = -1, .below = 0.5, .out_of_bounds = ErrorKind::material_value}, material,
                               &LibraryMaterial::poisson));
    known = read_profile(t, poisson);
  }
  Frames::Section section{.element = ask_form(t, entry, known, material), .origin = t.where()};
  read_density(t, *entry.record, needs_density, material, section);
  if (region != nullptr) sections.push_back({region, section.element, {catalogue, entry.record}});
  frames.section(region, std::move(section));
  return true;
}

// An element of a plugin on one node.
std::optional<FormValue> read_node_element(const Case::Table& t, const std::string& name,
                                           const FormCatalogue& catalogue) {
  const std::vector<std::string> names = element_names(catalogue, true);
  if (std::ranges::find(names, name) != names.end()) return ask_form(t, catalogue.find(name));
  t.excuse();
  t.error(ErrorKind::plugin, "element", fmt::format("there is no element of one node '{}'", name),
          names.empty() ? "no plugin has any" : fmt::format("there are {}", quoted_list(names)),
          "name an element on vertex1, with 3 or 6 unknowns and declared parameters; or omit the key");
  return std::nullopt;
}

Vector3 vector_of(const Case::Table& t, const char* key, const char* about, VectorRule rule = {}) {
  rule.size = 3;
  const std::vector<double> v = t.vector(key, about, rule);
  return {v[0], v[1], v[2]};
}

void read_springs(Case& input, const Mesh& mesh, const FormCatalogue& catalogue, Frames& frames) {
  for (const Case::Table& t : input.tables("spring", "springs from nodes to the ground")) {
    const Region* region = t.region("region", "nodes, or cells whose nodes are meant", mesh,
                                    {RegionKind::nodes, RegionKind::facets, RegionKind::cells});
    const std::string element =
        t.text("element", "of a plugin, on one node; with its own parameters in the place of those below",
               {.fallback = "", .may_be_empty = true});
    t.open_to_plugins("*");
    Frames::Spring spring{.origin = t.where()};
    if (!element.empty()) {
      spring.element = read_node_element(t, element, catalogue);
      if (spring.element) frames.spring(region, std::move(spring));
      continue;
    }
    const VectorRule rule{.fallback = std::vector<double>(3, 0.0), .minimum = 0};
    spring.stiffness = vector_of(t, "stiffness", "of each node along x, y, z [N/m]", rule);
    spring.rotational = vector_of(t, "rotational", "of each node about x, y, z [N m/rad]", rule);
    frames.spring(region, std::move(spring));
  }
}

void read_masses(Case& input, const Mesh& mesh, Frames& frames) {
  for (const Case::Table& t : input.tables("mass", "point masses at nodes, in equal parts")) {
    const Region* region = t.region("region", "nodes, or cells whose nodes are meant", mesh,
                                    {RegionKind::nodes, RegionKind::facets, RegionKind::cells});
    const double value = t.number("value", "[kg] in total", {.minimum = 0, .out_of_bounds = ErrorKind::material_value});
    const Vector3 inertia = vector_of(t, "inertia", "rotary inertia about x, y, z in total [kg m^2]",
                                      {.fallback = std::vector<double>(3, 0.0), .minimum = 0});
    frames.mass(region, {.total = value, .inertia = inertia, .origin = t.where()});
  }
}

}  // namespace

std::vector<StructureSection> read_sections(Run& run, const Mesh& mesh,
                                            const std::shared_ptr<const FormCatalogue>& catalogue, bool needs_density,
                                            Frames& frames) {
  std::vector<StructureSection> sections;
  bool known = true;
  for (const Case::Table& t :
       run.input().tables("section", "element and section of lines and surfaces of the mesh", {.minimum_count = 1}))
    known = read_section(t, mesh, catalogue, needs_density, frames, sections) && known;
  if (!known) run.input().throw_if_any();
  read_springs(run.input(), mesh, *catalogue, frames);
  read_masses(run.input(), mesh, frames);
  return sections;
}

void read_support(const Case::Table& t, bool only_zero, int components, const char* why_no_rotations,
                  FunctionRef<void(int component, const Coefficient& value)> hold) {
  const char* names[] = {"x", "y", "z", "rx", "ry", "rz"};
  const bool fixed = t.flag("fixed", "nothing moves or turns, but as given", false),
             pinned = t.flag("pinned", "nothing moves, but as given; it may turn", false);
  bool any = fixed || pinned;
  for (int c = 0; c < 6; ++c) {
    const bool all = fixed || (pinned && c < 3);
    if (!t.has(names[c]) && !all) continue;
    const std::string about =
        c < 3 ? "this displacement [m]; not given: free" : "this rotation about the axis [rad]; not given: free";
    const Formula value =
        t.formula(names[c], only_zero ? "0: this component is held; not given: free" : about, {.fallback = 0});
    if (only_zero && (!value.is_number() || value.number() != 0))
      t.error(ErrorKind::modal_options, names[c], fmt::format("the support moves by {}", value.text()),
              "modes vibrate about the state of rest: their supports do not move",
              fmt::format("write {} = 0, or omit it", names[c]));
    any = true;
    if (c >= components) {
      if (t.has(names[c]))
        t.error(ErrorKind::model_options, names[c], "this model has no rotations", why_no_rotations,
                "leave the key out");
      continue;
    }
    hold(c, coefficient(value));
  }
  if (!any)
    t.error(ErrorKind::prescribes_nothing, "fixed", "this support holds nothing", {},
            "give fixed = true, pinned = true, or some of x, y, z, rx, ry, rz");
}

void read_structure_supports(const Case::Table& from, const Mesh& mesh, bool only_zero, int components,
                             FrameLoads& loads) {
  for (const Case::Table& t : from.tables("support", "prescribed displacements and rotations")) {
    const Region* region = t.region("region", "nodes, or cells or edges whose nodes are meant", mesh,
                                    {RegionKind::nodes, RegionKind::facets, RegionKind::cells});
    read_support(t, only_zero, components, "it has no beams and no shells",
                 [&](int c, const Coefficient& value) { loads.support(region, c, value, t.where()); });
  }
}

void read_force_on_structure(const Case::Table& t, const Mesh& mesh, FrameLoads& loads) {
  const Region* region = t.region("region", "nodes, or cells or edges whose nodes are meant", mesh,
                                  {RegionKind::nodes, RegionKind::facets, RegionKind::cells});
  const VectorRule rule{.fallback = std::vector<double>(3, 0.0)};
  const Vector3 force = vector_of(t, "value", "[N] in total", rule);
  const Vector3 moment = vector_of(t, "moment", "[N m] in total", rule);
  if (!t.has("value") && !t.has("moment"))
    t.error(ErrorKind::prescribes_nothing, "value", "this load is nothing", {}, "give a value, a moment, or both");
  loads.force(region, force, moment, t.where());
}

void read_densities_on_structure(const Case::Table& from, const Mesh& mesh, FrameLoads& loads) {
  for (const Case::Table& t :
       from.tables("line_load", "force per length of lines, also of lines that only name an edge")) {
    const Region* region = t.region("region", "lines", mesh, {RegionKind::cells});
    loads.line_load(region, vector_of(t, "value", "[N/m]"), t.where());
  }
  for (const Case::Table& t : from.tables("surface_load", "force per area of shells")) {
    const Region* region = t.region("region", "shells", mesh, {RegionKind::cells});
    loads.surface_load(region, vector_of(t, "value", "[Pa]"), t.where());
  }
}

void read_pressure_on_shells(const Case::Table& t, const Mesh& mesh, FrameLoads& loads) {
  const Region* region = t.region("region", "shells", mesh, {RegionKind::cells});
  loads.pressure(region, t.number("value", "[Pa]"), t.where());
}

void read_weight(const Case::Table& from, FrameLoads& loads) {
  const Case::Table gravity = from.table("gravity", "weight of all sections and point masses; needs densities");
  if (gravity.present())
    loads.gravity(vector_of(gravity, "acceleration", "gravitational acceleration [m/s^2]"), gravity.where());
}

void read_structure_loads(const Case::Table& from, const Mesh& mesh, FrameLoads& loads) {
  for (const Case::Table& t : from.tables("force", "forces and moments at nodes, in total, in equal parts"))
    read_force_on_structure(t, mesh, loads);
  read_densities_on_structure(from, mesh, loads);
  for (const Case::Table& t :
       from.tables("pressure", "pressure on shells, against their normals (right-hand rule of the nodes)"))
    read_pressure_on_shells(t, mesh, loads);
  read_weight(from, loads);
}

bool has_gravity(const Case::Table& from) {
  return from.table("gravity", "weight of all sections and point masses; needs densities").present();
}

}  // namespace ritz
