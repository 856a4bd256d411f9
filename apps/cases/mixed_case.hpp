// Cases of ritz-solve whose form has several fields, or one of facets or edges: its materials, and loads and prescribed
// values of each field.
//
//   const FormOfCase form = read_form_name(run);
//   if (form.has_several_fields()) return run_mixed_case(run, read_mixed(run, form));
#pragma once

#include "apps/cases/form_case.hpp"
#include "fem/operator/mixed_constraints.hpp"

#include <memory>
#include <string>

namespace ritz {

struct MixedCase {
  std::unique_ptr<MixedOperator> equations;
  std::unique_ptr<MixedConstraints> supports;  // finished
  std::vector<FieldFacts> fields;
  LinearSolverOptions solver;
  std::vector<Field> nodal_results = {}, cell_results = {};  // names and components of the results to come
};

// Errors are added to the case, and thrown together before spaces are made, which need a sound case.
MixedCase read_mixed(Run& run, const FormOfCase& form);

// Further results of a field of edges, in cells: its curl, and what the form pairs with that of the test function.
bool has_curl(const FieldFacts& field);
std::string curl_name(const FieldFacts& field);       // "curl_field"
std::string curl_flux_name(const FieldFacts& field);  // "curl_field_flux"

}  // namespace ritz
