// The fields of the form that a case solves: by name, and which forms of the catalogue act on them.
//
//   const FieldsOfCase fields(run, form);   const std::size_t k = fields.named_in(table);   fields.facts[k].components
#pragma once

#include "apps/cases/form_case.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class FieldsOfCase {
 public:
  FieldsOfCase(Run& run, const FormOfCase& form);

  std::size_t named_in(const Case::Table& t) const;  // by the key `field`; of a form with one field, that one
  std::optional<std::size_t> named_if_given(const Case::Table& t) const;
  // Is it a form of one field at nodes for this field?
  bool takes(std::size_t field, const FormRecord& r) const;
  // [field of the form] its number among these fields; empty: there are no such fields. A form of one field takes
  // `named`, or the only one of its kind.
  std::vector<int> positions_of(const MixedFormRecord& r, const std::optional<std::size_t>& named) const;

  // Adds errors of functions that have no values in the region, or values beyond their bounds.
  void try_at_centres(const std::vector<PointFunction>& given, const Region& region) const;
  // Adds an error where facets lie between two cells: they have no side that is outside.
  bool is_outside(const Case::Table& t, const Region& region) const;

  Run& run;
  const Mesh& mesh;
  std::shared_ptr<const FormCatalogue> catalogue;
  const FormCatalogue::MixedEntry& form;  // of the cells
  std::vector<FieldFacts> facts;
  std::vector<std::string> names;
};

inline bool is_vector(const FieldFacts& field) { return field.family == Family::facet || field.family == Family::edge; }
// "fluxes through facets"
const char* unknowns_of(Family family);

// Further results of a motion: "velocity_displacement"; [initial] has the first one, too.
std::string rate_name(const char* rate, const FieldFacts& field);

// Further results of a field of edges, in cells: its curl, and what the form pairs with that of the test function.
bool has_curl(const FieldFacts& field);
std::string curl_name(const FieldFacts& field);       // "curl_field"
std::string curl_flux_name(const FieldFacts& field);  // "curl_field_flux"

}  // namespace ritz
