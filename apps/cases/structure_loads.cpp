#include "apps/cases/structure_model.hpp"
#include "fem/elements/beam.hpp"
#include "fem/elements/loads.hpp"
#include "fem/elements/shell3.hpp"
#include "mesh/opposed_cells.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace ritz {
namespace {

class LoadReader {
 public:
  LoadReader(const Mesh& mesh, const StructureModel& model) : mesh_(mesh), model_(model) {}

  void read(const Case::Table& from) {
    for (const Case::Table& t : from.tables("force", "forces and moments at nodes, in total, in equal parts"))
      read_force(t);
    for (const Case::Table& t :
         from.tables("line_load", "force per length of lines, also of lines that only name an edge")) {
      const Region* region = t.region("region", "lines", mesh_, {RegionKind::cells});
      const std::vector<double> value = t.vector("value", "[N/m]", {.size = 3});
      if (region != nullptr) along_lines(t, cells_of(t, *region, 1, "line"), {value[0], value[1], value[2]});
    }
    for (const Case::Table& t : from.tables("surface_load", "force per area of shells")) {
      const Region* region = t.region("region", "shells", mesh_, {RegionKind::cells});
      const std::vector<double> value = t.vector("value", "[Pa]", {.size = 3});
      if (region != nullptr) on_surfaces(t, *region, {{value[0], value[1], value[2]}, 0});
    }
    for (const Case::Table& t :
         from.tables("pressure", "pressure on shells, against their normals (right-hand rule of the nodes)")) {
      const Region* region = t.region("region", "shells", mesh_, {RegionKind::cells});
      const double value = t.number("value", "[Pa]");
      if (region == nullptr) continue;
      if (const OpposedCells opposed = opposed_cells(mesh_, region->cells); opposed.pairs > 0)
        t.error(
            "region",
            fmt::format("the normals of '{}' look to opposite sides at {} edges, first between cells {} and {}",
                        region->name, opposed.pairs, opposed.first, opposed.second),
            "pressure acts against the normals: it would pull here and push there",
            "turn the cells around in the mesher (Gmsh: ReverseMesh), or give a [[surface_load]] with its direction");
      on_surfaces(t, *region, {{0, 0, 0}, value});
    }
    read_gravity(from.table("gravity", "weight of all sections and point masses; needs densities"));
  }

  StructureLoads loads;

 private:
  using Vector3 = std::array<double, 3>;

  void read_force(const Case::Table& t) {
    const Region* region = t.region("region", "nodes, or cells or edges whose nodes are meant", mesh_,
                                    {RegionKind::nodes, RegionKind::facets, RegionKind::cells});
    const VectorRule rule{.size = 3, .fallback = std::vector<double>(3, 0.0)};
    const std::vector<double> f = t.vector("value", "[N] in total", rule),
                              m = t.vector("moment", "[N m] in total", rule);
    if (!t.has("value") && !t.has("moment"))
      t.error("value", "this load is nothing", {}, "give a value, a moment, or both");
    if (region == nullptr) return;
    const std::vector<Node> nodes = nodes_in(mesh_, *region);
    if (nodes.empty())
      return t.error("region", fmt::format("the region '{}' is empty", region->name), {}, "name another region");
    const bool turns = std::ranges::any_of(m, [](double value) { return value != 0; });
    for (const Node node : nodes) {
      const int known = model_.components_at[static_cast<std::size_t>(node)];
      if (known == 0)
        return t.error("region", fmt::format("node {} belongs to no section", node), "nothing carries the load there",
                       "load a node of a beam, bar or shell", Exit::model);
      if (turns && known < 6)
        return t.error("moment", fmt::format("node {} has no rotations", node), "only beams and shells take moments",
                       "load another node, or use forces", Exit::model);
    }
    const double part = 1 / static_cast<double>(nodes.size());
    if (turns)
      add(Integral::at_nodes(
          NodeLoad<6>{{part * f[0], part * f[1], part * f[2]}, {part * m[0], part * m[1], part * m[2]}}, nodes));
    else add(Integral::at_nodes(NodeLoad<3>{{part * f[0], part * f[1], part * f[2]}, {}}, nodes));
  }

  std::vector<Index> cells_of(const Case::Table& t, const Region& region, int dimension, const char* name) const {
    std::vector<Index> cells;
    for (const Index cell : region.cells)
      if (traits(mesh_.kind_of(cell)).dimension == dimension) cells.push_back(cell);
    if (cells.empty())
      t.error("region", fmt::format("the region '{}' holds no {} cells", region.name, name), {}, "name another region");
    return cells;
  }

  const StructureSection* beam_section(Index cell) const {  // nullptr: the cell is no beam
    const int s = model_.section_of[static_cast<std::size_t>(cell)];
    const StructureSection* const section = s < 0 ? nullptr : &model_.sections[static_cast<std::size_t>(s)];
    return section != nullptr && section->element.name == Beam::name ? section : nullptr;
  }

  void along_lines(const Case::Table& t, const std::vector<Index>& cells, const Vector3& q) {
    std::vector<Index> beams, others;
    for (const Index cell : cells) {
      for (const Node node : mesh_.nodes_of(cell))
        if (model_.components_at[static_cast<std::size_t>(node)] == 0)
          return t.error("region", fmt::format("node {} of line {} belongs to no section", node, cell),
                         "nothing carries the load there", "load lines of beams, bars, or edges of shells",
                         Exit::model);
      (beam_section(cell) != nullptr ? beams : others).push_back(cell);
    }
    if (!beams.empty()) {
      if (loads.along.empty()) loads.along.assign(static_cast<std::size_t>(mesh_.cell_count()), Vector3{});
      for (const Index cell : beams)
        for (std::size_t d = 0; d < 3; ++d) loads.along[static_cast<std::size_t>(cell)][d] += q[d];
      add_along_beams(beams, q);
    }
    if (!others.empty()) add(Integral::over_cells(LineLoad<3>{{q[0], q[1], q[2]}}, others));
  }

  void add_along_beams(const std::vector<Index>& beams, const Vector3& q) {
    std::vector<Index> plain;
    std::map<const StructureSection*, std::vector<Index>> beside;
    for (const Index cell : beams) {
      const StructureSection* const section = beam_section(cell);
      (beam_of(*section).has_offset() ? beside[section] : plain).push_back(cell);
    }
    if (!plain.empty()) add(Integral::over_cells(LineLoad<6>{{q[0], q[1], q[2]}}, plain));
    for (auto& [section, cells] : beside)
      add(Integral::over_cells(OffsetLineLoad{beam_of(*section), {q[0], q[1], q[2]}}, std::move(cells)));
  }

  void on_surfaces(const Case::Table& t, const Region& region, const ShellLoad& load) {
    const std::vector<Index> cells = cells_of(t, region, 2, "surface");
    if (cells.empty()) return;
    std::vector<Index> quadrilaterals, triangles;
    for (const Index cell : cells) {
      if (mesh_.kind_of(cell) == CellKind::quad4) quadrilaterals.push_back(cell);
      if (mesh_.kind_of(cell) == CellKind::tri3) triangles.push_back(cell);
    }
    if (model_.components < 6 || quadrilaterals.size() + triangles.size() != cells.size())
      return t.error("region",
                     fmt::format("the region '{}' holds cells that are no shells of three or four nodes", region.name),
                     {}, "load shells", Exit::model);
    if (!quadrilaterals.empty()) add(Integral::over_cells(load, std::move(quadrilaterals)));
    if (!triangles.empty())
      add(Integral::over_cells(Shell3Load{{load.force[0], load.force[1], load.force[2]}, load.pressure},
                               std::move(triangles)));
  }

  void read_gravity(const Case::Table& t) {
    if (!t.present()) return;
    const std::vector<double> g = t.vector("acceleration", "gravitational acceleration [m/s^2]", {.size = 3});
    for (const StructureSection& s : model_.sections) {
      if (s.mass == 0) continue;
      const Vector3 q{s.mass * g[0], s.mass * g[1], s.mass * g[2]};
      if (traits(static_cast<CellKind>(s.record->cell)).dimension == 2)
        on_surfaces(t, *s.region, {{q[0], q[1], q[2]}, 0});
      else along_lines(t, s.region->cells, q);
    }
    for (const PointMass& m : model_.masses)
      add(Integral::at_nodes(NodeLoad<3>{{m.mass * g[0], m.mass * g[1], m.mass * g[2]}, {}}, m.nodes));
  }

  void add(Integral integral) { loads.integrals.push_back(std::move(integral)); }

  const Mesh& mesh_;
  const StructureModel& model_;
};

}  // namespace

StructureLoads read_structure_loads(const Case::Table& from, const Mesh& mesh, const StructureModel& model) {
  LoadReader reader(mesh, model);
  reader.read(from);
  return std::move(reader.loads);
}

bool has_gravity(const Case::Table& from) {
  return from.table("gravity", "weight of all sections and point masses; needs densities").present();
}

}  // namespace ritz
