// Integrals over facets in mixed problems: solutions that the elements represent come out exactly under natural
// conditions on all sides, on cells that are turned at random; blocks, actions and derivatives agree.
#include "device/error.hpp"
#include "fem/forms/curl_curl.hpp"
#include "fem/forms/mixed_poisson.hpp"
#include "fem/forms/natural_conditions.hpp"
#include "fem/forms/loads.hpp"
#include "fem/space/fields_constraints.hpp"
#include "fem/results/field_norms.hpp"
#include "fem/results/vector_field.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "tests/fem/mixed/mixed_forms.hpp"
#include "tests/fem/models.hpp"

#include <algorithm>
#include <cmath>

namespace ritz::test::natural_conditions_test {
namespace {

using Scalar = std::function<double(const Point&)>;
using Sides = std::vector<std::pair<std::string, Point>>;

PointFunction of(const Scalar& f) {
  return [f](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = f({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
  };
}

bool is_simplex(CellKind kind) { return kind == CellKind::tri3 || kind == CellKind::tet4; }

// The unit square or cube. Simplices are distorted inside; other cells are not, on which fluxes need affine cells.
Mesh unit_mesh(CellKind kind, Index n = 2) {
  const Distortion distortion{.random = is_simplex(kind) ? 0.05 : 0};
  return turned_at_random(Mesh(traits(kind).dimension == 2 ? rectangle_data(n, n, {1, 1}, kind, distortion)
                                                           : box_data(n, n, n, {1, 1, 1}, kind, distortion)),
                          17);
}

Sides sides_of_unit(int dimension) {
  Sides sides{{"x0", {-1, 0, 0}}, {"x1", {1, 0, 0}}, {"y0", {0, -1, 0}}, {"y1", {0, 1, 0}}};
  if (dimension == 3) sides.insert(sides.end(), {{"z0", {0, 0, -1}}, {"z1", {0, 0, 1}}});
  return sides;
}

// Turned cells keep no names of sides: "x1" are the facets at the surface where x = 1 (or `far`).
Region side_of(const Mesh& mesh, const std::string& name, double far = 1) {
  const auto axis = static_cast<std::size_t>(name[0] - 'x');
  const double value = name[1] == '1' ? far : 0;
  Region side{name, RegionKind::facets, {}, {}, {}};
  for (const FacetOfCell& facet : boundary_facets(mesh))
    if (std::ranges::all_of(mesh.nodes_of(facet),
                            [&](Node node) { return std::abs(mesh.point(node)[axis] - value) < 1e-9; }))
      side.facets.push_back(facet);
  return side;
}

template <template <int> class F>
MixedFormValue given_form(int dimension, const std::vector<PointFunction>& given) {
  return dimension == 3 ? MixedFormValue(F<3>{}, given) : MixedFormValue(F<2>{}, given);
}

Vector solution(const FieldsOperator& equations, const FieldsConstraints* fixed = nullptr) {
  Vector u = equations.zeros(), r = equations.zeros(), du = equations.zeros();
  if (fixed != nullptr) fixed->set_values(u);
  equations.residual(u, r);
  if (fixed != nullptr) fixed->set_zero(r);
  BlockOperator K = equations.make_matrix();
  equations.assemble(u, K);
  if (fixed != nullptr) fixed->eliminate(K, 1);
  const SparseMatrix A = sparse_matrix(equations.device(), host_matrix(K));
  DirectSolver solver(A, DirectSolver::Kind::symmetric);
  const SolveReport report = solver.solve(r, du);
  EXPECT_TRUE(report.converged()) << summary(report);
  axpy(-1, du, u);
  return u;
}

class Natural : public ::testing::TestWithParam<std::tuple<CellKind, int>> {
 public:
  CellKind kind() const { return std::get<0>(GetParam()); }
  int order() const { return std::get<1>(GetParam()); }
  int dimension() const { return traits(kind()).dimension; }
};
INSTANTIATE_TEST_SUITE_P(Cells, Natural,
                         ::testing::Combine(::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4,
                                                              CellKind::hex8),
                                            ::testing::Values(1, 2)),
                         [](const ::testing::TestParamInfo<std::tuple<CellKind, int>>& info) {
                           return std::string(traits(std::get<0>(info.param)).name) + "_order" +
                                  std::to_string(std::get<1>(info.param));
                         });

// p = 1 + 2x - 3y + 4z, of order 2 with x y + 2 y^2 - x^2; q = -k grad p.
struct KnownPotential {
  int dimension, order;
  double k = 2.5;
  double p(const Point& x) const {
    return 1 + 2 * x[0] - 3 * x[1] + (dimension == 3 ? 4 * x[2] : 0) +
           (order == 2 ? x[0] * x[1] + 2 * x[1] * x[1] - x[0] * x[0] : 0);
  }
  double q(const Point& x, std::size_t i) const {
    const Point slope{2 + (order == 2 ? x[1] - 2 * x[0] : 0), -3 + (order == 2 ? x[0] + 4 * x[1] : 0),
                      dimension == 3 ? 4.0 : 0.0};
    return -k * slope[i];
  }
  double source() const { return order == 2 ? -2 * k : 0; }  // div q
  std::vector<PointFunction> flux() const {
    std::vector<PointFunction> all;
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimension); ++i)
      all.push_back(of([me = *this, i](const Point& x) { return me.q(x, i); }));
    return all;
  }
};

// The pressure is given on all sides, on one of them beyond a film whose resistance varies.
TEST_P(Natural, PressuresAtTheSurfaceOfAMixedPoissonProblemAreExact) {
  const KnownPotential known{dimension(), order()};
  const Mesh mesh = unit_mesh(kind());
  const int d = dimension();
  const MixedFormValue form = d == 3 ? MixedFormValue(MixedPoisson<3>{known.k}) : MixedPoisson<2>{known.k};
  const PointFunction p = of([known](const Point& x) { return known.p(x); });
  std::vector<MixedIntegral> integrals{MixedIntegral::over_all_cells(form)};
  for (const auto& [side, normal] : sides_of_unit(d)) {
    if (side != "x1") {
      integrals.push_back(MixedIntegral::over(given_form<FluxPressure>(d, {p}), side_of(mesh, side), {0}));
      continue;
    }
    const Scalar resistance = [](const Point& x) { return 0.2 + 0.3 * x[1]; };
    integrals.push_back(MixedIntegral::over(
        given_form<FluxFilm>(
            d, {of([known, resistance](const Point& x) { return known.p(x) - resistance(x) * known.q(x, 0); }),
                of(resistance)}),
        side_of(mesh, side), {0}));
  }
  const PointFunction less = constant(-known.source());
  const FormValue source = d == 3 ? FormValue(Load<1, 3, 0>{}, {less}) : FormValue(Load<1, 2, 0>{}, {less});
  const FieldsOperator equations(spaces_of(form, mesh, device_under_test(2), order() - 1), integrals,
                                 {Integral::over_all_cells(source).of_field(1)});
  const Vector u = solution(equations);
  EXPECT_LE(VectorField(equations, 0, u).l2_error(known.flux()), 1e-11);
  EXPECT_LE(VectorField(equations, 0, u).l2_error_of_derivative({constant(known.source())}), 1e-10);
}

// u = c + w x r of the space of order 1, any linear field of that of order 2. curl u is constant, so curl curl u = 0.
struct KnownCirculation {
  int dimension, order;
  double a = 1.7, b = 0.6;
  double slope(std::size_t i, std::size_t j) const {
    static constexpr double turning[3][3] = {{0, -0.8, 0.5}, {0.8, 0, -1.2}, {-0.5, 1.2, 0}};
    static constexpr double any[3][3] = {{0.3, -1.1, 0.7}, {0.9, 0.4, -0.5}, {-0.2, 1.3, 0.6}};
    return order == 1 ? turning[i][j] : any[i][j];
  }
  double u(const Point& x, std::size_t i) const {
    double value = 1 - 0.7 * double(i);
    for (std::size_t j = 0; j < static_cast<std::size_t>(dimension); ++j) value += slope(i, j) * x[j];
    return value;
  }
  Point curl() const {
    Point c{};
    for (std::size_t i = dimension == 3 ? 0 : 2; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      c[i] = slope(k, j) - slope(j, k);
    }
    return c;
  }
  std::vector<PointFunction> field(double factor = 1) const {
    std::vector<PointFunction> all;
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimension); ++i)
      all.push_back(of([me = *this, i, factor](const Point& x) { return factor * me.u(x, i); }));
    return all;
  }
};

// Currents on all sides; one of them conducts, too. A part across the surface changes nothing.
TEST_P(Natural, CurrentsAlongTheSurfaceOfACurlCurlProblemAreExact) {
  const KnownCirculation known{dimension(), order()};
  const Mesh mesh = unit_mesh(kind());
  const int d = dimension();
  const MixedFormValue form = d == 3 ? MixedFormValue(CurlCurl<3>{known.a, known.b}) : CurlCurl<2>{known.a, known.b};
  const std::vector<PointFunction> source = known.field(known.b);
  std::vector<MixedIntegral> integrals{
      MixedIntegral::over_all_cells(form),
      MixedIntegral::over_all_cells(d == 3 ? MixedFormValue(VectorSource<3, Family::edge>{}, source)
                                           : MixedFormValue(VectorSource<2, Family::edge>{}, source))};
  const Point curl = known.curl();
  for (const auto& [side, n] : sides_of_unit(d)) {
    const double admittance = side == "y1" ? 0.9 : 0;
    std::vector<PointFunction> current;
    for (std::size_t i = 0; i < static_cast<std::size_t>(d); ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      const double turned = known.a * (curl[j] * n[k] - curl[k] * n[j]) + 3 * n[i];
      current.push_back(of([=](const Point& x) { return turned + admittance * known.u(x, i); }));
    }
    integrals.push_back(MixedIntegral::over(given_form<SurfaceCurrent>(d, current), side_of(mesh, side)));
    if (admittance > 0)
      integrals.push_back(MixedIntegral::over(given_form<EdgeFilm>(d, {constant(admittance)}), side_of(mesh, side)));
  }
  const FieldsOperator equations(spaces_of(form, mesh, device_under_test(2), order() - 1), integrals);
  EXPECT_LE(VectorField(equations, 0, solution(equations)).l2_error(known.field()), 1e-11);
}

// (2xy, -y^2) and p = -2 mu y: the plane x = 0 lets nothing through and has no friction; on x = 1 the traction is
// given.
class Slip : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, Slip,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8,
                                           CellKind::prism6, CellKind::pyramid5),
                         kind_name);

TEST_P(Slip, AndTractionAreExactForQuadraticFlows) {
  constexpr double mu = 0.4;
  const int d = dimension();
  const Mesh mesh = unit_mesh(kind());
  const MixedFormValue form = d == 3 ? MixedFormValue(Stokes<3>{mu}) : Stokes<2>{mu};
  const MixedFormValue slip = d == 3 ? MixedFormValue(StokesSlip<3>{mu, 40 * mu}) : StokesSlip<2>{mu, 40 * mu};
  std::vector<PointFunction> v{of([](const Point& x) { return 2 * x[0] * x[1]; }),
                               of([](const Point& x) { return -x[1] * x[1]; }), constant(0)};
  v.resize(static_cast<std::size_t>(d), constant(0));
  // s n on x = 1: (2 mu 2y - p, mu 2x, 0)
  std::vector<PointFunction> traction{of([](const Point& x) { return 6 * mu * x[1]; }),
                                      of([](const Point& x) { return 2 * mu * x[0]; }), constant(0)};
  traction.resize(static_cast<std::size_t>(d), constant(0));
  const FormValue load = d == 3 ? FormValue(Load<3, 3, 1>{}, traction) : FormValue(Load<2, 2, 1>{}, traction);
  const Spaces spaces = spaces_of(form, mesh, device_under_test(2));
  const FieldsOperator equations(spaces,
                                 {MixedIntegral::over_all_cells(form), MixedIntegral::over(slip, side_of(mesh, "x0"))},
                                 {Integral::over(load, side_of(mesh, "x1"))});
  FieldsConstraints fixed(spaces);
  for (const auto& [side, normal] : sides_of_unit(d))
    for (int c = 0; side[0] != 'x' && c < d; ++c) fixed[0].prescribe(side_of(mesh, side), c, v[std::size_t(c)], side);
  fixed.finish();
  const Vector u = solution(equations, &fixed);
  EXPECT_LE(l2_error(spaces[0], equations.layout().part(u, 0), v), 1e-11);
  EXPECT_LE(l2_error(spaces[1], equations.layout().part(u, 1), {of([](const Point& x) { return -2 * mu * x[1]; })}),
            1e-10);
}

class Borders : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, Borders,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8), kind_name);

template <int G>
MixedFormValue border_form() {
  MixedFormValue form = BorderOfFacets<G>{};
  form.numbers.module = "ritz_mixed_forms";
  return form;
}

// A nonlinear form on facets of two fields, with gradients and divergences, beside the form of the cells.
TEST_P(Borders, ActionsAreDerivativesAndBlocksAreTheirMatrices) {
  const Mesh mesh = unit_mesh(kind());
  MixedFormValue cells =
      dimension() == 3 ? MixedFormValue(VectorBeside<3, Family::facet>{}) : VectorBeside<2, Family::facet>{};
  cells.numbers.module = "ritz_mixed_forms";
  const MixedFormValue border = dimension() == 3 ? border_form<3>() : border_form<2>();
  for (const int raise : {0, 1}) {
    const FieldsOperator equations(
        spaces_of(cells, mesh, device_under_test(2), raise),
        {MixedIntegral::over_all_cells(cells), MixedIntegral::over(border, side_of(mesh, "x0")),
         MixedIntegral::over(border, side_of(mesh, "y1"))});
    const auto random = [&](std::uint64_t seed) {
      const auto values = random_values(static_cast<std::size_t>(equations.layout().total()), seed);
      return Vector(equations.device(), std::span<const double>(values), "vectors");
    };
    const Vector u = random(1), x = random(2);
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

// The flux through a side is that of the field: of (1, 0, 0) through x1 the area of x1, on bent cells, too.
TEST_P(Borders, FluxesOfAConstantFieldAreAreas) {
  const int d = dimension();
  const Mesh mesh = turned_at_random(Mesh(d == 2 ? rectangle_data(3, 3, {2, 1}, kind(), {.smooth = 0.1})
                                                 : box_data(3, 3, 3, {2, 1, 1}, kind(), {.smooth = 0.1})),
                                     4);
  const MixedFormValue form = d == 3 ? MixedFormValue(MixedPoisson<3>{1}) : MixedPoisson<2>{1};
  const MixedFormValue pressure = given_form<FluxPressure>(d, {constant(1)});
  const Region surface{"surface", RegionKind::facets, {}, boundary_facets(mesh), {}};
  const FieldsOperator cells(spaces_of(form, mesh, device_under_test(2)), {MixedIntegral::over_all_cells(form)});
  const auto flux_through = [&](const Region& region, const std::vector<PointFunction>& field) {
    const FieldsOperator border(cells.spaces(),
                                {MixedIntegral::over_all_cells(form), MixedIntegral::over(pressure, region, {0})});
    Vector u = cells.zeros(), r = cells.zeros(), with = cells.zeros();
    cells.layout().put(interpolate(cells, 0, field), 0, u);
    cells.residual(cells.zeros(), r);
    border.residual(cells.zeros(), with);
    axpy(-1, r, with);
    return dot(u, with);
  };
  std::vector<PointFunction> one, outwards;
  for (std::size_t i = 0; i < static_cast<std::size_t>(d); ++i) {
    one.push_back(constant(i == 0 ? 1 : 0));
    outwards.push_back(of([i](const Point& x) { return x[i]; }));
  }
  EXPECT_NEAR(flux_through(side_of(mesh, "x1", 2), one), 1, 1e-12);
  EXPECT_NEAR(flux_through(side_of(mesh, "x0"), one), -1, 1e-12);
  EXPECT_NEAR(flux_through(surface, one), 0, 1e-12);
  EXPECT_NEAR(flux_through(surface, outwards), 2 * d, is_simplex(kind()) ? 1e-11 : 1e-3);  // its divergence is d
}

TEST(NaturalConditions, AreRefusedWhereTheyDoNotFit) {
  const Mesh mesh = rectangle(2, 2, {1, 1}, CellKind::tri3);
  const MixedFormValue form = MixedPoisson<2>{1}, pressure{FluxPressure<2>{}, {constant(1)}};
  const Spaces spaces = spaces_of(form, mesh, device_under_test());
  EXPECT_THROW(MixedIntegral::over(pressure, mesh.region("cells")), Error);
  EXPECT_THROW(MixedIntegral::over(form, mesh.region("x0")), Error);
  const MixedIntegral cells = MixedIntegral::over_all_cells(form);
  for (const std::vector<int>& fields : {std::vector<int>{}, {1}, {2}, {0, 1}})
    EXPECT_THROW(FieldsOperator(spaces, {cells, MixedIntegral::over(pressure, mesh.region("x0"), fields)}), Error);
  EXPECT_NO_THROW(FieldsOperator(spaces, {cells, MixedIntegral::over(pressure, mesh.region("x0"), {0})}));
}

}  // namespace
}  // namespace ritz::test::natural_conditions_test
