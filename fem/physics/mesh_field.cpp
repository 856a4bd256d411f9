#include "fem/physics/mesh_field.hpp"

#include "fem/results/region_points.hpp"

namespace ritz {

double integral_over(const Mesh& mesh, const Coefficient& value, int order) {
  RegionPoints rules(mesh, BodyMeasure{}, order);
  constexpr std::size_t most = 1 << 16;
  std::vector<double> x, weights, values;
  std::vector<Index> cells;
  std::vector<Point> xi;
  double sum = 0;
  const auto add = [&] {
    values.resize(weights.size());
    value.at(EvaluationPoints(x, mesh, cells, xi), 0, values);
    for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
    x.clear(), weights.clear(), cells.clear(), xi.clear();
  };
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const CellMap map(mesh, cell);
    rules.of_cell(cell, [&](const RegionPoints::Table& table, std::span<const Node>, const auto& each) {
      each([&](std::size_t q, double weight) {
        Point at{};
        for (std::size_t a = 0; a < map.nodes().size(); ++a)
          for (std::size_t d = 0; d < 3; ++d) at[d] += table.places[q][a] * map.nodes()[a][d];
        x.insert(x.end(), at.begin(), at.end());
        weights.push_back(weight);
        cells.push_back(cell);
        xi.push_back(table.xi[q]);
      });
    });
    if (weights.size() >= most) add();
  }
  add();
  return sum;
}

}  // namespace ritz
