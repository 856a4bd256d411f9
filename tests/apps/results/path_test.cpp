#include "apps/results/path.hpp"

#include "apps/results/stress_measures.hpp"
#include "mesh/generators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ritz {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

using Tensor = LinearisedStress::Tensor;
constexpr Point along_x = {1, 0, 0};

// [place][6] of f(share of the line).
template <class F>
std::vector<double> stresses_of(std::size_t count, F f) {
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor at = f(static_cast<double>(i) / static_cast<double>(count - 1));
    all.insert(all.end(), at.begin(), at.end());
  }
  return all;
}

MATCHER_P(Near, tolerance, "") { return std::abs(std::get<0>(arg) - std::get<1>(arg)) <= tolerance; }

TEST(LinearisedStress, OfALinearStressIsItsMeanAndItsSlopeWithoutPeak) {
  const Tensor mean = {1, -2, 3, 0.5, -4, 2}, slope = {2, 7, -1, 3, 0.25, -6};
  for (const std::size_t count : {3u, 4u, 5u, 6u, 100u, 101u}) {
    const auto s = linearised(stresses_of(count,
                                          [&](double share) {
                                            Tensor t = mean;
                                            for (std::size_t c = 0; c < 6; ++c) t[c] += slope[c] * (1 - 2 * share);
                                            return t;
                                          }),
                              along_x, BendingOf::all);
    EXPECT_THAT(s.membrane, Pointwise(Near(1e-13), mean)) << count;
    EXPECT_THAT(s.bending, Pointwise(Near(1e-12), slope)) << count;
    EXPECT_THAT(s.peak(LinearisedStress::begin), Pointwise(Near(1e-12), Tensor{})) << count;
    EXPECT_THAT(s.peak(LinearisedStress::end), Pointwise(Near(1e-12), Tensor{})) << count;
  }
}

// sigma = s^2: its mean is 1/3, its moment 6 int s^2 (1/2 - s) ds = 6 (1/6 - 1/4) = -1/2, and the peak is 1/6 at either
// end.
TEST(LinearisedStress, OfAParabolaIsExactForOddAndEvenCounts) {
  for (const std::size_t count : {3u, 4u, 8u, 9u}) {
    const auto s = linearised(stresses_of(count, [](double share) { return Tensor{0, share * share, 0, 0, 0, 0}; }),
                              along_x, BendingOf::wall);
    EXPECT_NEAR(s.membrane[1], 1.0 / 3, 1e-14);
    EXPECT_NEAR(s.bending[1], -0.5, 1e-14);
    EXPECT_NEAR(s.peak(LinearisedStress::begin)[1], 1.0 / 6, 1e-14);
    EXPECT_NEAR(s.peak(LinearisedStress::end)[1], 1.0 / 6, 1e-14);
  }
}

// Lamé's tube of radii a, b under an inner pressure p: sigma_t = A + B / r^2, sigma_r = A - B / r^2 with A = p a^2 /
// (b^2 - a^2), B = A b^2. The mean of sigma_t is p a / (b - a), by balance, and that of 6 / t^2 int (t / 2 - r + a) B /
// r^2 dr = 6 B / t^2 (t^2 / (2 a b) - ln(b / a) + t / b).
TEST(LinearisedStress, OfLamesTubeHasTheClosedForm) {
  const double a = 0.1, b = 0.2, t = b - a, p = 60e6, A = p * a * a / (b * b - a * a), B = A * b * b;
  const auto s = linearised(stresses_of(101,
                                        [&](double share) {
                                          const double r = a + share * t;
                                          return Tensor{A - B / (r * r), 0.6 * A, A + B / (r * r), 0, 0, 0};
                                        }),
                            along_x, BendingOf::wall);
  const double bending = 6 * B / (t * t) * (t * t / (2 * a * b) - std::log(b / a) + t / b);
  EXPECT_NEAR(s.membrane[2], p * a / t, 1e-8 * p);
  EXPECT_NEAR(s.bending[2], bending, 1e-7 * p);
  EXPECT_NEAR(s.peak(LinearisedStress::begin)[2], 100e6 - p * a / t - bending, 1e-7 * p);
  EXPECT_NEAR(s.peak(LinearisedStress::end)[2], 40e6 - p * a / t + bending, 1e-7 * p);
  EXPECT_NEAR(s.bending[1], 0, 1e-8 * p);  // the axial stress is constant,
  EXPECT_EQ(s.bending[0], 0);              // and the radial one has no bending part
  EXPECT_NEAR(s.membrane[0], A - B / (a * b), 1e-8 * p);
  EXPECT_NEAR(tresca(s.membrane), p * a / t - (A - B / (a * b)), 1e-7 * p);
}

// A wall whose normal is n: the bending part has no component along n, whatever the stress, and the invariants of all
// parts are those of the same wall in another frame.
TEST(LinearisedStress, TurnsWithTheWall) {
  const double c = std::cos(0.7), s = std::sin(0.7);
  const auto turned = [&](const Tensor& t) {  // about z
    return Tensor{c * c * t[0] - 2 * c * s * t[3] + s * s * t[1],
                  s * s * t[0] + 2 * c * s * t[3] + c * c * t[1],
                  t[2],
                  c * s * (t[0] - t[1]) + (c * c - s * s) * t[3],
                  s * t[5] + c * t[4],
                  c * t[5] - s * t[4]};
  };
  const auto stress = [](double share) {
    return Tensor{share, std::exp(share), 2 - share * share, 1 + share, share, 3 * share};
  };
  const auto one = linearised(stresses_of(101, stress), along_x, BendingOf::wall);
  const auto other = linearised(stresses_of(101, [&](double share) { return turned(stress(share)); }),
                                {3 * c, 3 * s, 0}, BendingOf::wall);
  EXPECT_THAT(other.bending, Pointwise(Near(1e-13), turned(one.bending)));
  EXPECT_THAT(one.bending, ElementsAre(0, DoubleNear(one.bending[1], 0), DoubleNear(one.bending[2], 0), 0,
                                       DoubleNear(one.bending[4], 0), 0));
  EXPECT_GT(std::abs(one.bending[4]), 0.1);
  for (const auto end : {LinearisedStress::begin, LinearisedStress::end})
    EXPECT_NEAR(von_mises(other.with_bending(end)), von_mises(one.with_bending(end)), 1e-12);
}

TEST(StressMeasures, TrescaIsTwiceTheGreatestShearStress) {
  EXPECT_NEAR(tresca(Tensor{5, -3, 1, 0, 0, 0}), 8, 1e-14);
  EXPECT_NEAR(tresca(Tensor{0, 0, 0, 2, 0, 0}), 4, 1e-14);
}

// A box of 2 x 1 x 0.5 with a linear field.
struct Crossed {
  Mesh mesh = box(4, 2, 2, {2, 1, 0.5}, CellKind::hex8, {.smooth = 0.05});
  std::vector<Field> nodal = {{"T", 1, {}}, {"stress", 6, {}}, {"reaction", 3, {}}};
  std::vector<Field> cells = {{"number", 1, {}}};
  Crossed() {
    for (Node node = 0; node < mesh.node_count(); ++node) {
      const auto x = mesh.point(node);
      nodal[0].values.push_back(1 + x[0] - 2 * x[1] + 3 * x[2]);
      for (const double each : {x[1], x[0], 0.0, 0.0, 0.0, 0.0}) nodal[1].values.push_back(each);
      nodal[2].values.insert(nodal[2].values.end(), {1, 2, 3});
    }
    for (Index cell = 0; cell < mesh.cell_count(); ++cell) cells[0].values.push_back(static_cast<double>(cell));
  }
  PathResult result(const std::string& text) const {
    Case input = Case::from_text("[[path]]\nname = 'p'\n" + text);
    const Paths paths(input, mesh, {nodal, cells});
    input.finish();
    return paths.evaluate(mesh, {nodal, cells}).front();
  }
  std::string error(const std::string& text) const {
    Case input = Case::from_text(text);
    try {
      const Paths paths(input, mesh, {nodal, cells});
      for (const Case::Table& t : input.tables("probe", "")) t.excuse();
      input.finish();
    } catch (const Error& error) { return error.what(); }
    ADD_FAILURE() << "no error";
    return {};
  }
};

TEST(Paths, AFieldIsThatOfTheCellsAlongAPolyline) {
  const Crossed body;
  const PathResult path = body.result("points = [[0, 0, 0], [2, 0, 0], [2, 1, 0.5]]\ncount = 11\nfields = 'T'");
  ASSERT_EQ(path.fields.size(), 1u);
  EXPECT_EQ(path.points.front(), (Point{0, 0, 0}));
  EXPECT_EQ(path.points.back(), (Point{2, 1, 0.5}));
  EXPECT_NE(std::ranges::find(path.points, Point{2, 0, 0}), path.points.end());  // corners are places
  EXPECT_NEAR(path.distance.back(), 2 + std::sqrt(1.25), 1e-14);
  for (std::size_t i = 0; i < path.points.size(); ++i) {
    const Point& x = path.points[i];
    EXPECT_NEAR(path.fields[0].values[i], 1 + x[0] - 2 * x[1] + 3 * x[2], 1e-12);
  }
}

TEST(Paths, WithoutNamesTakeAllFieldsThatHaveValuesBetweenNodes) {
  const Crossed body;
  const PathResult path = body.result("points = [[0, 0.2, 0.2], [2, 0.2, 0.2]]\ncount = 3");
  ASSERT_EQ(path.fields.size(), 2u);
  EXPECT_EQ(path.fields[0].field.name, "T");
  EXPECT_EQ(path.fields[1].field.name, "stress");
  EXPECT_THAT(table_of(path),
              HasSubstr("distance,x,y,z,T,stress_xx,stress_yy,stress_zz,stress_xy,stress_yz,stress_xz\n0,0,0.2,0.2,"));
}

TEST(Paths, AFieldInCellsIsThatOfTheCellThere) {
  const Crossed body;
  const PathResult path = body.result("points = [[0.1, 0.1, 0.1], [1.9, 0.1, 0.1]]\ncount = 3\nfields = 'number'");
  EXPECT_EQ(path.fields[0].values.front(), 0);
  EXPECT_EQ(path.fields[0].values.back(), 3);
}

TEST(Paths, ALinearStressHasNoPeak) {
  const PathResult path = Crossed().result("points = [[0, 0.3, 0.2], [2, 0.3, 0.2]]\nlinearise = true");
  ASSERT_TRUE(path.stress);
  EXPECT_NEAR(path.stress->membrane[1], 1, 1e-12);  // yy is x
  EXPECT_NEAR(path.stress->bending[1], -1, 1e-12);
  EXPECT_NEAR(path.stress->membrane[0], 0.3, 1e-12);
  const auto numbers = equivalents_of(path);
  EXPECT_EQ(numbers.front().first, "p_membrane");
  EXPECT_NEAR(numbers.front().second.front(), std::sqrt(1 + 0.09 - 0.3), 1e-12);
  EXPECT_THAT(table_of_linearised(path), HasSubstr("\npeak,end,"));
}

// A chord of a round wall ends a little outside of its cells.
TEST(Paths, PlacesALittleOutsideHaveTheNearestValue) {
  const Crossed body;
  Case input = Case::from_text("[[path]]\nname = 'p'\npoints = [[-0.01, 0.5, 0.2], [2, 0.5, 0.2]]\nfields = 'T'");
  const Paths paths(input, body.mesh, {body.nodal, body.cells});
  input.finish();
  EXPECT_THAT(paths.notices(), ElementsAre(HasSubstr("leaves the body by up to 0.01 m")));
  EXPECT_NEAR(paths.evaluate(body.mesh, {body.nodal, body.cells}).front().fields[0].values.front(), 1 - 1 + 0.6, 1e-12);
}

TEST(Paths, ErrorsNamePlaceAndRemedy) {
  const Crossed body;
  const std::string path = "[[path]]\nname = 'p'\n", inside = path + "points = [[0, 0, 0], [1, 0, 0]]\n";
  for (const auto& [text, words] :
       {std::pair{path + "points = [[0, 0, 0], [3, 0, 0]]", "along the path, the point (2.0"},
        {path + "points = [[0, 0, 0]]", "the path has one point"},
        {path + "points = [[0, 0, 0], [0, 0, 0], [1, 0, 0]]", "are the same"},
        {path + "points = [[0, 0, 0], [1]]", "points of two or three numbers"},
        {path + "points = 1", "points of two or three numbers"},
        {inside + "fields = 'temperature'", "there is no field 'temperature'"},
        {inside + "fields = 'reaction'", "holds forces at nodes"},
        {inside + "count = 2", "at least 3"},
        {path + "points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]\nlinearise = true", "straight line"},
        {inside + inside, "a second path is called 'p'"},
        {"[[path]]\nname = 'a/b'\npoints = [[0, 0, 0], [1, 0, 0]]", "cannot be called 'a/b'"},
        {inside + "linearise = true\n[[probe]]\nname = 'p_membrane'", "a probe is called 'p_membrane'"}})
    EXPECT_THAT(body.error(text), HasSubstr(words)) << text;
}

TEST(Paths, OfTwoDimensionsHaveTwoCoordinates) {
  const Mesh plate = rectangle(2, 2, {1, 1}, CellKind::quad4);
  const std::vector<Field> nodal = {{"T", 1, std::vector<double>(static_cast<std::size_t>(plate.node_count()), 7)}};
  const auto of = [&](const std::string& points) {
    Case input = Case::from_text("[[path]]\nname = 'p'\npoints = " + points);
    const Paths paths(input, plate, {nodal});
    input.finish();
    return paths.evaluate(plate, {nodal}).front().fields[0].values;
  };
  EXPECT_THAT(of("[[0, 0], [1, 1]]"), ::testing::Each(DoubleNear(7, 1e-14)));
  EXPECT_THROW(of("[[0, 0, 0.5], [1, 1, 0.5]]"), Error);
}

}  // namespace
}  // namespace ritz
