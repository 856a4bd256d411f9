// [[load_case]] and [[combination]]: several sets of loads on one model, solved together over one matrix.
//
//   [[load_case]]                         [[combination]]
//   name = "snow"                         name = "ultimate"
//   [[load_case.pressure]]                factors = {dead = 1.35, snow = 1.5}
//   region = "roof"
//   value = 1500
//
// Loads outside of the load cases act in each of them, and once in every combination. A load case may prescribe other
// values: they take the place of those outside for the same region and component. Without [[load_case]] a run is what
// it always was.
#pragma once

#include "apps/cases/run.hpp"
#include "fem/analysis/static_solution.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ritz {

struct CaseModel;

struct LoadCaseInput {
  Case::Table table;  // holds the loads
  std::string name;
};

struct LoadCaseInputs {
  std::vector<LoadCaseInput> cases;
  std::vector<LoadCombination> combinations;
  std::vector<std::string> common;  // kinds of load that stand outside of the load cases: "gravity"
  std::vector<std::string> load_tables;
};

// Names and factors. `load_tables`: kinds of load; `matrix_tables`: what makes the matrix, so that a load case cannot
// have its own. What is wrong is added to the case.
struct MatrixTable {
  std::string key;      // "convection"
  std::string instead;  // what to do: "move it out of the load case"
};
LoadCaseInputs read_load_cases(Case& input, const std::vector<std::string>& load_tables,
                               const std::vector<MatrixTable>& matrix_tables);

// The prescribed values of the model that was read; those of load cases must be of the same unknowns, else errors are
// added to the case.
void make_supports(Case& input, CaseModel& read);

}  // namespace ritz
