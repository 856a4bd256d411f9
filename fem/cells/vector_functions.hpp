// Functions of the elements of facets and edges on the reference cell: polynomial vectors, each with a moment of 1 and
// all others 0. The moments are the unknowns, so two cells agree about a facet or edge when they agree about the
// moments that belong to it (Boffi, Brezzi and Fortin, Mixed Finite Element Methods and Applications, 2013,
// sections 2.3, 2.6).
#pragma once

#include "fem/forms/mixed_form.hpp"
#include "mesh/cell_geometry.hpp"

#include <array>
#include <span>
#include <vector>

namespace ritz {

// The integral of weight . v over an entity of the reference cell, by a rule of quadrature.
struct Moment {
  Point node;                          // where spaces number it: on its entity, or in the cell
  std::vector<Point> points, weights;  // [point of the rule]; weights include those of the rule
};

// Order 1: fluxes out through facets, or circulations along CellTraits::edges. Order 2: of facets the fluxes weighted
// by the linear function of each corner; of edges the circulations from the middle to either end, weighted by the
// linear function of that end; on triangular faces those along the face's first and last side from its first corner, on
// quadrilateral faces from the middle to each side; then moments of the inside. `degree` is that of the rule.
std::vector<Moment> moments_of(CellKind shape, Family family, int order, int degree);

class VectorFunctions {
 public:
  VectorFunctions(CellKind shape, Family family, int order);
  int count() const { return static_cast<int>(factors_.size()); }
  // Values [function]; divergences [function][0], or curls [function] (of the plane: [0]).
  void evaluate(const Point& xi, std::span<Point> values, std::span<Point> derivatives) const;

  struct Term {  // factor x^e along an axis
    std::size_t axis;
    std::array<int, 3> exponent;
    double factor = 1;
  };
  using Polynomial = std::vector<Term>;

 private:
  bool curls_;
  int dimension_;
  std::vector<Polynomial> space_;
  std::vector<std::vector<double>> factors_;  // [function][of the space]
};

// The same, made once. Shapes and orders as vector_element() allows.
const VectorFunctions& vector_functions(CellKind shape, Family family, int order);

}  // namespace ritz
