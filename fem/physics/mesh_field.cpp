#include "fem/physics/mesh_field.hpp"

#include "device/parallel_errors.hpp"
#include "device/pack.hpp"
#include "fem/physics/field_places.hpp"
#include "mesh/quality/quality.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace ritz {
namespace {

class MeshField {
 public:
  MeshField(std::shared_ptr<const Mesh> mesh, std::vector<double> values, double tolerance)
      : mesh_(std::move(mesh)), values_(std::move(values)), places_(*mesh_, tolerance) {
    const auto count = static_cast<Index>(values_.size());
    at_nodes_ = count == mesh_->node_count();
    if (!at_nodes_ && count != mesh_->cell_count())
      throw Error(Exit::input,
                  fmt::format("a field of {} values on a mesh of {} nodes and {} cells", count, mesh_->node_count(),
                              mesh_->cell_count()),
                  {}, "give one value for each node, or one for each cell");
  }

  // Coefficients that depend on one field ask for it at the same points, one after the other.
  void at(std::span<const double> points, std::span<double> values) {
    if (!std::ranges::equal(points, last_points_)) {
      last_points_.assign(points.begin(), points.end());
      last_values_.resize(values.size());
      try {
        evaluate();
      } catch (...) {
        last_points_.clear();
        throw;
      }
    }
    std::ranges::copy(last_values_, values.begin());
  }

 private:
  // Element kernels have the points of several cells in turn: a point is often in the cell of the one that many before
  // it.
  void evaluate() {
    constexpr std::size_t turn = lane_count, chunk = 64 * turn;
    const std::size_t count = last_values_.size();
    ParallelErrors errors;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t first = 0; first < count; first += chunk)
      errors.run([&] {
        std::array<Index, turn> cells;
        cells.fill(-1);
        for (std::size_t i = first; i < std::min(first + chunk, count); ++i) {
          const double* x = &last_points_[3 * i];
          const PointLocator::Place place = places_.of({x[0], x[1], x[2]}, cells[i % turn]);
          cells[i % turn] = place.cell;
          last_values_[i] =
              at_nodes_ ? interpolate(*mesh_, place, values_, 1)[0] : values_[static_cast<std::size_t>(place.cell)];
        }
      });
    errors.rethrow();
  }

  std::shared_ptr<const Mesh> mesh_;
  std::vector<double> values_;
  FieldPlaces places_;
  bool at_nodes_ = true;
  std::vector<double> last_points_, last_values_;
};

}  // namespace

Coefficient mesh_field(std::shared_ptr<const Mesh> mesh, std::vector<double> values, double tolerance) {
  const auto field = std::make_shared<MeshField>(std::move(mesh), std::move(values), tolerance);
  return PointFunction([field](std::span<const double> points, std::span<double> at) { field->at(points, at); });
}

Misfit misfit(const Mesh& mesh, const Mesh& source, double tolerance) {
  const FieldPlaces places(source, tolerance);
  Misfit result;
  for (Index node = 0; node < mesh.node_count(); ++node) {
    const auto x = mesh.point(node);
    const PointLocator::Place place = places.of({x[0], x[1], x[2]});
    if (places.is_outside(place)) ++result.nodes;
    result.distance = std::max(result.distance, place.distance);
  }
  return result;
}

}  // namespace ritz
