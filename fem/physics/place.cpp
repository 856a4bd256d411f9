#include "fem/physics/place.hpp"

#include "fem/forms/parameter_bounds.hpp"
#include "mesh/cell_geometry.hpp"
#include "mesh/curved_cells.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

// Middles of cells and facets by their maps (the mean of the nodes of a bent facet may lie outside the mesh), and
// nodes.
struct Centres {
  std::vector<double> x;     // [centre][3]
  std::vector<Index> cells;  // [centre]; none: of nodes
  std::vector<Point> xi;     // [centre] in the cell

  Centres(const Mesh& mesh, const Region& region) {
    for (const Index cell : region.cells) add(mesh, cell, reference_centroid(mesh.kind_of(cell)));
    for (const FacetOfCell& facet : region.facets) {
      const CellKind kind = traits(mesh.kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)].kind;
      add(mesh, facet.cell, FacetMap(mesh.kind_of(facet.cell), facet.facet).place(reference_centroid(kind)));
    }
    for (const Node node : region.nodes)
      for (std::size_t d = 0; d < 3; ++d) x.push_back(mesh.point(node)[d]);
  }

  std::vector<double> values_of(const Coefficient& value, const Mesh& mesh) const {
    std::vector<double> values(x.size() / 3);
    value.at(cells.empty() ? EvaluationPoints(x) : EvaluationPoints(x, mesh, cells, xi), 0, values);
    return values;
  }

 private:
  void add(const Mesh& mesh, Index cell, const Point& at) {
    const Point centre = CellMap(mesh, cell).at(at);
    x.insert(x.end(), centre.begin(), centre.end());
    cells.push_back(cell);
    xi.push_back(at);
  }
};

std::string_view words(RegionKind kind) {
  return kind == RegionKind::cells ? "cells" : kind == RegionKind::facets ? "facets" : "nodes";
}

}  // namespace

std::string at_origin(const std::string& origin) { return origin.empty() ? "" : ", " + origin; }

const Region* find_region(const On& place, const Mesh& mesh, std::initializer_list<RegionKind> kinds,
                          const std::string& origin, ErrorList& errors) {
  if (place.is_missing()) return nullptr;
  try {
    const Region& region = place.in(mesh);
    if (std::ranges::find(kinds, region.kind) != kinds.end()) return &region;
    std::string wanted;
    for (const RegionKind kind : kinds) wanted += fmt::format("{}{}", wanted.empty() ? "" : " or ", words(kind));
    errors.add(Error(ErrorKind::region_definition,
                     fmt::format("'{}' is a region of {}", region.name, words(region.kind)),
                     fmt::format("a region of {} is required", wanted), "name such a region")
                   .at(origin));
  } catch (const Error& error) { errors.add(error); }
  return nullptr;
}

void check_values(const Coefficient& value, const ParameterFacts& facts, const Mesh& mesh, const Region& region,
                  const std::string& origin, ErrorList& errors) {
  const auto refuse = [&](double wrong, const std::string& place) {
    const std::string bounds = bounds_of(facts);
    errors.add(Error(ErrorKind::material_value, fmt::format("the parameter '{}' is {:g}{}", facts.name, wrong, place),
                     {}, bounds.empty() ? "give a finite number" : fmt::format("give a number {}", bounds))
                   .at(origin));
  };
  if (value.is_number()) {
    if (!keeps_bounds(facts, value.number())) refuse(value.number(), "");
    return;
  }
  const Centres centres(mesh, region);
  const std::vector<double>& x = centres.x;
  std::vector<double> values;
  try {
    values = centres.values_of(value, mesh);
  } catch (const Error& error) { return errors.add(error); }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!keeps_bounds(facts, values[i]))
      return refuse(values[i], fmt::format(" at ({:g}, {:g}, {:g})", x[3 * i], x[3 * i + 1], x[3 * i + 2]));
}

std::vector<double> values_at_centres(const Coefficient& value, const Mesh& mesh, const Region& region) {
  return Centres(mesh, region).values_of(value, mesh);
}

double largest(const Coefficient& value, const Mesh& mesh, const Region& region) try {
  if (value.is_number()) return value.number();
  const std::vector<double> values = values_at_centres(value, mesh, region);
  return values.empty() ? 0 : *std::ranges::max_element(values);
} catch (const Error&) { return 0; }

void check_materials(const Mesh& mesh, const std::vector<MaterialRegion>& materials, ErrorList& errors) {
  if (materials.size() == 1 && std::ssize(materials[0].region->cells) == mesh.cell_count()) return;
  std::vector<int> owner(static_cast<std::size_t>(mesh.cell_count()), -1);
  for (std::size_t m = 0; m < materials.size(); ++m) {
    Index overlap = 0;
    int other = 0;
    for (const Index cell : materials[m].region->cells) {
      int& of_cell = owner[static_cast<std::size_t>(cell)];
      if (of_cell >= 0) {
        ++overlap;
        other = of_cell;
      }
      of_cell = static_cast<int>(m);
    }
    if (overlap > 0)
      errors.add(Error(
          ErrorKind::overlapping_materials, fmt::format("{} cells have two materials", overlap),
          fmt::format("{} and {} share them", materials[static_cast<std::size_t>(other)].where, materials[m].where),
          "give each cell one material: use regions that do not overlap"));
  }
  const auto first = std::ranges::find(owner, -1);
  if (first == owner.end()) return;
  const auto missing = std::ranges::count(owner, -1);
  const Index cell = first - owner.begin();
  std::vector<std::string> names;
  for (const Region& region : mesh.regions())
    if (region.kind == RegionKind::cells && std::ranges::binary_search(region.cells, cell))
      names.push_back(region.name);
  errors.add(Error(ErrorKind::missing_material,
                   fmt::format("{} of {} cells have no material", missing, mesh.cell_count()),
                   fmt::format("the first is cell {}, in the regions {}", cell, quoted_list(names)),
                   "add a [[material]] for them, or one with region = \"all\""));
}

double axis_tolerance(const Mesh& mesh) {
  double radius = 0;
  for (Index node = 0; node < mesh.node_count(); ++node) radius = std::max(radius, mesh.point(node)[0]);
  return 1e-14 * radius;
}

bool has_size(const Mesh& mesh, const Region& region, const BodyMeasure& measure, const std::string& origin,
              ErrorList& errors) {
  if (!measure.axisymmetric || region.kind != RegionKind::facets) return true;
  const double tolerance = axis_tolerance(mesh);
  const auto on_axis = [&](const FacetOfCell& facet) {
    return std::ranges::all_of(mesh.nodes_of(facet), [&](Node node) { return mesh.point(node)[0] <= tolerance; });
  };
  if (!std::ranges::all_of(region.facets, on_axis)) return true;
  errors.add(Error(ErrorKind::load_on_nothing, fmt::format("'{}' lies on the axis of revolution", region.name),
                   "the axis has no area on which something could act",
                   "name facets at x > 0; the axis needs no condition")
                 .at(origin));
  return false;
}

Index inner_facets(const Mesh& mesh, const Region& region) {
  const std::vector<FacetOfCell> boundary = boundary_facets(mesh);
  return std::ranges::count_if(region.facets, [&](const FacetOfCell& facet) {
    return !std::ranges::binary_search(boundary, std::pair(facet.cell, facet.facet), {},
                                       [](const FacetOfCell& b) { return std::pair(b.cell, b.facet); });
  });
}

}  // namespace ritz
