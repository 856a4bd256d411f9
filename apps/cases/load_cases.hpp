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
#include "fem/operator/integral.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

// One value on one region, as the case file has it.
struct Prescription {
  const Region* region;
  int component;
  Formula value;       // of the position
  std::string source;  // "[[displacement]] #1 at case.toml:12"
};

struct LoadCaseInput {
  Case::Table table;  // holds the loads
  std::string name;
  std::vector<Integral> loads;           // filled in by the app, as
  std::vector<Prescription> prescribed;  // these
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

// The prescribed unknowns of every load case; those without values of their own share one set.
class LoadCaseSupports {
 public:
  // `always` adds what no table asks for (an axis of revolution). The space must outlive the supports.
  LoadCaseSupports(const FunctionSpace& space, const std::vector<Prescription>& common, const LoadCaseInputs& inputs,
                   const std::function<void(Constraints&)>& always = {});

  std::vector<Constraints*> all() const;  // each once
  // without any load case; in a plain run the only ones
  const Constraints& common() const { return *sets_.front(); }
  const Constraints& of(std::size_t load_case) const { return *sets_[set_of_[load_case]]; }
  void check(Case& input, const LoadCaseInputs& inputs) const;  // the same unknowns in all

 private:
  std::vector<std::unique_ptr<Constraints>> sets_;
  std::vector<std::size_t> set_of_;  // [load case]
};

// Solves, and shows each load case and combination: the run's log, report and files name it.
void solve_load_cases(Run& run, const Operator& equations, const LoadCaseInputs& inputs,
                      const LoadCaseSupports& supports, const LinearSolverOptions& options,
                      const std::function<void(const StaticSolution&)>& show);

}  // namespace ritz
