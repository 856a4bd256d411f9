// The cells of a mesh and the boxes around them as plain numbers and pointers, in which kernels and the host look for
// points alike: find_cell() gives the cell that holds a point, and its reference coordinates there, by Newton's method.
// PointLocator (point_location.hpp) makes them, and looks with more care for the few points that this misses.
#pragma once

#include "mesh/cell_functions.hpp"
#include "mesh/mesh.hpp"
#include "mesh/point_algebra.hpp"

#include <cstdint>

namespace ritz {

struct CellBlockView {
  const CellFunctions* functions;
  const Node* nodes;  // [cell][node]
  Index first_cell;
  CellKind linear;
};

// Blocks in the order of their cells.
struct CellsView {
  const CellBlockView* blocks = nullptr;
  std::int32_t block_count = 0;

  constexpr const CellBlockView& block_of(Index cell) const {
    std::int32_t b = block_count - 1;
    while (blocks[b].first_cell > cell) --b;
    return blocks[b];
  }
};

// Numbers at the nodes or in the cells of a mesh.
struct FieldView {
  CellsView mesh;  // of a field at nodes
  const double* values = nullptr;
  bool at_nodes = false;

  constexpr double at(Index cell, const Point& xi) const {
    if (!at_nodes) return values[cell];
    const CellBlockView& block = mesh.block_of(cell);
    const Node* nodes = block.nodes + (cell - block.first_cell) * block.functions->count;
    double sum = 0;
    each_cell_function(*block.functions, xi, [&](int a, double N, const Point&) { sum += N * values[nodes[a]]; });
    return sum;
  }
};

// A point of the reference cell (of a linear kind) near xi; xi itself when it lies inside.
constexpr Point moved_inside(CellKind kind, Point xi) {
  const auto clamp = [&xi](std::size_t k, double low, double high) {
    xi[k] = xi[k] < low ? low : xi[k] > high ? high : xi[k];
  };
  const auto into_simplex = [&xi](std::size_t corners) {
    double sum = 0;
    for (std::size_t k = 0; k < corners; ++k) {
      if (xi[k] < 0) xi[k] = 0;
      sum += xi[k];
    }
    for (std::size_t k = 0; k < corners && sum > 1; ++k) xi[k] /= sum;
  };
  switch (kind) {
    case CellKind::vertex1: return {};
    case CellKind::line2: clamp(0, -1, 1); break;
    case CellKind::tri3: into_simplex(2); break;
    case CellKind::tet4: into_simplex(3); break;
    case CellKind::quad4: clamp(0, -1, 1), clamp(1, -1, 1); break;
    case CellKind::prism6: into_simplex(2), clamp(2, -1, 1); break;
    case CellKind::pyramid5:
      clamp(2, 0, 1);
      for (std::size_t k = 0; k < 2; ++k) clamp(k, xi[2] - 1, 1 - xi[2]);
      break;
    default:
      for (std::size_t k = 0; k < 3; ++k) clamp(k, -1, 1);
  }
  return xi;
}

// The step of the reference coordinates that moves a point by r, along tangents t: of Newton's method (three
// dimensions), or of Gauss and Newton's, without the part across curves and surfaces in space.
constexpr Point step_towards(const Point& r, const std::array<Point, 3>& t, int dimension) {
  if (dimension == 1) return {dot(t[0], r) / dot(t[0], t[0]), 0, 0};
  if (dimension == 2) {
    const Point normal = cross(t[0], t[1]);
    const double area = dot(normal, normal);
    return {dot(cross(r, t[1]), normal) / area, dot(cross(t[0], r), normal) / area, 0};
  }
  const double volume = dot(t[0], cross(t[1], t[2]));
  return {dot(r, cross(t[1], t[2])) / volume, dot(t[0], cross(r, t[2])) / volume, dot(t[0], cross(t[1], r)) / volume};
}

// The box around a cell, or around several, not smaller.
struct CellBox {
  float low[3], high[3];

  constexpr bool is_within(double reach, const Point& x) const {
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double below = low[k] - x[k], above = x[k] - high[k], gap = below > above ? below : above;
      if (gap > 0) square += gap * gap;
    }
    return square <= reach * reach;
  }
};

enum class Holds : std::uint8_t { yes, no, unsure };

// A tree of boxes over the cells along the space-filling curve: box i of a level holds boxes 4 i ... 4 i + 3 of the
// level below, and each box of the lowest one is that of a cell.
struct CellSearch {
  static constexpr int fan_out = 4, most_levels = 18;

  CellsView mesh;
  const double* coordinates = nullptr;  // [node][3]
  const CellBox* boxes = nullptr;       // level after level, the lowest first
  const std::int32_t* cells = nullptr;  // of the lowest level; ~cell where Newton's method does not invert its map
  Index first[most_levels + 1] = {};    // [level]: its first box; then the number of all
  int levels = 0, dimension = 3;        // of the mesh

  // visit(cell or ~cell) for all cells whose box is within `reach` of the point.
  template <class Visit>
  constexpr void each_near(const Point& x, double reach, const Visit& visit) const {
    const int root = levels - 1;
    int level = root;
    Index i = 0;
    while (level < root || i == 0) {
      if (boxes[first[level] + i].is_within(reach, x)) {
        if (level > 0) {
          --level;
          i *= fan_out;
          continue;
        }
        visit(cells[i]);
      }
      ++i;  // its last child leads to the box after the parent
      while (level < root && (i % fan_out == 0 || first[level] + i == first[level + 1])) {
        ++level;
        i = (i - 1) / fan_out + 1;
      }
    }
  }

  // The reference coordinates of a point in a cell, by Newton's method without bounds: where the cell holds the point,
  // or certainly does not, a few steps say so. Where it wanders: no, but in pyramids, which are not smooth, unsure.
  constexpr Holds invert(Index cell, const Point& x, Point& xi) const {
    constexpr int most_steps = 12;
    constexpr double far = 1, slack = 1e-12;  // of reference coordinates
    const CellBlockView& block = mesh.block_of(cell);
    const bool has_apex = block.linear == CellKind::pyramid5;  // near which the map is not smooth
    const Node* nodes = block.nodes + (cell - block.first_cell) * block.functions->count;
    xi = start_of(block.linear);
    for (int step = 0; step < most_steps; ++step) {
      Point rest = x;
      std::array<Point, 3> tangents{};
      each_cell_function(*block.functions, xi, [&](int a, double N, const Point& slope) {
        const double* at = coordinates + 3 * Index{nodes[a]};
        for (std::size_t d = 0; d < 3; ++d) {
          rest[d] -= N * at[d];
          for (std::size_t k = 0; k < 3; ++k) tangents[k][d] += slope[k] * at[d];
        }
      });
      Point move = step_towards(rest, tangents, block.functions->dimension);
      if (const double rise = 1 - xi[2]; has_apex && move[2] > rise + 1e-9)  // not beyond the apex
        for (std::size_t k = 0; k < 3; ++k) move[k] *= 0.875 * rise / move[2];
      for (std::size_t k = 0; k < 3; ++k) xi[k] += move[k];
      const Point inside = moved_inside(block.linear, xi);
      const double off = largest(minus(xi, inside));
      if (!(off < far)) break;  // also without a number
      if (largest(move) > (has_apex ? 1e-7 * (1 - inside[2]) + 1e-14 : 1e-7)) continue;
      // Steps shrink by squares, but near an apex: what is left is rounding.
      xi = inside;
      return off <= slack ? Holds::yes : Holds::no;
    }
    return mesh.block_of(cell).linear == CellKind::pyramid5 ? Holds::unsure : Holds::no;
  }

 private:
  static constexpr double largest(const Point& a) {
    double result = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double size = a[k] < 0 ? -a[k] : a[k];
      if (size > result || size != size) result = size;
    }
    return result;
  }
  static constexpr Point start_of(CellKind linear) {
    switch (linear) {
      case CellKind::tri3:
      case CellKind::prism6: return {1.0 / 3, 1.0 / 3, 0};
      case CellKind::tet4: return {0.25, 0.25, 0.25};
      case CellKind::pyramid5: return {0, 0, 0.25};
      default: return {};
    }
  }
};

struct FoundCell {
  Index cell = -1;
  Point xi{};
};

// The cell with the lowest number that holds the point up to rounding, among those whose boxes are within `reach`; none
// where Newton's method says so of all, or where a cell of a lower number is left to PointLocator. The cell that is
// guessed is taken if it holds the point.
constexpr FoundCell find_cell(const CellSearch& search, const Point& x, double reach, Index guess = -1) {
  FoundCell best;
  if (search.dimension < 3 && x[2] != 0) return best;
  if (guess >= 0 && search.invert(guess, x, best.xi) == Holds::yes) return {guess, best.xi};
  Index left = -1;  // the lowest number of a cell that is left
  search.each_near(x, reach, [&](std::int32_t code) {
    const Index cell = code < 0 ? ~code : code;
    if (best.cell >= 0 && cell > best.cell) return;
    Point xi{};
    const Holds holds = code < 0 ? Holds::unsure : search.invert(cell, x, xi);
    if (holds == Holds::yes) best = {cell, xi};
    if (holds == Holds::unsure) left = left < 0 || cell < left ? cell : left;
  });
  return left >= 0 && left < best.cell ? FoundCell{} : best;
}

}  // namespace ritz
