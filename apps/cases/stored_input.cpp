#include "apps/cases/stored_input.hpp"

#include "apps/cases/formulas.hpp"

namespace ritz {

std::vector<StoredTable> read_stored(Case& input, const Mesh& mesh, bool is_inertia, std::vector<std::string> forms) {
  forms.insert(forms.begin(), "mass");
  std::vector<StoredTable> stored;
  for (const Case::Table& t :
       input.tables(is_inertia ? "inertia" : "capacity",
                    is_inertia ? "mass of what vibrates" : "what the equations store: d/dt of it is part of them",
                    {.minimum_count = 1})) {
    StoredTable& each = stored.emplace_back(StoredTable{t, t.region("region", "cells", mesh, {RegionKind::cells})});
    each.form =
        t.kind("form",
               is_inertia ? "whose residual is the inertia force per acceleration; mass: value times the unknown"
                          : "whose residual is stored; mass: value times the unknown",
               forms, "mass");
    t.open_to_plugins("form");
    if (each.form == "mass")
      each.density = coefficient(t.formula(
          "value",
          is_inertia ? "mass per volume; of displacements [kg/m^3]" : "stored per volume and unit of the unknown",
          {.above = 0, .out_of_bounds = ErrorKind::material_value}));
  }
  return stored;
}

}  // namespace ritz
