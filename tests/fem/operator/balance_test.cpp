// L10: internal forces of any displacement balance, and reactions sum to minus the loads, as forces and as moments.
#include "tests/fem/models.hpp"

#include <cmath>

namespace ritz::test {
namespace {

struct Resultant {
  std::vector<double> force, moment;  // [component]; x cross f, one number in the plane
  double scale = 0;                   // sum of |f| and of |x| |f|
};

Resultant resultant(const DiscreteProblem& model, std::span<const double> r) {
  const auto c = static_cast<std::size_t>(model.space.components());
  Resultant sum{std::vector<double>(c, 0.0), std::vector<double>(c == 3 ? 3 : 1, 0.0), 0};
  for (std::size_t n = 0; n < r.size() / c; ++n) {
    const auto x = model.mesh.point(static_cast<Index>(n));
    const double* f = r.data() + n * c;
    for (std::size_t i = 0; i < c; ++i) {
      sum.force[i] += f[i];
      sum.scale += std::abs(f[i]) * (1 + std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]));
    }
    if (c == 2) sum.moment[0] += x[0] * f[1] - x[1] * f[0];
    for (std::size_t i = 0; c == 3 && i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      sum.moment[i] += x[j] * f[k] - x[k] * f[j];
    }
  }
  return sum;
}

class Balance : public CellTest {
 public:
  Mesh mesh() const { return patch(kind(), {.count = 2, .random = 0.1}); }
  std::vector<double> random_displacement(const DiscreteProblem& model) const {
    return random_values(static_cast<std::size_t>(model.space.unknown_count()), 5);
  }
};
INSTANTIATE_TEST_SUITE_P(Cells, Balance, ::testing::ValuesIn(cell_kinds()), kind_name);

// Every sum has fewer than 10^4 terms of alternating sign: 1000 unit roundoffs of the sum of magnitudes.
TEST_P(Balance, InternalForcesHaveNoResultant) {
  const DiscreteProblem model(mesh(), elastic_form(dimension()));
  const Resultant sum = resultant(model, model.residual(random_displacement(model)));
  for (const double f : sum.force) EXPECT_NEAR(f, 0, 1000 * unit_roundoff * sum.scale);
  for (const double m : sum.moment) EXPECT_NEAR(m, 0, 1000 * unit_roundoff * sum.scale);
}

TEST_P(Balance, HeatFlowsSumToZero) {
  const DiscreteProblem model(mesh(), heat_form(dimension()));
  double sum = 0, scale = 0;
  for (const double q : model.residual(random_displacement(model))) {
    sum += q;
    scale += std::abs(q);
  }
  EXPECT_NEAR(sum, 0, 1000 * unit_roundoff * scale);
}

// residual = internal - external, so its resultant is minus that of the body force: V b and V centroid x b.
TEST_P(Balance, ResidualsSumToMinusTheBodyForce) {
  std::vector<double> b = {1.3, -0.7, 2.1};
  b.resize(static_cast<std::size_t>(dimension()));
  const DiscreteProblem model(mesh(), dimension(), [&](const Mesh&) {
    return std::vector{Integral::over_all_cells(elastic_form(dimension())),
                       Integral::over_all_cells(volume_load(dimension(), b))};
  });
  const Resultant sum = resultant(model, model.residual(random_displacement(model)));
  const double V = patch_volume(dimension()) * (dimension() == 2 ? thickness : 1);
  const Point x = patch_centroid(dimension());
  const double tolerance = 1000 * unit_roundoff * sum.scale;
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(sum.force[i], -V * b[i], tolerance);
  if (dimension() == 2) { EXPECT_NEAR(sum.moment[0], -V * (x[0] * b[1] - x[1] * b[0]), tolerance); }
  for (std::size_t i = 0; dimension() == 3 && i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    EXPECT_NEAR(sum.moment[i], -V * (x[j] * b[k] - x[k] * b[j]), tolerance);
  }
}

// The pressure on a closed surface has neither a force nor a moment: sum of n dA = 0 and of x cross n dA = 0.
TEST_P(Balance, PressureAllAroundHasNoResultant) {
  const FormValue pressure = dimension() == 3 ? FormValue(Pressure<3>{4.2}) : FormValue(Pressure<2>{4.2, thickness});
  const DiscreteProblem model(mesh(), dimension(), [&](const Mesh& m) {
    std::vector<Integral> integrals;
    for (const Side& side : sides(dimension())) integrals.push_back(Integral::over(pressure, m.region(side.region)));
    return integrals;
  });
  const Resultant sum =
      resultant(model, model.residual(std::vector<double>(static_cast<std::size_t>(model.space.unknown_count()))));
  EXPECT_GT(sum.scale, 1);
  for (const double f : sum.force) EXPECT_NEAR(f, 0, 1000 * unit_roundoff * sum.scale);
  for (const double m : sum.moment) EXPECT_NEAR(m, 0, 1000 * unit_roundoff * sum.scale);
}

// Several integrals over the same cells and facets add up.
TEST_P(Balance, IntegralsOverTheSameCellsAddUp) {
  const FormValue heat = heat_form(dimension()), source = volume_load(dimension(), std::array{2.5}),
                  flux = facet_load(dimension(), std::array{-1.5});
  const auto integrals = [&](std::vector<int> which) {
    return [&, which](const Mesh& m) {
      const std::vector all{Integral::over_all_cells(heat), Integral::over(source, m.region("all")),
                            Integral::over(flux, m.region("x0")), Integral::over(flux, m.region("x0"))};
      std::vector<Integral> chosen;
      for (const int i : which) chosen.push_back(all[static_cast<std::size_t>(i)]);
      return chosen;
    };
  };
  const DiscreteProblem all(mesh(), 1, integrals({0, 1, 2, 3})), a(mesh(), 1, integrals({0})),
      b(mesh(), 1, integrals({1})), c(mesh(), 1, integrals({2}));
  const std::vector<double> u = random_displacement(all), sum = all.residual(u), ra = a.residual(u), rb = b.residual(u),
                            rc = c.residual(u);
  const double tolerance = 200 * unit_roundoff * (1 + all.magnitude(u));
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(sum[i], ra[i] + rb[i] + 2 * rc[i], tolerance);
}

}  // namespace
}  // namespace ritz::test
