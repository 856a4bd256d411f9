#include "fem/physics/frames.hpp"

#include "fem/elements/bar.hpp"
#include "fem/elements/loads.hpp"
#include "fem/elements/mass.hpp"
#include "fem/elements/shell3.hpp"
#include "mesh/opposed_cells.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace ritz {

void FrameLoads::force(On nodes, Vector3 total, Vector3 moment, std::string origin) {
  forces_.push_back({std::move(nodes), total, moment, std::move(origin)});
}
void FrameLoads::line_load(On lines, Vector3 density, std::string origin) {
  line_loads_.push_back({std::move(lines), density, std::move(origin)});
}
void FrameLoads::surface_load(On shells, Vector3 density, std::string origin) {
  surface_loads_.push_back({std::move(shells), density, std::move(origin)});
}
void FrameLoads::pressure(On shells, double value, std::string origin) {
  pressures_.push_back({std::move(shells), {value, 0, 0}, std::move(origin)});
}
void FrameLoads::gravity(Vector3 acceleration, std::string origin) {
  gravity_ = Entry{"", acceleration, std::move(origin)};
}
void FrameLoads::support(On nodes, int component, Coefficient value, std::string origin) {
  supports_.push_back({std::move(nodes), component, std::move(value), std::move(origin)});
}
void FrameLoads::fix(On nodes, std::string origin) {
  supports_.push_back({std::move(nodes), -1, 0, std::move(origin)});
}

void Frames::section(On cells, Section section) { sections_.push_back({std::move(cells), std::move(section)}); }
void Frames::spring(On nodes, Spring spring) { springs_.push_back({std::move(nodes), std::move(spring)}); }
void Frames::mass(On nodes, PointMass mass) { masses_.push_back({std::move(nodes), std::move(mass)}); }

int Frames::components() const {
  const bool turn = std::ranges::any_of(
      sections_, [](const auto& each) { return !each.place.is_missing() && each.input.element.components > 3; });
  return turn ? 6 : 3;
}

std::optional<Beam> beam_in(const FormValue& element) {
  if (element.name != Beam::name || element.module != "ritz_fem_kernels") return std::nullopt;
  Beam beam;
  std::memcpy(&beam, element.bytes.data(), sizeof beam);
  return beam;
}

class Frames::Builder {
 public:
  Builder(const Frames& frames, ErrorList& errors) : frames_(frames), mesh_(*frames.mesh_), errors_(errors) {
    find_sections();
    find_masses();
  }

  void build(Model& model) {
    if (sections_.empty()) model.rigid = std::nullopt;
    else tell_cells_without_section(model);
    for (const FoundSection& s : sections_) model.equations.push_back(Integral::over(s.input.element, *s.region));
    for (const auto& [place, input] : frames_.springs_) add_spring(place, input, model);
    for (const Integral& each : model.equations) model.linear = model.linear && each.form.linear;
    add_loads(frames_.loads, model.equations);
    add_supports(frames_.loads, model.supports);
    for (const FrameLoads& each : frames_.load_cases_) {
      ModelLoadCase& own = model.load_cases.emplace_back(ModelLoadCase{each.name()});
      add_loads(each, own.loads);
      add_supports(each, own.prescribed);
    }
    ErrorList unknown;
    model.inertia = inertia(unknown);
    if (!unknown.empty()) model.inertia.clear();
  }

  std::vector<Integral> inertia(ErrorList& errors) const {
    std::vector<Integral> result;
    for (const FoundSection& s : sections_)
      if (s.mass > 0) result.push_back(inertia_of(s, errors));
    for (const FoundMass& m : masses_) {
      const auto& [x, y, z] = m.inertia;
      result.push_back(Integral::at_nodes(
          turns(m.inertia) ? FormValue(node_mass<6>(m.mass, x, y, z)) : FormValue(node_mass<3>(m.mass)), m.nodes));
    }
    return result;
  }

  // [cell] forces per length on beams; empty: none.
  std::vector<Vector3> along_beams(const FrameLoads& from) {
    std::vector<Vector3> along;
    const auto add = [&](const std::vector<Index>& cells, const Vector3& q) {
      for (const Index cell : cells) {
        if (!beam_at(cell)) continue;
        if (along.empty()) along.resize(static_cast<std::size_t>(mesh_.cell_count()));
        for (std::size_t d = 0; d < 3; ++d) along[static_cast<std::size_t>(cell)][d] += q[d];
      }
    };
    for (const auto& [place, q, origin] : from.line_loads_)
      if (const Region* region = find_region(place, mesh_, {RegionKind::cells}, origin, errors_)) add(region->cells, q);
    if (!from.gravity_) return along;
    for (const FoundSection& s : sections_)
      if (s.mass > 0 && !is_surface(s)) add(s.region->cells, weight(s.mass, from.gravity_->value));
    return along;
  }

 private:
  struct FoundSection {
    const Region* region;
    const Section& input;
    double mass;  // per length or area
    CellKind cell() const { return static_cast<CellKind>(input.element.cell); }
  };
  struct FoundMass {  // of each node
    std::vector<Node> nodes;
    double mass;
    Vector3 inertia;
  };

  static bool turns(const Vector3& about) {
    return std::ranges::any_of(about, [](double each) { return each != 0; });
  }
  static bool is_surface(const FoundSection& s) { return traits(s.cell()).dimension == 2; }
  static Vector3 weight(double mass, const Vector3& g) { return {mass * g[0], mass * g[1], mass * g[2]}; }

  void fail(Exit exit, std::string what, const std::string& origin, std::string why, std::string fix) {
    errors_.add(Error(exit, what + at_origin(origin), std::move(why), std::move(fix)));
  }

  const Region* nodes_at(const On& place, const std::string& origin) {
    return find_region(place, mesh_, {RegionKind::nodes, RegionKind::facets, RegionKind::cells}, origin, errors_);
  }

  int known_at(Node node) const { return components_at_[static_cast<std::size_t>(node)]; }
  bool any_knows_less(const std::vector<Node>& nodes, int components) const {
    return std::ranges::any_of(nodes, [&](Node node) { return known_at(node) < components; });
  }

  std::optional<Beam> beam_at(Index cell) const {
    const int s = section_of_[static_cast<std::size_t>(cell)];
    return s < 0 ? std::nullopt : beam_in(sections_[static_cast<std::size_t>(s)].input.element);
  }

  void find_sections() {
    section_of_.assign(static_cast<std::size_t>(mesh_.cell_count()), -1);
    components_at_.assign(static_cast<std::size_t>(mesh_.node_count()), 0);
    for (const auto& [place, input] : frames_.sections_) {
      const Region* region = find_region(place, mesh_, {RegionKind::cells}, input.origin, errors_);
      if (region == nullptr) continue;
      check_kind(*region, input);
      if (const std::optional<Beam> beam = beam_in(input.element)) check_orientation(*region, *beam, input.origin);
      sections_.push_back({region, input, input.density * input.size});
      give_cells(*region, static_cast<int>(sections_.size()) - 1);
    }
  }

  void give_cells(const Region& region, int section) {
    const FormValue& element = sections_[static_cast<std::size_t>(section)].input.element;
    Index overlap = 0;
    int other = 0;
    for (const Index cell : region.cells) {
      int& of_cell = section_of_[static_cast<std::size_t>(cell)];
      if (of_cell >= 0) {
        ++overlap;
        other = of_cell;
      }
      of_cell = section;
      for (const Node node : mesh_.nodes_of(cell)) {
        int& known = components_at_[static_cast<std::size_t>(node)];
        known = std::max(known, element.components);
      }
    }
    const auto name = [&](int number) {
      const FoundSection& s = sections_[static_cast<std::size_t>(number)];
      return s.input.origin.empty() ? fmt::format("'{}'", s.region->name) : s.input.origin;
    };
    if (overlap > 0)
      fail(Exit::model, fmt::format("{} cells have two sections", overlap), {},
           fmt::format("{} and {} share them", name(other), name(section)),
           "give each cell one section: use regions that do not overlap");
  }

  void check_kind(const Region& region, const Section& input) {
    Index other = 0;
    for (const Index cell : region.cells) other += static_cast<int>(mesh_.kind_of(cell)) != input.element.cell;
    if (other == 0) return;
    const std::string kind(traits(static_cast<CellKind>(input.element.cell)).name);
    fail(Exit::model,
         fmt::format("'{}' stands on cells of kind {}, but {} of {} in '{}' are others", input.element.name, kind,
                     other, region.cells.size(), region.name),
         input.origin, {},
         kind == "quad4" ? "recombine triangles into quadrilaterals of order 1 (gmsh: Mesh.RecombineAll = 1), or take "
                           "shell3 for triangles"
                         : "name a region of such cells, in a mesh of order 1");
  }

  // A direction along the member leaves its other axes open.
  void check_orientation(const Region& region, const Beam& beam, const std::string& origin) {
    const double* o = beam.orientation;
    const double length = std::hypot(o[0], o[1], o[2]);
    if (length == 0) return;
    for (const Index cell : region.cells) {
      const auto nodes = mesh_.nodes_of(cell);
      const auto a = mesh_.point(nodes[0]), b = mesh_.point(nodes[1]);
      const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
      const double cross = std::hypot(d[1] * o[2] - d[2] * o[1], d[2] * o[0] - d[0] * o[2], d[0] * o[1] - d[1] * o[0]);
      if (cross > 1e-6 * length * std::hypot(d[0], d[1], d[2])) continue;
      return fail(Exit::model, fmt::format("beam {} runs along its orientation ({}, {}, {})", cell, o[0], o[1], o[2]),
                  origin, "local y is the part of it across the beam",
                  "give another direction, or a section of its own for this beam");
    }
  }

  void tell_cells_without_section(Model& model) {
    Index lines = 0, others = 0, first = -1;
    std::vector<Index> carrying;
    for (Index cell = 0; cell < mesh_.cell_count(); ++cell) {
      if (section_of_[static_cast<std::size_t>(cell)] >= 0) {
        carrying.push_back(cell);
        continue;
      }
      const bool is_line = traits(mesh_.kind_of(cell)).dimension == 1;
      ++(is_line ? lines : others);
      if (!is_line && first < 0) first = cell;
    }
    if (const OpposedCells opposed = opposed_cells(mesh_, carrying); opposed.pairs > 0)
      model.notices.push_back(fmt::format(
          "normals of shells look to opposite sides at {} edges, first between cells {} and {}: moments and "
          "transverse forces change their signs there",
          opposed.pairs, opposed.first, opposed.second));
    if (lines > 0)
      model.notices.push_back(fmt::format("{} line cells have no section: they carry nothing and name places", lines));
    if (others > 0)
      fail(Exit::model, fmt::format("{} surface or volume cells have no section", others), {},
           fmt::format("the first is cell {} of kind {}", first, traits(mesh_.kind_of(first)).name),
           "add a [[section]] for them, or remove them from the mesh");
  }

  void add_ground(const FormValue& element, const Region& region, const std::vector<Node>& nodes, Model& model) {
    model.equations.push_back(Integral::at_nodes(element, nodes));
    model.exchanges.push_back({"spring", &region, model.equations.back()});
  }

  void add_spring(const On& place, const Spring& input, Model& model) {
    const Region* region = nodes_at(place, input.origin);
    if (region == nullptr) return;
    const std::vector<Node> nodes = nodes_in(mesh_, *region), in_space = model.space->nodes_in(*region);
    if (input.element) {
      if (any_knows_less(nodes, input.element->components))
        return fail(Exit::model, fmt::format("a node of '{}' has no rotations, or belongs to no section", region->name),
                    input.origin,
                    fmt::format("'{}' acts on {} unknowns of a node", input.element->name, input.element->components),
                    "name nodes of sections that have these unknowns");
      add_ground(*input.element, *region, nodes, model);
      for (int c = 0; c < 3; ++c) model.held.push_back({in_space, c});
      return;
    }
    const Vector3 &k = input.stiffness, &r = input.rotational;
    if (!turns(k) && !turns(r))
      fail(Exit::input, "this spring has no stiffness", input.origin, {},
           "give stiffness = [x, y, z] in N/m, or rotational in N m/rad");
    if (turns(r) && any_knows_less(nodes, 6))
      fail(Exit::model, fmt::format("a node of '{}' has no rotations", region->name), input.origin,
           "only beams and shells have", "omit the rotational stiffness");
    else if (turns(r)) add_ground(NodeSpring<6>{{k[0], k[1], k[2]}, {r[0], r[1], r[2]}}, *region, nodes, model);
    else add_ground(NodeSpring<3>{{k[0], k[1], k[2]}, {}}, *region, nodes, model);
    for (int c = 0; c < 6; ++c)
      if ((c < 3 ? k[static_cast<std::size_t>(c)] : r[static_cast<std::size_t>(c - 3)]) > 0)
        model.held.push_back({in_space, c});
  }

  void find_masses() {
    for (const auto& [place, input] : frames_.masses_) {
      const Region* region = nodes_at(place, input.origin);
      if (region == nullptr) continue;
      FoundMass mass{nodes_in(mesh_, *region), 0, {}};
      if (mass.nodes.empty()) {
        fail(Exit::input, fmt::format("the region '{}' is empty", region->name), input.origin, {},
             "name another region");
        continue;
      }
      if (any_knows_less(mass.nodes, 1))
        fail(Exit::model, fmt::format("a node of '{}' belongs to no section", region->name), input.origin,
             "nothing carries the mass there", "name nodes of beams, bars or shells");
      else if (turns(input.inertia) && any_knows_less(mass.nodes, 6))
        fail(Exit::model, fmt::format("a node of '{}' has no rotations", region->name), input.origin,
             "only beams and shells have", "omit the inertia");
      const double part = 1 / static_cast<double>(mass.nodes.size());
      mass.mass = part * input.total;
      for (std::size_t d = 0; d < 3; ++d) mass.inertia[d] = part * input.inertia[d];
      masses_.push_back(std::move(mass));
    }
  }

  Integral inertia_of(const FoundSection& s, ErrorList& errors) const {
    const bool turn = s.input.element.components == 6;
    if (const std::optional<Beam> beam = beam_in(s.input.element))
      return Integral::over(BeamMass{*beam, s.input.density}, *s.region);
    if (s.cell() == CellKind::line2) return Integral::over(LineMass{s.mass}, *s.region);
    const double thickness = s.mass / s.input.density, rotary = s.mass * thickness * thickness / 12;
    if (s.cell() == CellKind::quad4)
      return turn ? Integral::over(SurfaceMass<CellKind::quad4, 6>{s.mass, rotary}, *s.region)
                  : Integral::over(SurfaceMass<CellKind::quad4, 3>{s.mass, 0}, *s.region);
    if (s.cell() == CellKind::tri3)
      return turn ? Integral::over(SurfaceMass<CellKind::tri3, 6>{s.mass, rotary}, *s.region)
                  : Integral::over(SurfaceMass<CellKind::tri3, 3>{s.mass, 0}, *s.region);
    errors.add(Error(Exit::model,
                     fmt::format("the mass of '{}' on cells of kind {} is not known, in {}", s.input.element.name,
                                 traits(s.cell()).name, s.input.origin),
                     "masses are built in for lines of two nodes, and for surfaces of three and four",
                     "use such cells, or point masses ([[mass]]) without a density"));
    return Integral::over(LineMass{0}, *s.region);
  }

  void add_supports(const FrameLoads& from, std::vector<PrescribedValue>& prescribed) {
    for (const auto& [place, component, value, origin] : from.supports_) {
      const Region* region = nodes_at(place, origin);
      if (region == nullptr) continue;
      for (int c = 0; c < frames_.components(); ++c)
        if (component < 0 || component == c) prescribed.push_back({region, c, value, origin});
    }
  }

  void add_loads(const FrameLoads& from, std::vector<Integral>& to) {
    for (const FrameLoads::Force& force : from.forces_) add_force(force, to);
    for (const auto& [place, q, origin] : from.line_loads_)
      if (const Region* region = find_region(place, mesh_, {RegionKind::cells}, origin, errors_))
        along_lines(cells_of(*region, 1, "line", origin), q, origin, to);
    for (const auto& [place, q, origin] : from.surface_loads_)
      if (const Region* region = find_region(place, mesh_, {RegionKind::cells}, origin, errors_))
        on_surfaces(*region, {{q[0], q[1], q[2]}, 0}, origin, to);
    for (const auto& [place, value, origin] : from.pressures_) {
      const Region* region = find_region(place, mesh_, {RegionKind::cells}, origin, errors_);
      if (region == nullptr) continue;
      if (const OpposedCells opposed = opposed_cells(mesh_, region->cells); opposed.pairs > 0)
        fail(Exit::input,
             fmt::format("the normals of '{}' look to opposite sides at {} edges, first between cells {} and {}",
                         region->name, opposed.pairs, opposed.first, opposed.second),
             origin, "pressure acts against the normals: it would pull here and push there",
             "turn the cells around in the mesher (Gmsh: ReverseMesh), or give a [[surface_load]] with its direction");
      on_surfaces(*region, {{0, 0, 0}, value[0]}, origin, to);
    }
    if (from.gravity_) add_weight(*from.gravity_, to);
  }

  void add_force(const FrameLoads::Force& force, std::vector<Integral>& to) {
    const auto& [place, f, m, origin] = force;
    const Region* region = nodes_at(place, origin);
    if (region == nullptr) return;
    const std::vector<Node> nodes = nodes_in(mesh_, *region);
    if (nodes.empty())
      return fail(Exit::input, fmt::format("the region '{}' is empty", region->name), origin, {},
                  "name another region");
    for (const Node node : nodes) {
      if (known_at(node) == 0)
        return fail(Exit::model, fmt::format("node {} belongs to no section", node), origin,
                    "nothing carries the load there", "load a node of a beam, bar or shell");
      if (turns(m) && known_at(node) < 6)
        return fail(Exit::model, fmt::format("node {} has no rotations", node), origin,
                    "only beams and shells take moments", "load another node, or use forces");
    }
    const double part = 1 / static_cast<double>(nodes.size());
    if (turns(m))
      to.push_back(Integral::at_nodes(
          NodeLoad<6>{{part * f[0], part * f[1], part * f[2]}, {part * m[0], part * m[1], part * m[2]}}, nodes));
    else to.push_back(Integral::at_nodes(NodeLoad<3>{{part * f[0], part * f[1], part * f[2]}, {}}, nodes));
  }

  std::vector<Index> cells_of(const Region& region, int dimension, const char* name, const std::string& origin) {
    std::vector<Index> cells;
    for (const Index cell : region.cells)
      if (traits(mesh_.kind_of(cell)).dimension == dimension) cells.push_back(cell);
    if (cells.empty())
      fail(Exit::input, fmt::format("the region '{}' holds no {} cells", region.name, name), origin, {},
           "name another region");
    return cells;
  }

  void along_lines(const std::vector<Index>& cells, const Vector3& q, const std::string& origin,
                   std::vector<Integral>& to) {
    std::vector<Index> plain, others;
    std::map<int, std::vector<Index>> beside;  // by section: beams whose axis is beside their nodes
    for (const Index cell : cells) {
      for (const Node node : mesh_.nodes_of(cell))
        if (known_at(node) == 0)
          return fail(Exit::model, fmt::format("node {} of line {} belongs to no section", node, cell), origin,
                      "nothing carries the load there", "load lines of beams, bars, or edges of shells");
      const std::optional<Beam> beam = beam_at(cell);
      if (!beam) others.push_back(cell);
      else if (!beam->has_offset()) plain.push_back(cell);
      else beside[section_of_[static_cast<std::size_t>(cell)]].push_back(cell);
    }
    if (!plain.empty()) to.push_back(Integral::over_cells(LineLoad<6>{{q[0], q[1], q[2]}}, plain));
    for (auto& [section, beams] : beside)
      to.push_back(Integral::over_cells(OffsetLineLoad{*beam_at(beams.front()), {q[0], q[1], q[2]}}, beams));
    if (!others.empty()) to.push_back(Integral::over_cells(LineLoad<3>{{q[0], q[1], q[2]}}, others));
  }

  void on_surfaces(const Region& region, const ShellLoad& load, const std::string& origin, std::vector<Integral>& to) {
    const std::vector<Index> cells = cells_of(region, 2, "surface", origin);
    if (cells.empty()) return;
    std::vector<Index> quadrilaterals, triangles;
    for (const Index cell : cells) {
      if (mesh_.kind_of(cell) == CellKind::quad4) quadrilaterals.push_back(cell);
      if (mesh_.kind_of(cell) == CellKind::tri3) triangles.push_back(cell);
    }
    if (frames_.components() < 6 || quadrilaterals.size() + triangles.size() != cells.size())
      return fail(Exit::model,
                  fmt::format("the region '{}' holds cells that are no shells of three or four nodes", region.name),
                  origin, {}, "load shells");
    if (!quadrilaterals.empty()) to.push_back(Integral::over_cells(load, std::move(quadrilaterals)));
    if (!triangles.empty())
      to.push_back(Integral::over_cells(Shell3Load{{load.force[0], load.force[1], load.force[2]}, load.pressure},
                                        std::move(triangles)));
  }

  void add_weight(const FrameLoads::Entry& gravity, std::vector<Integral>& to) {
    for (const FoundSection& s : sections_) {
      if (s.mass == 0) continue;
      const Vector3 q = weight(s.mass, gravity.value);
      if (is_surface(s)) on_surfaces(*s.region, {{q[0], q[1], q[2]}, 0}, gravity.origin, to);
      else along_lines(s.region->cells, q, gravity.origin, to);
    }
    for (const FoundMass& m : masses_) {
      const Vector3 f = weight(m.mass, gravity.value);
      to.push_back(Integral::at_nodes(NodeLoad<3>{{f[0], f[1], f[2]}, {}}, m.nodes));
    }
  }

  const Frames& frames_;
  const Mesh& mesh_;
  ErrorList& errors_;
  std::vector<FoundSection> sections_;
  std::vector<FoundMass> masses_;
  std::vector<int> section_of_;     // [cell] -1: carries nothing, names a place
  std::vector<int> components_at_;  // [mesh node] unknowns that its elements know; 0: none
};

Model Frames::model(std::shared_ptr<const FunctionSpace> space, ErrorList& errors) const {
  Model model;
  model.space = std::move(space);
  model.rigid = RigidModes::solid;
  model.sparse = true;
  model.structural = true;
  model.ill_conditioned = true;  // shells and slender beams:
  model.tolerance = 1e-6;        // what double precision leaves of their residual
  Builder(*this, errors).build(model);
  return model;
}

Model Frames::model(const Device& device) const {
  ErrorList errors;
  Model result = model(make_space(*mesh_, components(), device), errors);
  errors.throw_if_any();
  return result;
}

std::vector<Integral> Frames::inertia(ErrorList& errors) const {
  ErrorList said_before;
  return Builder(*this, said_before).inertia(errors);
}

std::vector<Vector3> Frames::along_beams(double factor, std::span<const double> of_load_case) const {
  ErrorList said_before;
  Builder builder(*this, said_before);
  std::vector<Vector3> sum;
  const auto add = [&](const FrameLoads& from, double weight) {
    const std::vector<Vector3> along = builder.along_beams(from);
    if (sum.size() < along.size()) sum.resize(along.size());
    for (std::size_t i = 0; i < along.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) sum[i][d] += weight * along[i][d];
  };
  add(loads, factor);
  for (std::size_t i = 0; i < of_load_case.size(); ++i) add(load_cases_[i], of_load_case[i]);
  return sum;
}

}  // namespace ritz
