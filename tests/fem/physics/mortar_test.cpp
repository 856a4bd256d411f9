// Ties that are integrated over the surface: constant stresses, rigid motions and forces pass from one part to the
// other, whatever their cells are.
#include "fem/analysis/static_solution.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/physics/tie.hpp"
#include "fem/space/constraints.hpp"
#include "mesh/point_algebra.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/physics/two_parts.hpp"

#include <gtest/gtest.h>

#include <map>

namespace ritz::test::mortar_test {
namespace {

Device cpu() { return Device::named("cpu", 1); }

using Matrix = std::array<Point, 3>;  // [row][column]

Point times(const Matrix& A, const Point& x) { return {dot(A[0], x), dot(A[1], x), dot(A[2], x)}; }
Matrix transposed(const Matrix& A) {
  return {{{A[0][0], A[1][0], A[2][0]}, {A[0][1], A[1][1], A[2][1]}, {A[0][2], A[1][2], A[2][2]}}};
}
Matrix times(const Matrix& A, const Matrix& B) {
  const Matrix columns = transposed(B);
  return transposed({times(A, columns[0]), times(A, columns[1]), times(A, columns[2])});
}

// About z, in space also about x.
Matrix rotation(int dimension) {
  const double a = 0.4, b = dimension == 3 ? 0.7 : 0;
  const Matrix about_z = {{{std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1}}};
  const Matrix about_x = {{{1, 0, 0}, {0, std::cos(b), -std::sin(b)}, {0, std::sin(b), std::cos(b)}}};
  return times(about_x, about_z);
}

// A constant stress in two bodies that are turned, and displacements with a rotation that go with it. Across a gap the
// lower surface is continued by its rotation, so that the upper body keeps a displacement along with it.
struct ConstantStress {
  Matrix stress, gradient;
  Point shift;  // of the upper body

  ConstantStress(int dimension, double gap, bool shear, const Matrix& turned) {
    const std::size_t n = static_cast<std::size_t>(dimension) - 1;  // the axis across
    Matrix local = {{{1.3, 0.4, 0}, {0.4, -0.7, 0}, {0, 0, 0}}};
    if (dimension == 3) local[2][2] = 0.9;
    if (dimension == 2) local[0][1] = local[1][0] = 0;
    for (std::size_t d = 0; d < n && shear; ++d) local[d][n] = local[n][d] = 0.5 - 0.8 * static_cast<double>(d);
    stress = times(times(turned, local), transposed(turned));
    const double pressure =
        lame.lambda * (local[0][0] + local[1][1] + local[2][2]) / (dimension * lame.lambda + 2 * lame.mu);
    const double w = 0.6;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) gradient[i][j] = (stress[i][j] - (i == j ? pressure : 0)) / (2 * lame.mu);
    gradient[0][1] -= w, gradient[1][0] += w;
    if (dimension == 3) gradient[0][2] += 2 * w, gradient[2][0] -= 2 * w;
    Point normal{};
    normal[n] = 1;
    normal = times(turned, normal);
    const Point along_normal = times(gradient, normal), back = times(transposed(gradient), normal);
    for (std::size_t d = 0; d < 3; ++d)
      shift[d] = gap * (normal[d] * dot(normal, along_normal) - back[d] - along_normal[d]);
  }
  Point displacement(const Point& x, bool upper) const {
    Point u = times(gradient, x);
    for (std::size_t d = 0; d < 3 && upper; ++d) u[d] += shift[d];
    return u;
  }
};

// Two bodies under the tractions of a constant stress on all sides but those between them.
class TiedBodies {
 public:
  TiedBodies(const TwoParts& parts, bool shear, bool held)
      : dimension_(traits(parts.low).dimension),
        mesh_(turned(parts)),
        space_(mesh_, dimension_, cpu()),
        state_(dimension_, parts.gap, shear, rotation(dimension_)),
        fixed_(space_) {
    TieOptions options{.integrated = true};
    if (held) options.held = hold_sides();
    tied_ = tie(space_, mesh_.region("up_bottom"), mesh_.region("low_top"), options);
    fixed_.relate(tied_.equations);
    fixed_.finish();
  }

  const Tie& tied() const { return tied_; }

  // The exact displacements. [unknown]
  std::vector<double> displacements() const {
    std::vector<double> values(static_cast<std::size_t>(mesh_.node_count() * dimension_));
    for (const auto& [body, upper] : std::map<std::string, bool>{{"low_all", false}, {"up_all", true}})
      for (const Node node : nodes_in(mesh_, mesh_.region(body))) {
        const auto x = mesh_.point(node);
        const Point u = state_.displacement({x[0], x[1], x[2]}, upper);
        for (int c = 0; c < dimension_; ++c)
          values[static_cast<std::size_t>(node * dimension_ + c)] = u[static_cast<std::size_t>(c)];
      }
    return space_.from_mesh(values).host();
  }

  // Largest difference that the equations of the tie leave of them.
  double largest_defect() const {
    const std::vector<double> u = displacements();
    double largest = 0;
    for (Index i = 0; i < tied_.equations.size(); ++i) {
      double sum = 0;
      for (const UnknownTerm& t : tied_.equations.terms_of(i))
        sum += t.factor * u[static_cast<std::size_t>(Index{t.node} * dimension_ + t.component)];
      largest = std::max(largest, std::abs(sum));
    }
    return largest;
  }

  // Forces that are out of balance where they are free. [unknown]
  std::vector<double> unbalanced() const {
    std::vector<Integral> integrals = {Integral::over_all_cells(elastic_form(dimension_))};
    for (const auto& [name, axis, sign] : outside()) {
      Point normal{};
      normal[axis] = sign;
      const Point t = times(state_.stress, times(rotation(dimension_), normal));
      integrals.push_back(Integral::over(
          facet_load(dimension_, std::span(t).first(static_cast<std::size_t>(dimension_))), mesh_.region(name)));
    }
    const Operator equations(space_, std::move(integrals));
    const std::vector<double> u = displacements();
    Vector r = space_.zeros();
    equations.residual(Vector(space_.device(), std::span<const double>(u), "vectors"), r);
    fixed_.gather(r);
    fixed_.set_zero(r);
    return r.host();
  }
  double largest_unbalanced() const {
    double largest = 0;
    for (const double force : unbalanced()) largest = std::max(largest, std::abs(force));
    return largest;
  }
  // The same but for nodes on the sides.
  double largest_unbalanced_inside() const {
    const std::vector<double> r = unbalanced();
    std::vector<bool> on_side(static_cast<std::size_t>(space_.node_count()), false);
    for (const auto& side : outside())
      for (const Node node : space_.nodes_in(mesh_.region(side.name))) on_side[static_cast<std::size_t>(node)] = true;
    double largest = 0;
    for (std::size_t i = 0; i < r.size(); ++i)
      if (!on_side[i / static_cast<std::size_t>(dimension_)]) largest = std::max(largest, std::abs(r[i]));
    return largest;
  }

 private:
  struct Outside {
    std::string name;
    std::size_t axis;
    double sign;
  };
  std::vector<Outside> outside() const {
    const auto across = static_cast<std::size_t>(dimension_) - 1;
    std::vector<Outside> result = {{"low_bottom", across, -1}, {"up_top", across, 1}};
    for (const std::string body : {"low_", "up_"})
      for (std::size_t d = 0; d < across; ++d)
        for (const int end : {0, 1}) result.push_back({body + "xy"[d] + std::to_string(end), d, end == 0 ? -1.0 : 1.0});
    return result;
  }
  static Mesh turned(TwoParts parts) {
    const Matrix R = rotation(traits(parts.low).dimension);
    parts.move = [R, before = parts.move](std::span<double, 3> x) {
      if (before) before(x);
      const Point y = times(R, Point{x[0], x[1], x[2]});
      std::ranges::copy(y, x.begin());
    };
    return two_parts(parts);
  }
  std::vector<std::uint8_t> hold_sides() {
    std::vector<std::uint8_t> held(static_cast<std::size_t>(space_.unknown_count()), 0);
    for (const auto& side : outside())
      for (int c = 0; c < dimension_; ++c) {
        fixed_.prescribe(mesh_.region(side.name), c, 0, side.name);
        for (const Node node : space_.nodes_in(mesh_.region(side.name)))
          held[static_cast<std::size_t>(Index{node} * dimension_ + c)] = 1;
      }
    return held;
  }

  int dimension_;
  Mesh mesh_;
  FunctionSpace space_;
  ConstantStress state_;
  Constraints fixed_;
  Tie tied_;
};

struct Kinds {
  CellKind low, up;
};
std::string name_of_kinds(const ::testing::TestParamInfo<Kinds>& info) {
  return std::string(traits(info.param.low).name) + "_" + std::string(traits(info.param.up).name);
}

constexpr double two_percent = 0.02 / 3;  // of a facet of the upper body

using enum CellKind;
struct TieOfTwoKinds : ::testing::TestWithParam<Kinds> {
  TwoParts parts(double gap = 0) const { return {GetParam().low, GetParam().up, 2, 3, gap}; }
};
INSTANTIATE_TEST_SUITE_P(, TieOfTwoKinds,
                         ::testing::Values(Kinds{hex8, hex8}, Kinds{hex20, hex20}, Kinds{hex27, hex27},
                                           Kinds{hex8, hex20}, Kinds{hex27, hex20}, Kinds{tet4, tet4},
                                           Kinds{tet10, tet10}, Kinds{hex8, tet10}, Kinds{tet10, hex8},
                                           Kinds{tet4, hex27}, Kinds{prism6, prism6}, Kinds{hex20, prism15},
                                           Kinds{prism18, pyramid14}, Kinds{pyramid5, hex20}, Kinds{tri3, tri3},
                                           Kinds{quad4, quad8}, Kinds{quad8, quad4}, Kinds{quad9, tri6},
                                           Kinds{tri6, quad8}),
                         name_of_kinds);

TEST_P(TieOfTwoKinds, PassesConstantStressesOn) {
  const TiedBodies touching(parts(), true, false);
  EXPECT_EQ(touching.tied().integrated, static_cast<Index>(touching.tied().tied.size()));
  EXPECT_LT(touching.largest_defect(), 1e-12);
  EXPECT_LT(touching.largest_unbalanced(), 1e-12);
}

// The traction is normal to the gap: a tangential one has a lever.
TEST_P(TieOfTwoKinds, PassesConstantStressesOnAcrossAGap) {
  const TiedBodies apart(parts(two_percent), false, false);
  EXPECT_LT(apart.largest_defect(), 1e-12);
  EXPECT_LT(apart.largest_unbalanced(), 1e-12);
}

// Forces along the normal at the border of the surface take the moment of the lever.
TEST_P(TieOfTwoKinds, PassesShearOnAcrossAGapButAtTheBorder) {
  const TiedBodies apart(parts(two_percent), true, false);
  EXPECT_LT(apart.largest_defect(), 1e-12);
  EXPECT_LT(apart.largest_unbalanced_inside(), 1e-12);
  EXPECT_GT(apart.largest_unbalanced(), 1e-5);
}

// Nodes of both sides are prescribed on the other sides of the bodies, so they have no equations.
TEST_P(TieOfTwoKinds, PassesConstantStressesOnNextToSupports) {
  for (const double gap : {0.0, two_percent}) {
    const TiedBodies held(parts(gap), true, true);
    EXPECT_LT(held.largest_defect(), 1e-12);
    EXPECT_LT(held.largest_unbalanced(), 1e-12);
  }
}

// Facets of which no edges are parallel.
TEST(Mortar, PassesConstantStressesOnBetweenDistortedFacets) {
  const auto move = [](std::span<double, 3> x) {
    const double a = x[0], b = x[1];
    x[0] += 0.06 * std::sin(2 * std::numbers::pi * a) * std::cos(2 * b);
    x[1] += 0.08 * std::sin(std::numbers::pi * b) * std::cos(3 * a);
  };
  const TiedBodies bodies({hex8, hex8, 2, 3, 0, move}, true, false);
  EXPECT_LT(bodies.largest_defect(), 1e-12);
  EXPECT_LT(bodies.largest_unbalanced(), 1e-10);
}

// Two bodies on a cylinder about y, with edges that are bent along it, too.
void bent(std::span<double, 3> x) {
  const double angle = 0.5 * x[0], r = 1 + x[2];
  x[0] = r * std::sin(angle), x[1] += 0.1 * std::sin(2 * angle), x[2] = r * std::cos(angle);
}

// Forces on nodes that follow act on the other side with their resultant and their moment.
TEST(Mortar, KeepsForcesAndMoments) {
  const auto expect_balance = [](const Mesh& mesh, const char* region, const char* onto) {
    const int dimension = mesh.dimension();
    const FunctionSpace space(mesh, dimension, cpu());
    Constraints fixed(space);
    fixed.relate(tie(space, mesh.region(region), mesh.region(onto), {.tolerance = 0.1, .integrated = true}).equations);
    fixed.finish();
    const auto totals = [&](const std::vector<double>& f) {  // forces, then moments
      std::array<double, 6> sums{};
      for (Node node = 0; node < space.node_count(); ++node) {
        Point force{};
        for (int c = 0; c < dimension; ++c)
          force[static_cast<std::size_t>(c)] = f[static_cast<std::size_t>(Index{node} * dimension + c)];
        const Point moment = cross(space.point(node), force);
        for (std::size_t d = 0; d < 3; ++d) sums[d] += force[d], sums[3 + d] += moment[d];
      }
      return sums;
    };
    const std::vector<double> before = random_values(static_cast<std::size_t>(space.unknown_count()));
    Vector f(space.device(), std::span<const double>(before), "vectors");
    fixed.gather(f);
    const std::vector<double> after = f.host();
    EXPECT_NE(before, after);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(totals(after)[k], totals(before)[k], 1e-11) << mesh.source() << k;
  };
  for (const double gap : {0.0, two_percent}) {
    expect_balance(two_parts({hex20, tet10, 2, 3, gap}), "up_bottom", "low_top");
    expect_balance(two_parts({quad8, quad4, 2, 3, gap}), "up_bottom", "low_top");
  }
  expect_balance(two_parts({hex20, tet10, 2, 3, 0, bent}), "up_bottom", "low_top");
  expect_balance(two_rings(4, 7, quad8), "out_y0", "in_y1");
  expect_balance(two_rings(7, 4, quad4), "out_y0", "in_y1");
}

// The part that follows reaches beyond the other one: rows of nodes near the edge hold the part that both have.
TEST(Mortar, HoldsForFieldsLinearInSpaceWhereFacetsReachBeyondTheOther) {
  for (const CellKind kind : {hex8, hex20, tet10}) {
    MeshData up = box_data(3, 3, 1, {1, 1, 1}, kind);
    transform_points(up, [](std::span<double, 3> x) { x[0] += 0.1, x[2] += 1; });
    const Mesh mesh(both(box_data(2, 2, 1, {1, 1, 1}, kind), "low", up, "up"));
    const FunctionSpace space(mesh, 3, cpu());
    const Tie tied =
        tie(space, mesh.region("up_z0"), mesh.region("low_z1"), {.leave_far_nodes = true, .integrated = true});
    EXPECT_GT(tied.left.size(), 3U);
    EXPECT_GE(tied.integrated,
              static_cast<Index>(tied.tied.size()) - 1);  // a triangle may lie beyond by more than half
    EXPECT_LT(largest_defect(space, tied.equations, linear_field), 1e-11) << traits(kind).name;
  }
}

// Largest difference between the forces of a traction on one side and what arrives of those on the other side.
double largest_lost(const FunctionSpace& space, const FormValue& traction, const TieOptions& options) {
  const auto forces = [&](const char* region) {
    const Operator equations(space, {Integral::over(traction, space.mesh().region(region))});
    Vector r = space.zeros();
    equations.residual(space.zeros(), r);
    return r;
  };
  Constraints fixed(space);
  fixed.relate(tie(space, space.mesh().region("up_bottom"), space.mesh().region("low_top"), options).equations);
  fixed.finish();
  Vector passed = forces("up_bottom");
  fixed.gather(passed);
  return largest_difference(passed, forces("low_top"));
}

// Corners of triangles of order 4 have no dual functions: their neighbours take their part.
TEST(Mortar, PassesAConstantTractionOnInHigherOrders) {
  for (const CellKind kind : {tet4, hex8})
    for (const int order : {3, 4}) {
      const Mesh mesh = two_parts({kind, kind, 2, 3});
      const FunctionSpace space(mesh, 1, cpu(), {.order = order});
      EXPECT_LT(largest_lost(space, Load<1, 3, 1>{{1}}, {.integrated = true}), 1e-15) << traits(kind).name << order;
    }
}

// Facets with bent edges are divided where they meet.
TEST(Mortar, PassesAConstantTractionNearlyOnBetweenBentFacets) {
  for (const auto& [low, up] : {std::pair{hex20, hex20}, std::pair{tet10, tet10}, std::pair{hex20, tet10}}) {
    const Mesh mesh = two_parts({low, up, 2, 3, 0, bent});
    const FunctionSpace space(mesh, 1, cpu());
    EXPECT_LT(largest_lost(space, Load<1, 3, 1>{{1}}, {.integrated = true}), 1e-5);  // forces are some 0.05
    EXPECT_GT(largest_lost(space, Load<1, 3, 1>{{1}}, {}), 0.02);
  }
}

// Rings of a body of revolution grow with the radius.
TEST(Mortar, PassesAConstantTractionOnInABodyOfRevolution) {
  const auto narrower = [](std::span<double, 3> x) { x[0] *= 0.5 + 0.5 * x[0]; };
  const Mesh mesh = two_parts({quad4, tri3, 2, 3, 0, narrower});
  const FunctionSpace space(mesh, 1, cpu());
  const FormValue traction = Load<1, 2, 1>{.density = {1}, .weight = 1, .axisymmetric = true};
  EXPECT_LT(largest_lost(space, traction, {.integrated = true, .of_revolution = true}), 1e-15);
  EXPECT_GT(largest_lost(space, traction, {.integrated = true}), 1e-5);
}

// Two rings of a quarter under pressures inside and outside, in plane strain.
class Rings {
 public:
  Rings(CellKind kind, Index inner_count, Index outer_count, bool integrated, double inside, double outside)
      : mesh_(two_rings(inner_count, outer_count, kind)),
        space_(mesh_, 2, cpu()),
        equations_(space_, {Integral::over_all_cells(elastic_form(2)),
                            Integral::over(Pressure<2>{inside, thickness}, mesh_.region("in_y0")),
                            Integral::over(Pressure<2>{outside, thickness}, mesh_.region("out_y1"))}),
        fixed_(space_) {
    for (const std::string part : {"in_", "out_"}) {
      fixed_.prescribe(mesh_.region(part + "x0"), 0, 0, "x");
      fixed_.prescribe(mesh_.region(part + "x1"), 1, 0, "y");
    }
    const TieOptions options{.integrated = integrated, .held = fixed_.host_mask()};
    fixed_.relate(tie(space_, mesh_.region("out_y0"), mesh_.region("in_y1"), options).equations);
    fixed_.finish();
    stress_ = evaluate(equations_, solve_static(equations_, fixed_, {}).u);
  }
  // Relative, of the radial stress where the rings meet.
  double largest_error(double exact) const {
    double largest = 0;
    for (const char* side : {"in_y1", "out_y0"})
      for (const Node node : nodes_in(mesh_, mesh_.region(side))) {
        const double x = mesh_.point(node)[0] / 2, y = mesh_.point(node)[1] / 2;
        const double radial = x * x * at(node, 0) + y * y * at(node, 1) + 2 * x * y * at(node, 3);
        largest = std::max(largest, std::abs(radial / exact - 1));
      }
    return largest;
  }

 private:
  double at(Node node, std::size_t component) const {
    return stress_.at_nodes[static_cast<std::size_t>(Index{node} * stress_.components) + 6 + component];
  }
  Mesh mesh_;
  FunctionSpace space_;
  Operator equations_;
  Constraints fixed_;
  DerivedFields stress_;
};

// Lame's solution: A - B / r^2 with A = 1 / 8, B = 9 / 8.
TEST(Mortar, RingsUnderPressureHaveTheStressOfOneRing) {
  constexpr double exact = 1.0 / 8 - 9.0 / 8 / 4;
  const double one_ring = Rings(quad8, 6, 6, false, 1, 0).largest_error(exact);
  EXPECT_NEAR(Rings(quad8, 6, 7, true, 1, 0).largest_error(exact), one_ring, 1e-4);
  EXPECT_GT(Rings(quad8, 6, 7, false, 1, 0).largest_error(exact), 3 * one_ring);
}

// A pressure on all sides: what the shapes of the two sides differ by is left, and less in order 2. The wrong way
// round, the normals of the finer side vary where forces on the coarser one do not.
TEST(Mortar, RingsUnderAPressureOnAllSidesHaveNearlyConstantStress) {
  const auto error = [](CellKind kind, Index inner_count, Index outer_count, bool integrated) {
    return Rings(kind, inner_count, outer_count, integrated, 1, 1).largest_error(-1);
  };
  EXPECT_LT(error(quad4, 6, 7, true), 3e-3);
  EXPECT_LT(error(quad8, 6, 7, true), 2e-5);
  EXPECT_LT(error(tri6, 6, 7, true), 3e-5);
  EXPECT_GT(error(quad8, 6, 7, false), 0.05);
  EXPECT_LT(error(quad8, 7, 4, true), 0.03);
  EXPECT_GT(error(quad8, 7, 4, false), 0.3);
}

}  // namespace
}  // namespace ritz::test::mortar_test
