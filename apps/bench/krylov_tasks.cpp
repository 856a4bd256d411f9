// block-cg: many load cases at once against one after the other. small-cg: what an iteration costs on small systems.
#include "apps/bench/tasks.hpp"
#include "device/function_ref.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/operator/operator.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/block_conjugate_gradient.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <numbers>
#include <optional>

namespace ritz {
namespace {

constexpr double pi = std::numbers::pi;

// The cantilever of the problem list in linear tetrahedra, clamped at x = 0.
struct Cantilever {
  Cantilever(const Device& device, Index n)
      : problem{"tet-P1", CellKind::tet4, n, 3, false}, mesh(mesh_data(problem, 1)), space(mesh, 3, device) {
    K = std::make_unique<SparseMatrix>(space.pattern(), 3);
    const Operator equations(space, {Integral::over_all_cells(form_of(problem))});
    Linearisation(equations, Vector()).assemble_once(*K);
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(space.unknown_count()), 0);
    for (const Node node : fixed_nodes(problem, mesh))
      for (int c = 0; c < 3; ++c) mask[static_cast<std::size_t>(Index{space.node_of(node)} * 3 + c)] = 1;
    K->eliminate(Array<std::uint8_t>(device, std::span<const std::uint8_t>(mask), "constraints"), 1);
  }

  // Forces on the end x = 4 in direction number % 3, each third of them in a wave of its own over the face.
  Vector load(int number) const {
    const std::vector<double> x = space.coordinates().host();
    std::vector<double> f(x.size(), 0.0);
    const int wave = number / 3;
    for (std::size_t node = 0; node < x.size() / 3; ++node)
      if (x[3 * node] > 4 - 1e-9)
        f[3 * node + number % 3] =
            std::cos(pi * (wave % 4) * x[3 * node + 1]) * std::cos(pi * (wave / 4) * x[3 * node + 2]);
    return Vector(K->device(), std::span<const double>(f), "load");
  }

  SmoothedAggregationOptions multigrid() const { return {.coordinates = &space.coordinates(), .dimension = 3}; }

  Problem problem;
  Mesh mesh;
  FunctionSpace space;
  std::unique_ptr<SparseMatrix> K;
};

double seconds_of(const Device& device, FunctionRef<void()> run) { return time(device, 1, run).seconds.front(); }

}  // namespace

// Both ways in turn for every k, so that a busy machine slows both alike.
void run_block_cg(const Device& device, const BenchOptions& options, const Publish& publish) {
  constexpr Index cells_per_unit_length = 25;  // 0.2 M unknowns
  const Cantilever model(device, scaled_count(cells_per_unit_length, options.size));
  const SparseMatrix& K = *model.K;
  const SmoothedAggregation multigrid(K, model.multigrid());
  Record record = begin_record("block-cg", device);
  record.facts = {{"unknowns", double(K.rows())}};
  for (const int k : {1, 2, 4, 8, 16, 32}) {
    MultiVector F(device, K.rows(), k), U(device, K.rows(), k);
    std::vector<Vector> f;
    for (int j = 0; j < k; ++j) {
      f.push_back(model.load(j));
      F.set_column(j, f.back());
    }
    Samples together, alone;
    int most_together = 0, most_alone = 0;
    for (int repeat = 0; repeat < options.few(); ++repeat) {
      U.values().fill_zero();
      together.seconds.push_back(seconds_of(device, [&] {
        for (const SolveReport& report : BlockConjugateGradient{}.solve(K, F, U, &multigrid)) {
          throw_unless_converged(report);
          most_together = std::max(most_together, report.iterations);
        }
      }));
      Vector x = model.space.zeros();
      alone.seconds.push_back(seconds_of(device, [&] {
        for (int j = 0; j < k; ++j) {
          x.fill_zero();
          const SolveReport report = ConjugateGradient{}.solve(K, f[static_cast<std::size_t>(j)], x, &multigrid);
          throw_unless_converged(report);
          most_alone = std::max(most_alone, report.iterations);
        }
      }));
    }
    record.add(fmt::format("{} load cases, one by one", k), alone);
    record.add(fmt::format("{} load cases at once", k), together);
    record.facts.emplace_back(fmt::format("one by one / at once, k = {}", k), alone.median() / together.median());
    record.facts.emplace_back(fmt::format("iterations one by one, k = {}", k), most_alone);
    record.facts.emplace_back(fmt::format("iterations at once, k = {}", k), most_together);
  }
  end_record(record, device);
  publish(record);
}

// The difference of 20 and 5 iterations, over 15.
void run_small_cg(const Device& device, const BenchOptions& options, const Publish& publish) {
  Record record = begin_record("small-cg", device);
  for (const Index n : {4, 9, 20}) {
    const Cantilever model(device, n);
    const SparseMatrix& K = *model.K;
    const JacobiPreconditioner jacobi(K);
    const SmoothedAggregation multigrid(K, model.multigrid());
    const Vector f = model.load(2);
    Vector x = model.space.zeros();
    const auto run = [&](int iterations, const LinearOperator* M) {
      return
          [&, iterations, M] { ConjugateGradient{.relative = 1e-300, .max_iterations = iterations}.solve(K, f, x, M); };
    };
    for (const auto& [name, M] : {std::pair{"none", static_cast<const LinearOperator*>(nullptr)},
                                  {"Jacobi", static_cast<const LinearOperator*>(&jacobi)},
                                  {"multigrid", static_cast<const LinearOperator*>(&multigrid)}}) {
      run(5, M)();
      const auto reset = [&] { x.fill_zero(); };
      const Samples few = time(device, options.repeat, run(5, M), reset),
                    many = time(device, options.repeat, run(20, M), reset);
      Samples one;
      for (std::size_t i = 0; i < few.seconds.size(); ++i)
        one.seconds.push_back((many.seconds[i] - few.seconds[i]) / 15);
      one.calls = many.calls.beyond(few.calls).each(15);
      record.add(fmt::format("iteration, {} unknowns, {}", K.rows(), name), one);
    }
  }
  end_record(record, device);
  publish(record);
}

}  // namespace ritz
