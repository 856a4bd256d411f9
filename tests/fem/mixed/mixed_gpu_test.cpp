// Problems of several fields and of edges on a GPU: matrices are joined, multiplied and changed where they are, results
// are those of the CPU, and repeat bit by bit.
#include "fem/physics/periodic_region.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/preconditioners/field_blocks.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/fem/mixed/mixed_problems.hpp"
#include "tests/fem/on_a_gpu.hpp"

namespace ritz::test::mixed_gpu_test {
namespace {

struct MixedOnAGpu : OnAGpu {
  // [bytes] in either direction
  template <class Work>
  Index moved(const Work& work) const {
    const Traffic before = gpu.machine().traffic();
    work();
    const Traffic after = gpu.machine().traffic();
    return after.to_device - before.to_device + after.to_host - before.to_host;
  }
  std::vector<std::unique_ptr<Problem>> problems(const Device& device, Index n) const {
    std::vector<std::unique_ptr<Problem>> all;
    all.push_back(flow(CellKind::tri3, n, form_of<Stokes>(2, 1.0), 1, device));
    all.push_back(seepage(CellKind::quad4, n, 1, device));
    all.push_back(current(CellKind::tri3, n, 1, 0, device));
    all.push_back(warming(CellKind::quad4, n, device));
    return all;
  }
};

Index bytes_of_values(const BlockOperator& K) {
  Index bytes = 0;
  for (int row = 0; row < K.layout().count(); ++row)
    for (int column = 0; column < K.layout().count(); ++column) {
      if (row == column && K.square(row) != nullptr) bytes += K.square(row)->values().bytes();
      if (row != column && K.coupling(row, column) != nullptr) bytes += K.coupling(row, column)->values().bytes();
    }
  return bytes;
}

TEST_F(MixedOnAGpu, MatricesAreAssembledAgainAndJoinedWhereTheyAre) {
  for (const auto& problem : problems(gpu, 16)) {
    SCOPED_TRACE(problem->equations.terms().integrals().front().form.name);
    BlockOperator K = problem->equations.make_matrix();
    const Vector u = problem->equations.zeros();
    problem->equations.assemble(u, K);
    EXPECT_GT(bytes_of_values(K), 30'000);
    EXPECT_LT(moved([&] { problem->equations.assemble(u, K); }), 1024);
    EXPECT_LT(moved([&] { problem->supports.eliminate(K, 1); }), 1024);
    EXPECT_LT(moved([&] { joined_matrix(K); }), 64);
  }
}

// The places of entries that equations join go up with the first elimination.
TEST_F(MixedOnAGpu, EquationsBetweenUnknownsAreEliminatedWhereTheMatrixIs) {
  std::vector<std::vector<double>> values;
  for (const Device& device : {gpu, Device::named("cpu", 2)}) {
    Problem problem(rectangle(8, 8, {1, 1}, CellKind::quad4), form_of<Stokes>(2, 1.0), {}, device);
    for (int k = 0; k < 2; ++k)
      problem.supports[k].relate(
          periodic(problem.spaces[std::size_t(k)], problem.mesh.region("x1"), problem.mesh.region("x0")).equations);
    problem.supports.finish();
    BlockOperator K = problem.equations.make_matrix();
    const auto assemble = [&] {
      problem.equations.assemble({}, K);
      problem.supports.eliminate(K, 1);
    };
    assemble();
    if (device.is_gpu()) { EXPECT_LT(moved(assemble), 1024); }
    values.push_back(host_matrix(K).values);
  }
  ASSERT_EQ(values[0].size(), values[1].size());
  for (std::size_t i = 0; i < values[0].size(); ++i) ASSERT_NEAR(values[0][i], values[1][i], 1e-12) << i;
}

// Masses of pressures and temperatures are assembled: their lists are made on the GPU, and nodes of cells go up.
TEST_F(MixedOnAGpu, PartsOfFieldsAreMadeWhereTheMatrixIs) {
  for (const auto& problem : problems(gpu, 16)) {
    const std::string name = problem->equations.terms().integrals().front().form.name;
    const bool has_mass = name.starts_with("stokes") || name.starts_with("thermo");
    SCOPED_TRACE(name);
    BlockOperator K = problem->equations.make_matrix();
    problem->equations.assemble(problem->equations.zeros(), K);
    std::optional<FieldBlocks> parts;
    const Index bytes =
        moved([&] { parts.emplace(problem->equations, problem->supports, K, 1.0, MixedShape::diagonal); });
    EXPECT_LT(bytes, 2048 + (has_mass ? 32 * problem->mesh.cell_count() : 0));
    RecordProperty(name, static_cast<int>(bytes));
  }
}

// Ends of edges, positions and masks of corners go up: 8 bytes an edge, 17 a corner in a plane.
TEST_F(MixedOnAGpu, AuxiliarySpacesAreMadeWhereTheMatrixIs) {
  const auto problem = current(CellKind::tri3, takes_small_sizes(gpu) ? 12 : 16, 1, 0, gpu);
  BlockOperator K = problem->equations.make_matrix();
  problem->equations.assemble(problem->equations.zeros(), K);
  problem->supports.eliminate(K, 1);
  const Index edges = problem->spaces[0].node_count(), corners = problem->mesh.node_count();
  std::optional<EdgePreconditioner> M;
  const Index bytes = moved([&] { M.emplace(*K.square(0), problem->spaces[0], problem->supports[0]); });
  EXPECT_LT(bytes, 8 * edges + 17 * corners + 8192);
  EXPECT_GT(bytes, 8 * edges);
}

// Patterns of couplings are the host's, and go up with each new matrix. The gauge of edges is judged on the host: three
// vectors. Reactions are the host's.
TEST_F(MixedOnAGpu, FactorisationsMovePatternsOfCouplingsAlone) {
  for (const auto& problem : problems(gpu, takes_small_sizes(gpu) ? 5 : 12)) {
    SCOPED_TRACE(problem->equations.terms().integrals().front().form.name);
    const LinearSolverOptions options{.method = LinearMethod::direct};
    solve_static(problem->equations, problem->supports, options);
    const BlockOperator K = problem->equations.make_matrix();
    Index patterns = 0;
    for (int row = 0; row < K.layout().count(); ++row)
      for (int column = 0; column < K.layout().count(); ++column)
        if (const RectangularMatrix* C = row == column ? nullptr : K.coupling(row, column))
          patterns += C->row_offsets().bytes() + C->column_of_entries().bytes();
    const Index gauge =
        problem->equations.terms().family(0) == Family::edge ? 24 * problem->equations.layout().total() : 0;
    const Index reactions = 8 * problem->equations.layout().total();
    EXPECT_LT(moved([&] { solve_static(problem->equations, problem->supports, options); }),
              patterns + gauge + reactions + 1024);
  }
}

TEST_F(MixedOnAGpu, SolutionsAreThoseOfTheCpuAndRepeatBitwise) {
  const Index n = takes_small_sizes(gpu) ? 4 : 6;
  const auto on_gpu = problems(gpu, n), on_cpu = problems(Device::named("cpu", 2), n);
  for (std::size_t i = 0; i < on_gpu.size(); ++i) {
    const FieldsOperator& equations = on_gpu[i]->equations;
    SCOPED_TRACE(equations.terms().integrals().front().form.name);
    for (const bool direct : {false, true}) {
      const LinearSolverOptions options{.method = direct                        ? LinearMethod::direct
                                                  : equations.facts().symmetric ? LinearMethod::minres
                                                                                : LinearMethod::gmres,
                                        .relative = 1e-10};
      const StaticSolution first = solve_static(equations, on_gpu[i]->supports, options),
                           again = solve_static(equations, on_gpu[i]->supports, options),
                           known = solve_static(on_cpu[i]->equations, on_cpu[i]->supports, options);
      EXPECT_EQ(first.u.host(), again.u.host());
      EXPECT_LE(std::abs(first.report.iterations - known.report.iterations), 2) << first.report.preconditioner;
      const std::vector<double> mine = first.u.host(), theirs = known.u.host();
      const double size = max_abs(known.u);
      for (std::size_t k = 0; k < mine.size(); ++k) ASSERT_NEAR(mine[k], theirs[k], 1e-7 * size) << k;
    }
  }
}

}  // namespace
}  // namespace ritz::test::mixed_gpu_test
