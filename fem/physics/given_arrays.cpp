#include "fem/physics/given_arrays.hpp"

#include "device/pack.hpp"
#include "device/parallel_errors.hpp"
#include "fem/physics/field_places.hpp"
#include "fem/physics/mesh_field.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace ritz {

class GivenArrays::Places {
 public:
  explicit Places(const Mesh& mesh) : places_(mesh, outside_tolerance) {}

  // [point]
  const std::vector<PointLocator::Place>& of(std::span<const double> points) {
    for (const Known& known : known_)
      if (std::ranges::equal(points, known.points)) return known.places;
    Known known;
    known.points.assign(points.begin(), points.end());
    known.places.resize(points.size() / 3);
    // Element kernels have the points of several cells in turn: a point is often in the cell of the one that many
    // before it.
    constexpr std::size_t turn = lane_count, chunk = 64 * turn;
    ParallelErrors errors;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t first = 0; first < known.places.size(); first += chunk)
      errors.run([&] {
        std::array<Index, turn> cells;
        cells.fill(-1);
        for (std::size_t i = first; i < std::min(first + chunk, known.places.size()); ++i) {
          const double* x = &known.points[3 * i];
          known.places[i] = places_.of({x[0], x[1], x[2]}, cells[i % turn]);
          cells[i % turn] = known.places[i].cell;
        }
      });
    errors.rethrow();
    return known_.emplace_back(std::move(known)).places;
  }

 private:
  struct Known {
    std::vector<double> points;
    std::vector<PointLocator::Place> places;
  };
  FieldPlaces places_;
  std::vector<Known> known_;
};

GivenArrays::GivenArrays() = default;
GivenArrays::~GivenArrays() = default;

void GivenArrays::check(const std::string& name, const GivenArray& array) const {
  const Index needed = array.at_nodes ? mesh_->node_count() : mesh_->cell_count();
  if (static_cast<Index>(array.values.size()) == needed) return;
  throw Error(Exit::input,
              fmt::format("the array '{}' has {} numbers, and the mesh {} {}", name, array.values.size(), needed,
                          array.at_nodes ? "nodes" : "cells"),
              {}, array.at_nodes ? "give one for each node" : "give one for each cell of the body, in their order");
}

void GivenArrays::set(const std::string& name, GivenArray array) {
  if (mesh_ != nullptr) check(name, array);
  arrays_[name] = std::move(array);
}

void GivenArrays::use(const Mesh& mesh) {
  mesh_ = &mesh;
  for (const auto& [name, array] : arrays_) check(name, array);
  if (!arrays_.empty()) places_ = std::make_unique<Places>(mesh);
}

std::map<std::string, GivenArrays::Function> GivenArrays::functions() {
  std::map<std::string, Function> result;
  for (const auto& [name, array] : arrays_)
    result[name] = [this, name = name](std::span<const double> points, std::span<double> values) {
      evaluate(name, points, values);
    };
  return result;
}

void GivenArrays::evaluate(const std::string& name, std::span<const double> points, std::span<double> values) {
  const GivenArray& array = arrays_.at(name);
  const std::vector<PointLocator::Place>& places = places_->of(points);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = array.at_nodes ? interpolate(*mesh_, places[i], array.values, 1)[0]
                               : array.values[static_cast<std::size_t>(places[i].cell)];
}

}  // namespace ritz
