#include "apps/cases/solver_settings.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

constexpr int most_iterations = 20000;

SmoothedAggregationOptions read_multigrid(const Case::Table& solver) {
  const Case::Table multigrid = solver.table("multigrid", "smoothed aggregation, docs/solvers.md");
  const SmoothedAggregationOptions defaults;
  SmoothedAggregationOptions options;
  const std::string precision = multigrid.choice(
      "precision",
      "precision of the cycle; the iteration around it is always double; half: as single, with matrices in 16 bits",
      {"single", "double", "half"}, "single");
  options.single_precision = precision != "double";
  options.half_storage = precision == "half";
  const std::string levels = multigrid.choice("levels",
                                              "coarser levels: order 1 within order 2 and the meshes of which this one "
                                              "is a uniform refinement, aggregates of nodes, "
                                              "or auto, docs/solvers.md",
                                              {"auto", "nested", "aggregation"}, "auto");
  options.levels = levels == "nested"        ? MultigridLevels::nested
                   : levels == "aggregation" ? MultigridLevels::aggregation
                                             : MultigridLevels::automatic;
  if (multigrid.has("strength"))
    options.strength = multigrid.number("strength", "threshold of strong connections; smaller: larger aggregates",
                                        {.minimum = 0, .below = 1});
  options.smoothing_degree =
      static_cast<int>(multigrid.integer("smoothing_degree", "Chebyshev steps before and after",
                                         {.fallback = defaults.smoothing_degree, .minimum = 1, .maximum = 20}));
  options.smoothing_ratio = multigrid.number("smoothing_ratio", "largest over smallest eigenvalue that is smoothed",
                                             {.fallback = defaults.smoothing_ratio, .above = 1});
  return options;
}

// Keys of multigrid that were given and are not the default: a resolved case holds all of them.
bool asks_for_multigrid(const SmoothedAggregationOptions& options) {
  const SmoothedAggregationOptions defaults;
  return !options.single_precision || options.half_storage || options.levels != MultigridLevels::automatic ||
         options.strength != defaults.strength || options.smoothing_degree != defaults.smoothing_degree ||
         options.smoothing_ratio != defaults.smoothing_ratio;
}

void warn_of_ignored_options(const LinearSolverOptions& options, const MessageSink& notice) {
  const auto tell = [&notice](const char* key, const std::string& why) {
    notice(fmt::format("{} has no effect: {}", key, why));
  };
  const bool direct = options.method == LinearMethod::direct, automatic = options.method == LinearMethod::automatic;
  const std::string method = fmt::format("[solver] method is '{}'", name_of(options.method));
  if (direct && options.max_iterations != most_iterations) tell("[solver] max_iterations", method);
  if (!direct && !automatic && options.direct_memory != 0) tell("[solver] direct_memory", method);
  if (!asks_for_multigrid(options.multigrid)) return;
  if (direct) tell("[solver.multigrid]", method);
  else if (options.preconditioner != PreconditionerKind::automatic &&
           options.preconditioner != PreconditionerKind::multigrid)
    tell("[solver.multigrid]", fmt::format("[solver] preconditioner is '{}'", name_of(options.preconditioner)));
}

}  // namespace

LinearSolverOptions read_solver(const Case& input, double tolerance, const MessageSink& notice) {
  const Case::Table table = input.table("solver", "solver of the linear systems");
  LinearSolverOptions options;
  options.method = linear_method_named(
      table.choice("method", "auto: direct or iterative by size and kind of the matrix, docs/solvers.md",
                   linear_method_names(), "auto"));
  options.preconditioner = preconditioner_named(table.choice(
      "preconditioner", "preconditioner of iterative methods; auto takes multigrid", preconditioner_names(), "auto"));
  if (const auto wrong = mismatch(options.method, options.preconditioner))
    table.error(ErrorKind::solver_options, "preconditioner", wrong->what, wrong->why, wrong->fix);
  const std::string operator_kind = table.choice(
      "operator",
      "auto needs no matrix where [space] order is above 1 on quadrilaterals or hexahedra, and for one solution on "
      "a solid of order 2 and above: docs/solvers.md",
      {"auto", "matrix", "matrix_free"}, "auto");
  options.operator_kind = operator_kind == "matrix"        ? OperatorKind::matrix
                          : operator_kind == "matrix_free" ? OperatorKind::matrix_free
                                                           : OperatorKind::automatic;
  options.relative = table.number("tolerance", "limit of the true residual, relative to the load",
                                  {.fallback = tolerance, .above = 0, .below = 1});
  if (options.relative >= tolerance) options.rounding_error = error_that_rounding_may_leave;
  options.max_iterations =
      static_cast<int>(table.integer("max_iterations", "largest number of iterations of iterative methods",
                                     {.fallback = most_iterations, .minimum = 1, .maximum = 10000000}));
  if (table.has("restart") && options.method != LinearMethod::gmres && options.method != LinearMethod::automatic)
    table.error(ErrorKind::solver_options, "restart",
                fmt::format("'restart' was given for the method '{}'", name_of(options.method)), "only GMRES restarts",
                "omit it, or use method = \"gmres\"");
  options.restart = static_cast<int>(
      table.integer("restart", "iterations of GMRES after which it starts again; memory: twice as many vectors",
                    {.fallback = options.restart, .minimum = 1, .maximum = 1000}));
  options.direct_memory = static_cast<Index>(
      1e9 * table.number("direct_memory", "largest memory of a factorisation [GB]; 0: the memory of the machine",
                         {.fallback = 0, .minimum = 0}));
  options.multigrid = read_multigrid(table);
  warn_of_ignored_options(options, notice);
  return options;
}

}  // namespace ritz
