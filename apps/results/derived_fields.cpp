#include "apps/results/derived_fields.hpp"

#include "device/host_memory.hpp"
#include "device/memory_shortage.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/ranks/divided_equations.hpp"
#include "fem/results/error_estimate.hpp"
#include "io/files/byte_size.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace ritz {
namespace {

// Limits that hold these fields in addition to the present use. Counting them takes memory, too.
std::string remedy(const Results& results, const Operator& equations) {
  std::vector<std::string> limits;
  const auto count = [&] {
    const FunctionSpace& space = equations.space();
    const MemoryLimits& given = results.options().memory;
    const Index device = results.device().memory().live() + (OperatorNeeds(equations).of(Operator::Task::evaluate) +
                                                             needs_of_results(space, equations.integrals()))
                                                                .total();
    const Index host = host_memory_live() + host_of_results(results, space, equations.integrals(), 3) +
                       (results.device().is_gpu() ? 0 : device - results.device().memory().live());
    const auto enough = [](Index bytes) {
      return bytes < 10'000'000 ? fmt::format("{}k", (bytes + bytes / 20) / 1000 + 1)
                                : fmt::format("{}M", (bytes + bytes / 20) / 1'000'000 + 1);
    };
    if (given.device > 0) limits.push_back("--memory-limit " + enough(device));
    if (given.host > 0) limits.push_back("--host-memory-limit " + enough(host));
    if (limits.empty())
      limits.push_back(
          fmt::format("a machine with {} for arrays and {} in all", text_of_bytes(device), text_of_bytes(host)));
  };
  if (memory_shortage(count))
    return "raise the limit, or use a machine with more memory; --estimate says how much is needed";
  return fmt::format(
      "{} should be enough for them; written results are kept, so name another folder with --output, or add "
      "--overwrite",
      fmt::join(limits, " and "));
}

}  // namespace

void add(EvaluatedFields more, EvaluatedFields& fields) {
  std::ranges::move(more.nodal, std::back_inserter(fields.nodal));
  std::ranges::move(more.cells, std::back_inserter(fields.cells));
}

EvaluatedFields derive(Results& results, const Operator& equations, EvaluatedFields names,
                       FunctionRef<EvaluatedFields()> make) {
  if (results.lacks_fields()) return names;
  const auto go_without = [&](const Error& shortage) {
    results.go_without_fields(shortage, remedy(results, equations));
    return names;
  };
  const Ranks* const ranks = results.options().ranks;
  if (ranks == nullptr && results.writing_is_short())  // one more step with all its fields would not help
    if (const std::optional<Error> shortage = results.give_back(); shortage && results.may_lack_fields())
      return go_without(*shortage);
  EvaluatedFields fields;
  const auto attempt = [&] { fields = make(); };
  const std::optional<Error> first = memory_shortage(ranks, attempt);
  if (!first) return fields;
  results.give_back();
  results.step_down(
      fmt::format("memory: lists of the equations go before derived fields ({}); cost: they are made again where "
                  "equations are used again",
                  first->message()));
  const std::optional<Error> second = memory_shortage(ranks, attempt);
  results.give_back();  // combinations need theirs
  if (!second) return fields;
  if (!results.may_lack_fields()) throw *second;
  return go_without(*second);
}

Operator equations_of_results(const Results& results, const FunctionSpace& space, std::vector<Integral> integrals) {
  Ranks* const ranks = results.options().ranks;
  Operator equations(space, std::move(integrals), ranks != nullptr ? ElementLists::when_needed : ElementLists::written);
  if (ranks != nullptr) divide_among_ranks(equations, {.operator_kind = OperatorKind::matrix}, *ranks);
  return equations;
}

DerivedFields evaluate(Results& results, const Operator& equations, const Vector& u, const std::string& form,
                       LawResults of_laws) {
  auto phase = results.device().profile().phase("derived fields");
  return evaluate_for_the_first(equations, u, form, of_laws);
}

Index host_of_results(const Results& results, const FunctionSpace& space, const std::vector<Integral>& integrals,
                      int steps) {
  const Index derived = derived_numbers(integrals);
  // For a space with nodes of its own: the unknown and derived fields at its nodes; for finer cells in files or probes,
  // the same at their points and fields derived from it, the points, and the lists of the cells'.
  Index own = 0;
  if (!space.isoparametric()) own = 8 * space.node_count() * (space.components() + derived);
  if (results.fields().has_finer(space)) {
    own += 8 * space.node_count() * (3 + 2 * space.components() + 3 * derived);
    for (const CellBlock& block : space.mesh().blocks())
      own += 8 * block.cell_count() * space.element(block.kind).node_count();
  }
  const Index copies = results.device().machine().is_apart() ? 1 : 0;  // of what a device with memory of its own has
  const Index at_nodes = 2 * space.components() + 4 * derived, at_cells = (2 + copies) * derived;
  const Index one = 8 * (at_nodes * space.mesh().node_count() + at_cells * space.mesh().cell_count());
  const Index held = 8 * ((2 * space.components() + 3 * derived / 2) * space.mesh().node_count() +
                          derived * space.mesh().cell_count());
  const Index fields = own + one + Index{std::min(2, steps - 1)} * held;
  if (!results.estimates_error()) return fields;
  // The estimate is computed before the derived fields, while earlier steps are held; its field stays.
  const Index field = 8 * space.mesh().cell_count();
  const Index before =
      own + Index{std::min(2, steps - 1)} * (held + field) + 8 * space.components() * space.mesh().node_count();
  return std::max(before + host_of_estimate(space),
                  fields + Index{2 + std::min(2, steps - 1)} * field + 24 * space.mesh().cell_count());
}

}  // namespace ritz
