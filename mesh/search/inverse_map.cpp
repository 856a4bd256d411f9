#include "mesh/search/inverse_map.hpp"

#include "mesh/point_algebra.hpp"
#include "mesh/search/nearest_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ritz {
namespace {

// Functions of quadrilaterals and hexahedra are products of one function in each direction.
struct Products {
  bool known = false, serendipity = false;
  std::array<std::array<std::uint8_t, 3>, most_cell_nodes> places{};  // of the nodes: 0, 1, 2 at -1, 0, 1
};

const Products& products_of(CellKind kind) {
  static const auto all = [] {
    std::array<Products, 32> list;
    for (const CellKind each : all_cell_kinds()) {
      const CellKind linear = traits(each).linear;
      Products& p = list[static_cast<std::size_t>(each)];
      p.known = linear == CellKind::quad4 || linear == CellKind::hex8;
      p.serendipity = each == CellKind::quad8 || each == CellKind::hex20;
      const auto nodes = reference_nodes(each);
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t k = 0; k < 3; ++k) p.places[a][k] = static_cast<std::uint8_t>(std::lround(nodes[a][k] + 1));
    }
    return list;
  }();
  return all[static_cast<std::size_t>(kind)];
}

// The nodes of a cell and its map.
class MappedCell {
 public:
  MappedCell(const Mesh& mesh, Index cell)
      : kind_(mesh.kind_of(cell)), dimension_(traits(kind_).dimension), products_(products_of(kind_)) {
    for (const Node node : mesh.nodes_of(cell)) {
      const auto x = mesh.point(node);
      nodes_[count_++] = {x[0], x[1], x[2]};
    }
  }
  CellKind linear() const { return traits(kind_).linear; }
  int dimension() const { return dimension_; }

  CellMap::Place at(const Point& xi) const {
    if (products_.known) return by_products(xi);
    std::array<double, most_cell_nodes> N;
    std::array<Point, most_cell_nodes> slopes;
    shape_functions(kind_, xi, N, slopes);
    CellMap::Place place;
    for (std::size_t a = 0; a < count_; ++a) add(place, a, N[a], slopes[a]);
    return place;
  }

 private:
  void add(CellMap::Place& place, std::size_t a, double N, const Point& slope) const {
    for (std::size_t i = 0; i < 3; ++i) {
      place.at[i] += N * nodes_[a][i];
      for (std::size_t k = 0; k < 3; ++k) place.tangents[k][i] += slope[k] * nodes_[a][i];
    }
  }

  CellMap::Place by_products(const Point& xi) const {
    // [direction][place]; of the plane the third direction has one function, 1
    double f[3][3] = {{}, {}, {0, 1, 0}}, g[3][3] = {};
    for (int k = 0; k < dimension_; ++k) {
      const double t = xi[static_cast<std::size_t>(k)];
      const bool quadratic = traits(kind_).order == 2 && !products_.serendipity;
      f[k][0] = quadratic ? 0.5 * t * (t - 1) : 0.5 * (1 - t), g[k][0] = quadratic ? t - 0.5 : -0.5;
      f[k][1] = (1 - t) * (1 + t), g[k][1] = -2 * t;
      f[k][2] = quadratic ? 0.5 * t * (t + 1) : 0.5 * (1 + t), g[k][2] = quadratic ? t + 0.5 : 0.5;
    }
    CellMap::Place place;
    for (std::size_t a = 0; a < count_; ++a) {
      const auto [i, j, k] = products_.places[a];
      const double xy = f[0][i] * f[1][j];
      double N = xy * f[2][k];
      Point slope = {g[0][i] * f[1][j] * f[2][k], f[0][i] * g[1][j] * f[2][k], xy * g[2][k]};
      if (products_.serendipity && is_corner(i, j, k)) {
        const Point s = {i - 1.0, j - 1.0, k - 1.0};
        const double sum = dot(s, xi) - (dimension_ - 1);
        for (std::size_t d = 0; d < 3; ++d) slope[d] = slope[d] * sum + N * s[d];
        N *= sum;
      }
      add(place, a, N, slope);
    }
    return place;
  }
  bool is_corner(int i, int j, int k) const { return i != 1 && j != 1 && (dimension_ == 2 || k != 1); }

  CellKind kind_;
  int dimension_;
  const Products& products_;
  std::size_t count_ = 0;
  std::array<Point, most_cell_nodes> nodes_;
};

double largest(const Point& a) { return std::max({std::abs(a[0]), std::abs(a[1]), std::abs(a[2])}); }

}  // namespace

bool has_inverse_map(const Mesh& mesh, Index cell, const Point& point) {
  const CellBlock& block = mesh.block_of(cell);
  const int dimension = traits(block.kind).dimension;
  const bool smooth = traits(block.kind).linear != CellKind::pyramid5;  // also at an apex
  return smooth && dimension >= 2 && dimension == mesh.dimension() && (dimension == 3 || point[2] == 0) &&
         block.curved.of(cell - block.first_cell).empty();
}

std::optional<Point> inverse_map(const Mesh& mesh, Index cell, const Point& point) {
  constexpr int most_steps = 12;
  constexpr double far = 1, small = 1e-7, slack = 1e-12;  // of reference coordinates
  const MappedCell map(mesh, cell);
  Point xi = reference_centroid(map.linear());
  for (int step = 0; step < most_steps; ++step) {
    const CellMap::Place place = map.at(xi);
    const Point d = step_towards(minus(point, place.at), place.tangents, map.dimension());
    for (std::size_t k = 0; k < 3; ++k) xi[k] += d[k];
    const Point inside = moved_inside(map.linear(), xi);
    const double off = largest(minus(xi, inside)), size = largest(d);
    if (!(off < far)) return std::nullopt;  // also without a number
    if (size > small) continue;
    // Steps shrink by squares: what is left is rounding.
    return off <= slack ? std::optional(inside) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace ritz
