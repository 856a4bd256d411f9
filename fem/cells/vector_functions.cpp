#include "fem/cells/vector_functions.hpp"

#include "mesh/point_algebra.hpp"
#include "mesh/quadrature.hpp"

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace ritz {
namespace {

using Polynomial = VectorFunctions::Polynomial;

bool on_simplex(CellKind shape) { return shape == CellKind::tri3 || shape == CellKind::tet4; }

double integer_power(double x, int n) { return n == 0 ? 1 : n == 1 ? x : x * x; }

double monomial(const std::array<int, 3>& e, const Point& x) {
  return integer_power(x[0], e[0]) * integer_power(x[1], e[1]) * integer_power(x[2], e[2]);
}

Point monomial_slope(const std::array<int, 3>& e, const Point& x) {
  Point slope{};
  for (std::size_t d = 0; d < 3; ++d) {
    std::array<int, 3> lower = e;
    if (lower[d]-- > 0) slope[d] = e[d] * monomial(lower, x);
  }
  return slope;
}

std::array<int, 3> raised(std::array<int, 3> e, std::size_t axis) {
  ++e[axis];
  return e;
}

// Exponents of all monomials of a degree, 0 or 1.
std::vector<std::array<int, 3>> of_degree(int degree, std::size_t dimension) {
  if (degree == 0) return {{0, 0, 0}};
  std::vector<std::array<int, 3>> all;
  for (std::size_t d = 0; d < dimension; ++d) all.push_back(raised({0, 0, 0}, d));
  return all;
}

// All vectors of polynomials of degree order - 1, and of the next degree: of facets x times a polynomial, of edges
// those that are normal to x everywhere.
std::vector<Polynomial> simplex_space(Family family, int order, std::size_t dimension) {
  std::vector<Polynomial> space;
  for (int degree = 0; degree < order; ++degree)
    for (const auto& e : of_degree(degree, dimension))
      for (std::size_t axis = 0; axis < dimension; ++axis) space.push_back({{axis, e}});
  for (const auto& e : of_degree(order - 1, dimension)) {
    if (family == Family::facet) {
      Polynomial& radial = space.emplace_back();
      for (std::size_t axis = 0; axis < dimension; ++axis) radial.push_back({axis, raised(e, axis)});
      continue;
    }
    for (std::size_t around = dimension == 3 ? 0 : 2; around < 3; ++around) {
      if (order == 2 && dimension == 3 && around == 2 && e[2] == 1) continue;  // minus the sum of two others
      const std::size_t i = (around + 1) % 3, j = (around + 2) % 3;
      space.push_back({{i, raised(e, j), -1}, {j, raised(e, i)}});
    }
  }
  return space;
}

// Along each axis: of facets one degree more in it than in the others, of edges one less.
std::vector<Polynomial> cube_space(Family family, int order, std::size_t dimension) {
  const int along = family == Family::facet ? order : order - 1, across = family == Family::facet ? order - 1 : order;
  std::vector<Polynomial> space;
  for (std::size_t axis = 0; axis < dimension; ++axis) {
    std::array<int, 3> e{}, last{};
    for (std::size_t d = 0; d < dimension; ++d) last[d] = d == axis ? along : across;
    for (e[0] = 0; e[0] <= last[0]; ++e[0])
      for (e[1] = 0; e[1] <= last[1]; ++e[1])
        for (e[2] = 0; e[2] <= last[2]; ++e[2]) space.push_back({{axis, e}});
  }
  return space;
}

// A facet, edge or face of the reference cell, by its corners.
struct Piece {
  CellKind kind;
  std::vector<Point> corners;

  Piece(CellKind shape, CellKind of_piece, std::span<const int> nodes) : kind(of_piece) {
    for (const int i : nodes) corners.push_back(reference_nodes(shape)[static_cast<std::size_t>(i)]);
  }
  Point at(const Point& xi) const {
    const std::vector<double> weights = shape_values(kind, xi);
    Point x{};
    for (std::size_t i = 0; i < corners.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) x[d] += weights[i] * corners[i][d];
    return x;
  }
  std::array<Point, 2> tangents(const Point& xi) const {
    const std::vector<Point> slopes = shape_gradients(kind, xi);
    std::array<Point, 2> t{};
    for (std::size_t i = 0; i < corners.size(); ++i)
      for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t d = 0; d < 3; ++d) t[s][d] += slopes[i][s] * corners[i][d];
    return t;
  }
  Point half_way_to(std::size_t i) const {
    const Point middle = at(reference_centroid(kind));
    return {0.5 * (corners[i][0] + middle[0]), 0.5 * (corners[i][1] + middle[1]), 0.5 * (corners[i][2] + middle[2])};
  }
};

// weight(xi, tangents): the weight vector at a point of the piece's reference cell.
template <class Weight>
Moment moment_on(const Piece& piece, int degree, const Point& node, const Weight& weight) {
  Moment moment{node, {}, {}};
  const QuadratureRule rule = quadrature(piece.kind, degree);
  for (std::size_t q = 0; q < rule.points.size(); ++q) {
    Point w = weight(rule.points[q], piece.tangents(rule.points[q]));
    for (double& each : w) each *= rule.weights[q];
    moment.points.push_back(piece.at(rule.points[q]));
    moment.weights.push_back(w);
  }
  return moment;
}

Point scaled(double factor, const Point& x) { return {factor * x[0], factor * x[1], factor * x[2]}; }

void add_facet_moments(const Piece& facet, std::size_t dimension, int order, int degree, std::vector<Moment>& all) {
  const auto normal = [&](const std::array<Point, 2>& t) {
    return cross(t[0], dimension == 3 ? t[1] : Point{0, 0, 1});
  };
  if (order == 1) {
    all.push_back(moment_on(facet, degree, facet.at(reference_centroid(facet.kind)),
                            [&](const Point&, const std::array<Point, 2>& t) { return normal(t); }));
    return;
  }
  for (std::size_t i = 0; i < facet.corners.size(); ++i)
    all.push_back(moment_on(facet, degree, facet.half_way_to(i), [&](const Point& xi, const std::array<Point, 2>& t) {
      return scaled(shape_values(facet.kind, xi)[i], normal(t));
    }));
}

void add_edge_moments(const Piece& edge, int order, int degree, std::vector<Moment>& all) {
  if (order == 1) {
    all.push_back(
        moment_on(edge, degree, edge.at({}), [](const Point&, const std::array<Point, 2>& t) { return t[0]; }));
    return;
  }
  for (std::size_t i = 0; i < 2; ++i)
    all.push_back(moment_on(edge, degree, edge.half_way_to(i), [i](const Point& xi, const std::array<Point, 2>& t) {
      return scaled((i == 0 ? -1 : 1) * shape_values(CellKind::line2, xi)[i], t[0]);
    }));
}

// Tangential moments of order 2 on a face, or in a plane cell.
void add_face_moments(const Piece& face, int degree, std::vector<Moment>& all) {
  for (std::size_t s = 0; s < 2; ++s) {
    if (face.kind == CellKind::tri3) {
      all.push_back(moment_on(face, degree, face.at(reference_centroid(face.kind)),
                              [s](const Point&, const std::array<Point, 2>& t) { return t[s]; }));
      continue;
    }
    for (const double side : {-1.0, 1.0}) {
      Point place{};
      place[s] = 0.5 * side;
      all.push_back(moment_on(face, degree, face.at(place), [s, side](const Point& xi, const std::array<Point, 2>& t) {
        return scaled(0.5 * side * (1 + side * xi[s]), t[s]);
      }));
    }
  }
}

// Along each axis: of facets times what is linear in the others, of edges times what is linear in it; on simplices
// constants.
void add_inner_moments(CellKind shape, Family family, std::size_t dimension, int degree, std::vector<Moment>& all) {
  const QuadratureRule rule = quadrature(shape, degree);
  for (std::size_t axis = 0; axis < dimension; ++axis) {
    std::array<int, 3> e{}, last{};
    for (std::size_t d = 0; d < dimension; ++d)
      last[d] = !on_simplex(shape) && (d == axis) == (family == Family::edge) ? 1 : 0;
    for (e[0] = 0; e[0] <= last[0]; ++e[0])
      for (e[1] = 0; e[1] <= last[1]; ++e[1])
        for (e[2] = 0; e[2] <= last[2]; ++e[2]) {
          Moment& moment = all.emplace_back(reference_centroid(shape), std::vector<Point>{}, std::vector<Point>{});
          for (std::size_t q = 0; q < rule.points.size(); ++q) {
            Point weight{};
            weight[axis] = rule.weights[q] * monomial(e, rule.points[q]);
            moment.points.push_back(rule.points[q]);
            moment.weights.push_back(weight);
          }
        }
  }
}

// The inverse of a square matrix by Gauss and Jordan, with pivots; rows are moments, columns functions of the space.
// Returns its transpose.
std::vector<std::vector<double>> inverse_transposed(std::vector<std::vector<double>> m) {
  const std::size_t n = m.size();
  for (std::size_t i = 0; i < n; ++i) {
    m[i].resize(2 * n);
    m[i][n + i] = 1;
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    std::swap(m[k], m[pivot]);
    const double scale = 1 / m[k][k];
    for (double& entry : m[k]) entry *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = m[i][k];
      for (std::size_t j = 0; j < 2 * n; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  std::vector<std::vector<double>> result(n, std::vector<double>(n));
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t j = 0; j < n; ++j) result[a][j] = m[j][n + a];
  return result;
}

}  // namespace

std::vector<Moment> moments_of(CellKind shape, Family family, int order, int degree) {
  const CellTraits& t = traits(shape);
  const auto dimension = static_cast<std::size_t>(t.dimension);
  std::vector<Moment> all;
  if (family == Family::facet) {
    for (const Facet& facet : t.facets)
      add_facet_moments(Piece(shape, facet.kind, facet.nodes), dimension, order, degree, all);
    if (order == 2) add_inner_moments(shape, family, dimension, degree, all);
    return all;
  }
  for (const auto& edge : t.edges) add_edge_moments(Piece(shape, CellKind::line2, edge), order, degree, all);
  if (order == 1) return all;
  if (dimension == 2) {
    add_inner_moments(shape, family, dimension, degree, all);
    return all;
  }
  for (const Facet& face : t.facets) add_face_moments(Piece(shape, face.kind, face.nodes), degree, all);
  if (!on_simplex(shape)) add_inner_moments(shape, family, dimension, degree, all);
  return all;
}

VectorFunctions::VectorFunctions(CellKind shape, Family family, int order)
    : curls_(family == Family::edge),
      dimension_(traits(shape).dimension),
      space_((on_simplex(shape) ? simplex_space : cube_space)(family, order, static_cast<std::size_t>(dimension_))) {
  std::vector<std::vector<double>> moments;  // [moment][of the space]
  for (const Moment& moment : moments_of(shape, family, order, 2 * order)) {
    std::vector<double>& row = moments.emplace_back(space_.size(), 0.0);
    for (std::size_t q = 0; q < moment.points.size(); ++q)
      for (std::size_t j = 0; j < space_.size(); ++j)
        for (const Term& term : space_[j])
          row[j] += moment.weights[q][term.axis] * term.factor * monomial(term.exponent, moment.points[q]);
  }
  factors_ = inverse_transposed(std::move(moments));
}

void VectorFunctions::evaluate(const Point& xi, std::span<Point> values, std::span<Point> derivatives) const {
  std::vector<Point> value(space_.size(), Point{}), derivative(space_.size(), Point{});
  for (std::size_t j = 0; j < space_.size(); ++j)
    for (const Term& term : space_[j]) {
      value[j][term.axis] += term.factor * monomial(term.exponent, xi);
      const Point slope = monomial_slope(term.exponent, xi);
      Point along{};
      along[term.axis] = term.factor;
      const Point curl = cross(slope, along);
      if (!curls_) derivative[j][0] += dot(slope, along);
      else if (dimension_ == 2) derivative[j][0] += curl[2];
      else
        for (std::size_t d = 0; d < 3; ++d) derivative[j][d] += curl[d];
    }
  for (std::size_t a = 0; a < factors_.size(); ++a) {
    values[a] = derivatives[a] = {};
    for (std::size_t j = 0; j < space_.size(); ++j)
      for (std::size_t d = 0; d < 3; ++d) {
        values[a][d] += factors_[a][j] * value[j][d];
        derivatives[a][d] += factors_[a][j] * derivative[j][d];
      }
  }
}

const VectorFunctions& vector_functions(CellKind shape, Family family, int order) {
  static std::mutex one_at_a_time;
  static std::map<std::tuple<CellKind, Family, int>, VectorFunctions> known;
  const std::lock_guard lock(one_at_a_time);
  return known.try_emplace({shape, family, order}, shape, family, order).first->second;
}

}  // namespace ritz
