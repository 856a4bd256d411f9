#include "fem/analysis/static_solution.hpp"

#include "device/memory_shortage.hpp"
#include "fem/analysis/static_system.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/space/pattern_size.hpp"

#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {

void check_same_unknowns(std::span<const LoadCase> cases) {
  ErrorList errors;
  for (std::size_t i = 1; i < cases.size(); ++i) {
    const Constraints &first = *cases[0].constraints, &other = *cases[i].constraints;
    if (&first == &other) continue;
    const FunctionSpace& space = first.space();
    const auto differs = [&]() -> std::optional<std::pair<Node, int>> {
      for (Index node = 0; node < space.node_count(); ++node)
        for (int c = 0; c < space.components(); ++c)
          if (first.is_prescribed(static_cast<Node>(node), c) != other.is_prescribed(static_cast<Node>(node), c))
            return std::pair{static_cast<Node>(node), c};
      return std::nullopt;
    }();
    if (!differs) continue;
    const auto [node, c] = *differs;
    const bool in_first = first.is_prescribed(node, c);
    errors.add(Error(Exit::model,
                     fmt::format("{}{} is prescribed in load case '{}' and free in load case '{}'",
                                 space.components() > 1 ? fmt::format("component {} at ", space.component_name(c)) : "",
                                 space.name_of(node), cases[in_first ? 0 : i].name, cases[in_first ? i : 0].name),
                     "load cases share one matrix, so the same unknowns are prescribed in all of them",
                     "prescribe it outside the load cases, where one of them may still give the same region another "
                     "value; or run them apart"));
  }
  errors.throw_if_any();
}

namespace {

// Conjugate gradients are what there is without a matrix; who names another method means it.
bool can_do_without_matrix(const Operator& equations, const LinearSolverOptions& options) {
  const bool named = options.method != LinearMethod::automatic && options.method != LinearMethod::conjugate_gradient;
  const bool chosen_otherwise =
      named || options.operator_kind == OperatorKind::matrix_free || without_matrix(equations, options);
  return !chosen_otherwise && equations.symmetric() && options.promise == MatrixPromise::positive_definite;
}

// Before any of it is taken: the matrix, its pattern where there is none yet, and four vectors.
void check_memory_for_matrix(const Operator& equations, const LinearSolverOptions& options) {
  if (!can_do_without_matrix(equations, options)) return;
  const FunctionSpace& space = equations.space();
  auto phase = space.device().profile().phase("checks");
  const Index b = space.components();
  Index pairs = 0;
  MemoryNeeds needs;
  if (space.has_pattern()) {
    pairs = space.pattern()->nonzeros();
  } else {
    const PatternSize size = pattern_size(entity_counts(space.mesh()), space.isoparametric() ? 0 : space.order());
    pairs = size.pairs;
    needs.array<Index>("pattern", size.nodes + 1).array<std::int32_t>("pattern", size.pairs);
  }
  needs.array<double>("matrix", pairs * b * b).array<double>("vectors", space.unknown_count(), 4);
  const Index available = space.device().memory().available();
  if (needs.total() <= available) return;
  throw Error(Exit::resources,
              fmt::format("a matrix needs {:.1f} MB, and {:.1f} MB are there", 1e-6 * double(needs.total()),
                          1e-6 * double(available)),
              "counted from the mesh", "solve without a matrix: [solver] operator = \"matrix_free\"");
}

// Bytes that went to the host and back, and the seconds that took.
std::string moved_text(const Profile& profile) {
  Index out = 0, back = 0;
  double seconds = 0;
  for (const PhaseRecord& phase : profile.phases()) {
    if (!phase.name.ends_with("cold data")) continue;
    out += phase.bytes_to_host;
    back += phase.bytes_to_device;
    seconds += phase.seconds;
  }
  return fmt::format("{:.1f} MB went to the host and {:.1f} MB back in {:.2f} s", 1e-6 * double(out),
                     1e-6 * double(back), seconds);
}

void give_back_all(const Operator& equations) {
  for (const Operator::Task task :
       {Operator::Task::matrix, Operator::Task::residual, Operator::Task::action, Operator::Task::diagonal})
    equations.forget(task);
  equations.space().device().memory().trim();
}

// The last step on a device with memory of its own: right-hand sides and solutions wait on the host for their turn.
StaticSolutions solve_keeping_cold_data_on_the_host(const Operator& equations, const LoadCases& loads,
                                                    const LinearSolverOptions& options, const Progress& progress,
                                                    std::vector<std::string> steps, const Error& shortage) {
  steps.push_back(fmt::format(
      "memory: cold data waits on the host ({}); cost: copies, and right-hand sides are solved one after the other",
      shortage.message()));
  if (options.say) options.say(steps.back());
  give_back_all(equations);
  StaticSolutions solutions = solve_in_one_way(equations, loads, options, progress, nullptr, true);
  if (solutions.cases.size() == 1) solutions.cases.front().bring_back();
  steps.back() += fmt::format(": {}", moved_text(equations.space().device().profile()));
  if (options.say) options.say("memory: cold data: " + moved_text(equations.space().device().profile()));
  solutions.add_steps(steps);
  return solutions;
}

StaticSolutions solve_after_stepping_to_no_matrix(const Operator& equations, const LoadCases& loads,
                                                  const LinearSolverOptions& options, const Progress& progress,
                                                  const Error& shortage) {
  // from order 2 on there is p-multigrid
  const char* iterations = equations.space().order() > 1 ? "" : ", with three to ten times the iterations";
  const std::vector<std::string> steps = {fmt::format(
      "memory: no matrix ({}); cost: elements are computed anew in every product{}", shortage.message(), iterations)};
  if (options.say) options.say(steps.front());
  give_back_all(equations);
  equations.space().forget_pattern();
  equations.space().device().memory().trim();
  LinearSolverOptions without = options;
  without.operator_kind = OperatorKind::matrix_free;
  without.method = LinearMethod::automatic;
  StaticSolutions solutions;
  if (const auto next =
          memory_shortage([&] { solutions = solve_in_one_way(equations, loads, without, progress, nullptr); })) {
    if (!equations.space().device().machine().is_apart()) throw *next;
    return solve_keeping_cold_data_on_the_host(equations, loads, without, progress, steps, *next);
  }
  solutions.add_steps(steps);
  return solutions;
}

// What nobody asked to be solved without a matrix is solved with one where that does not converge, or too slowly: with
// one there is a factorisation.
StaticSolutions solve_or_turn_to_a_matrix(const Operator& equations, const LoadCases& loads,
                                          const LinearSolverOptions& options, const Progress& progress) {
  if (!may_turn_to_a_matrix(equations, options)) return solve_in_one_way(equations, loads, options, progress, nullptr);
  LinearSolverOptions without = options, with = options;
  without.on_failure = {};
  with.operator_kind = OperatorKind::matrix;
  with.slow_multigrid = true;
  std::string why;
  try {
    return solve_in_one_way(equations, loads, without, progress, nullptr);
  } catch (const Error& error) {
    if (error.exit() != Exit::not_converged) throw;
    why = fmt::format("with a matrix, since without one {}", error.message());
  }
  if (options.say) options.say(why);
  give_back_all(equations);
  StaticSolutions solutions;
  const std::optional<Error> shortage = memory_shortage([&] {
    check_memory_for_matrix(equations, with);
    solutions = solve_in_one_way(equations, loads, with, progress, nullptr);
  });
  // however long that takes
  if (shortage) return solve_after_stepping_to_no_matrix(equations, loads, options, progress, *shortage);
  solutions.add_steps({why});
  return solutions;
}

}  // namespace

StaticSolutions solve_static(const Operator& equations, const LoadCases& loads, const LinearSolverOptions& asked,
                             const Progress& progress, StaticReuse* reuse) {
  check_same_unknowns(loads.cases);
  LinearSolverOptions options = asked;
  options.one_of_many =
      asked.one_of_many || pay_for_a_matrix(loads.cases.size(), loads.combinations.size()) || reuse != nullptr;
  StaticSolutions solutions;
  if (reuse != nullptr) {
    if (!memory_shortage([&] { solutions = solve_in_one_way(equations, loads, options, progress, reuse); }))
      return solutions;
    reuse->clear();  // nothing is kept where memory is short
  }
  const std::optional<Error> shortage = memory_shortage([&] {
    check_memory_for_matrix(equations, options);
    solutions = solve_or_turn_to_a_matrix(equations, loads, options, progress);
  });
  if (!shortage) return solutions;
  if (can_do_without_matrix(equations, options))
    return solve_after_stepping_to_no_matrix(equations, loads, options, progress, *shortage);
  if (!equations.space().device().machine().is_apart()) throw *shortage;
  return solve_keeping_cold_data_on_the_host(equations, loads, options, progress, {}, *shortage);
}

StaticSolution solve_static(const Operator& equations, const Constraints& constraints,
                            const LinearSolverOptions& options, const Progress& progress) {
  return std::move(
      solve_static(equations, LoadCases{.cases = {{.constraints = &constraints}}}, options, progress).cases.front());
}

}  // namespace ritz
