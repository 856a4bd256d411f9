#include "fem/physics/frames.hpp"

#include "fem/elements/bar.hpp"
#include "fem/elements/loads.hpp"
#include "fem/elements/shell3.hpp"
#include "fem/physics/frame_parts.hpp"
#include "mesh/quality/opposed_cells.hpp"

#include <algorithm>
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

class Frames::Builder {
 public:
  Builder(const Frames& frames, ErrorList& errors)
      : frames_(frames), mesh_(frames.mesh_), errors_(errors), parts_(frames, errors) {}

  void build(Model& model) {
    if (parts_.sections().empty()) model.rigid = std::nullopt;
    else parts_.report_cells_without_section(model);
    for (const FoundSection& s : parts_.sections())
      model.equations.push_back(Integral::over(s.input.element, *s.region));
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
    if (frames_.rotation_) model.turning = parts_.turning(*frames_.rotation_);
  }

  std::vector<Integral> inertia(ErrorList& errors) const { return parts_.inertia(errors); }

  // [cell] forces per length on beams; empty: none.
  std::vector<Vector3> along_beams(const FrameLoads& from) {
    std::vector<Vector3> along;
    const auto add = [&](const std::vector<Index>& cells, const Vector3& q) {
      for (const Index cell : cells) {
        if (!parts_.beam_at(cell)) continue;
        if (along.empty()) along.resize(static_cast<std::size_t>(mesh_.cell_count()));
        for (std::size_t d = 0; d < 3; ++d) along[static_cast<std::size_t>(cell)][d] += q[d];
      }
    };
    for (const auto& [place, q, origin] : from.line_loads_)
      if (const Region* region = find_region(place, mesh_, {RegionKind::cells}, origin, errors_))
        add(on_beams(region->cells), q);
    if (!from.gravity_) return along;
    for (const FoundSection& s : parts_.sections())
      if (s.mass > 0 && !is_surface(s)) add(s.region->cells, weight(s.mass, from.gravity_->value));
    return along;
  }

 private:
  using FoundSection = Parts::FoundSection;
  using FoundMass = Parts::FoundMass;

  static bool is_surface(const FoundSection& s) { return traits(s.cell()).dimension == 2; }
  static Vector3 weight(double mass, const Vector3& g) { return {mass * g[0], mass * g[1], mass * g[2]}; }

  void add_ground(const FormValue& element, const Region& region, const std::vector<Node>& nodes, Model& model) {
    model.equations.push_back(Integral::at_nodes(element, nodes));
    model.exchanges.push_back({"spring", &region, model.equations.back()});
  }

  void add_spring(const On& place, const Spring& input, Model& model) {
    const Region* region = parts_.nodes_at(place, input.origin);
    if (region == nullptr) return;
    const std::vector<Node> nodes = nodes_in(mesh_, *region), in_space = model.space.nodes_in(*region);
    if (input.element) {
      if (parts_.any_knows_less(nodes, input.element->components))
        return parts_.fail(
            ErrorKind::load_on_nothing,
            fmt::format("a node of '{}' has no rotations, or belongs to no section", region->name), input.origin,
            fmt::format("'{}' acts on {} unknowns of a node", input.element->name, input.element->components),
            "name nodes of sections that have these unknowns");
      add_ground(*input.element, *region, nodes, model);
      for (int c = 0; c < 3; ++c) model.held.push_back({in_space, c});
      return;
    }
    const Vector3 &k = input.stiffness, &r = input.rotational;
    if (!any_not_zero(k) && !any_not_zero(r))
      parts_.fail(ErrorKind::prescribes_nothing, "this spring has no stiffness", input.origin, {},
                  "give stiffness = [x, y, z] in N/m, or rotational in N m/rad");
    if (any_not_zero(r) && parts_.any_knows_less(nodes, 6))
      parts_.fail(ErrorKind::load_on_nothing, fmt::format("a node of '{}' has no rotations", region->name),
                  input.origin, "only beams and shells have", "omit the rotational stiffness");
    else if (any_not_zero(r)) add_ground(NodeSpring<6>{{k[0], k[1], k[2]}, {r[0], r[1], r[2]}}, *region, nodes, model);
    else add_ground(NodeSpring<3>{{k[0], k[1], k[2]}, {}}, *region, nodes, model);
    for (int c = 0; c < 6; ++c)
      if ((c < 3 ? k[static_cast<std::size_t>(c)] : r[static_cast<std::size_t>(c - 3)]) > 0)
        model.held.push_back({in_space, c});
  }

  void add_supports(const FrameLoads& from, std::vector<PrescribedValue>& prescribed) {
    for (const auto& [place, component, value, origin] : from.supports_) {
      const Region* region = parts_.nodes_at(place, origin);
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
        parts_.fail(
            ErrorKind::unknown_region,
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
    const Region* region = parts_.nodes_at(place, origin);
    if (region == nullptr) return;
    const std::vector<Node> nodes = nodes_in(mesh_, *region);
    if (nodes.empty())
      return parts_.fail(ErrorKind::region_empty, fmt::format("the region '{}' is empty", region->name), origin, {},
                         "name another region");
    for (const Node node : nodes) {
      if (parts_.known_at(node) == 0)
        return parts_.fail(ErrorKind::load_on_nothing, fmt::format("node {} belongs to no section", node), origin,
                           "nothing carries the load there", "load a node of a beam, bar or shell");
      if (any_not_zero(m) && parts_.known_at(node) < 6)
        return parts_.fail(ErrorKind::load_on_nothing, fmt::format("node {} has no rotations", node), origin,
                           "only beams and shells take moments", "load another node, or use forces");
    }
    const double part = 1 / static_cast<double>(nodes.size());
    if (any_not_zero(m))
      to.push_back(Integral::at_nodes(
          NodeLoad<6>{{part * f[0], part * f[1], part * f[2]}, {part * m[0], part * m[1], part * m[2]}}, nodes));
    else to.push_back(Integral::at_nodes(NodeLoad<3>{{part * f[0], part * f[1], part * f[2]}, {}}, nodes));
  }

  std::vector<Index> cells_of(const Region& region, int dimension, const char* name, const std::string& origin) {
    std::vector<Index> cells;
    for (const Index cell : region.cells)
      if (traits(mesh_.kind_of(cell)).dimension == dimension) cells.push_back(cell);
    if (cells.empty())
      parts_.fail(ErrorKind::region_empty, fmt::format("the region '{}' holds no {} cells", region.name, name), origin,
                  {}, "name another region");
    return cells;
  }

  // Lines without a section that lie on a beam load that beam: its end forces are those of its own element.
  std::vector<Index> on_beams(std::vector<Index> lines) {
    if (std::ranges::all_of(lines, [&](Index cell) { return parts_.section_at(cell) >= 0; })) return lines;
    const auto ends = [&](Index cell) {
      const std::span<const Node> nodes = mesh_.nodes_of(cell);
      return std::minmax({nodes[0], nodes[1]});
    };
    std::map<std::pair<Node, Node>, Index> beams;
    for (Index cell = 0; cell < mesh_.cell_count(); ++cell)
      if (parts_.beam_at(cell)) beams.try_emplace(ends(cell), cell);
    for (Index& line : lines)
      if (parts_.section_at(line) < 0)
        if (const auto beam = beams.find(ends(line)); beam != beams.end()) line = beam->second;
    std::ranges::sort(lines);
    lines.erase(std::ranges::unique(lines).begin(), lines.end());
    return lines;
  }

  void along_lines(const std::vector<Index>& given, const Vector3& q, const std::string& origin,
                   std::vector<Integral>& to) {
    const std::vector<Index> cells = on_beams(given);
    std::vector<Index> plain, others;
    std::map<int, std::vector<Index>> beside;  // by section: beams whose axis is beside their nodes
    for (const Index cell : cells) {
      for (const Node node : mesh_.nodes_of(cell))
        if (parts_.known_at(node) == 0)
          return parts_.fail(ErrorKind::load_on_nothing,
                             fmt::format("node {} of line {} belongs to no section", node, cell), origin,
                             "nothing carries the load there", "load lines of beams, bars, or edges of shells");
      const std::optional<Beam> beam = parts_.beam_at(cell);
      if (!beam) others.push_back(cell);
      else if (!beam->has_offset()) plain.push_back(cell);
      else beside[parts_.section_at(cell)].push_back(cell);
    }
    if (!plain.empty()) to.push_back(Integral::over_cells(LineLoad<6>{{q[0], q[1], q[2]}}, plain));
    for (auto& [section, beams] : beside)
      to.push_back(Integral::over_cells(OffsetLineLoad{*parts_.beam_at(beams.front()), {q[0], q[1], q[2]}}, beams));
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
      return parts_.fail(
          ErrorKind::load_on_nothing,
          fmt::format("the region '{}' holds cells that are no shells of three or four nodes", region.name), origin, {},
          "load shells");
    if (!quadrilaterals.empty()) to.push_back(Integral::over_cells(load, std::move(quadrilaterals)));
    if (!triangles.empty())
      to.push_back(Integral::over_cells(Shell3Load{{load.force[0], load.force[1], load.force[2]}, load.pressure},
                                        std::move(triangles)));
  }

  void add_weight(const FrameLoads::Entry& gravity, std::vector<Integral>& to) {
    for (const FoundSection& s : parts_.sections()) {
      if (s.mass == 0) continue;
      const Vector3 q = weight(s.mass, gravity.value);
      if (is_surface(s)) on_surfaces(*s.region, {{q[0], q[1], q[2]}, 0}, gravity.origin, to);
      else along_lines(s.region->cells, q, gravity.origin, to);
    }
    for (const FoundMass& m : parts_.masses()) {
      const Vector3 f = weight(m.mass, gravity.value);
      to.push_back(Integral::at_nodes(NodeLoad<3>{{f[0], f[1], f[2]}, {}}, m.nodes));
    }
  }

  const Frames& frames_;
  Mesh mesh_;
  ErrorList& errors_;
  Parts parts_;
};

Model Frames::model(FunctionSpace space, ErrorList& errors) const {
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
  Model result = model(FunctionSpace(mesh_, components(), device), errors);
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
