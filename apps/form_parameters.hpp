// Declared parameters of a form as keys of a case table: each is asked for once, with its unit, bounds and fallback.
#pragma once

#include "fem/form_catalogue.hpp"
#include "io/case.hpp"

namespace ritz {

// What is wrong is added to the case (Exit::model outside of the bounds), as with Case::Table::number.
FormValue ask_form(const Case::Table& table, const FormCatalogue::Entry& entry);

}  // namespace ritz
