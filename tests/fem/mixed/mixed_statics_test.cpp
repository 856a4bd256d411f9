// Statics of several fields by iteration: the solution of a factorisation, in a number of iterations that the mesh, the
// units and jumps of a coefficient do not raise; what is refused; and its memory beside the forecast.
#include "device/error.hpp"
#include "fem/analysis/fields_needs.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/mixed/mixed_problems.hpp"

#include <algorithm>
#include <cmath>

namespace ritz::test::mixed_statics_test {
namespace {

StaticSolution solved(const Problem& problem, LinearMethod method, double relative = 1e-9) {
  return solve_static(problem.equations, problem.supports, {.method = method, .relative = relative});
}

// Iterations on two meshes, of which the finer one is compared with a factorisation.
void check(const std::unique_ptr<Problem>& coarse, const std::unique_ptr<Problem>& fine, LinearMethod method,
           int most) {
  const int before = solved(*coarse, method).report.iterations;
  const StaticSolution s = solved(*fine, method), exact = solved(*fine, LinearMethod::direct);
  EXPECT_LE(s.report.iterations, most) << s.report.preconditioner;
  EXPECT_LE(s.report.iterations, 2 * before + 20) << s.report.preconditioner;
  for (int k = 0; k < fine->equations.field_count(); ++k) {
    Vector difference = fine->equations.layout().part(s.u, k);
    const Vector known = fine->equations.layout().part(exact.u, k);
    axpy(-1, known, difference);
    EXPECT_LE(norm2(difference), 1e-6 * norm2(known)) << k;
  }
  EXPECT_LE(s.residual, 2e-9);
}

class MixedStatics : public CellTest {
 public:
  Index fine(Index plane, Index solid) const { return dimension() == 2 ? plane : solid; }
};
INSTANTIATE_TEST_SUITE_P(Cells, MixedStatics,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8), kind_name);

TEST_P(MixedStatics, StokesByMinresAndGmres) {
  const MixedFormValue form = form_of<Stokes>(dimension(), 1.0);
  const Index n = fine(16, 4);
  check(flow(kind(), n / 2, form), flow(kind(), n, form), LinearMethod::minres, 200);
  check(flow(kind(), n / 2, form), flow(kind(), n, form), LinearMethod::gmres, 90);
}

TEST_P(MixedStatics, StokesInAnyUnitsAndWithViscositiesThatJump) {
  const Index n = fine(12, 4);
  const int usual = solved(*flow(kind(), n, form_of<Stokes>(dimension(), 1.0)), LinearMethod::minres).report.iterations;
  for (const double viscosity : {1e-3, 1e2}) {
    const auto problem = flow(kind(), n, form_of<Stokes>(dimension(), viscosity), 3);
    EXPECT_LE(solved(*problem, LinearMethod::minres).report.iterations, 1.5 * usual) << viscosity;
  }
  const PointFunction jump = [](std::span<const double> at, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = at[3 * i] > 0.5 ? 1e4 : 1;
  };
  const auto problem =
      flow(kind(), n, dimension() == 3 ? MixedFormValue(Stokes<3>{}, {jump}) : MixedFormValue(Stokes<2>{}, {jump}));
  EXPECT_LE(solved(*problem, LinearMethod::minres).report.iterations, 3 * usual + 40);
}

TEST_P(MixedStatics, MixedPoisson) {
  const Index n = fine(16, 4);
  check(seepage(kind(), n / 2), seepage(kind(), n), LinearMethod::minres, 80);
  check(seepage(kind(), n / 2, 0.1), seepage(kind(), n, 0.1), LinearMethod::gmres, 80);
}

TEST_P(MixedStatics, CurlCurl) {
  const Index n = fine(16, 4);
  for (const double b : {1.0, 1e-2, 1e4})
    check(current(kind(), n / 2, b), current(kind(), n, b), LinearMethod::minres, 60);
}

TEST_P(MixedStatics, ThermoElasticity) {
  const Index n = fine(12, 4);
  check(warming(kind(), n / 2), warming(kind(), n), LinearMethod::gmres, 70);
}

TEST_P(MixedStatics, NeedsAreThoseThatWereForecast) {
  const Index n = fine(24, 5);
  std::vector<std::unique_ptr<Problem>> problems;
  problems.push_back(flow(kind(), n, form_of<Stokes>(dimension(), 1.0)));
  problems.push_back(seepage(kind(), n));
  problems.push_back(current(kind(), n));
  problems.push_back(warming(kind(), n));
  for (const auto& problem : problems)
    for (const LinearMethod method : {LinearMethod::direct, LinearMethod::minres}) {
      const bool minres = method == LinearMethod::minres;
      const LinearSolverOptions options{.method = minres && !problem->equations.facts().symmetric ? LinearMethod::gmres
                                                                                                  : method};
      MemoryPool& pool = problem->equations.device().memory();
      const MemoryNeeds needs =
          fields_needs(problem->equations, minres ? MixedPath::iterative : MixedPath::direct, options);
      const Index standing = pool.statistics().live;
      pool.reset_peak();
      solve_static(problem->equations, problem->supports, options);
      const double taken = double(pool.statistics().peak - standing), foreseen = double(needs.total());
      constexpr double dense = 4e6;  // the inverse of a coarsest level, which no forecast of small problems counts
      EXPECT_GE(foreseen + (minres ? dense : 0), 0.85 * taken)
          << problem->equations.terms().integrals().front().form.name << " " << name_of(options.method);
      EXPECT_LE(foreseen, 1.4 * taken) << problem->equations.terms().integrals().front().form.name << " "
                                       << name_of(options.method);
    }
}

Exit exit_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) { return error.exit(); }
  return Exit::ok;
}

TEST(MixedStaticsErrors, AreNamed) {
  const auto stokes = flow(CellKind::tri3, 6, form_of<Stokes>(2, 1.0));
  EXPECT_EQ(exit_of([&] {
              solve_static(stokes->equations, stokes->supports, {.method = LinearMethod::minres, .max_iterations = 3});
            }),
            Exit::not_converged);
  EXPECT_EQ(exit_of([&] { solved(*stokes, LinearMethod::conjugate_gradient); }), Exit::input);
  EXPECT_EQ(exit_of([&] { solved(*warming(CellKind::tri3, 4), LinearMethod::minres); }), Exit::input);
  EXPECT_EQ(exit_of([&] { solved(*current(CellKind::tri3, 4, 1, 1), LinearMethod::minres); }), Exit::input);
  Problem closed(disturbed_mesh(CellKind::tri3, 6), form_of<Stokes>(2, 1.0), {Integral::over_all_cells(body_force(2))});
  for (const char* side : {"x0", "x1", "y0", "y1"})
    for (int c = 0; c < 2; ++c) closed.supports[0].prescribe(closed.mesh.region(side), c, 0.0, side);
  closed.supports.finish();
  EXPECT_EQ(exit_of([&] { solved(closed, LinearMethod::minres); }), Exit::model);
}

TEST(MixedStaticsChoice, FactorisesWhatIsSmallAndIteratesWhereMemoryIsShort) {
  const auto stokes = flow(CellKind::tri3, 8, form_of<Stokes>(2, 1.0));
  EXPECT_EQ(first_path(stokes->equations, {}), MixedPath::direct);
  const StaticSolution usual = solve_static(stokes->equations, stokes->supports);
  EXPECT_TRUE(usual.report.fallbacks.empty());
  const StaticSolution other = solve_static(stokes->equations, stokes->supports, {.direct_memory = 1000});
  EXPECT_EQ(other.report.fallbacks.size(), 1u);
  EXPECT_NE(other.report.preconditioner.find("multigrid"), std::string::npos);
  Vector difference = stokes->equations.zeros();
  copy(other.u, difference);
  axpy(-1, usual.u, difference);
  EXPECT_LE(norm2(difference), 1e-6 * norm2(usual.u));
}

}  // namespace
}  // namespace ritz::test::mixed_statics_test
