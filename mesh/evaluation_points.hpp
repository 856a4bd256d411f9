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
  EvaluationPoints(std::span<const double> points, const Mesh& of, std::span<const Index> holding)
      : x(points), mesh(&of), cells(holding) {}

  std::size_t size() const { return x.size() / 3; }

  std::span<const double> x;          // [point][3]
  const Mesh* mesh = nullptr;         // of the cells
  std::span<const Index> cells = {};  // [point] that hold them; none: not known
};

}  // namespace ritz
