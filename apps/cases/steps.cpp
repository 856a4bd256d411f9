#include "apps/cases/steps.hpp"

#include "apps/cases/run.hpp"
#include "fem/physics/removed_cells.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace ritz {
namespace {

const StepTables& step_tables() {
  static const StepTables tables{
      .of_run = {"mesh",        "space",       "model",          "region",  "table",    "field",  "material", "section",
                 "orientation", "plugin",      "output",         "probe",   "path",     "sweep",  "gradient", "title",
                 "load_case",   "combination", "allow_unloaded", "initial", "capacity", "inertia"},
      .of_one = {"time", "modal", "harmonic", "random", "spectrum", "history", "complex", "substructure", "buckling",
                 "inertia_relief", "newton", "solver"}};
  return tables;
}

// Tables that make a step an analysis other than statics.
constexpr const char* analyses[] = {"time", "modal", "buckling", "inertia_relief"};

void check_analyses(const Case::Table& table) {
  const std::string* first = nullptr;
  static const std::string names[] = {"time", "modal", "buckling", "inertia_relief", "newton"};
  for (const std::string& name : names) {
    if (!table.has(name)) continue;
    if (first != nullptr && name != "newton")
      table.error(ErrorKind::step, name, fmt::format("a step has [{}] and [{}]", *first, name),
                  "a step is one analysis", "make two steps");
    if (first == nullptr) first = &name;
  }
}

CaseStep read_step(const Case::Table& table, std::set<std::string>& names) {
  CaseStep step;
  step.name = table.text("name", "name of the step in the log, the report and the result files");
  if (!step.name.empty() && !names.insert(step.name).second)
    table.error(ErrorKind::step, "name", fmt::format("a second step is called '{}'", step.name),
                "results are found by name", "give each another name");
  step.duration = table.number(
      "duration", "[s] of a step without [time] on the time line of the run: its loads are those at its end",
      {.fallback = 1, .above = 0});
  if (table.has("time") && table.has("duration"))
    table.error(ErrorKind::step, "duration", "a step has a duration and [time]", "[time] says when it ends",
                "omit one of them");
  step.writes_fields = table.choice("fields", "of the results: written, or none, so that the step leaves numbers alone",
                                    {"written", "none"}, "written") == "written";
  for (const Case::Table& t : table.tables("remove", "what acted before, and does no longer")) {
    const bool is_part = t.has("part");
    if (is_part && t.has("table"))
      t.error(ErrorKind::step, "table", "a removal has a part and a table", {}, "make two of them");
    if (is_part) {
      step.has_removed_parts = true;
      t.text("part", "instead: a region of cells that is there no longer");
      continue;
    }
    t.text("table", "kind of the tables: \"pressure\"");
    t.texts("region", "their region, as they name it; without it all of this kind", std::vector<std::string>{});
  }
  check_analyses(table);
  return step;
}

bool steps_begin_in_time(Case& input) { return input.tables("step", "").front().has("time"); }

}  // namespace

std::vector<CaseStep> steps_of(Case& input, bool survey) {
  const Case::Table root = input.root();
  std::vector<CaseStep> steps;
  std::set<std::string> names;
  for (const Case::Table& table : input.tables(
           "step",
           "an analysis that begins where the one before ended: its own tables as [[step.<kind>]] and [step.<kind>]"))
    steps.push_back(read_step(table, names));
  if (steps.empty()) return {CaseStep{}};
  input.open_steps(step_tables());
  if (survey) return {CaseStep{}};
  for (const char* key : analyses)
    if (root.has(key))
      root.refuse(ErrorKind::step, key, fmt::format("[{}] outside of the steps", key), "each step has its own analysis",
                  fmt::format("move it into a step, as [step.{}]", key));
  for (const char* key : {"load_case", "combination", "gradient"})
    if (root.has(key))
      root.refuse(ErrorKind::step, key, fmt::format("'{}' in a case of steps", key),
                  "a step begins where the one before ended, which is one state", "make a case of it without steps");
  if (root.has("initial") && !steps_begin_in_time(input))
    root.refuse(ErrorKind::step, "initial", "[initial] in a case whose first step is not one in time",
                "an evolution begins at the state in which the step before ended", "omit it");
  input.allow_time();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].number = i;
    steps[i].count = steps.size();
    if (i > 0 && steps[i - 1].has_removed_parts) steps[i].has_removed_parts = true;
  }
  return steps;
}

void remove_parts(Run& run, Model& model) {
  if (!run.step().has_removed_parts) return;
  std::vector<Index> cells;
  const Mesh& mesh = model.space.mesh();
  const std::vector<Case::Table> steps = run.input().tables("step", "");
  for (std::size_t i = 0; i <= run.step().number; ++i)
    for (const Case::Table& t : steps[i].tables("remove", ""))
      if (t.has("part"))
        if (const Region* part = t.region("part", "", mesh, {RegionKind::cells}))
          cells.insert(cells.end(), part->cells.begin(), part->cells.end());
  std::ranges::sort(cells);
  if (std::ranges::unique(cells).begin() - cells.begin() == mesh.cell_count()) {
    steps[run.step().number].error(ErrorKind::step, "remove", "the removed parts are all there is", {}, "leave a part");
    return;
  }
  try {
    remove_cells(cells, model);
  } catch (const Error& error) { run.input().add_error(error); }
}

void enter(Case& input, const CaseStep& step) {
  if (step.is_of_steps()) input.enter_step(step.number, step_tables());
}

}  // namespace ritz
