// Quadrature over regions of cells or facets, on a mesh with curved cells: the points, and how much volume, area or
// length each stands for.
//
//   RegionPoints points(mesh, {.weight = thickness});
//   points.of_facet(facet, [&](const RegionPoints::Table& table, std::span<const Node> nodes, const auto& each) {
//     each([&](std::size_t q, double weight) { area += weight; });
//   });
#pragma once

#include "fem/results/lagrange_results.hpp"
#include "mesh/curved_cells.hpp"
#include "mesh/mesh.hpp"

#include <array>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace ritz {

// Measure of an area or length of the mesh: `weight` is a thickness, or 2 pi of a body of revolution about the y axis,
// where the radius x multiplies, too.
struct BodyMeasure {
  double weight = 1;
  bool axisymmetric = false;
};

// For fields at the mesh's nodes, or at finer points.
class RegionPoints {
 public:
  // A reference cell, or one of its facets, at the points of its rule.
  struct Table {
    int dimension = 0;
    std::vector<double> weights;                // [point]
    std::vector<Point> xi;                      // [point] on the cell's reference cell
    std::vector<std::vector<double>> values;    // of the field's functions: [point][node]
    std::vector<std::vector<double>> places;    // of the cell's map: [point][node of the map]
    std::vector<std::vector<Point>> gradients;  // of the same along the axes of the cell or facet
  };

  RegionPoints(const Mesh& mesh, const BodyMeasure& measure, const LagrangeResults* finer = nullptr)
      : mesh_(mesh), measure_(measure), finer_(finer) {}
  // At the points of loads on a field of this order.
  RegionPoints(const Mesh& mesh, const BodyMeasure& measure, int field_order)
      : mesh_(mesh), measure_(measure), field_order_(field_order) {}

  // use(table, nodes, each), where each(f) calls f(point of the rule, weight in space).
  template <class Use>
  void of_cell(Index cell, const Use& use) {
    walk(CellMap(mesh_, cell), -1, mesh_.nodes_of(cell), cell, use);
  }
  template <class Use>
  void of_facet(const FacetOfCell& facet, const Use& use) {
    walk(CellMap(mesh_, facet.cell), facet.facet, mesh_.nodes_of(facet), facet.cell, use);
  }

 private:
  template <class Use>
  void walk(const CellMap& cell, int facet, std::span<const Node> nodes, Index number, const Use& use) {
    const auto [at, fresh] = tables_.try_emplace({cell.kind(), facet, cell.functions()});
    if (fresh) at->second = make_table(cell, facet);
    const Table& table = at->second;
    use(table, finer_ != nullptr ? finer_->points_of(number) : nodes, [&](const auto& f) {
      for (std::size_t q = 0; q < table.weights.size(); ++q) f(q, weight_at(table, q, cell.nodes()));
    });
  }
  // nodes: of the cell's map.
  double weight_at(const Table& table, std::size_t q, std::span<const Point> nodes) const;
  Table make_table(const CellMap& cell, int facet) const;  // facet -1: of the cell itself

  Mesh mesh_;
  BodyMeasure measure_;
  const LagrangeResults* finer_ = nullptr;
  int field_order_ = 0;
  // by kind of the cell, facet, and its own map
  std::map<std::tuple<CellKind, int, const LagrangePolynomials*>, Table> tables_;
};

// Area (in two dimensions: length) of a region of facets, or volume of one of cells, by the same measure, through the
// rule by which loads on a field of this order are integrated: so a force that is spread over the region is in total
// what it should be, on curved ones, too. Order 0: a field of the order of the cells.
double loaded_size(const Mesh& mesh, const Region& region, const BodyMeasure& measure, int field_order);

}  // namespace ritz
