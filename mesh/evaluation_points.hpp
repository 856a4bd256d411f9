// Points at which functions of the position are evaluated, with the cells that hold them where these are known: a field
// on that mesh then needs no search, and has one value in a cell also where parts touch or overlap.
#pragma once

#include "mesh/mesh.hpp"

#include <concepts>
#include <span>

namespace ritz {

struct EvaluationPoints {
  template <std::convertible_to<std::span<const double>> Positions>
  EvaluationPoints(const Positions& points) : x(points) {}  // NOLINT: positions [point][3] are points
  EvaluationPoints(std::span<const double> points, const Mesh& of, std::span<const Index> holding,
                   std::span<const Point> in_them = {})
      : x(points), mesh(&of), cells(holding), xi(in_them) {}

  std::size_t size() const { return x.size() / 3; }
  EvaluationPoints one(std::size_t point) const {
    EvaluationPoints result(x.subspan(3 * point, 3));
    result.mesh = mesh;
    if (!cells.empty()) result.cells = cells.subspan(point, 1);
    if (!xi.empty()) result.xi = xi.subspan(point, 1);
    return result;
  }

  std::span<const double> x;          // [point][3]
  const Mesh* mesh = nullptr;         // of the cells
  std::span<const Index> cells = {};  // [point] that hold them; none: not known
  std::span<const Point> xi = {};     // [point] on the reference cells; none: not known
};

}  // namespace ritz
