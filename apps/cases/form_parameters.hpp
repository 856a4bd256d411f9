// Declared parameters of a form as keys of a case table: each with its unit, bounds and fallback.
#pragma once

#include "apps/cases/named_material.hpp"
#include "fem/plugins/form_catalogue.hpp"
#include "io/case/case.hpp"

#include <map>
#include <string>

namespace ritz {

// Errors are added to the case (Exit::model outside of the bounds), as with Case::Table::number. Parameters in `known`
// are not read: they have these values. Those that `material` has are its constants where they are not given.
void ask_parameters(const Case::Table& table, const FormRecord& record, const std::map<std::string, double>& known,
                    const LibraryMaterial* material, FormValue& form);
void ask_parameter(const Case::Table& table, const ParameterRecord& parameter, const LibraryMaterial* material,
                   FormValue& form);
// The rule and the description of one of them.
NumberRule rule_of(const ParameterFacts& facts, const LibraryMaterial* material);
std::string about_of(const ParameterFacts& facts);
// The form with them, and its coefficients that vary in space.
FormValue ask_form(const Case::Table& table, const FormCatalogue::Entry& entry,
                   const std::map<std::string, double>& known = {}, const LibraryMaterial* material = nullptr);

}  // namespace ritz
