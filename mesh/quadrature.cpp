#include "mesh/quadrature.hpp"

#include "device/error.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace ritz {
namespace {

struct Rule1D {
  std::vector<double> x, w;
};

// Gauss-Jacobi rule with n points for the weight (1 - x)^alpha on [-1, 1]; alpha = 0 is Gauss-Legendre. Roots of the
// Jacobi polynomial P_n^(alpha, 0) by Newton's method with deflation.
Rule1D gauss_jacobi(int n, int alpha) {
  const auto jacobi = [&](double x) {  // value and derivative of P_n^(alpha, 0)
    double p0 = 1, p1 = 0.5 * (alpha + (alpha + 2) * x);
    if (n == 0) return std::pair{1.0, 0.0};
    for (int k = 1; k < n; ++k) {
      const double a = alpha, c = 2.0 * k + a;
      const double a1 = 2 * (k + 1) * (k + a + 1) * c;
      const double a2 = (c + 1) * a * a, a3 = c * (c + 1) * (c + 2), a4 = 2 * (k + a) * k * (c + 2);
      const double p2 = ((a2 + a3 * x) * p1 - a4 * p0) / a1;
      p0 = p1;
      p1 = p2;
    }
    const double a = alpha, c = 2.0 * n + a;
    const double derivative = (n * (a - c * x) * p1 + 2.0 * (n + a) * n * p0) / (c * (1 - x * x));
    return std::pair{p1, derivative};
  };
  Rule1D rule;
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(std::numbers::pi * (2 * i + 1) / (2 * n));
    if (i > 0) x = 0.5 * (x + rule.x.back());
    for (int step = 0; step < 100; ++step) {
      const auto [p, dp] = jacobi(x);
      double deflation = 0;
      for (const double root : rule.x) deflation += 1 / (x - root);
      const double change = -p / (dp - deflation * p);
      x += change;
      if (std::abs(change) < 1e-16) break;
    }
    rule.x.push_back(x);
    const double dp = jacobi(x).second;
    rule.w.push_back(std::pow(2.0, alpha + 1) / ((1 - x * x) * dp * dp));
  }
  return rule;
}

int points_for(int degree) { return degree / 2 + 1; }

// Triangle orbits in barycentric coordinates: the centroid, or (a, a, 1 - 2a) and its permutations.
struct TriangleRule {
  QuadratureRule rule;
  void centroid(double w) { add(1.0 / 3, 1.0 / 3, w); }
  void orbit(double a, double w) {
    add(a, a, w);
    add(1 - 2 * a, a, w);
    add(a, 1 - 2 * a, w);
  }
  void add(double x, double y, double w) {
    rule.points.push_back({x, y, 0});
    rule.weights.push_back(0.5 * w);
  }
};

QuadratureRule collapsed_triangle(int degree) {
  const int n = points_for(degree);
  const Rule1D gx = gauss_jacobi(n, 0), gy = gauss_jacobi(n, 1);
  QuadratureRule rule;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double y = 0.5 * (1 + gy.x[j]);
      rule.points.push_back({0.5 * (1 + gx.x[i]) * (1 - y), y, 0});
      rule.weights.push_back(gx.w[i] * gy.w[j] / 8);
    }
  return rule;
}

QuadratureRule triangle(int degree) {
  TriangleRule t;
  if (degree <= 1) {
    t.centroid(1);
  } else if (degree == 2) {
    t.orbit(1.0 / 6, 1.0 / 3);
  } else if (degree <= 4) {
    t.orbit(0.445948490915964886, 0.223381589678011466);
    t.orbit(0.091576213509770743, 0.109951743655321868);
  } else if (degree == 5) {
    const double r = std::sqrt(15.0);
    t.centroid(9.0 / 40);
    t.orbit((6 - r) / 21, (155 - r) / 1200);
    t.orbit((6 + r) / 21, (155 + r) / 1200);
  } else {
    t.rule = collapsed_triangle(degree);
  }
  return t.rule;
}

struct TetrahedronRule {
  QuadratureRule rule;
  void orbit4(double a, double w) {  // (a, a, a, 1 - 3a)
    const double b = 1 - 3 * a;
    add(a, a, a, w);
    add(b, a, a, w);
    add(a, b, a, w);
    add(a, a, b, w);
  }
  void orbit6(double a, double w) {  // (a, a, b, b), b = 1/2 - a
    const double b = 0.5 - a;
    add(a, a, b, w);
    add(a, b, a, w);
    add(b, a, a, w);
    add(b, b, a, w);
    add(b, a, b, w);
    add(a, b, b, w);
  }
  void add(double x, double y, double z, double w) {
    rule.points.push_back({x, y, z});
    rule.weights.push_back(w);
  }
};

QuadratureRule collapsed_tetrahedron(int degree) {
  const int n = points_for(degree);
  const Rule1D gx = gauss_jacobi(n, 0), gy = gauss_jacobi(n, 1), gz = gauss_jacobi(n, 2);
  QuadratureRule rule;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const double z = 0.5 * (1 + gz.x[k]), y = 0.5 * (1 + gy.x[j]) * (1 - z);
        rule.points.push_back({0.5 * (1 + gx.x[i]) * (1 - y - z), y, z});
        rule.weights.push_back(gx.w[i] * gy.w[j] * gz.w[k] / 64);
      }
  return rule;
}

QuadratureRule tetrahedron(int degree) {
  TetrahedronRule t;
  if (degree <= 1) {
    t.add(0.25, 0.25, 0.25, 1.0 / 6);
  } else if (degree == 2) {
    t.orbit4((5 - std::sqrt(5.0)) / 20, 1.0 / 24);
  } else if (degree <= 5) {
    t.orbit4(0.31088591926330060980, 0.11268792571801585080 / 6);
    t.orbit4(0.092735250310891226402, 0.073493043116361949544 / 6);
    t.orbit6(0.045503704125649649492, 0.042546020777081466438 / 6);
  } else {
    t.rule = collapsed_tetrahedron(degree);
  }
  return t.rule;
}

QuadratureRule cube(int dimension, int degree) {
  const Rule1D g = gauss_jacobi(points_for(degree), 0);
  const int n = static_cast<int>(g.x.size());
  QuadratureRule rule;
  for (int k = 0; k < (dimension > 2 ? n : 1); ++k)
    for (int j = 0; j < (dimension > 1 ? n : 1); ++j)
      for (int i = 0; i < n; ++i) {
        rule.points.push_back({g.x[i], dimension > 1 ? g.x[j] : 0, dimension > 2 ? g.x[k] : 0});
        rule.weights.push_back(g.w[i] * (dimension > 1 ? g.w[j] : 1) * (dimension > 2 ? g.w[k] : 1));
      }
  return rule;
}

QuadratureRule prism(int degree) {
  const QuadratureRule base = triangle(degree);
  const Rule1D g = gauss_jacobi(points_for(degree), 0);
  QuadratureRule rule;
  for (std::size_t k = 0; k < g.x.size(); ++k)
    for (std::size_t i = 0; i < base.points.size(); ++i) {
      rule.points.push_back({base.points[i][0], base.points[i][1], g.x[k]});
      rule.weights.push_back(base.weights[i] * g.w[k]);
    }
  return rule;
}

QuadratureRule pyramid(int degree) {
  const int n = points_for(degree);
  const Rule1D g = gauss_jacobi(n, 0), gz = gauss_jacobi(n, 2);
  QuadratureRule rule;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const double z = 0.5 * (1 + gz.x[k]);
        rule.points.push_back({g.x[i] * (1 - z), g.x[j] * (1 - z), z});
        rule.weights.push_back(g.w[i] * g.w[j] * gz.w[k] / 8);
      }
  return rule;
}

QuadratureRule rule_on(CellKind shape, int degree) {
  switch (shape) {
    case CellKind::vertex1: return {0, {{0, 0, 0}}, {1}};
    case CellKind::line2: return cube(1, degree);
    case CellKind::quad4: return cube(2, degree);
    case CellKind::hex8: return cube(3, degree);
    case CellKind::tri3: return triangle(degree);
    case CellKind::tet4: return tetrahedron(degree);
    case CellKind::prism6: return prism(degree);
    case CellKind::pyramid5: return pyramid(degree);
    default: throw Error(ErrorKind::internal, fmt::format("no quadrature on {}", traits(shape).name));
  }
}

}  // namespace

QuadratureRule quadrature(CellKind kind, int degree) {
  if (degree < 0) throw Error(ErrorKind::internal, fmt::format("quadrature of degree {}", degree));
  QuadratureRule rule = rule_on(traits(kind).linear, degree);
  rule.degree = degree;
  return rule;
}

}  // namespace ritz
