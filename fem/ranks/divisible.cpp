#include "fem/ranks/divisible.hpp"

#include "fem/operator/abilities.hpp"
#include "device/error.hpp"
#include "device/ranks/planned_ranks.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/ranks/space_part.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <fmt/format.h>

namespace ritz {

void throw_not_over_ranks(const Ranks& ranks, const std::string& what, const std::string& fix) {
  const bool planned = dynamic_cast<const PlannedRanks*>(&ranks) != nullptr;
  throw Error(ErrorKind::several_ranks,
              fmt::format("{} {} ranks, and {} is not divided among them", planned ? "planned for" : "started as",
                          ranks.count(), what),
              "what is divided: statics, evolutions, Newton's method, modes and answers on them, and gradients", fix);
}

bool has_states_on_facets(const Operator& equations) {
  for (const ElementGroup& group : equations.terms().groups())
    for (const int integral : group.integrals)
      if (group.elements.empty() && !equations.integrals()[static_cast<std::size_t>(integral)].form.state_start.empty())
        return true;
  return false;
}

void check_divisible(const Operator& equations, const LinearSolverOptions& options, const Ranks& ranks) {
  const FunctionSpace& space = equations.space();
  if (space.node_count() < ranks.count())
    throw_not_over_ranks(ranks, fmt::format("a mesh of {} nodes", space.node_count()), "start fewer ranks");
  if (has_states_on_facets(equations))
    throw_not_over_ranks(ranks, "a form with internal variables on facets", "start one process");
  const bool no_matrix = options.operator_kind == OperatorKind::matrix_free || !can_assemble(equations);
  if (no_matrix && options.method == LinearMethod::direct)
    throw_not_over_ranks(ranks, "a factorisation of elements without a matrix", "take method = \"cg\", or one process");
  if (without_matrix(equations, options) && !parts_of_whole_cells(space, ranks.count()).all_have)
    throw_not_over_ranks(ranks, fmt::format("a mesh of {} cells without a matrix", space.mesh().cell_count()),
                         "start fewer ranks");
  if (without_matrix(equations, options) && !elements_of_plugins(space).empty())
    throw_not_over_ranks(ranks, "a reference element of a plugin without a matrix",
                         "take operator = \"matrix\", or one process");
  if (const auto wrong = mismatch(options.method, options.preconditioner))
    throw Error(ErrorKind::solver_options, wrong->what, wrong->why, wrong->fix);
  check_method_suits(options.method, {.symmetric = equations.facts().symmetric});
}

}  // namespace ritz
