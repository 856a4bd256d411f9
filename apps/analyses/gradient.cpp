#include "apps/analyses/gradient.hpp"

#include "apps/results/probes.hpp"
#include "fem/analysis/linear_statics.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <string_view>

namespace ritz {
namespace {

std::optional<LinearProbe> probe_of(Run& run, const CaseModel& read) {
  return linear_probe(run.input(), read.space().mesh(), read.gradient->table, "probe", read.gradient->probe,
                      read.nodal_results.front(), run.results().measure());
}

bool is_prescribed(std::string_view key) {
  return std::ranges::any_of(std::array{"displacement.", "temperature."},
                             [key](std::string_view table) { return key.starts_with(table); });
}

void check_keys(Run& run, const GradientInput& gradient) {
  for (const std::string& key : gradient.keys) {
    const auto wrong = [&](const std::string& why) {
      gradient.table.error("by", fmt::format("no gradient by '{}'", key), why,
                           "name a key that may be a formula of the position and is a number here, such as "
                           "material.0.young; components of a list as traction.0.value.2");
    };
    if (is_prescribed(key)) wrong("prescribed values belong to nodes, not to cells");
    else if (!run.arrays().contains(key)) wrong("the case has no such number, or it is a formula, a table or a total");
  }
}

// The work on lambda of each cell's residual differs from that of the gradient of a reaction by the weights themselves:
// d(w . R)/dp = (w - lambda) . dR/dp with K lambda = K w where u is free.
struct Adjoint {
  Vector g, direction;
};

Adjoint adjoint_of(LinearStatics& statics, const LinearProbe& probe) {
  const FunctionSpace& space = statics.equations().space();
  const auto components = static_cast<std::size_t>(space.components());
  std::vector<double> weights(static_cast<std::size_t>(space.unknown_count()), 0.0);
  for (std::size_t i = 0; i < probe.weights.size(); ++i)
    if (const Node node = space.node_of(static_cast<Node>(i / components)); node >= 0)
      weights[static_cast<std::size_t>(node) * components + i % components] = probe.weights[i];
  Vector w(space.device(), std::span<const double>(weights), "vectors");
  if (!probe.of_reactions) {
    Vector lambda = statics.adjoint(w);
    return {std::move(w), std::move(lambda)};
  }
  Vector g = space.zeros();
  statics.equations().action(space.zeros(), w, g);
  Vector lambda = statics.adjoint(g);
  axpy(-1, w, lambda);
  return {std::move(g), std::move(lambda)};
}

}  // namespace

std::vector<Field> gradient_fields(const CaseModel& read) {
  std::vector<Field> fields;
  for (const std::string& key : read.gradient->keys) fields.push_back({gradient_field(key), 1});
  return fields;
}

void check_gradient(Run& run, const CaseModel& read, bool is_linear_statics) {
  const GradientInput& gradient = *read.gradient;
  const auto wrong = [&](const std::string& of, const std::string& why, const std::string& fix) {
    gradient.table.error("probe", fmt::format("no gradient of {}", of), why, fix);
  };
  check_keys(run, gradient);
  if (!is_linear_statics || !read.model.means.empty())
    return wrong("this analysis", "it is taken of one solution of linear statics",
                 "leave out load cases, [time], prescribed means and what makes the equations nonlinear; Python "
                 "differentiates nonlinear statics (docs/python.md)");
  if (run.options().ranks != nullptr) return wrong("a solution on several ranks", "each has a part of it", "start one");
  if (!read.space().isoparametric())
    return wrong("a field of another order than the mesh", "probes take it at the nodes of the mesh",
                 "omit [space] order, or raise the mesh with [mesh] order");
  const std::optional<LinearProbe> probe = probe_of(run, read);
  const Case::Table root = run.input().root();
  if (probe && probe->of_reactions &&
      (read.supports->common().dependent() != nullptr || root.has("foundation") || root.has("spring")))
    wrong("reactions beside elastic ground, ties or other relations", "they carry a part of them",
          "take the unknown in place of a reaction");
}

std::vector<Field> solve_gradient(Run& run, const CaseModel& read, const StaticSolution& solution,
                                  const LinearSolverOptions& linear) {
  auto phase = run.phase("gradient");
  run.log().progress("gradient");
  const GradientInput& gradient = *read.gradient;
  const std::optional<LinearProbe> probe = probe_of(run, read);
  LinearSolverOptions options = linear;
  options.relative = std::min(options.relative, 1e-10);
  LinearStatics statics(read.model, options);
  const Adjoint adjoint = adjoint_of(statics, *probe);
  const Vector by_prescribed = statics.by_prescribed(adjoint.g, adjoint.direction);
  std::vector<Field> fields = gradient_fields(read);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& key = gradient.keys[i];
    fields[i].values = by_array(statics, run.arrays().at(key), key, solution.u, adjoint.direction, by_prescribed);
    const double sum = std::accumulate(fields[i].values.begin(), fields[i].values.end(), 0.0);
    run.log().line("gradient of '{}' by {}: {:.8g}; in each cell: field '{}'", gradient.probe, key, sum,
                   fields[i].name);
    run.results().facts()["gradient " + key] = fmt::format("{:.10g}", sum);
  }
  run.log().end_progress();
  return fields;
}

}  // namespace ritz
