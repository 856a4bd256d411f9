#include "apps/cases/structure_model.hpp"

#include "apps/cases/beam_profile.hpp"
#include "apps/cases/form_parameters.hpp"
#include "apps/cases/shared_model.hpp"
#include "fem/elements/bar.hpp"
#include "fem/elements/mass.hpp"
#include "mesh/opposed_cells.hpp"

#include <algorithm>
#include <fmt/format.h>

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

struct Weight {
  double density = 0, mass = 0;
};

// Density, and times the parameter that makes a mass per length or per area of it.
Weight weight_of(const Case::Table& t, const FormRecord& record, const FormValue& element, bool needed) {
  const char* size = record.cell == static_cast<int>(CellKind::quad4) || record.cell == static_cast<int>(CellKind::tri3)
                         ? "thickness"
                         : "area";
  const auto found = std::find_if(record.parameters, record.parameters + record.parameter_count,
                                  [&](const ParameterRecord& p) { return std::string(p.facts.name) == size; });
  const bool weighs = found != record.parameters + record.parameter_count;
  const double density = t.number(
      "density", "mass density [kg/m^3], needed with gravity and for modes if the element has an area or thickness",
      {.fallback = needed && weighs ? std::optional<double>() : 0, .minimum = 0, .out_of_bounds = Exit::model});
  if (!weighs) {
    if (density > 0)
      t.error("density", fmt::format("the element '{}' has no {}", record.name, size), "its mass is not known",
              "omit the density, or give the element such a parameter", Exit::model);
    return {};
  }
  double value = 0;
  std::memcpy(&value, element.bytes.data() + found->offset, sizeof value);
  return {density, density * value};
}

void check_kind(const Case::Table& t, const Mesh& mesh, const Region& region, const FormRecord& record) {
  Index other = 0;
  for (const Index cell : region.cells) other += static_cast<int>(mesh.kind_of(cell)) != record.cell;
  if (other == 0) return;
  const std::string kind(traits(static_cast<CellKind>(record.cell)).name);
  t.error("element",
          fmt::format("'{}' stands on cells of kind {}, but {} of {} in '{}' are others", record.name, kind, other,
                      region.cells.size(), region.name),
          {},
          kind == "quad4" ? "recombine triangles into quadrilaterals of order 1 (gmsh: Mesh.RecombineAll = 1), or take "
                            "shell3 for triangles"
                          : "name a region of such cells, in a mesh of order 1",
          Exit::model);
}

// A direction along the member leaves its other axes open.
void check_orientation(const Case::Table& t, const Mesh& mesh, const Region& region, const FormValue& element) {
  Beam beam;
  std::memcpy(&beam, element.bytes.data(), sizeof beam);
  const double* o = beam.orientation;
  const double length = std::hypot(o[0], o[1], o[2]);
  if (length == 0) return;
  for (const Index cell : region.cells) {
    const auto nodes = mesh.nodes_of(cell);
    const auto a = mesh.point(nodes[0]), b = mesh.point(nodes[1]);
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double cross = std::hypot(d[1] * o[2] - d[2] * o[1], d[2] * o[0] - d[0] * o[2], d[0] * o[1] - d[1] * o[0]);
    if (cross > 1e-6 * length * std::hypot(d[0], d[1], d[2])) continue;
    return t.error("orientation",
                   fmt::format("beam {} runs along its orientation ({}, {}, {})", cell, o[0], o[1], o[2]),
                   "local y is the part of it across the beam",
                   "give another direction, or a section of its own for this beam", Exit::model);
  }
}

void read_section(const Case::Table& t, const Mesh& mesh, const FormCatalogue& catalogue, bool needs_density,
                  StructureModel& model) {
  const Region* region = t.region("region", "lines or surfaces", mesh, {RegionKind::cells});
  const std::optional<std::string> name =
      t.kind("element", "element of the cells; ritz element list prints all", element_names(catalogue, false));
  t.open_to_plugins("element");
  if (!name) model.lacks_elements = true;
  if (!name || !catalogue.has_form(*name)) return;
  const FormCatalogue::Entry& entry = catalogue.find(*name);
  const bool beam = *name == Beam::name && entry.module == "ritz_fem_kernels";
  std::map<std::string, double> known;
  if (beam) {
    const double poisson =
        t.number("poisson", "Poisson's ratio", {.above = -1, .below = 0.5, .out_of_bounds = Exit::model});
    known = read_profile(t, poisson);
  }
  const FormValue element = ask_form(t, entry, known);
  const Weight weight = weight_of(t, *entry.record, element, needs_density);
  if (region == nullptr) return;
  check_kind(t, mesh, *region, *entry.record);
  if (beam) check_orientation(t, mesh, *region, element);
  model.sections.push_back({region, element, entry.record, weight.density, weight.mass, t.where()});
  model.linear = model.linear && entry.record->linear;
}

void find_sections(Run& run, const Mesh& mesh, StructureModel& model) {
  model.section_of.assign(static_cast<std::size_t>(mesh.cell_count()), -1);
  model.components_at.assign(static_cast<std::size_t>(mesh.node_count()), 0);
  for (std::size_t s = 0; s < model.sections.size(); ++s) {
    const StructureSection& section = model.sections[s];
    Index overlap = 0;
    std::string other;
    for (const Index cell : section.region->cells) {
      int& of_cell = model.section_of[static_cast<std::size_t>(cell)];
      if (of_cell >= 0) {
        ++overlap;
        other = model.sections[static_cast<std::size_t>(of_cell)].where;
      }
      of_cell = static_cast<int>(s);
      for (const Node node : mesh.nodes_of(cell)) {
        int& known = model.components_at[static_cast<std::size_t>(node)];
        known = std::max(known, section.record->components);
      }
    }
    if (overlap > 0)
      run.input().add_error(Error(Exit::model, fmt::format("{} cells have two sections", overlap),
                                  fmt::format("{} and {} share them", other, section.where),
                                  "give each cell one section: use regions that do not overlap"));
    if (section.record->components > 3) model.components = 6;
  }
  if (model.sections.empty()) return;
  Index lines = 0, others = 0, first = -1;
  std::vector<Index> carrying;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    if (model.section_of[static_cast<std::size_t>(cell)] >= 0) {
      carrying.push_back(cell);
      continue;
    }
    const bool is_line = traits(mesh.kind_of(cell)).dimension == 1;
    ++(is_line ? lines : others);
    if (!is_line && first < 0) first = cell;
  }
  if (const OpposedCells opposed = opposed_cells(mesh, carrying); opposed.pairs > 0)
    run.log().notice(
        fmt::format("normals of shells look to opposite sides at {} edges, first between cells {} and {}: moments and "
                    "transverse forces change their signs there",
                    opposed.pairs, opposed.first, opposed.second));
  if (lines > 0)
    run.log().notice(fmt::format("{} line cells have no section: they carry nothing and name places", lines));
  if (others > 0)
    run.input().add_error(Error(Exit::model, fmt::format("{} surface or volume cells have no section", others),
                                fmt::format("the first is cell {} of kind {}", first, traits(mesh.kind_of(first)).name),
                                "add a [[section]] for them, or remove them from the mesh"));
}

// An element of a plugin on every node of a region. It is taken to hold their displacements.
void read_node_element(const Case::Table& t, const std::string& name, const Mesh& mesh, const Region* region,
                       const FormCatalogue& catalogue, StructureModel& model) {
  const std::vector<std::string> names = element_names(catalogue, true);
  if (std::ranges::find(names, name) == names.end()) {
    t.excuse();
    return t.error("element", fmt::format("there is no element of one node '{}'", name),
                   names.empty() ? "no plugin has any" : fmt::format("there are {}", quoted_list(names)),
                   "name an element on vertex1, with 3 or 6 unknowns and declared parameters; or omit the key");
  }
  const FormCatalogue::Entry& entry = catalogue.find(name);
  const FormValue element = ask_form(t, entry);
  if (region == nullptr) return;
  const std::vector<Node> nodes = nodes_in(mesh, *region);
  if (std::ranges::any_of(nodes, [&](Node node) {
        return model.components_at[static_cast<std::size_t>(node)] < entry.record->components;
      }))
    return t.error("element", fmt::format("a node of '{}' has no rotations, or belongs to no section", region->name),
                   fmt::format("'{}' acts on {} unknowns of a node", name, entry.record->components),
                   "name nodes of sections that have these unknowns", Exit::model);
  model.stiffness.push_back(Integral::at_nodes(element, nodes));
  model.linear = model.linear && entry.record->linear;
  for (int c = 0; c < 3; ++c) model.springs.emplace_back(region, c);
}

void read_springs(Case& input, const Mesh& mesh, const FormCatalogue& catalogue, StructureModel& model) {
  for (const Case::Table& t : input.tables("spring", "springs from nodes to the ground")) {
    const Region* region = t.region("region", "nodes, or cells whose nodes are meant", mesh,
                                    {RegionKind::nodes, RegionKind::facets, RegionKind::cells});
    const std::string element =
        t.text("element", "of a plugin, on one node; with its own parameters in the place of those below",
               {.fallback = "", .may_be_empty = true});
    t.open_to_plugins("*");
    if (!element.empty()) {
      read_node_element(t, element, mesh, region, catalogue, model);
      continue;
    }
    const VectorRule rule{.size = 3, .fallback = std::vector<double>(3, 0.0), .minimum = 0};
    const std::vector<double> k = t.vector("stiffness", "of each node along x, y, z [N/m]", rule),
                              r = t.vector("rotational", "of each node about x, y, z [N m/rad]", rule);
    if (region == nullptr) continue;
    const std::vector<Node> nodes = nodes_in(mesh, *region);
    const auto positive = [](double value) { return value > 0; };
    const bool turns = std::ranges::any_of(r, positive);
    if (!turns && std::ranges::none_of(k, positive))
      t.error("stiffness", "this spring has no stiffness", {},
              "give stiffness = [x, y, z] in N/m, or rotational in N m/rad");
    if (turns &&
        std::ranges::any_of(nodes, [&](Node node) { return model.components_at[static_cast<std::size_t>(node)] < 6; }))
      t.error("rotational", fmt::format("a node of '{}' has no rotations", region->name), "only beams and shells have",
              "omit the rotational stiffness", Exit::model);
    else if (turns)
      model.stiffness.push_back(Integral::at_nodes(NodeSpring<6>{{k[0], k[1], k[2]}, {r[0], r[1], r[2]}}, nodes));
    else model.stiffness.push_back(Integral::at_nodes(NodeSpring<3>{{k[0], k[1], k[2]}, {}}, nodes));
    for (int c = 0; c < 6; ++c)
      if ((c < 3 ? k[static_cast<std::size_t>(c)] : r[static_cast<std::size_t>(c - 3)]) > 0)
        model.springs.emplace_back(region, c);
  }
}

void read_masses(Case& input, const Mesh& mesh, StructureModel& model) {
  for (const Case::Table& t : input.tables("mass", "point masses at nodes, in equal parts")) {
    const Region* region = t.region("region", "nodes, or cells whose nodes are meant", mesh,
                                    {RegionKind::nodes, RegionKind::facets, RegionKind::cells});
    const double value = t.number("value", "[kg] in total", {.minimum = 0, .out_of_bounds = Exit::model});
    const std::vector<double> inertia = t.vector("inertia", "rotary inertia about x, y, z in total [kg m^2]",
                                                 {.size = 3, .fallback = std::vector<double>(3, 0.0), .minimum = 0});
    if (region == nullptr) continue;
    PointMass mass{nodes_in(mesh, *region), 0, {}};
    if (mass.nodes.empty()) {
      t.error("region", fmt::format("the region '{}' is empty", region->name), {}, "name another region");
      continue;
    }
    const bool turns = std::ranges::any_of(inertia, [](double each) { return each > 0; });
    const auto known = [&](Node node) { return model.components_at[static_cast<std::size_t>(node)]; };
    if (std::ranges::any_of(mass.nodes, [&](Node node) { return known(node) == 0; }))
      t.error("region", fmt::format("a node of '{}' belongs to no section", region->name),
              "nothing carries the mass there", "name nodes of beams, bars or shells", Exit::model);
    else if (turns && std::ranges::any_of(mass.nodes, [&](Node node) { return known(node) < 6; }))
      t.error("inertia", fmt::format("a node of '{}' has no rotations", region->name), "only beams and shells have",
              "omit the inertia", Exit::model);
    const double part = 1 / static_cast<double>(mass.nodes.size());
    mass.mass = part * value;
    for (std::size_t d = 0; d < 3; ++d) mass.inertia[d] = part * inertia[d];
    model.masses.push_back(std::move(mass));
  }
}

Integral inertia_of(Case& input, const StructureSection& s) {
  const auto cell = static_cast<CellKind>(s.record->cell);
  const bool turns = s.record->components == 6;
  if (s.element.name == Beam::name) return Integral::over(BeamMass{beam_of(s), s.density}, *s.region);
  if (cell == CellKind::line2) return Integral::over(LineMass{s.mass}, *s.region);
  const double thickness = s.mass / s.density, rotary = s.mass * thickness * thickness / 12;
  if (cell == CellKind::quad4)
    return turns ? Integral::over(SurfaceMass<CellKind::quad4, 6>{s.mass, rotary}, *s.region)
                 : Integral::over(SurfaceMass<CellKind::quad4, 3>{s.mass, 0}, *s.region);
  if (cell == CellKind::tri3)
    return turns ? Integral::over(SurfaceMass<CellKind::tri3, 6>{s.mass, rotary}, *s.region)
                 : Integral::over(SurfaceMass<CellKind::tri3, 3>{s.mass, 0}, *s.region);
  input.add_error(Error(Exit::model,
                        fmt::format("the mass of '{}' on cells of kind {} is not known, in {}", s.record->name,
                                    traits(cell).name, s.where),
                        "masses are built in for lines of two nodes, and for surfaces of three and four",
                        "use such cells, or point masses ([[mass]]) without a density"));
  return Integral::over(LineMass{0}, *s.region);
}

}  // namespace

Beam beam_of(const StructureSection& section) {
  Beam beam;
  std::memcpy(&beam, section.element.bytes.data(), sizeof beam);
  return beam;
}

StructureModel read_sections(Run& run, const Mesh& mesh, const FormCatalogue& catalogue, bool needs_density) {
  StructureModel model;
  for (const Case::Table& t :
       run.input().tables("section", "element and section of lines and surfaces of the mesh", {.minimum_count = 1}))
    read_section(t, mesh, catalogue, needs_density, model);
  if (model.lacks_elements) run.input().throw_if_any();  // all else would say that there is nothing
  find_sections(run, mesh, model);
  for (const StructureSection& s : model.sections) model.stiffness.push_back(Integral::over(s.element, *s.region));
  const auto section_count = static_cast<std::ptrdiff_t>(model.stiffness.size());
  read_springs(run.input(), mesh, catalogue, model);
  model.ground.assign(model.stiffness.begin() + section_count, model.stiffness.end());
  read_masses(run.input(), mesh, model);
  return model;
}

std::vector<Integral> inertia_of(Case& input, const StructureModel& model) {
  std::vector<Integral> inertia;
  for (const StructureSection& s : model.sections)
    if (s.mass > 0) inertia.push_back(inertia_of(input, s));
  for (const PointMass& m : model.masses) {
    const bool turns = std::ranges::any_of(m.inertia, [](double each) { return each > 0; });
    if (turns)
      inertia.push_back(Integral::at_nodes(node_mass<6>(m.mass, m.inertia[0], m.inertia[1], m.inertia[2]), m.nodes));
    else inertia.push_back(Integral::at_nodes(node_mass<3>(m.mass), m.nodes));
  }
  return inertia;
}

const FunctionSpace& structure_space(Run& run, const Mesh& mesh, const StructureModel& model) {
  return run.shared().space_for(fmt::format("{}", model.components), [&] {
    auto phase = run.device().profile().phase("space");
    return FunctionSpace(mesh, model.components, run.device());
  });
}

void fill_model(const FunctionSpace& space, const StructureModel& structure, Model& model) {
  model.space = borrowed(space);
  model.equations = structure.stiffness;
  model.linear = structure.linear;
  model.sparse = true;
  model.structural = true;
  model.ill_conditioned = true;  // shells and slender beams:
  model.tolerance = 1e-6;        // what double precision leaves of their residual
  model.rigid = structure.sections.empty() ? std::nullopt : std::optional(RigidModes::solid);
  for (const auto& [region, component] : structure.springs) model.held.push_back({space.nodes_in(*region), component});
}

std::vector<PrescribedValue> read_structure_supports(const Case::Table& from, const Mesh& mesh, int components,
                                                     bool only_zero) {
  const char* names[] = {"x", "y", "z", "rx", "ry", "rz"};
  std::vector<PrescribedValue> prescribed;
  for (const Case::Table& t : from.tables("support", "prescribed displacements and rotations")) {
    const Region* region = t.region("region", "nodes, or cells or edges whose nodes are meant", mesh,
                                    {RegionKind::nodes, RegionKind::facets, RegionKind::cells});
    const bool fixed = t.flag("fixed", "nothing moves or turns", false),
               pinned = t.flag("pinned", "nothing moves; it may turn", false);
    bool any = fixed || pinned;
    for (int c = 0; c < 6; ++c) {
      const bool all = fixed || (pinned && c < 3);
      if (!t.has(names[c]) && !all) continue;
      const std::string about =
          c < 3 ? "this displacement [m]; not given: free" : "this rotation about the axis [rad]; not given: free";
      const double value =
          t.number(names[c], only_zero ? "0: this component is held; not given: free" : about, {.fallback = 0});
      if (only_zero && value != 0)
        t.error(names[c], fmt::format("the support moves by {}", value),
                "modes vibrate about the state of rest: their supports do not move",
                fmt::format("write {} = 0, or omit it", names[c]));
      any = true;
      if (c >= components) {
        if (t.has(names[c]))
          t.error(names[c], "this model has no rotations", "it has no beams and no shells", "leave the key out");
        continue;
      }
      if (region != nullptr) prescribed.push_back({region, c, value, t.where()});
    }
    if (!any)
      t.error("fixed", "this support holds nothing", {},
              "give fixed = true, pinned = true, or some of x, y, z, rx, ry, rz");
  }
  return prescribed;
}

}  // namespace ritz
