// [[capacity]] and [[inertia]] of forms: what changes in time, and the mass of what vibrates.
#pragma once

#include "fem/physics/coefficient.hpp"
#include "io/case/case.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct StoredTable {
  Case::Table table;
  const Region* region;
  std::optional<std::string> form = {};     // none: its name could not be read
  std::optional<Coefficient> density = {};  // of the form "mass": times the unknown
};

// Each has one of these forms, or "mass". Numbers of a form are the caller's to read.
std::vector<StoredTable> read_stored(Case& input, const Mesh& mesh, bool is_inertia, std::vector<std::string> forms);

}  // namespace ritz
