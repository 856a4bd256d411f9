#include "fem/physics/frame_parts.hpp"

#include "fem/elements/mass.hpp"
#include "mesh/quality/opposed_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace ritz {

std::optional<Beam> beam_in(const FormValue& element) {
  if (element.name != Beam::name || element.module != "ritz_fem_kernels") return std::nullopt;
  Beam beam;
  std::memcpy(&beam, element.bytes.data(), sizeof beam);
  return beam;
}

Frames::Parts::Parts(const Frames& frames, ErrorList& errors) : mesh_(frames.mesh_), errors_(errors) {
  find_sections(frames);
  find_masses(frames);
}

std::optional<Beam> Frames::Parts::beam_at(Index cell) const {
  const int s = section_at(cell);
  return s < 0 ? std::nullopt : beam_in(sections_[static_cast<std::size_t>(s)].input.element);
}

bool Frames::Parts::any_knows_less(const std::vector<Node>& nodes, int components) const {
  return std::ranges::any_of(nodes, [&](Node node) { return known_at(node) < components; });
}

std::vector<Integral> Frames::Parts::inertia(ErrorList& errors) const {
  std::vector<Integral> result;
  for (const FoundSection& s : sections_)
    if (s.mass > 0) result.push_back(inertia_of(s, errors));
  for (const FoundMass& m : masses_) {
    const auto& [x, y, z] = m.inertia;
    result.push_back(Integral::at_nodes(
        any_not_zero(m.inertia) ? FormValue(node_mass<6>(m.mass, x, y, z)) : FormValue(node_mass<3>(m.mass)), m.nodes));
  }
  return result;
}

namespace {

// The moment of inertia about the axis; none where those across it differ, or products of inertia are left.
std::optional<double> polar_inertia(const Vector3& inertia, const Point& axis) {
  double polar = 0, sum = 0, largest = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    polar += axis[d] * axis[d] * inertia[d];
    sum += inertia[d];
    largest = std::max(largest, inertia[d]);
  }
  const double across = (sum - polar) / 2;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double round = (i == j ? across : 0) + (polar - across) * axis[i] * axis[j];
      if (std::abs((i == j ? inertia[i] : 0) - round) > 1e-6 * largest) return std::nullopt;
    }
  return polar;
}

bool is_about(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

}  // namespace

bool Frames::Parts::is_on_axis(Node node, const Rotation& rotation, const Point& axis) const {
  const auto x = mesh_.point(node);
  const Point from = minus({x[0], x[1], x[2]}, rotation.point);
  return length(cross(from, axis)) <= 1e-6 * length(from);
}

// A round beam on the axis, or something without a mass.
void Frames::Parts::check_rotor(const FoundSection& s, const Rotation& rotation, const Point& axis) {
  const std::optional<Beam> beam = beam_in(s.input.element);
  if (!beam)
    return fail(ErrorKind::vibration, fmt::format("'{}' has a mass and no beams, and the model turns", s.region->name),
                s.input.origin, "[rotation] is of a shaft of beams, in a frame that stands still",
                "take beams; turning solids are materials, and discs [[mass]] with inertia");
  if (beam->has_offset() || !is_about(beam->inertia_y, beam->inertia_z) ||
      !is_about(beam->shear_area_y, beam->shear_area_z))
    return fail(ErrorKind::vibration, fmt::format("a turning section that is not round, of '{}'", s.region->name),
                s.input.origin, "its stiffness would vary with the angle, seen from a frame that stands still",
                "give equal inertia_y and inertia_z, equal shear areas, and no offset");
  for (const Index cell : s.region->cells) {
    const auto nodes = mesh_.nodes_of(cell);
    for (const Node node : nodes)
      if (!is_on_axis(node, rotation, axis))
        return fail(ErrorKind::vibration,
                    fmt::format("beam {} of '{}' is not on the axis of [rotation]", cell, s.region->name),
                    s.input.origin, "a shaft turns about the line of its nodes",
                    "give the axis and a point of it, or model blades as solids");
  }
}

std::optional<Turning> Frames::Parts::turning(const Rotation& rotation) {
  const std::optional<Point> axis = unit_axis(rotation, errors_);
  if (!axis) return std::nullopt;
  Turning turning{.axis = *axis};
  for (const FoundSection& s : sections_) {
    if (!(s.mass > 0)) continue;
    check_rotor(s, rotation, turning.axis);
    const std::optional<Beam> beam = beam_in(s.input.element);
    if (!beam) continue;
    // Moments of inertia of a section are I across the axis and 2 I about it: H (v x axis) with H = 2 rho I speed.
    BeamMass turns{*beam, s.input.density};
    turns.beam.area = 0;
    turning.gyroscopic.push_back(Integral::over(turns, *s.region));
    turning.gyroscopic.back().factor = 2 * rotation.speed;
  }
  for (const FoundMass& m : masses_) {
    const std::optional<double> polar = polar_inertia(m.inertia, turning.axis);
    const bool on_axis =
        std::ranges::all_of(m.nodes, [&](Node node) { return is_on_axis(node, rotation, turning.axis); });
    if (!polar || !on_axis) {
      fail(ErrorKind::vibration, "a turning point mass that is not round, or beside the axis", rotation.origin,
           "its forces would vary with the angle, seen from a frame that stands still",
           "give it at nodes on the axis, with equal moments of inertia across it");
      continue;
    }
    if (*polar == 0) continue;
    turning.gyroscopic.push_back(Integral::at_nodes(node_mass<6>(0, *polar, *polar, *polar), m.nodes));
    turning.gyroscopic.back().factor = rotation.speed;
  }
  return turning;
}

Integral Frames::Parts::inertia_of(const FoundSection& s, ErrorList& errors) {
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
  errors.add(Error(ErrorKind::load_on_nothing,
                   fmt::format("the mass of '{}' on cells of kind {} is not known, in {}", s.input.element.name,
                               traits(s.cell()).name, s.input.origin),
                   "masses are built in for lines of two nodes, and for surfaces of three and four",
                   "use such cells, or point masses ([[mass]]) without a density"));
  return Integral::over(LineMass{0}, *s.region);
}

void Frames::Parts::fail(ErrorKind kind, std::string what, const std::string& origin, std::string why,
                         std::string fix) {
  errors_.add(Error(kind, what, std::move(why), std::move(fix)).at(origin));
}

const Region* Frames::Parts::nodes_at(const On& place, const std::string& origin) {
  return find_region(place, mesh_, {RegionKind::nodes, RegionKind::facets, RegionKind::cells}, origin, errors_);
}

void Frames::Parts::find_sections(const Frames& frames) {
  section_of_.assign(static_cast<std::size_t>(mesh_.cell_count()), -1);
  components_at_.assign(static_cast<std::size_t>(mesh_.node_count()), 0);
  for (const auto& [place, input] : frames.sections_) {
    const Region* region = find_region(place, mesh_, {RegionKind::cells}, input.origin, errors_);
    if (region == nullptr) continue;
    check_kind(*region, input);
    if (const std::optional<Beam> beam = beam_in(input.element)) check_orientation(*region, *beam, input.origin);
    sections_.push_back({region, input, input.density * input.size});
    give_cells(*region, static_cast<int>(sections_.size()) - 1);
    check_repeated(*region, input.origin);
  }
}

// Mesh files may hold a line once for each group that it is in. Copies with sections of their own are members side by
// side.
void Frames::Parts::check_repeated(const Region& region, const std::string& origin) {
  std::vector<std::pair<std::vector<Node>, Index>> cells;
  for (const Index cell : region.cells) {
    const auto nodes = mesh_.nodes_of(cell);
    cells.emplace_back(std::vector<Node>(nodes.begin(), nodes.end()), cell);
    std::ranges::sort(cells.back().first);
  }
  std::ranges::sort(cells);
  std::vector<std::pair<Index, Index>> copies;
  for (std::size_t i = 1; i < cells.size(); ++i)
    if (cells[i].first == cells[i - 1].first) copies.emplace_back(cells[i].second, cells[i - 1].second);
  if (copies.empty()) return;
  const auto [copy, cell] = *std::ranges::min_element(copies);
  fail(ErrorKind::repeated_members,
       fmt::format("{} of the {} cells of '{}' have the nodes of another cell; the first, cell {}, repeats cell {}",
                   copies.size(), cells.size(), region.name, copy, cell),
       origin, "their stiffness would count twice",
       "write every cell once; where members lie side by side, give each a region and a section of its own");
}

void Frames::Parts::give_cells(const Region& region, int section) {
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
    fail(ErrorKind::overlapping_materials, fmt::format("{} cells have two sections", overlap), {},
         fmt::format("{} and {} share them", name(other), name(section)),
         "give each cell one section: use regions that do not overlap");
}

void Frames::Parts::check_kind(const Region& region, const Section& input) {
  Index other = 0;
  for (const Index cell : region.cells) other += static_cast<int>(mesh_.kind_of(cell)) != input.element.cell;
  if (other == 0) return;
  const std::string kind(traits(static_cast<CellKind>(input.element.cell)).name);
  fail(ErrorKind::load_on_nothing,
       fmt::format("'{}' stands on cells of kind {}, but {} of {} in '{}' are others", input.element.name, kind, other,
                   region.cells.size(), region.name),
       input.origin, {},
       kind == "quad4" ? "recombine triangles into quadrilaterals of order 1 (gmsh: Mesh.RecombineAll = 1), or take "
                         "shell3 for triangles"
                       : "name a region of such cells, in a mesh of order 1");
}

// A direction along the member leaves its other axes open.
void Frames::Parts::check_orientation(const Region& region, const Beam& beam, const std::string& origin) {
  const double* o = beam.orientation;
  const double length = std::hypot(o[0], o[1], o[2]);
  if (length == 0) return;
  for (const Index cell : region.cells) {
    const auto nodes = mesh_.nodes_of(cell);
    const auto a = mesh_.point(nodes[0]), b = mesh_.point(nodes[1]);
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double cross = std::hypot(d[1] * o[2] - d[2] * o[1], d[2] * o[0] - d[0] * o[2], d[0] * o[1] - d[1] * o[0]);
    if (cross > 1e-6 * length * std::hypot(d[0], d[1], d[2])) continue;
    return fail(ErrorKind::load_on_nothing,
                fmt::format("beam {} runs along its orientation ({}, {}, {})", cell, o[0], o[1], o[2]), origin,
                "local y is the part of it across the beam",
                "give another direction, or a section of its own for this beam");
  }
}

void Frames::Parts::report_cells_without_section(Model& model) {
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
    model.notices.push_back(
        fmt::format("normals of shells look to opposite sides at {} edges, first between cells {} and {}: moments and "
                    "transverse forces change their signs there",
                    opposed.pairs, opposed.first, opposed.second));
  if (lines > 0)
    model.notices.push_back(fmt::format("{} line cells have no section: they carry nothing and name places", lines));
  if (others > 0)
    fail(ErrorKind::missing_material, fmt::format("{} surface or volume cells have no section", others), {},
         fmt::format("the first is cell {} of kind {}", first, traits(mesh_.kind_of(first)).name),
         "add a [[section]] for them, or remove them from the mesh");
}

void Frames::Parts::find_masses(const Frames& frames) {
  for (const auto& [place, input] : frames.masses_) {
    const Region* region = nodes_at(place, input.origin);
    if (region == nullptr) continue;
    FoundMass mass{nodes_in(mesh_, *region), 0, {}};
    if (mass.nodes.empty()) {
      fail(ErrorKind::region_empty, fmt::format("the region '{}' is empty", region->name), input.origin, {},
           "name another region");
      continue;
    }
    if (any_knows_less(mass.nodes, 1))
      fail(ErrorKind::load_on_nothing, fmt::format("a node of '{}' belongs to no section", region->name), input.origin,
           "nothing carries the mass there", "name nodes of beams, bars or shells");
    else if (any_not_zero(input.inertia) && any_knows_less(mass.nodes, 6))
      fail(ErrorKind::load_on_nothing, fmt::format("a node of '{}' has no rotations", region->name), input.origin,
           "only beams and shells have", "omit the inertia");
    const double part = 1 / static_cast<double>(mass.nodes.size());
    mass.mass = part * input.total;
    for (std::size_t d = 0; d < 3; ++d) mass.inertia[d] = part * input.inertia[d];
    masses_.push_back(std::move(mass));
  }
}

std::string region_with(const Mesh& mesh, Index cell) {
  const Region* smallest = nullptr;
  for (const Region& each : mesh.regions())
    if (each.kind == RegionKind::cells && std::ranges::binary_search(each.cells, cell) &&
        (smallest == nullptr || each.size() <= smallest->size()))
      smallest = &each;
  return smallest != nullptr ? smallest->name : "";
}

}  // namespace ritz
