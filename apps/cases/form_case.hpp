// The case of any form that is known by name, of Ritz or of a plugin; one of several fields, or of facets or edges, is
// read by apps/cases/fields_case.hpp.
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/plugins/form_catalogue.hpp"

#include <memory>
#include <string>

namespace ritz {

struct FormOfCase {
  std::shared_ptr<const FormCatalogue> catalogue;
  std::string name = {};
  bool has_several_fields() const { return catalogue->has_mixed(name); }  // or one of facets or edges
};

// [model] of the case, with its plugin. Throws what is wrong with it.
FormOfCase read_form_name(Run& run);

// The model of a form of one field at nodes. Errors of the case are added to run.input().
CaseModel read_form(Run& run, const FormOfCase& form);

// Adds errors for keys that belong to another analysis than the one that the case asks for.
void require_no_keys_of_others(Case& input, const CaseModel& read);

}  // namespace ritz
