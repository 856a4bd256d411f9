// Equations with other numbers: data kept from one solution to the next changes no answer, and is kept where possible.
#include "fem/analysis/static_solution.hpp"

#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"

namespace ritz::test::system_cache_test {
namespace {

// A heated patch between prescribed temperatures.
struct Heated {
  explicit Heated(CellKind kind)
      : dimension(traits(kind).dimension),
        mesh(patch(kind, {.random = 0.1})),
        space(mesh, 1, Device::named("cpu", 2)) {}

  std::vector<Integral> numbers(double conductivity, double source) const {
    const std::vector<double> density{source};
    const FormValue diffusion =
        dimension == 3 ? FormValue(Diffusion<3>{conductivity}) : FormValue(Diffusion<2>{conductivity});
    return {Integral::over_all_cells(diffusion), Integral::over_all_cells(volume_load(dimension, density))};
  }
  Constraints held(double value, const char* region = "x0") const {
    Constraints fixed(space);
    fixed.prescribe(mesh.region(region), 0, value, "test");
    fixed.finish();
    return fixed;
  }

  int dimension;
  Mesh mesh;
  FunctionSpace space;
};

double difference(const Vector& a, const Vector& b) {
  Vector d(a.device(), a.size(), "test");
  copy(a, d);
  axpy(-1.0, b, d);
  return norm2(d) / norm2(b);
}

StaticSolution solve(const Operator& equations, const Constraints& fixed, const LinearSolverOptions& options,
                     SystemCache& reuse) {
  return std::move(
      solve_static(equations, LoadVectors{.cases = {{"", {}, &fixed, {}}}}, options, {}, &reuse).cases.front());
}

class ReuseOn : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, ReuseOn,
                         ::testing::Values(CellKind::tri6, CellKind::quad4, CellKind::tet4, CellKind::hex8), kind_name);

TEST_P(ReuseOn, ChangesNoAnswer) {
  const Heated model(kind());
  for (const LinearMethod method : {LinearMethod::direct, LinearMethod::conjugate_gradient}) {
    const LinearSolverOptions options{.method = method, .relative = 1e-12};
    Operator equations(model.space, model.numbers(1, 1));
    SystemCache reuse;
    const struct {
      double k, q, T;
      const char* where;
    } members[] = {{1, 1, 0, "x0"}, {1, 5, 2, "x0"}, {7, 5, 2, "x0"}, {7, 5, 2, "x1"}, {1, 1, 0, "x0"}};
    for (const auto& m : members) {
      ASSERT_TRUE(equations.inputs().set_numbers(model.numbers(m.k, m.q)));
      const Constraints fixed = model.held(m.T, m.where);
      const Operator fresh(model.space, model.numbers(m.k, m.q));
      EXPECT_LE(difference(solve(equations, fixed, options, reuse).u, solve_static(fresh, fixed, options).u), 1e-9);
    }
    EXPECT_EQ(reuse.matrices(), 4);  // loads and values alone make no new one
    if (method == LinearMethod::direct) {
      EXPECT_EQ(reuse.solver().analyses, 1);
      EXPECT_EQ(reuse.solver().factorisations, 3);
    } else {
      // The solver of the first may serve for all, but not where other unknowns are prescribed.
      EXPECT_GE(reuse.solver().set_ups + reuse.solver().refreshes, 2);
      EXPECT_LE(reuse.solver().set_ups + reuse.solver().refreshes, 4);
    }
  }
}

// Seven times the conductivity, a seventh of the temperature: what was found before is the solution, but for its size.
TEST(Reuse, AMatrixThatIsOnlyScaledNeedsNoIteration) {
  const Heated model(CellKind::hex8);
  const LinearSolverOptions options{
      .method = LinearMethod::conjugate_gradient, .relative = 1e-9, .promise = MatrixPromise::positive_definite};
  Operator equations(model.space, model.numbers(1, 1));
  const Constraints fixed = model.held(0);
  SystemCache reuse;
  const StaticSolution first = solve(equations, fixed, options, reuse);
  EXPECT_GT(first.report.iterations, 0);
  ASSERT_TRUE(equations.inputs().set_numbers(model.numbers(7, 1)));
  StaticSolution second = solve(equations, fixed, options, reuse);
  EXPECT_EQ(second.report.iterations, 0);
  EXPECT_EQ(second.report.method, "combination of earlier solutions");
  EXPECT_LE(second.report.true_relative_residual, 1e-9);
  axpby(0.0, second.u, 7.0, second.u);
  EXPECT_LE(difference(second.u, first.u), 1e-8);
}

// Other loads need iterations, but no other hierarchy.
TEST(Reuse, AHierarchyServesForOtherValues) {
  const Heated model(CellKind::hex8);
  const LinearSolverOptions options{
      .method = LinearMethod::conjugate_gradient, .relative = 1e-9, .promise = MatrixPromise::positive_definite};
  Operator equations(model.space, model.numbers(1, 1));
  SystemCache reuse;
  solve(equations, model.held(0), options, reuse);
  ASSERT_TRUE(equations.inputs().set_numbers(model.numbers(7, 5)));
  const Constraints warm = model.held(2);
  const StaticSolution s = solve(equations, warm, options, reuse);
  EXPECT_LE(difference(s.u, solve_static(Operator(model.space, model.numbers(7, 5)), warm, options).u), 1e-7);
  EXPECT_EQ(reuse.matrices(), 2);
  EXPECT_EQ(reuse.solver().set_ups, 1);
  EXPECT_EQ(reuse.solver().refreshes, 0);
}

TEST(Reuse, MembersWithTheirOwnNumbersAreSolvedTogether) {
  const Heated model(CellKind::hex8);
  Operator equations(model.space, model.numbers(3, 1));
  const Constraints fixed = model.held(1);
  LoadVectors loads;
  for (const double q : {1.0, -2.0, 0.5})
    loads.cases.push_back(
        {"", {}, &fixed, [&equations, &model, q] { equations.inputs().set_numbers(model.numbers(3, q)); }});
  equations.inputs().set_numbers(model.numbers(99, 0));  // whatever somebody left there
  SystemCache reuse;
  const LinearSolverOptions options{.method = LinearMethod::direct, .relative = 1e-12};
  const std::vector<StaticSolution> all = solve_static(equations, loads, options, {}, &reuse).cases;
  const double sources[] = {1.0, -2.0, 0.5};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LE(difference(all[i].u, solve_static(Operator(model.space, model.numbers(3, sources[i])), fixed, options).u),
              1e-9);
}

TEST(Reuse, OtherFormsOrPlacesAreOtherEquations) {
  const Heated model(CellKind::hex8);
  Operator equations(model.space, model.numbers(1, 1));
  EXPECT_FALSE(equations.inputs().set_numbers({Integral::over_all_cells(Diffusion<3>{1})}));
  std::vector<Integral> elsewhere = model.numbers(2, 2);
  elsewhere[1] = Integral::over_cells(elsewhere[1].form, {0, 1});
  EXPECT_FALSE(equations.inputs().set_numbers(elsewhere));
  EXPECT_TRUE(same_numbers(equations.integrals()[0].form, model.numbers(1, 1)[0].form));  // nothing has happened
}

}  // namespace
}  // namespace ritz::test::system_cache_test
