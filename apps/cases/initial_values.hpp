// [initial]: the unknown at the start of an evolution in time, as a number or formula for each component, or as a field
// of another run on the same mesh:
//
//   [initial]                     [initial]
//   temperature = "20 + 5*x"      file = "results/steady.pvd"
#pragma once

#include "apps/cases/run.hpp"
#include "fem/physics/model.hpp"
#include "io/case/formula.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace ritz {

using InitialValues = std::function<std::vector<double>(const Model&)>;  // [unknown]

// Formulas of the position for components from the first on.
struct InitialPart {
  std::vector<Formula> formulas;
  int first;

  bool depends_on_position() const { return std::ranges::any_of(formulas, &Formula::depends_on_position); }
};
InitialPart read_initial_part(const Case::Table& initial, const std::string& key, const std::string& about, int first,
                              int count);
std::vector<double> values_at_nodes(const std::vector<InitialPart>& parts,
                                    const FunctionSpace& space);  // zero elsewhere
// In each field those of its components.
InitialValues initial_values(std::vector<InitialPart> parts);

// `key` holds the values; `field` is the name of the unknown in results. What is wrong is added to the case.
struct ReadInitialValues {
  InitialValues values;
  bool depend_on_position = false;  // those of a file go with the nodes
};
ReadInitialValues read_initial(Run& run, const std::string& key, const std::string& field, int components);

}  // namespace ritz
