// Unknowns on facets and edges: functions that belong to their entity alone, continuity between two cells in every
// relative orientation and on meshes whose cells are turned at random, and orders of convergence.
#include "device/error.hpp"
#include "fem/forms/curl_curl.hpp"
#include "fem/forms/mixed_poisson.hpp"
#include "fem/forms/loads.hpp"
#include "fem/space/fields_constraints.hpp"
#include "fem/results/field_norms.hpp"
#include "fem/results/vector_field.hpp"
#include "mesh/point_algebra.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "tests/fem/mixed/mixed_forms.hpp"
#include "tests/fem/models.hpp"

#include <cmath>
#include <numbers>

namespace ritz::test::vector_element_test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr CellKind shapes[] = {CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8};

using Scalar = std::function<double(const Point&)>;
PointFunction of(const Scalar& f) {
  return [f](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = f({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
  };
}

template <MixedForm F>
MixedFormValue own_form(const F& form) {
  MixedFormValue value(form);
  value.numbers.module = "ritz_mixed_forms";
  return value;
}

// A form with a field of the family, whatever its other fields are.
MixedFormValue form_of(Family family, int dimension) {
  if (family == Family::facet) return dimension == 3 ? MixedFormValue(MixedPoisson<3>{1}) : MixedPoisson<2>{1};
  return dimension == 3 ? MixedFormValue(CurlCurl<3>{1, 1}) : CurlCurl<2>{1, 1};
}

FieldsOperator equations_on(const Mesh& mesh, const MixedFormValue& form, std::vector<Integral> of_fields = {},
                            int raise = 0) {
  return {
      spaces_of(form, mesh, device_under_test(2), raise), {MixedIntegral::over_all_cells(form)}, std::move(of_fields)};
}

Vector random_vector(const FieldsOperator& equations, std::uint64_t seed) {
  const auto values = random_values(static_cast<std::size_t>(equations.layout().total()), seed);
  return Vector(equations.device(), std::span<const double>(values), "vectors");
}

class Shapes : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, Shapes, ::testing::ValuesIn(shapes), kind_name);

TEST_P(Shapes, FunctionsOfFacetsFlowThroughTheirFacetAlone) {
  const VectorElement element = vector_element(kind(), Family::facet);
  const CellTraits& t = traits(kind());
  std::vector<Point> values(t.facets.size()), derivatives(values.size());
  const Mesh one{MeshData{.dimension = t.dimension,
                          .points =
                              [&] {
                                std::vector<double> x;
                                for (const Point& p : reference_nodes(kind())) x.insert(x.end(), p.begin(), p.end());
                                return x;
                              }(),
                          .blocks = {{kind(),
                                      [&] {
                                        std::vector<Node> nodes(static_cast<std::size_t>(t.node_count));
                                        for (std::size_t a = 0; a < nodes.size(); ++a) nodes[a] = static_cast<Node>(a);
                                        return nodes;
                                      }(),
                                      0}},
                          .regions = {},
                          .source = "reference cell"}};
  const CellMap map(one, 0);
  for (std::size_t f = 0; f < t.facets.size(); ++f) {
    const FacetMap facet(map, static_cast<int>(f));
    const QuadratureRule rule = quadrature(t.facets[f].kind, 4);
    std::vector<double> flux(values.size(), 0.0);
    for (std::size_t q = 0; q < rule.points.size(); ++q) {
      const auto tangents = facet.tangents(rule.points[q]);
      const Point normal = cross(tangents[0], t.dimension == 3 ? tangents[1] : Point{0, 0, 1});
      element.evaluate(facet.at(rule.points[q]), values, derivatives);
      for (std::size_t a = 0; a < flux.size(); ++a) flux[a] += rule.weights[q] * dot(values[a], normal);
    }
    for (std::size_t a = 0; a < flux.size(); ++a) EXPECT_NEAR(flux[a], a == f ? 1 : 0, 1e-14) << f << " " << a;
  }
}

TEST_P(Shapes, FunctionsOfEdgesRunAlongTheirEdgeAlone) {
  const VectorElement element = vector_element(kind(), Family::edge);
  const CellTraits& t = traits(kind());
  std::vector<Point> values(t.edges.size()), derivatives(values.size());
  const auto corners = reference_nodes(kind());
  const QuadratureRule rule = quadrature(CellKind::line2, 4);
  for (std::size_t e = 0; e < t.edges.size(); ++e) {
    const Point p = corners[static_cast<std::size_t>(t.edges[e][0])],
                q = corners[static_cast<std::size_t>(t.edges[e][1])];
    std::vector<double> sum(values.size(), 0.0);
    for (std::size_t i = 0; i < rule.points.size(); ++i) {
      Point xi;
      for (std::size_t d = 0; d < 3; ++d) xi[d] = p[d] + 0.5 * (1 + rule.points[i][0]) * (q[d] - p[d]);
      element.evaluate(xi, values, derivatives);
      for (std::size_t a = 0; a < sum.size(); ++a) sum[a] += 0.5 * rule.weights[i] * dot(values[a], minus(q, p));
    }
    for (std::size_t a = 0; a < sum.size(); ++a) EXPECT_NEAR(sum[a], a == e ? 1 : 0, 1e-14) << e << " " << a;
  }
}

// The functions are at most quadratic in each direction: central differences are exact up to rounding.
TEST_P(Shapes, DivergencesAndCurlsAreThoseOfTheFunctions) {
  for (const auto& [family, order] :
       {std::pair{Family::facet, 1}, {Family::facet, 2}, {Family::edge, 1}, {Family::edge, 2}}) {
    const VectorElement element = vector_element(kind(), family, order);
    const double rounding = order == 1 ? 1e-14 : 2e-13;  // of order 2 values reach 40
    const auto count = static_cast<std::size_t>(element.unknown_count);
    const Point xi{0.21, 0.17, dimension() == 3 ? 0.29 : 0.0};
    std::vector<Point> values(count), derivatives(count), above(count), below(count), unused(count);
    std::vector<std::array<Point, 3>> slopes(count);  // [direction] d value / d xi
    element.evaluate(xi, values, derivatives);
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension()); ++d) {
      Point there = xi;
      there[d] = xi[d] + 0.125;
      element.evaluate(there, above, unused);
      there[d] = xi[d] - 0.125;
      element.evaluate(there, below, unused);
      for (std::size_t a = 0; a < count; ++a)
        for (std::size_t i = 0; i < 3; ++i) slopes[a][d][i] = 4 * (above[a][i] - below[a][i]);
    }
    for (std::size_t a = 0; a < count; ++a) {
      const auto& s = slopes[a];
      if (family == Family::facet) {
        EXPECT_NEAR(derivatives[a][0], s[0][0] + s[1][1] + s[2][2], rounding);
      } else if (dimension() == 2) {
        EXPECT_NEAR(derivatives[a][0], s[0][1] - s[1][0], rounding);
      } else {
        for (std::size_t i = 0; i < 3; ++i) {
          const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
          EXPECT_NEAR(derivatives[a][i], s[j][k] - s[k][j], rounding);
        }
      }
    }
  }
}

// Two neighbours of a small mesh, each turned in a way of its own, their nodes renumbered at random.
Mesh two_cells(CellKind kind, const std::vector<int>& first, const std::vector<int>& second, std::uint64_t seed) {
  const bool plane = traits(kind).dimension == 2;
  const MeshData all = plane ? rectangle_data(2, 1, {1, 1}, kind, {.smooth = 0.08})
                             : box_data(2, 1, 1, {1, 1, 1}, kind, {.smooth = 0.08});
  const CellBlock& block = all.blocks[0];
  const auto common = [&](Index a, Index b) {
    int count = 0;
    for (const Node n : block.cell(a)) count += std::ranges::count(block.cell(b), n) > 0;
    return count;
  };
  Index other = 1;
  const int corners = plane ? 2 : kind == CellKind::tet4 ? 3 : 4;
  while (common(0, other) != corners) ++other;
  MeshData pair{.dimension = all.dimension,
                .points = all.points,
                .blocks = {{kind, {}, 0}},
                .regions = {},
                .source = "two cells"};
  std::vector<Node> numbers(all.points.size() / 3);
  for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = static_cast<Node>(n);
  std::mt19937_64 engine(seed);
  std::ranges::shuffle(numbers, engine);
  for (std::size_t n = 0; n < numbers.size(); ++n)
    for (std::size_t d = 0; d < 3; ++d)
      pair.points[3 * static_cast<std::size_t>(numbers[n]) + d] = all.points[3 * n + d];
  for (const auto& [cell, rotation] : {std::pair{Index{0}, &first}, std::pair{other, &second}})
    for (const int a : *rotation)
      pair.blocks[0].nodes.push_back(numbers[static_cast<std::size_t>(block.cell(cell)[static_cast<std::size_t>(a)])]);
  return Mesh(std::move(pair));
}

// Points of the facet that two cells share, on the reference cell of each, with the unit normal.
struct SharedPoint {
  Point in_first, in_second, normal;
};
std::vector<SharedPoint> shared_points(const Mesh& mesh) {
  const CellTraits& t = traits(mesh.kind_of(0));
  const auto nodes_of = [&](Index cell, std::size_t f) {
    std::vector<Node> nodes = mesh.nodes_of(FacetOfCell{cell, static_cast<int>(f)});
    std::ranges::sort(nodes);
    return nodes;
  };
  std::vector<SharedPoint> points;
  for (std::size_t f = 0; f < t.facets.size(); ++f)
    for (std::size_t g = 0; g < t.facets.size(); ++g) {
      if (nodes_of(0, f) != nodes_of(1, g)) continue;
      const CellMap first(mesh, 0), second(mesh, 1);
      const FacetMap here(first, static_cast<int>(f)), there(second, static_cast<int>(g));
      // A weight for each corner, whatever its number in the facet of either cell.
      const auto corners = reference_nodes(t.facets[f].kind);
      for (const Point& xi : quadrature(t.facets[f].kind, 3).points) {
        // of bilinear facets a product: the image of the point in the other cell, found by Newton's method
        const Point x = here.at(xi);
        Point eta{};
        for (const Point& c : corners)
          for (std::size_t d = 0; d < 3; ++d) eta[d] += c[d] / double(corners.size());
        for (int step = 0; step < 30; ++step) {
          const Point rest = minus(x, there.at(eta));
          const auto tangents = there.tangents(eta);
          const double a = dot(tangents[0], tangents[0]), b = dot(tangents[0], tangents[1]),
                       c = dot(tangents[1], tangents[1]);
          const double r = dot(tangents[0], rest), s = dot(tangents[1], rest);
          if (t.dimension == 2) {
            eta[0] += r / a;
          } else {
            eta[0] += (c * r - b * s) / (a * c - b * b);
            eta[1] += (a * s - b * r) / (a * c - b * b);
          }
        }
        EXPECT_LE(distance(there.at(eta), x), 1e-13);
        const auto tangents = here.tangents(xi);
        Point normal = cross(tangents[0], t.dimension == 3 ? tangents[1] : Point{0, 0, 1});
        const double size = length(normal);
        for (double& n : normal) n /= size;
        points.push_back({here.place(xi), there.place(eta), normal});
      }
    }
  EXPECT_FALSE(points.empty());
  return points;
}

TEST_P(Shapes, TwoCellsAgreeInEveryRelativeOrientation) {
  const auto rotations = rotations_of(kind());
  std::uint64_t seed = 1;
  for (const auto& first : rotations)
    for (const auto& second : rotations) {
      const Mesh mesh = two_cells(kind(), first, second, ++seed);
      const std::vector<SharedPoint> points = shared_points(mesh);
      for (const auto& [family, raise] :
           {std::pair{Family::facet, 0}, {Family::facet, 1}, {Family::edge, 0}, {Family::edge, 1}}) {
        const FieldsOperator equations = equations_on(mesh, form_of(family, dimension()), {}, raise);
        const VectorField field(equations, 0, random_vector(equations, seed));
        for (const SharedPoint& point : points) {
          const Point jump = minus(field.at(0, point.in_first).value, field.at(1, point.in_second).value);
          const double across = dot(jump, point.normal);
          if (family == Family::facet) ASSERT_NEAR(across, 0, 1e-11) << seed;
          else ASSERT_NEAR(length(jump), std::abs(across), 1e-11) << seed;  // no jump along the facet
        }
      }
    }
}

MeshData unit_data(CellKind kind, Index n, const Distortion& distortion = {}) {
  if (traits(kind).dimension == 2) return rectangle_data(n, n, {1, 1}, kind, distortion);
  return box_data(n, n, n, {1, 1, 1}, kind, distortion);
}

// Constants, and x of facets, are in the spaces of affine cells; constants of edges in those of all cells.
TEST_P(Shapes, SimpleFieldsAreInterpolatedExactlyOnTurnedCells) {
  const Mesh mesh = turned_at_random(Mesh(unit_data(kind(), 3)), 7);
  const int d = dimension();
  const auto vector = [d](const std::function<double(const Point&, int)>& f) {
    std::vector<PointFunction> all;
    for (int i = 0; i < d; ++i) all.push_back(of([f, i](const Point& x) { return f(x, i); }));
    return all;
  };
  const auto constants = vector([](const Point&, int i) { return 1.0 - 0.7 * i; });
  const auto outwards = vector([](const Point& x, int i) { return 0.3 + x[static_cast<std::size_t>(i)]; });
  const auto around = vector([](const Point& x, int i) { return i == 0 ? -x[1] : i == 1 ? x[0] : 0.4; });
  const FieldsOperator facets = equations_on(mesh, form_of(Family::facet, d));
  const FieldsOperator edges = equations_on(mesh, form_of(Family::edge, d));
  const auto whole = [](const FieldsOperator& equations, const Vector& part) {
    Vector u = equations.zeros();
    equations.layout().put(part, 0, u);
    return u;
  };
  const VectorField flux(facets, 0, whole(facets, interpolate(facets, 0, outwards)));
  EXPECT_LE(flux.l2_error(outwards), 1e-13);
  EXPECT_LE(flux.l2_error_of_derivative({constant(d)}), 1e-12);
  EXPECT_LE(VectorField(facets, 0, whole(facets, interpolate(facets, 0, constants))).l2_error(constants), 1e-13);
  const VectorField circulation(edges, 0, whole(edges, interpolate(edges, 0, around)));
  EXPECT_LE(circulation.l2_error(around), 1e-13);
  EXPECT_LE(
      circulation.l2_error_of_derivative(d == 3 ? std::vector<PointFunction>{constant(0), constant(0), constant(2)}
                                                : std::vector<PointFunction>{constant(2)}),
      1e-12);
  const std::vector<double> means = VectorField(facets, 0, whole(facets, interpolate(facets, 0, constants))).in_cells();
  for (std::size_t i = 0; i < means.size(); ++i)
    EXPECT_NEAR(means[i], i % 3 == 2 && d == 2 ? 0 : 1 - 0.7 * double(i % 3), 1e-12);
}

TEST_P(Shapes, LinearFieldsAreInterpolatedExactlyByOrderTwo) {
  const Mesh mesh = turned_at_random(Mesh(unit_data(kind(), 2)), 7);
  const int d = dimension();
  static constexpr double slope[3][3] = {{0.3, -1.1, 0.7}, {0.9, 0.4, -0.5}, {-0.2, 1.3, 0.6}};
  std::vector<PointFunction> linear, curl;
  double divergence = 0;
  for (int i = 0; i < d; ++i) {
    linear.push_back(
        of([i](const Point& x) { return 1 - i + slope[i][0] * x[0] + slope[i][1] * x[1] + slope[i][2] * x[2]; }));
    divergence += slope[i][i];
  }
  for (int i = d == 3 ? 0 : 2; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    curl.push_back(constant(slope[k][j] - slope[j][k]));
  }
  for (const Family family : {Family::facet, Family::edge}) {
    const FieldsOperator equations = equations_on(mesh, form_of(family, d), {}, 1);
    Vector u = equations.zeros();
    equations.layout().put(interpolate(equations, 0, linear), 0, u);
    const VectorField field(equations, 0, u);
    EXPECT_LE(field.l2_error(linear), 1e-12);
    EXPECT_LE(field.l2_error_of_derivative(family == Family::edge ? curl : std::vector{constant(divergence)}), 1e-11);
  }
}

// The kernels' integrals are those of the field as it is evaluated on the host: of u.u and of curl u . curl u.
TEST_P(Shapes, KernelsIntegrateWhatTheHostEvaluates) {
  const Mesh mesh = turned_at_random(Mesh(unit_data(kind(), 3)), 3);
  for (const auto& [a, raise] : {std::pair{0.0, 0}, {1.0, 0}, {0.0, 1}, {1.0, 1}}) {
    const MixedFormValue form = dimension() == 3 ? MixedFormValue(CurlCurl<3>{a, 1 - a}) : CurlCurl<2>{a, 1 - a};
    const FieldsOperator equations = equations_on(mesh, form, {}, raise);
    const Vector u = random_vector(equations, 2);
    Vector r = equations.zeros();
    equations.residual(u, r);
    const VectorField field(equations, 0, u);
    const double norm = a == 0 ? field.l2_error({}) : field.l2_error_of_derivative({});
    EXPECT_NEAR(dot(u, r), norm * norm, 1e-11 * norm * norm);
  }
  for (const int raise : {0, 1}) {
    const FieldsOperator equations = equations_on(mesh, form_of(Family::facet, dimension()), {}, raise);
    Vector u = equations.zeros(), r = equations.zeros();
    equations.layout().put(equations.layout().part(random_vector(equations, 2), 0), 0, u);  // no pressure
    equations.residual(u, r);
    const double norm = VectorField(equations, 0, u).l2_error({});
    EXPECT_NEAR(dot(u, r), norm * norm, 1e-11 * norm * norm);
  }
  const FieldsOperator flow = equations_on(mesh, form_of(Family::facet, dimension()));
  Vector r = flow.zeros();
  // Divergences times volumes are sums of fluxes: whole numbers for fluxes of one.
  Vector ones = flow.zeros();
  Vector fluxes = flow.layout().part(ones, 0);
  fill(1, fluxes);
  flow.layout().put(fluxes, 0, ones);
  flow.residual(ones, r);
  for (const double balance : flow.layout().part(r, 1).host()) EXPECT_NEAR(balance, std::round(balance), 1e-12);
}

// The same as for continuous fields (fields_operator_test.cpp), with tangents that depend on both fields.
TEST_P(Shapes, ActionsAreDerivativesAndBlocksAreTheirMatrices) {
  const Mesh mesh = turned_at_random(Mesh(unit_data(kind(), 2, {.random = 0.05})), 5);
  for (const auto& [family, raise] :
       {std::pair{Family::facet, 0}, {Family::facet, 1}, {Family::edge, 0}, {Family::edge, 1}}) {
    const MixedFormValue form = family == Family::facet
                                    ? (dimension() == 3 ? own_form(VectorBeside<3, Family::facet>{})
                                                        : own_form(VectorBeside<2, Family::facet>{}))
                                    : (dimension() == 3 ? own_form(VectorBeside<3, Family::edge>{})
                                                        : own_form(VectorBeside<2, Family::edge>{}));
    const FieldsOperator equations = equations_on(mesh, form, {}, raise);
    const Vector u = random_vector(equations, 1), x = random_vector(equations, 2);
    Vector y = equations.zeros(), z = equations.zeros(), there = equations.zeros(), above = equations.zeros(),
           below = equations.zeros();
    equations.action(u, x, y);
    BlockOperator K = equations.make_matrix();
    equations.assemble(u, K);
    K.apply(x, z);
    axpy(-1, y, z);
    EXPECT_LE(max_abs(z), 1e-12 * max_abs(y));
    for (const double sign : {1.0, -1.0}) {
      copy(u, there);
      axpy(sign * 1e-5, x, there);
      equations.residual(there, sign > 0 ? above : below);
    }
    axpby(-0.5e5, below, 0.5e5, above);
    axpy(-1, y, above);
    EXPECT_LE(max_abs(above), 1e-8 * max_abs(y));
  }
}

// Simplices are distorted; quadrilaterals and hexahedra are not, on which fluxes of this order need affine cells
// (Arnold, Boffi and Falk, SIAM J. Numer. Anal. 42, 2005).
Mesh unit_mesh(CellKind kind, Index n) {
  const bool simplex = kind == CellKind::tri3 || kind == CellKind::tet4;
  return turned_at_random(Mesh(unit_data(kind, n, {.random = simplex ? 0.05 : 0})), 11);
}

Vector solved_directly(const FieldsOperator& equations, const BlockOperator& K, const Vector& load) {
  const SparseMatrix A = sparse_matrix(equations.device(), host_matrix(K));
  Vector x = equations.zeros();
  DirectSolver solver(A, DirectSolver::Kind::symmetric);
  const SolveReport report = solver.solve(load, x);
  EXPECT_TRUE(report.converged()) << summary(report);
  return x;
}

class WithOrders : public ::testing::TestWithParam<std::tuple<CellKind, int>> {};
std::string name_with_order(const ::testing::TestParamInfo<std::tuple<CellKind, int>>& info) {
  return std::string(traits(std::get<0>(info.param)).name) + "_order" + std::to_string(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Cells, WithOrders, ::testing::Combine(::testing::ValuesIn(shapes), ::testing::Values(1, 2)),
                         name_with_order);

// p = product of sin(pi x_i), zero at the surface, which is the natural condition; q = -grad p.
TEST_P(WithOrders, MixedPoissonConverges) {
  const auto [kind, expected] = GetParam();
  const int d = traits(kind).dimension;
  const auto product = [d](const Point& x, int cosine) {
    double value = 1;
    for (int i = 0; i < d; ++i) {
      const double angle = pi * x[static_cast<std::size_t>(i)];
      value *= i == cosine ? std::cos(angle) : std::sin(angle);
    }
    return value;
  };
  std::vector<PointFunction> flux;
  for (int i = 0; i < d; ++i) flux.push_back(of([product, i](const Point& x) { return -pi * product(x, i); }));
  const PointFunction source = of([product, d](const Point& x) { return d * pi * pi * product(x, -1); });
  const PointFunction minus_source = of([product, d](const Point& x) { return -d * pi * pi * product(x, -1); });
  double errors[3][2];
  for (int level = 0; level < 2; ++level) {
    const Index n = (d == 2 ? 8 : expected == 1 ? 4 : 3) << level;
    const Mesh mesh = unit_mesh(kind, n);
    const FormValue load =
        d == 3 ? FormValue(Load<1, 3, 0>{}, {minus_source}) : FormValue(Load<1, 2, 0>{}, {minus_source});
    const FieldsOperator equations =
        equations_on(mesh, form_of(Family::facet, d), {Integral::over_all_cells(load).of_field(1)}, expected - 1);
    const Vector zero = equations.zeros();
    Vector b = equations.zeros();
    equations.residual(zero, b);
    axpby(0, zero, -1, b);
    BlockOperator K = equations.make_matrix();
    equations.assemble({}, K);
    const Vector u = solved_directly(equations, K, b);
    const VectorField q(equations, 0, u);
    errors[0][level] = q.l2_error(flux);
    errors[1][level] = q.l2_error_of_derivative({source});
    errors[2][level] = l2_error(equations.space(1), equations.layout().part(u, 1),
                                {of([product](const Point& x) { return product(x, -1); })});
  }
  for (int i = 0; i < 3; ++i) {
    const double order = std::log2(errors[i][0] / errors[i][1]);
    EXPECT_NEAR(order, expected, 0.2) << i;
  }
}

// u_i = c_i cos(pi x_i) times the other sin(pi x_j), without a tangential part at the surface.
TEST_P(WithOrders, CurlCurlConvergesInTheEnergysNorm) {
  const auto [kind, expected] = GetParam();
  const int d = traits(kind).dimension;
  const std::array<double, 3> c{1, -0.5, 0.8};
  std::vector<PointFunction> exact;
  for (std::size_t i = 0; i < static_cast<std::size_t>(d); ++i)
    exact.push_back(of([i, d, c](const Point& x) {
      double value = c[i];
      for (std::size_t j = 0; j < static_cast<std::size_t>(d); ++j)
        value *= j == i ? std::cos(pi * x[j]) : std::sin(pi * x[j]);
      return value;
    }));
  std::vector<PointFunction> curl;  // d_j u_k - d_k u_j
  for (std::size_t i = d == 3 ? 0 : 2; i < 3; ++i)
    curl.push_back(of([i, d, c](const Point& x) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      return pi * (c[k] - c[j]) * std::cos(pi * x[j]) * std::cos(pi * x[k]) * (d == 3 ? std::sin(pi * x[i]) : 1);
    }));
  double errors[2][2];
  for (int level = 0; level < 2; ++level) {
    const Index n = (d == 2 ? 8 : expected == 1 ? 4 : 3) << level;
    const Mesh mesh = unit_mesh(kind, n);
    const MixedFormValue form = form_of(Family::edge, d);
    const Spaces spaces = spaces_of(form, mesh, device_under_test(2), expected - 1);
    const MixedFormValue current =
        d == 3 ? own_form(WaveCurrent<3>{{c[0], c[1], c[2]}}) : own_form(WaveCurrent<2>{{c[0], c[1]}});
    const FieldsOperator equations(spaces,
                                   {MixedIntegral::over_all_cells(form), MixedIntegral::over_all_cells(current)});
    FieldsConstraints fixed(spaces);
    const Region surface{"surface", RegionKind::facets, {}, boundary_facets(mesh), {}};
    fixed[0].prescribe(surface, 0, 0.0, "a conductor around it");
    fixed.finish();
    const Vector zero = equations.zeros();
    Vector b = equations.zeros();
    equations.residual(zero, b);
    axpby(0, zero, -1, b);
    fixed.set_zero(b);
    BlockOperator K = equations.make_matrix();
    equations.assemble({}, K);
    fixed.eliminate(K, 1);
    const VectorField field(equations, 0, solved_directly(equations, K, b));
    errors[0][level] = field.l2_error(exact);
    errors[1][level] = field.l2_error_of_derivative(curl);
  }
  for (const auto& [coarse, fine] : errors) EXPECT_NEAR(std::log2(coarse / fine), expected, 0.2) << coarse;
}

TEST(VectorElements, DoNotExistOnPrismsAndPyramids) {
  for (const CellKind kind : {CellKind::prism6, CellKind::pyramid5}) {
    const Mesh mesh = patch(kind, {.count = 1});
    EXPECT_THROW(spaces_of(CurlCurl<3>{1, 1}, mesh, device_under_test()), Error);
  }
}

TEST(VectorElements, KnowNoHigherOrderAndNoFormsOfOneField) {
  const Mesh mesh = patch(CellKind::tri3);
  EXPECT_THROW(spaces_of(MixedPoisson<2>{1}, mesh, device_under_test(), 2), Error);
  EXPECT_THROW(spaces_of(CurlCurl<2>{1, 1}, mesh, device_under_test(), 2), Error);
  const MixedFormValue form = MixedPoisson<2>{1};
  const std::vector<Integral> of_facets{Integral::over_all_cells(volume_load(2, std::array{1.0}))};
  EXPECT_THROW(equations_on(mesh, form, of_facets), Error);
  const Spaces other = spaces_of(CurlCurl<2>{1, 1}, mesh, device_under_test());
  EXPECT_THROW(FieldsOperator({other[0], other[0]}, {MixedIntegral::over_all_cells(form)}), Error);
  const FieldsOperator equations = equations_on(mesh, form);
  EXPECT_THROW(VectorField(equations, 1, equations.zeros()), Error);
}

}  // namespace
}  // namespace ritz::test::vector_element_test
