// Energies of a body along a load path, [newton] energies: the balance of fem/analysis/path_energies.hpp, and the part
// of the work of plastic and creeping materials that their elastic strain gives back.
#pragma once

#include "apps/cases/run.hpp"
#include "fem/analysis/observer.hpp"
#include "fem/physics/elastic_body.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ritz {

// Empty: materials of this body have them.
std::string why_no_energies(const ElasticBody& body);

// Columns of the state, which go into the log and the report, too.
std::vector<std::pair<std::string, std::vector<double>>> path_energies(Run& run, const Operator& equations,
                                                                       const ElasticBody& body, const SolutionView& s);

}  // namespace ritz
