#include "apps/cases/analyses.hpp"

#include "apps/cases/model.hpp"
#include "apps/cases/newton.hpp"
#include "apps/cases/forecast.hpp"
#include "apps/cases/shared_model.hpp"
#include "apps/cases/static_batch.hpp"
#include "apps/cases/transient_analysis.hpp"

#include <utility>

namespace ritz {
namespace {

LinearSolverOptions solver_of(Run& run, const CaseModel& read) {
  LinearSolverOptions solver = run.solver(read.promise(), read.model.tolerance);
  if (read.model.ill_conditioned && solver.method == LinearMethod::automatic) solver.method = LinearMethod::direct;
  solver.one_of_many =
      pay_for_a_matrix(read.load_cases.cases.size(), read.load_cases.combinations.size()) || run.shared().sweeps;
  return solver;
}

void refuse_load_cases(Run& run, const CaseModel& read, bool linear) {
  if (read.load_cases.cases.empty() || linear) return;
  if (read.model.linear)
    run.input().add_error(Error(Exit::model, "load cases along a path of [newton]",
                                "each load case is one state, under all of its loads",
                                "omit [newton], or the load cases"));
  else
    run.input().add_error(Error(Exit::model, "load cases of a model with nonlinear equations",
                                "they share one matrix, which the solution of such equations changes",
                                "make a case file of each"));
}

ForecastModel foreseen(Run& run, const CaseModel& read, const LinearSolverOptions& solver, const NewtonInput& newton,
                       bool linear) {
  ForecastModel foreseen = linear ? linear_model(run, read, solver) : ForecastModel{};
  foreseen.matrix = asks_for_matrix(read.space(), solver);
  foreseen.no_matrix = solver.operator_kind == OperatorKind::matrix_free;
  foreseen.restart = solver.restart;
  foreseen.factorised = solver.method == LinearMethod::direct;
  foreseen.definite = read.model.definite;
  foreseen.half_storage = solver.multigrid.half_storage;
  foreseen.in_space = read.model.structural;
  foreseen.newton = !linear;
  foreseen.increments = newton.options.increment_count();
  foreseen.shows_increments = !linear && newton.write_increments && newton.options.increment_count() > 1;
  return foreseen;
}

// Factors of the load cases that act in the solution with this number: load cases first, then combinations.
std::vector<double> factors_of(const LoadCaseInputs& inputs, std::size_t number) {
  if (number >= inputs.cases.size())
    return inputs.cases.empty() ? std::vector<double>{} : inputs.combinations[number - inputs.cases.size()].factors;
  std::vector<double> factors(inputs.cases.size(), 0.0);
  factors[number] = 1;
  return factors;
}

}  // namespace

void solve_case(Run& run, CaseModel given) {
  const auto read = std::make_shared<const CaseModel>(std::move(given));
  const Model& model = read->model;
  const LinearSolverOptions solver = solver_of(run, *read);
  NewtonInput newton = read_newton(run, solver);
  if (model.start != 0)
    newton.options.start =
        NonlinearState{.u = std::vector<double>(static_cast<std::size_t>(model.space->unknown_count()), model.start)};
  if (read->time) return solve_in_time(run, read, solver, newton);
  const bool linear = model.linear && !newton.follows_a_path();
  refuse_load_cases(run, *read, linear);
  forecast(run, *model.space, model.equations, foreseen(run, *read, solver, newton, linear));
  finish_model(run, *read, true, {read->nodal_results, read->cell_results});

  const Operator& equations = make_operator(run, *model.space, model.equations, &solver);
  if (linear)
    return solve_or_wait(
        run, equations, read, solver,
        [read, &equations, tolerance = solver.relative, shown = std::size_t{0}](const StaticSolution& s) mutable {
          read->show(*read, equations,
                     {.u = s.u,
                      .reaction = s.reaction,
                      .residual = s.certificate,
                      .tolerance = tolerance,
                      .applied = s.applied,
                      .factors = factors_of(read->load_cases, shown++)});
        });
  solve_by_newton(run, equations, read->supports->common(), newton,
                  [&](const NonlinearSolution& s, double part, std::optional<double> time) {
                    read->show(*read, equations,
                               {.u = s.u,
                                .reaction = s.reaction,
                                .residual = s.certificate,
                                .tolerance = newton.options.relative,
                                .part = part,
                                .time = time});
                  });
}

}  // namespace ritz
