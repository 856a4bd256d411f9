#include "mesh/functions/mesh_field.hpp"

#include "device/pack.hpp"
#include "device/parallel_errors.hpp"
#include "mesh/functions/field_places.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

namespace ritz {
namespace {

// use(first, last) for pieces of 0 ... count - 1, on all threads.
template <class Use>
void in_pieces(std::size_t count, const Use& use) {
  constexpr std::size_t piece = 64 * lane_count;
  ParallelErrors errors;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t first = 0; first < count; first += piece)
    errors.run([&] { use(first, std::min(first + piece, count)); });
  errors.rethrow();
}

Point point_of(std::span<const double> x, std::size_t i) { return {x[3 * i], x[3 * i + 1], x[3 * i + 2]}; }

}  // namespace

struct MeshField::Data {
  Mesh mesh;
  std::vector<double> values;
  bool at_nodes;
  double tolerance;
  CellBlocks blocks = CellBlocks(mesh);
  Index revision = 0;
  std::optional<FieldPlaces> places = {};  // made when a point without a known cell asks for it
  // Coefficients that depend on one field ask for it at the same points, one after the other.
  std::vector<double> last_points = {}, last_values = {};

  double value_at(Index cell, const Point& xi) const {
    return FieldView{{blocks.views.data(), static_cast<std::int32_t>(blocks.views.size())}, values.data(), at_nodes}.at(
        cell, xi);
  }
  const FieldPlaces& search() {
    if (!places) places.emplace(mesh, tolerance);
    return *places;
  }
  bool knows_cells(const EvaluationPoints& points) const {
    return points.mesh != nullptr && *points.mesh == mesh && !points.cells.empty();
  }

  void at(const EvaluationPoints& points, std::span<double> result) {
    const bool in_cells = knows_cells(points);
    if (in_cells && (!at_nodes || !points.xi.empty()))
      return in_pieces(result.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
          result[i] = value_at(points.cells[i], at_nodes ? points.xi[i] : Point{});
      });
    if (in_cells) return evaluate_in(points, result);
    if (!points.x.empty() && std::ranges::equal(points.x, last_points)) {
      std::ranges::copy(last_values, result.begin());
      return;
    }
    last_points.clear();
    evaluate(points.x, result);
    last_points.assign(points.x.begin(), points.x.end());
    last_values.assign(result.begin(), result.end());
  }

  // In known cells; a point that is outside of its cell by more than rounding is searched for.
  void evaluate_in(const EvaluationPoints& points, std::span<double> result) {
    std::vector<std::uint8_t> missed(result.size(), 0);
    in_pieces(result.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        if (const auto place = PointLocator::in_cell(mesh, points.cells[i], point_of(points.x, i)))
          result[i] = value_at(place->cell, place->xi);
        else missed[i] = 1;
    });
    for (std::size_t i = 0; i < result.size(); ++i)
      if (missed[i] != 0) {
        const PointLocator::Place place = search().of(point_of(points.x, i), points.cells[i]);
        result[i] = value_at(place.cell, place.xi);
      }
  }

  // Element kernels have the points of several cells in turn: a point is often in the cell of the one that many before
  // it.
  void evaluate(std::span<const double> x, std::span<double> result) {
    const FieldPlaces* const found = &search();
    in_pieces(result.size(), [&](std::size_t first, std::size_t last) {
      std::array<Index, lane_count> cells;
      cells.fill(-1);
      for (std::size_t i = first; i < last; ++i) {
        const PointLocator::Place place = found->of(point_of(x, i), cells[i % cells.size()]);
        cells[i % cells.size()] = place.cell;
        result[i] = value_at(place.cell, place.xi);
      }
    });
  }
};

MeshField::MeshField(Mesh mesh, GivenArray array, double tolerance)
    : data_(std::make_shared<Data>(Data{std::move(mesh), {}, array.at_nodes, tolerance})) {
  set(std::move(array.values));
}

MeshField::MeshField(Mesh mesh, std::vector<double> values, double tolerance) {
  const bool at_nodes = static_cast<Index>(values.size()) == mesh.node_count();
  if (at_nodes && mesh.node_count() == mesh.cell_count())
    throw Error(ErrorKind::initial_values,
                fmt::format("a field of {} values on a mesh of as many nodes and cells", values.size()),
                "they may be meant for either", "give a GivenArray, which says which");
  *this = MeshField(std::move(mesh), GivenArray{std::move(values), at_nodes}, tolerance);
}

void MeshField::set(std::vector<double> values) {
  const Mesh& mesh = data_->mesh;
  if (static_cast<Index>(values.size()) != (data_->at_nodes ? mesh.node_count() : mesh.cell_count()))
    throw Error(ErrorKind::initial_values,
                fmt::format("a field of {} values on a mesh of {} nodes and {} cells", values.size(), mesh.node_count(),
                            mesh.cell_count()),
                {}, "give one value for each node, or one for each cell");
  data_->values = std::move(values);
  ++data_->revision;
  data_->last_points.clear();
}

const std::vector<double>& MeshField::values() const { return data_->values; }

void MeshField::operator()(const EvaluationPoints& points, double, std::span<double> values) const {
  data_->at(points, values);
}

MeshField::Sample MeshField::sample(const EvaluationPoints& point) const {
  double value = 0;
  data_->at(point, {&value, 1});
  const Point x = point_of(point.x, 0);
  return {data_->knows_cells(point) ? point.cells.front() : data_->search().of(x).cell, value};
}

Misfit MeshField::misfit(const Mesh& mesh) const {
  const FieldPlaces& places = data_->search();
  Misfit result;
  for (Index node = 0; node < mesh.node_count(); ++node) {
    const auto x = mesh.point(node);
    const PointLocator::Place place = places.of({x[0], x[1], x[2]});
    if (places.is_outside(place)) ++result.nodes;
    result.distance = std::max(result.distance, place.distance);
  }
  return result;
}

bool MeshField::at_nodes() const { return data_->at_nodes; }
Index MeshField::revision() const { return data_->revision; }
const FieldPlaces& MeshField::places() const { return data_->search(); }
const Mesh& MeshField::mesh() const { return data_->mesh; }
Index MeshField::bytes() const {
  return static_cast<Index>(data_->values.size() * sizeof(double)) + PointLocator::bytes_for(data_->mesh);
}

}  // namespace ritz
