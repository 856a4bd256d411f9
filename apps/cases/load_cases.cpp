#include "apps/cases/load_cases.hpp"

#include "apps/cases/case_model.hpp"
#include "apps/results/checkpoint_states.hpp"
#include "apps/cases/shared_model.hpp"
#include "device/host_memory.hpp"
#include "device/memory_shortage.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace ritz {
namespace {

void check_name(const Case::Table& table, const std::string& name, std::set<std::string>& names) {
  if (!name.empty() && !names.insert(name).second)
    table.error(ErrorKind::load_case, "name", fmt::format("a second load case or combination is called '{}'", name),
                "results are found by name", "give each a different name");
}

void require_no_matrix_tables(const Case::Table& table, const std::vector<MatrixTable>& matrix_tables) {
  for (const MatrixTable& each : matrix_tables)
    if (table.has(each.key))
      table.refuse(ErrorKind::load_case, each.key, fmt::format("a load case cannot have its own [{}]", each.key),
                   "all load cases share one matrix, and this is part of it", each.instead);
}

LoadCombination read_combination(const Case::Table& table, const std::vector<LoadCaseInput>& cases) {
  std::vector<std::string> names;
  for (const LoadCaseInput& each : cases) names.push_back(each.name);
  LoadCombination combination{table.text("name", "name of the combination in the log, the report and the result files"),
                              std::vector<double>(cases.size(), 0.0)};
  const Case::Table factors =
      table.table("factors", "factor of each load case that takes part: {dead = 1.35, snow = 1.5}");
  const std::vector<std::string> keys = factors.keys();
  if (keys.empty())
    table.error(ErrorKind::load_case, "factors", "a combination of nothing", {},
                fmt::format("give factors = {{name = 1.5}} of the load cases {}", quoted_list(names)));
  for (const std::string& key : keys) {
    // beyond, squares of what is summed overflow
    const double factor = factors.number(key, "factor of this load case", {.minimum = -1e30, .maximum = 1e30});
    const auto found = std::ranges::find(names, key);
    if (found != names.end()) {
      combination.factors[static_cast<std::size_t>(found - names.begin())] = factor;
      continue;
    }
    const std::string near = nearest_match(key, names);
    factors.error(ErrorKind::load_case, key, fmt::format("there is no load case '{}'", key),
                  names.empty() ? "the case file has none" : fmt::format("the load cases are {}", quoted_list(names)),
                  near.empty() ? "name one of these, or add a [[load_case]]" : fmt::format("did you mean '{}'?", near));
  }
  return combination;
}

}  // namespace

LoadCaseInputs read_load_cases(Case& input, const std::vector<std::string>& load_tables,
                               const std::vector<MatrixTable>& matrix_tables) {
  LoadCaseInputs inputs;
  inputs.load_tables = load_tables;
  std::set<std::string> names;
  const char* about =
      "a set of loads, solved together with the others: its name, and its own tables as [[load_case.<kind of load>]]";
  for (const Case::Table& table : input.tables("load_case", about)) {
    const std::string name = table.text("name", "name of the load case in the log, the report and the result files");
    check_name(table, name, names);
    if (std::ranges::all_of(table.keys(), [](const std::string& key) { return key == "name"; }))
      table.error(ErrorKind::load_case, "name", fmt::format("the load case '{}' has no loads", name),
                  "the loads of a load case are its tables [[load_case.<kind of load>]]; tables without that prefix "
                  "act in all load cases",
                  fmt::format("give it some of {}, or remove it", quoted_list(load_tables)));
    require_no_matrix_tables(table, matrix_tables);
    inputs.cases.push_back({table, name});
  }
  for (const Case::Table& table : input.tables("combination", "a sum of load cases, by superposition")) {
    inputs.combinations.push_back(read_combination(table, inputs.cases));
    check_name(table, inputs.combinations.back().name, names);
  }
  if (!inputs.cases.empty())
    for (const std::string& key : input.root().keys())
      if (std::ranges::find(load_tables, key) != load_tables.end()) inputs.common.push_back(key);
  return inputs;
}

void make_supports(Case& input, CaseModel& read) {
  read.supports = std::make_shared<const ModelSupports>(read.model);
  std::vector<LoadVector> cases;
  for (std::size_t i = 0; i < read.model.load_cases.size(); ++i)
    cases.push_back({read.model.load_cases[i].name, {}, &read.supports->of(i)});
  try {
    check_same_unknowns(cases);
  } catch (const Error& error) { input.add_error(error); }
}

}  // namespace ritz
